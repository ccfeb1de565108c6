#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/registry/registry.h"
#include "base/names.h"
#include "ops/operation.h"
#include "ops_library.h"
#include "spec/ops.h"
#include "text/foreign_words.h"
#include "text/operators.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

std::string signature_of(const ops::Operation& op) {
  std::string out = "(";
  for (size_t i = 0; i < op.signature.inputs.size(); ++i) {
    out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", op.parameter_names[i],
                       spec::text(op.signature.inputs[i]));
  }
  return out + fmt::format(") -> {}", spec::text(op.signature.output));
}

std::string qualified(const ops::Operation& op) {
  return op.version == 1 ? std::string(op.id) : fmt::format("{}@{}", op.id, op.version);
}

std::string types_of(const spec::OpInfo& op) {
  std::string out;
  for (const spec::TypeInfo& type : spec::kTypes) {
    if (type.available && op.types.contains(type.type))
      out += fmt::format("{}{}", out.empty() ? "" : " ", type.text);
  }
  return out;
}

bool is_pattern(std::string_view id) { return id.find_first_of("*?") != id.npos; }

/// Whether it is an operation that was asked for: all without an id. A text without a version means 1, as in
/// a call.
bool is_asked(const std::string& asked, std::string_view id, uint32_t version) {
  if (is_pattern(asked)) return matches(asked, id);
  return asked.empty() || asked == fmt::format("{}@{}", id, version) || (asked == id && version == 1);
}

/// Where what an operator or a row cites is in the pages: sources are cited by names that are older than
/// these (docs/spec/README.md, "Where sources are"). Without a section the page has it in several.
struct Citation {
  std::string_view book, names, page, section;
};
constexpr std::array kCitations = std::to_array<Citation>({
    {"binary-operations", "Add, Sub, Mul, Div, Mod", "operators", "Arithmetic"},
    {"binary-operations", "BitAnd, BitOr, BitXor, Shl, Shr", "operators", "Bits"},
    {"binary-operations", "Eq, Ne, Lt, Gt, Le, Ge, And, Or", "operators", "Comparisons and truth"},
    {"semantics", "Operators", "operators", ""},
    {"semantics", "Casts", "operators", "Casts"},
    {"semantics", "Floats", "floats", ""},
    {"semantics", "The primitives", "primitives", ""},
    {"semantics", "Structure", "structure", ""},
    {"text-format", "Vectors", "operators", "Vectors"},
    {"vyre-conform-spec", "Unary Operations", "operators", ""},
    {"vyre-conform-spec", "Atomic Operations", "operators", "Atomics"},
    {"vyre-conform-spec", "Conversion operations", "floats", "Casts"},
    {"vyre-conform-spec", "Float semantics", "floats", ""},
    {"vyre-conform-spec", "Reduction operations", "floats", "Reductions"},
    {"vyre-conform-spec", "Approximate track", "floats", "Approximate operators"},
});

/// "binary-operations: Add, table" as its place and, behind the name, what counts of it: " (NaN)". None for
/// what is published elsewhere.
std::optional<std::pair<Citation, std::string_view>> find_citation(std::string_view source) {
  const size_t colon = source.find(": ");
  if (colon == source.npos) return std::nullopt;
  const std::string_view book = source.substr(0, colon), rest = source.substr(colon + 2);
  const std::string_view name = rest.substr(0, std::min(rest.find(','), rest.find(" (")));
  std::string_view counts = rest.substr(name.size());
  for (const std::string_view kind : {", table", ", laws"})
    if (counts.starts_with(kind)) counts.remove_prefix(kind.size());
  for (const Citation& citation : kCitations) {
    if (citation.book == book && fmt::format(", {},", citation.names).contains(fmt::format(", {},", name)))
      return std::pair(citation, counts);
  }
  return std::nullopt;
}

/// `docs/spec/operators.md, "Arithmetic"`
std::string page_of(std::string_view source) {
  const auto found = find_citation(source);
  if (!found) return std::string(source);
  const auto& [citation, counts] = *found;
  const std::string section = citation.section.empty() ? "" : fmt::format(", \"{}\"", citation.section);
  return fmt::format("docs/spec/{}.md{}{}", citation.page, section, counts);
}

/// `[operators](spec/operators.md#arithmetic)`
std::string link_of(std::string_view source) {
  const auto found = find_citation(source);
  if (!found) return std::string(source);
  const Citation& citation = found->first;
  std::string anchor;
  for (const char c : citation.section)
    anchor += c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return fmt::format("[{0}](spec/{0}.md{1}{2})", citation.page, anchor.empty() ? "" : "#", anchor);
}

