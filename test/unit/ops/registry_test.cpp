// The registry: the list of files is the list of operations, and each passes the admission gates.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "library.h"
#include "operation_files.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "spec/binary-operations.txt, vyre-conform-spec, semantics, docs/proofs.md, operation.h, and the "
            "declaration of the operation");

namespace vyre::ops {
namespace {

namespace fs = std::filesystem;

TEST(Registry, HoldsThePrimitivesOfTheSpecification) {
  const std::set<std::string> families[] = {
      {"and", "or", "xor", "not", "shl", "shr", "rotl", "rotr", "popcount", "popcount_sw", "clz", "ctz",
       "reverse_bits", "extract_bits", "insert_bits"},
      {"eq", "ne", "lt", "gt", "le", "ge", "select", "logical_not", "logical_and", "logical_or"},
      {"add", "sub", "mul", "div", "mod", "min", "max", "abs", "negate", "clamp", "add_sat", "sub_sat",
       "abs_diff", "gcd", "lcm", "sign"}};
  const char* const names[] = {"bitwise", "compare", "math"};
  for (size_t i = 0; i < 3; ++i) {
    for (const std::string& name : families[i]) {
      const std::string id = std::string("primitive.") + names[i] + "." + name;
      EXPECT_NE(find_operation(id), nullptr) << id;
    }
  }
}

TEST(Registry, HoldsTheOperatorsOnFloats) {
  const std::set<std::string> operators = {
      "add",  "sub",  "mul",  "div",    "mul_add", "sqrt",  "min",  "max",   "neg",   "abs",   "eq",  "lt",
      "gt",   "le",   "ge",   "is_nan", "is_inf",  "floor", "ceil", "round", "trunc", "sin",   "cos", "tan",
      "asin", "acos", "atan", "exp",    "exp2",    "exp10", "log",  "log2",  "log10", "atan2", "pow"};
  const std::set<std::string> approximated = {"sin", "cos", "tan",  "asin", "acos",  "atan",  "atan2",
                                              "exp", "log", "exp2", "log2", "exp10", "log10", "pow"};
  std::set<std::string> wanted = {"float.f16.to_f32", "float.bf16.to_f32", "float.f32.to_f16",
                                  "float.f32.to_bf16"};
  for (const std::string type : {"f16", "bf16", "f32"}) {
    for (const std::string& name : operators) wanted.insert("float." + type + "." + name);
    for (const std::string& name : approximated) wanted.insert("float." + type + "." + name + "_approx");
  }
  std::set<std::string> found;
  for (const Operation& operation : all_operations()) {
    if (operation.id.starts_with("float.")) found.emplace(operation.id);
  }
  // More may be added, each at every type; what the specification requires is not taken away.
  EXPECT_TRUE(std::ranges::includes(found, wanted));
  std::set<std::string> more;
  std::ranges::set_difference(found, wanted, std::inserter(more, more.end()));
  for (const std::string& id : more) {
    const std::string name = id.substr(id.rfind('.') + 1);
    for (const std::string type : {"f16", "bf16", "f32"})
      EXPECT_TRUE(more.contains("float." + type + "." + name)) << id << " is not there at " << type;
  }
}

TEST(Registry, IsTheListOfFiles) {
  VYRE_ORACLE(Property, "the folders as they are on disk");
  std::set<std::string> on_disk;
  const fs::path root = operation_files::source() / "src" / "ops";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".vyre")
      on_disk.insert(fs::relative(entry.path(), root).replace_extension().generic_string());
  }
  std::set<std::string> registered;
  for (const OperationText& text : operation_texts()) registered.emplace(text.path);
  EXPECT_EQ(registered, on_disk);
}

TEST(Registry, IsInTheOrderOfIds) {
  VYRE_ORACLE(Property, "spec/binary-operations.txt, and the declaration of the operation");
  const std::vector<Operation>& all = all_operations();
  ASSERT_GE(all.size(), operation_texts().size());
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].id, all[i].id);
}

TEST(Registry, SaysWhatLoops) {
  // docs/proofs.md: gcd loops, and lcm by calling it; clamp calls what does not.
  EXPECT_TRUE(loops(*find_operation("primitive.math.gcd")));
  EXPECT_TRUE(loops(*find_operation("primitive.math.lcm")));
  EXPECT_FALSE(loops(*find_operation("primitive.math.clamp")));
}

