// The texts of the operations over buffers, as they are compiled in.
//
// A file src/library/<category>/<name>.vyre is the operation <category>.<name>: what it means, its buffers,
// its rows, and a pipeline `main`. A file for several operations names each in a line
// `// as collection.reduce_add: OP=0` with the values of its constants. What reads the texts is the operation
// table (ops/registry.h). Source: docs/library.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vyre::library {

struct File {
  std::string_view path;  // "hash/crc32"
  std::string_view text;
};
/// By path.
std::span<const File> files();

/// The id of a line `// as ID: NAME=VALUE, ...`; empty for any other line.
std::string_view named_id(std::string_view line);

/// An operation: a file, and the values of its constants.
struct Entry {
  std::string id;
  const File* file = nullptr;
  std::vector<std::pair<std::string, uint32_t>> constants;
  /// The first comment behind its id: "the CRC-32 of each item (IEEE 802.3)."
  std::string_view summary() const;
};
/// By id.
const std::vector<Entry>& entries();
const Entry* find(std::string_view id);

/// A law of operations over buffers, in words; opspec/laws.h checks it.
struct Law {
  std::string_view operations;  // whose it is: is_among(id, operations)
  std::string_view name;
  bool claimed = true;  // else denied: some case refutes it
  std::string_view statement;
};
/// All, in the order of library/laws.def; those of an operation.
std::span<const Law> laws();
std::vector<const Law*> laws_of(std::string_view id);

/// What an engine may promise of every run; docs/engines.md says how each is judged.
enum class Invariant : uint8_t {
  Deterministic,
  NoOutputLost,
  NoDuplicate,
  Ordered,
  Bounded,
  Termination,
  AtomicLinearizable,
  WorkgroupInvariant,
};
struct InvariantInfo {
  std::string_view name, meaning;
};
inline constexpr std::array<InvariantInfo, 8> kInvariantInfos = {{
    {"Deterministic", "equal inputs give equal bytes, whatever ran before or beside"},
    {"NoOutputLost", "all that the reference lists is there, and what room it needs is said"},
    {"NoDuplicate", "nothing is there more often than the reference lists it"},
    {"Ordered", "records stand in the declared order, ties too"},
    {"Bounded", "nothing is written outside, and no more is used than declared"},
    {"Termination", "every repeat ends by its condition, within the declared turns"},
    {"AtomicLinearizable", "what its atomics saw has an order"},
    {"WorkgroupInvariant", "each value of its constants gives the same bytes"},
}};
constexpr const InvariantInfo& info(Invariant invariant) { return kInvariantInfos[size_t(invariant)]; }
/// All, in their order.
inline constexpr std::array<Invariant, 8> kInvariants = {Invariant::Deterministic,
                                                         Invariant::NoOutputLost,
                                                         Invariant::NoDuplicate,
                                                         Invariant::Ordered,
                                                         Invariant::Bounded,
                                                         Invariant::Termination,
                                                         Invariant::AtomicLinearizable,
                                                         Invariant::WorkgroupInvariant};
constexpr std::string_view text(Invariant invariant) { return info(invariant).name; }

/// A set of invariants.
class Promises {
 public:
  constexpr Promises(Invariant one) : bits_(uint8_t(1u << uint8_t(one))) {}
  constexpr bool has(Invariant one) const { return (bits_ >> uint8_t(one) & 1) != 0; }
  friend constexpr Promises operator|(Promises a, Promises b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  uint8_t bits_;
};
constexpr Promises operator|(Invariant a, Invariant b) { return Promises(a) | Promises(b); }

/// An operation over buffers of several dispatches that promises invariants. The bounds are host expressions
/// over its buffers and constants.
struct Engine {
  std::string_view id;
  Promises promises;
  std::string_view dispatches, scratch_bytes, turns;
};
/// All, in the order of library/engines.def.
std::span<const Engine> engines();
const Engine* find_engine(std::string_view id);

/// What was measured of operations: times over those of something else, less is faster.
struct Speed {
  std::string_view operations;  // whose it is: is_among(id, operations)
  std::string_view input, device, beside, ratio;
};
/// All, in the order of library/speed.def.
std::span<const Speed> speeds();

}  // namespace vyre::library
