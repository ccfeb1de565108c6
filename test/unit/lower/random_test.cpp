// Random programs three ways.
//
// Each program is a function of its number. None has a race and none depends on the order of invocations: an
// invocation stores to its own cells of `out`, shares through workgroup memory between barriers, and uses the
// old value of an atomic only on a cell of its own. Indices, divisors and shift amounts are anything.
//
// VYRE_RANDOM_PROGRAMS sets how many are run.
#include <cstdlib>

#include "base/random.h"
#include "oracle.h"
#include "spec/ops.h"
#include "three_ways.h"

VYRE_ORACLE(ReferenceInterpreter, "ref/, as in programs_test.cpp");

namespace vyre::lower {
namespace {

using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

constexpr uint32_t kInvocations = 12;  // a workgroup
constexpr uint32_t kGroups = 2;
constexpr uint32_t kCells = 4;  // of `out`, an invocation

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t number) : random_(number, 17), p_("random" + std::to_string(number)) {}

  ir::Program make() {
    words_ = p_.read("words", DataType::U32, 0);
    ints_ = p_.uniform("ints", DataType::I32, 1);
    flags_ = p_.read("flags", DataType::Bool, 2);
    out_ = p_.read_write("out", DataType::U32, 3);
    cells_ = p_.read_write("cells", DataType::U32, 4);
    shared_ = p_.workgroup("shared", DataType::U32, 1 + random_.below(2 * kInvocations));
    p_.workgroup_size(kInvocations, 1, 1);
    own_.push_back(p_.let("own", p_.invocation_id(0)));
    scope_.push_back({own_[0], DataType::U32, false});
    const uint32_t phases = random_.below(3);
    for (uint32_t phase = 0; phase < phases; ++phase) {
      statements(3, 0);
      exchange();
    }
    may_return_ = true;
    statements(6, 0);
    return p_.finish();
  }

  Buffers input() {
    const auto some = [&](uint32_t most) {
      Words words(random_.below(most + 1));
      for (uint32_t& w : words) w = literal_bits();
      return words;
    };
    return {some(20), some(9), some(9), some(kCells * kInvocations * kGroups),
            some(4 + kInvocations * kGroups)};
  }

 private:
  struct Variable {
    Ex handle;
    DataType type;
    bool assignable;
  };

