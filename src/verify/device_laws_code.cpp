#include "verify/device_laws_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "lower/kernel.h"

namespace vyre::verify {
namespace {

using algebra::BoundLaw;

/// One instruction: its name, and how many words it works on. No name: nothing to count.
struct Line {
  std::string name;
  uint32_t lanes = 1;
  bool branches = false;  // conditionally: the end of a block
};

std::string_view trimmed(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

std::string_view word_of(std::string_view& rest) {
  rest = trimmed(rest);
  const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

/// The lanes of an operation on words: "i32" is 1, "<8 x i32>" is 8. None for other types.
std::optional<uint32_t> lanes_of(std::string_view type) {
  type = trimmed(type);
  if (type.starts_with("i32")) return 1;
  if (!type.starts_with('<')) return std::nullopt;
  uint32_t lanes = 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), lanes);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(end, size_t(type.data() + type.size() - end));
  if (!rest.starts_with(" x i32>")) return std::nullopt;
  return lanes;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

Line llvm_line(std::string_view line) {
  std::string_view rest = line;
  std::string_view word = word_of(rest);
  if (word == "br") return {{}, 1, line.find("label") != line.rfind("label")};
  if (!word.starts_with('%')) return {};
  word_of(rest);  // =
  word = word_of(rest);
  if (one_of(word, {"tail", "musttail", "notail"})) word = word_of(rest);
  if (word == "call") {
    // Attributes like range(i32 0, 33) may stand before the type, which is the last thing before the name.
    const size_t at = rest.find("@llvm.");
    if (at == std::string_view::npos) return {};
    const std::string_view before = rest.substr(0, at);
    const size_t type = std::min(before.rfind('<'), before.rfind("i32"));
    const auto lanes = type < at ? lanes_of(before.substr(type)) : std::nullopt;
    if (!lanes) return {};
    // "llvm.umin.v8i32(": the type is no part of the name.
    const std::string_view name = rest.substr(at + 6, rest.find('.', at + 6) - at - 6);
    return {std::string(name), *lanes};
  }
  const std::string name(word);
  if (name == "icmp") {
    word_of(rest);  // the predicate
    const auto lanes = lanes_of(rest);
    return lanes ? Line{name, *lanes} : Line{};
  }
  if (name == "select") {  // not counted, but it has the mark
    const size_t comma = line.find(',');
    const auto lanes = comma == std::string_view::npos ? std::nullopt : lanes_of(line.substr(comma + 1));
    return {{}, lanes.value_or(1)};
  }
  if (!one_of(name, {"add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "and", "or", "xor", "shl", "lshr",
                     "ashr"}))
    return {};
  while (true) {  // nuw, nsw, exact, disjoint
    std::string_view next = rest;
    const std::string_view flag = word_of(next);
    if (flag.empty() || !one_of(flag, {"nuw", "nsw", "exact", "disjoint"})) break;
    rest = next;
  }
  const auto lanes = lanes_of(rest);
  return lanes ? Line{name, *lanes} : Line{};
}

/// PTX under LLVM's names.
Line ptx_line(std::string_view line) {
  std::string_view rest = line;
  std::string_view word = word_of(rest);
  const bool predicated = word.starts_with('@');
  if (predicated) word = word_of(rest);
  const size_t dot = std::min(word.find('.'), word.size());
  const std::string_view name = word.substr(0, dot), suffix = word.substr(dot);
  if (name == "bra" || name.starts_with("bra;")) return {{}, 1, predicated};
  if (suffix.find("64") != std::string_view::npos || suffix.find("pred") != std::string_view::npos ||
      suffix.find("wide") != std::string_view::npos) {
    return {};
  }
  const bool is_signed = suffix.find(".s32") != std::string_view::npos;
  if (name == "setp" || name == "set") return {"icmp"};
  if (name == "shr") return {is_signed ? "ashr" : "lshr"};
  if (name == "min" || name == "max") return {fmt::format("{}{}", is_signed ? 's' : 'u', name)};
  if (name == "div" || name == "rem") return {fmt::format("{}{}", is_signed ? 's' : 'u', name)};
  if (name == "popc") return {"ctpop"};
  if (name == "clz") return {"ctlz"};
  if (name == "brev") return {"bitreverse"};
  if (name == "not") return {"xor"};  // LLVM's is an xor with ones
  if (one_of(name,
             {"add", "sub", "mul", "and", "or", "xor", "shl", "neg", "abs", "bfe", "bfi", "shf", "mad"})) {
    return {std::string(name)};
  }
  return {};
}

/// Whether a line chooses between the mark and zero. Where an instance has several demands a compiler may
/// make a chain of choices, of which only the first has the zero.
bool starts_mark(std::string_view line) {
  static const std::string mark = fmt::format("{}", kMark);
  const size_t at = line.find(mark);
  if (at == std::string_view::npos) return false;
  return line.find("zeroinitializer") != std::string_view::npos ||
         line.find("i32 0,") != std::string_view::npos || line.ends_with("i32 0") ||
         line.find(" 0, " + mark) != std::string_view::npos ||
         line.find(mark + ", 0,") != std::string_view::npos;
}

/// Whether a branch goes to a label, and not to one that only begins like it.
bool names(std::string_view line, std::string_view label) {
  for (size_t at = line.find(label); at != std::string_view::npos; at = line.find(label, at + 1)) {
    const std::string_view rest = line.substr(at + label.size());
    if (rest.empty() || rest.front() == ',' || rest.front() == ' ') return true;
  }
  return false;
}

bool is_label(std::string_view line) {
  const std::string_view word = line.substr(0, std::min(line.find_first_of(" \t;"), line.size()));
  return word.ends_with(':');
}

void count(InstructionCounts& counts, const Line& line) {
  if (line.name.empty()) return;
  if (line.name == "mad") {
    counts["mul"] += line.lanes;
    counts["add"] += line.lanes;
    return;
  }
  counts[line.name] += line.lanes;
}

/// What every instance of a law has besides applications.
InstructionCounts overhead(const BoundLaw& law, const LawShape& shape) {
  const auto variables = uint32_t(law.variables.size());
  InstructionCounts out;
  out["add"] = variables + 1 + shape.sums;  // steps; the count
  out["lshr"] = variables;
  out["xor"] = variables + shape.equations;
  if (masks_product(law)) {
    out["mul"] = shape.masks;
  } else {
    out["xor"] += shape.masks;
    out["and"] = shape.still_operands;
  }
  out["icmp"] = shape.comparisons + shape.tests;
  return out;
}

bool all_words(const ops::Operation& operation) {
  return operation.signature.output == spec::DataType::U32 &&
         std::ranges::all_of(operation.signature.inputs,
                             [](spec::DataType t) { return t == spec::DataType::U32; });
}

}  // namespace

bool has_branches_of_its_own(const check::Checked& checked) {
  size_t own = 0, all = 0;
  const ir::Code& code = checked.program().code;
  for (uint32_t n = 0; n < code.nodes.size(); ++n) {
    const ir::NodeKind kind = code[ir::NodeId{n}].kind;
    own += kind == ir::NodeKind::If || kind == ir::NodeKind::Loop;
  }
  for (const lower::Inst& inst : lower::build(checked).insts) {
    all += inst.kind == lower::InstKind::If || inst.kind == lower::InstKind::Loop;
  }
  return all > own;
}

std::string text(const Inspection& inspection) {
  switch (inspection.outcome) {
    case Inspected::Whole: return "inspected";
    case Inspected::Folded: return "folded: " + inspection.reason;
    case Inspected::NotInspected: return "not inspected: " + inspection.reason;
  }
  return {};
}

std::vector<MarkedBlock> marked_blocks(const backend::EmittedCode& code) {
  const bool is_ptx = code.form == "ptx";
  std::vector<MarkedBlock> out;
  MarkedBlock block;
  std::string label;  // as a branch to this block names it
  std::string_view text = code.text;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_label(line)) {
      block = {};
      const std::string_view name = line.substr(0, line.find(':'));
      label = is_ptx ? fmt::format("{};", name) : fmt::format("label %{}", name);
      continue;
    }
    const Line parsed = is_ptx ? ptx_line(line) : llvm_line(line);
    count(block.counts, parsed);
    if (starts_mark(line)) block.instances += parsed.lanes;
    if (!parsed.branches) continue;
    if (block.instances > 0 && names(line, label)) {
      // The loop's own step and test, where they are on words.
      for (const std::string_view own : {"add", "icmp"}) {
        const auto it = block.counts.find(own);
        if (it != block.counts.end() && it->second > 0) --it->second;
      }
      out.push_back(std::move(block));
    }
    block = {};
  }
  return out;
}

