// What no module may have, in every program that the project keeps and in random ones: floats, features,
// literals in expressions, names that are WGSL's, blocks too deep for some compiler.
//
// That compilers take the modules and that they run right is for tests with compilers.
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>

#include "generate/programs.h"
#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(SpecificationTable,
            "WGSL, \"Types\", \"Keyword Summary\", \"Limits\", as lists and numbers here; the text is read "
            "by a tokeniser of its own");

namespace vyre::lower {
namespace {

/// Every word of WGSL that a module may have. No type of floats is among them, no feature and no directive.
const std::set<std::string>& vocabulary() {
  static const std::set<std::string> words = {
      // Declarations.
      "group", "binding", "var", "storage", "read", "read_write", "uniform", "workgroup", "private", "array",
      "atomic", "compute", "workgroup_size", "fn", "builtin", "local_invocation_index", "workgroup_id",
      "num_workgroups", "let", "ptr", "function", "struct",
      // Types.
      "u32", "i32", "bool", "vec2", "vec3", "vec4",
      // Control.
      "if", "else", "for", "loop", "break", "return", "true", "false",
      // Functions.
      "select", "bitcast", "countOneBits", "countLeadingZeros", "countTrailingZeros", "reverseBits",
      "atomicLoad", "atomicStore", "atomicAdd", "atomicOr", "atomicAnd", "atomicXor", "atomicMin",
      "atomicMax", "atomicExchange", "atomicCompareExchangeWeak", "old_value", "exchanged", "storageBarrier",
      "workgroupBarrier",
      // Ours.
      "main", "thread", "groups", "num_groups", "counts", "turn", "GroupMemory", "group_memory", "x", "y",
      "z", "w", "_"};
  return words;
}

/// The modules of every program and of some random ones.
const std::map<std::string, std::string>& modules() {
  static const std::map<std::string, std::string> made = [] {
    std::map<std::string, std::string> out;
    for (const auto& [name, kernel] : test::every_kernel()) out[name] = test::wgsl_module(kernel).text;
    generate::ProgramOptions options{.ops = &ops::op_table(), .max_nodes = 120};
    generate::ProgramGenerator generator(options);
    generate::ProgramCase program;
    for (uint64_t i = 0; i < 500; ++i) {
      generator.make(/*seed=*/27, i, program);
      const auto checked = check::check(program.program, ops::op_table());
      if (!checked) throw std::runtime_error(checked.error().front().message);
      out["random " + std::to_string(i)] = test::wgsl_module(legalize(build(*checked), kWgslTarget)).text;
    }
    return out;
  }();
  return made;
}

TEST(WgslAudit, ThereAreEnoughModules) { EXPECT_GE(modules().size(), 900u); }

// So there is no f16, f32, vec2f or cast to one, no enable, requires or diagnostic.
TEST(WgslAudit, WordsAreOfAFixedVocabulary) {
  const std::regex ours(
      "(element_)?v[0-9]+|[ni][0-9]+|h[0-9a-f]+|s[0-9]+_\\w*|(b|len)_\\w+|(local|groups?|invocation)_[xyz]|"
      "part_[0-9]+");
  const std::regex number("[0-9]+u?|0x[0-9a-f]+u");
  std::set<std::string> seen;
  for (const auto& [name, text] : modules()) {
    for (const std::string& token : test::tokens(text)) {
      if (!seen.insert(token).second) continue;
      const bool digit = std::isdigit(static_cast<unsigned char>(token.front())) != 0;
      const bool word =
          !digit && (std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_');
      if (word)
        EXPECT_TRUE(vocabulary().contains(token) || std::regex_match(token, ours)) << name << ": " << token;
      if (digit) EXPECT_TRUE(std::regex_match(token, number)) << name << ": " << token;
    }
  }
  EXPECT_TRUE(seen.contains("atomicCompareExchangeWeak"));
  EXPECT_TRUE(seen.contains("part_0"));
}

// A number without a suffix is one of a size, a binding or a place in the counts; so none has a fraction.
TEST(WgslAudit, LiteralsStandInLetsOfTheirOwn) {
  const std::regex named("  let (n[0-9]+ = [0-9]+|h[0-9a-f]+ = 0x[0-9a-f]+)u;");
  const std::regex place("  (let len_\\w+|_) = counts\\[[0-9]+\\]\\.[xyzw];");
  const std::regex touched("  _ = b_\\w+\\[0\\];");
  size_t literals = 0;
  for (const auto& [name, text] : modules()) {
    std::stringstream in(text);
    bool body = false;
    for (std::string line; std::getline(in, line);) {
      body = line.starts_with("fn ") || (body && line != "}");
      if (!body || line.starts_with("fn ")) continue;
      const auto all = test::tokens(line);
      const bool literal = std::ranges::any_of(
          all, [](const std::string& t) { return std::isdigit(static_cast<unsigned char>(t.front())) != 0; });
      if (!literal) continue;
      ++literals;
      EXPECT_TRUE(std::regex_match(line, named) || std::regex_match(line, place) ||
                  std::regex_match(line, touched))
          << name << ": " << line;
    }
  }
  EXPECT_GE(literals, 5000u);
}

// Every operand is a name, a call or in parentheses, so no two operators stand side by side.
TEST(WgslAudit, OperatorsDoNotMeet) {
  const std::regex two(
      R"([\w)\]] (<<|>>|[-+*/%&|^]|[=!<>]=|<|>) [\w~(][^()]* (<<|>>|[-+*/%&|^]|[=!<>]=|<|>) )");
  for (const auto& [name, text] : modules()) {
    std::stringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.find("//") != line.npos || line.starts_with("  for") || line.find(" for (") != line.npos)
        continue;
      EXPECT_FALSE(std::regex_search(line, two)) << name << ": " << line;
    }
  }
}

// WGSL: 127 braces. Tint counts an if and its block each: 62 blocks within a function's.
TEST(WgslAudit, NoFunctionNestsTooDeeply) {
  size_t deepest = 0;
  for (const auto& [name, text] : modules()) {
    size_t depth = 0;
    for (const char c : text) {
      if (c == '{') deepest = std::max(deepest, ++depth);
      if (c == '}') --depth;
      ASSERT_LE(depth, 63u) << name;
    }
    EXPECT_EQ(depth, 0u) << name;
  }
  EXPECT_GE(deepest, 40u);  // nesting-64-control.vyre
}

// Barriers order storage and workgroup memory, so there are always both.
TEST(WgslAudit, BarriersComeInPairs) {
  size_t barriers = 0;
  for (const auto& [name, text] : modules()) {
    EXPECT_EQ(test::count(text, "storageBarrier()"),
              test::count(text, "storageBarrier(); workgroupBarrier();"))
        << name;
    EXPECT_EQ(test::count(text, "workgroupBarrier()"), test::count(text, "storageBarrier()")) << name;
    barriers += test::count(text, "workgroupBarrier()");
  }
  EXPECT_GE(barriers, 100u);
}

// The host tells how long buffers are; arrayLength is wrong for empty ones and for padded ones. (It is not in
// the vocabulary either; this says why.)
TEST(WgslAudit, LengthsAreNeverAsked) {
  for (const auto& [name, text] : modules()) EXPECT_EQ(test::count(text, "arrayLength"), 0u) << name;
}

}  // namespace
}  // namespace vyre::lower
