// Coverage: which parts of the language a set of programs has used, out of those that there are.
//
// What is never generated is never tested, so runs print this and a test wants all of it. What is possible
// follows from the ledgers alone: an operator at each of its types, each cast in each of its modes, each
// reduction with each operator, each access of each element, and each pair of a part and a part directly
// below it that the types allow. A part is a kind of statement or expression; an application counts as its
// operator.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "check/checked.h"
#include "generate/programs.h"
#include "spec/ops.h"

namespace vyre::generate {

class ProgramCoverage {
 public:
  /// What programs made with these options can have.
  explicit ProgramCoverage(const ProgramOptions& options);

  void add(const check::Checked& program);
  /// Domain: of the same options.
  void add(const ProgramCoverage& other);

  enum class Family : uint8_t {
    Part,
    Application,
    Cast,
    Bitcast,
    Rounding,
    Fold,
    Literal,
    Variable,
    Load,
    Store,
    Pair
  };
  static constexpr size_t kFamilies = 11;
  struct Tally {
    uint64_t reached = 0;
    uint64_t possible = 0;
    std::vector<std::string> missing;  // names of those that are possible and not reached
  };
  Tally tally(Family family) const;
  uint64_t programs() const { return programs_; }
  /// Parts by how often they came up, a line a family, and what is missing.
  std::string print() const;

 private:
  // A number for each thing to be counted, family by family.
  static constexpr size_t kTypes = spec::kTypeCount;
  static constexpr size_t kParts = ir::kNodeKindCount + ir::kExprKindCount + spec::kOpCount;
  static constexpr size_t kAccesses =
      spec::kBufferAccessCount * kTypes * 2;  // (access, element, whether a tensor)
  static constexpr std::array<size_t, kFamilies> kSizes = {kParts,
                                                           spec::kOpCount* kTypes,
                                                           kTypes* kTypes,
                                                           kTypes* kTypes,
                                                           kTypes* kTypes* spec::kRoundingModeCount,
                                                           spec::kOpCount* spec::kOpCount,
                                                           kTypes,
                                                           kTypes,
                                                           kAccesses,
                                                           kAccesses,
                                                           kParts* kParts};
  static constexpr size_t first(Family family) {
    size_t at = 0;
    for (size_t i = 0; i < size_t(family); ++i) at += kSizes[i];
    return at;
  }
  static constexpr size_t kItems = [] {
    size_t sum = 0;
    for (const size_t size : kSizes) sum += size;
    return sum;
  }();

  static std::string name(Family family, size_t item);
  void hit(Family family, size_t item) { ++counts_[first(family) + item]; }
  void add_expr(const check::Checked& program, ir::ExprId id);
  void find_possible(const ProgramOptions& options);

  uint64_t programs_ = 0;
  std::vector<uint64_t> counts_;
  std::vector<bool> possible_;
};

}  // namespace vyre::generate
