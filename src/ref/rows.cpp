#include "ref/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "text/text.h"

namespace vyre::ref {
namespace {

/// An operation has no memory.
class NoMemory final : public Memory {
 public:
  uint32_t length(BufferId) const override { return 0; }
  Bits load(BufferId, Indices) override { return 0; }
  void store(BufferId, Indices, Bits) override {}
  Bits atomic(spec::Op, BufferId, Bits, Bits, Bits) override { return 0; }
};

std::array<uint32_t, 4> words(Bits bits) {
  return {uint32_t(bits), uint32_t(bits >> 32), uint32_t(bits >> 64), uint32_t(bits >> 96)};
}
Bits bits_of(const ir::Value& value) {
  Bits out = 0;
  for (size_t i = 4; i-- > 0;) out = out << 32 | value.bits[i];
  return out;
}

}  // namespace

Applied::Applied(const check::CheckedModule& module, const spec::OpDef& operation)
    : function_(module.function(operation)), ready_(module, function_) {}

std::optional<Bits> Applied::operator()(std::span<const Bits> operands, uint64_t max_steps) const {
  NoMemory memory;
  Budget budget(max_steps);
  Invocation invocation(ready_, memory, budget);
  invocation.start({});
  for (uint32_t i = 0; i < operands.size(); ++i) invocation.set(check::VarId{i}, operands[i]);
  if (invocation.run() == Event::OutOfSteps) return std::nullopt;
  const Bits result = invocation.evaluate(function_.function->result);
  if (budget.left() == 0) return std::nullopt;
  return result;
}

Diagnostics check_rows(const check::CheckedModule& module, size_t number) {
  Diagnostics out;
  const ir::Operation& operation = module.module().operations[number];
  if (operation.rows.empty()) return out;
  const Applied applied(module, *module.operations()[number]);
  for (const ir::Row& row : operation.rows) {
    std::vector<Bits> operands;
    for (const ir::Value& value : row.operands) operands.push_back(bits_of(value));
    const auto result = applied(operands, kMaxRowSteps);
    if (!result) {
      out.push_back(make_diag(DiagCode::B005, row.span,
                              fmt::format("the row takes more than {} steps", kMaxRowSteps),
                              "choose operands on which it takes less"));
    } else if (*result != bits_of(row.expected)) {
      const auto shown = [&](Bits bits) {
        return text::print_literal(operation.function.result_type, words(bits));
      };
      out.push_back(make_diag(DiagCode::V050, row.span,
                              fmt::format("the row says {}, and the operation gives {}",
                                          shown(bits_of(row.expected)), shown(*result)),
                              "the row is what was decided: mend the operation, or the row if it is wrong"));
    }
  }
  return out;
}

Diagnostics check_rows(const check::CheckedModule& module) {
  Diagnostics out;
  for (size_t i = 0; i < module.operations().size(); ++i)
    std::ranges::move(check_rows(module, i), std::back_inserter(out));
  return out;
}

}  // namespace vyre::ref
