#include "symbolic/llvm/emitted.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>

#include "lower/llvm/codegen.h"
#include "lower/llvm/ptx_module.h"
#include "lower/llvm/raw.h"
#include "spec/ops.h"

namespace vyre::symbolic {

using lower::Kernel;
using smt::Pool;
using smt::Term;
using solver::open_proof;
using solver::Proof;

std::string_view text(LlvmCode code) { return code == LlvmCode::Cpu ? "llvm" : "ptx"; }

namespace {

constexpr const char* kEntry = "entry";
constexpr const char* kWrapper = "one_invocation";
constexpr lower::PtxTarget kChip{70};

/// void one_invocation(ptr, i32, ptr, i32, ...): calls the printer's function on one workgroup. It becomes
/// part of this one, and its loops, which have one turn, vanish.
llvm::Function* wrap(llvm::Module& module, llvm::Function& entry, size_t buffers) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  std::vector<llvm::Type*> types;
  for (size_t n = 0; n < buffers; ++n) types.insert(types.end(), {b.getPtrTy(), b.getInt32Ty()});
  auto* wrapper = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                         llvm::Function::ExternalLinkage, kWrapper, module);
  wrapper->addFnAttrs(llvm::AttrBuilder(context, entry.getAttributes().getFnAttrs()));
  entry.setLinkage(llvm::Function::InternalLinkage);
  entry.addFnAttr(llvm::Attribute::AlwaysInline);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", wrapper));
  // struct CpuBuffer { std::byte* data; uint64_t count; }
  auto* buffer = llvm::StructType::get(b.getPtrTy(), b.getInt64Ty());
  auto* bound = b.CreateAlloca(llvm::ArrayType::get(buffer, buffers));
  auto* groups = b.CreateAlloca(llvm::ArrayType::get(b.getInt32Ty(), 3));
  for (unsigned n = 0; n < buffers; ++n) {
    b.CreateStore(wrapper->getArg(2 * n), b.CreateConstGEP1_64(b.getInt64Ty(), bound, 2 * n));
    b.CreateStore(b.CreateZExt(wrapper->getArg(2 * n + 1), b.getInt64Ty()),
                  b.CreateConstGEP1_64(b.getInt64Ty(), bound, 2 * n + 1));
  }
  for (unsigned axis = 0; axis < 3; ++axis)
    b.CreateStore(b.getInt32(1), b.CreateConstGEP1_64(b.getInt32Ty(), groups, axis));
  auto* no_scratch = llvm::ConstantPointerNull::get(b.getPtrTy());
  b.CreateCall(&entry, {bound, groups, b.getInt64(0), b.getInt64(1), no_scratch});
  b.CreateRetVoid();
  return wrapper;
}

std::expected<EmittedLlvm, std::string> emit_cpu(const ScalarProgram& program, llvm::LLVMContext& context) {
  auto machine = lower::host_machine(2);
  if (!machine) return std::unexpected(machine.error().message);
  auto module = std::make_unique<llvm::Module>(program.name, context);
  module->setTargetTriple((*machine)->getTargetTriple().str());
  module->setDataLayout((*machine)->createDataLayout());
  const Kernel legal = lower::legalize(program.kernel, lower::kLlvmTarget);
  if (const auto done = lower::emit_cpu(legal, *module, kEntry, lower::emit_options(2)); !done)
    return std::unexpected(done.error().message);
  llvm::Function* wrapper = wrap(*module, *module->getFunction(kEntry), buffers_of(program.kernel).size());
  lower::optimise(*module, **machine, 2);
  return EmittedLlvm{std::move(module), wrapper};
}

std::expected<EmittedLlvm, std::string> emit_ptx(const ScalarProgram& program, llvm::LLVMContext& context) {
  const Kernel legal = lower::legalize(program.kernel, lower::kPtxTarget);
  auto module = lower::optimised_ptx_module(legal, kChip, context);
  if (!module) return std::unexpected(module.error().message);
  for (const llvm::Function& function : **module) {
    if (!function.isDeclaration()) return EmittedLlvm{std::move(*module), &function};
  }
  return std::unexpected("the module has no function");
}

