#include "check/extent.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace vyre::check {

/// A dimension, or a quotient, whose name is its text.
struct Extent::Factor {
  std::string name;
  std::shared_ptr<const Quotient> quotient;  // null: a dimension
};

struct Extent::Quotient {
  Extent dividend, divisor;
  bool up = false;  // rounded up; not where the divisor is a number
};

struct Extent::Term {
  std::vector<Factor> factors;  // in ascending order of their names; none: the number
  int64_t coefficient = 0;      // not 0

  bool same_product(const Term& o) const {
    return std::ranges::equal(factors, o.factors, {}, &Factor::name, &Factor::name);
  }
  static bool before(const Term& a, const Term& b) {
    return std::ranges::lexicographical_compare(a.factors, b.factors, {}, &Factor::name, &Factor::name);
  }
};

/// In ascending order of products, each once.
struct Extent::Sum {
  std::vector<Term> terms;
  size_t text_size = 0;  // of the names in it
};

namespace {

std::optional<int64_t> checked_sum(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}
std::optional<int64_t> checked_product(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}
/// Rounded down. Domain: b is neither 0, nor -1 where a is the least number.
int64_t floor_quotient(int64_t a, int64_t b) {
  const int64_t towards_zero = a / b;
  return towards_zero - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
std::optional<int64_t> number_quotient(int64_t a, int64_t b, bool up) {
  if (b == 0) return 0;
  if (b == -1) return checked_product(a, -1);
  const int64_t down = floor_quotient(a, b);
  return up && a % b != 0 ? down + 1 : down;
}

}  // namespace

Extent Extent::named(std::string_view dimension) {
  Extent out;
  out.sum_ = std::make_shared<const Sum>(
      Sum{{Term{{Factor{std::string(dimension), nullptr}}, 1}}, dimension.size()});
  return out;
}

bool Extent::equal(const Extent& a, const Extent& b) {
  if (a.sum_ == nullptr || b.sum_ == nullptr) return a.sum_ == b.sum_ && a.number_ == b.number_;
  return a.sum_ == b.sum_ ||
         std::ranges::equal(a.sum_->terms, b.sum_->terms, [](const Term& x, const Term& y) {
           return x.coefficient == y.coefficient && x.same_product(y);
         });
}

std::optional<int64_t> Extent::number() const {
  if (sum_ != nullptr) return std::nullopt;
  return number_;
}

std::optional<std::string_view> Extent::name() const {
  if (sum_ == nullptr || sum_->terms.size() != 1) return std::nullopt;
  const Term& term = sum_->terms.front();
  if (term.coefficient != 1 || term.factors.size() != 1 || term.factors.front().quotient != nullptr)
    return std::nullopt;
  return term.factors.front().name;
}

bool Extent::has_quotient() const {
  return sum_ != nullptr && std::ranges::any_of(sum_->terms, [](const Term& term) {
           return std::ranges::any_of(term.factors, [](const Factor& f) { return f.quotient != nullptr; });
         });
}

std::string Extent::text() const {
  if (sum_ == nullptr) return fmt::format("{}", number_);
  // What is added stands before what is taken away, and the number last.
  std::string out;
  const auto write = [&](const Term& term) {
    const bool minus = term.coefficient < 0;
    out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    const uint64_t size = minus ? 0 - uint64_t(term.coefficient) : uint64_t(term.coefficient);
    if (term.factors.empty()) {
      out += fmt::format("{}", size);
      return;
    }
    const bool alone = size == 1 && term.factors.size() == 1;
    std::string product = size == 1 ? "" : fmt::format("{}", size);
    for (const Factor& factor : term.factors) {
      const bool in_parentheses =
          factor.quotient != nullptr && !factor.quotient->up && (!alone || (minus && out == "-"));
      product += fmt::format("{}{}", product.empty() ? "" : " * ",
                             in_parentheses ? "(" + factor.name + ")" : factor.name);
    }
    out += product;
  };
  for (const bool minus : {false, true}) {
    for (const bool number : {false, true}) {
      for (const Term& term : sum_->terms) {
        if ((term.coefficient < 0) == minus && term.factors.empty() == number) write(term);
      }
    }
  }
  return out;
}

Extent::Sum Extent::terms() const {
  if (sum_ != nullptr) return *sum_;
  if (number_ == 0) return {};
  return {{Term{{}, number_}}, 0};
}

std::optional<Extent> Extent::make(Sum sum) {
  std::ranges::sort(sum.terms, Term::before);
  Sum out;
  for (Term& term : sum.terms) {
    if (!out.terms.empty() && out.terms.back().same_product(term)) {
      const auto coefficient = checked_sum(out.terms.back().coefficient, term.coefficient);
      if (!coefficient) return std::nullopt;
      out.terms.back().coefficient = *coefficient;
    } else {
      if (!out.terms.empty() && out.terms.back().coefficient == 0) out.terms.pop_back();
      out.terms.push_back(std::move(term));
    }
  }
  if (!out.terms.empty() && out.terms.back().coefficient == 0) out.terms.pop_back();
  if (out.terms.empty()) return Extent(0);
  if (out.terms.size() == 1 && out.terms.front().factors.empty())
    return Extent(out.terms.front().coefficient);
  if (out.terms.size() > kMaxTerms) return std::nullopt;
  for (const Term& term : out.terms) {
    if (term.factors.size() > kMaxFactors) return std::nullopt;
    for (const Factor& factor : term.factors) out.text_size += factor.name.size();
  }
  if (out.text_size > kMaxText * kMaxTerms) return std::nullopt;
  Extent made;
  made.sum_ = std::make_shared<const Sum>(std::move(out));
  return made;
}

std::optional<Extent> Extent::sum(const Extent& a, const Extent& b) {
  if (a.sum_ == nullptr && b.sum_ == nullptr) {
    const auto number = checked_sum(a.number_, b.number_);
    if (!number) return std::nullopt;
    return Extent(*number);
  }
  Sum all = a.terms();
  std::ranges::move(b.terms().terms, std::back_inserter(all.terms));
  return make(std::move(all));
}

std::optional<Extent> Extent::difference(const Extent& a, const Extent& b) {
  const auto minus = product(b, Extent(-1));
  if (!minus) return std::nullopt;
  return sum(a, *minus);
}

std::optional<Extent> Extent::product(const Extent& a, const Extent& b) {
  if (a.sum_ == nullptr && b.sum_ == nullptr) {
    const auto number = checked_product(a.number_, b.number_);
    if (!number) return std::nullopt;
    return Extent(*number);
  }
  const Sum left = a.terms(), right = b.terms();
  Sum all;
  for (const Term& x : left.terms) {
    for (const Term& y : right.terms) {
      const auto coefficient = checked_product(x.coefficient, y.coefficient);
      if (!coefficient) return std::nullopt;
      Term term{{}, *coefficient};
      std::ranges::merge(x.factors, y.factors, std::back_inserter(term.factors), {}, &Factor::name,
                         &Factor::name);
      all.terms.push_back(std::move(term));
    }
  }
  return make(std::move(all));
}

std::optional<Extent> Extent::quotient(const Extent& a, const Extent& b, bool up) {
  const auto divisor = b.number();
  if (divisor == 0) return Extent(0);
  if (a.sum_ == nullptr && divisor) {
    const auto number = number_quotient(a.number_, *divisor, up);
    if (!number) return std::nullopt;
    return Extent(*number);
  }
  if (a == Extent(0)) return Extent(0);
  if (!divisor || *divisor < 0) {
    const std::string text = up ? fmt::format("ceil_div({}, {})", a.text(), b.text())
                                : fmt::format("({}) / ({})", a.text(), b.text());
    if (text.size() > kMaxText) return std::nullopt;
    return make({{Term{{Factor{text, std::make_shared<const Quotient>(Quotient{a, b, up})}}, 1}}, 0});
  }
  // By a number d > 0. Up is (a + d - 1) / d down; what d divides comes out, and of a number the remainder
  // stays.
  int64_t d = *divisor;
  Extent rest = a;
  if (up) {
    const auto more = sum(a, Extent(d - 1));
    if (!more) return std::nullopt;
    rest = *more;
  }
  Sum out, inner;
  const auto split = [&] {
    inner = {};
    for (Term& term : rest.terms().terms) {
      const int64_t whole = term.factors.empty()        ? floor_quotient(term.coefficient, d)
                            : term.coefficient % d == 0 ? term.coefficient / d
                                                        : 0;
      const int64_t left = term.coefficient - whole * d;
      if (whole != 0) out.terms.push_back({term.factors, whole});
      if (left != 0) inner.terms.push_back({std::move(term.factors), left});
    }
  };
  split();
  // (x / c + k) / d is (x + k * c) / (c * d): one quotient for quotients of quotients.
  for (;;) {
    const auto products =
        std::ranges::count_if(inner.terms, [](const Term& term) { return !term.factors.empty(); });
    const auto only =
        std::ranges::find_if(inner.terms, [](const Term& term) { return !term.factors.empty(); });
    if (products != 1 || only->coefficient != 1 || only->factors.size() != 1 ||
        only->factors.front().quotient == nullptr)
      break;
    const Quotient& below = *only->factors.front().quotient;
    const auto c = below.divisor.number();
    if (!c || *c <= 0) break;
    int64_t k = 0;
    for (const Term& term : inner.terms) {
      if (term.factors.empty()) k = term.coefficient;
    }
    const auto added = checked_product(k, *c), product_of_divisors = checked_product(*c, d);
    if (!added || !product_of_divisors) break;
    const auto dividend = sum(below.dividend, Extent(*added));
    if (!dividend) break;
    rest = *dividend;
    d = *product_of_divisors;
    split();
  }
  const auto left = make(std::move(inner));
  if (!left) return std::nullopt;
  // A number that is left is below d.
  if (left->sum_ != nullptr) {
    const bool single = left->sum_->terms.size() == 1 && left->sum_->terms.front().factors.size() == 1 &&
                        left->sum_->terms.front().coefficient == 1 &&
                        left->sum_->terms.front().factors.front().quotient == nullptr;
    const std::string text =
        fmt::format("{}{}{} / {}", single ? "" : "(", left->text(), single ? "" : ")", d);
    if (text.size() > kMaxText) return std::nullopt;
    out.terms.push_back(
        {{Factor{text, std::make_shared<const Quotient>(Quotient{*left, Extent(d), false})}}, 1});
  }
  return make(std::move(out));
}

std::optional<Extent> Extent::with(const std::function<Extent(std::string_view)>& of) const {
  if (sum_ == nullptr) return *this;
  if (const auto dimension = name()) return of(*dimension);
  std::optional<Extent> out = Extent(0);
  for (const Term& term : sum_->terms) {
    std::optional<Extent> value = Extent(term.coefficient);
    for (const Factor& factor : term.factors) {
      std::optional<Extent> replaced;
      if (factor.quotient == nullptr) {
        replaced = of(factor.name);
      } else {
        const auto dividend = factor.quotient->dividend.with(of), divisor = factor.quotient->divisor.with(of);
        if (dividend && divisor) replaced = quotient(*dividend, *divisor, factor.quotient->up);
      }
      if (!replaced) return std::nullopt;
      value = product(*value, *replaced);
      if (!value) return std::nullopt;
    }
    out = sum(*out, *value);
    if (!out) return std::nullopt;
  }
  return out;
}

std::optional<int64_t> Extent::at(const std::map<std::string, uint32_t, std::less<>>& sizes) const {
  bool known = true;
  const auto value = with([&](std::string_view name) {
    const auto found = sizes.find(name);
    known = known && found != sizes.end();
    return Extent(found == sizes.end() ? 0 : int64_t(found->second));
  });
  if (!known || !value) return std::nullopt;
  return value->number();
}

}  // namespace vyre::check
