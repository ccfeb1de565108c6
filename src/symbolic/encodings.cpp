#include "symbolic/encodings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ref/eval.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "symbolic/functions.h"
#include "symbolic/operators.h"

namespace vyre::symbolic {
namespace {

using smt::Bits;
using smt::Pool;
using smt::Term;
using spec::DataType;
using spec::Op;

/// 0 to 255 at full width, the upper half of them negative where the type has a sign.
Bits small_value(DataType type, uint32_t byte) {
  if (type == DataType::Bool) return byte & 1;
  return type == DataType::I32 ? Bits{uint32_t(int32_t(int8_t(byte)))} : Bits{byte};
}

/// How many of small_value() an operand takes: a bool both, a third operand fewer.
uint32_t count(DataType type, size_t operands) {
  if (type == DataType::Bool) return 2;
  return operands == 3 ? 16 : 256;
}

/// Evaluates a term of variables a, b, c beside a function on every tuple of small values. The number of
/// instances, or the first where they differ.
template <typename Function>
std::expected<uint64_t, std::string> compare(const Pool& pool, Term term, std::span<const Term> variables,
                                             std::span<const DataType> types, std::string_view what,
                                             const Function& expected) {
  smt::Evaluation formula(pool, term);
  std::array<Bits, 3> tuple{};
  std::vector<Bits> values(formula.variables().size());
  std::vector<size_t> place;  // of the formula's variables among the operands: it may not depend on all
  for (const Term v : formula.variables())
    place.push_back(size_t(std::ranges::find(variables, v) - variables.begin()));
  uint64_t instances = 0;
  std::array<uint32_t, 3> index{}, end{1, 1, 1};
  for (size_t i = 0; i < types.size(); ++i) end[i] = count(types[i], types.size());
  for (index[0] = 0; index[0] < end[0]; ++index[0]) {
    for (index[1] = 0; index[1] < end[1]; ++index[1]) {
      for (index[2] = 0; index[2] < end[2]; ++index[2]) {
        for (size_t i = 0; i < types.size(); ++i) tuple[i] = small_value(types[i], index[i]);
        for (size_t i = 0; i < place.size(); ++i) values[i] = tuple[place[i]];
        ++instances;
        if (formula(values) == expected(std::span<const Bits>(tuple).first(types.size()))) continue;
        std::string operands;
        for (size_t i = 0; i < types.size(); ++i)
          operands += fmt::format("{}{}={:#x}", i == 0 ? "" : ", ", char('a' + i), uint64_t(tuple[i]));
        return std::unexpected(
            fmt::format("the encoding of {} differs from its definition at {}", what, operands));
      }
    }
  }
  return instances;
}

std::expected<uint64_t, std::string> check_operator(Op op, DataType type) {
  Pool pool;
  const std::vector<DataType> types = operand_types(op, type);
  std::vector<Term> operands;
  for (size_t i = 0; i < types.size(); ++i)
    operands.push_back(pool.variable(std::string(1, char('a' + i)), width_of(types[i])));
  return compare(pool, encode(pool, op, type, operands), operands, types,
                 fmt::format("{} of {}", spec::mnemonic(op), spec::text(type)),
                 [&](std::span<const Bits> x) { return ref::eval(op, type, x); });
}

std::expected<uint64_t, std::string> check_cast(DataType from, DataType to) {
  Pool pool;
  const std::array operands = {pool.variable("a", width_of(from))};
  const std::array types = {from};
  return compare(
      pool, encode_cast(pool, from, to, operands[0]), operands, types,
      fmt::format("cast<{}> of {}", spec::text(to), spec::text(from)),
      [&](std::span<const Bits> x) { return ref::eval_cast(from, to, spec::RoundingMode::None, x[0]); });
}

std::expected<uint64_t, std::string> check_all() {
  uint64_t instances = 0;
  const auto add = [&](const std::expected<uint64_t, std::string>& one) {
    if (one) instances += *one;
    return one.has_value();
  };
  for (const spec::TypeInfo& type : spec::kTypes) {
    if (!is_encoded(type.type)) continue;
    for (const spec::OpInfo& op : spec::kOps) {
      if (!is_encoded(op.op, type.type)) continue;
      if (const auto one = check_operator(op.op, type.type); !add(one)) return one;
    }
    for (const spec::TypeInfo& to : spec::kTypes) {
      if (!is_encoded(to.type) || !spec::can_cast(type.type, to.type)) continue;
      if (const auto one = check_cast(type.type, to.type); !add(one)) return one;
    }
  }
  return instances;
}

std::expected<uint64_t, std::string> check_definition(const ops::Operation& operation) {
  Pool pool;
  const std::vector<DataType>& types = operation.signature.inputs;
  if (types.empty() || types.size() > 3)
    return std::unexpected(fmt::format("{} has {} operands", operation.id, types.size()));
  for (const DataType type : types) {
    if (!is_encoded(type) || spec::value_words(type) != 1)
      return std::unexpected(fmt::format("values of type {} have no encoding", spec::text(type)));
  }
  const std::vector<Term> operands = operands_of(pool, operation);
  const auto term = define(pool, operation, operands);
  if (!term) return std::unexpected(term.error());
  return compare(pool, *term, operands, types, operation.id, [&](std::span<const Bits> x) {
    std::array<uint32_t, 3> words{};
    for (size_t i = 0; i < x.size(); ++i) words[i] = uint32_t(x[i]);
    return Bits{operation.reference(words.data())};
  });
}

}  // namespace

const std::expected<uint64_t, std::string>& encodings_checked() {
  static const std::expected<uint64_t, std::string> result = check_all();
  return result;
}

std::expected<uint64_t, std::string> definition_checked(const ops::Operation& operation) {
  // By what is compared, and not by the operation: those of tests come and go.
  using Key = std::pair<ops::Definition, ops::Reference>;
  static std::mutex mutex;
  static std::map<Key, std::expected<uint64_t, std::string>> known;
  const Key key{operation.define, operation.reference};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  auto result = check_definition(operation);
  if (operation.define == nullptr) return result;  // its reason names the operation
  const std::lock_guard lock(mutex);
  return known.emplace(key, std::move(result)).first->second;
}

}  // namespace vyre::symbolic
