// What follows for a composite from the laws of its parts, by the composition theorems and nothing else.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/laws.h"
#include "symbolic/theorems.h"

namespace vyre::symbolic {

/// A function of u32 words with what is known of it.
struct Component {
  std::string name;  // as laws name it: "primitive.bitwise.or"
  uint32_t operands = 1;
  std::function<uint32_t(const uint32_t*)> value;
  std::vector<spec::Law> laws;
};
/// Other functions that laws name; nullptr: unknown, and nothing is concluded with it.
using ComponentLookup = std::function<const Component*(std::string_view name)>;

/// A law of the composite.
struct Consequence {
  spec::Law law;
  const Theorem* theorem;
  std::vector<std::string> from;  // the premises as they were met: "primitive.math.add: Commutative"
};

/// The parts of a composite of a form. Those that its text does not name are null.
struct Composition {
  Form form{};
  const Component *f = nullptr, *g = nullptr, *k = nullptr;
  std::optional<uint32_t> c;  // of a section
};

/// All that the theorems of the form give. Each law once, by the first theorem that gives it.
std::vector<Consequence> consequences(const Composition& composition, const ComponentLookup& lookup);

/// Whether the law is among the laws, is weaker than one of them (wider bounds), or follows by theorems about
/// one function.
bool is_implied(const spec::Law& law, const Component& component, const ComponentLookup& lookup);

}  // namespace vyre::symbolic
