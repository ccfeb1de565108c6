#include "verify/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "num/exact_product.h"
#include "num/exact_sum.h"
#include "num/float.h"
#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::verify {
namespace {

using spec::DataType;
using spec::FloatFormat;
using spec::Op;

/// The reduction of a program of ir.sums.
struct Reduction {
  DataType type{};
  Op fold{};
  uint32_t tolerance = 0;
};

Reduction reduction_of(const ir::Program& program) {
  for (const ir::Expr& e : program.code.exprs) {
    if (e.kind != ir::ExprKind::Apply || e.op != Op::FReduceApprox) continue;
    // All buffers of floats of a program have one type, and the last bound one is of floats.
    DataType type{};
    for (const ir::BufferDecl& b : program.buffers) {
      if (spec::kFloats.contains(program.element(b))) type = program.element(b);
    }
    return {type, *spec::fold_of(e.op, e.immediate), spec::tolerance_of(e.immediate)};
  }
  return {};
}

std::vector<uint32_t> patterns(DataType type, const Bytes& bytes) {
  const uint32_t each = spec::info(type).bytes;
  std::vector<uint32_t> out(bytes.size() / each);
  for (size_t k = 0; k < out.size() * each; ++k) out[k / each] |= uint32_t(bytes[k]) << 8 * (k % each);
  return out;
}
void put(Bytes& bytes, DataType type, size_t element, uint32_t pattern) {
  const uint32_t each = spec::info(type).bytes;
  for (uint32_t b = 0; b < each; ++b) bytes[element * each + b] = std::byte(pattern >> 8 * b);
}

/// What each invocation folds, as the program's name says.
class Folded {
 public:
  Folded(const generate::ProgramCase& c, DataType type)
      : name_(c.program.name), data_(patterns(type, c.buffers[0])) {
    const auto& size = c.program.workgroup_size;
    group_ = size_t{size[0]} * size[1] * size[2];
    if (name_ == kRanges) from_ = to_words(c.buffers[1]), to_ = to_words(c.buffers[2]);
  }

  std::vector<uint32_t> of(size_t invocation) const {
    if (name_ == kRanges) return range(data_, from_[invocation], to_[invocation]);
    if (name_ != kShared) return data_;
    // What is behind the end of a buffer reads as zero.
    std::vector<uint32_t> part(kPart);
    const size_t first = invocation / group_ * kPart;
    for (size_t k = 0; k < kPart && first + k < data_.size(); ++k) part[k] = data_[first + k];
    return range(part, uint32_t(invocation % group_) & kPart, kPart);
  }

 private:
  static constexpr std::string_view kRanges = "ranges", kShared = "shared";
  static constexpr uint32_t kPart = 7;

  static std::vector<uint32_t> range(const std::vector<uint32_t>& all, uint32_t from, uint32_t to) {
    const size_t begin = std::min<size_t>(from, all.size()), end = std::min<size_t>(to, all.size());
    if (begin >= end) return {};
    return {all.begin() + ptrdiff_t(begin), all.begin() + ptrdiff_t(end)};
  }

  std::string_view name_;
  std::vector<uint32_t> data_, from_, to_;
  size_t group_ = 1;
};

/// The one result that there may be, where there is only one.
std::optional<uint32_t> only_result(FloatFormat f, Op fold, std::span<const uint32_t> elements) {
  const auto itself = [&](uint32_t x) { return f.is_nan(x) ? f.nan() : x; };
  if (elements.size() == 1) return itself(elements[0]);
  if (fold == Op::FMin || fold == Op::FMax) {
    if (elements.empty()) return f.infinity() | (fold == Op::FMax ? f.sign_bit() : 0);
    uint32_t out = itself(elements[0]);
    for (const uint32_t x : elements.subspan(1))
      out = fold == Op::FMin ? num::min(f, out, x) : num::max(f, out, x);
    return out;
  }
  if (elements.empty()) return fold == Op::FMul ? f.one() : 0;
  bool nan = false, up = false, down = false, zero = false, negative = false;
  for (const uint32_t x : elements) {
    nan = nan || f.is_nan(x);
    up = up || x == f.infinity();
    down = down || x == (f.infinity() | f.sign_bit());
    zero = zero || (x & ~f.sign_bit()) == 0;
    negative ^= (x & f.sign_bit()) != 0;
  }
  if (fold == Op::FMul) {
    const uint32_t sign = negative ? f.sign_bit() : 0;
    if (nan || (zero && (up || down))) return f.nan();
    if (zero) return sign;
    return up || down ? std::optional(f.infinity() | sign) : std::nullopt;
  }
  if (nan || (up && down)) return f.nan();
  if (up || down) return f.infinity() | (down ? f.sign_bit() : 0);
  return std::nullopt;
}

std::string describe(const ReductionJudgement& judged, uint32_t result, const Reduction& r) {
  if (result == unwritten_of(r.type)) return "was not written";
  if (!judged.off) return fmt::format("is {:#x}, and must be {:#x}", result, judged.wanted);
  return fmt::format("is {:#x}, {} ULP of the {} from {:#x}, and {} are allowed", result, *judged.off,
                     r.fold == Op::FMul ? "product" : "sum of magnitudes", judged.wanted, r.tolerance);
}

/// The judge of many results, which are often of the same elements: the same question is answered once.
class Judge {
 public:
  explicit Judge(const Reduction& reduction) : reduction_(reduction) {}
  ReductionJudgement judge(std::vector<uint32_t> elements, uint32_t result) {
    if (!known_ || result != result_ || elements != elements_) {
      elements_ = std::move(elements), result_ = result;
      known_ = judge_reduction(reduction_.type, reduction_.fold, reduction_.tolerance, elements_, result);
    }
    return *known_;
  }