Inspector::Inspector(backend::Backend& backend, const spec::OpTable& table)
    : Inspector(
          [&backend](const check::Checked& checked) -> Result<backend::EmittedCode> {
            VYRE_TRY(pipeline, backend.compile(checked));
            return pipeline->code();
          },
          table) {}

Result<backend::EmittedCode> Inspector::emit(const BoundLaw& law, const LawProgramOptions& options,
                                             bool* branches) {
  auto checked = check::check(law_program(law, options).program, table_);
  if (!checked) return std::unexpected(checked.error().front());
  *branches = has_branches_of_its_own(*checked);
  return emit_(*checked);
}

Result<const Inspector::Signature*> Inspector::signature(const ops::Operation& operation) {
  const auto [it, is_new] = signatures_.try_emplace(&operation);
  Signature& out = it->second;
  if (!is_new) return &out;
  const std::string name(operation.id);
  if (!all_words(operation)) {
    out.unknown = name + " has operands other than words";
    return &out;
  }
  const spec::Law alone = spec::laws::bounded(0, UINT32_MAX);
  const auto bound = algebra::bind(alone, operation);
  bool branches = false;
  VYRE_TRY(code, emit(*bound, {}, &branches));
  if (branches) {
    out.unknown = name + " has control flow of its own";
    return &out;
  }
  const std::vector<MarkedBlock> blocks = marked_blocks(code);
  if (blocks.empty()) {
    out.unknown = fmt::format("no loop of one block has the instances of {} alone", name);
    return &out;
  }
  std::optional<InstructionCounts> least;
  for (const MarkedBlock& block : blocks) {
    InstructionCounts here;
    for (const auto& [what, often] : block.counts) here[what] = often / block.instances;
    if (!least) least = here;
    for (auto& [what, often] : *least) often = std::min(often, here.contains(what) ? here[what] : 0);
  }
  if (least) {
    const InstructionCounts besides = overhead(*bound, shape_of(*bound));
    for (const auto& [what, often] : *least) {
      const auto other = besides.find(what);
      const uint32_t less = other == besides.end() ? 0 : other->second;
      if (often > less) out.counts[what] = often - less;
    }
  }
  if (out.counts.empty()) out.unknown = name + " leaves no instruction of its own";
  return &out;
}

