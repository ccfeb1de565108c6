// Programs that no text can say: from hostile wire bytes or put together by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/random.h"
#include "check/checked.h"
#include "ir/builder.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "ir.h, text-format, \"Names\" and \"Vectors\", and ir-types, \"DataType\"; counts of diagnostics "
            "by hand");

namespace vyre::check {
namespace {

using ir::Ex;
using ir::Expr;
using ir::ExprKind;
using ir::Node;
using ir::NodeKind;
using ir::ProgramBuilder;
using spec::Op;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> codes_of(ir::Program program) {
  const auto checked = check(std::move(program), spec::OpTable());
  std::vector<std::string> out;
  if (checked) return out;
  for (const Diag& diag : checked.error()) {
    EXPECT_FALSE(diag.span.known());
    EXPECT_FALSE(diag.message.empty());
    out.emplace_back(diag_info(diag.code).name);
  }
  return out;
}

/// A program of one let whose value is `expr` over these operands.
ir::Program of_expression(Expr expr, uint32_t operands, const std::string& symbol = {}) {
  ProgramBuilder p("p");
  p.read_write("out", DataType::U32, 0);
  ir::Code& code = p.code();
  std::vector<ExprId> ids;
  for (uint32_t i = 0; i < operands; ++i) ids.push_back(p.u32(1).id());
  if (!symbol.empty()) expr.symbol = code.intern(symbol);
  const ExprId value = code.add(expr, ids, Span::none());
  const NodeId let =
      code.add({.kind = NodeKind::Let, .symbol = code.intern("x")}, std::vector<ExprId>{value}, Span::none());
  ir::Program program = p.finish();
  program.entry = program.code.add_block(std::vector<NodeId>{let});
  return program;
}

ir::Program of_statement(Node node, uint32_t operands) {
  ProgramBuilder p("p");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.let("x", p.u32(1));
  std::vector<ExprId> ids;
  for (uint32_t i = 0; i < operands; ++i) ids.push_back(p.u32(1).id());
  if (node.kind == NodeKind::Store && node.symbol == ir::kNoSymbol) node.symbol = out.name;
  p.code().add(node, ids, Span::none());
  ir::Program program = p.finish();
  program.entry = program.code.add_block(std::vector<NodeId>{NodeId{0}, NodeId{1}});
  return program;
}

TEST(Malformed, ExpressionsOfTheWrongShape) {
  const Expr add{.kind = ExprKind::Apply, .op = Op::Add};
  EXPECT_THAT(codes_of(of_expression(add, 2)), ElementsAre());
  for (const uint32_t operands : {0u, 1u, 3u})
    EXPECT_THAT(codes_of(of_expression(add, operands)), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::Select}, 2)), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::Cast, .type = DataType::I32}, 2)),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::AtomicAdd}, 2, "out")),
              ElementsAre());
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::AtomicAdd}, 3, "out")),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Load}, 1, "out")), ElementsAre());
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Load}, 0, "out")), ElementsAre("V033"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Load}, 2, "out")), ElementsAre("V033"));
  const Expr reduction{
      .kind = ExprKind::Apply, .op = Op::FReduceStrict, .immediate = spec::info(Op::FAdd).wire_tag};
  EXPECT_THAT(codes_of(of_expression(reduction, 1, "out")), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression(reduction, 3, "out")), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression(reduction, 2, "out")), ElementsAre("V042"));  // of u32
  for (const uint32_t tag : {0u, 0x40u, 0x10029u, ~0u}) {
    Expr other = reduction;
    other.immediate = tag;
    EXPECT_THAT(codes_of(of_expression(other, 0, "out")), ElementsAre("V041", "V042")) << tag;
  }
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Literal}, 1)), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::BufLen}, 1, "out")), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Var}, 0)), ElementsAre("V003"));  // no name at all
}

TEST(Malformed, FieldsThatAreNotUsed) {
  VYRE_ORACLE(
      Property,
      "ir.h: fields that a kind does not have are left alone, so that equal programs have equal bytes");
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::BufLen, .immediate = 1}, 0, "out")),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Literal, .op = Op::Call}, 0)), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Literal}, 0, "out")), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::Add, .type = DataType::I32}, 2)),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression(
                  {.kind = ExprKind::Apply, .op = Op::Bitcast, .mode = spec::RoundingMode::Trunc}, 1)),
              ElementsAre("V036"));
  ProgramBuilder p("p");
  p.read("a", DataType::U32, 0);
  p.workgroup("w", DataType::U32, 4);
  ir::Program program = p.finish();
  program.buffers[0].count = 1;
  program.buffers[1].binding = 7;
  EXPECT_THAT(codes_of(std::move(program)), ElementsAre("V036", "V036"));
}

