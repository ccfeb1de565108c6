#include "lower/neighbours.h"

#include <fmt/format.h>

#include "oracle.h"
#include "text/text.h"
#include "three_ways.h"

VYRE_ORACLE(SpecificationTable, "which accesses can be one of sixteen bytes, by hand");

namespace vyre::lower {
namespace {

/// The legal kernel of a body over a buffer, an array of workgroup memory and one of unknown length.
Kernel legal_of(const std::string& body) {
  const std::string program = fmt::format(
      "program p(read x: f32 @0, read_write out: f32 @1, read_write at: u32 @2, workgroup w: f32[64], "
      "workgroup "
      "odd: f32[63])"
      " workgroup(8, 2, 1) {{\n  let l = local_id.x;\n  let d = at[0];\n  let s = 0.0;\n  {}\n  out[d] = "
      "s;\n}}\n",
      body);
  auto parsed = text::parse(program);
  EXPECT_TRUE(parsed.has_value()) << program;
  Target target{
      .name = "fours", .load_guard = GuardForm::Select, .folds_constants = true, .floats = kIeeeFloats};
  return legalize(build(checked(std::move(*parsed))), target);
}

struct Four {
  const char* body;
  size_t fours;
};
constexpr Four kFours[] = {
    {"s = w[l * 4] + w[l * 4 + 1] + w[l * 4 + 2] + w[l * 4 + 3];", 1},
    {"let a = l * 8; s = w[a + 4] + w[a + 5] + w[a + 6] + w[a + 7];", 1},
    {"let a = (l & 3) << 2; w[a] = s; w[a + 1] = s; w[a + 2] = s; w[a + 3] = s;", 1},
    // From another than a multiple of four; three; the fourth somewhere else; of what has an odd length.
    {"s = w[l * 4 + 1] + w[l * 4 + 2] + w[l * 4 + 3] + w[(l * 4 + 4) & 63];", 0},
    {"s = w[l * 2] + w[l * 2 + 1] + w[l * 2 + 2] + w[l * 2 + 3];", 0},
    {"s = w[l * 4] + w[l * 4 + 1] + w[l * 4 + 2];", 0},
    {"s = w[l * 4] + w[l * 4 + 1] + w[l * 4 + 2] + w[local_id.y * 4 + 3];", 0},
    {"s = odd[l * 4] + odd[l * 4 + 1] + odd[l * 4 + 2] + odd[l * 4 + 3];", 0},
    // A store between them that may be to one of them, to none of them, to another array; a barrier.
    {"s = w[l * 4] + w[l * 4 + 1]; w[d & 63] = s; s = s + w[l * 4 + 2] + w[l * 4 + 3];", 0},
    {"s = w[l * 4] + w[l * 4 + 1]; w[l * 4 + 8] = s; s = s + w[l * 4 + 2] + w[l * 4 + 3];", 1},
    {"s = w[l * 4] + w[l * 4 + 1]; odd[d % 63] = s; s = s + w[l * 4 + 2] + w[l * 4 + 3];", 1},
    {"s = w[l * 4] + w[l * 4 + 1]; barrier; s = s + w[l * 4 + 2] + w[l * 4 + 3];", 0},
    // Buffers, where a condition says that they are long enough.
    {"if (len(x) >= 32) { let a = l * 4; s = x[a] + x[a + 1] + x[a + 2] + x[a + 3]; }", 1},
    {"if (len(x) >= 31) { let a = l * 4; s = x[a] + x[a + 1] + x[a + 2] + x[a + 3]; }", 0},
    {"if (l * 4 + 2 < len(x)) { let a = l * 4; s = x[a] + x[a + 1] + x[a + 2] + x[a + 3]; }", 0},
    {"if (d + 3 < len(x)) { let a = d * 4; s = x[a] + x[a + 1] + x[a + 2] + x[a + 3]; }", 0},
    // More of them one by one than in fours.
    {"s = w[l * 4] + w[l * 4 + 1] + w[l * 4 + 2] + w[l * 4 + 3]; for i in 0..9 { s = s + w[i]; }", 0},
};

TEST(Neighbours, AreThoseThatFollowFromAMultipleOfFour) {
  for (const Four& row : kFours) {
    const Kernel kernel = legal_of(row.body);
    const Neighbours found = find_neighbours(kernel);
    EXPECT_EQ(found.at.size(), row.fours) << row.body << '\n' << print(kernel);
    EXPECT_EQ(found.joined.size(), 4 * row.fours) << row.body;
  }
}

}  // namespace
}  // namespace vyre::lower
