#include "generate/programs.h"

#include <fmt/format.h>

#include <string_view>

#include "generate/program_writer.h"

namespace vyre::generate {

uint32_t ByteChoices::next() {
  uint32_t out = 0;
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t byte = at_ < bytes_.size() ? bytes_[at_++] : 0;
    out |= byte << (24 - 8 * i);  // below() looks at the high bits
  }
  return out;
}

ProgramCase random_program(Choices& choices, const ProgramOptions& options) {
  return ProgramWriter(choices, options).write();
}

ProgramCase random_program(uint64_t seed, uint64_t index, const ProgramOptions& options) {
  RandomChoices choices(seed, index);
  return random_program(choices, options);
}

void ProgramCoverage::add(const ir::Program& program) {
  ++programs_;
  for (const ir::Node& node : program.code.nodes) ++nodes_[size_t(node.kind)];
  for (const ir::Expr& expr : program.code.exprs) {
    ++exprs_[size_t(expr.kind)];
    if (expr.kind == ir::ExprKind::Apply) ++ops_[size_t(expr.op)];
  }
}

void ProgramCoverage::add(const ProgramCoverage& other) {
  programs_ += other.programs_;
  for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i] += other.nodes_[i];
  for (size_t i = 0; i < exprs_.size(); ++i) exprs_[i] += other.exprs_[i];
  for (size_t i = 0; i < ops_.size(); ++i) ops_[i] += other.ops_[i];
}

std::string ProgramCoverage::print() const {
  constexpr std::string_view kNodes[] = {"Let",  "Assign", "Store", "If",
                                         "Loop", "Return", "Block", "Barrier"};
  constexpr std::string_view kExprs[] = {"Literal",      "Var",         "Load",    "BufLen",
                                         "InvocationId", "WorkgroupId", "LocalId", "Apply"};
  static_assert(std::size(kNodes) == ir::kNodeKindCount && std::size(kExprs) == ir::kExprKindCount);
  std::string missing;
  const auto line = [&](std::string_view title, size_t count, auto name, auto value) {
    std::string out = fmt::format("  {:<12}", title);
    for (size_t i = 0; i < count; ++i) {
      out += fmt::format(" {} {}", name(i), value(i));
      if (value(i) == 0) missing += fmt::format(" {}", name(i));
    }
    return out + '\n';
  };
  std::string out = fmt::format("coverage of {} programs\n", programs_);
  out += line(
      "statements", nodes_.size(), [&](size_t i) { return kNodes[i]; }, [&](size_t i) { return nodes_[i]; });
  out += line(
      "expressions", exprs_.size(), [&](size_t i) { return kExprs[i]; }, [&](size_t i) { return exprs_[i]; });
  out += line(
      "operators", ops_.size(), [&](size_t i) { return spec::kOps[i].mnemonic; },
      [&](size_t i) { return ops_[i]; });
  out += fmt::format("  {:<12}{}\n", "never", missing.empty() ? " -" : missing);
  return out;
}

}  // namespace vyre::generate