TEST(Registry, FindsNothingElse) {
  EXPECT_EQ(find_operation("primitive.math.ad"), nullptr);
  EXPECT_EQ(find_operation("primitive.math.add", 2), nullptr);
  EXPECT_EQ(find_operation(""), nullptr);
}

TEST(Registry, IdsArePaths) {
  VYRE_ORACLE(Property, "the path of the file");
  for (const OperationText& text : operation_texts()) {
    const Operation o = read_operations(text.text, text.beside)->front();
    EXPECT_EQ(o.id, text.id);
    std::string path(text.path);
    std::ranges::replace(path, '/', '.');
    if (!path.starts_with("floating.")) {
      EXPECT_EQ(o.id, path);
      continue;
    }
    ASSERT_TRUE(spec::kFloats.contains(o.signature.inputs[0]));
    EXPECT_EQ(o.id,
              fmt::format("float.{}{}", spec::text(o.signature.inputs[0]), path.substr(path.find('.'))));
  }
}

TEST(Registry, HasNothingElseForCalls) {
  for (const char* id : {"", "rotl", "primitive", "primitive.bitwise", "primitive.bitwise.rotl.", "float.f32",
                         "float.f32.nothing", "float.u32.add", "float.f32.add_approx", "float.$T.exp_approx"})
    EXPECT_EQ(op_table().find(id, 1), nullptr) << id;
  EXPECT_EQ(op_table().find("primitive.bitwise.rotl", 2), nullptr);
  EXPECT_EQ(op_table().all().size(), all_operations().size() + std::size(spec::kIntrinsics));
}

class Declaration : public EachOperation {};
VYRE_FOR_EACH_OPERATION(Declaration);

TEST_P(Declaration, IsWhatCallsResolveTo) {
  VYRE_ORACLE(Property, "the operation's own declaration, against what calls resolve to");
  const Operation& o = operation();
  const spec::OpDef* def = op_table().find(o.id, o.version);
  ASSERT_NE(def, nullptr);
  EXPECT_EQ(def->id, o.id);
  EXPECT_EQ(def->version, o.version);
  EXPECT_EQ(def->signature, o.signature);
  EXPECT_EQ(def->category, o.category);
  ASSERT_NE(def->body, nullptr);
  EXPECT_EQ(def->body->parameters.size(), o.signature.inputs.size());
  for (size_t i = 0; i < o.parameter_names.size(); ++i) {
    EXPECT_EQ(def->body->code.name(def->body->parameters[i].name), o.parameter_names[i]);
    EXPECT_EQ(def->body->parameters[i].type, o.signature.inputs[i]);
  }
  EXPECT_EQ(def->body->result_type, o.signature.output);
}

TEST_P(Declaration, IsComplete) {
  const Operation& o = operation();
  EXPECT_EQ(o.version, 1u);
  EXPECT_EQ(o.category, spec::Category::A);
  ASSERT_GE(arity(), 1u);
  ASSERT_LE(arity(), 3u);
  if (o.id.starts_with("float.")) {
    for (const spec::DataType type : inputs()) EXPECT_EQ(type, inputs()[0]);
  } else {
    EXPECT_EQ(o.signature, words(arity()));
  }
  ASSERT_EQ(o.parameter_names.size(), arity());
  EXPECT_EQ(std::set(o.parameter_names.begin(), o.parameter_names.end()).size(), arity());
  EXPECT_FALSE(o.summary.empty());
  EXPECT_NE(o.reference, nullptr);
  EXPECT_NE(o.compose, nullptr);
}

TEST_P(Declaration, PassesTheGatesOfDeterminismAndObservability) {
  // vyre-conform-spec, "Admission Gates" 4 (deterministic) and 5 (observable): the same word each time, and
  // not one word for every input.
  const Operation& o = operation();
  std::set<uint32_t> seen;
  for (const SpecRow& row : o.rows) {
    const uint32_t first = o.reference(row.operands.data());
    for (int repeat = 0; repeat < 100; ++repeat) ASSERT_EQ(o.reference(row.operands.data()), first);
    seen.insert(first);
  }
  EXPECT_GE(seen.size(), 2u);
}