TEST(Malformed, StatementsOfTheWrongShape) {
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Store}, 2)), ElementsAre());
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Store}, 0)), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Store}, 1)), ElementsAre("V033"));
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Store}, 3)), ElementsAre("V033"));
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::If}, 1)), ElementsAre("V036"));     // no block
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Block}, 0)), ElementsAre("V036"));  // no block
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Return}, 1)), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Barrier, .symbol = ir::Symbol{0}}, 0)),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Let}, 1)), ElementsAre("V031"));  // no name
}

TEST(Malformed, NotATree) {
  {
    ProgramBuilder p("p");
    const Ex one = p.u32(1);
    const ExprId shared = p.code().add({.kind = ExprKind::Apply, .op = Op::Add},
                                       std::vector<ExprId>{one.id(), one.id()}, Span::none());
    p.code().add({.kind = NodeKind::Let, .symbol = p.code().intern("x")}, std::vector<ExprId>{shared},
                 Span::none());
    ir::Program program = p.finish();
    program.entry = program.code.add_block(std::vector<NodeId>{NodeId{0}});
    EXPECT_THAT(codes_of(std::move(program)), ElementsAre("V036"));
  }
  {
    ProgramBuilder p("p");
    p.let("x", ~p.u32(1));
    ir::Program program = p.finish();
    program.code.expr_list[0] = ExprId{1};  // the ~ is its own operand
    EXPECT_THAT(codes_of(std::move(program)), ElementsAre("V036"));
  }
  {
    ProgramBuilder p("p");
    p.barrier();
    p.block([&] { p.return_(); });
    ir::Program program = p.finish();
    program.code.nodes.set(2, {.kind = NodeKind::Block, .body = program.entry});  // a block inside itself
    EXPECT_THAT(codes_of(std::move(program)), ElementsAre("V036", "V036"));
  }
  {
    ProgramBuilder p("p");
    ir::Program program = p.finish();
    program.entry = ir::kNoBlock;
    EXPECT_THAT(codes_of(std::move(program)), ElementsAre("V036"));
  }
}

TEST(Malformed, NamesThatTextCannotSay) {
  const std::vector<std::string> bad = {"",    "1a",  "a b", "a.b",      std::string("a\0b", 3),   "\xff\xfe",
                                        "für", "let", "u32", "local_id", std::string(1 << 20, '-')};
  for (const std::string& name : bad) {
    EXPECT_THAT(codes_of(ProgramBuilder(name).finish()), ElementsAre("V031")) << name.substr(0, 10);
    ProgramBuilder p("p");
    p.read(name, DataType::U32, 0);
    EXPECT_THAT(codes_of(p.finish()), ElementsAre("V031"));
    ProgramBuilder q("q");
    q.let(name, q.u32(1));
    EXPECT_THAT(codes_of(q.finish()), ElementsAre("V031"));
    ProgramBuilder r("r");
    r.loop(name, r.u32(0), r.u32(1), [](Ex) {});
    EXPECT_THAT(codes_of(r.finish()), ElementsAre("V031"));
  }
  ProgramBuilder good("add");  // mnemonics are not reserved
  good.let("_0", good.u32(1));
  good.let("popcount", good.u32(1));
  EXPECT_THAT(codes_of(good.finish()), ElementsAre());
}

TEST(Malformed, NamesAreEscapedInMessages) {
  // A message is printable ASCII and short, whatever the name was.
  ProgramBuilder p("p");
  p.let("x", p.var(std::string("a\n\x1b[31m`\\\xc3") + std::string(1000, 'z')));
  const auto checked = check(p.finish(), spec::OpTable());
  ASSERT_FALSE(checked.has_value());
  const std::string& message = checked.error()[0].message;
  EXPECT_THAT(message, HasSubstr("a\\x0a\\x1b[31m\\x60\\x5c\\xc3zz"));
  EXPECT_LT(message.size(), 150u);
}

