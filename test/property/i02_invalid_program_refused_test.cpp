// I2: an invalid program is refused, with a diagnostic that says why.
//
// What a program may not do is decided before anything runs: the checker answers data, a code with a message,
// and never stops the process. Random programs, of which each is valid, are broken in one of the ways that
// the specification lists, at a random place; the code must be the one of that rule.
// Source: vyre-conform-spec, "Program Structure"; execution-model, "Dispatch Lifecycle".
#include <algorithm>
#include <array>
#include <string_view>

#include "oracle.h"
#include "property/programs.h"
#include "spec/ops.h"

VYRE_ORACLE(Property,
            "vyre-conform-spec, \"Program Structure\": the rules of validation, each broken by construction");

namespace vyre::test {
namespace {

/// Breaks a rule somewhere. False where the program has no place to break it.
using Break = bool (*)(ir::Program& program, RandomStream& random);
struct Rule {
  std::string_view what;
  DiagCode code;
  Break breaks;
};

/// One of those that a predicate takes, at random.
template <typename T, typename Takes>
T* any_of(std::span<T> all, RandomStream& random, Takes takes) {
  std::vector<T*> found;
  for (T& one : all)
    if (takes(one)) found.push_back(&one);
  return found.empty() ? nullptr : found[random.below(uint32_t(found.size()))];
}
std::span<ir::Expr> expressions(ir::Program& program) {
  return {program.code.exprs.data(), program.code.exprs.size()};
}
bool is_id(const ir::Expr& e) {
  return e.kind == ir::ExprKind::InvocationId || e.kind == ir::ExprKind::WorkgroupId ||
         e.kind == ir::ExprKind::LocalId;
}
bool is_bound(const ir::BufferDecl& buffer) { return spec::is_bound(buffer.access); }

const auto kRules = std::to_array<Rule>({
    {"no duplicate names", DiagCode::V001,
     [](ir::Program& program, RandomStream& random) {
       const auto count = uint32_t(program.buffers.size());
       if (count < 2) return false;
       const uint32_t one = random.below(count);
       program.buffers[one].name = program.buffers[(one + 1) % count].name;
       return true;
     }},
    {"no duplicate bindings", DiagCode::V002,
     [](ir::Program& program, RandomStream& random) {
       ir::BufferDecl* one = any_of(std::span(program.buffers), random, is_bound);
       if (one == nullptr) return false;
       const ir::BufferDecl* other = any_of(std::span(program.buffers), random,
                                            [&](const auto& b) { return is_bound(b) && &b != one; });
       if (other == nullptr) return false;
       one->binding = other->binding;
       return true;
     }},
    {"all refs resolve", DiagCode::V003,
     [](ir::Program& program, RandomStream& random) {
       ir::Expr* load = any_of(expressions(program), random,
                               [](const ir::Expr& e) { return e.kind == ir::ExprKind::Load; });
       if (load == nullptr) return false;
       load->symbol = program.code.intern("no_such_buffer");
       return true;
     }},
    {"stores only to ReadWrite", DiagCode::V006,
     [](ir::Program& program, RandomStream& random) {
       std::vector<ir::BufferDecl*> stored;
       for (uint32_t n = 0; n < program.code.nodes.size(); ++n) {
         const ir::Node node = program.code.nodes[n];
         if (node.kind != ir::NodeKind::Store) continue;
         const auto buffer = std::ranges::find(program.buffers, node.symbol, &ir::BufferDecl::name);
         if (buffer->access == spec::BufferAccess::ReadWrite) stored.push_back(&*buffer);
       }
       if (stored.empty()) return false;
       stored[random.below(uint32_t(stored.size()))]->access = spec::BufferAccess::Read;
       return true;
     }},
    {"vars in scope", DiagCode::V003,
     [](ir::Program& program, RandomStream& random) {
       ir::Expr* use = any_of(expressions(program), random,
                              [](const ir::Expr& e) { return e.kind == ir::ExprKind::Var; });
       if (use == nullptr) return false;
       use->symbol = program.code.intern("no_such_variable");
       return true;
     }},
    {"axes 0..2", DiagCode::V016,
     [](ir::Program& program, RandomStream& random) {
       ir::Expr* id = any_of(expressions(program), random, is_id);
       if (id == nullptr) return false;
       id->immediate = 3 + random.below(5);
       return true;
     }},
    {"workgroup_size >= 1", DiagCode::V009,
     [](ir::Program& program, RandomStream& random) {
       program.workgroup_size[random.below(3)] = 0;
       return true;
     }},
});

/// Whether the checker refuses the program, and says that it is for this reason among others.
bool is_refused(const ir::Program& program, DiagCode code) {
  const auto result = check::check(program, ops::op_table());
  return !result && std::ranges::any_of(result.error(), [&](const Diag& diag) {
    return diag.code == code && !diag.message.empty();
  });
}

TEST(Property, I02InvalidProgramRefused) {
  for_each_case(6'000, [](const PropertyCase& c) {
    ir::Program program = random_program(c).program;
    RandomStream random = c.random(2);
    const Rule* rule = &kRules[random.below(uint32_t(kRules.size()))];
    // Where there is no place to break it, the next one; the last can be broken everywhere.
    while (!rule->breaks(program, random)) ++rule;
    EXPECT_TRUE(is_refused(program, rule->code)) << "the rule that was broken: " << rule->what;
  });
}

}  // namespace
}  // namespace vyre::test
