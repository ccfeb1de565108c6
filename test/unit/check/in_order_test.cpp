// What is parsed and what is decoded has its expressions in order of evaluation, which makes checking quick;
// what stands in another order is checked by walking its trees. Both must know the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/body.h"
#include "oracle.h"
#include "text/text.h"
#include "wire/wire.h"

VYRE_ORACLE(Property, "the rules, which the walk asks of every expression");

namespace vyre::check {
namespace {

constexpr const char* kProgram = R"(program p(read a: u32 @0, read_write b: u32 @1, uniform c: u32 @2,
    read_write t: tensor<f32, [n = c[0], 4]> @3, workgroup w: i32[8]) workgroup(8, 1, 1) {
  let x = a[invocation_id.x & 7] + 3 * (c[1] ^ ~c[2]);
  let y = select(x < 4 && 2 >= x, cast<i32>(x), -5i32) >> (x & 31);
  if (x == len(a)) { t[x, c[0] % 4] = t[0, 1]; } else { w[local_id.x] = y + w[0]; }
  for k in c[0]..c[1] + 1 { let wide = 5u64 * cast<u64>(k); b[k] = cast<u32>(wide >> 3) + atomic_add(b[0], x); }
  let turned = ~a[x & 3];
  b[1] = turned + vec2u32(x, 1).y;
})";

ir::Program parsed() {
  auto program = text::parse(kProgram);
  if (!program) throw std::logic_error(render(program.error(), nullptr));
  return *std::move(program);
}

/// The same program, each tree the other way round: the last operand first.
ir::Program reversed(const ir::Program& from) {
  ir::Program to = from;
  const uint32_t count = uint32_t(from.code.exprs.size());
  std::vector<uint32_t> place(count);
  const auto put = [&](const auto& self, ir::ExprId id, uint32_t& next) -> void {
    const auto operands = from.code.args(from.code[id]);
    for (size_t i = operands.size(); i-- > 0;) self(self, operands[i], next);
    place[ir::index(id)] = next++;
  };
  uint32_t next = 0;
  for (uint32_t i = 0; i < from.code.nodes.size(); ++i) {
    const ir::Node node = from.code.nodes[i];
    const auto operands = from.code.args(node);
    for (size_t k = operands.size(); k-- > 0;) put(put, operands[k], next);
  }
  EXPECT_EQ(next, count);
  for (uint32_t i = 0; i < count; ++i) {
    to.code.exprs[place[i]] = from.code.exprs[i];
    to.code.expr_spans[place[i]] = from.code.expr_spans[i];
  }
  for (ir::ExprId& id : to.code.expr_list) id = ir::ExprId{place[ir::index(id)]};
  return to;
}

BodyResult checked(const ir::Program& program) {
  static const spec::OpTable kNone;
  Report report;
  BodyResult result =
      check_body({program.code, program.entry, kNone, program.buffers, program.tensors}, report);
  EXPECT_TRUE(report.empty());
  return result;
}

TEST(InOrder, WhatIsParsedOrDecoded) {
  VYRE_ORACLE(SpecificationTable, "docs/adr/0010");
  const ir::Program program = parsed();
  EXPECT_TRUE(checked(program).in_order);
  const auto decoded = wire::decode(wire::encode(program));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_TRUE(checked(*decoded).in_order);
}

TEST(InOrder, KnowsWhatTheWalkKnows) {
  const ir::Program program = parsed(), other = reversed(program);
  ASSERT_TRUE(ir::equal(program, other));
  const BodyResult quick = checked(program), walked = checked(other);
  EXPECT_TRUE(quick.in_order);
  EXPECT_FALSE(walked.in_order);
  EXPECT_EQ(quick.size, walked.size);
  EXPECT_EQ(quick.resolution.node_target, walked.resolution.node_target);
  ASSERT_EQ(quick.resolution.types.size(), walked.resolution.types.size());
  const auto list = [](const ir::Program& p, const BodyResult& body) {
    std::vector<std::string> out;
    for (uint32_t i = 0; i < p.code.exprs.size(); ++i) {
      const Span span = p.code.span(ir::ExprId{i});
      out.push_back(std::to_string(span.begin) + " " + std::to_string(span.end) + " " +
                    std::to_string(int(p.code.exprs[i].kind)) + ": " +
                    std::string(spec::text(body.resolution.types[i])) + " " +
                    std::to_string(body.resolution.expr_target[i]));
    }
    std::ranges::sort(out);
    return out;
  };
  EXPECT_EQ(list(program, quick), list(other, walked));
}

}  // namespace
}  // namespace vyre::check
