#include "algebra/file_laws.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/operations.h"
#include "generate/cases.h"
#include "text/text.h"

namespace vyre::algebra {
namespace {

using ref::Bits;
using spec::DataType;

/// Whether the engines that run columns of words take values of these types.
bool are_words(std::span<const DataType> types) { return std::ranges::all_of(types, generate::is_word); }

bool has_constants(const FileLaw& law) { return !law.constants.empty(); }

std::string constant_text(Bits bits) {
  if (bits <= UINT32_MAX)
    return bits < 65536 ? fmt::format("{}", uint32_t(bits)) : fmt::format("0x{:08x}", uint32_t(bits));
  const uint64_t low = uint64_t(bits), high = uint64_t(bits >> 64);
  return high == 0 ? fmt::format("{:#x}", low) : fmt::format("{:#x}{:016x}", high, low);
}

std::string name_of(const std::string& id, uint32_t version) {
  return version == 1 ? id : fmt::format("{}@{}", id, version);
}

std::string statement_of(const ir::LawText& law) {
  std::string arguments;
  for (const ir::LawText::Argument& argument : law.arguments) {
    arguments += arguments.empty() ? "" : ", ";
    arguments += argument.operation.empty() ? constant_text(bits_of(argument.bits))
                                            : name_of(argument.operation, argument.version);
  }
  return arguments.empty() ? law.name : fmt::format("{}({})", law.name, arguments);
}

}  // namespace

Bits bits_of(const std::array<uint32_t, 4>& words) {
  return Bits(words[3]) << 96 | Bits(words[2]) << 64 | Bits(words[1]) << 32 | words[0];
}
std::array<uint32_t, 4> words_of(Bits bits) {
  return {uint32_t(bits), uint32_t(bits >> 32), uint32_t(bits >> 64), uint32_t(bits >> 96)};
}

std::string shown(std::span<const Bits> values, std::span<const DataType> types) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : ", ", char('a' + i),
                       text::print_literal(types[i], words_of(values[i])));
  return out;
}

bool FileLaw::is_of_words() const {
  const auto words = [](const ops::Operation* operation) {
    return are_words(operation->signature.inputs) && generate::is_word(operation->signature.output) &&
           operation->signature.inputs.size() <= generate::kMaxOperands;
  };
  return words(f) && std::ranges::all_of(others, words);
}

FileOperations::FileOperations(std::shared_ptr<const check::CheckedModule> module)
    : module_(std::move(module)), table_(&module_->ops()) {
  for (size_t i = 0; i < module_->operations().size(); ++i) {
    auto own = std::make_unique<FileOperation>();
    own->def = module_->operations()[i];
    own->text = &module_->module().operations[i];
    own->operation.id = own->def->id;
    own->operation.version = own->def->version;
    own->operation.signature = own->def->signature;
    for (const auto& parameter : own->text->function.parameters)
      own->operation.parameter_names.push_back(own->text->function.code.name(parameter.name));
    operations_.push_back(std::move(own));
  }
  for (const auto& own : operations_) {
    const std::string_view judged = check::judged_by(own->def->id);
    for (const auto& other : operations_) {
      if (!judged.empty() && other->def->id == judged && other->def->version == own->def->version)
        own->judged = other.get();
    }
    own->applied = own->operation;
    if (own->judged != nullptr) own->applied.id = callable(*own->def);
    for (const ir::LawText& claim : own->text->claims) own->claims.push_back(understood(claim, *own));
    for (const ir::DenialText& denial : own->text->denials) {
      FileDenial& out = own->denials.emplace_back(FileDenial{understood(denial.law, *own), {}, denial.span});
      for (const ir::Value& value : denial.witness) out.witness.push_back(bits_of(value.bits));
    }
    for (const FileLaw& claim : own->claims) {
      if (claim.is_of_words()) own->operation.laws.push_back(claim.law);
    }
    for (const FileDenial& denial : own->denials) {
      if (!denial.law.is_of_words()) continue;
      spec::Denial& out = own->operation.denied.emplace_back(spec::Denial{denial.law.law, {}});
      for (const Bits value : denial.witness) out.witness.push_back(uint32_t(value));
    }
  }
}

const ops::Operation* FileOperations::find(std::string_view id, uint32_t version) const {
  for (const auto& own : operations_) {
    if (own->operation.id == id && own->operation.version == version) return &own->operation;
  }
  return ops::find_operation(id, version);
}

