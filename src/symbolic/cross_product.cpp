#include "symbolic/cross_product.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "symbolic/candidates.h"
#include "symbolic/consequences.h"
#include "symbolic/encodings.h"

namespace vyre::symbolic {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// One thread's work: a solver of its own.
class Judge {
 public:
  Judge(const ProductOptions& options, const Family& family) : family_(family) {
    if (options.solve) prover_.emplace(options.prover);
  }

  void judge(Sentence& sentence, const ops::Operation& f, std::array<uint64_t, 3>& refuted_by) {
    smt::Pool pool;
    std::string reason;
    const auto claim = family_.claim(pool, sentence.law, f, reason);
    if (!claim) {
      sentence.verdict = reason.empty() ? Verdict::Open : Verdict::NotApplicable;
      sentence.by = reason.empty() ? "no formula" : reason;
      return;
    }
    Refuter refuter(pool, *claim, family_.bits());
    if (auto witness = refuter.smallest()) {
      sentence.verdict = Verdict::Refuted;
      sentence.witness = std::move(*witness);
      sentence.smallest = true;
      sentence.by = "evaluation";
      ++refuted_by[0];
      return;
    }
    if (refuter.exhausted()) {
      sentence.verdict = Verdict::Proved;
      sentence.by = "evaluation";
      return;
    }
    auto edge = refuter.edge();
    if (prover_) {
      const solver::Proof proof = prover_->prove(pool, claim->holds, claim->variables);
      sentence.seconds = proof.seconds;
      sentence.by = proof.outcome == solver::Outcome::Open ? proof.reason : proof.solver;
      if (proof.outcome == solver::Outcome::Proved) {
        sentence.verdict = Verdict::Proved;
        if (!edge) return;
        // Whichever is right, nothing is proved.
        sentence.verdict = Verdict::Open;
        sentence.by = fmt::format("{} and evaluation disagree", proof.solver);
        return;
      }
      if (proof.outcome == solver::Outcome::Refuted) {
        sentence.verdict = Verdict::Refuted;
        for (const smt::Assigned& a : proof.witness) sentence.witness.push_back(uint64_t(a.value));
        sentence.smallest = proof.smallest;
        ++refuted_by[edge ? 1 : 2];
        return;
      }
    } else {
      sentence.by = "no solver was asked";
    }
    if (!edge) return;
    sentence.verdict = Verdict::Refuted;
    sentence.witness = std::move(*edge);
    sentence.by = "evaluation";
    ++refuted_by[1];
  }

 private:
  const Family& family_;
  std::optional<solver::Prover> prover_;
};

bool matches(const std::string& glob, std::string_view name) {
  return glob.empty() || ::fnmatch(glob.c_str(), std::string(name).c_str(), 0) == 0;
}

/// One part: the functions of a family shared out among threads.
class Part {
 public:
  Part(const ProductOptions& options, const Family& family, Product& product)
      : options_(options), family_(family), product_(product) {}

  void run() {
    const auto begin = Clock::now();
    part_.name = family_.name();
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < std::max(1u, options_.threads); ++t) threads.emplace_back([this] { work(); });
    threads.clear();
    part_.seconds = since(begin);
    if (part_.functions > 0) product_.parts.push_back(part_);
  }

 private:
  void work() {
    Judge judge(options_, family_);
    for (size_t i = next_++; i < family_.functions().size(); i = next_++) {
      const ops::Operation& f = family_.functions()[i];
      if (!matches(options_.glob, f.id) || (options_.stop != nullptr && *options_.stop)) continue;
      {
        const std::scoped_lock lock(mutex_);
        ++part_.functions;
      }
      // The stronger kinds come first, so that what follows from them is not suggested beside them.
      Component known = family_.component(f);
      for (spec::Law& law : candidates(family_, f)) {
        if (options_.stop != nullptr && *options_.stop) return;
        Sentence sentence{.function = std::string(f.id), .type = family_.type(), .law = std::move(law)};
        std::array<uint64_t, 3> refuted_by{};
        judge.judge(sentence, f, refuted_by);
        sentence.declared = std::ranges::find(f.laws, sentence.law) != f.laws.end();
        sentence.denied = std::ranges::find(f.denied, sentence.law, &spec::Denial::law) != f.denied.end();
        if (sentence.verdict == Verdict::Proved && !sentence.declared && family_.has_components()) {
          sentence.implied = is_implied(sentence.law, known, family_.lookup());
          if (!sentence.implied) known.laws.push_back(sentence.law);
        }
        take(std::move(sentence), refuted_by);
      }
    }
  }