 private:
  const Reduction& reduction_;
  std::vector<uint32_t> elements_;
  uint32_t result_ = 0;
  std::optional<ReductionJudgement> known_;
};

}  // namespace

ReductionJudgement judge_reduction(DataType type, Op fold, uint32_t tolerance,
                                   std::span<const uint32_t> elements, uint32_t result) {
  const FloatFormat f = spec::float_format(type);
  const bool written = result != unwritten_of(type);
  if (const auto only = only_result(f, fold, elements)) {
    const bool right = result == *only;
    return {*only, right, right ? std::optional<uint64_t>(0) : std::nullopt};
  }
  ReductionJudgement out;
  if (fold == Op::FMul) {
    const num::ExactProduct product(f, elements);
    out.wanted = product.rounded();
    if (written) out.off = product.ulps_off(result);
  } else {
    num::ExactSum sum(f);
    for (const uint32_t x : elements) sum.add(x);
    out.wanted = sum.rounded();
    if (written) out.off = sum.overflows() ? std::optional<uint64_t>(0) : sum.ulps_off(result);
  }
  out.right = out.off && *out.off <= tolerance;
  return out;
}

uint32_t unwritten_of(DataType type) { return spec::float_format(type).infinity() | 1; }

std::vector<uint32_t> sum_elements(DataType type, uint32_t count, uint32_t kind, RandomStream& random) {
  const FloatFormat f = spec::float_format(type);
  const uint32_t one = f.one() >> f.fraction_bits, last = (f.infinity() >> f.fraction_bits) - 1;
  const auto fraction = [&] { return random.next() & f.fraction_mask(); };
  const auto sign = [&] { return random.next() & f.sign_bit(); };
  const auto number = [&](uint32_t exponent) { return exponent << f.fraction_bits | fraction(); };
  const auto element = [&]() -> uint32_t {
    switch (kind) {
      case 0: return sign() | number(one - 4 + random.below(9));  // close to one another
      case 1: return number(one);                                 // all of one sign: no error cancels
      case 2: return sign() | number(one - 2 + random.below(5));  // made to cancel, below
      case 3: return sign() | number(random.below(last + 1));     // any size
      case 4:
        return sign() | number(random.below(3) / 2);  // subnormal, and hardly not
      // As large as may be while the sum of magnitudes has a last place.
      case 5: return sign() | number(last - uint32_t(std::bit_width(count)) - random.below(2));
      case 6: return sign() | number(last - random.below(3));  // any few of them are too large
      case 7: return sign() | (random.below(4) == 0 ? 0 : number(one));
    }
    std::unreachable();  // kind < kElementKinds
  };
  std::vector<uint32_t> out(count);
  for (uint32_t& x : out) x = element();
  if (kind == 2) {
    for (uint32_t k = 0; k + 1 < count; k += 2) out[k + 1] = out[k] ^ f.sign_bit();
    if (count > 2 && random.below(2) == 0) out[count - 1] = number(one - f.fraction_bits);
    for (uint32_t k = count; k > 1; --k) std::swap(out[k - 1], out[random.below(k)]);
  }
  if (kind == 7 && count != 0) {
    const uint32_t nan = f.infinity() | (1 + random.below(f.fraction_mask())), infinity = f.infinity();
    const auto anywhere = [&]() -> uint32_t& { return out[random.below(count)]; };
    switch (random.below(6)) {
      case 0: anywhere() = infinity; break;
      case 1: anywhere() = infinity | f.sign_bit(); break;
      case 2: anywhere() = infinity, anywhere() = infinity | f.sign_bit(); break;
      case 3: anywhere() = sign() | nan; break;
      case 4: std::ranges::fill(out, f.sign_bit()); break;
      case 5: anywhere() = nan, anywhere() = infinity; break;
    }
  }
  return out;
}

