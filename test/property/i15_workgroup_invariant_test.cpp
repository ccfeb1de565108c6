// I15, WorkgroupInvariant: the size of its workgroups does not show in what an engine leaves.
//
// A text declares the sizes that its constant may have, `const W = 256 in {64, 128, 256}`: how the work is
// cut into pieces is a matter of speed. An operation of the library, each in turn, is run with its own size
// and with another one of the list on one case, and leaves the same bytes. Source: vyre-conform-spec,
// "spec/invariant.rs".
#include <algorithm>
#include <map>
#include <utility>

#include "library/library.h"
#include "ops/operation.h"
#include "opspec/opspec.h"
#include "oracle.h"
#include "property/property.h"
#include "text/text.h"
#include "verify/buffer_judge.h"

VYRE_ORACLE(Property,
            "vyre-conform-spec, \"spec/invariant.rs\": WorkgroupInvariant; the operation at another size");

namespace vyre::test {
namespace {

struct Sized {
  const library::Entry* entry;
  ir::Constant constant;
};
/// The operations with a workgroup constant, and which values it may have.
const std::vector<Sized>& sized() {
  static const auto all = [] {
    std::vector<Sized> out;
    for (const library::Entry& entry : library::entries()) {
      const library::Engine* const engine = library::find_engine(entry.id);
      if (engine != nullptr && !engine->promises.has(library::Invariant::WorkgroupInvariant)) continue;
      const auto& constants = ops::op_table().find_module(entry.id, 1)->constants;
      const auto found = std::ranges::find(constants, "W", &ir::Constant::name);
      if (found != constants.end() && found->allowed.size() > 1) out.push_back({&entry, *found});
    }
    return out;
  }();
  return all;
}

verify::BufferJudge& judge_at(const library::Entry& entry, uint32_t size) {
  static std::map<std::pair<std::string_view, uint32_t>, verify::BufferJudge> judges;
  const auto known = judges.find({entry.id, size});
  if (known != judges.end()) return known->second;
  text::Constants constants(entry.constants.begin(), entry.constants.end());
  constants["W"] = size;
  const ir::Module module = value_of(text::parse_module(entry.file->text, &ops::op_table(), constants));
  const opspec::OperationSpec& operation = *opspec::find_operation(entry.id);
  auto judge = value_of(verify::BufferJudge::make(backend_under_test(), operation, module));
  return judges.emplace(std::pair(std::string_view(entry.id), size), std::move(judge)).first->second;
}

TEST(Property, I15WorkgroupInvariant) {
  for_each_case(100, [](const PropertyCase& c) {
    RandomStream random = c.random(15);
    const auto& [entry, constant] = sized()[c.number % sized().size()];
    std::vector<uint32_t> others = constant.allowed;
    std::erase(others, constant.written);
    const uint32_t size = others[random.below(uint32_t(others.size()))];
    const opspec::Buffers input =
        opspec::make_case(*opspec::find_operation(entry->id), c.seed, c.number, random.below(3'000));
    verify::BufferJudge& own = judge_at(*entry, constant.written);
    const opspec::Buffers wanted = value_of(own.run(input));
    EXPECT_EQ(own.difference(wanted, value_of(judge_at(*entry, size).run(input))), std::nullopt)
        << entry->id << " with W = " << size;
  });
}

}  // namespace
}  // namespace vyre::test
