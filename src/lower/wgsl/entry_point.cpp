#include "lower/wgsl/entry_point.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "lower/builtin_input.h"
#include "lower/numbering.h"
#include "lower/wgsl/live.h"
#include "lower/wgsl/memory.h"
#include "lower/wgsl/raw.h"
#include "lower/wgsl/writer.h"

namespace vyre::lower {
namespace {

/// Blocks within one another in one function. Tint takes 62 (127 statements, and a block is one), naga 127.
constexpr uint32_t kDeepest = 48;

/// What a value is in the text.
struct Made {
  std::optional<uint32_t> known;  // a literal
  bool truth = false;             // a bool
  uint32_t level = 0;             // of the function that declares it
};

/// Each invocation runs the kernel's own control flow, and slots are variables.
class EntryPointEmitter {
 public:
  EntryPointEmitter(const Kernel& kernel, const WgslOptions& options)
      : k_(kernel),
        leaving_(leaving_blocks(kernel)),
        returning_(returning_blocks(kernel)),
        live_(live_instructions(kernel, leaving_)),
        is_used_(used_results(kernel, live_)),
        numbers_(value_numbers(kernel)),
        memory_(kernel, live_, options, w_),
        values_(kernel.insts.size()) {}

  Result<WgslModule> run() {
    memory_.begin();
    read_ids();
    declare_slots();
    emit_block(k_.entry);
    VYRE_CHECK(check_parts());
    return WgslModule{.text = whole(),
                      .threads = k_.invocations(),
                      .shared_bytes = memory_.shared_bytes(),
                      .buffers = memory_.bound_buffers(),
                      .writable = memory_.writable()};
  }

 private:
  /// WGSL, "Limits": the most parameters that a function may have.
  Result<void> check_parts() const {
    constexpr size_t kMost = 255;
    if (most_parameters_ <= kMost) return {};
    return std::unexpected(make_diag(
        DiagCode::B003, Span::none(),
        fmt::format(
            "`{}` has blocks {} deep that need {} values from around them; a function of WGSL takes {}",
            k_.name, kDeepest, most_parameters_, kMost),
        "nest blocks less deeply, or use fewer variables in the innermost ones"));
  }

  std::string whole() {
    const auto& size = k_.workgroup_size;
    const WgslFunction entry = w_.leave();
    std::string parameters;
    if (reads_thread_) parameters = "@builtin(local_invocation_index) thread: u32";
    if (reads_groups_) {
      if (reads_thread_) parameters += ", ";
      parameters += "@builtin(workgroup_id) groups: vec3<u32>";
    }
    return fmt::format(
        "// {}: groups of {} x {} x {}, as one axis\n{}\n@compute @workgroup_size({})\nfn {}({}) "
        "{{\n{}}}\n{}",
        wgsl_name(k_.name), size[0], size[1], size[2], memory_.declarations(), k_.invocations(), kWgslEntry,
        parameters, entry.body(), parts_);
  }

  // ---- Ids -----------------------------------------------------------------------------------------------

  bool wants(InstKind kind, uint32_t axis) const {
    for (size_t i = 0; i < k_.insts.size(); ++i) {
      if (live_[i] && k_.insts[i].kind == kind && k_.insts[i].imm == axis) return true;
    }
    return false;
  }
  static std::string id(std::string_view what, uint32_t axis) {
    return fmt::format("{}_{}", what, "xyz"[axis]);
  }

  void read_ids() {
    uint32_t before = 1;  // invocations along the axes before this one
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t size = k_.workgroup_size[axis];
      const bool invocation = wants(InstKind::InvocationId, axis);
      if (invocation || wants(InstKind::LocalId, axis)) {
        w_.line("let {} = {};", id("local", axis), along(before, size));
      }
      if (invocation || wants(InstKind::WorkgroupId, axis)) {
        reads_groups_ = true;
        w_.line("let {} = groups.{};", id("group", axis), "xyz"[axis]);
      }
      if (invocation) {
        w_.line("let {} = ({} * {}) + {};", id("invocation", axis), id("group", axis), w_.number(size),
                id("local", axis));
      }
      before *= size;
    }
  }
  /// thread / before % size, without what changes nothing.
  std::string along(uint32_t before, uint32_t size) {
    if (size == 1) return w_.number(0);
    reads_thread_ = true;
    std::string at = "thread";
    if (before != 1) at = fmt::format("{} / {}", at, w_.number(before));
    if (before * size == k_.invocations()) return at;
    return fmt::format(fmt::runtime(before == 1 ? "{} % {}" : "({}) % {}"), at, w_.number(size));
  }

  // ---- Values --------------------------------------------------------------------------------------------

