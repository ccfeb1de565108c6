// Tables keyed by an enum that are total at compile time.
//
// Every fact about an operator that is not in its ledger row lives in a table of rows {key, value}.
// TotalTable looks each row up by key, so their order is free, and does not compile while a key has no row or
// two; the error names the key: "RowFor<vyre::spec::Op::Shl, 0>: a table needs exactly one row for each key".
//
//   constexpr spec::Row<spec::Op, Eval> kRows[] = {{Op::Add, eval_Add}, ...};
//   constexpr spec::TotalTable<kRows> kEval;          // every operator
//   kEval[Op::Add](...)
//   constexpr spec::TotalTable<kRows, spec::is_scalar> kScalar;   // every operator for which the predicate
//   holds
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "spec/ops.h"

namespace vyre::spec {

template <typename K, typename V>
struct Row {
  using Key = K;
  using Value = V;
  K key;
  V value;
};

/// How many values an enum has, for the enums that tables are keyed by.
template <typename Key>
struct KeyCount;
template <>
struct KeyCount<Op> {
  static constexpr size_t value = kOpCount;
};
template <>
struct KeyCount<DataType> {
  static constexpr size_t value = kTypeCount;
};

template <auto key, size_t rows>
struct RowFor {
  static_assert(rows == 1, "a table needs exactly one row for each key");
  static constexpr bool exactly_one = rows == 1;
};

template <typename Key>
consteval bool every_key(Key) {
  return true;
}

template <const auto& rows, auto in_domain = nullptr>
class TotalTable {
  using RowType = std::remove_cvref_t<decltype(rows[0])>;
  using Key = typename RowType::Key;
  using Value = typename RowType::Value;
  static constexpr size_t kKeys = KeyCount<Key>::value;

  static consteval bool wants(Key key) {
    if constexpr (std::is_same_v<decltype(in_domain), std::nullptr_t>) {
      return true;
    } else {
      return in_domain(key);
    }
  }
  static consteval size_t rows_for(Key key) {
    size_t n = 0;
    for (const auto& row : rows) n += row.key == key ? 1 : 0;
    return n;
  }
  template <Key key>
  static consteval bool covered() {
    if constexpr (wants(key)) {
      return RowFor<key, rows_for(key)>::exactly_one;
    } else {
      return true;
    }
  }
  template <size_t... i>
  static consteval bool total(std::index_sequence<i...>) {
    return (covered<static_cast<Key>(i)>() && ...);
  }
  static_assert(total(std::make_index_sequence<kKeys>{}));

  static consteval std::array<size_t, kKeys> positions() {
    std::array<size_t, kKeys> out{};
    for (size_t k = 0; k < kKeys; ++k) {
      out[k] = std::size(rows);
      for (size_t r = 0; r < std::size(rows); ++r) {
        if (rows[r].key == static_cast<Key>(k)) out[k] = r;
      }
    }
    return out;
  }
  static constexpr auto kPositions = positions();

 public:
  /// The value for a key of the table's domain; asking for another key is a fault of the caller.
  constexpr const Value& operator[](Key key) const {
    return rows[kPositions[static_cast<size_t>(key)]].value;
  }
  static constexpr bool contains(Key key) { return kPositions[static_cast<size_t>(key)] < std::size(rows); }
};

}  // namespace vyre::spec
