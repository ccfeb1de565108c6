// I13, Termination: every repeat of an engine ends because there is nothing left to do.
//
// A pipeline that goes on until a word is zero has a bound on its turns as well, so it ends in any case; but
// one that ends by its bound, the word still set, has stopped in the middle of its work. Runs of all
// operations with a repeat are noted turn by turn, on valid and on malformed inputs.
// Source: vyre-conform-spec, "spec/invariant.rs".
#include <map>

#include "library/library.h"
#include "ops/operation.h"
#include "opspec/opspec.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "property/property.h"

VYRE_ORACLE(Property,
            "vyre-conform-spec, \"spec/invariant.rs\": Termination; the words that repeats look at");

namespace vyre::test {
namespace {

/// Operations with a repeat of their own; of engines those that promise that it ends.
const std::vector<const library::Entry*>& repeating() {
  static const auto all = [] {
    std::vector<const library::Entry*> out;
    for (const library::Entry& entry : library::entries()) {
      const library::Engine* const engine = library::find_engine(entry.id);
      if (engine != nullptr && !engine->promises.has(library::Invariant::Termination)) continue;
      if (entry.file->text.find("\n  repeat ") != std::string_view::npos) out.push_back(&entry);
    }
    return out;
  }();
  return all;
}

plan::Executable& executable_of(const library::Entry& entry) {
  static std::map<std::string_view, plan::Executable> executables;
  const auto known = executables.find(entry.id);
  if (known != executables.end()) return known->second;
  const ir::Module& text = *ops::op_table().find_module(entry.id, 1);
  const auto module = check::check(text, ops::op_table());
  if (!module) throw std::runtime_error(render(module.error().front(), nullptr));
  const auto main = std::ranges::find(text.pipelines, "main", &ir::Pipeline::name) - text.pipelines.begin();
  return executables
      .emplace(entry.id, value_of(plan::Executable::make(backend_under_test(), *module, uint32_t(main))))
      .first->second;
}

/// How often a run of the operation left a repeat though its word was set.
uint64_t unfinished(const library::Entry& entry, opspec::Buffers buffers) {
  plan::RunNotes notes{.timed = true};
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  value_of(executable_of(entry).run_host(host, &notes));
  uint64_t count = 0;
  for (const auto& [place, times] : notes.unfinished) count += times;
  return count;
}

TEST(Property, I13Termination) {
  for_each_case(300, [](const PropertyCase& c) {
    const library::Entry& entry = *repeating()[c.number % repeating().size()];
    const opspec::OperationSpec& operation = *opspec::find_operation(entry.id);
    RandomStream random = c.random(13);
    const opspec::Buffers input = random.chance(4)
                                      ? opspec::make_malformed_case(operation, c.seed, c.number)
                                      : opspec::make_case(operation, c.seed, c.number, random.below(200));
    EXPECT_EQ(unfinished(entry, input), 0u) << entry.id;
  });
}

}  // namespace
}  // namespace vyre::test