std::vector<uint32_t> factors(DataType type, uint32_t count, uint32_t kind, RandomStream& random) {
  const FloatFormat f = spec::float_format(type);
  const uint32_t one = f.one() >> f.fraction_bits, last = (f.infinity() >> f.fraction_bits) - 1;
  const auto sign = [&] { return random.next() & f.sign_bit(); };
  const auto number = [&](uint32_t exponent) {
    return exponent << f.fraction_bits | (random.next() & f.fraction_mask());
  };
  // A number of exponent 1 to 2 * one - 2, and about its reciprocal: a product of pairs is near 1.
  const auto reciprocal = [&](uint32_t x) {
    const uint64_t whole = f.least_normal() | (x & f.fraction_mask());
    const uint64_t digits = (uint64_t{1} << (2 * f.fraction_bits + 1)) / whole;  // of 1/x, in [1, 2]
    const uint32_t exponent = 2 * one - 1 - (x >> f.fraction_bits);
    return (exponent << f.fraction_bits) + uint32_t(digits - f.least_normal());
  };
  const auto pairs = [&](uint32_t spread) {
    std::vector<uint32_t> out(count, f.one());
    for (uint32_t k = 0; k + 1 < count; k += 2) {
      out[k] = number(one - spread + random.below(2 * spread));
      out[k + 1] = reciprocal(out[k]);
    }
    return out;
  };
  const auto shuffle = [&](std::vector<uint32_t>& out) {
    for (uint32_t k = count; k > 1; --k) std::swap(out[k - 1], out[random.below(k)]);
  };
  std::vector<uint32_t> out;
  switch (kind) {
    case 0: out = pairs(3); break;  // close to one another
    case 1:                         // a little more than 1: no error cancels
      out.resize(count);
      for (uint32_t& x : out) x = f.one() + random.below(3);
      break;
    case 2: out = pairs(one - 2); break;  // any size
    case 3:                               // the large ones first, or the small ones
      out = pairs(one - 2);
      std::ranges::sort(out);
      if (random.below(2) == 0) std::ranges::reverse(out);
      break;
    case 4:  // with subnormal numbers, and as large ones as bring the product back to where numbers are
      out = pairs(3);
      for (uint32_t k = 0; k + 1 < count; k += 2) {
        if (random.below(4) != 0) continue;
        out[k] = 1 + random.below(f.fraction_mask());
        out[k + 1] = number(last - random.below(2));
        if (k + 3 < count) out[k + 2] = number(one + f.fraction_bits / 2), out[k + 3] = number(one - 1);
      }
      break;
    case 5:
    case 6:  // about the greatest, or the least number
      out = pairs(one - 2);
      if (count > 2) {
        out[0] = number(kind == 5 ? last - random.below(3) : 1 + random.below(2));
        out[1] = number(kind == 5 ? one + random.below(3) : one - random.below(f.fraction_bits + 3));
      }
      shuffle(out);
      break;
    case 7: out = pairs(4); break;
  }
  if (kind == 2) shuffle(out);
  for (uint32_t& x : out) x |= sign();
  if (kind == 7 && count != 0) {
    const uint32_t nan = f.infinity() | (1 + random.below(f.fraction_mask())), infinity = f.infinity();
    const auto anywhere = [&]() -> uint32_t& { return out[random.below(count)]; };
    switch (random.below(6)) {
      case 0: anywhere() = infinity | sign(); break;
      case 1: anywhere() = sign(); break;
      case 2: anywhere() = sign(), anywhere() = infinity | sign(); break;
      case 3: anywhere() = sign() | nan; break;
      case 4: std::ranges::fill(out, f.sign_bit()); break;
      case 5: anywhere() = nan, anywhere() = sign(); break;
    }
  }
  return out;
}

std::vector<Bytes> wanted_sums(const generate::ProgramCase& c) {
  std::vector<Bytes> out = c.buffers;
  const Reduction r = reduction_of(c.program);
  const Folded folded(c, r.type);
  Judge judge(r);
  for (size_t i = 0; i < out.back().size() / spec::info(r.type).bytes; ++i)
    put(out.back(), r.type, i, judge.judge(folded.of(i), 0).wanted);
  return out;
}

std::string settle_sums(const generate::ProgramCase& c, std::vector<Bytes>& after, Deviations& counted) {
  const Reduction r = reduction_of(c.program);
  const Folded folded(c, r.type);
  const std::vector<uint32_t> results = patterns(r.type, after.back());
  Deviations seen{.bound = kSumTolerance, .counts = std::vector<uint64_t>(kSumTolerance + 1)};
  std::string first;
  Judge judge(r);
  for (size_t i = 0; i < results.size(); ++i) {
    const auto judged = judge.judge(folded.of(i), results[i]);
    if (judged.off) seen.greatest = std::max(seen.greatest, *judged.off);
    if (judged.right) {
      ++seen.counts[*judged.off];
      put(after.back(), r.type, i, judged.wanted);
      continue;
    }
    ++seen.beyond;
    if (first.empty()) first = fmt::format("result {} {}", i, describe(judged, results[i], r));
  }
  add(counted, seen);
  return first;
}

}  // namespace vyre::verify
