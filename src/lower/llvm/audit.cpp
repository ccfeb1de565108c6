// What may not be in a module that becomes machine code. LLVM takes each of these for a permission and some
// code generator makes use of it.
#include "lower/llvm/audit.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <optional>
#include <string>

namespace vyre::lower {
namespace {

bool is_float(const llvm::Type* type) {
  if (const auto* list = llvm::dyn_cast<llvm::StructType>(type)) {
    return std::ranges::any_of(list->elements(), is_float);
  }
  if (const auto* list = llvm::dyn_cast<llvm::ArrayType>(type)) return is_float(list->getElementType());
  return type->isFPOrFPVectorTy();
}

/// The intrinsics on floats that are exact or rounded as IEEE 754 says; every other one is refused, also
/// those of LLVM's next version.
bool is_exact(llvm::Intrinsic::ID id) {
  constexpr llvm::Intrinsic::ID kExact[] = {
      llvm::Intrinsic::fma,      llvm::Intrinsic::sqrt,      llvm::Intrinsic::fabs,
      llvm::Intrinsic::copysign, llvm::Intrinsic::floor,     llvm::Intrinsic::ceil,
      llvm::Intrinsic::trunc,    llvm::Intrinsic::roundeven, llvm::Intrinsic::is_fpclass,
  };
  return std::ranges::find(kExact, id) != std::end(kExact);
}

/// Those that only move floats, as the vectoriser writes them.
bool is_move(llvm::Intrinsic::ID id) {
  constexpr llvm::Intrinsic::ID kMoves[] = {
      llvm::Intrinsic::masked_load,    llvm::Intrinsic::masked_store,  llvm::Intrinsic::masked_gather,
      llvm::Intrinsic::masked_scatter, llvm::Intrinsic::vector_insert, llvm::Intrinsic::vector_extract,
      llvm::Intrinsic::vector_reverse,
  };
  return std::ranges::find(kMoves, id) != std::end(kMoves);
}

using Complaint = std::optional<const char*>;

Complaint complaint_of_call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return "inline assembly";
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isIntrinsic()) return "a call that cannot be looked into";
  const bool floats = is_float(call.getType()) || std::ranges::any_of(call.args(), [](const llvm::Use& use) {
                        return is_float(use->getType());
                      });
  const llvm::Intrinsic::ID id = callee->getIntrinsicID();
  if (floats && !is_exact(id) && !is_move(id)) return "an operation that may be contracted or inexact";
  return std::nullopt;
}

Complaint complaint_of(const llvm::Instruction& instruction) {
  if (const auto* op = llvm::dyn_cast<llvm::FPMathOperator>(&instruction)) {
    if (op->getFastMathFlags().any()) return "a fast-math flag";
  }
  if (instruction.getMetadata(llvm::LLVMContext::MD_fpmath) != nullptr) return "a tolerated imprecision";
  if (instruction.getOpcode() == llvm::Instruction::FRem) return "a float remainder, which no target has";
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return complaint_of_call(*call);
  return std::nullopt;
}

Complaint complaint_of(const llvm::Function& function) {
  for (const char* permission : {"unsafe-fp-math", "approx-func-fp-math", "no-infs-fp-math",
                                 "no-nans-fp-math", "no-signed-zeros-fp-math"}) {
    if (function.getFnAttribute(permission).getValueAsBool()) return "a function attribute for fast math";
  }
  for (const char* mode : {"denormal-fp-math", "denormal-fp-math-f32"}) {
    const llvm::StringRef value = function.getFnAttribute(mode).getValueAsString();
    if (!value.empty() && value != "ieee" && value != "ieee,ieee") return "subnormals that are flushed";
  }
  return std::nullopt;
}

Diag refused(const char* what, const llvm::Function& function, const llvm::Instruction* instruction) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "emitted code: " << what << " in " << function.getName();
  if (instruction != nullptr) out << ":" << *instruction;
  return make_diag(DiagCode::L003, Span::none(), text, "report the program; another backend can run it");
}

}  // namespace

Result<void> audit(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (const Complaint what = complaint_of(function)) {
      return std::unexpected(refused(*what, function, nullptr));
    }
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) {
        if (const Complaint what = complaint_of(instruction)) {
          return std::unexpected(refused(*what, function, &instruction));
        }
      }
    }
  }
  return {};
}

}  // namespace vyre::lower
