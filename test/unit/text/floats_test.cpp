// Signs of floats: what they are read as, and where they are written.
#include <gtest/gtest.h>

#include <functional>

#include "ir/builder.h"
#include "oracle.h"
#include "spec/operation.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "text-format, \"Infix by type\", \"scopes\", \"Canonical text\" and the grammar; types and "
            "programs by hand");

namespace vyre::text {
namespace {

using ir::BufferRef;
using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

constexpr std::string_view kHeader =
    "program p(read f: f32 @0, read h: f16 @1, read b: bf16 @2, read u: u32 @3, read t: tensor<f16, [2, 2]> "
    "@4, "
    "read raw: bytes @5) workgroup(1, 1, 1) ";

ir::Program parsed_body(const std::string& body, const spec::OpTable* ops = nullptr) {
  const std::string text = std::string(kHeader) + "{" + body + "}";
  auto program = parse(text, ops);
  if (program) return std::move(*program);
  const Source source("test.vyre", text);
  ADD_FAILURE() << render(program.error(), &source);
  return {};
}

/// The operators that were applied, in the order of their expressions.
std::vector<Op> operators(const std::string& body, const spec::OpTable* ops = nullptr) {
  std::vector<Op> out;
  for (const ir::Expr& e : parsed_body(body, ops).code.exprs) {
    if (e.kind == ir::ExprKind::Apply) out.push_back(e.op);
  }
  return out;
}
using Ops = std::vector<Op>;

/// The printed body of a program with these statements, in one line.
std::string printed(const std::string& body) {
  const std::string text = print(parsed_body(body));
  std::string out = text.substr(text.find("workgroup(1, 1, 1) {") + 20);
  std::string line;
  for (const char c : out) {
    if (c != '\n') line += c;
    if (c == '\n') line += ' ';
  }
  std::string single;
  for (const char c : line) {
    if (c != ' ' || (!single.empty() && single.back() != ' ')) single += c;
  }
  return single.substr(0, single.rfind(" }"));
}

TEST(Floats, EverySignOnEveryType) {
  const std::pair<std::string_view, Op> kInfix[] = {{"+", Op::FAdd}, {"-", Op::FSub}, {"*", Op::FMul},
                                                    {"/", Op::FDiv}, {"==", Op::FEq}, {"<", Op::FLt},
                                                    {">", Op::FGt},  {"<=", Op::FLe}, {">=", Op::FGe}};
  for (const char* buffer : {"f", "h", "b"}) {
    const std::string name(buffer);
    for (const auto& [sign, op] : kInfix) {
      EXPECT_EQ(operators("let x = " + name + "[0] " + std::string(sign) + name + "[1];"), Ops{op}) << sign;
    }
    EXPECT_EQ(operators("let x = -" + name + "[0];"), Ops{Op::FNeg});
  }
}

TEST(Floats, TypesComeFromWhatTheTextSays) {
  EXPECT_EQ(operators("let x = 1.5 + 2f32;"), Ops{Op::FAdd});
  EXPECT_EQ(operators("let x = 1.5f16; let y = x * x; x = -y;"), (Ops{Op::FMul, Op::FNeg}));
  EXPECT_EQ(operators("let x = t[0, 1] / t[1, 0];"), Ops{Op::FDiv});
  EXPECT_EQ(operators("let x = raw[0] / raw[1];"), Ops{Op::Div});
  EXPECT_EQ(operators("let x = len(f) + 1; for i in 0..2 { x = x + i; }"), (Ops{Op::Add, Op::Add}));
  EXPECT_EQ(operators("let x = cast<f32>(u[0] + 1) + f[0];"), (Ops{Op::Add, Op::Cast, Op::FAdd}));
  EXPECT_EQ(operators("let x = cast<u32, trunc>(f[0] + 1.0) + 1;"), (Ops{Op::FAdd, Op::Cast, Op::Add}));
  EXPECT_EQ(operators("let x = bitcast<u32>(f[0]) < 7;"), (Ops{Op::Bitcast, Op::Lt}));
  EXPECT_EQ(operators("let x = -bitcast<f16>(u[0]);"), (Ops{Op::Bitcast, Op::FNeg}));
  EXPECT_EQ(operators("let x = select(u[0] < 1, f[0], f[1]) - 1.0;"), (Ops{Op::Lt, Op::Select, Op::FSub}));
  EXPECT_EQ(operators("let x = (f[0] < f[1]) == 1;"), (Ops{Op::FLt, Op::Eq}));
  EXPECT_EQ(operators("let x = fis_nan(f[0]) + fsqrt(f[0]) * 2.0;"),
            (Ops{Op::FIsNaN, Op::FSqrt, Op::FMul, Op::Add}));
  EXPECT_EQ(operators("let x = freduce_strict(fadd, h) + h[0];"), (Ops{Op::FReduceStrict, Op::FAdd}));
  EXPECT_EQ(operators("let x = vec2u32(1, 2) + vec2u32(3, 4);"),
            (Ops{Op::MakeVec2U32, Op::MakeVec2U32, Op::Add}));
  EXPECT_EQ(operators("let x = fmul_add(f[0], 1.0, f[1]) > 0.0;"), (Ops{Op::FMulAdd, Op::FGt}));
}

TEST(Floats, NamesMeanWhatIsVisible) {
  EXPECT_EQ(operators("{ let x = 1.0; let y = x + x; } { let x = 1; let y = x + x; } if (1) { let x = "
                      "2.0f16; let y = x * x; } "
                      "else { let x = 2; let y = x * x; }"),
            (Ops{Op::FAdd, Op::Add, Op::FMul, Op::Mul}));
  EXPECT_EQ(operators("for i in 0..2 { let y = i + i; } let i = 1.0; let z = i + i;"),
            (Ops{Op::Add, Op::FAdd}));
  // The value of a let does not see its name yet.
  EXPECT_EQ(operators("{ let y = 1.0; } let x = y + y;"), Ops{Op::Add});
}

TEST(Floats, TheFirstTypeDecides) {
  // text-format: two operands of different types are an error whatever the sign is read as; it is read by the
  // first operand that has a type.
  EXPECT_EQ(operators("let x = f[0] + u[0];"), Ops{Op::FAdd});
  EXPECT_EQ(operators("let x = u[0] + f[0];"), Ops{Op::Add});
  EXPECT_EQ(operators("let x = missing + f[0];"), Ops{Op::FAdd});
  EXPECT_EQ(operators("let x = missing + missing;"), Ops{Op::Add});
  EXPECT_EQ(operators("let x = f[0] != f[1];"), Ops{Op::Ne});
  EXPECT_EQ(operators("let x = f[0] % f[1];"), Ops{Op::Mod});
  EXPECT_EQ(operators("let x = f[0] << 1;"), Ops{Op::Shl});
  EXPECT_EQ(operators("let x = add(f[0], f[1]);"), Ops{Op::Add});
  EXPECT_EQ(operators("let x = fadd(u[0], u[1]);"), Ops{Op::FAdd});
}

TEST(Floats, CallsHaveTheTypesOfTheTable) {
  spec::OpTable table;
  table.add({"t.real", 1, {{}, DataType::F32}, spec::Category::A, nullptr});
  table.add({"t.real", 2, {{}, DataType::U32}, spec::Category::A, nullptr});
  table.add({"t.word", 1, {{}, DataType::U32}, spec::Category::A, nullptr});
  EXPECT_EQ(operators("let x = t.real() + t.real();", &table), (Ops{Op::Call, Op::Call, Op::FAdd}));
  EXPECT_EQ(operators("let x = t.real@2() + t.real@2();", &table), (Ops{Op::Call, Op::Call, Op::Add}));
  EXPECT_EQ(operators("let x = t.word(); let y = -x;", &table), (Ops{Op::Call, Op::Negate}));
  EXPECT_EQ(operators("let x = t.real(); let y = -x;", &table), (Ops{Op::Call, Op::FNeg}));
  EXPECT_EQ(operators("let x = t.real(); let y = -x;"), (Ops{Op::Call, Op::Negate}));
  EXPECT_EQ(operators("let x = t.real() + 1.0;"), (Ops{Op::Call, Op::FAdd}));
}

TEST(Floats, PrintedSigns) {
  // text-format, "Canonical text": a sign where it would be read as the operator, else the mnemonic.
  EXPECT_EQ(printed("let x = fadd(f[0], fmul(f[1], fneg(f[2])));"), "let x = f[0] + f[1] * -f[2];");
  EXPECT_EQ(printed("let x = fmul(fadd(f[0], 1.0), 2.0);"), "let x = (f[0] + 1.0) * 2.0;");
  EXPECT_EQ(printed("let x = feq(f[0], flt(h[0], h[1]));"), "let x = f[0] == (h[0] < h[1]);");
  EXPECT_EQ(printed("let x = fneg(1.5);"), "let x = -(1.5);");
  EXPECT_EQ(printed("let x = fneg(-1.5);"), "let x = -(-1.5);");
  EXPECT_EQ(printed("let x = fsub(-1.5, -0.0);"), "let x = -1.5 - -0.0;");
  EXPECT_EQ(printed("let x = add(f[0], f[1]);"), "let x = add(f[0], f[1]);");
  EXPECT_EQ(printed("let x = fadd(u[0], u[1]);"), "let x = fadd(u[0], u[1]);");
  EXPECT_EQ(printed("let x = negate(f[0]); let y = fneg(u[0]);"),
            "let x = negate(f[0]); let y = fneg(u[0]);");
  EXPECT_EQ(printed("let x = fadd(t.real(), t.real());"), "let x = fadd(t.real(), t.real());");
  EXPECT_EQ(printed("let x = fmul(add(f[0], f[1]), f[2]);"), "let x = add(f[0], f[1]) * f[2];");
  EXPECT_EQ(printed("let x = fmin(f[0], fmul_add(f[0], f[1], f[2]));"),
            "let x = fmin(f[0], fmul_add(f[0], f[1], f[2]));");
}

TEST(Floats, Reductions) {
  const auto built = [](const std::function<Ex(ProgramBuilder&, BufferRef)>& make) {
    ProgramBuilder p("p");
    const BufferRef f = p.read("f", DataType::F32, 0);
    p.let("x", make(p, f));
    return p.finish();
  };
  const auto expect = [&](const std::string& text,
                          const std::function<Ex(ProgramBuilder&, BufferRef)>& make) {
    const std::string whole = "program p(read f: f32 @0) workgroup(1, 1, 1) {\n  let x = " + text + ";\n}\n";
    const auto program = parse(whole);
    ASSERT_TRUE(program.has_value()) << program.error().message;
    EXPECT_TRUE(ir::equal(*program, built(make))) << text;
    EXPECT_EQ(print(*program), whole);
  };
  expect("freduce_strict(fadd, f)",
         [](ProgramBuilder& p, BufferRef f) { return p.reduce(Op::FReduceStrict, Op::FAdd, f); });
  expect("freduce_tree_binary(fmax, f, 1, len(f) - 1)", [](ProgramBuilder& p, BufferRef f) {
    return p.reduce(Op::FReduceTreeBinary, Op::FMax, f, p.u32(1), p.len(f) - 1);
  });
  expect("freduce_strict(f)", [](ProgramBuilder& p, BufferRef f) {  // no operator: V041
    const Ex x = p.reduce(Op::FReduceStrict, Op::FAdd, f);
    p.code().exprs.back().immediate = 0;
    return x;
  });
  expect("freduce_strict(select, missing, 1.5, 2) + 1.0", [](ProgramBuilder& p, BufferRef) {
    const BufferRef missing{p.code().intern("missing")};
    return p.apply(Op::FAdd,
                   {p.reduce(Op::FReduceStrict, Op::Select, missing, p.f32(1.5F), p.u32(2)), p.f32(1)});
  });
  // The words are names elsewhere.
  EXPECT_EQ(printed("let fadd = 1.0; let freduce_strict = fadd + fadd;"),
            "let fadd = 1.0; let freduce_strict = fadd + fadd;");
}

}  // namespace
}  // namespace vyre::text