// covers: PS-07
TEST(Malformed, TypesAndLiterals) {
  const auto let = [](auto value) {
    ProgramBuilder p("p");
    p.let("x", value(p));
    return codes_of(p.finish());
  };
  using P = ProgramBuilder;
  using Words = std::array<uint32_t, 4>;
  const auto literal = [&](DataType type, Words words) {
    return let([&](P& p) { return p.literal(type, words); });
  };
  for (const DataType type : {DataType::U32, DataType::I32, DataType::F32}) {
    EXPECT_THAT(literal(type, {UINT32_MAX, 0, 0, 0}), ElementsAre());
  }
  EXPECT_THAT(literal(DataType::Bool, {1, 0, 0, 0}), ElementsAre());
  EXPECT_THAT(literal(DataType::Bool, {2, 0, 0, 0}), ElementsAre("V034"));
  EXPECT_THAT(literal(DataType::Bool, {UINT32_MAX, 0, 0, 0}), ElementsAre("V034"));
  for (const DataType type : {DataType::F16, DataType::BF16}) {
    EXPECT_THAT(literal(type, {0xffff, 0, 0, 0}), ElementsAre());
    EXPECT_THAT(literal(type, {0x10000, 0, 0, 0}), ElementsAre("V034"));
  }
  EXPECT_THAT(literal(DataType::U64, {UINT32_MAX, UINT32_MAX, 0, 0}), ElementsAre());
  EXPECT_THAT(literal(DataType::U64, {0, 0, 1, 0}), ElementsAre("V034"));
  EXPECT_THAT(literal(DataType::U64, {0, 0, 0, 1}), ElementsAre("V034"));
  EXPECT_THAT(literal(DataType::U128, {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}), ElementsAre());
  // A vector is made of its components: its literal could not be written in text.
  EXPECT_THAT(literal(DataType::Vec2U32, {1, 2, 0, 0}), ElementsAre("V034"));
  EXPECT_THAT(literal(DataType::Vec4U32, {1, 2, 3, 4}), ElementsAre("V034"));
  EXPECT_THAT(literal(DataType::Bytes, {}), ElementsAre("V025"));
  EXPECT_THAT(literal(DataType::Tensor, {}), ElementsAre("V025"));
  EXPECT_THAT(let([](P& p) { return p.cast(DataType::Tensor, p.u32(1)); }), ElementsAre("V026"));
  EXPECT_THAT(let([](P& p) { return p.bitcast(DataType::Bytes, p.u32(1)); }), ElementsAre("V028"));
  EXPECT_THAT(let([](P& p) { return p.local_id(2); }), ElementsAre());
  EXPECT_THAT(let([](P& p) { return p.local_id(3); }), ElementsAre("V016"));
  EXPECT_THAT(let([](P& p) { return p.workgroup_id(UINT32_MAX); }), ElementsAre("V016"));
  EXPECT_THAT(let([](P& p) { return p.invocation_id(3) + p.local_id(4); }), ElementsAre("V016", "V016"));
  EXPECT_THAT(let([](P& p) { return p.num_workgroups(2); }), ElementsAre());
  EXPECT_THAT(let([](P& p) { return p.num_workgroups(3); }), ElementsAre("V016"));
}

TEST(Malformed, GroupCountsWhereTheirNameIsAnothers) {
  // Text reads the name as what is declared, so it could not write such a program (semantics, "Additions").
  ProgramBuilder p("p");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.store(out, p.u32(0), p.num_workgroups(0));
  p.block([&] {
    p.let("num_workgroups", p.num_workgroups(0));
    p.store(out, p.u32(1), p.num_workgroups(1));  // V062
  });
  p.loop("num_workgroups", p.num_workgroups(0), p.u32(9), [&](Ex) {
    p.store(out, p.num_workgroups(2), p.u32(0));  // V062
  });
  p.store(out, p.u32(2), p.num_workgroups(0));
  EXPECT_THAT(codes_of(p.finish()), ElementsAre("V062", "V062"));
  ProgramBuilder q("q");
  const auto named = q.read_write("num_workgroups", DataType::U32, 0);
  q.store(named, q.u32(0), q.num_workgroups(0));
  EXPECT_THAT(codes_of(q.finish()), ElementsAre("V062"));
}

TEST(Malformed, HintsOfWhatIsNoLoop) {
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Barrier, .unroll = true}, 0)), ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_statement({.kind = NodeKind::Return, .unroll = true}, 0)), ElementsAre("V036"));
}

TEST(Malformed, PrivateArrays) {
  // A private array has a count and no binding (ir.h, "BufferDecl").
  const auto changed = [](auto change) {
    ProgramBuilder p("p");
    p.private_("a", DataType::U32, 4);
    ir::Program program = p.finish();
    change(program.buffers[0]);
    return codes_of(std::move(program));
  };
  using Decl = ir::BufferDecl;
  EXPECT_THAT(changed([](Decl&) {}), ElementsAre());
  EXPECT_THAT(changed([](Decl& d) { d.binding = 1; }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Decl& d) { d.count = 0; }), ElementsAre("V063"));
  EXPECT_THAT(changed([](Decl& d) { d.count = 16384; }), ElementsAre());
  EXPECT_THAT(changed([](Decl& d) { d.count = 16385; }), ElementsAre("V063"));
  EXPECT_THAT(changed([](Decl& d) { d.count = UINT32_MAX; }), ElementsAre("V063"));
  EXPECT_THAT(changed([](Decl& d) { d.element = DataType::Bytes; }), ElementsAre("V025"));
}

