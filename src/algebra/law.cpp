#include "algebra/law.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "algebra/predicate.h"
#include "generate/cases.h"
#include "spec/law_types.h"

namespace vyre::algebra {
namespace {

using spec::DataType;

struct Reference {
  std::string_view id;
  uint32_t version = 1;
};
/// "id" or "id@2".
std::optional<Reference> parse_reference(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return Reference{text};
  const std::string_view number = text.substr(at + 1);
  uint32_t version = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), version);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return Reference{text.substr(0, at), version};
}

}  // namespace

const ops::Operation* find_in_library(std::string_view id, uint32_t version) {
  return ops::find_operation(id, version);
}

std::expected<BoundLaw, std::string> bind(const spec::Law& law, const ops::Operation& f,
                                          const Lookup& lookup) {
  const spec::LawInfo& info = spec::info(law.kind);
  const size_t arity = f.signature.inputs.size();
  if (auto fits = spec::check_arity(law.kind, {f.id, &f.signature}); !fits)
    return std::unexpected(fits.error());
  if (arity == 0 || arity > generate::kMaxOperands) {
    return std::unexpected(
        fmt::format("{} has {} operands; laws range over 1 to {}", f.id, arity, generate::kMaxOperands));
  }
  BoundLaw out{&law, &f, {}, {}, f.signature.output};
  const size_t wanted = spec::others_of(info.parameters);
  if (law.others.size() != wanted) {
    return std::unexpected(
        fmt::format("{} names {} other operations, not {}", info.name, wanted, law.others.size()));
  }
  for (const std::string& name : law.others) {
    const std::optional<Reference> reference = parse_reference(name);
    const ops::Operation* other = reference ? lookup(reference->id, reference->version) : nullptr;
    if (other == nullptr) return std::unexpected(fmt::format("there is no operation {}", name));
    out.others.push_back(other);
  }
  if (info.parameters == spec::LawParameters::Predicate) {
    auto predicate = bind_predicate(law, f, lookup);
    if (!predicate) return std::unexpected(std::move(predicate).error());
    out.others = std::move(predicate->calls);
    out.variables = std::move(predicate->variables);
    out.predicate = std::move(predicate->function);
    return out;
  }
  const auto subject = [](const ops::Operation& operation) {
    return spec::LawSubject{operation.id, &operation.signature};
  };
  std::vector<spec::LawSubject> others;
  for (const ops::Operation* other : out.others) others.push_back(subject(*other));
  auto variables = spec::law_variables(law.kind, subject(f), others);
  if (!variables) return std::unexpected(std::move(variables).error());
  out.variables = std::move(*variables);
  for (const DataType type : out.variables) {
    if (!generate::is_word(type)) {
      return std::unexpected(fmt::format("values of type {} cannot be enumerated yet", spec::text(type)));
    }
  }
  return out;
}

}  // namespace vyre::algebra
