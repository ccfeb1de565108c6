// Tables keyed by an enum that are total at compile time.
//
// Every fact about an operator that is not in its ledger row lives in a table of rows {key, value}.
// TotalTable looks each row up by key, so their order is free, and does not compile while a key has no row or
// two. The first line of the error names key and table: "no row for Shl in kEvalRows".
//
//   constexpr spec::Row<spec::Op, Eval> kEvalRows[] = {{Op::Add, eval_Add}, ...};
//   constexpr spec::TotalTable<kEvalRows> kEval;          // every operator
//   kEval[Op::Add](...)
//   constexpr spec::TotalTable<kEvalRows, spec::is_scalar> kScalar;   // every operator for which the
//   predicate holds
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "spec/op.h"
#include "spec/types.h"

namespace vyre::spec {

template <typename K, typename V>
struct Row {
  using Key = K;
  using Value = V;
  K key;
  V value;
};

template <>
struct KeyCount<DataType> {
  static constexpr size_t value = kTypeCount;
};

/// A text put together while the compiler runs.
class Message {
 public:
  consteval Message& operator<<(std::string_view text) {
    for (const char c : text) text_[size_++] = c;
    return *this;
  }
  consteval Message& operator<<(size_t number) {
    if (number >= 10) *this << number / 10;
    text_[size_++] = char('0' + number % 10);
    return *this;
  }
  constexpr char operator[](size_t i) const { return text_[i]; }
  constexpr size_t size() const { return size_; }

 private:
  std::array<char, 240> text_{};
  size_t size_ = 0;
};
/// A message as a template's argument. Compilers print it in the first line of the error when
/// IncompleteTable<message> is wanted, of which there is only the one for the empty message.
template <size_t n>
struct Text {
  char text[n + 1] = {};
};
template <Text message>
struct IncompleteTable;
template <>
struct IncompleteTable<Text<0>{}> {
  static constexpr bool complete = true;
};
template <auto message>
consteval auto text_of() {
  constexpr Message text = message();
  Text<text.size()> out;
  for (size_t i = 0; i <= text.size(); ++i)
    out.text[i] = text[i];  // clang prints text where the 0 is written
  return out;
}
/// What a name is without its namespaces, from the text that the compiler has for a template's argument:
/// "... [key = vyre::spec::Op::Shl]".
consteval std::string_view last_name(std::string_view signature) {
  signature.remove_suffix(signature.size() - signature.rfind(']'));
  return signature.substr(signature.find_last_of(":= ") + 1);
}
template <auto key>
consteval std::string_view name_of_enumerator() {
  return last_name(__PRETTY_FUNCTION__);
}
template <const auto& object>
consteval std::string_view name_of_object() {
  return last_name(__PRETTY_FUNCTION__);
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
  /// The first key with no row or with several; kKeys where there is none.
  static consteval size_t first_wrong() {
    size_t k = 0;
    while (k < kKeys && (!wants(static_cast<Key>(k)) || rows_for(static_cast<Key>(k)) == 1)) ++k;
    return k;
  }
  static consteval Message message() {
    Message out;
    if constexpr (constexpr size_t k = first_wrong(); k != kKeys) {
      constexpr Key key = static_cast<Key>(k);
      out << (rows_for(key) == 0 ? "no row for " : "two rows for ") << name_of_enumerator<key>() << " in "
          << name_of_object<rows>();
    }
    return out;
  }
  static_assert(IncompleteTable<text_of<[] { return message(); }>()>::complete);

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