std::vector<const ops::Operation*> selected(const std::string& id) {
  std::vector<const ops::Operation*> out;
  for (const ops::Operation& op : ops::all_operations()) {
    if (is_asked(id, op.id, op.version)) out.push_back(&op);
  }
  return out;
}

std::vector<const library::Entry*> selected_over_buffers(const std::string& id) {
  std::vector<const library::Entry*> out;
  for (const library::Entry& entry : library::entries()) {
    if (is_asked(id, entry.id, 1)) out.push_back(&entry);
  }
  return out;
}

std::string signature_of(const spec::IntrinsicInfo& op) {
  std::string out = "(";
  for (const spec::DataType type : op.inputs()) {
    out += fmt::format("{}{}", out.size() == 1 ? "" : ", ", spec::text(type));
  }
  return out + fmt::format(") -> {}", spec::text(op.output));
}

std::string qualified(const spec::IntrinsicInfo& op) {
  return op.version == 1 ? std::string(op.id) : fmt::format("{}@{}", op.id, op.version);
}

std::vector<const spec::IntrinsicInfo*> selected_intrinsics(const std::string& id) {
  std::vector<const spec::IntrinsicInfo*> out;
  for (const spec::IntrinsicInfo& op : spec::kIntrinsics) {
    if (is_asked(id, op.id, op.version)) out.push_back(&op);
  }
  return out;
}

/// The backends that are available here, each opened once: opening a device takes a moment. The reference has
/// the operations of subgroups once it is given their size, so it is given one.
const std::map<std::string, std::unique_ptr<backend::Backend>, std::less<>>& backends_here() {
  // Never destroyed: drivers may be gone by the time that statics are.
  static const auto& opened = *[] {
    auto* const all = new std::map<std::string, std::unique_ptr<backend::Backend>, std::less<>>;
    for (const backend::Entry& entry : backend::all_backends()) {
      auto one = backend::open(entry.name, {.reference = {.subgroup_size = 32}});
      if (one) all->emplace(entry.name, std::move(*one));
    }
    return all;
  }();
  return opened;
}

/// The backends, among those available here, that have a hardware operation.
std::vector<std::string> backends_with(spec::Intrinsic intrinsic) {
  std::vector<std::string> out;
  for (const backend::Entry& entry : backend::all_backends()) {
    const auto it = backends_here().find(entry.name);
    if (it != backends_here().end() && it->second->has(intrinsic)) out.emplace_back(entry.name);
  }
  return out;
}

nlohmann::json to_json(const spec::IntrinsicInfo& op) {
  return {{"id", op.id},     {"version", op.version},   {"signature", signature_of(op)},
          {"category", "C"}, {"hardware", op.hardware}, {"backends", backends_with(op.intrinsic)}};
}

nlohmann::json to_json(const ops::Operation& op) {
  nlohmann::json laws = nlohmann::json::array(), denied = nlohmann::json::array(),
                 rows = nlohmann::json::array();
  for (const spec::Law& law : op.laws) laws.push_back(spec::to_string(law));
  for (const spec::Denial& denial : op.denied) {
    denied.push_back({{"law", spec::to_string(denial.law)}, {"witness", denial.witness}});
  }
  for (const ops::SpecRow& row : op.rows) {
    rows.push_back({{"operands", row.operands},
                    {"expected", row.expected},
                    {"rationale", row.rationale},
                    {"source", row.source}});
  }
  return {{"id", op.id},
          {"version", op.version},
          {"signature", signature_of(op)},
          {"category", op.category == spec::Category::A ? "A" : "C"},
          {"summary", op.summary},
          {"laws", laws},
          {"denied", denied},
          {"rows", rows}};
}

void print_operators() {
  fmt::print("Operators\n");
  for (const spec::OpInfo& op : spec::kOps) {
    fmt::print("  {:24} {:22} {}\n", op.mnemonic, op.name, types_of(op));
  }
  fmt::print("\n");
}

void print_list(const std::vector<const ops::Operation*>& list) {
  if (list.empty()) return;
  size_t id_width = 0, signature_width = 0;
  for (const ops::Operation* op : list) {
    id_width = std::max(id_width, qualified(*op).size());
    signature_width = std::max(signature_width, signature_of(*op).size());
  }
  fmt::print("Operations\n");
  for (const ops::Operation* op : list) {
    fmt::print("  {:{}}  {:{}}  {}\n", qualified(*op), id_width, signature_of(*op), signature_width,
               op->summary);
  }
}

