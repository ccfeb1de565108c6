// Random graphs through text and wire: valid ones with everything that graphs have, in other shapes than
// people write.
#include <gtest/gtest.h>

#include "generate/graphs.h"
#include "oracle.h"
#include "text/text.h"
#include "wire/wire.h"

VYRE_ORACLE(
    Property,
    "ir::equal: printed and encoded graphs are read back as what they were, and printed text is formatted");

namespace vyre::generate {
namespace {

TEST(RandomGraphs, GoThroughTextAndWireUnchanged) {
  for (uint64_t index = 0; index < 150; ++index) {
    const ir::Module module = random_graph(29, index).module;
    for (const ir::Graph& graph : module.graphs) ASSERT_FALSE(ir::misplaced(graph)) << index;
    const std::string text = text::print(module);
    const auto parsed = text::parse_module(text);
    const Source source("random.vyre", text);
    ASSERT_TRUE(parsed) << index << "\n" << render(parsed.error(), &source);
    ASSERT_TRUE(ir::equal(*parsed, module)) << index << "\n" << text;
    ASSERT_EQ(text::format(text).value_or(""), text) << index;
    const Bytes file = wire::encode(module);
    const auto decoded = wire::decode_module(file);
    ASSERT_TRUE(decoded) << index << "\n" << render(decoded.error(), nullptr) << text;
    ASSERT_TRUE(ir::equal(*decoded, module)) << index << "\n" << text;
    ASSERT_EQ(wire::encode(*parsed), file) << index << "\n" << text;
  }
}

}  // namespace
}  // namespace vyre::generate