Result<Inspection> Inspector::inspect(const BoundLaw& law, const LawProgramOptions& options) {
  bool branches = false;
  VYRE_TRY(code, emit(law, options, &branches));
  return inspect(law, code);
}

Result<Inspection> Inspector::inspect(const BoundLaw& law, const backend::EmittedCode& code) {
  if (code.form.empty()) return Inspection{Inspected::NotInspected, "the backend shows no code"};
  if (code.form != "llvm" && code.form != "ptx") {
    return Inspection{Inspected::NotInspected, fmt::format("code of the form {} is not read", code.form)};
  }
  const LawShape shape = shape_of(law);
  InstructionCounts needed;
  for (const auto& [operation, times] : shape.applications) {
    VYRE_TRY(one, signature(*operation));
    if (!one->unknown.empty()) return Inspection{Inspected::NotInspected, one->unknown};
    for (const auto& [what, often] : one->counts) needed[what] += often * times;
  }
  const InstructionCounts besides = overhead(law, shape);
  const std::vector<MarkedBlock> blocks = marked_blocks(code);
  // This compiler writes loops as they are read here, or there were no signature.
  if (blocks.empty()) return Inspection{Inspected::Folded, "no instance is left"};
  for (const MarkedBlock& block : blocks) {
    for (const auto& [what, often] : needed) {
      const auto found = block.counts.find(what);
      const auto other = besides.find(what);
      const uint32_t wanted = block.instances * (often + (other == besides.end() ? 0 : other->second));
      const uint32_t has = found == block.counts.end() ? 0 : found->second;
      if (has >= wanted) continue;
      return Inspection{Inspected::Folded, fmt::format("{} instances have {} times {}, not {}",
                                                       block.instances, has, what, wanted)};
    }
  }
  return Inspection{Inspected::Whole, {}};
}

}  // namespace vyre::verify
