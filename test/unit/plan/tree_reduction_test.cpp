// examples/reduce.vyre, the tree in parallel, against the tree as the reference folds it by recursion: every
// size, every way to cut it, and with the other folds and types in the place of its own.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "check/module.h"
#include "ops/operation.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "ref/eval.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Floats\": the tree, by hand");

namespace vyre::plan {
namespace {

using spec::DataType;
using spec::Op;

constexpr Op kFolds[] = {Op::FAdd, Op::FMul, Op::FMin, Op::FMax};
constexpr DataType kTypes[] = {DataType::F32, DataType::F16, DataType::BF16};

/// Elements whose sums, or products, round in every step and neither overflow nor vanish; with zeros of both
/// signs now and then, and NaNs if asked for, which make every sum NaN.
std::vector<std::byte> elements(Op fold, DataType type, size_t n, uint64_t seed, bool nans = false) {
  const spec::FloatFormat f = spec::float_format(type);
  const uint32_t bytes = spec::info(type).bytes, few = (1u << f.fraction_bits / 2) - 1;
  std::vector<std::byte> out(n * bytes);
  for (size_t i = 0; i < n; ++i) {
    const auto r = philox(seed, i, 7);
    const uint32_t exponent = uint32_t(f.bias()) - 4 + r[0] % 8;
    uint32_t bits = (r[1] & f.fraction_mask()) | exponent << f.fraction_bits;
    // A unit below one is half as much as one above it.
    if (fold == Op::FMul) bits = (r[0] & 1) != 0 ? f.one() + (r[1] & few) : f.one() - 2 * (r[1] & few);
    if ((r[2] & 1) != 0) bits |= f.sign_bit();
    if (fold != Op::FMul && r[3] % 1024 == 0) bits = r[3] % 2048 == 0 ? f.sign_bit() : 0;
    if (nans && r[3] % 16 == 1) bits = f.nan() | 1;
    std::memcpy(out.data() + i * bytes, &bits, bytes);
  }
  return out;
}

uint32_t by_recursion(Op fold, DataType type, std::span<const std::byte> data) {
  const uint32_t bytes = spec::info(type).bytes;
  return uint32_t(ref::eval_reduction(Op::FReduceTreeBinary, fold, type, 0, uint32_t(data.size() / bytes),
                                      [&](uint32_t i) {
                                        uint32_t bits = 0;
                                        std::memcpy(&bits, data.data() + size_t(i) * bytes, bytes);
                                        return ref::Bits(bits);
                                      }));
}

std::unique_ptr<backend::Backend> open(const char* name) {
  auto opened = backend::open(name, {});
  EXPECT_TRUE(opened) << opened.error().message;
  return opened ? std::move(*opened) : nullptr;
}

/// native, or the backend that VYRE_TEST_BACKEND names: `VYRE_TEST_BACKEND=cuda test_plan` where there is a
/// GPU.
std::unique_ptr<backend::Backend> open_tested() {
  const char* name = std::getenv("VYRE_TEST_BACKEND");
  return open(name == nullptr ? "native" : name);
}

/// The example with another fold, type and workgroup, without its rows, which are of its own fold and type.
std::shared_ptr<const check::CheckedModule> module_of(Op fold, DataType type, uint32_t workgroup) {
  std::ifstream in(VYRE_SOURCE_DIR "/examples/reduce.vyre");
  std::ostringstream whole;
  whole << in.rdbuf();
  std::string text = std::regex_replace(whole.str(), std::regex("\n *rows [^\n{]*"), "");
  text = std::regex_replace(text, std::regex(" in \\{[^}]*\\}"), "");
  text = std::regex_replace(text, std::regex("\\bfadd\\b"), std::string(spec::mnemonic(fold)));
  text = std::regex_replace(text, std::regex("\\bf32\\b"), std::string(spec::text(type)));
  auto module = text::parse_module(text, &ops::op_table(), {{"W", workgroup}});
  if (!module) throw std::runtime_error(module.error().message);
  auto checked = check::check(std::move(*module), ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  return std::move(*checked);
}

class Tree {
 public:
  Tree(backend::Backend& backend, Op fold, DataType type, uint32_t workgroup)
      : backend_(backend),
        bytes_(spec::info(type).bytes),
        executable_(make(backend, fold, type, workgroup)) {}

  /// The bits of the result.
  Result<uint32_t> run(std::span<const std::byte> data) {
    VYRE_TRY(input, backend_.allocate(std::max<uint64_t>(data.size(), 4)));
    VYRE_TRY(output, backend_.allocate(4));
    if (!data.empty()) VYRE_CHECK(input->write(0, data));
    const std::array<backend::DeviceRange, 2> ranges = {backend::DeviceRange{input.get(), 0, data.size()},
                                                        backend::DeviceRange{output.get(), 0, bytes_}};
    VYRE_CHECK(executable_.run(ranges));
    std::array<std::byte, 4> bits{};
    VYRE_CHECK(output->read(0, std::span(bits).first(bytes_)));
    return std::bit_cast<uint32_t>(bits);
  }

 private:
  static Executable make(backend::Backend& backend, Op fold, DataType type, uint32_t workgroup) {
    const auto module = module_of(fold, type, workgroup);
    uint32_t main = 0;
    while (module->module().pipelines.at(main).name != "main") ++main;
    auto made = Executable::make(backend, module, main);
    if (!made) throw std::runtime_error(made.error().message);
    return std::move(*made);
  }

  backend::Backend& backend_;
  uint32_t bytes_;  // of an element
  Executable executable_;
};

TEST(TreeReduction, IsTheSpecifiedTreeOfEverySmallSize) {
  const auto tested = open_tested();
  ASSERT_TRUE(tested);
  for (const DataType type : kTypes) {
    for (const Op fold : kFolds) {
      Tree tree(*tested, fold, type, 4);  // blocks of 32: several passes even for few elements
      for (size_t n = 0; n <= 1100; n += n < 140 ? 1 : 37) {
        const auto data = elements(fold, type, n, n + 1, n % 2 == 0);
        const auto got = tree.run(data);
        ASSERT_TRUE(got) << got.error().message;
        ASSERT_EQ(*got, by_recursion(fold, type, data))
            << spec::mnemonic(fold) << " " << spec::text(type) << " " << n;
      }
    }
  }
}

TEST(TreeReduction, IsTheSameOnTheReference) {
  const auto reference = open("reference");
  ASSERT_TRUE(reference);
  Tree tree(*reference, Op::FAdd, DataType::F32, 2);
  for (const size_t n : {0, 1, 2, 3, 15, 16, 17, 31, 33, 100, 255, 257, 300}) {
    const auto data = elements(Op::FAdd, DataType::F32, n, 99);
    const auto got = tree.run(data);
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_EQ(*got, by_recursion(Op::FAdd, DataType::F32, data)) << n;
  }
}

TEST(TreeReduction, OneElementIsItselfAndANaNTheOneNaN) {
  const auto tested = open_tested();
  ASSERT_TRUE(tested);
  Tree tree(*tested, Op::FMin, DataType::F32, 32);
  const auto alone = [&](uint32_t bits) { return *tree.run(std::as_bytes(std::span(&bits, 1))); };
  EXPECT_EQ(alone(0x80000000), 0x80000000u);
  EXPECT_EQ(alone(0xff812345), 0x7fc00000u);
  EXPECT_EQ(*tree.run({}), 0x7f800000u);
}

TEST(TreeReduction, ItsBytesDoNotDependOnTheWorkgroupSize) {
  VYRE_ORACLE(Property, "semantics, \"Floats\": the tree, by hand");
  const auto tested = open_tested();
  ASSERT_TRUE(tested);
  for (const Op fold : kFolds) {
    const auto data = elements(fold, DataType::F32, size_t{1} << 24, 5);
    const uint32_t expected = by_recursion(fold, DataType::F32, data);
    ASSERT_FALSE(spec::kBinary32.is_nan(expected) || spec::kBinary32.is_infinite(expected) || expected == 0);
    for (const uint32_t workgroup : {32u, 64u, 128u, 256u, 512u, 1024u}) {
      Tree tree(*tested, fold, DataType::F32, workgroup);
      const auto got = tree.run(data);
      ASSERT_TRUE(got) << got.error().message;
      EXPECT_EQ(*got, expected) << spec::mnemonic(fold) << " in workgroups of " << workgroup;
    }
  }
}

TEST(TreeReduction, TheOrderOfTheTreeMatters) {
  // Left to right these elements give another sum: a plan that folded so would be found.
  const auto data = elements(Op::FAdd, DataType::F32, 1000, 5);
  const auto left = ref::eval_reduction(Op::FReduceStrict, Op::FAdd, DataType::F32, 0, 1000, [&](uint32_t i) {
    uint32_t bits = 0;
    std::memcpy(&bits, data.data() + size_t(i) * 4, 4);
    return ref::Bits(bits);
  });
  EXPECT_NE(uint32_t(left), by_recursion(Op::FAdd, DataType::F32, data));
}

}  // namespace
}  // namespace vyre::plan
