// Which types operators, casts and buffers take: SEMANTICS' tables written out, against every pair that there
// is.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "check/checked.h"
#include "ir/builder.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Casts\", \"Operators\", \"Floats\" and \"Types\", and text-format, \"Infix by "
            "type\", row by row");

namespace vyre::check {
namespace {

const std::vector<std::string> kValueTypes = {"u32",     "i32",     "u64", "u128", "bool",
                                              "vec2u32", "vec4u32", "f16", "bf16", "f32"};

/// The codes of `let x = <expression>;` over buffers with one name a type, `u32_` and so on; the type of x
/// after "ok ".
std::string verdict(const std::string& expression) {
  std::string buffers;
  for (size_t i = 0; i < kValueTypes.size(); ++i)
    buffers +=
        (i == 0 ? "read " : ", read ") + kValueTypes[i] + "_: " + kValueTypes[i] + " @" + std::to_string(i);
  const auto parsed =
      text::parse("program p(" + buffers + ") workgroup(1, 1, 1) { let x = " + expression + "; }");
  if (!parsed)
    return "parse " + std::string(diag_info(parsed.error().code).name) + " " + parsed.error().message;
  const auto checked = check(*parsed, spec::OpTable());
  if (checked) return "ok " + std::string(spec::text(checked->resolution().variables.at(0).type));
  std::string codes;
  for (const Diag& diag : checked.error()) {
    EXPECT_FALSE(diag.help.empty()) << diag.message;
    codes += (codes.empty() ? "" : " ") + std::string(diag_info(diag.code).name);
  }
  return codes;
}
std::string of(const std::string& type) { return type + "_[0]"; }

using Table = std::map<std::string, std::set<std::string>>;

/// What `let x = cast<to>(a[0]);` says of a buffer of this type, or nothing.
std::string message(const std::string& from, const std::string& cast) {
  const auto parsed = text::parse("program p(read a: " + from + " @0) workgroup(1, 1, 1) { let x = cast<" +
                                  cast + ">(a[0]); }");
  const auto checked = check(*parsed, spec::OpTable());
  return checked ? "" : checked.error().at(0).message;
}

// From a float to an integer it names a mode.
TEST(Types, Casts) {
  using Set = std::set<std::string>;
  const Table kTo = {
      {"u32", {"u32", "i32", "u64", "u128", "bool", "vec2u32", "vec4u32", "f32", "f16", "bf16"}},
      {"i32", {"u32", "i32", "u64", "u128", "bool", "vec2u32", "vec4u32", "f32", "f16", "bf16"}},
      {"u64", {"u32", "i32", "u64", "u128", "bool", "f32", "f16", "bf16"}},
      {"u128", {"u32", "i32", "u64", "u128", "bool"}},
      {"bool", {"u32", "i32", "u64", "u128", "bool", "vec2u32", "vec4u32"}},
      {"vec2u32", {"vec2u32"}},
      {"vec4u32", {"vec4u32"}},
      {"f16", {"u32", "i32", "f32", "f16", "bf16"}},
      {"bf16", {"u32", "i32", "f32", "f16", "bf16"}},
      {"f32", {"u32", "i32", "f32", "f16", "bf16"}}};
  const Set floats = {"f16", "bf16", "f32"}, integers = {"u32", "i32", "u64", "u128"};
  for (const std::string& from : kValueTypes) {
    for (const std::string& to : kValueTypes) {
      const bool there = kTo.at(from).contains(to), rounds = floats.contains(from) && integers.contains(to);
      EXPECT_EQ(verdict("cast<" + to + ">(" + of(from) + ")"), !there   ? "V026"
                                                               : rounds ? "V027"
                                                                        : "ok " + to)
          << from << " to " << to;
      for (const char* mode : {"trunc", "nearest", "floor", "ceil"}) {
        EXPECT_EQ(verdict("cast<" + to + ", " + mode + ">(" + of(from) + ")"), !there   ? "V026"
                                                                               : rounds ? "ok " + to
                                                                                        : "V027")
            << from << " to " << to << " by " << mode;
      }
    }
  }
}

TEST(Types, MessagesAboutCasts) {
  EXPECT_EQ(message("f32", "u32"), "a cast from f32 to u32 names its rounding");
  EXPECT_EQ(message("u32", "f32, trunc"), "a cast from u32 to f32 names no rounding");
  EXPECT_EQ(message("f32", "f16, nearest"), "a cast from f32 to f16 names no rounding");
  EXPECT_EQ(message("f16", "u64, trunc"), "there is no cast from f16 to u64");
  EXPECT_EQ(message("bool", "bf16"), "there is no cast from bool to bf16");
  EXPECT_EQ(message("u128", "f32"), "there is no cast from u128 to f32");
  EXPECT_EQ(message("u64", "f32"), "");
}

TEST(Types, Bitcasts) {
  // Semantics, "Casts": the families of bitcast, both ways, and each with itself; bool has no part.
  const Table kTo = {{"u32", {"u32", "i32", "f32", "f16", "bf16"}},
                     {"i32", {"u32", "i32", "f32"}},
                     {"f32", {"u32", "i32", "f32"}},
                     {"u64", {"u64", "vec2u32"}},
                     {"vec2u32", {"u64", "vec2u32"}},
                     {"u128", {"u128", "vec4u32"}},
                     {"vec4u32", {"u128", "vec4u32"}},
                     {"f16", {"f16", "bf16", "u32"}},
                     {"bf16", {"f16", "bf16", "u32"}},
                     {"bool", {}}};
  for (const std::string& from : kValueTypes) {
    for (const std::string& to : kValueTypes) {
      EXPECT_EQ(verdict("bitcast<" + to + ">(" + of(from) + ")"),
                kTo.at(from).contains(to) ? "ok " + to : "V028")
          << from << " to " << to;
    }
  }
}

TEST(Types, Operators) {
  const std::set<std::string> integers = {"u32", "i32", "u64", "u128"};
  const std::set<std::string> with_vectors = {"u32", "i32", "u64", "u128", "vec2u32", "vec4u32"};
  const std::set<std::string> with_bool = {"u32", "i32", "u64", "u128", "bool"};
  const std::set<std::string> floats = {"f16", "bf16", "f32"};
  const std::set<std::string> comparable = {"u32", "i32", "u64", "u128", "bool", "vec2u32", "vec4u32"};
  struct Row {
    std::vector<std::string> mnemonics;
    std::set<std::string> types;
    uint32_t operands;
    bool gives_u32;
  };
  const std::vector<Row> rows = {
      {{"add", "sub", "mul", "bit_and", "bit_or", "bit_xor"}, with_vectors, 2, false},
      {{"div", "mod"}, integers, 2, false},
      {{"bit_not"}, with_vectors, 1, false},
      {{"negate", "reverse_bits"}, integers, 1, false},
      {{"popcount", "clz", "ctz"}, integers, 1, true},
      {{"eq", "ne"}, comparable, 2, true},
      {{"lt", "gt", "le", "ge"}, integers, 2, true},
      {{"and", "or"}, with_bool, 2, true},
      {{"logical_not"}, with_bool, 1, true},
      {{"fadd", "fsub", "fmul", "fdiv", "fmin", "fmax"}, floats, 2, false},
      {{"fmul_add"}, floats, 3, false},
      {{"fsqrt", "fneg", "fabs", "ffloor", "fceil", "fround", "ftrunc"}, floats, 1, false},
      {{"feq", "flt", "fgt", "fle", "fge"}, floats, 2, true},
      {{"fis_nan", "fis_inf"}, floats, 1, true},
  };
  for (const Row& row : rows) {
    for (const std::string& mnemonic : row.mnemonics) {
      for (const std::string& type : kValueTypes) {
        std::string more;
        for (uint32_t i = 1; i < row.operands; ++i) more += ", " + of(type);
        EXPECT_EQ(verdict(mnemonic + "(" + of(type) + more + ")"),
                  row.types.contains(type) ? "ok " + (row.gives_u32 ? std::string("u32") : type) : "V008")
            << mnemonic << " of " << type;
      }
    }
  }
  for (const std::string& mnemonic : std::vector<std::string>{"shl", "shr"}) {
    for (const std::string& type : kValueTypes) {
      EXPECT_EQ(verdict(mnemonic + "(" + of(type) + ", 1)"), integers.contains(type) ? "ok " + type : "V008")
          << type;
      EXPECT_EQ(verdict(mnemonic + "(1, " + of(type) + ")"), type == "u32" ? "ok u32" : "V008") << type;
    }
  }
}

TEST(Types, SignsOfFloats) {
  for (const std::string& type : std::vector<std::string>{"f16", "bf16", "f32"}) {
    for (const char* sign : {"+", "-", "*", "/"})
      EXPECT_EQ(verdict(of(type) + " " + sign + " " + of(type)), "ok " + type) << sign;
    for (const char* sign : {"==", "<", ">", "<=", ">="})
      EXPECT_EQ(verdict(of(type) + " " + sign + " " + of(type)), "ok u32") << sign;
    for (const char* sign : {"!=", "%", "&", "|", "^", "<<", ">>", "&&", "||"})
      EXPECT_EQ(verdict("(" + of(type) + ") " + sign + " " + of(type)).substr(0, 4), "V008") << sign;
    EXPECT_EQ(verdict("-" + of(type)), "ok " + type);
    EXPECT_EQ(verdict("~" + of(type)), "V008");
    EXPECT_EQ(verdict("!" + of(type)), "V008");
    EXPECT_EQ(verdict("!(" + of(type) + " == " + of(type) + ")"), "ok u32");
  }
}

TEST(Types, Reductions) {
  const std::set<std::string> floats = {"f16", "bf16", "f32"}, folds = {"fadd", "fmul", "fmin", "fmax"};
  for (const std::string& word : std::vector<std::string>{"freduce_strict", "freduce_tree_binary"}) {
    for (const std::string& type : kValueTypes) {
      EXPECT_EQ(verdict(word + "(fadd, " + type + "_)"), floats.contains(type) ? "ok " + type : "V042");
      EXPECT_EQ(verdict(word + "(fmin, " + type + "_, 1, u32_[0])"),
                floats.contains(type) ? "ok " + type : "V042");
      EXPECT_EQ(verdict(word + "(fmul, f16_, " + of(type) + ", 2)"), type == "u32" ? "ok f16" : "V013")
          << type;
      EXPECT_EQ(verdict(word + "(fmul, f16_, 0, " + of(type) + ")"), type == "u32" ? "ok f16" : "V013")
          << type;
    }
    for (const spec::OpInfo& op : spec::kOps) {
      const std::string fold(op.mnemonic);
      EXPECT_EQ(verdict(word + "(" + fold + ", f32_)"), folds.contains(fold) ? "ok f32" : "V041") << fold;
    }
    EXPECT_EQ(verdict(word + "(fadd, missing)"), "V003");
    EXPECT_EQ(verdict(word + "(f32_)"), "V041");
    EXPECT_EQ(verdict(word + "(fsub, missing, 1.0, 2)"), "V041 V003 V013");
  }
  EXPECT_EQ(verdict("freduce_approx(fadd, bf16_, 40)"), "ok bf16");
  EXPECT_EQ(verdict("freduce_approx(fmin, f16_, 65535, 1, u32_[0])"), "ok f16");
  EXPECT_EQ(verdict("freduce_approx(fmul, f32_, 1)"), "ok f32");
  EXPECT_EQ(verdict("freduce_approx(fsub, f32_, 1)"), "V041");
  EXPECT_EQ(verdict("freduce_approx(fadd, f32_, 0)"), "V043");
  EXPECT_EQ(verdict("freduce_approx(f32_)"), "V041 V043");
}

TEST(Types, NoTwoTypesMeet) {
  for (const std::string& a : kValueTypes) {
    EXPECT_EQ(verdict("select(true, " + of(a) + ", " + of(a) + ")"), "ok " + a);
    EXPECT_EQ(verdict("select(" + of(a) + ", 1, 2)"), a == "u32" || a == "bool" ? "ok u32" : "V014");
    for (const std::string& b : kValueTypes) {
      if (a == b) continue;
      EXPECT_EQ(verdict("add(" + of(a) + ", " + of(b) + ")"), "V008") << a << " " << b;
      EXPECT_EQ(verdict("eq(" + of(a) + ", " + of(b) + ")"), "V008") << a << " " << b;
      EXPECT_EQ(verdict("select(true, " + of(a) + ", " + of(b) + ")"), "V029") << a << " " << b;
    }
  }
}

TEST(Types, BuffersAndVariables) {
  // Semantics, "Types": all are types of buffers, of variables and of stores; a bytes buffer is u32 to both.
  for (const std::string& type : kValueTypes) {
    for (const std::string& declared : std::vector<std::string>{type, "tensor<" + type + ", [4]>"}) {
      const auto parsed =
          text::parse("program p(read a: " + declared + " @0, uniform u: " + declared +
                      " @1, read_write out: " + declared + " @2, workgroup w: " + type +
                      "[4]) workgroup(1, 1, 1) { let x = a[0]; x = u[1]; w[0] = x; out[0] = w[len(a)]; }");
      ASSERT_TRUE(parsed.has_value()) << render(parsed.error(), nullptr);
      const auto checked = check(*parsed, spec::OpTable());
      ASSERT_TRUE(checked.has_value()) << type << render(checked.error()[0], nullptr);
      EXPECT_EQ(spec::text(checked->resolution().variables.at(0).type), type);
    }
  }
}

TEST(Types, HelpIsAValidConversion) {
  VYRE_ORACLE(Property,
              "the help of a refused program is another program: what it proposes for a single operand is of "
              "the wanted type");
  size_t shown = 0;
  for (const std::string& from : kValueTypes) {
    for (const std::string& to : kValueTypes) {
      if (from == to) continue;
      const auto parsed = text::parse("program p(read v: " + from + " @0, read_write out: " + to +
                                      " @1) workgroup(1, 1, 1) { let v1 = v[0]; out[0] = v1; }");
      const auto refused = check(*parsed, spec::OpTable());
      ASSERT_FALSE(refused.has_value());
      std::string help = refused.error().at(0).help;
      ASSERT_TRUE(help.starts_with("write ")) << help;
      help = help.substr(6);
      if (const size_t dots = help.find("..."); dots != std::string::npos) {
        help.replace(dots, 3, "v1");
      } else {  // the forms that name a vector v
        for (size_t at = help.find("v."); at != std::string::npos; at = help.find("v.", at + 3))
          help.replace(at, 1, "v1");
      }
      const auto mended = text::parse("program p(read v: " + from + " @0, read_write out: " + to +
                                      " @1) workgroup(1, 1, 1) { let v1 = v[0]; out[0] = " + help + "; }");
      ASSERT_TRUE(mended.has_value()) << help << render(mended.error(), nullptr);
      EXPECT_TRUE(check(*mended, spec::OpTable()).has_value()) << from << " to " << to << ": " << help;
      ++shown;
    }
  }
  EXPECT_EQ(shown, 90u);
}

}  // namespace
}  // namespace vyre::check