  std::string slot(uint32_t number) const {
    return fmt::format("s{}_{}", number, wgsl_name(k_.slots[number].name));
  }
  void declare_slots() {
    std::vector<bool> used(k_.slots.size());
    for (size_t i = 0; i < k_.insts.size(); ++i) {
      if (live_[i] && k_.insts[i].kind == InstKind::Get) used[k_.insts[i].target] = true;
    }
    for (uint32_t s = 0; s < used.size(); ++s) {
      if (used[s]) w_.line("var {}: u32;", slot(s));
    }
  }

  /// For reading, or to be assigned.
  std::string variable(uint32_t number) {
    const std::string name = w_.here(slot(number), 0, WgslParameter::Kind::Variable);
    return w_.level() == 0 ? name : "*" + name;
  }

  std::string name(Value v) const { return fmt::format("v{}", numbers_[index(v)]); }
  bool is_truth(Value v) const { return values_[index(v)].truth; }
  std::optional<uint32_t> known(Value v) const {
    return k_[v].kind == InstKind::Const ? k_[v].imm : values_[index(v)].known;
  }
  /// What is declared here, from now on.
  std::string declare(Value v, bool truth = false) {
    values_[index(v)] = {.known = {}, .truth = truth, .level = w_.level()};
    return name(v);
  }
  /// As it was made: a word or a bool.
  std::string made(Value v) {
    const Inst& inst = k_[v];
    switch (given_by(inst.kind)) {
      case BuiltinInput::Literal: return w_.number(inst.imm);
      case BuiltinInput::Length: return memory_.length(inst.target);
      case BuiltinInput::InvocationId: return given(id("invocation", inst.imm));
      case BuiltinInput::WorkgroupId: return given(id("group", inst.imm));
      case BuiltinInput::LocalId: return given(id("local", inst.imm));
      case BuiltinInput::Nothing: break;
    }
    const Made& value = values_[index(v)];
    if (value.known) return w_.number(*value.known);
    using Kind = WgslParameter::Kind;
    return w_.here(name(v), value.level, value.truth ? Kind::Truth : Kind::Word);
  }
  std::string given(const std::string& id) { return w_.here(id, 0, WgslParameter::Kind::Word); }
  std::string word(Value v) { return is_truth(v) ? fmt::format("u32({})", made(v)) : made(v); }
  std::string truth(Value v) {
    return is_truth(v) ? made(v) : fmt::format("({} != {})", made(v), w_.number(0));
  }

  /// The operators that mean on 0 and 1 what one on bools means.
  static std::optional<std::string_view> logical(RawOp op) {
    if (op == RawOp::And) return "&";
    if (op == RawOp::Or) return "|";
    if (op == RawOp::Xor) return "!=";
    return std::nullopt;
  }
  void emit_raw(Value v, const Inst& inst) {
    const auto args = k_.args(inst);
    if (inst.raw == RawOp::And && known(args[0]) && known(args[1])) {  // nearly every amount of a shift
      values_[index(v)].known = *known(args[0]) & *known(args[1]);
      return;
    }
    if (const auto op = logical(inst.raw); op && is_truth(args[0]) && is_truth(args[1])) {
      const std::string left = made(args[0]), right = made(args[1]);
      w_.line("let {} = {} {} {};", declare(v, /*truth=*/true), left, *op, right);
      return;
    }
    std::array<std::string, 3> operands;
    for (size_t n = 0; n < args.size(); ++n) {
      const bool condition = inst.raw == RawOp::Select && n == 0;
      operands[n] = condition ? truth(args[n]) : word(args[n]);
    }
    const WgslRaw& row = wgsl_raw(inst.raw);
    w_.line("let {} = {};", declare(v, row.made == WgslMade::Truth),
            fmt::format(fmt::runtime(row.pattern), operands[0], operands[1], operands[2]));
  }

  void emit_get(Value v, const Inst& inst) {
    const std::string from = variable(inst.target);
    w_.line("let {} = {};", declare(v), from);
  }
  void emit_set(const Inst& inst) {
    const std::string value = word(k_.arg(inst, 0));
    w_.line("{} = {};", variable(inst.target), value);
  }
  void emit_load(Value v, const Inst& inst) {
    const std::string from = memory_.load(inst, word(k_.arg(inst, 0)));
    w_.line("let {} = {};", declare(v), from);
  }
  void emit_store(const Inst& inst) {
    const std::string at = word(k_.arg(inst, 0));
    memory_.store(inst, at, word(k_.arg(inst, 1)));
  }
  void emit_atomic(Value v, const Inst& inst) {
    const auto args = k_.args(inst);
    const std::string at = word(args[0]);
    const std::string expected = args.size() > 2 ? word(args[1]) : "";
    const std::string value = word(args.back());
    memory_.atomic(inst, is_used_[index(v)] ? declare(v) : "", at, expected, value);
  }

  // ---- Control -------------------------------------------------------------------------------------------