TEST(Malformed, WideLiteralsWithoutTheirBits) {
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Literal, .type = DataType::U64}, 0)),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression(
                  {.kind = ExprKind::Literal, .type = DataType::U128, .immediate = UINT32_MAX}, 0)),
              ElementsAre("V036"));
}

TEST(Malformed, VectorsAndComponents) {
  const auto take = [](DataType type, uint32_t which) {
    ProgramBuilder p("p");
    const auto buffer = p.read("a", type, 0);
    p.let("x", p.component(p.load(buffer, p.u32(0)), which) + 1);
    return codes_of(p.finish());
  };
  EXPECT_THAT(take(DataType::Vec2U32, 1), ElementsAre());
  EXPECT_THAT(take(DataType::Vec2U32, 2), ElementsAre("V039"));
  EXPECT_THAT(take(DataType::Vec4U32, 3), ElementsAre());
  EXPECT_THAT(take(DataType::Vec4U32, 4), ElementsAre("V039"));
  EXPECT_THAT(take(DataType::Vec4U32, UINT32_MAX), ElementsAre("V039"));
  EXPECT_THAT(take(DataType::U64, 0), ElementsAre("V039"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::MakeVec2U32}, 2)), ElementsAre());
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::MakeVec2U32}, 3)),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::MakeVec4U32}, 2)),
              ElementsAre("V036"));
  EXPECT_THAT(codes_of(of_expression({.kind = ExprKind::Apply, .op = Op::MakeVec2U32, .immediate = 1}, 2)),
              ElementsAre("V036"));
}

TEST(Malformed, TensorTypes) {
  // ir.h, "Dim", "TensorType", "Program": which fields there are, and that each tensor buffer has a type of
  // its own, in order.
  const auto changed = [](auto change) {
    ProgramBuilder p("p");
    const auto params = p.uniform("params", DataType::U32, 0);
    p.read("a", ir::Tensor{DataType::F16, {{"n", params, 3}, 4}}, 1);
    p.read("b", ir::Tensor{DataType::U32, {2, 0}, {1, 1}}, 2);
    ir::Program program = p.finish();
    change(program);
    return codes_of(std::move(program));
  };
  using Program = ir::Program;
  EXPECT_THAT(changed([](Program&) {}), ElementsAre());
  EXPECT_THAT(changed([](Program& p) { p.buffers[2].tensor = 0; }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.buffers[1].tensor = 7; }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.buffers[0].tensor = 1; }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.tensors.pop_back(); }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.tensors.emplace_back(); }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[0].dims.clear(); }), ElementsAre("V038"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[1].strides.pop_back(); }), ElementsAre("V038"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[1].element = DataType::Tensor; }), ElementsAre("V038"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[0].dims[0].size = 1; }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[0].dims[1].element = 1; }), ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[0].dims[1].buffer = p.buffers[0].name; }),
              ElementsAre("V036"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[0].dims[0].buffer = ir::kNoSymbol; }), ElementsAre("V003"));
  EXPECT_THAT(changed([](Program& p) { p.tensors[0].dims[0].name = p.code.intern("9"); }),
              ElementsAre("V031"));
  EXPECT_THAT(changed([](Program& p) {
                p.buffers[1].access = spec::BufferAccess::Workgroup;
                p.buffers[1].binding = 0;
                p.buffers[1].count = 4;
              }),
              ElementsAre("V025"));
}

TEST(Malformed, BrokenTensorsDoNotCascade) {
  // A tensor of a broken type says so once, and nothing about its uses.
  ProgramBuilder p("p");
  const auto none = p.read_write("none", ir::Tensor{DataType::U32, {}}, 0);
  const auto bytes = p.read_write("words", ir::Tensor{DataType::Bytes, {4}}, 1);
  const auto out = p.read_write("out", DataType::U32, 2);
  p.store(out, p.u32(0), p.load(none, {p.u32(0), p.u32(1)}) + p.load(bytes, p.u32(0)));
  p.store(bytes, p.u32(0), p.boolean(true));
  p.store(none, {}, p.boolean(true));
  EXPECT_THAT(codes_of(p.finish()), ElementsAre("V038", "V038"));
}

