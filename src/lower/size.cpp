#include "lower/size.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "lower/walk.h"

namespace vyre::lower {
namespace {

using spec::DataType;

/// All that the size of an operator depends on.
using Kind = std::tuple<spec::Op, DataType, DataType, spec::RoundingMode, uint32_t, std::vector<DataType>>;

Kind kind_of(const Kernel& kernel, const Inst& inst) {
  std::vector<DataType> operands;
  for (const Value v : kernel.args(inst)) operands.push_back(kernel[v].type);
  return {inst.op, inst.type, inst.operand_type, inst.mode, inst.imm, std::move(operands)};
}

/// The operator by itself, legalized: its operands are variables, of which nothing is known.
uint64_t size_of(const Kernel& kernel, const Inst& inst, const Target& target) {
  Kernel alone;
  alone.entry = alone.add_block();
  std::vector<Value> operands;
  for (const Value v : kernel.args(inst)) {
    const DataType type = kernel[v].type;
    const uint32_t slot = uint32_t(alone.slots.size());
    alone.slots.push_back({"operand", type});
    operands.push_back(alone.add({.kind = InstKind::Get, .type = type, .target = slot}, {}));
    alone.blocks[index(alone.entry)].push_back(operands.back());
  }
  Inst copy = inst;
  copy.origin = Span::none();
  alone.blocks[index(alone.entry)].push_back(alone.add(copy, operands));
  return legalize(alone, target).insts.size();
}

bool is_operator(const Inst& inst) { return inst.kind == InstKind::Apply; }

}  // namespace

uint64_t expansion(const Kernel& kernel, const Target& target) {
  std::map<Kind, uint64_t> sizes;
  uint64_t sum = 0;
  for (const Inst& inst : kernel.insts) {
    if (!is_operator(inst)) continue;
    const auto [at, fresh] = sizes.try_emplace(kind_of(kernel, inst));
    if (fresh) at->second = size_of(kernel, inst, target);
    sum += at->second;
  }
  return sum;
}

uint64_t steps_of_invocation(const Kernel& kernel) {
  constexpr double kRounds = 16, kMost = 1e15;
  std::vector<double> rounds = {1};  // of the loops around
  double steps = 0;
  walk(
      kernel, kernel.entry,
      [&](Value v) {
        const Inst& inst = kernel[v];
        steps += rounds.back();
        if (inst.kind == InstKind::Loop) {
          const Inst& from = kernel[kernel.arg(inst, 0)];
          const Inst& to = kernel[kernel.arg(inst, 1)];
          const bool known = from.kind == InstKind::Const && to.kind == InstKind::Const;
          const double times = !known ? kRounds : to.imm > from.imm ? to.imm - from.imm : 0;
          rounds.push_back(std::min(rounds.back() * times, kMost));
        }
        return true;
      },
      [](Value) {},
      [&](Value v) {
        if (kernel[v].kind == InstKind::Loop) rounds.pop_back();
      });
  return uint64_t(std::min(steps, kMost));
}

Result<Kernel> legalize_bounded(const Kernel& kernel, const Target& target) {
  const uint64_t most = kMaxExpansion + kPlainExpansion * kernel.insts.size();
  const auto operators = uint64_t(std::ranges::count_if(kernel.insts, is_operator));
  if (operators * kMaxOperatorSize > most) {
    const uint64_t size = expansion(kernel, target);
    if (size > most) {
      return std::unexpected(make_diag(
          DiagCode::B003, Span::none(),
          fmt::format("'{}': its {} operators come to {} instructions for {}, and at most {} are allowed",
                      kernel.name, operators, size, target.name, most),
          "move repeated operators into a loop, or split the work over several programs"));
    }
  }
  return legalize(kernel, target);
}

}  // namespace vyre::lower