  void emit_block(KBlock id) {
    for (const Value v : k_.block(id)) {
      if (live_[index(v)]) emit(v);
      if (leaves(k_[v], leaving_)) return;  // compilers differ about code behind it
    }
  }
  /// A block within another one.
  void emit_inner(KBlock id) {
    if (++depth_ == kDeepest) {
      emit_part(id);
    } else {
      emit_block(id);
    }
    --depth_;
  }

  /// The block as a function of its own. It says whether the invocation has returned, where it may have.
  void emit_part(KBlock id) {
    const bool always = leaving_[index(id)];
    const bool asks = !always && returning_[index(id)];
    const uint32_t depth = std::exchange(depth_, 0);
    const std::string return_here = std::exchange(return_, asks ? "return true;" : "return;");
    w_.enter();
    emit_block(id);
    if (asks) w_.line("return false;");
    const WgslFunction part = w_.leave();
    depth_ = depth, return_ = return_here;
    most_parameters_ = std::max(most_parameters_, part.parameters.size());

    std::string arguments;
    for (const WgslParameter& p : part.parameters) {
      if (!arguments.empty()) arguments += ", ";
      const bool address = p.kind == WgslParameter::Kind::Variable && w_.level() == p.level;
      arguments += (address ? "&" : "") + w_.here(p.name, p.level, p.kind);
    }
    const std::string name = fmt::format("part_{}", part_count_++);
    parts_ += fmt::format("\nfn {}({}){} {{\n{}}}\n", name, part.parameter_list(), asks ? " -> bool" : "",
                          part.body());
    if (asks) {
      w_.line("if ({}({})) {{ {} }}", name, arguments, return_);
    } else {
      w_.line("{}({});", name, arguments);
    }
    if (always) w_.line("{}", return_);
  }

  void emit_if(const Inst& inst) {
    const Value condition = k_.arg(inst, 0);
    if (is_truth(condition)) {
      w_.open("if ({})", made(condition));
    } else {
      w_.open("if {}", truth(condition));
    }
    emit_inner(inst.body);
    if (inst.orelse != kNoKBlock) {
      w_.otherwise();
      emit_inner(inst.orelse);
    }
    w_.close();
  }

  void emit_loop(Value v, const Inst& inst) {
    const std::string from = word(k_.arg(inst, 0));
    const std::string to = word(k_.arg(inst, 1));
    const std::string i = declare(v);
    if (leaving_[index(inst.body)]) {  // There is no second turn, and compilers differ about such loops.
      w_.line("let {} = {};", i, from);
      w_.open("if ({} < {})", i, to);
    } else {  // The last turn's step does not wrap: i < to.
      w_.open("for (var {} = {}; {} < {}; {}++)", i, from, i, to, i);
    }
    emit_inner(inst.body);
    w_.close();
  }

  void emit(Value v) {
    const Inst& inst = k_[v];
    switch (inst.kind) {
      case InstKind::Const:
      case InstKind::Len:
      case InstKind::InvocationId:
      case InstKind::WorkgroupId:
      case InstKind::LocalId: break;
      case InstKind::Get: emit_get(v, inst); break;
      case InstKind::Set: emit_set(inst); break;
      case InstKind::If: emit_if(inst); break;
      case InstKind::Loop: emit_loop(v, inst); break;
      case InstKind::Return: w_.line("{}", return_); break;
      case InstKind::Barrier: memory_.barrier(); break;
      case InstKind::Raw: emit_raw(v, inst); break;
      case InstKind::RawLoad: emit_load(v, inst); break;
      case InstKind::RawStore: emit_store(inst); break;
      case InstKind::RawAtomic: emit_atomic(v, inst); break;
      case InstKind::Intrinsic:  // refused by emit_wgsl()
      case InstKind::Apply:      // not in a legal kernel
      case InstKind::Load:
      case InstKind::Store:
      case InstKind::Atomic: break;
    }
  }

  const Kernel& k_;
  const std::vector<bool> leaving_;      // by KBlock
  const std::vector<bool> returning_;    // by KBlock: some way through it returns
  const std::vector<bool> live_;         // by Value
  const std::vector<bool> is_used_;      // by Value: by a live instruction
  const std::vector<uint32_t> numbers_;  // by Value
  WgslWriter w_;
  WgslMemory memory_;
  std::vector<Made> values_;        // by Value
  uint32_t depth_ = 0;              // blocks that are open in the function at hand
  std::string return_ = "return;";  // in the function at hand
  std::string parts_;               // finished functions
  uint32_t part_count_ = 0;
  size_t most_parameters_ = 0;
  bool reads_thread_ = false, reads_groups_ = false;
};

}  // namespace

Result<WgslModule> emit_wgsl_shell(const Kernel& kernel, const WgslOptions& options) {
  return EntryPointEmitter(kernel, options).run();
}

}  // namespace vyre::lower
