#include <memory>
#include <utility>

#include "check/barriers.h"
#include "check/body.h"
#include "check/callees.h"
#include "check/checked.h"
#include "check/declarations.h"
#include "check/items.h"
#include "check/operations.h"
#include "check/unchecked.h"
#include "check/words_as_indices.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre::check {

std::optional<Checked> ItemChecker::run(std::shared_ptr<const ir::Program> shared) {
  const ir::Program& program = *shared;
  check_declarations(program, report_);
  BodyResult body = check_body(
      {program.code, program.entry, ops_, program.buffers, program.tensors, nullptr, constants_}, report_);
  if (!body.malformed) check_barriers(program, body, divergent_ != nullptr ? *divergent_ : report_, report_);
  callees_.reach(body, 0);
  if (!report_.empty()) return std::nullopt;

  Checked checked;
  checked.warnings_ = find_words_as_indices(program, body.resolution);
  for (uint32_t i = 0; i < program.buffers.size(); ++i) {
    if (spec::is_bound(program.buffers[i].access)) checked.bound_.push_back(BufferId{i});
  }
  checked.functions_ = callees_.reached(body);
  checked.program_ = std::move(shared);
  checked.resolution_ = std::move(body.resolution);
  checked.intrinsics_ = std::move(body.intrinsics);
  checked.has_barrier_ = body.has_barrier;
  return checked;
}

namespace {

std::expected<Checked, Diagnostics> check_program(ir::Program program, const spec::OpTable& ops,
                                                  Report* divergent) {
  Report report;
  Callees callees(ops, report);
  auto checked = ItemChecker(ops, {}, callees, report, divergent)
                     .run(std::make_shared<const ir::Program>(std::move(program)));
  if (!checked) return std::unexpected(report.take());
  return std::move(*checked);
}

}  // namespace

std::expected<Checked, Diagnostics> check(ir::Program program, const spec::OpTable& ops) {
  return check_program(std::move(program), ops, nullptr);
}

std::expected<Watchable, Diagnostics> check_but_barriers(ir::Program program, const spec::OpTable& ops) {
  Report divergent;
  auto checked = check_program(std::move(program), ops, &divergent);
  if (!checked) return std::unexpected(std::move(checked.error()));
  return Watchable{std::move(*checked), divergent.take()};
}

std::expected<CheckedFunction, Diagnostics> check(const ir::Function& function, const spec::OpTable& ops) {
  Report report;
  BodyResult body = check_function_body(function, ops, report);
  Callees(ops, report).reach(body, 1);
  if (!report.empty()) return std::unexpected(report.take());
  return CheckedFunction{&function, std::move(body.resolution)};
}

Digest digest(const Checked& program) {
  const Digest alone = wire::digest(program.program());
  // By id and version, whatever order addresses give.
  std::map<std::pair<std::string_view, uint32_t>, const ir::Function*> of_file;
  for (const auto& [def, function] : program.functions()) {
    if (!is_library_id(def->id)) of_file[{def->id, def->version}] = function->function;
  }
  if (of_file.empty()) return alone;
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(alone.bytes)));
  for (const auto& [name, function] : of_file) {
    ir::Module module;
    module.operations.push_back({.function = *function, .version = name.second});
    hasher.update(text::print(module));
  }
  return hasher.finish();
}

}  // namespace vyre::check
