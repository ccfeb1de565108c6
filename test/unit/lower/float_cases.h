// Operators on floats as kernels, and operands that decide something.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/random.h"
#include "lower/spirv/float_promises.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "three_ways.h"

namespace vyre::lower {

/// What kinds of Vulkan devices promise: nothing but f32 without subnormals; and besides...
struct VulkanKind {
  bool wide = false, half = false, subnormals = false, fused = false, unasked = false;
};
inline FloatPromises vulkan_floats(const VulkanKind& kind) {
  const auto modes = [](bool given, bool subnormals) {
    return VulkanFloatModes{
        .arithmetic = given, .round_to_even = given, .keep_special = given, .keep_subnormals = subnormals};
  };
  return vulkan_promises({.half = modes(kind.half, true),
                          .single = modes(true, kind.subnormals),
                          .wide = modes(kind.wide, false),
                          .independent = true,
                          .fused = kind.fused,
                          .keeps_unasked = kind.unasked});
}

/// Targets by what they promise of floats; everything else is the same.
inline const std::vector<Target>& float_targets() {
  static const std::vector<Target> all = {
      {.name = "none", .floats = kNoFloats},
      {.name = "ieee", .floats = kIeeeFloats},
      {.name = "ieee-bfloat", .floats = kIeeeFloatsWithBfloat},
      {.name = "flush", .workgroup_bytes = 1024, .floats = kFlushingFloats},
      {.name = "loose-division", .workgroup_bytes = 1024, .floats = kLooseDivisionFloats},
      {.name = "unfused", .floats = kUnfusedFloats},
      {.name = "vulkan", .workgroup_bytes = 1024, .floats = vulkan_floats({})},
      {.name = "vulkan-wide", .floats = vulkan_floats({.wide = true})},
      {.name = "vulkan-wide-half", .floats = vulkan_floats({.wide = true, .half = true})},
      {.name = "vulkan-fused",
       .workgroup_bytes = 1024,
       .floats = vulkan_floats({.wide = true, .fused = true})},
      {.name = "vulkan-fused-unasked",
       .workgroup_bytes = 1024,
       .floats = vulkan_floats({.wide = true, .half = true, .fused = true, .unasked = true})},
      {.name = "vulkan-subnormals", .floats = vulkan_floats({.wide = true, .subnormals = true})},
  };
  return all;
}

inline void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

/// One application: an operator, or a cast.
struct Application {
  spec::Op op{};
  spec::DataType type{};    // of the operands
  spec::DataType result{};  // what comes out
  spec::RoundingMode mode = spec::RoundingMode::None;
  uint32_t operands = 1;

  std::string name() const {
    return std::string(spec::mnemonic(op)) + " " + std::string(spec::text(type)) + " to " +
           std::string(spec::text(result)) + " " + std::string(spec::text(mode));
  }
};

/// Which operand of a select is one of these NaNs, as a constant: what src/lower/nan.cpp writes.
inline std::optional<uint32_t> nan_of_select(const Kernel& kernel, const Inst& inst,
                                             std::initializer_list<uint32_t> nans) {
  if (inst.kind != InstKind::Raw || inst.raw != RawOp::Select) return std::nullopt;
  for (const uint32_t n : {1u, 2u}) {
    const Inst& chosen = kernel[kernel.arg(inst, n)];
    if (chosen.kind == InstKind::Const && std::ranges::find(nans, chosen.imm) != nans.end()) return n;
  }
  return std::nullopt;
}

/// out[i] = op(a[i], b[i], c[i])
inline Kernel kernel_of(const Application& a, uint32_t workgroup) {
  return kernel_applying({.op = a.op, .type = a.result, .operand_type = a.type, .mode = a.mode},
                         std::vector(a.operands, a.type), workgroup);
}

/// Numbers at every edge that a rule knows: of the format, of its guards, of integers, of what is rounded.
inline std::vector<uint32_t> float_edges(spec::FloatFormat f) {
  const uint32_t one_place = f.least_normal();
  const auto power = [&](int32_t e) { return uint32_t(e + f.bias()) << f.fraction_bits; };
  std::vector<uint32_t> out = {0,
                               1,
                               2,
                               3,
                               one_place / 2,
                               one_place - 1,
                               one_place,
                               one_place + 1,
                               2 * one_place - 1,
                               2 * one_place,
                               3 * one_place + 1,
                               f.one() - 1,
                               f.one(),
                               f.one() + 1,
                               f.one() | one_place / 2,
                               f.greatest() - 1,
                               f.greatest(),
                               f.infinity(),
                               f.nan(),
                               f.infinity() + 1,
                               f.infinity() | f.fraction_mask(),
                               f.nan() + 1};
  const auto around = [&](int32_t e) {
    if (e <= f.min_exponent() || e > f.max_exponent()) return;
    for (const uint32_t bits : {power(e) - 1, power(e), power(e) + 1, power(e) | one_place / 2})
      out.push_back(bits);
  };
  for (const int32_t e : {-1, 1, int32_t(f.fraction_bits) - 1, int32_t(f.fraction_bits), 31, 32, 63, -101,
                          -102, -77, -63, -25, -24, f.min_exponent() + int32_t(f.fraction_bits), 64, 100}) {
    around(e);
  }
  const size_t positive = out.size();
  for (size_t n = 0; n < positive; ++n) out.push_back(out[n] | f.sign_bit());
  return out;
}

/// Operands, by column; drawn so that exponents meet: close together, at a guard, far apart.
class OperandSource {
 public:
  OperandSource(spec::DataType type, uint64_t seed) : type_(type), random_(seed, uint64_t(type)) {
    if (spec::kFloats.contains(type)) {
      edges_ = float_edges(format());
    } else {
      edges_ = {0, 1, 2, 3, 255, 256, 257, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe};
      for (uint32_t b = 7; b < 32; ++b) {
        for (const uint32_t more : {0u, 1u, 3u}) {
          const uint32_t bit = 1u << b, tie = b > 24 ? 1u << (b - 24) : 1;
          for (const uint32_t word : {bit - more, bit + more, bit | tie * more, 0 - bit - more})
            edges_.push_back(word);
        }
      }
    }
  }
  const std::vector<uint32_t>& edges() const { return edges_; }

