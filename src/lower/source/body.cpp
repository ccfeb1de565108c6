#include "lower/source/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "lower/builtin_input.h"
#include "lower/numbering.h"
#include "lower/source/raw.h"

namespace vyre::lower {
namespace {

constexpr uint32_t kHexadecimalFrom = 1u << 16;

std::string literal(uint32_t bits) {
  return bits < kHexadecimalFrom ? fmt::format("{}u", bits) : fmt::format("0x{:x}u", bits);
}

/// Each instruction is a statement of its own, blocks and loops are those of the language.
class Body {
 public:
  explicit Body(const Kernel& kernel)
      : k_(kernel), numbers_(value_numbers(kernel)), atomic_(kernel.buffers.size()) {
    for (const Inst& inst : k_.insts) {
      if (inst.kind == InstKind::RawAtomic) atomic_[inst.target] = true;
    }
  }

  std::string run() {
    for (uint32_t s = 0; s < k_.slots.size(); ++s) line("u32 {} = 0;", slot(s));
    block(k_.entry);
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  std::string slot(uint32_t number) const { return fmt::format("s{}_{}", number, k_.slots[number].name); }
  std::string name(Value v) const { return fmt::format("v{}", numbers_[index(v)]); }

  std::string word(Value v) const {
    const Inst& inst = k_[v];
    switch (given_by(inst.kind)) {
      case BuiltinInput::Literal: return literal(inst.imm);
      case BuiltinInput::Length: return source_length(k_.buffers[inst.target]);
      case BuiltinInput::InvocationId:
        return fmt::format("(group[{0}] * {1} + local[{0}])", inst.imm, literal(k_.workgroup_size[inst.imm]));
      case BuiltinInput::WorkgroupId: return fmt::format("group[{}]", inst.imm);
      case BuiltinInput::LocalId: return fmt::format("local[{}]", inst.imm);
      case BuiltinInput::Nothing: break;
    }
    return name(v);
  }

  /// The word of memory that an access is to.
  std::string place(const Inst& access) const {
    const KernelBuffer& buffer = k_.buffers[access.target];
    const uint32_t bytes = spec::info(buffer.element).bytes;
    const std::string at = word(k_.arg(access, 0));
    if (access.access == Access::Words || bytes <= 4) return fmt::format("{}[{}]", source_buffer(buffer), at);
    return fmt::format("{}[{} * {} + {}]", source_buffer(buffer), at, bytes / 4, access.imm);
  }

  void raw(Value v, const Inst& inst) {
    std::array<std::string, 3> operands;
    for (uint32_t n = 0; n < inst.args.count; ++n) operands[n] = word(k_.arg(inst, n));
    line("const {} {} = {};", info(inst.raw).gives_wide ? "double" : "u32", name(v),
         fmt::format(fmt::runtime(source_raw(inst.raw)), operands[0], operands[1], operands[2]));
  }
  void atomic(Value v, const Inst& inst) {
    std::string values;
    for (uint32_t n = 1; n < inst.args.count; ++n) values += ", " + word(k_.arg(inst, n));
    line("[[maybe_unused]] const u32 {} = {}({}{});", name(v), source_atomic(inst.op), place(inst), values);
  }

  void block(KBlock id) {
    ++depth_;
    for (const Value v : k_.block(id)) statement(v, k_[v]);
    --depth_;
  }
  void branch(const Inst& inst) {
    line("if ({} != 0) {{", word(k_.arg(inst, 0)));
    block(inst.body);
    if (inst.orelse != kNoKBlock) {
      line("}} else {{");
      block(inst.orelse);
    }
    line("}}");
  }
  // The last step does not wrap: the variable is below the bound.
  void loop(Value v, const Inst& inst) {
    line("for (u32 {0} = {1}, end{0} = {2}; {0} < end{0}; ++{0}) {{", name(v), word(k_.arg(inst, 0)),
         word(k_.arg(inst, 1)));
    block(inst.body);
    line("}}");
  }

  void statement(Value v, const Inst& inst) {
    switch (inst.kind) {
      case InstKind::Const:
      case InstKind::Len:
      case InstKind::InvocationId:
      case InstKind::WorkgroupId:
      case InstKind::LocalId: break;
      case InstKind::Get: line("const u32 {} = {};", name(v), slot(inst.target)); break;
      case InstKind::Set: line("{} = {};", slot(inst.target), word(k_.arg(inst, 0))); break;
      case InstKind::If: branch(inst); break;
      case InstKind::Loop: loop(v, inst); break;
      case InstKind::Return: line("return;"); break;
      case InstKind::Barrier: line("barrier();"); break;
      case InstKind::Raw: raw(v, inst); break;
      case InstKind::RawLoad:
        line("const u32 {} = {};", name(v),
             atomic_[inst.target] ? fmt::format("atomic_load({})", place(inst)) : place(inst));
        break;
      case InstKind::RawStore: {
        const std::string value = word(k_.arg(inst, 1));
        if (atomic_[inst.target]) {
          line("atomic_store({}, {});", place(inst), value);
        } else {
          line("{} = {};", place(inst), value);
        }
        break;
      }
      case InstKind::RawAtomic: atomic(v, inst); break;
      case InstKind::Intrinsic:  // refused by emit_source()
      case InstKind::Apply:      // not in a legal kernel
      case InstKind::Load:
      case InstKind::Store:
      case InstKind::Atomic: break;
    }
  }

  const Kernel& k_;
  const std::vector<uint32_t> numbers_;  // by Value
  std::vector<bool> atomic_;             // by buffer: all accesses to it are
  size_t depth_ = 0;
  std::string text_;
};

}  // namespace

std::string source_buffer(const KernelBuffer& buffer) { return "b_" + buffer.name; }
std::string source_length(const KernelBuffer& buffer) { return "len_" + buffer.name; }

uint64_t source_words(uint64_t elements, spec::DataType element) {
  return (std::max<uint64_t>(elements, 1) * spec::info(element).bytes + 3) / 4;
}

std::string source_body(const Kernel& kernel) { return Body(kernel).run(); }

}  // namespace vyre::lower
