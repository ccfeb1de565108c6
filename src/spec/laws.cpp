#include "spec/laws.h"

#include <fmt/format.h>

namespace vyre::spec {
namespace {

std::string constant(uint32_t value) {
  return value < 65536 ? fmt::format("{}", value) : fmt::format("0x{:08x}", value);
}

}  // namespace

std::string to_string(const Law& law) {
  const LawInfo& i = info(law.kind);
  switch (i.parameters) {
    case LawParameters::None: return std::string(i.name);
    case LawParameters::Value: return fmt::format("{}({})", i.name, constant(law.value));
    case LawParameters::Range:
      return fmt::format("{}({}, {})", i.name, constant(law.value), constant(law.high));
    case LawParameters::OneOperation: return fmt::format("{}({})", i.name, law.others.at(0));
    case LawParameters::TwoOperations:
      return fmt::format("{}({}, {})", i.name, law.others.at(0), law.others.at(1));
    case LawParameters::OperationAndValue:
      return fmt::format("{}({}, {})", i.name, law.others.at(0), constant(law.value));
    case LawParameters::Predicate: return fmt::format("{}({})", i.name, law.name);
  }
  return std::string(i.name);
}

}  // namespace vyre::spec
