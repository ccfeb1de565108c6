#include "ops/float/soft_words.h"

#include <algorithm>
#include <optional>

namespace vyre::ops {
namespace {

/// A word and what it carries into the next.
struct Digit {
  Ex word, carry;
};

/// A sum of words, with a count of its carries.
class Column {
 public:
  explicit Column(Composer& c) : c_(c) {}
  void add(Ex term) {
    const Ex bound = c_.let("term", term);
    if (!sum_) {
      sum_ = bound;
      return;
    }
    sum_ = c_.let("column", *sum_ + bound);
    const Ex carry = *sum_ < bound;
    carries_ = carries_ ? *carries_ + carry : carry;
  }
  Ex word() const { return *sum_; }
  /// None where nothing can carry.
  std::optional<Ex> carries() const { return carries_; }

 private:
  Composer& c_;
  std::optional<Ex> sum_, carries_;
};

Digit add_digits(Composer& c, Ex a, std::optional<Ex> b, std::optional<Ex> carry) {
  if (!b && !carry) return {a, c.word(0)};
  if (!b || !carry) {
    const Ex other = b ? *b : *carry;
    const Ex sum = c.let("sum", a + other);
    return {sum, c.let("carry", sum < other)};
  }
  const Ex partial = c.let("partial", a + *b);
  const Ex sum = c.let("sum", partial + *carry);
  return {sum, c.let("carry", (partial < *b) | (sum < partial))};
}

}  // namespace

Words literal(Composer& c, std::span<const uint32_t> words) {
  Words out;
  for (const uint32_t word : words) out.push_back(c.word(word));
  return out;
}

Sum add(Composer& c, const Words& a, const Words& b) {
  Words out = a;
  std::optional<Ex> carry;
  for (size_t k = 1; k <= a.size(); ++k) {
    const std::optional<Ex> other = k <= b.size() ? std::optional(b[b.size() - k]) : std::nullopt;
    const auto [word, next] = add_digits(c, a[a.size() - k], other, carry);
    out[a.size() - k] = word;
    carry = next;
  }
  return {out, *carry};
}

Words subtract(Composer& c, const Words& a, const Words& b) {
  Words out = a;
  std::optional<Ex> borrow;
  for (size_t k = 1; k <= a.size(); ++k) {
    Ex& word = out[a.size() - k];
    const Ex from = word;
    std::optional<Ex> next;
    if (k <= b.size()) {
      next = from < b[b.size() - k];
      word = c.let("difference", from - b[b.size() - k]);
    }
    if (borrow) {
      const Ex more = word < *borrow;
      next = next ? *next | more : more;
      word = c.let("difference", word - *borrow);
    }
    borrow = c.let("borrow", *next);
  }
  return out;
}

Words flip(Composer& c, const Words& a, Ex mask) {
  const Ex bits = c.let("mask", mask);
  Words out;
  for (const Ex word : a) out.push_back(c.let("flipped", word ^ bits));
  return out;
}

Words select(Composer& c, Ex condition, const Words& then, const Words& otherwise) {
  const Ex bound = c.let("condition", condition);
  Words out;
  for (size_t k = 0; k < then.size(); ++k) {
    out.push_back(c.let("selected", c.select(bound, then[k], otherwise[k])));
  }
  return out;
}

// The upper half of one product and the lower half of the one to its right meet in a word.
Words multiply(Composer& c, const Words& a, Ex factor) {
  const Ex word = c.let("factor", factor);
  Words out = a;
  std::optional<Ex> carry;
  for (size_t k = a.size(); k-- > 0;) {
    const Ex high = c.let("high", carry ? c.high(a[k], word) + *carry : c.high(a[k], word));
    carry.reset();
    out[k] = high;
    if (k == 0) break;
    const Ex low = c.let("low", a[k - 1] * word);
    out[k] = c.let("product", high + low);
    carry = c.let("carry", out[k] < low);
  }
  return out;
}

// Of the products of words at i and j whose upper half is at the last place only that half is taken. What is
// left out is below n units (their lower halves) and n - 1 units (products further down).
Words multiply(Composer& c, const Words& a, const Words& b) {
  const size_t n = a.size();
  Words out = a;
  std::optional<Ex> carries;
  for (size_t place = n; place-- > 0;) {
    Column column(c);
    for (size_t i = 0; i <= place; ++i) column.add(c.high(a[i], b[place - i]));
    for (size_t i = 0; i + 1 <= place; ++i) column.add(a[i] * b[place - 1 - i]);
    if (carries) column.add(*carries);
    out[place] = column.word();
    carries = column.carries();
  }
  return out;
}

Words shift_left(Composer& c, const Words& a, uint32_t by) {
  Words out;
  for (size_t k = 0; k + 1 < a.size(); ++k) {
    out.push_back(c.let("shifted", (a[k] << by) | (a[k + 1] >> (32 - by))));
  }
  out.push_back(c.let("shifted", a.back() << by));
  return out;
}

Words shift_right(Composer& c, const Words& a, uint32_t by) {
  Words out{c.let("shifted", a.front() >> by)};
  for (size_t k = 1; k < a.size(); ++k) {
    out.push_back(c.let("shifted", (a[k] >> by) | (a[k - 1] << (32 - by))));
  }
  return out;
}

Words shift_left(Composer& c, const Words& a, Ex by) {
  const Ex amount = c.let("amount", by), rest = c.let("rest", amount ^ 31);
  Words out;
  for (size_t k = 0; k + 1 < a.size(); ++k) {
    out.push_back(c.let("shifted", (a[k] << amount) | ((a[k + 1] >> 1) >> rest)));
  }
  out.push_back(c.let("shifted", a.back() << amount));
  return out;
}

// By whole words where the bits of `by` from 32 up say so, the longest way first, then by the rest.
Words shift_right(Composer& c, const Words& a, Ex by) {
  const Ex amount = c.let("amount", by);
  Words words = a;
  size_t stride = 1;
  while (2 * stride < a.size()) stride *= 2;
  for (; stride > 0 && a.size() > 1; stride /= 2) {
    Words moved(stride, c.word(0));
    moved.insert(moved.end(), words.begin(), words.end() - ptrdiff_t(stride));
    words = select(c, amount & uint32_t(32 * stride), moved, words);
  }
  const Ex bits = c.let("bits", amount & 31), rest = c.let("rest", bits ^ 31);
  Words out{c.let("shifted", words.front() >> bits)};
  for (size_t k = 1; k < words.size(); ++k) {
    out.push_back(c.let("shifted", (words[k] >> bits) | ((words[k - 1] << 1) << rest)));
  }
  return out;
}

namespace {

/// Of the coefficients that are a word, at the last place of n words. Domain: shift is below 32; n is 2.
Words evaluate_narrow(Composer& c, const Series& s, Ex v) {
  Ex sum = c.word(s.narrow.back());
  for (size_t k = s.narrow.size() - 1; k-- > 0;) {
    const Ex product = c.high(sum, v);
    const Ex coefficient = c.word(s.narrow[k]);
    sum = c.let("term", s.alternating ? coefficient - product : coefficient + product);
  }
  return {c.let("term", sum >> s.shift), c.let("term", sum << (32 - s.shift))};
}

Words coefficient_of(Composer& c, const Series& s, size_t k) {
  std::span<const uint32_t> words = s.wide.subspan(k * s.width, s.width);
  while (words.front() == 0) words = words.subspan(1);
  return literal(c, words);
}

}  // namespace

Words evaluate(Composer& c, const Series& s, Ex v) {
  const Ex word = c.let("v", v);
  size_t k = s.wide.size() / s.width;
  Words sum = s.narrow.empty() ? coefficient_of(c, s, --k) : evaluate_narrow(c, s, word);
  while (k-- > 0) {
    const Words coefficient = coefficient_of(c, s, k), product = multiply(c, sum, word);
    sum = s.alternating ? subtract(c, coefficient, product) : add(c, coefficient, product).words;
  }
  return sum;
}

Ex pick(Composer& c, Ex index, std::span<const uint32_t> list) {
  const Ex bound = c.let("index", index);
  Words left = literal(c, list);
  for (uint32_t bit = 1; left.size() > 1; bit *= 2) {
    const Ex odd = c.let("odd", bound & bit);
    Words next;
    for (size_t k = 0; k < left.size(); k += 2) {
      next.push_back(c.let("entry", c.select(odd, left[k + 1], left[k])));
    }
    left = next;
  }
  return left.front();
}

}  // namespace vyre::ops
