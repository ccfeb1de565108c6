// print(): kernels for people and golden tests.
//
// Values are numbered in the order in which they are printed, so a golden file does not change with the order
// of Kernel::insts. Constants stand where they are used.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "lower/inst_info.h"
#include "lower/kernel.h"
#include "lower/walk.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::DataType;

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel), numbers_(value_numbers(kernel)) {}

  std::string whole() {
    const auto& size = kernel_.workgroup_size;
    fmt::format_to(std::back_inserter(out_), "{} {} workgroup({}, {}, {})\n",
                   kernel_.legal ? "legal" : "kernel", kernel_.name, size[0], size[1], size[2]);
    for (const KernelBuffer& b : kernel_.buffers) declare(b);
    for (uint32_t s = 0; s < kernel_.slots.size(); ++s) {
      fmt::format_to(std::back_inserter(out_), "  slot {}: {}\n", slot(s), spec::text(kernel_.slots[s].type));
    }
    if (has_raw_floats()) fmt::format_to(std::back_inserter(out_), "  floats {}\n", kernel_.floats.name);
    out_ += "{\n";
    body();
    out_ += "}\n";
    return std::move(out_);
  }

  std::string line(Value v) const {
    const Inst& inst = kernel_[v];
    std::string result = has_number(inst.kind) ? fmt::format("{} = ", operand(v)) : std::string();
    switch (inst.kind) {
      case InstKind::Const: return constant(inst);
      case InstKind::Len: return result + "len " + buffer(inst);
      case InstKind::InvocationId: return result + "invocation_id" + axis(inst);
      case InstKind::WorkgroupId: return result + "workgroup_id" + axis(inst);
      case InstKind::LocalId: return result + "local_id" + axis(inst);
      case InstKind::NumWorkgroups: return result + "num_workgroups" + axis(inst);
      case InstKind::Get: return result + "get " + slot(inst.target);
      case InstKind::Set: return fmt::format("set {}, {}", slot(inst.target), operands(inst));
      case InstKind::If: return "if " + operands(inst);
      case InstKind::Loop:
        return fmt::format("{}loop {} in {} .. {}", inst.imm != 0 ? "unroll " : "", operand(v),
                           operand(kernel_.arg(inst, 0)), operand(kernel_.arg(inst, 1)));
      case InstKind::Return: return "return";
      case InstKind::Barrier: return "barrier";
      case InstKind::Intrinsic: return result + intrinsic(inst);
      case InstKind::Apply: return result + apply(inst) + " " + operands(inst);
      case InstKind::Load: return result + "load " + element(inst);
      case InstKind::Store: return "store " + element(inst) + ", " + operands(inst, inst.args.count - 1);
      case InstKind::Atomic:
        return fmt::format("{}{} {}, {}", result, spec::mnemonic(inst.op), element(inst), operands(inst, 1));
      case InstKind::Raw: return fmt::format("{}{}.raw {}", result, info(inst.raw).mnemonic, operands(inst));
      case InstKind::RawLoad: return result + "load.raw " + moved(inst) + place(inst);
      case InstKind::RawStore: return "store.raw " + (moved(inst) + place(inst)) + ", " + operands(inst, 1);
      case InstKind::RawAtomic:
        return fmt::format("{}{}.raw {}, {}", result, spec::mnemonic(inst.op), place(inst),
                           operands(inst, 1));
    }
    return result;
  }

 private:
  bool has_raw_floats() const {
    return std::ranges::any_of(kernel_.insts, [](const Inst& inst) {
      return inst.kind == InstKind::Raw && info(inst.raw).is_float;
    });
  }

  static const char* moved(const Inst& access) { return access.type == DataType::U64 ? "long " : ""; }

  void indent(size_t depth) { out_.append(2 * depth, ' '); }

  void body() {
    size_t depth = 1;
    const auto nested = [&](Value v) { return kernel_[v].body != kNoKBlock; };
    walk(
        kernel_, kernel_.entry,
        [&](Value v) {
          if (kernel_[v].kind == InstKind::Const) return false;
          indent(depth);
          out_ += line(v) + (nested(v) ? " {\n" : "\n");
          if (nested(v)) ++depth;
          return true;
        },
        [&](Value) {
          indent(depth - 1);
          out_ += "} else {\n";
        },
        [&](Value v) {
          if (!nested(v)) return;
          indent(--depth);
          out_ += "}\n";
        });
  }

  void declare(const KernelBuffer& b) {
    fmt::format_to(std::back_inserter(out_), "  {} {}: {}", spec::text(b.access), b.name, type(b));
    if (!spec::is_bound(b.access)) {
      fmt::format_to(std::back_inserter(out_), "[{}]\n", b.count);
    } else {
      fmt::format_to(std::back_inserter(out_), " @{}{}\n", b.binding, b.used_atomically ? " atomic" : "");
    }
  }

  /// A buffer's type as programs write it, but that a dynamic dimension has no name.
  std::string type(const KernelBuffer& b) const {
    if (b.dims.empty()) return std::string(spec::text(b.element));
    std::vector<std::string> dims;
    for (const KernelDim& dim : b.dims) {
      dims.push_back(dim.dynamic ? fmt::format("{}[{}]", kernel_.buffers[dim.buffer].name, dim.element)
                                 : fmt::format("{}", dim.size));
    }
    std::string out = fmt::format("tensor<{}, [{}]", spec::text(b.element), fmt::join(dims, ", "));
    if (!b.strides.empty()) out += fmt::format(", strides [{}]", fmt::join(b.strides, ", "));
    return out + ">";
  }

  static std::string word(uint32_t bits) {
    return bits < 65536 ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
  }
  std::string constant(const Inst& inst) const {
    switch (inst.type) {
      case DataType::U32: return word(inst.imm);
      case DataType::I32: return fmt::format("{}i32", int32_t(inst.imm));
      case DataType::Bool: return inst.imm != 0 ? "true" : "false";
      case DataType::F16:
      case DataType::BF16:
      case DataType::F32: return fmt::format("{}({:#x})", spec::text(inst.type), inst.imm);
      case DataType::U64:
      case DataType::U128: return hexadecimal(kernel_.wide[inst.imm]) + std::string(spec::text(inst.type));
      case DataType::Vec2U32:
      case DataType::Vec4U32: {
        const auto& words = kernel_.wide[inst.imm];
        std::string out = fmt::format("{}({}", spec::text(inst.type), word(words[0]));
        for (uint32_t n = 1; n < spec::value_words(inst.type); ++n) out += ", " + word(words[n]);
        return out + ")";
      }
      case DataType::Bytes:
      case DataType::I8:
      case DataType::U8:
      case DataType::FP8E4M3:
      case DataType::FP8E5M2:
      case DataType::FP4E2M1:
      case DataType::Tensor: break;  // no values
    }
    return word(inst.imm);
  }
  /// Without leading zeros.
  static std::string hexadecimal(const std::array<uint32_t, 4>& words) {
    const std::string digits =
        fmt::format("{:08x}{:08x}{:08x}{:08x}", words[3], words[2], words[1], words[0]);
    return "0x" + digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  }
  static std::string axis(const Inst& inst) { return inst.imm == 0 ? ".x" : inst.imm == 1 ? ".y" : ".z"; }
  std::string slot(uint32_t s) const { return fmt::format("${}.{}", kernel_.slots[s].name, s); }
  const std::string& buffer(const Inst& inst) const { return kernel_.buffers[inst.target].name; }
  std::string element(const Inst& inst) const {
    const uint32_t indices = inst.args.count - (inst.kind == InstKind::Store ? 1 : 0);
    const bool one = kernel_.buffers[inst.target].dims.empty();
    std::string out = buffer(inst) + "[" + operand(kernel_.arg(inst, 0));
    for (uint32_t n = 1; n < (one ? 1 : indices); ++n) out += ", " + operand(kernel_.arg(inst, n));
    return out + "]";
  }
  /// Of a raw access: b[i], words b[i] where b is seen as words, and b[i]:n for word n of a longer element.
  std::string place(const Inst& inst) const {
    std::string out = inst.access == Access::Words ? "words " : "";
    out += fmt::format("{}[{}]", buffer(inst), operand(kernel_.arg(inst, 0)));
    const bool longer = spec::info(kernel_.buffers[inst.target].element).bytes > 4;
    return longer ? fmt::format("{}:{}", out, inst.imm) : out;
  }
  /// In a legal kernel name:n stands for word n of a longer result.
  std::string intrinsic(const Inst& inst) const {
    const spec::IntrinsicInfo& called = spec::info(spec::Intrinsic(inst.imm));
    std::string out(called.id);
    if (kernel_.legal && spec::value_words(called.output) > 1) out += fmt::format(":{}", inst.target);
    return inst.args.count == 0 ? out : out + " " + operands(inst);
  }
  static std::string apply(const Inst& inst) {
    if (inst.op == spec::Op::MakeVec2U32 || inst.op == spec::Op::MakeVec4U32)
      return std::string(spec::mnemonic(inst.op));  // which is the type's name
    std::string out = fmt::format("{} {}", spec::mnemonic(inst.op), spec::text(inst.operand_type));
    if (inst.op == spec::Op::Cast || inst.op == spec::Op::Bitcast) {
      out += fmt::format(" to {}", spec::text(inst.type));
      if (inst.mode != spec::RoundingMode::None) out += fmt::format(" {}", spec::text(inst.mode));
    }
    if (inst.op == spec::Op::Component) out += fmt::format(".{}", "xyzw"[inst.imm]);
    return out;
  }

  std::string operand(Value v) const {
    const Inst& inst = kernel_[v];
    if (inst.kind == InstKind::Const) return constant(inst);
    // An instruction that no block holds, in a kernel that is being made or is broken, shows as its index.
    if (numbers_[index(v)] == kUnnumbered) return fmt::format("%?{}", index(v));
    return fmt::format("%{}", numbers_[index(v)]);
  }
  std::string operands(const Inst& inst, uint32_t from = 0) const {
    std::string out;
    for (uint32_t i = from; i < inst.args.count; ++i) {
      if (i > from) out += ", ";
      out += operand(kernel_.arg(inst, i));
    }
    return out;
  }

  const Kernel& kernel_;
  const std::vector<uint32_t> numbers_;
  std::string out_;
};

}  // namespace

std::string print(const Kernel& kernel) { return Printer(kernel).whole(); }

std::string print(const Kernel& kernel, Value instruction) { return Printer(kernel).line(instruction); }

}  // namespace vyre::lower
