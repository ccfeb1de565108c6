// Graphs through the C API: their tensors, shapes that are worked out, runs, and what is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "oracle.h"
#include "vyre/vyre.h"

VYRE_ORACLE(SpecificationTable, "vyre.h, and values worked out by hand");

namespace graph_test {
namespace {

using testing::ElementsAre;

constexpr std::string_view kText = R"(
operation my.twice(x: u32) -> u32 {
  return x + x;
}

graph rows(x: u32[n, m], more: u32[]) -> (sums: u32[n, 1], turned: u32[m, n]) {
  sums = reduce(add, x, 1) + more;
  turned = my.twice(transpose(x, [1, 0]));
}
)";

template <typename T>
struct Free {
  void (*free)(T*);
  void operator()(T* it) const { free(it); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free<T>>;

/// The graph of a text, kText if nothing else is said, on the native backend.
class ApiGraph : public testing::Test {
 protected:
  void SetUp() override { make(kText); }
  void make(std::string_view text) {
    vyre_module* module = nullptr;
    vyre_checked_module* checked = nullptr;
    ASSERT_EQ(vyre_module_parse(text.data(), text.size(), nullptr, 0, &module, nullptr), VYRE_OK);
    module_ = {module, {vyre_module_free}};
    ASSERT_EQ(vyre_module_check(module, &checked, nullptr), VYRE_OK);
    checked_ = {checked, {vyre_checked_module_free}};
    vyre_backend* backend = nullptr;
    ASSERT_EQ(vyre_backend_open("native", 6, &backend, nullptr), VYRE_OK);
    backend_ = {backend, {vyre_backend_free}};
    ASSERT_EQ(vyre_module_find_entry(checked, nullptr, 0, &item_), VYRE_OK);
    vyre_graph* graph = nullptr;
    ASSERT_EQ(vyre_module_graph(backend, checked, item_, &graph), VYRE_OK);
    graph_ = {graph, {vyre_graph_free}};
  }

  /// A tensor over words of the caller.
  template <size_t n>
  static vyre_tensor tensor(std::initializer_list<uint32_t> shape, uint32_t (&words)[n]) {
    vyre_tensor out = {};
    out.axes = uint32_t(shape.size());
    std::ranges::copy(shape, out.shape);
    out.data = words;
    out.size = sizeof words;
    return out;
  }
  template <typename Call>
  static std::string code_of(const Call& call) {
    vyre_diagnostics* wrong = nullptr;
    EXPECT_EQ(call(&wrong), VYRE_REFUSED);
    const Owned<vyre_diagnostics> owned = {wrong, {vyre_diagnostics_free}};
    vyre_diagnostic diagnostic = {};
    diagnostic.struct_size = sizeof diagnostic;
    EXPECT_EQ(vyre_diagnostics_get(wrong, 0, &diagnostic), VYRE_OK);
    return std::string(diagnostic.code.data, diagnostic.code.size);
  }

  Owned<vyre_module> module_{nullptr, {vyre_module_free}};
  Owned<vyre_checked_module> checked_{nullptr, {vyre_checked_module_free}};
  Owned<vyre_backend> backend_{nullptr, {vyre_backend_free}};
  Owned<vyre_graph> graph_{nullptr, {vyre_graph_free}};
  size_t item_ = 0;
};

TEST_F(ApiGraph, IsAnItemWithItsTensors) {
  EXPECT_EQ(vyre_module_item_count(module_.get()), 2u);
  vyre_item_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(vyre_module_get_item(module_.get(), item_, &info), VYRE_OK);
  EXPECT_EQ(info.kind, VYRE_ITEM_GRAPH);
  EXPECT_EQ(std::string(info.name.data, info.name.size), "rows");
  EXPECT_EQ(info.buffer_count, 4u);
  vyre_buffer_info buffer = {};
  buffer.struct_size = sizeof buffer;
  ASSERT_EQ(vyre_module_get_buffer(module_.get(), item_, 2, &buffer), VYRE_OK);
  EXPECT_EQ(std::string(buffer.name.data, buffer.name.size), "sums");
  EXPECT_EQ(std::string(buffer.type_name.data, buffer.type_name.size), "u32");
  EXPECT_EQ(vyre_module_get_buffer(module_.get(), item_, 4, &buffer), VYRE_INVALID_ARGUMENT);
}

TEST_F(ApiGraph, RunsAtTheShapesThatItIsGiven) {
  for (const uint32_t rows : {2u, 3u, 2u}) {
    uint32_t x[] = {1, 2, 3, 4, 5, 6}, more[] = {10}, sums[3] = {}, turned[6] = {};
    vyre_tensor tensors[] = {tensor({rows, 6 / rows}, x), tensor({}, more), {}, {}};
    ASSERT_EQ(vyre_graph_shape(graph_.get(), tensors, 4, nullptr), VYRE_OK);
    EXPECT_EQ(tensors[0].data, x);
    EXPECT_EQ(tensors[0].size, 24u);
    EXPECT_EQ(tensors[2].axes, 2u);
    EXPECT_EQ(tensors[2].shape[0], rows);
    EXPECT_EQ(tensors[2].shape[1], 1u);
    EXPECT_EQ(tensors[2].size, 4 * rows);
    EXPECT_EQ(tensors[3].shape[0], 6 / rows);
    tensors[2].data = sums;
    tensors[3].data = turned;
    ASSERT_EQ(vyre_graph_run(graph_.get(), tensors, 4, nullptr), VYRE_OK);
    if (rows == 2) {
      EXPECT_THAT(sums, ElementsAre(16, 25, 0));
      EXPECT_THAT(turned, ElementsAre(2, 8, 4, 10, 6, 12));
    } else {
      EXPECT_THAT(sums, ElementsAre(13, 17, 21));
      EXPECT_THAT(turned, ElementsAre(2, 6, 10, 4, 8, 12));
    }
  }
}

TEST_F(ApiGraph, PacksSmallTypesInBytes) {
  make(
      "graph pack(x: u8[n]) -> (b: u8[n], h: fp4_e2m1[n]) {\n"
      "  b = cast<u8>(cast<u32>(x) + 1);\n  h = cast<fp4_e2m1>(cast<f32>(x));\n}\n");
  vyre_buffer_info buffer = {};
  buffer.struct_size = sizeof buffer;
  ASSERT_EQ(vyre_module_get_buffer(module_.get(), item_, 2, &buffer), VYRE_OK);
  EXPECT_EQ(buffer.type, VYRE_TYPE_FP4_E2M1);
  uint8_t x[] = {0, 1, 2, 3, 255}, b[] = {9, 9, 9, 9, 9, 9}, h[] = {9, 9, 9, 9};
  vyre_tensor tensors[3] = {};
  tensors[0].axes = 1;
  tensors[0].shape[0] = 5;
  ASSERT_EQ(vyre_graph_shape(graph_.get(), tensors, 3, nullptr), VYRE_OK);
  EXPECT_EQ(tensors[0].size, 5u);
  EXPECT_EQ(tensors[1].size, 5u);
  EXPECT_EQ(tensors[2].size, 3u);
  tensors[0].data = x;
  tensors[1].data = b;
  tensors[2].data = h;
  ASSERT_EQ(vyre_graph_run(graph_.get(), tensors, 3, nullptr), VYRE_OK);
  EXPECT_THAT(b, ElementsAre(1, 2, 3, 4, 0, 9));  // and nothing behind it is written
  EXPECT_THAT(h, ElementsAre(0x20, 0x54, 0x07, 9));
}

TEST_F(ApiGraph, RefusesWhatDoesNotFit) {
  uint32_t x[] = {1, 2, 3, 4}, more[] = {0}, sums[] = {7, 7}, turned[4] = {};
  vyre_tensor tensors[] = {tensor({4}, x), tensor({}, more), tensor({2, 1}, sums), tensor({2, 2}, turned)};
  const auto shape = [&](vyre_diagnostics** out) { return vyre_graph_shape(graph_.get(), tensors, 4, out); };
  const auto run = [&](vyre_diagnostics** out) { return vyre_graph_run(graph_.get(), tensors, 4, out); };
  EXPECT_EQ(code_of(shape), "G015");  // one axis, and x has two
  EXPECT_EQ(code_of(run), "G015");
  tensors[0] = tensor({3, 2}, x);
  EXPECT_EQ(code_of(run), "X007");
  tensors[0] = tensor({2, 2}, x);
  tensors[2].size = 4;
  EXPECT_EQ(code_of(run), "X007");
  tensors[2].size = 8;
  EXPECT_EQ(vyre_graph_run(graph_.get(), tensors, 3, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_graph_run(graph_.get(), nullptr, 4, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_graph_run(nullptr, tensors, 4, nullptr), VYRE_INVALID_ARGUMENT);
  tensors[0].axes = VYRE_MAX_AXES + 1;
  EXPECT_EQ(vyre_graph_shape(graph_.get(), tensors, 4, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_THAT(sums, ElementsAre(7, 7));
  vyre_graph* none = nullptr;
  EXPECT_EQ(vyre_module_graph(backend_.get(), checked_.get(), 0, &none), VYRE_INVALID_ARGUMENT);  // my.twice
  EXPECT_EQ(vyre_module_graph(backend_.get(), checked_.get(), 2, &none), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(none, nullptr);
  vyre_graph_free(nullptr);
}

}  // namespace
}  // namespace graph_test
