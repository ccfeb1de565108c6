#include "lower/ranges.h"

#include <fmt/format.h>

#include "base/random.h"
#include "oracle.h"
#include "three_ways.h"

VYRE_ORACLE(Property, "no word that a program computes is outside of its range");

namespace vyre::lower {
namespace {

/// The kernel of a program that stores an expression over the ids, `i` of a loop and data of memory.
Kernel storing(const std::string& expression) {
  const std::string text = fmt::format(
      "program p(read x: u32 @0, read_write out: u32 @1, workgroup w: u32[48]) workgroup(8, 4, 1) {{\n"
      "  let at = (invocation_id.y * 8 + invocation_id.x) * 8;\n  let d = x[at];\n"
      "  for i in 0..8 {{ out[at + i] = {}; }}\n}}\n",
      expression);
  auto parsed = text::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return build(checked(std::move(*parsed)));
}
WordRange range_of_stored(const Kernel& kernel) {
  const std::vector<WordRange> ranges = word_ranges(kernel).words;
  for (const Inst& inst : kernel.insts) {
    if (inst.kind == InstKind::Store) return ranges[index(kernel.arg(inst, 1))];
  }
  return {};
}

std::string expression(RandomStream& random, uint32_t depth) {
  if (depth == 0 || random.chance(6)) {
    const char* const leaves[] = {"local_id.x", "local_id.y", "i", "d", "len(w)", "invocation_id.x"};
    if (random.chance(3)) return fmt::format("{}", random.chance(3) ? random.next() : random.below(70));
    return leaves[random.below(6)];
  }
  const char* const operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
  const std::string a = expression(random, depth - 1), b = expression(random, depth - 1);
  if (random.chance(9)) return fmt::format("select(d < 5, {}, {})", a, b);
  return fmt::format("({} {} {})", a, operators[random.below(10)], b);
}

TEST(Ranges, HoldWhatProgramsCompute) {
  RandomStream random(7, 1);
  size_t known = 0;
  for (int n = 0; n < 600; ++n) {
    const std::string text = expression(random, 3);
    const Kernel kernel = storing(text);
    const WordRange range = range_of_stored(kernel);
    known += range.most != UINT32_MAX || range.least != 0 ? 1 : 0;
    Words data(256);
    for (uint32_t& word : data) word = random.chance(2) ? random.next() : random.below(9);
    const auto run = run_kernel(kernel, {data, Words(256, 0)}, layout::Groups{});
    ASSERT_TRUE(run.has_value()) << text;
    for (const uint32_t word : (*run)[1]) {
      EXPECT_LE(range.least, word) << text;
      EXPECT_GE(range.most, word) << text;
    }
  }
  EXPECT_GT(known, 200u);
}

struct Row {
  const char* expression;
  uint32_t most;
};
constexpr Row kRows[] = {
    {"local_id.y * 8 + local_id.x", 31},
    {"(i & 1) * 1056 + i * 132 + (local_id.x >> 1) * 8 + 7", 1056 + 7 * 132 + 3 * 8 + 7},
    {"d % 48", 47},
    {"d >> 28 << 2 | 3", 63},
    {"local_id.x ^ 4", 7},
    {"len(w) - 1 - i", 47},
    {"i - 1", UINT32_MAX},
    {"d * 2", UINT32_MAX},
};
TEST(Ranges, OfIndicesAsTheyAreWritten) {
  VYRE_ORACLE(SpecificationTable, "the ranges of indices as people write them, by hand");
  for (const Row& row : kRows) {
    EXPECT_EQ(range_of_stored(storing(row.expression)).most, row.most) << row.expression;
  }
}

struct Guarded {
  const char* text;
  bool inside;  // the last access
};
constexpr Guarded kGuarded[] = {
    {"if (len(x) >= 64 && workgroup_id.x < 8) { out[0] = x[invocation_id.x]; }", true},
    {"if (workgroup_id.x < 8 && (len(out) > 1 && 63 < len(x))) { out[0] = x[invocation_id.x]; }", true},
    {"if (len(x) >= 64 && workgroup_id.x < 9) { out[0] = x[invocation_id.x]; }", false},
    {"if (len(x) >= 63 && workgroup_id.x < 8) { out[0] = x[invocation_id.x]; }", false},
    {"if (len(x) >= 64 || workgroup_id.x < 8) { out[0] = x[local_id.x]; }", false},
    {"if (len(x) >= 64) { out[0] = 1; } else { out[0] = x[local_id.x]; }", false},
    {"if (len(x) >= 64) { out[0] = 1; } out[0] = x[local_id.x];", false},
    {"if (len(x) >= 64) { let i = x[63]; if (i <= 63) { out[0] = x[i]; } }", true},
    {"if (len(x) >= 64) { let i = x[63]; if (i <= 64) { out[0] = x[i]; } }", false},
    {"if (len(x) >= 64) { let i = out[0]; out[0] = x[select(i < 64, i, 5)]; }", true},
    {"if (len(x) >= 64) { let i = out[0]; out[0] = x[select(i < 64, 5, i)]; }", false},
};
TEST(Ranges, OfBuffersWhoseLengthsAreAskedFor) {
  VYRE_ORACLE(SpecificationTable, "which accesses lie inside of what was asked for, by hand");
  for (const Guarded& row : kGuarded) {
    const std::string text = fmt::format(
        "program p(read x: u32 @0, read_write out: u32 @1) workgroup(8, 1, 1) {{\n  {}\n}}\n", row.text);
    auto parsed = text::parse(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    const Kernel kernel = build(checked(std::move(*parsed)));
    const KnownRanges ranges = word_ranges(kernel);
    bool inside = false;
    for (uint32_t v = 0; v < kernel.insts.size(); ++v) {
      const Inst& inst = kernel.insts[v];
      if (inst.kind == InstKind::Load && kernel.buffers[inst.target].name == "x") inside = ranges.inside[v];
    }
    EXPECT_EQ(inside, row.inside) << row.text;
  }
}

}  // namespace
}  // namespace vyre::lower