TEST(Malformed, NoCascades) {
  // Nothing depends on what is broken already: one diagnostic for each fault, none for its consequences.
  ProgramBuilder p("p");
  const auto out = p.read_write("out", DataType::U32, 0);
  const Ex broken = p.let("broken", p.u32(1) + p.i32(1));  // V008
  p.store(out, broken, broken);
  p.if_(broken, [&] { p.loop("i", broken, broken, [](Ex) {}); });
  p.let("sum", broken + broken * 3);
  p.let("shift", p.i32(1) << broken);
  p.let("chosen", p.select(broken, broken, p.u32(1)));
  p.let("truth", p.cast(DataType::Bool, broken));
  p.assign(broken, p.boolean(true));
  p.let("late", (broken == 1) + p.i32(1));  // V008: the comparison is u32 whatever it compares
  EXPECT_THAT(codes_of(p.finish()), ElementsAre("V008", "V008"));
}

TEST(Malformed, RandomStructuresDoNotCrash) {
  VYRE_ORACLE(Property,
              "any Code whose ids are in range is accepted or refused; nothing crashes (run it under the "
              "sanitizers)");
  size_t accepted = 0, refused = 0;
  spec::OpTable ops;
  ops.add({.id = "t.op",
           .signature = {{}, DataType::U32},
           .category = spec::Category::C,
           .intrinsic = spec::Intrinsic::SubgroupLane});
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    RandomStream random(seed, 0xbad);
    ir::Program program;
    program.name = "p";
    ir::Code& code = program.code;
    const std::array<ir::Symbol, 4> symbols = {code.intern("a"), code.intern("b"), code.intern("x"),
                                               random.chance(8) ? ir::kNoSymbol : code.intern("t.op")};
    const auto symbol = [&] { return random.chance(3) ? ir::kNoSymbol : symbols[random.below(4)]; };
    const DataType element{uint8_t(random.below(spec::kTypeCount))};
    program.buffers.push_back({.name = symbols[0],
                               .access = spec::BufferAccess(random.below(4)),
                               .element = element,
                               .tensor = random.chance(16) ? 1u : 0u,
                               .count = random.below(2)});
    if (element == DataType::Tensor && !random.chance(8)) {
      ir::TensorType& tensor = program.tensors.emplace_back();
      tensor.element = DataType{uint8_t(random.below(spec::kTypeCount))};
      for (uint32_t n = random.below(3); n != 0; --n) tensor.dims.push_back({.size = random.below(3)});
      if (random.chance(4)) tensor.dims.push_back({.name = symbol(), .buffer = symbol()});
      tensor.strides.resize(random.chance(4) ? tensor.dims.size() : 0);
    }
    const uint32_t exprs = 1 + random.below(12), nodes = 1 + random.below(8), blocks = 1 + random.below(4);
    std::vector<ExprId> operands;
    if (random.chance(2)) code.wide.push_back({1, 2, random.below(2), 0});
    for (uint32_t i = 0; i < exprs; ++i) {
      operands.clear();
      for (uint32_t n = random.below(4); n != 0; --n) operands.push_back(ExprId{random.below(exprs)});
      code.add({.kind = ExprKind(random.below(ir::kExprKindCount)),
                .op = random.chance(2) ? Op(random.below(spec::kOpCount)) : Op(),
                .type = random.chance(4) ? DataType(random.below(spec::kTypeCount)) : DataType(),
                .symbol = symbol(),
                .immediate = random.below(4)},
               operands, Span::none());
    }
    for (uint32_t i = 0; i < nodes; ++i) {
      operands.clear();
      for (uint32_t n = random.below(3); n != 0; --n) operands.push_back(ExprId{random.below(exprs)});
      const auto block = [&] { return random.chance(2) ? ir::kNoBlock : BlockId{random.below(blocks)}; };
      code.add({.kind = NodeKind(random.below(ir::kNodeKindCount)),
                .symbol = symbol(),
                .body = block(),
                .orelse = block()},
               operands, Span::none());
    }
    for (uint32_t i = 0; i < blocks; ++i) {
      std::vector<NodeId> list;
      for (uint32_t n = random.below(4); n != 0; --n) list.push_back(NodeId{random.below(nodes)});
      code.add_block(list);
    }
    program.entry = BlockId{random.below(blocks)};
    (check(std::move(program), ops).has_value() ? accepted : refused) += 1;
  }
  EXPECT_GT(accepted, 0u);
  EXPECT_GT(refused, accepted);
}

}  // namespace
}  // namespace vyre::check