Lookup FileOperations::lookup() const {
  return [this](std::string_view id, uint32_t version) { return find(id, version); };
}

std::string_view FileOperations::callable(const spec::OpDef& alternative) {
  spec::OpDef def = alternative;
  do {
    def.id += "_";  // until no operation has it
  } while (!table_.add(def));
  return table_.find(def.id, def.version)->id;
}

const spec::OpDef& FileOperations::def(const ops::Operation& operation) const {
  for (const auto& own : operations_) {
    if (&own->applied == &operation) return *own->def;
  }
  return *module_->ops().find(operation.id, operation.version);
}

FileLaw FileOperations::understood(const ir::LawText& text, const FileOperation& owner) const {
  check::Report report;  // the law was checked, so nothing comes of it
  const auto law = check::understand(text, *owner.text, owner.def->signature, module_->ops(), report);
  FileLaw out{.statement = statement_of(text),
              .law = {law->kind},
              .f = &owner.applied,
              .variables = law->variables,
              .span = text.span};
  for (const spec::OpDef* other : law->others) {
    out.others.push_back(find(other->id, other->version));
    out.law.others.push_back(name_of(other->id, other->version));
  }
  for (const auto& value : law->values) out.constants.push_back(bits_of(value));
  if (!out.constants.empty()) out.law.value = uint32_t(out.constants.front());
  if (out.constants.size() > 1) out.law.high = uint32_t(out.constants.back());
  return out;
}

std::optional<Bits> FileDefinition::operator()(const ops::Operation& operation,
                                               std::span<const Bits> operands) {
  auto& applied = applied_[&operation];
  if (applied == nullptr) applied = std::make_unique<ref::Applied>(file_.module(), file_.def(operation));
  return (*applied)(operands, ref::kMaxRowSteps);
}

std::optional<bool> FileDefinition::holds(const FileLaw& law, std::span<const Bits> values) {
  std::vector<Values> variables;
  for (const Bits value : values) variables.push_back({value});
  const auto truth = algebra::holds(
      law, variables,
      [&](const ops::Operation& operation, std::span<const Values* const> inputs, Values& out) {
        std::vector<Bits> operands;
        for (const Values* input : inputs) operands.push_back(input->front());
        const auto result = (*this)(operation, operands);
        out.front() = result.value_or(0);
        return result.has_value();
      });
  if (!truth) return std::nullopt;
  return truth->front() != 0;
}

std::optional<std::vector<uint8_t>> holds(const FileLaw& law, std::span<const Values> variables,
                                          const Application& application) {
  const auto apply = [&](const ops::Operation& operation, std::span<const Values* const> inputs,
                         Values& out) -> Result<void> {
    if (application(operation, inputs, out)) return {};
    return std::unexpected(Diag{});
  };
  auto truth = values_hold([&](Terms& terms) { state(law, terms); }, variables, law.f->signature.output,
                           [&](uint32_t word) { return constant_of(law, word); }, apply);
  if (!truth) return std::nullopt;
  return std::move(*truth);
}

void state(const FileLaw& law, Terms& terms) {
  spec::Law by_place = law.law;
  if (has_constants(law)) by_place.value = 0, by_place.high = 1;
  const BoundLaw bound{&by_place, law.f, law.others, law.variables, law.f->signature.output};
  state(terms, bound);
}

Bits constant_of(const FileLaw& law, uint32_t word) {
  return has_constants(law) ? law.constants[word] : Bits(word);
}

Diagnostics check_witnesses(std::shared_ptr<const check::CheckedModule> module) {
  Diagnostics out;
  const FileOperations file(std::move(module));
  FileDefinition definition(file);
  for (const auto& operation : file.all()) {
    for (const FileDenial& denial : operation->denials) {
      const auto holds = definition.holds(denial.law, denial.witness);
      if (!holds) {
        out.push_back(make_diag(DiagCode::B005, denial.span,
                                fmt::format("the witness takes more than {} steps", ref::kMaxRowSteps),
                                "choose values on which it takes less"));
      } else if (*holds) {
        out.push_back(make_diag(DiagCode::V051, denial.span,
                                fmt::format("{} holds at this witness: {}", denial.law.statement,
                                            shown(denial.witness, denial.law.variables)),
                                "`vyre-conform prove` finds a witness, or shows that the law holds"));
      }
    }
  }
  return out;
}

}  // namespace vyre::algebra
