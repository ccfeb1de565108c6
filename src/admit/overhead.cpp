// Gate 3: after lowering and LLVM's optimiser nothing is left of an operation but its own instructions.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "admit/code.h"
#include "admit/gates.h"
#include "ir/builder.h"
#include "lower/codegen/cpu.h"

namespace vyre::admit {
namespace {

struct Left {
  uint32_t instructions = 0;  // but accesses to memory and their addresses
  std::string forbidden;      // a line that calls, or branches to where only a run tells
};

/// What an instruction does, of a line "  %x = tail call i32 @f(...)" or "  store ...".
std::string opcode_of(std::string_view line) {
  const size_t equals = line.find(" = ");
  std::string_view rest = line.substr(equals == std::string_view::npos ? 2 : equals + 3);
  for (const std::string_view prefix : {"tail ", "musttail ", "notail "}) {
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  }
  return std::string(rest.substr(0, rest.find(' ')));
}

/// Whether a call is of one of LLVM's intrinsics, which are instructions under another name.
bool is_intrinsic(std::string_view line) { return line.find(" @llvm.") != std::string_view::npos; }

Left read(const std::string& assembly) {
  Left left;
  bool inside = false;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("define ")) inside = true;
    if (line.starts_with("}")) inside = false;
    const bool instruction =
        inside && line.starts_with("  ") && line.size() > 2 && line[2] != ' ' && line[2] != ']';
    if (!instruction) continue;
    const std::string opcode = opcode_of(line);
    const bool calls = (opcode == "call" && !is_intrinsic(line)) || opcode == "invoke" || opcode == "callbr";
    if (calls || opcode == "indirectbr") left.forbidden = line.substr(2);
    // What is assumed is no instruction of any machine.
    const bool assumed = line.find("@llvm.assume") != std::string::npos ||
                         line.find("@llvm.experimental.noalias") != std::string::npos;
    const bool access =
        opcode == "load" || opcode == "store" || opcode == "getelementptr" || opcode == "freeze";
    if (!access && !assumed) ++left.instructions;
  }
  return left;
}

Result<Left> left_of(const ops::Operation& operation, Store store) {
  ScalarProgram program;
  VYRE_CHECK(make_program(operation, program, store));
  const lower::Kernel kernel = lower::build(*program.checked);
  VYRE_TRY(assembly, lower::print_llvm(lower::legalize(kernel, lower::kLlvmTarget), true));
  return read(assembly);
}

/// An operation with the same inputs whose own code is known: the exclusive or of its operands, of one with
/// ones.
Result<uint32_t> around(const ops::Operation& operation) {
  static constexpr std::string_view kNames[] = {"a", "b", "c"};
  ops::Operation known = operation;
  known.id = "admission.known";
  known.parameter_names = {};
  for (size_t i = 0; i < operation.signature.inputs.size(); ++i) known.parameter_names.push_back(kNames[i]);
  known.compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) {
    ir::Ex all = p.size() == 1 ? ~p[0] : p[0];
    for (const ir::Ex next : p.subspan(1)) all = all ^ next;
    return all;
  };
  VYRE_TRY(left, left_of(known, Store::Exchange));
  return left.instructions - uint32_t(std::max<size_t>(operation.signature.inputs.size() - 1, 1));
}

}  // namespace

Result<uint32_t> count_instructions(const ops::Operation& operation) {
  VYRE_TRY(left, left_of(operation, Store::Exchange));
  VYRE_TRY(rest, around(operation));
  return left.instructions - rest;
}

std::optional<uint32_t> hand_written(std::string_view id) {
#define VYRE_HAND_WRITTEN(operation, instructions, what) \
  if (id == operation) return instructions;
#include "admit/handwritten.def"
#undef VYRE_HAND_WRITTEN
  return std::nullopt;
}

void check_overhead(const Candidate& candidate, Diagnostics& refusals) {
  const ops::Operation& operation = *candidate.operation;
  if (operation.compose == nullptr) return;  // an instruction is its own code
  const auto refuse = [&](std::string what, std::string help) {
    refusals.push_back(make_diag(DiagCode::C010, Span::none(),
                                 fmt::format("{}@{}: {}", operation.id, operation.version, what),
                                 std::move(help)));
  };
  const auto left = left_of(operation, Store::Plain);
  if (!left) return refuse("it cannot be lowered: " + left.error().message, left.error().help);
  if (!left->forbidden.empty()) {
    return refuse(fmt::format("after lowering there is still `{}`", left->forbidden),
                  "compose it so that everything is inlined");
  }
  if (!candidate.hand_written) return;
  const auto own = count_instructions(operation);
  if (!own) return refuse("its code cannot be measured: " + own.error().message, own.error().help);
  if (*own > *candidate.hand_written) {
    refuse(
        fmt::format("it leaves {} instructions, and hand-written code has {}", *own, *candidate.hand_written),
        "compose it as one would write it by hand; `vyre lower --to llvm` shows what is left");
  }
}

}  // namespace vyre::admit
