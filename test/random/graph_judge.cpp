#include "graph_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "check/tensors.h"
#include "plan/pipeline.h"
#include "ref/graph.h"
#include "spec/float_format.h"
#include "tensor/lower.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre::test {
namespace {

struct Way {
  std::string_view name;
  tensor::Options options;
};
constexpr Way kWays[] = {
    {"as planned", {}},
    {"for a processor", {.device = tensor::Device::Cpu}},
    {"each node by itself", {.plan = {.fuse = false}}},
    {"always fused", {.plan = {.always = true}}},
    {"nothing shared", {.plan = {.share = false}}},
};

class Judge {
 public:
  Judge(const generate::GraphCase& c, const spec::OpTable& ops, backend::Backend& backend,
        const GraphJudging& judging)
      : case_(c), ops_(ops), backend_(backend), judging_(judging) {}

  GraphTrial run() {
    auto checked = check::check(case_.module, ops_);
    if (!checked) return invalid(checked.error().front());
    const check::TensorGraph& graph = (*checked)->graphs().at(0);
    const auto dimensions = check::dimensions_of(graph, case_.shapes);
    if (!dimensions) return invalid(dimensions.error());
    const auto sized = check::sized(graph, *dimensions);
    if (!sized) return invalid(sized.error());
    if (!round_trips()) return std::move(out_);
    const std::vector<std::span<const std::byte>> given(case_.inputs.begin(), case_.inputs.end());
    const auto expected = ref::run_graph(**checked, *sized, given);
    if (!expected) return invalid(expected.error());
    for (const Way& way : std::span(kWays).first(judging_.every_plan ? std::size(kWays) : 1)) {
      if (!compare(way, *sized, *expected)) break;
      ++out_.plans;
    }
    return std::move(out_);
  }

 private:
  GraphTrial invalid(const Diag& diag) {
    out_.invalid = true;
    refuse(render(diag, nullptr));
    return std::move(out_);
  }
  bool refuse(std::string complaint) {
    out_.judgement = {Verdict::Differ, std::move(complaint)};
    return false;
  }

  bool round_trips() {
    const std::string text = text::print(case_.module);
    const auto parsed = text::parse_module(text, &ops_);
    if (!parsed) return refuse("text: " + render(parsed.error(), nullptr));
    if (!ir::equal(*parsed, case_.module)) return refuse("text: another module\n");
    if (text::print(*parsed) != text) return refuse("text: other characters the second time\n");
    const auto formatted = text::format(text);
    if (!formatted || *formatted != text)
      return refuse("text: printed in another layout than the canonical one\n");
    const Bytes bytes = wire::encode(case_.module);
    const auto decoded = wire::decode_module(bytes);
    if (!decoded) return refuse("wire: " + render(decoded.error(), nullptr));
    if (!ir::equal(*decoded, case_.module)) return refuse("wire: another module\n");
    if (wire::encode(*decoded) != bytes) return refuse("wire: other bytes the second time\n");
    return true;
  }

  bool compare(const Way& way, const check::SizedGraph& sized, const std::vector<Bytes>& expected) {
    const ir::Module lowered = tensor::lower(sized, case_.module.operations, way.options);
    auto checked = check::check(lowered, ops_);
    if (!checked)
      return refuse(fmt::format("{}: not valid: {}", way.name, render(checked.error().front(), nullptr)));
    if (out_.plans == 0) {
      out_.dispatches = uint32_t(std::ranges::count(lowered.pipelines.at(0).commands,
                                                    ir::CommandKind::Dispatch, &ir::Command::kind));
    }
    auto executable = plan::Executable::make(backend_, *checked, 0);
    if (!executable)
      return refuse(fmt::format("{}: not compiled: {}", way.name, render(executable.error(), nullptr)));
    std::vector<Bytes> inputs = case_.inputs, outputs;
    for (const Bytes& bytes : expected) outputs.emplace_back(bytes.size(), std::byte{0xee});
    std::vector<std::span<std::byte>> spans;
    for (Bytes& bytes : inputs) spans.emplace_back(bytes);
    for (Bytes& bytes : outputs) spans.emplace_back(bytes);
    if (const auto ran = executable->run_host(spans); !ran)
      return refuse(fmt::format("{}: not run: {}", way.name, render(ran.error(), nullptr)));
    if (inputs != case_.inputs) return refuse(fmt::format("{}: an input was written\n", way.name));
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto& node = sized.nodes[sized.outputs[i].node];
      if (judging_.wrong_bit) plant(node.type, outputs[i]);
      if (outputs[i] != expected[i])
        return refuse(fmt::format("{}: {}", way.name,
                                  difference(sized.outputs[i].name, node, expected[i], outputs[i])));
    }
    return true;
  }

  static void plant(spec::DataType type, Bytes& bytes) {
    if (type != spec::DataType::F32) return;
    for (size_t at = 0; at < bytes.size(); at += 4) {
      const uint32_t bits = load_u32(bytes.data() + at);
      if (spec::float_format(type).is_nan(bits)) return store_u32(bytes.data() + at, bits ^ 1);
    }
  }

  static std::string difference(std::string_view name, const check::SizedNode& node, const Bytes& expected,
                                const Bytes& found) {
    const size_t bytes = spec::info(node.type).bytes;
    size_t first = expected.size() / bytes, count = 0;
    for (size_t at = 0; at < expected.size() / bytes; ++at) {
      if (std::memcmp(expected.data() + at * bytes, found.data() + at * bytes, bytes) == 0) continue;
      first = std::min(first, at);
      ++count;
    }
    const auto shown = [&](const Bytes& from) {
      std::array<uint32_t, 4> bits{};
      std::memcpy(bits.data(), from.data() + first * bytes, bytes);
      return fmt::format("{} (0x{:08x})", text::print_literal(node.type, bits), bits[0]);
    };
    return fmt::format("{}, {}: {} of {} elements differ, first number {}: {} where the reference has {}\n",
                       name, check::shape_text(node.type, node.shape), count, expected.size() / bytes, first,
                       shown(found), shown(expected));
  }

  const generate::GraphCase& case_;
  const spec::OpTable& ops_;
  backend::Backend& backend_;
  const GraphJudging& judging_;
  GraphTrial out_;
};

}  // namespace

GraphTrial judge_graph(const generate::GraphCase& c, const spec::OpTable& ops, backend::Backend& backend,
                       const GraphJudging& judging) {
  return Judge(c, ops, backend, judging).run();
}

}  // namespace vyre::test
