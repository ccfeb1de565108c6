#include "web/conformance.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "ops/operation.h"
#include "text/text.h"
#include "verify/families.h"
#include "verify/program_parity.h"
#include "web/elementwise_cases.h"

namespace vyre::web {
namespace {

using verify::Family;
using verify::Subject;

/// One case to be made, by whichever core is free.
struct Task {
  std::string name;
  std::string group;
  std::function<Result<Case>()> make;
};

/// Case `index` of a program family, with what the reference leaves in its buffers.
Result<Case> program_case(Family family, uint64_t index, uint64_t seed) {
  const generate::ProgramCase c = verify::family_case(family, seed, index);
  auto checked = check::check(c.program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(module, portable_module(*checked));
  VYRE_TRY(after, verify::reference_answer(*checked, c, 0));
  Case out{.source = text::print(c.program), .module = std::move(module), .groups = c.groups};
  for (size_t k = 0; k < c.buffers.size(); ++k) {
    const ir::BufferDecl& decl = checked->buffer(checked->bound_buffers()[k]);
    Buffer& buffer =
        out.buffers.emplace_back(Buffer{.name = std::string(checked->program().code.name(decl.name)),
                                        .element = checked->program().element(decl),
                                        .before = c.buffers[k]});
    buffer.count = uint32_t(c.buffers[k].size() / spec::info(buffer.element).bytes);
    buffer.output = decl.access == spec::BufferAccess::ReadWrite;
    if (!buffer.output) continue;
    buffer.after = std::move(after[k]);
    out.instances += buffer.count;
  }
  out.replay.command = fmt::format("vyre-conform replay '{}:program:{}:{}' --backend webgpu",
                                   verify::info(family).text, seed, index);
  return out;
}

/// A shape of a program family. Some inputs are empty on purpose, or leave everything as it was; of the first
/// few this is one that has something to show.
Result<Case> shape_case(Family family, size_t shape, uint64_t seed) {
  constexpr uint64_t kTries = 16, kResultsEnough = 16;
  Case best;
  for (uint64_t k = 0; k < kTries && best.instances < kResultsEnough; ++k) {
    VYRE_TRY(test, program_case(family, shape + k * verify::shapes(family), seed));
    const bool changes =
        std::ranges::any_of(test.buffers, [](const Buffer& b) { return b.output && b.before != b.after; });
    if (changes && test.instances > best.instances) best = std::move(test);
  }
  return best;
}

void add_subject(Subject subject, std::string group, const ConformanceOptions& options,
                 std::vector<Task>& out) {
  std::string name = subject.name;
  out.push_back({std::move(name), std::move(group),
                 [subject = std::move(subject), options] { return elementwise_case(subject, options); }});
}

/// "primitive.math" of "primitive.math.add".
std::string group_of(std::string_view id) { return std::string(id.substr(0, id.find_last_of('.'))); }

std::vector<Task> all_tasks(const ConformanceOptions& options) {
  std::vector<Task> out;
  for (const ops::Operation& operation : ops::all_operations()) {
    if (operation.bound != 0) continue;  // a page compares bytes, and an approximate operation promises none
    add_subject(verify::subject_of(operation), group_of(operation.id), options, out);
  }
  for (const verify::FamilyInfo& family : verify::kFamilies) {
    const std::string group(family.text);
    for (Subject& subject : verify::elementwise_subjects(family.family))
      add_subject(std::move(subject), group, options, out);
    // A page compares bytes: it does not judge outcomes, and runs what every device has.
    if (family.has(verify::FamilyTrait::Optional) || family.has(verify::FamilyTrait::Unordered)) continue;
    for (size_t shape = 0; shape < verify::shapes(family.family); ++shape) {
      out.push_back({fmt::format("{}/{}: {}", group, shape, verify::shape_name(family.family, shape)), group,
                     [=] { return shape_case(family.family, shape, options.seed); }});
    }
  }
  return out;
}

}  // namespace

Result<Page> conformance_page(const ConformanceOptions& options) {
  const std::vector<Task> tasks = all_tasks(options);
  std::vector<std::optional<Result<Case>>> made(tasks.size());
  tbb::parallel_for(size_t{0}, tasks.size(), [&](size_t k) { made[k] = tasks[k].make(); });
  Page out{.title = "vyre: conformance of WebGPU", .conformance = true};
  for (size_t k = 0; k < tasks.size(); ++k) {
    Result<Case>& result = *made[k];
    if (!result && result.error().code == DiagCode::B003) {
      out.left_out.push_back(fmt::format("{}: {}", tasks[k].name, result.error().message));
      continue;
    }
    if (!result) return std::unexpected(std::move(result).error());
    result->name = tasks[k].name;
    result->group = tasks[k].group;
    out.cases.push_back(std::move(*result));
  }
  return out;
}

}  // namespace vyre::web
