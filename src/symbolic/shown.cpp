#include "symbolic/shown.h"

#include <fmt/format.h>

namespace vyre::symbolic {

std::string shown_word(uint32_t word) {
  return word < 65536 ? fmt::format("{}", word) : fmt::format("0x{:08x}", word);
}

std::string shown_row(const ops::ForAllRow& row) {
  const auto shown = [](const std::optional<uint32_t>& word) {
    return word ? shown_word(*word) : std::string("x");
  };
  std::string operands;
  for (const auto& operand : row.operands) operands += (operands.empty() ? "" : ", ") + shown(operand);
  return fmt::format("f({}) = {}", operands, shown(row.expected));
}

std::string shown_solvers(const solver::Proof& proof) {
  if (proof.solver.empty()) return "no solver needed";
  return proof.confirmed.empty() ? proof.solver : fmt::format("{} and {}", proof.solver, proof.confirmed);
}

}  // namespace vyre::symbolic
