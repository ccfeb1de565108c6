#include "graph_judge.h"

#include <fmt/format.h>

#include "ops/operation.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre::test {
namespace {

/// What text and wire lose of a module; empty: nothing.
std::string lost(const ir::Module& module) {
  const std::string text = text::print(module);
  const auto parsed = text::parse_module(text, &ops::op_table());
  if (!parsed) return "text: " + render(parsed.error(), nullptr);
  if (!ir::equal(*parsed, module)) return "text: another module\n";
  if (text::print(*parsed) != text) return "text: other characters the second time\n";
  const auto formatted = text::format(text);
  if (!formatted || *formatted != text) return "text: printed in another layout than the canonical one\n";
  const Bytes bytes = wire::encode(module);
  const auto decoded = wire::decode_module(bytes);
  if (!decoded) return "wire: " + render(decoded.error(), nullptr);
  if (!ir::equal(*decoded, module)) return "wire: another module\n";
  if (wire::encode(*decoded) != bytes) return "wire: other bytes the second time\n";
  return {};
}

}  // namespace

GraphTrial GraphJudge::judge(const generate::GraphCase& c) const {
  GraphTrial out;
  const auto differ = [&](std::string complaint) {
    if (complaint.empty()) return false;
    out.judgement = {Verdict::Differ, std::move(complaint)};
    return true;
  };
  if (differ(lost(c.module))) return out;
  verify::TensorJudge judge(backend_, lower_);
  judge.repeats = false;
  for (const verify::TensorWay& way :
       verify::tensor_ways().first(every_plan_ ? verify::tensor_ways().size() : 1)) {
    const auto found = judge.judge({c, way.options, {}});
    out.dispatches = judge.dispatches;
    if (!found) {
      differ(fmt::format("{}: {}", way.name, render(found.error(), nullptr)));
      break;
    }
    if (*found) {
      differ(fmt::format("{}: {}\n", way.name, (*found)->what));
      break;
    }
    ++out.plans;
  }
  return out;
}

}  // namespace vyre::test
