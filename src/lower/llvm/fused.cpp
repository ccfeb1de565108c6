// Counting fused multiply-adds: in kernels, in modules and in machine code.
#include <fmt/format.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <array>
#include <optional>

#include "lower/llvm/audit.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

/// The mnemonic of a line of assembly; empty for labels, directives and comments.
std::string_view mnemonic(std::string_view line) {
  constexpr std::string_view kSpace = " \t";
  const size_t begin = line.find_first_not_of(kSpace);
  if (begin == line.npos) return {};
  line.remove_prefix(begin);
  if (line.starts_with("/*")) {  // SASS: an address in front
    const size_t end = line.find("*/");
    return end == line.npos ? std::string_view{} : mnemonic(line.substr(end + 2));
  }
  if (line.starts_with('@')) {  // PTX and SASS: a predicate in front
    const size_t end = line.find_first_of(kSpace);
    return end == line.npos ? std::string_view{} : mnemonic(line.substr(end));
  }
  line = line.substr(0, line.find_first_of(" \t;"));
  return line.ends_with(':') ? std::string_view{} : line;
}

bool is_fused(std::string_view mnemonic) {
  // x86-64: vfmadd213ss, vfnmsub231ps, ...; AArch64: fmadd, fnmsub, fmla, ...; PTX: fma.rn.f32; SASS: FFMA.
  constexpr std::array<std::string_view, 13> kPrefixes = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "fmadd",
                                                          "fmsub",  "fnmadd", "fnmsub",  "fmla",    "fmls",
                                                          "fma.",   "FFMA",   "mad.rn.f"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view p) { return mnemonic.starts_with(p); });
}

Diag contracted(std::string_view where, size_t wanted, size_t found) {
  return make_diag(DiagCode::L003, Span::none(),
                   fmt::format("{} has {} fused multiply-adds where {} were asked for", where, found, wanted),
                   "report the program; --float composed does without float instructions");
}

}  // namespace

size_t count_fused(const Kernel& kernel) {
  return size_t(std::ranges::count_if(kernel.insts, [](const Inst& inst) {
    return inst.kind == InstKind::Raw && (inst.raw == RawOp::FMulAdd || inst.raw == RawOp::WideMulAdd);
  }));
}

size_t count_fused(const llvm::Module& module, llvm::TargetMachine& machine) {
  size_t count = 0;
  for (const llvm::Function& function : module) {
    std::optional<llvm::TargetTransformInfo> info;  // costs more than a small function has instructions
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::fma) continue;
      if (!info) info.emplace(machine.getTargetTransformInfo(function));
      count += std::max(1u, info->getNumberOfParts(call->getType()));
    }
  }
  return count;
}

size_t count_fused(std::string_view assembly) {
  size_t count = 0;
  while (!assembly.empty()) {
    const size_t end = std::min(assembly.find('\n'), assembly.size() - 1);
    if (is_fused(mnemonic(assembly.substr(0, end)))) ++count;
    assembly.remove_prefix(end + 1);
  }
  return count;
}

Result<void> check_fused(std::span<const Kernel> kernels, const llvm::Module& module,
                         llvm::TargetMachine& machine, std::string_view assembly) {
  size_t wanted = 0;
  for (const Kernel& kernel : kernels) wanted += count_fused(kernel);
  const size_t emitted = count_fused(module, machine);
  if (wanted == 0 && emitted != 0) return std::unexpected(contracted("the module", wanted, emitted));
  if (assembly.empty() || emitted != 0) return {};
  const size_t made = count_fused(assembly);
  if (made != 0) return std::unexpected(contracted("the machine code", emitted, made));
  return {};
}

}  // namespace vyre::lower
