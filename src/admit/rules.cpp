// Gate 6: something to hold an operation to, as much of it as the registry wants, and none of it empty words.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "admit/gates.h"
#include "algebra/engine.h"
#include "base/random.h"
#include "ops/registry.h"

namespace vyre::admit {
namespace {

// The registry's policy; a reason has some letters.
constexpr size_t kLeastBoundaries = 4, kLeastRows = 8, kLeastWords = 3;

/// In place of an operation, functions of no meaning: a scramble of the operands, its last bit, and
/// constants. What holds of these as well says nothing about the operation. All other operations are
/// themselves.
class Meaningless final : public algebra::Evaluator {
 public:
  enum class Kind : uint8_t { Scramble, Bit, Zero, One };
  static constexpr auto kKinds = std::to_array({Kind::Scramble, Kind::Bit, Kind::Zero, Kind::One});

  Meaningless(const ops::Operation& operation, Kind kind) : operation_(operation), kind_(kind) {}
  std::string subject() const override { return "a function of no meaning"; }
  bool pure() const override { return true; }
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override {
    if (operation.id != operation_.id || operation.version != operation_.version) {
      return host_.apply(operation, inputs, out, n);
    }
    for (size_t i = 0; i < n; ++i) out[i] = value(inputs, i) & mask();
    return {};
  }

 private:
  uint32_t mask() const {
    const uint32_t bits = spec::value_bits(operation_.signature.output);
    return operation_.signature.output == spec::DataType::Bool ? 1
           : bits >= 32                                        ? UINT32_MAX
                                                               : (uint32_t{1} << bits) - 1;
  }
  uint32_t value(std::span<const uint32_t* const> inputs, size_t i) const {
    if (kind_ == Kind::Zero || kind_ == Kind::One) return kind_ == Kind::One ? 1 : 0;
    uint64_t hash = 0x9e3779b97f4a7c15;
    for (const uint32_t* column : inputs) {
      const std::array<uint32_t, 4> block = philox(hash, column[i], 0);
      hash = block[0] | uint64_t{block[1]} << 32;
    }
    return uint32_t(hash) & (kind_ == Kind::Bit ? 1 : UINT32_MAX);
  }

  const ops::Operation& operation_;
  const Kind kind_;
  algebra::SpecEvaluator host_;
};

/// Whether a law can fail. One that cannot be bound here is another gate's affair.
bool says_something(const algebra::BoundLaw& law) {
  for (const Meaningless::Kind kind : Meaningless::kKinds) {
    Meaningless evaluator(*law.f, kind);
    RandomStream random(7, static_cast<uint64_t>(kind));
    for (int trial = 0; trial < 64; ++trial) {
      std::vector<uint32_t> values;
      for (const spec::DataType type : law.variables) {
        const uint32_t bits = spec::value_bits(type);
        // Small words and great ones, so that premises are met.
        const uint32_t word = trial % 2 == 0 ? random.next() : random.next() & 3;
        values.push_back(type == spec::DataType::Bool ? word & 1
                         : bits >= 32                 ? word
                                                      : word & ((1u << bits) - 1));
      }
      const auto holds = algebra::holds_at(law, values, evaluator);
      if (!holds || !*holds) return true;
    }
  }
  return false;
}

/// A file as another project published it: "CORE-MATH, src/binary32/pow/powf.wc at 801d79d25992".
bool is_published(std::string_view source) {
  constexpr std::string_view kAt = " at ";
  constexpr size_t kDigits = 12;  // of a revision
  const size_t at = source.rfind(kAt);
  return at != std::string_view::npos && source.size() == at + kAt.size() + kDigits &&
         source.find_first_not_of("0123456789abcdef", at + kAt.size()) == std::string_view::npos;
}

/// A source that is the code under test.
std::optional<std::string_view> circular(std::string_view source) {
  for (const std::string_view word :
       {"reference function", "composition", "measured", "computed by", "output of", "as run", "src/"}) {
    if (source.find(word) != std::string_view::npos && !(word == "src/" && is_published(source))) return word;
  }
  return std::nullopt;
}

class Rules {
 public:
  Rules(const ops::Operation& operation, Diagnostics& refusals)
      : operation_(operation), refusals_(refusals) {}

  void check() {
    const ops::Operation& o = operation_;
    if (o.laws.empty() && o.denied.empty() && o.classes.empty() && o.boundaries.empty() && o.rows.empty()) {
      return refuse(DiagCode::C013, "it has no rules at all, so nothing can be tested",
                    "declare laws, classes, boundary values and rows");
    }
    if (o.bound == 0 && o.laws.empty() && o.denied.empty()) {  // a bound on errors keeps no law
      refuse(DiagCode::C013, "it claims no law and denies none", "claim one, or deny one with a witness");
    }
    if (o.define == nullptr && o.compose != nullptr && is_of_words() && !ops::loops(o)) {
      refuse(DiagCode::C013, "it has no definition by formula, and no loop that would excuse it",
             "write .define (docs/adding-an-op.md, \"The formula\")");
    }
    if (o.classes.empty()) refuse(DiagCode::C013, "it has no class of inputs", "name at least one");
    at_least(o.boundaries.size(), kLeastBoundaries, "boundary values");
    at_least(o.rows.size(), kLeastRows, "rows");
    check_rows();
    check_boundaries();
    check_classes();
    for (const spec::Law& law : o.laws) check_law(law);
  }