  uint32_t next() {
    if (!spec::kFloats.contains(type_)) {
      const uint32_t noise = random_.next();
      return random_.chance(2) ? edges_[random_.below(uint32_t(edges_.size()))] : noise >> random_.below(32);
    }
    const spec::FloatFormat f = format();
    if (random_.chance(4)) return edges_[random_.below(uint32_t(edges_.size()))];
    const uint32_t noise = random_.next() & f.mask();
    if (random_.chance(3)) return noise;
    // Near another operand's exponent, or where results are about to be subnormal; short fractions make ties.
    if (random_.chance(3)) exponent_ = random_.below(2u << (f.exponent_bits - 1));
    const int32_t near = int32_t(exponent_) + int32_t(random_.below(5)) - 2;
    const uint32_t exponent = uint32_t(near) & ((1u << f.exponent_bits) - 1);
    const uint32_t fraction = noise & f.fraction_mask();
    const uint32_t kept = random_.chance(2) ? fraction : fraction & ~0u << random_.below(f.fraction_bits);
    return (noise & f.sign_bit()) | exponent << f.fraction_bits | (kept & f.fraction_mask());
  }

 private:
  spec::FloatFormat format() const { return spec::float_format(type_); }
  spec::DataType type_;
  RandomStream random_;
  std::vector<uint32_t> edges_;
  uint32_t exponent_ = 1;
};

/// Words as elements of a type; of u64, the second word is the first one's complement in every other element.
inline std::vector<std::byte> elements_of(spec::DataType type, const Words& words) {
  std::vector<std::byte> out;
  const auto append = [&](uint32_t word, uint32_t count) {
    for (uint32_t b = 0; b < count; ++b) out.push_back(std::byte(word >> (8 * b)));
  };
  const uint32_t bytes = spec::info(type).bytes;
  for (size_t n = 0; n < words.size(); ++n) {
    append(words[n], std::min(bytes, 4u));
    if (bytes > 4) append(n % 2 == 0 ? words[words.size() - 1 - n] : n % 3 == 0 ? ~words[n] : 0, bytes - 4);
  }
  return out;
}

/// Invocations of a workgroup in the kernels of one application.
inline constexpr uint32_t kWorkgroup = 256;

/// Columns of operands: edges with edges, then drawn.
inline std::vector<Words> operands_of(const Application& a, uint32_t drawn) {
  OperandSource source(a.type, 7 + uint64_t(a.op));
  std::vector<Words> columns(a.operands);
  const std::vector<uint32_t>& edges = source.edges();
  const size_t rows = a.operands == 1 ? 1 : edges.size();
  for (size_t n = 0; n < rows; ++n) {
    for (size_t m = 0; m < edges.size(); ++m) {
      columns[0].push_back(edges[m]);
      if (a.operands > 1) columns[1].push_back(edges[n]);
      if (a.operands > 2) columns[2].push_back(edges[(n * 5 + m * 11 + n * m) % edges.size()]);
    }
  }
  for (uint32_t n = 0; n < drawn; ++n) {
    for (Words& column : columns) column.push_back(source.next());
  }
  return columns;
}

struct Run {
  Memories memory;
  layout::Groups groups;
};
inline Run run_of(const Application& a, const std::vector<Words>& columns) {
  Run out;
  for (const Words& column : columns) out.memory.push_back(elements_of(a.type, column));
  const size_t count = columns[0].size();
  out.memory.emplace_back(count * spec::info(a.result).bytes, std::byte{0x5a});
  out.groups.x = uint32_t((count + kWorkgroup - 1) / kWorkgroup);
  return out;
}

/// How many raw float operators an invocation runs in any case.
inline uint64_t float_operators(const Kernel& legal) {
  uint64_t count = 0;
  for (const Value v : legal.block(legal.entry)) {
    const Inst& inst = legal[v];
    count += inst.kind == InstKind::Raw && info(inst.raw).is_float ? 1 : 0;
  }
  return count;
}

}  // namespace vyre::lower