TEST_P(Declaration, PassesTheGateOfRuleMaterial) {
  // Gate 6 (rule material), and the amounts: four boundary values, eight rows.
  const Operation& o = operation();
  // Where results may be off by a bound no law holds exactly, nor fails for certain.
  if (o.bound == 0) {
    EXPECT_GE(o.denied.size(), 2u);
  } else {
    EXPECT_TRUE(o.laws.empty() && o.denied.empty());
  }
  EXPECT_GE(o.classes.size(), 2u);
  EXPECT_GE(o.boundaries.size(), 4u);
  EXPECT_GE(o.rows.size(), 8u);
  std::set<Tuple> boundaries;
  for (const BoundaryValue& b : o.boundaries) {
    EXPECT_EQ(b.operands.size(), arity());
    EXPECT_GE(b.reason.size(), 3u);
    EXPECT_TRUE(boundaries.insert(b.operands).second) << "twice: " << show(b.operands);
  }
  std::set<Tuple> rows;
  for (const SpecRow& row : o.rows) {
    EXPECT_EQ(row.operands.size(), arity());
    EXPECT_GE(row.rationale.size(), 3u) << show(row.operands);
    EXPECT_GE(row.source.size(), 3u) << show(row.operands);
    EXPECT_TRUE(rows.insert(row.operands).second) << "twice: " << show(row.operands);
  }
}

TEST_P(Declaration, NamesSourcesThatExist) {
  // The pages of the specification, of which a source names a section; the standard; and files of projects
  // that spec/rows/float_hard_cases.inc names, at a commit.
  constexpr std::string_view kPages[] = {"binary-operations", "vyre-conform-spec", "semantics"};
  constexpr std::string_view kPublished[] = {"CORE-MATH", "LLVM libc", "Arm Optimized Routines"};
  for (const SpecRow& row : operation().rows) {
    const std::string_view of = row.source.substr(0, row.source.find_first_of(":,"));
    const size_t commit = row.source.rfind(" at ");
    const bool at_commit =
        commit != std::string_view::npos &&
        row.source.substr(commit + 4).find_first_not_of("0123456789abcdef") == std::string_view::npos &&
        row.source.size() == commit + 4 + 12;
    EXPECT_TRUE(std::ranges::find(kPages, of) != std::end(kPages) || of == "IEEE 754-2019" ||
                (std::ranges::find(kPublished, of) != std::end(kPublished) && at_commit))
        << row.source;
  }
}

// The classes say where the operation behaves alike; an input outside all of them would never be chosen.
TEST_P(Declaration, ClassesCoverEveryInput) {
  const Operation& o = operation();
  std::vector<size_t> members(o.classes.size());
  const auto look = [&](const Tuple& tuple) {
    bool covered = false;
    for (size_t i = 0; i < o.classes.size(); ++i) {
      if (!o.classes[i].contains(tuple.data())) continue;
      covered = true;
      ++members[i];
    }
    ASSERT_TRUE(covered) << show(tuple);
  };
  for (const Tuple& tuple : edge_tuples(inputs())) ASSERT_NO_FATAL_FAILURE(look(tuple));
  for (const Tuple& tuple : random_tuples(inputs(), 100000, 1)) ASSERT_NO_FATAL_FAILURE(look(tuple));
  for (const BoundaryValue& b : o.boundaries) ASSERT_NO_FATAL_FAILURE(look(b.operands));
  for (const SpecRow& row : o.rows) ASSERT_NO_FATAL_FAILURE(look(row.operands));
  for (size_t i = 0; i < o.classes.size(); ++i) {
    EXPECT_GE(members[i], 1u) << "nothing is in \"" << o.classes[i].name << '"';
  }
}

TEST_P(Declaration, RepresentativesAreMembers) {
  VYRE_ORACLE(Property, "spec/binary-operations.txt, and the declaration of the operation");
  for (const EquivalenceClass& c : operation().classes) {
    ASSERT_EQ(c.representative.size(), arity()) << c.name;
    EXPECT_TRUE(c.contains(c.representative.data())) << c.name;
    EXPECT_GE(c.name.size(), 3u);
  }
}

// Every class has a row, so a class that was got wrong is seen by the specification itself.
TEST_P(Declaration, EveryClassHasARow) {
  if (operation().bound != 0) return;  // a row would decide what is approximated
  for (const EquivalenceClass& c : operation().classes) {
    EXPECT_TRUE(std::ranges::any_of(operation().rows, [&](const SpecRow& row) {
      return c.contains(row.operands.data());
    })) << c.name;
  }
}

}  // namespace
}  // namespace vyre::ops
