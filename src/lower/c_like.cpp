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
constexpr Words kCppWords = {"atomic_load({})", "atomic_store({}, {});", "barrier();", "i32", "u32"};
constexpr Words kWgslWords = {"atomicLoad(&{})", "atomicStore(&{}, {});",
                              "storageBarrier(); workgroupBarrier();", "bitcast<i32>", "bitcast<u32>"};
const Words& words_of(CLikeDialect dialect) { return dialect == CLikeDialect::Cpp ? kCppWords : kWgslWords; }

}  // namespace

std::string c_like_literal(uint32_t bits) {
  return bits < kHexadecimalFrom ? fmt::format("{}u", bits) : fmt::format("0x{:x}u", bits);
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
    : k_(kernel), dialect_(dialect), numbers_(value_numbers(kernel)) {}

void CLikePrinter::emit_block(KBlock id) {
  for (const Value v : k_.block(id)) emit(v);
}

std::string CLikePrinter::place(const Inst& access, const std::string& at) {
  const uint32_t bytes = spec::info(k_.buffers[access.target].element).bytes;
  const bool plain = access.access == Access::Words || bytes <= 4;
  if (plain) return fmt::format("{}[{}]", array(access.target), at);
  return fmt::format("{}[{}]", array(access.target), word_index(at, bytes / 4, access.imm));
}

void CLikePrinter::emit_raw(Value v, const Inst& inst) {
  std::array<std::string, 3> x;
  for (uint32_t n = 0; n < inst.args.count; ++n) {
    const Value arg = k_.arg(inst, n);
    const bool condition = n == 0 && (inst.raw == RawOp::Select || inst.raw == RawOp::WideSelect);
    x[n] = condition ? truth(arg) : word(arg);
  }
  const Words& words = words_of(dialect_);
  define(v,
         fmt::format(fmt::runtime(c_like_pattern(inst.raw, dialect_)), x[0], x[1], x[2], words.to_signed,
                     words.to_word),
         c_like_gives_truth(inst.raw));
}

void CLikePrinter::emit(Value v) {
  const Inst& inst = k_[v];
  const auto arg = [&](uint32_t n) { return word(k_.arg(inst, n)); };
  switch (inst.kind) {
    case InstKind::Get: define(v, variable(inst.target)); break;
    case InstKind::Set: {
      const std::string value = arg(0);
      out().line("{} = {};", variable(inst.target), value);
      break;
    }
    case InstKind::If:
      open_if(k_.arg(inst, 0));
      emit_inner(inst.body);
      if (inst.orelse != kNoKBlock) {
        out().otherwise();
        emit_inner(inst.orelse);
      }
      out().close();
      break;
    case InstKind::Loop: {
      const std::string from = arg(0);
      open_loop(v, from, arg(1));
      emit_inner(inst.body);
      out().close();
      break;
    }
    case InstKind::Return: out().line("{}", return_statement()); break;
    case InstKind::Barrier: out().line("{}", words_of(dialect_).barrier); break;
    case InstKind::Raw: emit_raw(v, inst); break;
    case InstKind::RawLoad: {
      std::string from = place(inst, arg(0));
      if (is_atomic(inst.target)) from = fmt::format(fmt::runtime(words_of(dialect_).atomic_load), from);
      define(v, from);
      break;
    }
    case InstKind::RawStore: {
      const std::string at = arg(0), value = arg(1), to = place(inst, at);
      if (is_atomic(inst.target)) {
        out().line("{}", fmt::format(fmt::runtime(words_of(dialect_).atomic_store), to, value));
      } else {
        out().line("{} = {};", to, value);
      }
      break;
    }
    case InstKind::RawAtomic: {
      const uint32_t last = inst.args.count - 1;
      const std::string at = arg(0), expected = last > 1 ? arg(1) : "", value = arg(last);
      emit_atomic(v, inst, place(inst, at), expected, value);
      break;
    }
    case InstKind::Const:  // builtin inputs
    case InstKind::Len:
    case InstKind::InvocationId:
    case InstKind::WorkgroupId:
    case InstKind::LocalId:
    case InstKind::Intrinsic:  // refused by the emitters
    case InstKind::Apply:      // not in a legal kernel
    case InstKind::Load:
    case InstKind::Store:
    case InstKind::Atomic: break;
  }
}

}  // namespace vyre::lower
