// What graphs keep on disk: lowered modules and measured choices. Whatever stands in a file, results are
// those of the definition, or of a module that another program with the user's rights wrote there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "backend/cache_files.h"
#include "backend/registry/registry.h"
#include "base/read_file.h"
#include "ops/operation.h"
#include "oracle.h"
#include "plan/graph.h"
#include "plan/lowered.h"
#include "plan/tuned.h"
#include "text/text.h"
#include "wire/wire.h"

VYRE_ORACLE(SpecificationTable, "docs/spec/graphs.md: sums and products of small integers, worked out here");

namespace vyre::plan {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const check::CheckedModule> checked_of(std::string_view text) {
  auto parsed = text::parse_module(text, &ops::op_table());
  if (!parsed) throw std::runtime_error(render(parsed.error(), nullptr));
  auto checked = check::check(*std::move(parsed), ops::op_table());
  if (!checked) throw std::runtime_error(render(checked.error().front(), nullptr));
  return *checked;
}

constexpr std::string_view kAdd = "graph more(x: u32[n]) -> (y: u32[n]) { y = x + 5; }";
constexpr std::string_view kOther = "graph more(x: u32[n]) -> (y: u32[n]) { y = x + 7; }";

class Kept : public testing::Test {
 protected:
  Kept() : folder_(fs::path(testing::TempDir()) / ("vyre-graphs-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~Kept() override { fs::remove_all(folder_); }

  /// What [1, 2, 3] becomes.
  std::vector<uint32_t> run(std::string_view text, const tensor::Options& options = {}) const {
    const auto backend = backend::open("reference", {});
    GraphExecutable graph(**backend, checked_of(text), 0, ops::op_table(), options, folder_);
    std::vector<uint32_t> x = {1, 2, 3}, y(3);
    const std::span<std::byte> host[] = {std::as_writable_bytes(std::span(x)),
                                         std::as_writable_bytes(std::span(y))};
    const std::vector<std::vector<uint32_t>> shapes = {{3}};
    const auto ran = graph.run_host(shapes, host);
    EXPECT_TRUE(ran) << render(ran.error(), nullptr);
    return y;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder_)) out.push_back(entry.path());
    return out;
  }
  /// Puts this into the only file, in the envelope that it has to have.
  void replace(std::span<const std::byte> content) const {
    const std::string hex = files().at(0).stem().string();
    Digest key;
    for (size_t i = 0; i < key.bytes.size(); ++i)
      key.bytes[i] = uint8_t(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
    backend::CacheFiles(folder_, ".graph").keep(key, content);
  }

  const fs::path folder_;
};

using Numbers = std::vector<uint32_t>;

TEST_F(Kept, AModuleIsLoweredOnceForEachGraphSizeAndChoice) {
  EXPECT_EQ(run(kAdd), (Numbers{6, 7, 8}));
  EXPECT_EQ(run(kAdd), (Numbers{6, 7, 8}));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(run(kOther), (Numbers{8, 9, 10}));
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(run(kAdd, {.plan = {}, .device = tensor::Device::Cpu}), (Numbers{6, 7, 8}));
  EXPECT_EQ(files().size(), 3u);
  EXPECT_EQ(run(kAdd, {.plan = {}, .device = tensor::Device::Cpu, .tuned = {{"a", "b"}}}),
            (Numbers{6, 7, 8}));
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(Kept, WhatIsThereIsTaken) {
  run(kAdd);
  const auto other = checked_of(kOther);
  const auto sized = check::sized(other->graphs()[0], {{"n", 3}});
  ASSERT_TRUE(sized);
  replace(wire::encode(tensor::lower(*sized, {})));
  EXPECT_EQ(run(kAdd), (Numbers{8, 9, 10}));
}

TEST_F(Kept, WhatIsDamagedOrNoModuleIsMadeAgain) {
  run(kAdd);
  const auto good = read_file_bytes(files().at(0), 1 << 20);
  ASSERT_TRUE(good);
  for (const size_t at : {size_t{0}, size_t{40}, good->size() / 2, good->size() - 1}) {
    Bytes bad = *good;
    bad[at] ^= std::byte{1};
    std::ofstream(files().at(0), std::ios::binary)
        .write(reinterpret_cast<const char*>(bad.data()), std::streamsize(bad.size()));
    EXPECT_EQ(run(kAdd), (Numbers{6, 7, 8}));
    EXPECT_EQ(read_file_bytes(files().at(0), 1 << 20), good) << at;
  }
  // Whole envelopes around no module, and around one that does not check.
  replace(std::as_bytes(std::span("no module")));
  EXPECT_EQ(run(kAdd), (Numbers{6, 7, 8}));
  auto wrong = text::parse_module("program p(read a: u32 @0) workgroup(1, 1, 1) { let x = y; }");
  ASSERT_TRUE(wrong);
  replace(wire::encode(*wrong));
  EXPECT_EQ(run(kAdd), (Numbers{6, 7, 8}));
  EXPECT_EQ(read_file_bytes(files().at(0), 1 << 20), good);
}

TEST_F(Kept, WithoutAFolderNothingIsWritten) {
  const auto backend = backend::open("reference", {});
  GraphExecutable graph(**backend, checked_of(kAdd), 0, ops::op_table());
  const std::vector<std::vector<uint32_t>> shapes = {{3}};
  ASSERT_TRUE(graph.at(shapes));
  EXPECT_FALSE(fs::exists(folder_));
}

constexpr std::string_view kProduct =
    "graph product(a: u32[2, 3], b: u32[3, 2]) -> (c: u32[2, 2]) { c = matmul(a, b); }";

TEST_F(Kept, ChoicesAreThoseOfTheirDevice) {
  const backend::Identity one{"native", "a chip", "a driver", "1"},
      other{"native", "another", "a driver", "1"};
  keep_tuned(one, {{"matmul x", "tile64"}}, folder_);
  keep_tuned(one, {{"matmul y", "panel8'"}}, folder_);
  EXPECT_EQ(read_tuned(one, folder_), (tensor::Tuned{{"matmul x", "tile64"}, {"matmul y", "panel8'"}}));
  EXPECT_TRUE(read_tuned(other, folder_).empty());
  std::ofstream(files().at(0), std::ios::app) << "z";
  EXPECT_TRUE(read_tuned(one, folder_).empty());
}

TEST_F(Kept, AMeasuredChoiceChangesNoBit) {
  const auto module = checked_of(kProduct);
  const auto sized = check::sized(module->graphs()[0], {});
  ASSERT_TRUE(sized);
  const auto backend = backend::open("reference", {});
  const auto measured = measure_products(**backend, *sized, ops::op_table(), tensor::Device::Cpu);
  ASSERT_TRUE(measured);
  ASSERT_EQ(measured->size(), 1u);
  EXPECT_GT((*measured)[0].best_seconds, 0);
  EXPECT_LE((*measured)[0].best_seconds, (*measured)[0].chosen_seconds);
  // The tile that was measured, every other one, and one that does not exist.
  for (const std::string& name : {(*measured)[0].best, std::string("plain"), std::string("strip8'"),
                                  std::string("tile16"), std::string("no such tile")}) {
    const tensor::Options options{
        .plan = {}, .device = tensor::Device::Cpu, .tuned = {{(*measured)[0].work, name}}};
    GraphExecutable graph(**backend, module, 0, ops::op_table(), options);
    std::vector<uint32_t> a = {1, 2, 3, 4, 5, 6}, b = {1, 2, 3, 4, 5, 6}, c(4);
    const std::span<std::byte> host[] = {std::as_writable_bytes(std::span(a)),
                                         std::as_writable_bytes(std::span(b)),
                                         std::as_writable_bytes(std::span(c))};
    const std::vector<std::vector<uint32_t>> shapes = {{2, 3}, {3, 2}};
    const auto ran = graph.run_host(shapes, host);
    ASSERT_TRUE(ran) << render(ran.error(), nullptr);
    EXPECT_EQ(c, (Numbers{22, 28, 49, 64})) << name;
  }
}

}  // namespace
}  // namespace vyre::plan