  void take(Sentence sentence, const std::array<uint64_t, 3>& refuted_by) {
    const std::scoped_lock lock(mutex_);
    ++part_.counts[size_t(sentence.verdict)];
    for (size_t i = 0; i < refuted_by.size(); ++i) part_.refuted_by[i] += refuted_by[i];
    if (options_.each) options_.each(sentence);
    const bool wrong = (sentence.declared && sentence.verdict == Verdict::Refuted) ||
                       (sentence.denied && sentence.verdict == Verdict::Proved);
    if (wrong) product_.wrong.push_back(sentence);
    switch (sentence.verdict) {
      case Verdict::Proved: product_.proved.push_back(std::move(sentence)); break;
      case Verdict::Open: product_.open.push_back(std::move(sentence)); break;
      case Verdict::Refuted:
      case Verdict::NotApplicable: break;
    }
  }

  const ProductOptions& options_;
  const Family& family_;
  Product& product_;
  ProductPart part_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
};

void sort(std::vector<Sentence>& sentences) {
  std::ranges::sort(sentences, {}, [](const Sentence& s) {
    return std::tuple(s.function.starts_with("primitive."), s.type, s.function, s.law.kind, s.law.value,
                      s.law.high, s.law.others);
  });
}

}  // namespace

std::string_view text(Verdict verdict) {
  switch (verdict) {
    case Verdict::Proved: return "proved";
    case Verdict::Refuted: return "refuted";
    case Verdict::Open: return "open";
    case Verdict::NotApplicable: return "not applicable";
  }
  std::unreachable();
}

uint64_t ProductPart::total() const {
  uint64_t sum = 0;
  for (const uint64_t count : counts) sum += count;
  return sum;
}

std::vector<const Sentence*> Product::suggestions() const {
  std::vector<const Sentence*> out;
  for (const Sentence& s : proved) {
    if (!s.declared && !s.implied && s.function.contains('.')) out.push_back(&s);
  }
  return out;
}

namespace {

Product product_of(std::span<const Family* const> families, const ProductOptions& options) {
  const auto begin = Clock::now();
  Product out;
  out.solver = options.solve ? solver::Prover(options.prover).about() : "no solver was asked";
  ProductOptions actual = options;
  if (const auto& checked = encodings_checked(); !checked) {
    // Formulas that do not say what they should prove nothing.
    out.solver = checked.error();
    actual.solve = false;
  }
  if (actual.planned) {
    size_t sentences = 0;
    for (const Family* family : families) {
      for (const ops::Operation& f : family->functions())
        if (matches(actual.glob, f.id)) sentences += candidates(*family, f).size();
    }
    actual.planned(sentences);
  }
  for (const Family* family : families) Part(actual, *family, out).run();
  sort(out.proved), sort(out.open), sort(out.wrong);
  out.seconds = since(begin);
  return out;
}

}  // namespace

Product cross_product(const ProductOptions& options) {
  std::vector<std::unique_ptr<Family>> families;
  for (const spec::DataType type : options.operator_types) families.push_back(operators_of(type));
  if (options.primitives) families.push_back(integer_primitives());
  std::vector<const Family*> all;
  for (const auto& family : families) all.push_back(family.get());
  return product_of(all, options);
}

Product cross_product(const Family& family, const ProductOptions& options) {
  const std::array<const Family*, 1> one = {&family};
  return product_of(one, options);
}

std::string table(const Product& product) {
  std::string out = fmt::format("{:<20} {:>9} {:>9} {:>8} {:>8} {:>6} {:>14} {:>8}\n", "", "functions",
                                "sentences", "proved", "refuted", "open", "not applicable", "seconds");
  ProductPart sum{.name = "all"};
  const auto row = [&](const ProductPart& p, double seconds) {
    out += fmt::format("{:<20} {:>9} {:>9} {:>8} {:>8} {:>6} {:>14} {:>8.1f}\n", p.name, p.functions,
                       p.total(), p.counts[0], p.counts[1], p.counts[2], p.counts[3], seconds);
  };
  for (const ProductPart& part : product.parts) {
    row(part, part.seconds);
    sum.functions += part.functions;
    for (size_t i = 0; i < kVerdicts; ++i) sum.counts[i] += part.counts[i];
    for (size_t i = 0; i < sum.refuted_by.size(); ++i) sum.refuted_by[i] += part.refuted_by[i];
  }
  row(sum, product.seconds);
  out += fmt::format("refuted by small values {}, by edges {}, by the solver alone {}; solver: {}\n",
                     sum.refuted_by[0], sum.refuted_by[1], sum.refuted_by[2], product.solver);
  return out;
}

}  // namespace vyre::symbolic