void print_hardware(const std::vector<const spec::IntrinsicInfo*>& list) {
  if (list.empty()) return;
  fmt::print("Hardware operations (category C): a backend has them or answers B002\n");
  for (const spec::IntrinsicInfo* op : list) {
    fmt::print("  {:28} {:22} on {}\n", qualified(*op), signature_of(*op),
               fmt::join(backends_with(op->intrinsic), " "));
  }
}

void print_intrinsic(const spec::IntrinsicInfo& op) {
  fmt::print("{}{}\n  category C: one hardware instruction, no software fallback\n", qualified(op),
             signature_of(op));
  fmt::print("  hardware  {}\n  backends  {}\n", op.hardware, fmt::join(backends_with(op.intrinsic), " "));
}

/// How a text applies it: "fadd(a, b), or a + b".
std::string form_of(const spec::OpInfo& op) {
  switch (op.signature) {
    case spec::Signature::T_T:
    case spec::Signature::T_U:
    case spec::Signature::T_B: {
      const text::PrefixOperator* sign = text::find_prefix(op.op);
      return fmt::format("{}(a){}", op.mnemonic, sign == nullptr ? "" : fmt::format(", or {}a", sign->text));
    }
    case spec::Signature::TT_T:
    case spec::Signature::TU_T:
    case spec::Signature::TT_U: {
      const text::InfixOperator* sign = text::find_infix(op.op);
      return fmt::format("{}(a, b){}", op.mnemonic,
                         sign == nullptr ? "" : fmt::format(", or a {} b", sign->text));
    }
    case spec::Signature::TTT_T: return fmt::format("{}(a, b, c)", op.mnemonic);
    case spec::Signature::CTT_T: return "select(condition, then, else)";
    case spec::Signature::Cast: return "cast<type>(a), or cast<type, mode>(a) from a float to an integer";
    case spec::Signature::Bitcast: return "bitcast<type>(a)";
    case spec::Signature::Call: return "id(a, b), or id@version(a, b)";
    case spec::Signature::A_T: return fmt::format("{}(buffer[index], value)", op.mnemonic);
    case spec::Signature::AA_T: return fmt::format("{}(buffer[index], expected, value)", op.mnemonic);
    case spec::Signature::UU_V: return fmt::format("{}(x, y)", op.mnemonic);
    case spec::Signature::UUUU_V: return fmt::format("{}(x, y, z, w)", op.mnemonic);
    case spec::Signature::V_U: return "a.x, a.y, a.z, a.w";
    case spec::Signature::Reduce:
      if (op.op == spec::Op::FReduceApprox)
        return fmt::format(
            "{0}(fadd, buffer, ulps), or {0}(fadd, buffer, ulps, from, to); or fmul, fmin, fmax",
            op.mnemonic);
      return fmt::format("{0}(fadd, buffer), or {0}(fadd, buffer, from, to); or fmul, fmin, fmax",
                         op.mnemonic);
  }
  return {};
}

void print_operator(const spec::OpInfo& op) {
  fmt::print("{}: {}, an operator on {}\n  written {}\n  defined in {}\n", op.mnemonic, op.name, types_of(op),
             form_of(op), page_of(op.section));
}

void print_one(const ops::Operation& op) {
  fmt::print("{}{}\n  {}\n", qualified(op), signature_of(op), op.summary);
  fmt::print("\nLaws\n");
  for (const spec::Law& law : op.laws) {
    fmt::print("  {:36} {}\n", spec::to_string(law), spec::info(law.kind).statement);
  }
  if (op.laws.empty()) fmt::print("  none\n");
  if (!op.denied.empty()) fmt::print("\nDenied\n");
  for (const spec::Denial& denial : op.denied) {
    std::string witness;
    for (const uint32_t w : denial.witness) witness += fmt::format(" 0x{:08x}", w);
    fmt::print("  {:36} fails at{}\n", spec::to_string(denial.law), witness);
  }
  fmt::print("\nSpecification\n");
  for (const ops::SpecRow& row : op.rows) {
    std::string operands;
    for (const uint32_t w : row.operands) operands += fmt::format(" 0x{:08x}", w);
    fmt::print("  {} -> 0x{:08x}  {} ({})\n", operands, row.expected, row.rationale, page_of(row.source));
  }
}