  uint32_t literal_bits() {
    constexpr std::array<uint32_t, 14> kEdges = {
        0, 1, 2, 3, 5, 31, 32, 33, 255, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    const uint32_t edge = kEdges[random_.below(kEdges.size())];
    return random_.chance(3) ? random_.next() : edge;
  }
  Ex literal(DataType type) {
    const uint32_t bits = literal_bits();
    return p_.literal(type, type == DataType::Bool ? bits & 1 : bits);
  }
  DataType any_type() {
    constexpr std::array kTypes = {DataType::U32, DataType::U32, DataType::I32, DataType::Bool};
    return kTypes[random_.below(kTypes.size())];
  }

  Ex leaf(DataType type) {
    std::vector<Ex> known;
    for (const Variable& v : scope_) {
      if (v.type == type) known.push_back(v.handle);
    }
    if (!known.empty() && !random_.chance(3)) return known[random_.below(uint32_t(known.size()))];
    if (type != DataType::U32) return literal(type);
    switch (random_.below(5)) {
      case 0: return p_.local_id(random_.below(3));
      case 1: return p_.workgroup_id(random_.below(3));
      case 2: return p_.len(random_.chance(2) ? words_ : shared_);
      default: return literal(type);
    }
  }

  /// A cell of this invocation, or one of no invocation.
  Ex own_cell() {
    if (random_.chance(6)) return p_.u32(kCells * kInvocations * kGroups + random_.below(5) * 0x10000001u);
    return own_[0] * kCells + random_.below(kCells);
  }
  Ex condition(uint32_t depth) {
    return expression(random_.chance(2) ? DataType::U32 : DataType::Bool, depth);
  }

  Ex expression(DataType type, uint32_t depth) {
    if (depth == 0) return leaf(type);
    --depth;
    switch (random_.below(10)) {
      case 0: return leaf(type);
      case 1: return p_.select(condition(depth), expression(type, depth), expression(type, depth));
      case 2: return p_.cast(type, expression(any_type(), depth));
      case 3:
        if (type == DataType::Bool) return p_.load(flags_, expression(DataType::U32, depth));
        return type == DataType::I32 ? p_.load(ints_, expression(DataType::U32, depth))
                                     : p_.load(words_, expression(DataType::U32, depth));
      case 4:
        if (type != DataType::U32) break;
        return random_.chance(2) ? p_.load(out_, own_cell()) : atomic(depth);
      default: break;
    }
    if (type == DataType::Bool) return p_.cast(type, operation(DataType::U32, depth));
    return operation(type, depth);
  }

  /// An operator whose result has this type.
  Ex operation(DataType result, uint32_t depth) {
    for (;;) {
      const spec::OpInfo& op = spec::kOps[random_.below(spec::kOpCount)];
      const DataType type = spec::result_type(op.op, result) == result ? result : any_type();
      if (!spec::is_scalar(op.op) || spec::is_approximate(op.op)) continue;
      const DataType operand =
          spec::result_type(op.op, DataType::I32) == DataType::U32 && result == DataType::U32
              ? any_type()  // comparisons and counts take what they like
              : type;
      if (!op.types.contains(operand) || spec::result_type(op.op, operand) != result) continue;
      std::vector<Ex> operands;
      for (uint32_t n = 0; n < *spec::operand_count(op.op); ++n) {
        operands.push_back(expression(spec::operand_type(op.op, operand, n), depth));
      }
      return p_.apply(op.op, operands);
    }
  }

  Ex atomic(uint32_t depth) {
    const Ex cell = own_[0] + 4;
    if (random_.chance(4)) {
      return p_.atomic_compare_exchange(cells_, cell, expression(DataType::U32, depth),
                                        expression(DataType::U32, depth));
    }
    constexpr std::array kOps = {Op::AtomicAdd, Op::AtomicOr,  Op::AtomicAnd,     Op::AtomicXor,
                                 Op::AtomicMin, Op::AtomicMax, Op::AtomicExchange};
    return p_.atomic(kOps[random_.below(kOps.size())], cells_, cell, expression(DataType::U32, depth));
  }

  std::string fresh_name() { return "v" + std::to_string(names_++); }
  void declare() {
    const DataType type = any_type();
    const Ex value = expression(type, 3);
    scope_.push_back({p_.let(fresh_name(), value), type, true});
  }

  void nested(uint32_t nesting) {
    const size_t visible = scope_.size();
    statements(3, nesting + 1);
    scope_.resize(visible, scope_.front());
  }

  void statement(uint32_t nesting) {
    const uint32_t kind = random_.below(nesting < 3 ? 9 : 5);
    if (kind <= 1) return declare();
    if (kind == 2) return p_.store(out_, own_cell(), expression(DataType::U32, 3));
    if (kind == 3) {
      std::vector<Variable> targets;
      for (const Variable& v : scope_) {
        if (v.assignable) targets.push_back(v);
      }
      if (targets.empty()) return declare();
      const Variable target = targets[random_.below(uint32_t(targets.size()))];
      return p_.assign(target.handle, expression(target.type, 3));
    }
    if (kind == 4) {
      // Contended, so that only the sum shows.
      p_.let(fresh_name(), p_.atomic(Op::AtomicAdd, cells_, expression(DataType::U32, 1) & 3,
                                     expression(DataType::U32, 2)));
      return;
    }
    if (kind == 5) {
      const Ex from = expression(DataType::U32, 1) & 7, to = expression(DataType::U32, 1) & 7;
      return p_.loop(fresh_name(), from, to, [&](Ex k) {
        scope_.push_back({k, DataType::U32, false});
        nested(nesting);
        scope_.pop_back();
      });
    }
    if (kind == 6) return p_.block([&] { nested(nesting); });
    const Ex c = condition(2);
    const auto body = [&] {
      nested(nesting);
      if (may_return_ && random_.chance(5)) p_.return_();
    };
    if (kind == 7) return p_.if_(c, body);
    p_.if_(c, body, body);
  }

  void statements(uint32_t most, uint32_t nesting) {
    for (uint32_t n = 1 + random_.below(most); n > 0; --n) statement(nesting);
  }

  /// Every invocation stores one element of workgroup memory and reads any, between barriers; in a loop
  /// sometimes.
  void exchange() {
    const auto body = [&] {
      p_.store(shared_, p_.local_id(0), expression(DataType::U32, 2));
      p_.barrier();
      const Ex got = p_.let(fresh_name(), p_.load(shared_, expression(DataType::U32, 2)));
      p_.barrier();
      p_.store(out_, own_cell(), got);
    };
    if (random_.chance(2)) return body();
    p_.loop(fresh_name(), p_.u32(0), p_.u32(1 + random_.below(3)), [&](Ex) { body(); });
  }

  RandomStream random_;
  ProgramBuilder p_;
  ir::BufferRef words_{}, ints_{}, flags_{}, out_{}, cells_{}, shared_{};
  std::vector<Ex> own_;  // the global number of this invocation
  std::vector<Variable> scope_;
  uint32_t names_ = 0;
  bool may_return_ = false;
};

TEST(Random, ProgramsThreeWays) {
  const char* wanted = std::getenv("VYRE_RANDOM_PROGRAMS");
  const uint64_t programs = wanted == nullptr ? 1500 : std::strtoull(wanted, nullptr, 10);
  size_t barriers = 0, atomics = 0, returns = 0, changed = 0;
  for (uint64_t number = 0; number < programs && !testing::Test::HasFailure(); ++number) {
    SCOPED_TRACE(number);
    RandomProgram random(number);
    const check::Checked program = checked(random.make());
    const Buffers input = random.input();
    const Buffers output = expect_three_ways(program, input, {.x = kGroups});
    changed += output != input ? 1 : 0;
    const Kernel kernel = build(program);
    const auto has = [&](InstKind kind) {
      return std::any_of(kernel.insts.begin(), kernel.insts.end(),
                         [&](const Inst& i) { return i.kind == kind; });
    };
    barriers += has(InstKind::Barrier) ? 1 : 0;
    atomics += has(InstKind::Atomic) ? 1 : 0;
    returns += has(InstKind::Return) ? 1 : 0;
  }
  // The generator makes what it is meant to make.
  EXPECT_GT(barriers, programs / 4);
  EXPECT_GT(atomics, programs / 4);
  EXPECT_GT(returns, programs / 20);
  EXPECT_GT(changed, programs / 2);
}

}  // namespace
}  // namespace vyre::lower
