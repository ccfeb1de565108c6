#include "symbolic/spirv/reader.h"

#include <fmt/format.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <algorithm>
#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "spec/ops.h"
#include "symbolic/spirv/value.h"

namespace vyre::symbolic {
namespace {

using smt::Pool;
using smt::Term;
using spv::Op;
using Words = std::span<const uint32_t>;

constexpr uint32_t kHeader = 5;

/// Khronos adds numbers every year: switches over them cannot be total.
constexpr uint32_t number(Op op) { return uint32_t(op); }

struct Type {
  enum class Kind : uint8_t { Other, Void, Bool, Integer } kind{};
  uint32_t width = 0;
};
/// What a pointer points to.
struct Pointer {
  enum class Kind : uint8_t { Buffer, Pushed, Local, Outside } kind{};
  uint32_t which = 0;  // Buffer: its binding; Pushed: the word; Local: the variable's id
  Term word{};         // Buffer: 64 bits
};

class Reader {
 public:
  Reader(Pool& pool, Memory& memory, Words words)
      : p_(pool), memory_(memory), words_(words), context_{pool, demands_, fresh_} {}

  std::expected<Reading, std::string> run() {
    if (words_.size() < kHeader || words_[0] != spv::MagicNumber)
      return std::unexpected("no module of SPIR-V");
    for (size_t at = kHeader; at < words_.size() && error_.empty();) {
      const uint32_t count = words_[at] >> 16;
      if (count == 0 || at + count > words_.size()) return std::unexpected("an instruction that has no end");
      step(Op(words_[at] & 0xffff), words_.subspan(at + 1, count - 1));
      at += count;
    }
    if (!error_.empty()) return std::unexpected(error_);
    return std::move(out_);
  }

 private:
  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }
  void owe(Term truth, std::string_view why) {
    const Term holds = p_.implies(path_, truth);
    if (p_.is_constant(holds) && p_[holds].bits == 1) return;
    out_.obligations.push_back({holds, std::string(why)});
  }
  Term value(uint32_t id) {
    if (const auto known = values_.find(id); known != values_.end()) return known->second;
    fail(fmt::format("id {}, of which no value is known", id));
    return p_.constant(32, 0);
  }

  // ---- Declarations --------------------------------------------------------------------------------------

  bool declare(Op op, Words x) {
    switch (uint32_t(op)) {
      case number(Op::OpDecorate):
        if (spv::Decoration(x[1]) == spv::Decoration::Binding) bindings_[x[0]] = x[2];
        return true;
      case number(Op::OpTypeVoid): types_[x[0]] = {Type::Kind::Void, 0}; return true;
      case number(Op::OpTypeBool): types_[x[0]] = {Type::Kind::Bool, 0}; return true;
      case number(Op::OpTypeInt): types_[x[0]] = {Type::Kind::Integer, x[1]}; return true;
      case number(Op::OpConstant): {
        const Type type = types_[x[0]];
        if (type.kind == Type::Kind::Integer && type.width == 32) values_[x[1]] = p_.constant(32, x[2]);
        return true;
      }
      case number(Op::OpConstantTrue): values_[x[1]] = p_.truth(true); return true;
      case number(Op::OpConstantFalse): values_[x[1]] = p_.truth(false); return true;
      case number(Op::OpVariable): variable(x); return true;
      case number(Op::OpExtInstImport): extended_ = x[0]; return true;
      case number(Op::OpFunction):
        if (++functions_ > 1) fail("a second function");
        path_ = p_.truth(true);
        return true;
      case number(Op::OpCapability):
      case number(Op::OpExtension):
      case number(Op::OpMemoryModel):
      case number(Op::OpEntryPoint):
      case number(Op::OpExecutionMode):
      case number(Op::OpName):
      case number(Op::OpMemberName):
      case number(Op::OpSource):
      case number(Op::OpMemberDecorate):
      case number(Op::OpTypeStruct):
      case number(Op::OpTypeArray):
      case number(Op::OpTypeRuntimeArray):
      case number(Op::OpTypeVector):
      case number(Op::OpTypePointer):
      case number(Op::OpTypeFunction):
      case number(Op::OpTypeFloat):
      case number(Op::OpFunctionEnd): return true;
      default: return false;
    }
  }
  void variable(Words x) {
    Pointer to{Pointer::Kind::Outside, x[1], {}};
    if (spv::StorageClass(x[2]) == spv::StorageClass::StorageBuffer) {
      to = {Pointer::Kind::Buffer, bindings_[x[1]], {}};
      if (to.which >= memory_.size()) fail("a binding that the program does not have");
    } else if (spv::StorageClass(x[2]) == spv::StorageClass::PushConstant) {
      to.kind = Pointer::Kind::Pushed;
    } else if (spv::StorageClass(x[2]) == spv::StorageClass::Function) {
      to.kind = Pointer::Kind::Local;
      locals_[x[1]] = context_.anything(32);  // whatever it holds before it is set
    }
    pointers_[x[1]] = to;
  }

