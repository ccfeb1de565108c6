// Where barriers are accepted and where not: the paragraph "Uniformity" of SEMANTICS, worked by hand case by
// case. A line that ends in `//!` holds a barrier that must be refused; every other barrier must be accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check/checked.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Uniformity\", by hand: the marks in the case, and the chain of reasons");

namespace vyre::check {
namespace {

struct Case {
  const char* name;
  const char* body;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr const char* kHead =
    "program p(read data: u32 @0, uniform params: u32 @1, read_write out: u32 @2, workgroup shared: u32[64]) "
    "workgroup(8, 8, 1) {\n";

class UniformityCase : public testing::TestWithParam<Case> {};

// covers: EX-33 BA-06 BA-07
TEST_P(UniformityCase, BarriersStandWhereControlIsUniform) {
  const std::string text = kHead + std::string(GetParam().body) + "}\n";
  const Source source("case.vyre", text);
  std::vector<uint32_t> refused, expected;
  for (uint32_t line = 1; line <= uint32_t(std::ranges::count(text, '\n')); ++line) {
    if (source.line(line).ends_with("//!")) expected.push_back(line);
  }
  auto program = text::parse(text);
  ASSERT_TRUE(program.has_value()) << render(program.error(), &source);
  const auto checked = check(std::move(*program), spec::OpTable());
  if (!checked) {
    for (const Diag& diag : checked.error()) {
      ASSERT_EQ(diag.code, DiagCode::V010) << render(diag, &source);
      EXPECT_FALSE(diag.notes.empty());
      refused.push_back(source.position(diag.span.begin).line);
    }
  } else {
    EXPECT_TRUE(checked->has_barrier());
  }
  EXPECT_EQ(refused, expected) << text;
}

const Case kCases[] = {
    // Conditions, by what they read.
    {"top_level", "barrier;\nout[0] = 1;\nbarrier;\n"},
    {"plain_block", "{\nbarrier;\n}\n"},
    {"literal_condition", "if (1) {\nbarrier;\n}\nif (false) {\nbarrier;\n}\n"},
    {"len_of_any_buffer", "if (len(out) > len(data)) {\nbarrier;\n}\nif (len(shared)) {\nbarrier;\n}\n"},
    {"workgroup_id", "if (workgroup_id.x == 3) {\nbarrier;\n} else {\nbarrier;\n}\n"},
    {"uniform_load", "if (params[0]) {\nbarrier;\n}\n"},
    {"read_load", "if (data[workgroup_id.y]) {\nbarrier;\n}\n"},
    {"load_through_load", "if (data[params[data[1]]]) {\nbarrier;\n}\n"},
    {"select_of_uniform", "if (select(params[0], data[0], len(out))) {\nbarrier;\n}\n"},
    {"cast_of_uniform", "if (cast<bool>(params[0])) {\nbarrier;\n}\n"},
    {"local_id", "if (local_id.x) {\nbarrier; //!\n} else {\nbarrier; //!\n}\nbarrier;\n"},
    {"local_id_of_an_axis_of_size_1", "if (local_id.z) {\nbarrier; //!\n}\n"},
    {"invocation_id", "if (invocation_id.y < 3) {\nbarrier; //!\n}\n"},
    {"read_load_at_local_id", "if (data[local_id.x]) {\nbarrier; //!\n}\n"},
    {"uniform_load_at_local_id", "if (params[local_id.x]) {\nbarrier; //!\n}\n"},
    {"read_write_load", "if (out[0]) {\nbarrier; //!\n}\n"},
    {"workgroup_load", "if (shared[0]) {\nbarrier; //!\n}\n"},
    {"read_load_at_read_write_load", "if (data[out[0]]) {\nbarrier; //!\n}\n"},
    {"atomic", "if (atomic_add(out[0], 1)) {\nbarrier; //!\n}\n"},
    {"no_folding_by_zero", "if (local_id.x * 0) {\nbarrier; //!\n}\n"},
    {"no_folding_of_false", "if (0 && local_id.x) {\nbarrier; //!\n}\n"},
    {"select_of_equal_arms", "if (select(local_id.x, 1, 1)) {\nbarrier; //!\n}\n"},
    {"divergent_arm_not_taken", "if (select(false, local_id.x, 1)) {\nbarrier; //!\n}\n"},
    {"equal_by_definition", "if (invocation_id.x - local_id.x) {\nbarrier; //!\n}\n"},
    {"store_of_divergent_value", "shared[local_id.x] = local_id.y;\nbarrier;\n"},
    {"divergent_let_not_used", "let i = local_id.x;\nif (params[0]) {\nbarrier;\n}\nout[0] = i;\n"},

    // Nesting: control is uniform again after a divergent if or loop.
    {"inner_uniform_condition", "if (local_id.x) {\nif (params[0]) {\nbarrier; //!\n}\n}\nbarrier;\n"},
    {"outer_uniform_condition", "if (params[0]) {\nif (local_id.x) {\nout[0] = 1;\n}\nbarrier;\n}\n"},
    {"else_if_after_divergent",
     "if (local_id.x) {\nout[0] = 1;\n} else if (params[0]) {\nbarrier; //!\n} else {\nbarrier; "
     "//!\n}\nbarrier;\n"},
    {"else_if_before_divergent",
     "if (params[0]) {\nbarrier;\n} else if (local_id.x) {\nbarrier; //!\n} else {\nbarrier; //!\n}\n"},
    {"block_in_divergent", "if (local_id.x) {\n{\n{\nbarrier; //!\n}\n}\n}\n"},

    // Variables.
    {"let_of_local_id", "let x = local_id.x;\nif (x) {\nbarrier; //!\n}\n"},
    {"let_of_uniform", "let x = params[0] + workgroup_id.x;\nif (x) {\nbarrier;\n}\n"},
    {"let_chain", "let a = local_id.x;\nlet b = a;\nlet c = b;\nlet d = c;\nif (d) {\nbarrier; //!\n}\n"},
    {"assigned_uniform", "let x = 1;\nx = params[0];\nif (x) {\nbarrier;\n}\n"},
    {"assigned_divergent", "let x = 1;\nx = local_id.x;\nif (x) {\nbarrier; //!\n}\n"},
    {"every_assignment_counts", "let x = local_id.x;\nx = 1;\nif (x) {\nbarrier; //!\n}\n"},
    {"assigned_after_use", "let x = 1;\nif (x) {\nbarrier; //!\n}\nx = local_id.x;\n"},
    {"assigned_under_uniform", "let x = 1;\nif (params[0]) {\nx = 2;\n}\nif (x) {\nbarrier;\n}\n"},
    {"assigned_under_divergent", "let x = 1;\nif (local_id.x) {\nx = 2;\n}\nif (x) {\nbarrier; //!\n}\n"},
    {"assigned_its_own_value_under_divergent",
     "let x = 1;\nif (local_id.x) {\nx = x;\n}\nif (x) {\nbarrier; //!\n}\n"},
    {"let_inside_divergent", "if (local_id.x) {\nlet x = 1;\nif (x) {\nbarrier; //!\n}\n}\n"},
    {"siblings_of_one_name",
     "if (params[0]) {\nlet x = local_id.x;\nout[0] = x;\n}\nif (params[1]) {\nlet x = 1;\nif (x) "
     "{\nbarrier;\n}\n}\n"},
    {"swapped", "let a = 1;\nlet b = local_id.x;\nlet t = a;\na = b;\nb = t;\nif (t) {\nbarrier; //!\n}\n"},
    {"used_as_index", "let i = local_id.x;\nlet v = data[i];\nif (v) {\nbarrier; //!\n}\n"},

    // Loops.
    {"loop_literal_bounds", "for i in 0..4 {\nbarrier;\n}\n"},
    {"loop_uniform_bounds", "for i in params[0]..data[1] {\nbarrier;\n}\n"},
    {"loop_divergent_from", "for i in local_id.x..4 {\nbarrier; //!\n}\nbarrier;\n"},
    {"loop_divergent_to", "for i in 0..local_id.x {\nbarrier; //!\n}\nbarrier;\n"},
    {"loop_variable_uniform", "for i in 0..4 {\nif (i == 2) {\nbarrier;\n}\n}\n"},
    {"loop_variable_as_bound", "for i in 0..4 {\nfor j in i..8 {\nbarrier;\n}\n}\n"},
    {"loop_in_divergent", "if (local_id.x) {\nfor i in 0..4 {\nbarrier; //!\n}\n}\n"},
    {"divergent_if_in_loop", "for i in 0..4 {\nif (local_id.x < i) {\nout[i] = 1;\n}\nbarrier;\n}\n"},
    {"divergent_loop_in_loop", "for i in 0..4 {\nfor j in 0..local_id.x {\nout[j] = 1;\n}\nbarrier;\n}\n"},
    {"block_sum",
     "let local = local_id.x;\nfor step in 0..3 {\nlet stride = 4 >> step;\nif (local < stride) {\n"
     "shared[local] = shared[local] + shared[local + stride];\n}\nbarrier;\n}\n"},
    {"around_the_loop", "let x = 0;\nfor i in 0..4 {\nif (x) {\nbarrier; //!\n}\nx = local_id.x;\n}\n"},
    {"around_the_loop_twice",
     "let a = 0;\nlet b = 0;\nlet c = 0;\nfor i in 0..4 {\nif (c) {\nbarrier; //!\n}\nc = b;\nb = a;\na = "
     "out[0];\n}\n"},
    {"around_the_loop_by_control",
     "let a = 0;\nlet b = 0;\nfor i in 0..4 {\nif (b) {\nbarrier; //!\n}\nif (a) {\nb = 1;\n}\na = "
     "local_id.x;\n}\n"},
    {"counter_in_loop", "let n = 0;\nfor i in 0..4 {\nn = n + i;\nif (n < 3) {\nbarrier;\n}\n}\n"},
    {"bound_assigned_divergent", "let n = 4;\nfor i in 0..n {\nbarrier; //!\nn = local_id.x;\n}\n"},
    {"counted_under_divergent",
     "let n = 0;\nfor i in 0..4 {\nif (local_id.x < i) {\nn = n + 1;\n}\n}\nfor i in 0..n {\nbarrier; "
     "//!\n}\n"},

    // Returns.
    {"return_at_the_end", "barrier;\nreturn;\n"},
    {"uniform_return", "if (params[0]) {\nreturn;\n}\nbarrier;\n"},
    {"divergent_return", "barrier;\nif (local_id.x) {\nreturn;\n}\nbarrier; //!\nbarrier; //!\n"},
    {"divergent_return_in_else", "if (local_id.x) {\nout[0] = 1;\n} else {\nreturn;\n}\nbarrier; //!\n"},
    {"divergent_return_in_both", "if (local_id.x) {\nreturn;\n} else {\nreturn;\n}\nbarrier; //!\n"},
    {"nested_divergent_return",
     "if (params[0]) {\nif (local_id.x) {\nreturn;\n}\nbarrier; //!\n}\nbarrier; //!\n"},
    {"divergent_return_does_not_reach_else",
     "if (params[0]) {\nif (local_id.x) {\nreturn;\n}\n} else {\nbarrier;\n}\nbarrier; //!\n"},
    {"return_in_block", "{\nif (local_id.x) {\nreturn;\n}\n}\nbarrier; //!\n"},
    {"uniform_return_in_divergent", "if (local_id.x) {\nif (params[0]) {\nreturn;\n}\n}\nbarrier; //!\n"},
    {"back_edge", "for i in 0..4 {\nbarrier; //!\nif (local_id.x) {\nreturn;\n}\n}\nbarrier; //!\n"},
    {"uniform_return_in_loop",
     "for i in 0..4 {\nbarrier;\nif (data[i]) {\nreturn;\n}\nbarrier;\n}\nbarrier;\n"},
    {"back_edge_of_outer_loop",
     "barrier;\nfor i in 0..4 {\nbarrier; //!\nfor j in 0..4 {\nbarrier; //!\nif (local_id.x) "
     "{\nreturn;\n}\n}\n}\n"},
    {"earlier_loop_not_reached", "for i in 0..4 {\nbarrier;\n}\nif (local_id.x) {\nreturn;\n}\n"},
    {"return_in_divergent_loop", "for i in 0..local_id.x {\nreturn;\n}\nbarrier; //!\n"},
    {"uniform_assignment_after_divergent_return",
     "let x = 0;\nfor i in 0..2 {\nif (x) {\nbarrier; //!\n}\nif (local_id.x) {\nreturn;\n}\nx = 1;\n}\n"},
    {"return_condition_divergent_around_loop",
     "let x = 0;\nfor i in 0..4 {\nbarrier; //!\nif (x) {\nreturn;\n}\nx = local_id.x;\n}\n"},
    {"assigned_before_the_return",
     "let x = params[0];\nif (local_id.x) {\nreturn;\n}\nout[0] = x;\n"
     "for i in 0..x {\nbarrier; //!\n}\n"},
};

INSTANTIATE_TEST_SUITE_P(Semantics, UniformityCase, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

std::vector<std::string> notes_of_first(const std::string& body) {
  auto program = text::parse(kHead + body + "}\n");
  const auto checked = check(std::move(*program), spec::OpTable());
  std::vector<std::string> out;
  for (const DiagNote& note : checked.error().front().notes) out.push_back(note.message);
  return out;
}

TEST(UniformityNotes, NameTheReason) {
  EXPECT_EQ(
      notes_of_first("if (local_id.x) { barrier; }\n"),
      (std::vector<std::string>{"this condition can differ between invocations because of local_id here"}));
  EXPECT_EQ(notes_of_first("let n = out[0]; for i in 0..n { barrier; }\n"),
            (std::vector<std::string>{
                "this loop bound can differ between invocations because of `n` here",
                "`n` can differ between invocations because of a load from `out`, which others "
                "may write, here"}));
  EXPECT_EQ(notes_of_first("if (invocation_id.x > 9) { return; } barrier;\n"),
            (std::vector<std::string>{
                "some invocations may have returned here and others not",
                "this condition can differ between invocations because of invocation_id here"}));
  EXPECT_EQ(notes_of_first("let x = 0; if (atomic_or(out[0], 1)) { x = 1; } if (x) { barrier; }\n"),
            (std::vector<std::string>{
                "this condition can differ between invocations because of `x` here",
                "`x` can differ between invocations because it is set here, which not all of them may reach",
                "this condition can differ between invocations because of atomic_or, which gives each "
                "invocation its "
                "own value, here"}));
}

}  // namespace
}  // namespace vyre::check
