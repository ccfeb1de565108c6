#include "lower/wgsl/wgsl.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "lower/c_like_operators.h"
#include "lower/inst_info.h"
#include "lower/walk.h"
#include "lower/wgsl/live.h"
#include "lower/wgsl/memory.h"
#include "lower/wgsl/writer.h"

namespace vyre::lower {
namespace {

/// Blocks within one another in one function. Tint takes 62 (127 statements, and a block is one), naga 127.
constexpr uint32_t kDeepest = 48;

static_assert(c_like_prints(CLikeDialect::Wgsl, kWgslTarget));

/// What a value is in the text.
struct Made {
  std::optional<uint32_t> known;  // a literal
  bool truth = false;             // a bool
  uint32_t level = 0;             // of the function that declares it
};

/// Each invocation runs the kernel's own control flow, and slots are variables.
class WgslPrinter final : CLikePrinter {
 public:
  WgslPrinter(const Kernel& kernel, const WgslOptions& options)
      : CLikePrinter(kernel, CLikeDialect::Wgsl),
        leaving_(leaving_blocks(kernel)),
        returning_(returning_blocks(kernel)),
        live_(live_instructions(kernel, leaving_)),
        is_used_(used_results(kernel, live_)),
        memory_(kernel, live_, options, w_),
        values_(kernel.insts.size()) {}

  Result<WgslModule> run() {
    VYRE_CHECK(check_private());
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

  /// WGSL, "Limits": the most bytes of private variables.
  Result<void> check_private() const {
    constexpr uint64_t kMost = 8192;
    if (memory_.private_bytes() <= kMost) return {};
    return std::unexpected(
        make_diag(DiagCode::B003, Span::none(),
                  fmt::format("`{}` has private arrays of {} bytes; an invocation of WGSL has at most {}",
                              k_.name, memory_.private_bytes(), kMost),
                  "keep a part in a read_write buffer, or use another backend"));
  }

  std::string whole() {
    const auto& size = k_.workgroup_size;
    const WgslFunction entry = w_.leave();
    std::vector<std::string_view> parameters;
    if (reads_thread_) parameters.push_back("@builtin(local_invocation_index) thread: u32");
    if (reads_groups_) parameters.push_back("@builtin(workgroup_id) groups: vec3<u32>");
    if (reads_num_groups_) parameters.push_back("@builtin(num_workgroups) num_groups: vec3<u32>");
    return fmt::format(
        "// {}: groups of {} x {} x {}, as one axis\n{}\n@compute @workgroup_size({})\nfn {}({}) "
        "{{\n{}}}\n{}",
        wgsl_name(k_.name), size[0], size[1], size[2], memory_.declarations(), k_.invocations(), kWgslEntry,
        fmt::join(parameters, ", "), entry.body(), parts_);
  }

  // ---- Ids -----------------------------------------------------------------------------------------------

  Lines& out() override { return w_.top(); }
  static std::string id(std::string_view what, uint32_t axis) {
    return fmt::format("{}_{}", what, "xyz"[axis]);
  }

  void read_ids() {
    const IdUses uses = used_ids(k_, live_);
    uint32_t before = 1;  // invocations along the axes before this one
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t size = k_.workgroup_size[axis];
      const bool invocation = uses.invocation[axis];
      if (invocation || uses.local[axis]) {
        out().line("let {} = {};", id("local", axis), along(before, size));
      }
      if (invocation || uses.group[axis]) {
        reads_groups_ = true;
        out().line("let {} = groups.{};", id("group", axis), "xyz"[axis]);
      }
      if (invocation) {
        out().line("let {} = ({} * {}) + {};", id("invocation", axis), id("group", axis), w_.number(size),
                   id("local", axis));
      }
      before *= size;
      if (!uses.num_groups[axis]) continue;
      reads_num_groups_ = true;
      out().line("let {} = num_groups.{};", id("groups", axis), "xyz"[axis]);
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
      if (used[s]) out().line("var {}: u32;", slot(s));
    }
  }

  /// For reading, or to be assigned.
  std::string variable(uint32_t number) override {
    const std::string name = w_.here(slot(number), 0, WgslParameter::Kind::Variable);
    return w_.level() == 0 ? name : "*" + name;
  }

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
      case BuiltinInput::NumWorkgroups: return given(id("groups", inst.imm));
      case BuiltinInput::Nothing: break;
    }
    const Made& value = values_[index(v)];
    if (value.known) return w_.number(*value.known);
    using Kind = WgslParameter::Kind;
    return w_.here(name(v), value.level, value.truth ? Kind::Truth : Kind::Word);
  }
  std::string given(const std::string& id) { return w_.here(id, 0, WgslParameter::Kind::Word); }
  std::string word(Value v) override { return is_truth(v) ? fmt::format("u32({})", made(v)) : made(v); }
  std::string truth(Value v) override {
    return is_truth(v) ? made(v) : fmt::format("({} != {})", made(v), w_.number(0));
  }

  /// The operators that mean on 0 and 1 what one on bools means.
  static std::optional<std::string_view> logical(RawOp op) {
    if (op == RawOp::And) return "&";
    if (op == RawOp::Or) return "|";
    if (op == RawOp::Xor) return "!=";
    return std::nullopt;
  }
  void emit_raw(Value v, const Inst& inst) override {
    const auto args = k_.args(inst);
    if (inst.raw == RawOp::And && known(args[0]) && known(args[1])) {  // nearly every amount of a shift
      values_[index(v)].known = *known(args[0]) & *known(args[1]);
      return;
    }
    if (const auto op = logical(inst.raw); op && is_truth(args[0]) && is_truth(args[1])) {
      const std::string left = made(args[0]), right = made(args[1]);
      return out().line("let {} = {} {} {};", declare(v, /*truth=*/true), left, *op, right);
    }
    CLikePrinter::emit_raw(v, inst);
  }
  void define(Value v, const std::string& expression, bool truth) override {
    out().line("let {} = {};", declare(v, truth), expression);
  }