  // ---- Control -------------------------------------------------------------------------------------------

  using Locals = std::map<uint32_t, Term>;
  struct Edge {
    uint32_t from;
    Term when;
    Locals locals;
  };

  void enter(uint32_t label) {
    here_ = label;
    if (!entered_) {
      entered_ = true;
      return;
    }
    done_.push_back(label);
    path_ = p_.truth(false);
    const std::vector<Edge>& edges = edges_[label];
    for (size_t n = 0; n < edges.size(); ++n) {
      path_ = p_.or_(path_, edges[n].when);
      if (n == 0) locals_ = edges[0].locals;
      for (auto& [id, now] : locals_) {
        const Term other = edges[n].locals.at(id);
        if (n > 0 && other != now) now = p_.ite(edges[n].when, other, now);
      }
    }
  }
  void go(uint32_t to, Term when) {
    if (std::ranges::find(done_, to) != done_.end()) return fail("a loop");
    edges_[to].push_back({here_, p_.and_(path_, when), locals_});
  }
  void join(Words x) {
    std::optional<Term> out;
    for (size_t n = 2; n + 1 < x.size(); n += 2) {
      const auto& edges = edges_[here_];
      const auto from = std::ranges::find(edges, x[n + 1], &Edge::from);
      if (from == edges.end()) return fail("a loop");
      out = out ? p_.ite(from->when, value(x[n]), *out) : value(x[n]);
    }
    values_[x[1]] = *out;
  }
  bool control(Op op, Words x) {
    switch (uint32_t(op)) {
      case number(Op::OpLabel): enter(x[0]); return true;
      case number(Op::OpSelectionMerge): return true;
      case number(Op::OpLoopMerge): fail("a loop"); return true;
      case number(Op::OpBranch): go(x[0], p_.truth(true)); return true;
      case number(Op::OpBranchConditional): {
        const Term taken = value(x[0]);
        go(x[1], taken);
        go(x[2], p_.not_(taken));
        return true;
      }
      case number(Op::OpPhi): join(x); return true;
      case number(Op::OpReturn): path_ = p_.truth(false); return true;
      default: return false;
    }
  }

  // ---- Memory --------------------------------------------------------------------------------------------

