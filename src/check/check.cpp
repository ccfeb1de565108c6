#include <memory>
#include <utility>

#include "check/barriers.h"
#include "check/body.h"
#include "check/callees.h"
#include "check/checked.h"
#include "check/declarations.h"
#include "check/unchecked.h"

namespace vyre::check {

/// Makes a Checked, and nothing else does.
class Checker {
 public:
  /// Barriers that may diverge go to a report of their own, or to null for errors like others.
  static std::expected<Checked, Diagnostics> run(ir::Program program, const spec::OpTable& ops,
                                                 Report* divergent = nullptr) {
    Report report;
    check_declarations(program, report);
    BodyResult body =
        check_body({program.code, program.entry, ops, program.buffers, program.tensors}, report);
    if (!body.malformed) check_barriers(program, body, divergent != nullptr ? *divergent : report, report);
    CheckedFunctions functions = check_callees(body, 0, ops, report);
    if (!report.empty()) return std::unexpected(report.take());

    Checked checked;
    for (uint32_t i = 0; i < program.buffers.size(); ++i) {
      if (program.buffers[i].access != spec::BufferAccess::Workgroup) checked.bound_.push_back(BufferId{i});
    }
    checked.program_ = std::make_shared<const ir::Program>(std::move(program));
    checked.resolution_ = std::move(body.resolution);
    checked.functions_ = std::move(functions);
    checked.intrinsics_ = std::move(body.intrinsics);
    checked.has_barrier_ = body.has_barrier;
    return checked;
  }
};

std::expected<Checked, Diagnostics> check(ir::Program program, const spec::OpTable& ops) {
  return Checker::run(std::move(program), ops);
}

std::expected<Watchable, Diagnostics> check_but_barriers(ir::Program program, const spec::OpTable& ops) {
  Report divergent;
  auto checked = Checker::run(std::move(program), ops, &divergent);
  if (!checked) return std::unexpected(std::move(checked.error()));
  return Watchable{std::move(*checked), divergent.take()};
}

std::expected<CheckedFunction, Diagnostics> check(const ir::Function& function, const spec::OpTable& ops) {
  Report report;
  BodyResult body = check_function_body(function, ops, report);
  check_callees(body, 1, ops, report);
  if (!report.empty()) return std::unexpected(report.take());
  return CheckedFunction{&function, std::move(body.resolution)};
}

}  // namespace vyre::check