  std::string array(uint32_t buffer) override { return memory_.array(buffer); }
  bool is_atomic(uint32_t buffer) const override { return memory_.is_atomic(buffer); }
  // A buffer has fewer than 2^30 words, so nothing wraps.
  std::string word_index(const std::string& at, uint32_t words, uint32_t word) override {
    const std::string first = fmt::format("{} * {}", at, w_.number(words));
    return word == 0 ? first : fmt::format("({}) + {}", first, w_.number(word));
  }
  std::string place(const Inst& access, const std::string& at) override {
    if (memory_.width(access.target) == 1) return CLikePrinter::place(access, at);
    return fmt::format("{}[{}].{}", array(access.target), at, "xyzw"[access.imm]);
  }
  void emit_load(Value v, const Inst& inst) override {
    if (!memory_.whole().joined.contains(index(v))) return CLikePrinter::emit_load(v, inst);
    const auto found = memory_.whole().at.find(index(v));
    if (found == memory_.whole().at.end()) return;  // loaded with the first
    const std::string element = "element_" + name(v);
    out().line("let {} = {}[{}];", element, array(inst.target), word(k_.arg(inst, 0)));
    for (size_t n = 0; n < found->second.size(); ++n)
      define(found->second[n], fmt::format("{}.{}", element, "xyzw"[n]), /*truth=*/false);
  }
  void emit_store(const Inst& inst) override {
    const auto v = uint32_t(&inst - k_.insts.data());
    if (!memory_.whole().joined.contains(v)) return CLikePrinter::emit_store(inst);
    const auto found = memory_.whole().at.find(v);
    if (found == memory_.whole().at.end()) return;  // stored with the last
    std::vector<std::string> words;
    for (const Value part : found->second) words.push_back(word(k_.arg(k_[part], 1)));
    out().line("{}[{}] = vec{}<u32>({});", array(inst.target), word(k_.arg(inst, 0)), words.size(),
               fmt::join(words, ", "));
  }
  void define_atomic(Value v, const Inst& inst, const std::string& place, const std::string& expected,
                     const std::string& value) override {
    memory_.atomic(inst.op, is_used_[index(v)] ? declare(v) : "", place, expected, value);
  }

  // ---- Control -------------------------------------------------------------------------------------------

  /// Not what stands behind a return: compilers differ about such code.
  bool emit_block(KBlock id) override {
    for (const Value v : k_.block(id)) {
      if (live_[index(v)] && emit(v)) return true;
    }
    return false;
  }
  bool emit_inner(KBlock id) override {
    const bool left = ++depth_ == kDeepest ? emit_part(id) : emit_block(id);
    --depth_;
    return left;
  }

  /// The block as a function of its own. It says whether the invocation has returned, where it may have.
  bool emit_part(KBlock id) {
    const bool always = leaving_[index(id)];
    const bool asks = !always && returning_[index(id)];
    const uint32_t depth = std::exchange(depth_, 0);
    const std::string return_here = std::exchange(return_, asks ? "return true;" : "return;");
    w_.enter();
    emit_block(id);
    if (asks) out().line("return false;");
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
      out().line("if ({}({})) {{ {} }}", name, arguments, return_);
    } else {
      out().line("{}({});", name, arguments);
    }
    if (always) emit_return();
    return always;
  }

  void emit_return() override { out().line("{}", return_); }
  void open_if(Value condition) override {
    if (is_truth(condition)) {
      out().open("if ({})", made(condition));
    } else {
      out().open("if {}", truth(condition));
    }
  }
  void open_loop(Value v, const std::string& from, const std::string& to) override {
    const std::string i = declare(v);
    if (leaving_[index(k_[v].body)]) {  // There is no second turn, and compilers differ about such loops.
      out().line("let {} = {};", i, from);
      out().open("if ({} < {})", i, to);
    } else {  // The last turn's step does not wrap: i < to.
      out().open("for (var {} = {}; {} < {}; {}++)", i, from, i, to, i);
    }
  }

  const std::vector<bool> leaving_;    // by KBlock
  const std::vector<bool> returning_;  // by KBlock: some way through it returns
  const std::vector<bool> live_;       // by Value
  const std::vector<bool> is_used_;    // by Value: by a live instruction
  WgslWriter w_;
  WgslMemory memory_;
  std::vector<Made> values_;        // by Value
  uint32_t depth_ = 0;              // blocks that are open in the function at hand
  std::string return_ = "return;";  // in the function at hand
  std::string parts_;               // finished functions
  uint32_t part_count_ = 0;
  size_t most_parameters_ = 0;
  bool reads_thread_ = false, reads_groups_ = false, reads_num_groups_ = false;
};

Result<void> check_subgroups(const Kernel& kernel) {
  const Inst* const call = find(kernel, InstKind::Intrinsic);
  if (call == nullptr) return {};
  const std::string_view operation = spec::info(spec::Intrinsic(call->imm)).id;
  return std::unexpected(
      make_diag(DiagCode::B002, call->origin,
                fmt::format("`{}` calls `{}`, and no operation of subgroups is in what all of WebGPU has",
                            kernel.name, operation),
                "choose a backend that has them"));
}

}  // namespace

Result<WgslModule> emit_wgsl(const Kernel& kernel, const WgslOptions& options) {
  VYRE_CHECK(check_subgroups(kernel));
  return WgslPrinter(kernel, options).run();
}

}  // namespace vyre::lower