  void chain(Words x) {
    const auto base = pointers_.find(x[2]);
    if (base == pointers_.end()) return fail("a pointer to nothing known");
    Pointer to = base->second;
    if (x.size() != 5 || !is_number(x[3], 0)) return fail("a pointer into another structure than an array");
    if (to.kind == Pointer::Kind::Buffer) {
      to.word = p_.zero_extend(value(x[4]), 64);
    } else if (to.kind == Pointer::Kind::Pushed && p_.is_constant(value(x[4]))) {
      to.which = uint32_t(p_[value(x[4])].bits);
      if (to.which >= memory_.size()) return fail("a push constant that is no length");
    } else {
      return fail("a pointer into another structure than an array");
    }
    pointers_[x[1]] = to;
  }
  bool is_number(uint32_t id, smt::Bits number) {
    const Term t = value(id);
    return p_.is_constant(t) && p_[t].bits == number;
  }
  const Pointer* pointer(uint32_t id) {
    const auto known = pointers_.find(id);
    if (known == pointers_.end()) fail("a pointer to nothing known");
    return known == pointers_.end() ? nullptr : &known->second;
  }
  void load(Words x) {
    const Pointer* from = pointer(x[2]);
    if (from == nullptr) return;
    switch (from->kind) {
      case Pointer::Kind::Buffer: {
        const auto same = [&](const WordStore& s) { return s.buffer == from->which; };
        if (std::ranges::any_of(out_.stores, same)) return fail("a load from a buffer into which was stored");
        owe(memory_.inside(from->which, from->word), "OpLoad: inside of the buffer");
        values_[x[1]] = memory_.load(from->which, from->word);
        return;
      }
      case Pointer::Kind::Pushed: values_[x[1]] = memory_.length(from->which); return;
      case Pointer::Kind::Local: values_[x[1]] = locals_.at(from->which); return;
      case Pointer::Kind::Outside: return;  // ids of the invocation: an instruction that uses them is refused
    }
  }
  void store(Words x) {
    const Pointer* to = pointer(x[0]);
    if (to == nullptr) return;
    if (to->kind == Pointer::Kind::Local) {
      locals_[to->which] = value(x[1]);
    } else if (to->kind == Pointer::Kind::Buffer) {
      owe(memory_.inside(to->which, to->word), "OpStore: inside of the buffer");
      out_.stores.push_back({to->which, to->word, path_, value(x[1])});
    } else {
      fail("a store to something else than a buffer");
    }
  }

  // ---- Instructions --------------------------------------------------------------------------------------

  void compute(Op op, Words x) {
    if (x.size() < 2) return fail(fmt::format("instruction {}, which is not known here", uint32_t(op)));
    if (op == Op::OpCompositeExtract) {
      const auto pair = pairs_.find(x[2]);
      if (pair == pairs_.end() || x.size() != 4 || x[3] > 1)
        return fail("a part of something not known here");
      values_[x[1]] = pair->second[x[3]];
      return;
    }
    std::vector<Term> operands;
    uint32_t function = 0;
    Words rest = x.subspan(2);
    if (op == Op::OpExtInst) {
      if (x.size() < 4 || x[2] != extended_) return fail("a function of a set not known here");
      function = x[3], rest = x.subspan(4);
    }
    for (const uint32_t id : rest) operands.push_back(value(id));
    if (!error_.empty()) return;
    const auto result = read_instruction(context_, op, function, operands);
    if (!result) return fail(result.error());
    for (const Demand& demand : demands_) owe(demand.holds, demand.what);
    demands_.clear();
    values_[x[1]] = result->first;
    if (result->second) pairs_[x[1]] = {result->first, *result->second};
  }
  void step(Op op, Words x) {
    if (declare(op, x) || control(op, x)) return;
    if (op == Op::OpAccessChain) return chain(x);
    if (op == Op::OpLoad) return load(x);
    if (op == Op::OpStore) return store(x);
    compute(op, x);
  }

  Pool& p_;
  Memory& memory_;
  const Words words_;
  std::vector<Demand> demands_;
  uint32_t fresh_ = 0;
  InstructionContext context_;
  std::map<uint32_t, Type> types_;
  std::map<uint32_t, uint32_t> bindings_;
  std::map<uint32_t, Term> values_;
  std::map<uint32_t, std::array<Term, 2>> pairs_;  // of the instructions that give two words
  std::map<uint32_t, Pointer> pointers_;
  std::map<uint32_t, std::vector<Edge>> edges_;  // into a block
  std::vector<uint32_t> done_;
  Locals locals_;
  uint32_t extended_ = 0, functions_ = 0, here_ = 0;
  bool entered_ = false;
  Term path_{};
  Reading out_;
  std::string error_;
};

}  // namespace

std::expected<Reading, std::string> read(Pool& pool, Memory& memory, Words words) {
  return Reader(pool, memory, words).run();
}

}  // namespace vyre::symbolic
