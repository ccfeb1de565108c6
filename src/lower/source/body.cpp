#include "lower/source/body.h"

#include <algorithm>

#include "lower/c_like_operators.h"
#include "lower/inst_info.h"
#include "lower/source/source.h"

namespace vyre::lower {
namespace {

static_assert(c_like_prints(CLikeDialect::Cpp, kSourceTarget));

/// The words of memory of an atomic buffer are all accessed by functions of the prelude.
class Body final : CLikePrinter {
 public:
  explicit Body(const Kernel& kernel)
      : CLikePrinter(kernel, CLikeDialect::Cpp), atomic_(kernel.buffers.size()) {
    for (const Inst& inst : k_.insts) {
      if (inst.kind == InstKind::RawAtomic) atomic_[inst.target] = true;
    }
  }

  std::string run() {
    lines_.depth = 0;
    for (const KernelBuffer& buffer : k_.buffers) {
      if (buffer.access != spec::BufferAccess::Private) continue;
      lines_.line("u32 {}[{}] = {{}};", source_buffer(buffer), source_words(buffer.count, buffer.element));
    }
    for (uint32_t s = 0; s < k_.slots.size(); ++s)
      lines_.line("{} {} = 0;", type(k_.slots[s].type), variable(s));
    lines_.depth = 1;
    emit_block(k_.entry);
    return std::move(lines_.text);
  }

 private:
  static const char* type(spec::DataType type) { return type == spec::DataType::U64 ? "u64" : "u32"; }

  Lines& out() override { return lines_; }
  std::string variable(uint32_t slot) override { return fmt::format("s{}_{}", slot, k_.slots[slot].name); }

  std::string word(Value v) override {
    const Inst& inst = k_[v];
    switch (given_by(inst.kind)) {
      case BuiltinInput::Literal: return c_like_literal(inst.imm);
      case BuiltinInput::Length: return source_length(k_.buffers[inst.target]);
      case BuiltinInput::InvocationId:
        return fmt::format("(group[{0}] * {1} + local[{0}])", inst.imm,
                           c_like_literal(k_.workgroup_size[inst.imm]));
      case BuiltinInput::WorkgroupId: return fmt::format("group[{}]", inst.imm);
      case BuiltinInput::LocalId: return fmt::format("local[{}]", inst.imm);
      case BuiltinInput::NumWorkgroups: return fmt::format("{}[{}]", kSourceGroups, inst.imm);
      case BuiltinInput::Nothing: break;
    }
    return name(v);
  }

  std::string truth(Value v) override { return fmt::format("{} != 0", word(v)); }
  std::string array(uint32_t buffer) override { return source_buffer(k_.buffers[buffer]); }
  std::string word_index(const std::string& at, uint32_t words, uint32_t word) override {
    return fmt::format("{} * {} + {}", at, words, word);
  }
  bool is_atomic(uint32_t buffer) const override { return atomic_[buffer]; }

  void define(Value v, const std::string& expression, bool truth) override {
    const Inst& inst = k_[v];
    if (truth) return lines_.line("const u32 {} = u32({});", name(v), expression);
    const bool wide = inst.kind == InstKind::Raw && gives_wide(inst.raw);
    lines_.line("const {} {} = {};", wide ? "double" : type(inst.type), name(v), expression);
  }
  void define_atomic(Value v, const Inst& inst, const std::string& place, const std::string& expected,
                     const std::string& value) override {
    lines_.line("[[maybe_unused]] const u32 {} = {}({}{}{}, {});", name(v),
                c_like_atomic(inst.op, CLikeDialect::Cpp), place, expected.empty() ? "" : ", ", expected,
                value);
  }
  /// All of it: compilers of these languages take code behind a return as it is.
  bool emit_block(KBlock id) override {
    for (const Value v : k_.block(id)) emit(v);
    return false;
  }
  void open_if(Value condition) override { lines_.open("if ({})", truth(condition)); }
  // The last step does not wrap: the variable is below the bound.
  void open_loop(Value v, const std::string& from, const std::string& to) override {
    if (k_[v].imm != 0) lines_.line("{}", kSourceUnroll);
    lines_.open("for (u32 {0} = {1}, end{0} = {2}; {0} < end{0}; ++{0})", name(v), from, to);
  }

  std::vector<bool> atomic_;  // by buffer: all accesses to it are
  Lines lines_;
};

}  // namespace

std::string source_buffer(const KernelBuffer& buffer) { return "b_" + buffer.name; }
std::string source_length(const KernelBuffer& buffer) { return "len_" + buffer.name; }

uint64_t source_words(uint64_t elements, spec::DataType element) {
  return (std::max<uint64_t>(elements, 1) * spec::info(element).bytes + 3) / 4;
}

std::string source_body(const Kernel& kernel) { return Body(kernel).run(); }

}  // namespace vyre::lower
