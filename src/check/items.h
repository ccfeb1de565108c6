// Programs and operations as items of a file: each checked by itself, but for what they share, which is what
// they call and the names of constants.
#pragma once

#include <memory>
#include <optional>

#include "check/callees.h"
#include "check/checked.h"

namespace vyre::check {

/// Makes a Checked, and nothing else does.
class ItemChecker {
 public:
  /// The operations of the table, those of the file among them, are what may be called. What is wrong goes to
  /// the report; barriers that may diverge to a report of their own, or to null for errors like others.
  ItemChecker(const spec::OpTable& ops, std::span<const ir::Constant> constants, Callees& callees,
              Report& report, Report* divergent = nullptr)
      : ops_(ops), constants_(constants), callees_(callees), report_(report), divergent_(divergent) {}

  /// None when something was reported, about this program or an earlier item.
  std::optional<Checked> run(std::shared_ptr<const ir::Program> program);

 private:
  const spec::OpTable& ops_;
  const std::span<const ir::Constant> constants_;
  Callees& callees_;
  Report& report_;
  Report* divergent_;
};

}  // namespace vyre::check
