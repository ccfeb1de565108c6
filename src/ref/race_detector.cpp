#include "ref/race_detector.h"

#include <algorithm>

namespace vyre::ref {
namespace {

bool same_invocation(const Toucher& a, const Toucher& b) {
  return a.workgroup == b.workgroup && a.local == b.local;
}

}  // namespace

const Toucher* RaceDetector::find_race(const Cell& cell, uint32_t epoch, const Toucher& who) {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (!conflict(static_cast<AccessKind>(kind), who.kind)) continue;
    for (const auto& other : cell.ever[kind]) {
      if (other && other->workgroup != who.workgroup) return &*other;
    }
    if (cell.workgroup != who.workgroup || cell.epoch != epoch) continue;
    for (const auto& other : cell.now[kind]) {
      if (other && !same_invocation(*other, who)) return &*other;
    }
  }
  return nullptr;
}

void RaceDetector::remember(Cell& cell, uint32_t epoch, const Toucher& who) {
  if (cell.workgroup != who.workgroup || cell.epoch != epoch) {
    cell.now = {};
    cell.workgroup = who.workgroup;
    cell.epoch = epoch;
  }
  const auto keep = [&](std::array<std::optional<Toucher>, 2>& two, const auto& alike) {
    for (auto& one : two) {
      if (one && alike(*one)) return;
      if (!one) {
        one = who;
        return;
      }
    }
  };
  const auto kind = static_cast<size_t>(who.kind);
  keep(cell.now[kind], [&](const Toucher& one) { return same_invocation(one, who); });
  keep(cell.ever[kind], [&](const Toucher& one) { return one.workgroup == who.workgroup; });
}

void RaceDetector::access(BufferId buffer, uint64_t element, DataType type, bool of_workgroup, uint32_t epoch,
                          const Toucher& who) {
  const uint32_t words = std::max(1u, spec::info(type).bytes / 4);
  for (uint32_t word = 0; word < words; ++word) {
    const Key key = {check::index(buffer), of_workgroup ? who.workgroup : 0, element * words + word};
    Cell& cell = cells_[key];
    const Race found = {buffer, element, {}, who};
    const auto once = [&](std::vector<Race>& list, const Toucher& first) {
      const uint64_t pair = uint64_t(first.span.begin) << 32 | who.span.begin;
      if (list.size() >= kKept || !reported_.insert(pair).second) return;
      list.push_back(found);
      list.back().first = first;
    };
    if (const Toucher* first = find_race(cell, epoch, who)) once(races_, *first);
    const auto& writes = cell.ever[static_cast<size_t>(AccessKind::Write)];
    if (of_workgroup && who.kind == AccessKind::Read && !writes[0]) once(unwritten_, Toucher{});
    remember(cell, epoch, who);
  }
}

}  // namespace vyre::ref
