#include "lower/c_like.h"

#include <array>

#include "lower/c_like_operators.h"
#include "lower/walk.h"

namespace vyre::lower {

namespace {

/// What dialects write in ways of their own, beside operators.
struct Words {
  std::string_view atomic_load, atomic_store, barrier;
  std::string_view to_signed, to_word;
};
constexpr Words kCppWords = {"atomic_load({0})", "atomic_store({0}, {1});", "barrier();", "i32", "u32"};
constexpr Words kWgslWords = {"atomicLoad(&{0})", "atomicStore(&{0}, {1});",
                              "storageBarrier(); workgroupBarrier();", "bitcast<i32>", "bitcast<u32>"};
/// The access of the second word of a long value, which is in memory as two.
Inst second(Inst access) {
  ++access.imm;
  return access;
}
const Words& words_of(CLikeDialect dialect) { return dialect == CLikeDialect::Cpp ? kCppWords : kWgslWords; }

}  // namespace

std::string c_like_literal(uint32_t bits) {
  return bits < kHexadecimalFrom ? fmt::format("{}u", bits) : fmt::format("0x{:x}u", bits);
}

std::string fill(std::string_view pattern, std::initializer_list<std::string_view> operands) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t brace = pattern.find('{', at);
    out.append(pattern, at, brace - at);
    if (brace == std::string_view::npos) return out;
    out += operands.begin()[pattern[brace + 1] - '0'];
    at = brace + 3;  // behind "{0}"
  }
}

void Lines::otherwise() {
  --depth;
  line("}} else {{");
  ++depth;
}

void Lines::close() {
  --depth;
  line("}}");
}

CLikePrinter::CLikePrinter(const Kernel& kernel, CLikeDialect dialect)
    : LegalEmitter(kernel), dialect_(dialect), numbers_(value_numbers(kernel)) {}

std::string CLikePrinter::name(Value v) const {
  const fmt::format_int digits(numbers_[index(v)]);
  return std::string(1, 'v').append(digits.data(), digits.size());
}

std::string CLikePrinter::place(const Inst& access, const std::string& at) {
  const uint32_t bytes = spec::info(k_.buffers[access.target].element).bytes;
  const bool plain = access.access == Access::Words || bytes <= 4;
  return fill("{0}[{1}]", {array(access.target), plain ? at : word_index(at, bytes / 4, access.imm)});
}

void CLikePrinter::emit_raw(Value v, const Inst& inst) {
  std::array<std::string, 3> x;
  for (uint32_t n = 0; n < inst.args.count; ++n) {
    const Value arg = k_.arg(inst, n);
    const bool condition = n == 0 && selects(inst.raw);
    x[n] = condition ? truth(arg) : word(arg);
  }
  const Words& words = words_of(dialect_);
  define(v, fill(c_like_pattern(inst.raw, dialect_), {x[0], x[1], x[2], words.to_signed, words.to_word}),
         gives_truth(inst.raw));
}

void CLikePrinter::emit_get(Value v, const Inst& inst) { define(v, variable(inst.target)); }

void CLikePrinter::emit_set(const Inst& inst) {
  const std::string value = operand(inst, 0);
  out().line("{} = {};", variable(inst.target), value);
}

bool CLikePrinter::emit_if(Value /*v*/, const Inst& inst) {
  open_if(k_.arg(inst, 0));
  const bool left = emit_inner(inst.body);
  bool other_left = false;
  if (inst.orelse != kNoKBlock) {
    out().otherwise();
    other_left = emit_inner(inst.orelse);
  }
  out().close();
  return left && other_left;
}

void CLikePrinter::emit_loop(Value v, const Inst& inst) {
  const std::string from = operand(inst, 0);
  open_loop(v, from, operand(inst, 1));
  emit_inner(inst.body);
  out().close();
}

void CLikePrinter::emit_barrier() { out().line("{}", words_of(dialect_).barrier); }

void CLikePrinter::emit_load(Value v, const Inst& inst) {
  if (inst.type == spec::DataType::U64) {
    const std::string at = operand(inst, 0);
    return define(v,
                  fill(c_like_pattern(RawOp::LongOf, dialect_), {place(inst, at), place(second(inst), at)}));
  }
  const std::string from = place(inst, operand(inst, 0));
  define(v, is_atomic(inst.target) ? fill(words_of(dialect_).atomic_load, {from}) : from);
}

void CLikePrinter::emit_store(const Inst& inst) {
  const std::string at = operand(inst, 0), value = operand(inst, 1), to = place(inst, at);
  if (inst.type == spec::DataType::U64) {
    out().line("{} = {};", to, fill(c_like_pattern(RawOp::LongLow, dialect_), {value}));
    out().line("{} = {};", place(second(inst), at), fill(c_like_pattern(RawOp::LongHigh, dialect_), {value}));
    return;
  }
  if (is_atomic(inst.target)) {
    out().line("{}", fill(words_of(dialect_).atomic_store, {to, value}));
  } else {
    out().line("{} = {};", to, value);
  }
}

void CLikePrinter::emit_atomic(Value v, const Inst& inst) {
  const uint32_t last = inst.args.count - 1;
  const std::string at = operand(inst, 0), expected = last > 1 ? operand(inst, 1) : "",
                    value = operand(inst, last);
  define_atomic(v, inst, place(inst, at), expected, value);
}

}  // namespace vyre::lower
