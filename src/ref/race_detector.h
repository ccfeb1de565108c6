// Data races: two accesses of one place by different invocations, at least one a write, not both atomic, and
// nothing that orders them.
//
// What orders accesses is little: an invocation's own order, a barrier within a workgroup, and the end of a
// dispatch; atomics order nothing. So no clocks are needed. Barriers cut the life of a workgroup into epochs,
// and two accesses by different invocations are ordered if and only if they are of one workgroup and of
// different epochs. That makes the detector precise with a constant amount of state a place: of each kind of
// access (read, write, atomic) it keeps two by different invocations of the workgroup and epoch that came
// last, and two by different workgroups, whenever that was. A new access that conflicts with any that is
// unordered with it conflicts with one of those: of two different ones, at most one is its own. (Once two
// workgroups have been at a place without a conflict, all accesses there are reads, or all are atomics.) A
// place is a word of 32 bits, or an element of 16 bits.
// Source: semantics, "Memory" (data race). The reduction of clocks to epochs is that of Flanagan and Freund,
// "FastTrack" (2009).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diag.h"
#include "ref/memory.h"

namespace vyre::ref {

/// Which invocation accessed something, how, and where that stands in the text.
struct Toucher {
  uint32_t workgroup = 0;  // its number in the dispatch; x varies fastest
  uint32_t local = 0;      // its number in the workgroup
  AccessKind kind = AccessKind::Read;
  Span span = Span::none();
};

/// Two accesses that race. The second one was made later, in the order that was run.
struct Race {
  BufferId buffer{};
  uint64_t element = 0;  // of the buffer
  Toucher first, second;
};

class RaceDetector {
 public:
  /// At most so many races are kept, each the first of its two places in the text.
  static constexpr size_t kKept = 64;

  /// An element was accessed, in an epoch of its workgroup.
  /// Cost  constant a place.
  void access(BufferId buffer, uint64_t element, DataType type, bool of_workgroup, uint32_t epoch,
              const Toucher& who);

  /// One a pair of places in the text, in the order of being found.
  const std::vector<Race>& races() const { return races_; }
  /// Reads of workgroup memory that was not written, one a place in the text. They read zero, but a
  /// program that means to is rare.
  const std::vector<Race>& unwritten() const { return unwritten_; }

 private:
  static constexpr size_t kKinds = 3;
  struct Cell {
    uint32_t workgroup = 0, epoch = 0;                               // of `now`
    std::array<std::array<std::optional<Toucher>, 2>, kKinds> now;   // by kind: two different invocations
    std::array<std::array<std::optional<Toucher>, 2>, kKinds> ever;  // by kind: of two different workgroups
  };
  struct Key {
    uint32_t buffer;
    uint32_t workgroup;  // of workgroup memory; else 0
    uint64_t cell;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return (key.cell * 0x9e3779b97f4a7c15u) ^ (uint64_t(key.buffer) << 56) ^
             (uint64_t(key.workgroup) << 32);
    }
  };

  static const Toucher* find_race(const Cell& cell, uint32_t epoch, const Toucher& who);
  static void remember(Cell& cell, uint32_t epoch, const Toucher& who);

  std::unordered_map<Key, Cell, Hash> cells_;
  std::vector<Race> races_, unwritten_;
  std::unordered_set<uint64_t> reported_;            // pairs of places in the text
  std::unordered_set<uint64_t> reported_unwritten_;  // apart: without a text all pairs are one
};

}  // namespace vyre::ref
