#include "symbolic/llvm/reader.h"

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

#include "symbolic/llvm/value.h"

namespace vyre::symbolic {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using smt::Pool;
using smt::Term;

class Reader {
 public:
  Reader(Pool& pool, Memory& memory, const llvm::Function& function, uint32_t alignment)
      : p_(pool),
        memory_(memory),
        function_(function),
        layout_(function.getParent()->getDataLayout()),
        alignment_(alignment),
        context_{pool, demands_, fresh_} {}

  std::expected<LlvmReading, std::string> run(std::span<const LlvmParameter> parameters) {
    for (const llvm::Argument& argument : function_.args()) take(argument, parameters[argument.getArgNo()]);
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function_);
    for (const BasicBlock* block : order) {
      enter(*block);
      for (const Instruction& instruction : *block) {
        if (!error_.empty()) return std::unexpected(error_);
        here_ = &instruction;
        step(instruction);
      }
      done_[block] = true;
    }
    if (!error_.empty()) return std::unexpected(error_);
    return std::move(out_);
  }

 private:
  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }
  Term no() { return p_.truth(false); }
  LlvmValue nothing() { return {.bits = p_.constant(1, 0), .poison = no(), .buffer = {}, .members = {}}; }

  void owe(Term truth, std::string_view why) {
    const Term holds = p_.implies(path_, truth);
    if (p_.is_constant(holds) && p_[holds].bits == 1) return;
    out_.reading.obligations.push_back({holds, fmt::format("{}: {}", here_->getOpcodeName(), why)});
  }

  // ---- Values --------------------------------------------------------------------------------------------

  void take(const llvm::Argument& argument, const LlvmParameter& parameter) {
    LlvmValue value = nothing();
    if (parameter.kind == LlvmParameter::Kind::Address) {
      value.bits = p_.constant(64, 0);
      value.buffer = parameter.buffer;
    } else {
      value.bits = parameter.number;
    }
    values_[&argument] = value;
  }

  std::optional<uint32_t> width(const llvm::Type* type) {
    const auto* integer = llvm::dyn_cast<llvm::IntegerType>(type);
    if (integer != nullptr && integer->getBitWidth() <= smt::kMaxWidth) return integer->getBitWidth();
    std::string text;
    llvm::raw_string_ostream(text) << *type;
    fail(fmt::format("a value of type {}", text));
    return {};
  }
  LlvmValue value(const llvm::Value* v) {
    if (const auto known = values_.find(v); known != values_.end()) return known->second;
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(v)) return of_constant(*constant);
    if (llvm::isa<llvm::MetadataAsValue>(v)) return nothing();
    fail("an operand that was not computed before");  // a phi around a loop
    return nothing();
  }
  LlvmValue of_constant(const llvm::Constant& constant) {
    LlvmValue out = nothing();
    const auto bits = width(constant.getType());
    if (!bits) return out;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
      smt::Bits all = 0;
      for (uint32_t at = 0; at < *bits; at += 32)
        all |= smt::Bits{number->getValue().extractBitsAsZExtValue(std::min(32u, *bits - at), at)} << at;
      out.bits = p_.constant(*bits, all);
    } else if (llvm::isa<llvm::PoisonValue>(&constant)) {
      out.bits = p_.constant(*bits, 0), out.poison = p_.truth(true);
    } else if (llvm::isa<llvm::UndefValue>(&constant)) {
      out.bits = context_.anything(*bits);
    } else {
      fail("a constant expression");
    }
    return out;
  }

  // ---- Control -------------------------------------------------------------------------------------------

  using Edge = std::pair<const BasicBlock*, const BasicBlock*>;

  void enter(const BasicBlock& block) {
    if (&block == &function_.getEntryBlock()) {
      path_ = p_.truth(true);
      return;
    }
    path_ = no();
    for (const BasicBlock* before : llvm::predecessors(&block)) {
      if (!done_.contains(before)) {
        if (reachable(before)) return fail("a loop");
        continue;
      }
      path_ = p_.or_(path_, edge(before, &block));
    }
  }
  bool reachable(const BasicBlock* block) {
    return block == &function_.getEntryBlock() || !llvm::pred_empty(block);
  }
  Term edge(const BasicBlock* from, const BasicBlock* to) {
    const auto known = edges_.find(Edge{from, to});
    return known == edges_.end() ? no() : known->second;
  }
  void go(const BasicBlock* from, const BasicBlock* to, Term when) {
    const Term now = p_.and_(path_, when);
    const auto [at, fresh] = edges_.emplace(Edge{from, to}, now);
    if (!fresh) at->second = p_.or_(at->second, now);
  }
  void branch(const llvm::BranchInst& branch) {
    const BasicBlock* here = branch.getParent();
    if (branch.isUnconditional()) return go(here, branch.getSuccessor(0), p_.truth(true));
    const LlvmValue condition = value(branch.getCondition());
    owe(p_.not_(condition.poison), "a branch on poison");
    const Term taken = p_.is_not_zero(condition.bits);
    go(here, branch.getSuccessor(0), taken);
    go(here, branch.getSuccessor(1), p_.not_(taken));
  }
  void choose(const llvm::SwitchInst& choice) {
    const LlvmValue condition = value(choice.getCondition());
    owe(p_.not_(condition.poison), "a switch on poison");
    Term others = p_.truth(true);
    for (const auto& one : choice.cases()) {
      const Term is = p_.eq(condition.bits, of_constant(*one.getCaseValue()).bits);
      go(choice.getParent(), one.getCaseSuccessor(), is);
      others = p_.and_(others, p_.not_(is));
    }
    go(choice.getParent(), choice.getDefaultDest(), others);
  }
  void join(const llvm::PHINode& phi) {
    LlvmValue out = value(phi.getIncomingValue(0));
    for (unsigned n = 1; n < phi.getNumIncomingValues(); ++n) {
      const LlvmValue other = value(phi.getIncomingValue(n));
      if (!error_.empty()) return;
      if (other.buffer != out.buffer) return fail("a choice between addresses of two buffers");
      const Term from = edge(phi.getIncomingBlock(n), phi.getParent());
      out.bits = p_.ite(from, other.bits, out.bits);
      out.poison = p_.ite(from, other.poison, out.poison);
    }
    values_[&phi] = out;
  }
  void leave(const llvm::ReturnInst& end) {
    if (end.getReturnValue() == nullptr) return;
    const LlvmValue result = value(end.getReturnValue());
    if (out_.result) return fail("several returns");
    out_.result = result.bits;
    out_.poison = result.poison;
  }

  // ---- Memory --------------------------------------------------------------------------------------------

  Term bytes_of(uint32_t buffer) {
    const Term length = memory_.length(buffer);
    const Term some = p_.ite(p_.is_zero(length), p_.constant(32, 1), length);
    return p_.shl(memory_.place(buffer, some, 0), p_.constant(64, 2));
  }

  LlvmValue address(const llvm::GEPOperator& gep) {
    LlvmValue out = value(gep.getPointerOperand());
    if (!out.buffer) {
      fail("an address of nothing known");
      return out;
    }
    const bool is_signed = gep.isInBounds() || gep.hasNoUnsignedSignedWrap();
    for (auto at = llvm::gep_type_begin(gep); at != llvm::gep_type_end(gep); ++at) {
      const LlvmValue index = value(at.getOperand());
      if (!error_.empty()) return out;
      if (at.isStruct()) {
        fail("an address of a member");
        return out;
      }
      const uint64_t stride = at.getSequentialElementStride(layout_).getFixedValue();
      if (!std::has_single_bit(stride)) fail("elements whose size is no power of two");
      if (!error_.empty()) return out;
      const Term shift = p_.constant(64, uint32_t(std::countr_zero(stride)));
      const Term wide =
          p_.width(index.bits) >= 64 ? p_.resize(index.bits, 64) : p_.sign_extend(index.bits, 64);
      const bool from_start = p_.is_constant(out.bits) && p_[out.bits].bits == 0;
      const Term step = p_.shl(wide, shift), next = from_start ? step : p_.add(out.bits, step);
      if (is_signed) out.poison = p_.or_(out.poison, p_.ne(p_.ashr(step, shift), wide));
      if (gep.hasNoUnsignedWrap()) out.poison = p_.or_(out.poison, p_.ne(p_.lshr(step, shift), wide));
      out.word.reset();
      if (from_start && stride == 4 && gep.isInBounds()) out.word = wide;
      out.poison = p_.or_(out.poison, index.poison);
      if (gep.hasNoUnsignedWrap()) out.poison = p_.or_(out.poison, p_.ult(next, out.bits));
      out.bits = next;
    }
    if (gep.isInBounds()) out.poison = p_.or_(out.poison, p_.ult(bytes_of(*out.buffer), out.bits));
    return out;
  }

  struct Words {
    uint32_t buffer;
    std::vector<Term> places;
  };
  /// The words that an access touches, with what it owes for them.
  std::optional<Words> accessed(const llvm::Value* pointer, uint32_t bits, llvm::Align align) {
    const LlvmValue at = value(pointer);
    if (!error_.empty()) return {};
    if (!at.buffer) fail("an access of nothing known");
    if (bits % 32 != 0) fail(fmt::format("an access of {} bits", bits));
    if (align.value() > alignment_) fail(fmt::format("an access aligned to {} bytes", align.value()));
    if (!error_.empty()) return {};
    const uint32_t least = std::max(uint32_t(align.value()), 4u);
    owe(p_.not_(at.poison), "the address is poison");
    if (!at.word || least > 4)
      owe(p_.is_zero(p_.bit_and(at.bits, p_.constant(64, least - 1))), "it is aligned");
    Words out{*at.buffer, {}};
    for (uint32_t word = 0; word < bits / 32; ++word) {
      Term place = at.word ? *at.word : p_.lshr(at.bits, p_.constant(64, 2));
      if (word > 0) place = p_.add(place, p_.constant(64, word));
      owe(memory_.inside(*at.buffer, place), "the access is inside of the buffer");
      out.places.push_back(place);
    }
    return out;
  }
  bool plain(const Instruction& instruction) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> known;
    instruction.getAllMetadataOtherThanDebugLoc(known);
    for (const auto& [kind, node] : known) {
      const bool harmless =
          kind == llvm::LLVMContext::MD_alias_scope || kind == llvm::LLVMContext::MD_noalias ||
          kind == llvm::LLVMContext::MD_tbaa || kind == llvm::LLVMContext::MD_prof ||
          kind == llvm::LLVMContext::MD_invariant_load ||
          kind == llvm::LLVMContext::MD_access_group;  // of turns of a loop, of which none is left
      if (!harmless) fail("an access with metadata that promises something");
    }
    return error_.empty();
  }
  void load(const llvm::LoadInst& load) {
    if (load.isAtomic()) return fail("an atomic");
    const auto bits = width(load.getType());
    if (!plain(load) || !bits) return;
    const auto words = accessed(load.getPointerOperand(), *bits, load.getAlign());
    if (!words) return;
    if (std::ranges::find(out_.reading.stores, words->buffer, &WordStore::buffer) !=
        out_.reading.stores.end())
      return fail("a load from a buffer into which was stored");
    LlvmValue out = nothing();
    out.bits = memory_.load(words->buffer, words->places[0]);
    for (size_t n = 1; n < words->places.size(); ++n)
      out.bits = p_.concat(memory_.load(words->buffer, words->places[n]), out.bits);
    values_[&load] = out;
  }
  void store(const llvm::StoreInst& store) {
    if (store.isAtomic()) return fail("an atomic");
    const auto bits = width(store.getValueOperand()->getType());
    if (!plain(store) || !bits) return;
    const LlvmValue stored = value(store.getValueOperand());
    const auto words = accessed(store.getPointerOperand(), *bits, store.getAlign());
    if (!words) return;
    owe(p_.not_(stored.poison), "what is stored is poison");
    for (uint32_t n = 0; n < words->places.size(); ++n) {
      const Term word = *bits == 32 ? stored.bits : p_.extract(stored.bits, 32 * n, 32);
      out_.reading.stores.push_back({words->buffer, words->places[n], path_, word});
    }
  }

  // ---- The rest ------------------------------------------------------------------------------------------

  static bool is_ignored(llvm::Intrinsic::ID id) {
    return id == llvm::Intrinsic::experimental_noalias_scope_decl || id == llvm::Intrinsic::lifetime_start ||
           id == llvm::Intrinsic::lifetime_end;
  }
  void keep(const Instruction& instruction, LlvmResult result) {
    if (!result) return fail(result.error());
    for (const Demand& demand : demands_) owe(demand.holds, demand.what);
    demands_.clear();
    values_[&instruction] = *result;
  }
  std::vector<LlvmValue> operands(const Instruction& instruction, unsigned count) {
    std::vector<LlvmValue> out;
    for (unsigned n = 0; n < count && error_.empty(); ++n) out.push_back(value(instruction.getOperand(n)));
    return out;
  }
  void step(const Instruction& instruction) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return join(*phi);
    if (const auto* to = llvm::dyn_cast<llvm::BranchInst>(&instruction)) return branch(*to);
    if (const auto* to = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) return choose(*to);
    if (const auto* from = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load(*from);
    if (const auto* to = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store(*to);
    if (const auto* end = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) return leave(*end);
    if (llvm::isa<llvm::UnreachableInst>(&instruction)) return owe(no(), "it is reached");
    if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(&instruction)) {
      values_[&instruction] = address(*gep);
      return;
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (is_ignored(call->getIntrinsicID())) return;
      if (call->getIntrinsicID() == llvm::Intrinsic::not_intrinsic) return fail("a call");
      const std::vector<LlvmValue> x = operands(instruction, call->arg_size());
      if (error_.empty()) keep(instruction, read_intrinsic(context_, *call, x));
      return;
    }
    const std::vector<LlvmValue> x = operands(instruction, instruction.getNumOperands());
    if (error_.empty()) keep(instruction, read_operator(context_, instruction, x));
  }

  Pool& p_;
  Memory& memory_;
  const llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const uint32_t alignment_;
  std::vector<Demand> demands_;
  uint32_t fresh_ = 0;
  InstructionContext context_;
  std::unordered_map<const llvm::Value*, LlvmValue> values_;
  std::map<const BasicBlock*, bool> done_;
  std::map<Edge, Term> edges_;
  Term path_{};  // the condition under which the code gets here
  const Instruction* here_ = nullptr;
  LlvmReading out_;
  std::string error_;
};

}  // namespace

std::expected<LlvmReading, std::string> read(Pool& pool, Memory& memory, const llvm::Function& function,
                                             std::span<const LlvmParameter> parameters, uint32_t alignment) {
  return Reader(pool, memory, function, alignment).run(parameters);
}

}  // namespace vyre::symbolic