/// Raw operators are on words or long values: a comparison's bit is widened as the printers do it.
llvm::Function* row_function(llvm::Module& module, lower::RawOp op) {
  llvm::IRBuilder<> b(module.getContext());
  std::vector<llvm::Type*> types;
  const auto type = [&](bool is_long) { return is_long ? b.getInt64Ty() : b.getInt32Ty(); };
  for (uint32_t n = 0; n < lower::info(op).operands; ++n) types.push_back(type(lower::takes_long(op, n)));
  llvm::Type* const given = type(lower::gives_long(op));
  auto* function = llvm::Function::Create(llvm::FunctionType::get(given, types, false),
                                          llvm::Function::ExternalLinkage, "row", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
  llvm::Value* x[3] = {};
  for (unsigned n = 0; n < types.size(); ++n) x[n] = function->getArg(n);
  llvm::Value* condition = lower::selects(op) ? b.CreateICmpNE(x[0], b.getInt32(0)) : nullptr;
  llvm::Value* result = lower::emit_raw(b, op, {.a = x[0], .b = x[1], .c = x[2], .condition = condition});
  b.CreateRet(b.CreateZExt(result, given));
  return function;
}

}  // namespace

std::expected<EmittedLlvm, std::string> emit(const ScalarProgram& program, LlvmCode code,
                                             llvm::LLVMContext& context) {
  return code == LlvmCode::Cpu ? emit_cpu(program, context) : emit_ptx(program, context);
}

std::vector<LlvmParameter> parameters_of(Pool& pool, Memory& memory) {
  std::vector<LlvmParameter> out;
  for (uint32_t n = 0; n < memory.size(); ++n) {
    out.push_back({.kind = LlvmParameter::Kind::Address, .buffer = n, .number = pool.truth(true)});
    out.push_back({.kind = LlvmParameter::Kind::Number, .buffer = n, .number = memory.length(n)});
  }
  return out;
}

Proof prove_emitted(CodeProver& prover, const ScalarProgram& program, const llvm::Function& function,
                    LlvmCode code) {
  Pool pool;
  Memory memory(pool, buffers_of(program.kernel));
  const auto meaning = meaning_of(pool, memory, program);
  if (!meaning) return open_proof(meaning.error());
  const uint32_t alignment = code == LlvmCode::Cpu ? 4 : 16;
  const auto read_back = read(pool, memory, function, parameters_of(pool, memory), alignment);
  if (!read_back) return open_proof(read_back.error());
  return prover.prove(pool, memory, read_back->reading, *meaning);
}

std::vector<LoweringProof> prove_emitted_llvm(CodeProver& prover, const LoweringRequest& request) {
  std::vector<LoweringProof> out;
  for (const ScalarProgram& program : programs_of_words(request)) {
    for (const LlvmCode code : {LlvmCode::Cpu, LlvmCode::Ptx}) {
      llvm::LLVMContext context;
      const auto emitted = emit(program, code, context);
      out.push_back(
          {program.name, fmt::format("emitted({})", text(code)),
           emitted ? prove_emitted(prover, program, *emitted->function, code) : open_proof(emitted.error())});
      request.done(out.back());
    }
  }
  return out;
}

Proof prove_raw(CodeProver& prover, lower::RawOp op, const llvm::Function& function) {
  Pool pool;
  Memory memory(pool, {});
  std::vector<LlvmParameter> parameters;
  std::vector<Term> operands;
  for (unsigned n = 0; n < function.arg_size(); ++n) {
    const unsigned bits = function.getArg(n)->getType()->getIntegerBitWidth();
    operands.push_back(pool.variable(std::string(1, char('a' + n)), bits));
    parameters.push_back({.kind = LlvmParameter::Kind::Number, .number = operands.back()});
  }
  const auto code = read(pool, memory, function, parameters);
  if (!code) return open_proof(code.error());
  const RawMeaning meaning = encode(pool, op, operands);
  std::vector<Term> truths;
  for (const Obligation& obligation : code->reading.obligations) truths.push_back(obligation.holds);
  truths.push_back(pool.and_(pool.not_(*code->poison), pool.eq(*code->result, meaning.value)));
  const Term holds = pool.implies(meaning.domain, pool.all(truths));
  return prover.prove(pool, Equivalence{holds, meaning.domain, {}, pool.variables_of(holds)});
}

std::vector<LoweringProof> prove_raw_llvm(CodeProver& prover, const LoweringRequest& request) {
  std::vector<LoweringProof> out;
  for (const lower::RawOpInfo& op : lower::kRawOps) {
    const std::string name = fmt::format("{}.raw", op.mnemonic);
    if (op.is_float || !request.wanted(name)) continue;
    llvm::LLVMContext context;
    llvm::Module module("rows", context);
    out.push_back({name, "raw(llvm)", prove_raw(prover, op.op, *row_function(module, op.op))});
    request.done(out.back());
  }
  return out;
}

}  // namespace vyre::symbolic
