// Functions of WGSL, line by line, and the names that stand at their beginnings. Internal to lower/wgsl.
//
// Compilers count how deep statements nest, and each counts differently. So a function may be left open while
// another one is written that takes a part of it; what the part needs of the outer one becomes a parameter
// when it is first asked for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lower/c_like.h"

namespace vyre::lower {

/// What a program calls something, as part of a name: letters, digits and underscores. A name that begins
/// with a letter, a number or none, and an underscore is neither a word of WGSL nor reserved, whatever
/// follows.
std::string wgsl_name(std::string_view name);

/// What a part gets from the function that it is a part of.
struct WgslParameter {
  std::string name;
  uint32_t level = 0;  // of the function that declares it
  enum class Kind : uint8_t { Word, Truth, Variable } kind{};
};

struct WgslFunction : Lines {
  /// Literals and counts, by name, then the statements.
  std::string body() const;
  /// "v3: u32, s1_sum: ptr<function, u32>"
  std::string parameter_list() const;

  std::map<uint32_t, std::string> numbers;  // by value: its name
  std::map<uint32_t, std::string> counts;   // by argument: the name of the buffer's count
  std::vector<WgslParameter> parameters;
};

class WgslWriter {
 public:
  WgslWriter() : functions_(1) {}

  /// The function at hand.
  WgslFunction& top() { return functions_.back(); }

  // Functions: 0 is the entry, 1 a part of it, 2 a part of that.
  uint32_t level() const { return uint32_t(functions_.size() - 1); }
  void enter() { functions_.emplace_back(); }
  WgslFunction leave();

  /// Of something that is declared at so high a level: what it is called at this one.
  std::string here(std::string name, uint32_t declared_at, WgslParameter::Kind kind);

  /// A name for the word: n31, or h80000000 from 2^16 on, as print() writes them. It is a `let`, so that by
  /// the language's rules nothing that is made of it is a constant expression.
  const std::string& number(uint32_t bits);
  /// The name, as that of a buffer's count of elements.
  const std::string& count(uint32_t argument, const std::string& name);

 private:
  std::vector<WgslFunction> functions_;  // open ones, each a part of the one before
};

}  // namespace vyre::lower