void print_markdown(const std::vector<const ops::Operation*>& list) {
  fmt::print(
      "# Operations\n\nGenerated by `vyre ops --markdown`; a test keeps it current.\n\n## Operators\n\n");
  fmt::print("| mnemonic | name | types | specification |\n|---|---|---|---|\n");
  for (const spec::OpInfo& op : spec::kOps) {
    fmt::print("| `{}` | {} | {} | {} |\n", op.mnemonic, op.name, types_of(op), link_of(op.section));
  }
  fmt::print("\n## Library\n\n| operation | signature | meaning | laws |\n|---|---|---|---|\n");
  for (const ops::Operation* op : list) {
    std::string laws;
    for (const spec::Law& law : op->laws)
      laws += fmt::format("{}{}", laws.empty() ? "" : ", ", spec::to_string(law));
    std::string summary(op->summary);
    for (size_t at = 0; (at = summary.find('|', at)) != std::string::npos; at += 2) summary.insert(at, "\\");
    fmt::print("| `{}` | `{}` | {} | {} |\n", qualified(*op), signature_of(*op), summary, laws);
  }
  fmt::print(
      "\n## Hardware operations\n\nOperations of category C: one hardware instruction, no software fallback. "
      "A backend "
      "that lacks one answers B002.\n\n| operation | signature | hardware |\n|---|---|---|\n");
  for (const spec::IntrinsicInfo& op : spec::kIntrinsics) {
    fmt::print("| `{}` | `{}` | {} |\n", qualified(op), signature_of(op), op.hardware);
  }
}

int run_ops(const std::string& id, bool json, bool markdown) {
  const auto list = selected(id);
  if (const auto op = spec::find_op(id); op && !json && !markdown) {
    print_operator(spec::info(*op));
    return 0;
  }
  const auto hardware = selected_intrinsics(id);
  const auto over_buffers = selected_over_buffers(id);
  if (list.empty() && hardware.empty() && over_buffers.empty()) {
    NearestName nearest(id);
    for (const spec::OpInfo& op : spec::kOps) nearest.consider(op.mnemonic);
    for (const ops::Operation& op : ops::all_operations()) nearest.consider_id(op.id);
    for (const spec::IntrinsicInfo& op : spec::kIntrinsics) nearest.consider_id(op.id);
    for (const library::Entry& entry : library::entries()) nearest.consider_id(entry.id);
    const std::string_view foreign = text::foreign_help(id);
    return usage_error(fmt::format("there is no operation '{}'; {}", id,
                                   foreign.empty() ? nearest.help_or("`vyre ops` lists them") : foreign));
  }
  if (json) {
    nlohmann::json out = {{"schema", "vyre.ops/1"},
                          {"operations", nlohmann::json::array()},
                          {"over_buffers", nlohmann::json::array()}};
    for (const ops::Operation* op : list) out["operations"].push_back(to_json(*op));
    for (const spec::IntrinsicInfo* op : hardware) out["operations"].push_back(to_json(*op));
    for (const library::Entry* entry : over_buffers) out["over_buffers"].push_back(library_json(*entry));
    fmt::print("{}\n", out.dump(2));
  } else if (markdown) {
    print_markdown(list);
    print_library_markdown(over_buffers);
  } else if (id.empty() || is_pattern(id)) {
    if (id.empty()) print_operators();
    print_list(list);
    if (!list.empty() && !over_buffers.empty()) fmt::print("\n");
    print_library_list(over_buffers);
    if ((!list.empty() || !over_buffers.empty()) && !hardware.empty()) fmt::print("\n");
    print_hardware(hardware);
  } else if (!over_buffers.empty()) {
    print_library_page(*over_buffers.front());
  } else if (list.empty()) {
    print_intrinsic(*hardware.front());
  } else {
    print_one(*list.front());
  }
  return 0;
}

}  // namespace

void add_ops(CLI::App& app, int& exit) {
  struct Options {
    std::string id;
    bool json = false, markdown = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("ops", "List operators and operations, or show one operation");
  verb->add_option(
      "ID", options->id,
      "an operation: primitive.bitwise.rotl, hash.sha256, with a version: ...@1, some of them: primitive.*, "
      "or an operator: clz");
  auto* json = verb->add_flag("--json", options->json, "machine-readable (docs/commands.md has the schema)");
  verb->add_flag("--markdown", options->markdown, "docs/ops.md")->excludes(json);
  verb->footer("Example: vyre ops primitive.bitwise.rotl");
  verb->callback([options, &exit] { exit = run_ops(options->id, options->json, options->markdown); });
}

}  // namespace vyre::tool
