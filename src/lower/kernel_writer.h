// Writing semantic kernels by hand: instructions, slots, ifs and loops at the end of a block.
//
// What build() expands (lower/reduction.h) is written with this: a value in, a value out, and blocks as
// functions. Everything is semantic, so it is total and the same on every target.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "lower/kernel.h"
#include "spec/ops.h"

namespace vyre::lower {

class KernelWriter {
 public:
  KernelWriter(Kernel& kernel, KBlock block, Span origin) : k_(kernel), block_(block), origin_(origin) {}

 protected:
  using DataType = spec::DataType;
  using Op = spec::Op;

  Value emit(Inst inst, std::initializer_list<Value> operands) {
    inst.origin = origin_;
    const Value v = k_.add(inst, {operands.begin(), operands.size()});
    k_.blocks[index(block_)].push_back(v);
    return v;
  }
  /// Domain: a type of at most 32 bits.
  Value constant(DataType type, uint32_t bits) {
    return emit({.kind = InstKind::Const, .type = type, .imm = bits}, {});
  }
  Value word(uint32_t bits) { return constant(DataType::U32, bits); }
  Value apply(Op op, DataType type, std::initializer_list<Value> operands) {
    const DataType result = spec::result_type(op, type);
    return emit({.kind = InstKind::Apply, .op = op, .type = result, .operand_type = type}, operands);
  }
  /// Cast, rounded to nearest where that says anything, or Bitcast.
  Value convert(Op op, DataType from, DataType to, Value x) {
    return emit({.kind = InstKind::Apply, .op = op, .type = to, .operand_type = from}, {x});
  }
  Value on_words(Op op, Value a, Value b) { return apply(op, DataType::U32, {a, b}); }
  Value select(DataType type, Value condition, Value yes, Value no) {
    return apply(Op::Select, type, {condition, yes, no});
  }
  Value length(uint32_t buffer) {
    return emit({.kind = InstKind::Len, .type = DataType::U32, .target = buffer}, {});
  }
  Value load(DataType type, uint32_t buffer, Value at) {
    return emit({.kind = InstKind::Load, .type = type, .target = buffer}, {at});
  }

  uint32_t slot(std::string name, DataType type) {
    k_.slots.push_back({std::move(name), type});
    return uint32_t(k_.slots.size() - 1);
  }
  Value get(uint32_t slot) {
    return emit({.kind = InstKind::Get, .type = k_.slots[slot].type, .target = slot}, {});
  }
  void set(uint32_t slot, Value value) { emit({.kind = InstKind::Set, .target = slot}, {value}); }

  template <typename Body>
  void within(KBlock block, const Body& body) {
    const KBlock outside = std::exchange(block_, block);
    body();
    block_ = outside;
  }
  template <typename Body>
  void loop(Value from, Value to, const Body& body) {
    const KBlock inside = k_.add_block();
    const Value variable = emit({.kind = InstKind::Loop, .type = DataType::U32, .body = inside}, {from, to});
    within(inside, [&] { body(variable); });
  }
  template <typename Body>
  void if_(Value condition, const Body& body) {
    const KBlock yes = k_.add_block();
    emit({.kind = InstKind::If, .body = yes}, {condition});
    within(yes, body);
  }
  template <typename Body, typename Otherwise>
  void if_else(Value condition, const Body& body, const Otherwise& otherwise) {
    const KBlock yes = k_.add_block(), no = k_.add_block();
    emit({.kind = InstKind::If, .body = yes, .orelse = no}, {condition});
    within(yes, body);
    within(no, otherwise);
  }

 private:
  Kernel& k_;
  KBlock block_;
  Span origin_;
};

}  // namespace vyre::lower
