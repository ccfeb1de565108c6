// An operation of the library: everything known about it, declared once.
//
// It has two independent definitions, a plain C++ reference function and a composition in the IR; the laws it
// claims and those it denies with a witness; how its inputs fall into classes; its boundary values; and
// specification rows, which are worked out by hand and outrank both definitions. An operation is a text,
// src/ops/primitive/<family>/<name>.vyre (its path is its id), with its reference function in the .cpp beside
// it (ops/text_operation.h); a text src/ops/floating/<name>.vyre is one operation for each float type
// (ops/floating.h). Source: vyre-conform-spec, "Admission Gates"; oracles; semantics, "The primitives".
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/vectors.h"
#include "ir/builder.h"
#include "smt/term.h"
#include "spec/laws.h"
#include "spec/operation.h"

namespace vyre::ops {

namespace laws = spec::laws;

/// A plain function of words on the host: of one case, which is what defines it, and of columns of them.
class Reference {
 public:
  /// operands: as many words as the operation has inputs.
  using One = uint32_t (*)(const uint32_t* operands);
  /// out[i] = f(operands[0][i], operands[1][i], ...) for i < n. `out` is none of the operands.
  using Columns = void (*)(const uint32_t* const* operands, uint32_t* out, size_t n);

  constexpr Reference() = default;
  constexpr Reference(std::nullptr_t) {}
  template <std::convertible_to<One> F>
  constexpr Reference(F one, Columns columns = nullptr) : one_(one), columns_(columns) {}

  uint32_t operator()(const uint32_t* operands) const { return one_(operands); }
  /// Columns of the first `arity` operands.
  void operator()(std::span<const uint32_t* const> operands, uint32_t* out, size_t n) const {
    if (columns_ != nullptr) return columns_(operands.data(), out, n);
    std::array<uint32_t, 3> words{};
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < operands.size(); ++k) words[k] = operands[k][i];
      out[i] = one_(words.data());
    }
  }
  bool operator==(const Reference&) const = default;
  /// Some order, for maps.
  bool operator<(const Reference& other) const { return std::less<One>()(one_, other.one_); }

 private:
  One one_ = nullptr;
  Columns columns_ = nullptr;
};

/// Adapts an ordinary function of 1 to 3 words: reference_of<my_function>.
template <auto function>
struct ReferenceAdapter;
template <uint32_t (*function)(uint32_t)>
struct ReferenceAdapter<function> {
  static uint32_t call(const uint32_t* x) { return function(x[0]); }
  static void columns(const uint32_t* const* x, uint32_t* out, size_t n) {
    vectorised([a = x[0], out, n] {
      for (size_t i = 0; i < n; ++i) VYRE_INLINED out[i] = function(a[i]);
    });
  }
};
template <uint32_t (*function)(uint32_t, uint32_t)>
struct ReferenceAdapter<function> {
  static uint32_t call(const uint32_t* x) { return function(x[0], x[1]); }
  static void columns(const uint32_t* const* x, uint32_t* out, size_t n) {
    vectorised([a = x[0], b = x[1], out, n] {
      for (size_t i = 0; i < n; ++i) VYRE_INLINED out[i] = function(a[i], b[i]);
    });
  }
};
template <uint32_t (*function)(uint32_t, uint32_t, uint32_t)>
struct ReferenceAdapter<function> {
  static uint32_t call(const uint32_t* x) { return function(x[0], x[1], x[2]); }
  static void columns(const uint32_t* const* x, uint32_t* out, size_t n) {
    vectorised([a = x[0], b = x[1], c = x[2], out, n] {
      for (size_t i = 0; i < n; ++i) VYRE_INLINED out[i] = function(a[i], b[i], c[i]);
    });
  }
};
template <auto function>
inline constexpr Reference reference_of{&ReferenceAdapter<function>::call,
                                        &ReferenceAdapter<function>::columns};

/// A part of the input space in which the operation behaves alike; together the classes cover every input.
struct EquivalenceClass {
  std::string_view name;  // "the shift amount is 32 or more"
  std::function<bool(const uint32_t* operands)> contains;
  std::vector<uint32_t> representative;  // one member
};

struct BoundaryValue {
  std::vector<uint32_t> operands;
  std::string_view reason;
};

/// A row of the specification table. Rationale and source must say something: a test refuses empty ones.
struct SpecRow {
  std::vector<uint32_t> operands;
  uint32_t expected;
  std::string_view rationale;
  std::string_view source;
};

/// A row that speaks of every x: `0xffffffff & x = x`. An operand or a result without a word is x.
struct ForAllRow {
  std::vector<std::optional<uint32_t>> operands;
  std::optional<uint32_t> expected;
  std::string_view rationale;
  std::string_view source;
};

/// The operation's meaning as a formula: a third definition, which shares no code with the other two and is
/// what a solver believes. Operands and result are bit vectors of one width, that of the first operand, so
/// that it can be stated at 8 bits too; a shift amount is taken modulo the width.
using Definition = smt::Term (*)(smt::Pool& pool, std::span<const smt::Term> operands);

using Compose = std::function<ir::Ex(ir::FunctionBuilder& f, std::span<const ir::Ex> parameters)>;

struct Operation {
  std::string_view id;  // "primitive.bitwise.rotl"
  uint32_t version = 1;
  spec::OpSignature signature;
  spec::Category category = spec::Category::A;
  std::string_view summary;  // one line: "a rotated left by b & 31"
  std::vector<std::string_view> parameter_names;
  Reference reference = nullptr;
  /// Builds the composition from handles to the parameters and returns its result.
  Compose compose = nullptr;
  std::vector<spec::Law> laws;
  std::vector<spec::Denial> denied;
  std::vector<EquivalenceClass> classes;
  std::vector<BoundaryValue> boundaries;
  std::vector<SpecRow> rows;
  std::vector<ForAllRow> identities = {};
  Definition define = nullptr;
  /// Of an approximate operation, of which `reference` is one right result: how many numbers of the type away
  /// from it a result may be (docs/spec/floats.md). 0: of a strict one, whose result is the one right one.
  uint32_t bound = 0;
};

/// The signature of the primitives: n words in, one word out.
inline spec::OpSignature words(size_t n) {
  return {std::vector<spec::DataType>(n, spec::DataType::U32), spec::DataType::U32};
}

/// The library: every operation, by id. Built once; lives for the whole program.
const std::vector<Operation>& all_operations();
const Operation* find_operation(std::string_view id, uint32_t version = 1);
/// The same as what calls resolve against, with the compositions built.
const spec::OpTable& op_table();

}  // namespace vyre::ops