 private:
  void refuse(DiagCode code, std::string what, std::string help) {
    refusals_.push_back(make_diag(code, Span::none(),
                                  fmt::format("{}@{}: {}", operation_.id, operation_.version, what),
                                  std::move(help)));
  }
  bool is_of_words() const {
    const spec::OpSignature& signature = operation_.signature;
    return signature == ops::words(signature.inputs.size());
  }
  void at_least(size_t count, size_t wanted, std::string_view what) {
    if (count >= wanted) return;
    refuse(DiagCode::C013, fmt::format("it has {} {}, and the registry wants {}", count, what, wanted),
           "work out more of them by hand");
  }
  static std::string show(std::span<const uint32_t> operands) {
    std::string text;
    for (const uint32_t word : operands) text += fmt::format("{}{:#x}", text.empty() ? "" : ", ", word);
    return "(" + text + ")";
  }

  /// A row, or an identity: why it is there and where it follows from.
  void check_words(std::string_view which, std::string_view rationale, std::string_view source) {
    if (rationale.size() < kLeastWords) {
      refuse(DiagCode::C013, fmt::format("{} has no rationale", which), "say why it must be so");
    }
    if (source.size() < kLeastWords) {
      refuse(DiagCode::C013, fmt::format("{} has no source", which),
             "name the page and section it follows from");
    }
    if (const auto word = circular(source)) {
      refuse(DiagCode::C016, fmt::format("the source of {} is what is tested: \"{}\"", which, *word),
             "work the value out from the specification, and name the section");
    }
  }
  void check_rows() {
    std::set<std::vector<uint32_t>> seen;
    for (const ops::SpecRow& row : operation_.rows) {
      const std::string which = "the row " + show(row.operands);
      check_words(which, row.rationale, row.source);
      if (!seen.insert(row.operands).second)
        refuse(DiagCode::C013, which + " stands there twice", "remove one");
    }
    for (const ops::ForAllRow& row : operation_.identities) {
      check_words("an identity", row.rationale, row.source);
      const bool free = std::ranges::any_of(row.operands, [](const auto& word) { return !word; });
      if (!free) refuse(DiagCode::C013, "an identity speaks of no x", "make it a row");
    }
  }
  void check_boundaries() {
    std::set<std::vector<uint32_t>> seen;
    for (const ops::BoundaryValue& value : operation_.boundaries) {
      const std::string which = "the boundary value " + show(value.operands);
      if (value.reason.size() < kLeastWords)
        refuse(DiagCode::C013, which + " has no reason", "say what turns there");
      if (!seen.insert(value.operands).second)
        refuse(DiagCode::C013, which + " stands there twice", "remove one");
    }
  }
  void check_classes() {
    for (const ops::EquivalenceClass& part : operation_.classes) {
      if (part.representative.size() != operation_.signature.inputs.size()) return;  // gate 2
      if (!part.contains(part.representative.data())) {
        refuse(DiagCode::C013, fmt::format("the representative of \"{}\" is not in it", part.name),
               "write down a member");
      }
    }
    for (const std::vector<uint32_t>& input : witnesses(operation_, 1000)) {
      const bool covered = std::ranges::any_of(operation_.classes,
                                               [&](const auto& part) { return part.contains(input.data()); });
      if (covered || operation_.classes.empty()) continue;
      return refuse(DiagCode::C013, fmt::format("no class contains {}", show(input)),
                    "let the classes cover every input");
    }
  }
  void check_law(const spec::Law& law) {
    const auto find = [&](std::string_view id, uint32_t version) {
      const bool own = id == operation_.id && version == operation_.version;
      return own ? &operation_ : ops::find_operation(id, version);
    };
    const auto bound = algebra::bind(law, operation_, find);
    if (!bound) {
      return refuse(DiagCode::C013, fmt::format("{} does not apply: {}", spec::to_string(law), bound.error()),
                    "claim what is a statement about this operation");
    }
    if (says_something(*bound)) return;
    refuse(DiagCode::C016, fmt::format("{} holds of functions of no meaning as well", spec::to_string(law)),
           "claim something that could be false");
  }

  const ops::Operation& operation_;
  Diagnostics& refusals_;
};

}  // namespace

void check_rules(const Candidate& candidate, Diagnostics& refusals) {
  Rules(*candidate.operation, refusals).check();
}

}  // namespace vyre::admit
