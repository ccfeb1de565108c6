// What is different between two certificates: why the second has another level than the first, in a few
// lines.
//
// A level may change since something else was asked (a plan), of something else (a backend, a device, a
// driver), by another measure (a registry), or since a subject answers otherwise. The lines come in that
// order, and what did not change is not said.
#pragma once

#include <string>
#include <vector>

#include "certify/certificate.h"

namespace vyre::certify {

/// No difference takes more lines than this.
inline constexpr size_t kDiffLines = 10;

struct Difference {
  bool same_level = false;         // in each track
  std::vector<std::string> lines;  // at most kDiffLines, each without a newline; the first has the levels
};

/// Cost: O(verdicts). Thread: any.
Difference diff(const Certificate& from, const Certificate& to);

}  // namespace vyre::certify
