// The builder against the parser: two ways to one program.
#include "ir/builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "../../../examples/cpp/programs.h"
#include "check/checked.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(Property,
            "text::parse, which reads the same signs, on the same programs and on examples/*.vyre, each of "
            "the folder");

namespace vyre::check {
namespace {

using ir::Ex;
using ir::ProgramBuilder;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

const std::filesystem::path kExamplesFolder = VYRE_SOURCE_DIR "/examples";

TEST(Builder, ExamplesAreWhatTheirTextsGive) {
  for (const examples::Example& example : examples::kExamples) {
    const auto parsed = text::parse(read_file(kExamplesFolder / (std::string(example.name) + ".vyre")));
    ASSERT_TRUE(parsed.has_value()) << example.name << render(parsed.error(), nullptr);
    const ir::Program built = example.build();
    EXPECT_TRUE(ir::equal(built, *parsed)) << example.name << "\n"
                                           << text::print(built) << text::print(*parsed);
  }
}

TEST(Builder, EveryExampleIsBuilt) {
  std::set<std::string> files, built;
  for (const auto& entry : std::filesystem::directory_iterator(kExamplesFolder)) {
    if (entry.path().extension() != ".vyre") continue;
    const auto module = text::parse_module(read_file(entry.path()));
    ASSERT_TRUE(module.has_value()) << entry.path() << render(module.error(), nullptr);
    if (module->is_program()) files.insert(entry.path().stem().string());
  }
  for (const examples::Example& example : examples::kExamples) built.emplace(example.name);
  EXPECT_EQ(built, files);
}

TEST(Builder, SignsAreOnFloatsWhereTheOperandsAre) {
  ProgramBuilder p("p");
  const auto a = p.read("a", DataType::F32, 0), w = p.workgroup("w", DataType::F16, 4);
  const auto t = p.read("t", ir::Tensor{DataType::BF16, {4}}, 1);
  const auto n = p.read("n", DataType::Bytes, 2);
  const Ex x = p.let("x", p.load(a, p.u32(0)) + p.f32(1.5f));
  const Ex y = p.let("y", -x * x - x / x);
  p.loop("i", p.u32(0), p.load(n, p.u32(0)) + 1,
         [&](Ex i) { p.let("less", (p.load(w, i) < p.load(w, i + 1)) == (p.load(t, i) >= p.load(t, i))); });
  p.let("z", p.select(x > y, x, y) == p.cast(DataType::F32, p.len(a) * 2));
  const auto parsed =
      text::parse(R"(program p(read a: f32 @0, workgroup w: f16[4], read t: tensor<bf16, [4]> @1,
                                              read n: bytes @2) workgroup(1, 1, 1) {
    let x = a[0] + 1.5; let y = -x * x - x / x;
    for i in 0..n[0] + 1 { let less = (w[i] < w[i + 1]) == (t[i] >= t[i]); }
    let z = select(x > y, x, y) == cast<f32>(len(a) * 2); })");
  ASSERT_TRUE(parsed.has_value()) << render(parsed.error(), nullptr);
  ir::Program built = p.finish();
  EXPECT_TRUE(ir::equal(built, *parsed)) << text::print(built);
  EXPECT_TRUE(check(std::move(built), {}).has_value());
}

TEST(Builder, Additions) {
  ProgramBuilder p("p");
  const auto out = p.read_write("out", DataType::U32, 0);
  const auto w = p.private_("w", DataType::F16, 4);
  p.unrolled_loop("i", p.u32(0), p.len(w), [&](Ex i) {
    p.store(w, i, p.f16_bits(0x3c00));
    p.loop("j", i, p.num_workgroups(2), [&](Ex j) { p.store(out, j, p.num_workgroups(0)); });
  });
  const std::string text =
      "program p(read_write out: u32 @0, private w: f16[4]) workgroup(1, 1, 1) {\n"
      "  unroll for i in 0..len(w) {\n    w[i] = 1.0f16;\n"
      "    for j in i..num_workgroups.z {\n      out[j] = num_workgroups.x;\n    }\n  }\n}\n";
  const ir::Program built = p.finish();
  EXPECT_EQ(text::print(built), text);
  const auto parsed = text::parse(text);
  ASSERT_TRUE(parsed.has_value()) << render(parsed.error(), nullptr);
  EXPECT_TRUE(ir::equal(built, *parsed));
  // The hint is a part of a program, as every word of its text is.
  std::string plain = text;
  plain.erase(plain.find("unroll "), 7);
  const auto without = text::parse(plain);
  ASSERT_TRUE(without.has_value()) << render(without.error(), nullptr);
  EXPECT_FALSE(ir::equal(built, *without));
}

TEST(Builder, LiteralsOfEveryType) {
  // text::parse; the bits of the floats by hand: 1.5 is 0x3fc00000 as f32, 0x3e00 as f16, 0x3fc0 as bf16.
  ProgramBuilder p("p");
  p.let("a", p.u32(7));
  p.let("b", p.i32(-7));
  p.let("c", p.boolean(true));
  p.let("d", p.u64(0x0123456789abcdef));
  p.let("e", p.u128(0x0123456789abcdef, 0xfedcba9876543210));
  p.let("f", p.f32(1.5f));
  p.let("g", p.f32_bits(0x7fc00001));
  p.let("h", p.f16_bits(0x3e00));
  p.let("i", p.bf16_bits(0x3fc0));
  p.let("j", p.vec2u32(p.u32(1), p.u32(2)));
  p.let("k", p.vec4u32(p.u32(1), p.u32(2), p.u32(3), p.u32(4)).w());
  p.let("l", p.var("j").x() + p.var("j").y() + p.vec4u32(p.u32(1), p.u32(2), p.u32(3), p.u32(4)).z());
  p.let("m", p.literal(DataType::U64, 5));
  const auto parsed = text::parse(R"(program p() workgroup(1, 1, 1) {
    let a = 7; let b = -7i32; let c = true; let d = 0x0123456789abcdefu64;
    let e = 0x0123456789abcdeffedcba9876543210u128;
    let f = 1.5; let g = f32(0x7fc00001); let h = 1.5f16; let i = 1.5bf16;
    let j = vec2u32(1, 2); let k = vec4u32(1, 2, 3, 4).w;
    let l = j.x + j.y + vec4u32(1, 2, 3, 4).z; let m = 5u64; })");
  ASSERT_TRUE(parsed.has_value()) << render(parsed.error(), nullptr);
  ir::Program built = p.finish();
  EXPECT_TRUE(ir::equal(built, *parsed)) << text::print(built);
  EXPECT_TRUE(check(std::move(built), spec::OpTable()).has_value());
}

TEST(Builder, Tensors) {
  ProgramBuilder p("p");
  const auto shape = p.uniform("shape", DataType::U32, 0);
  const auto a = p.read("a", ir::Tensor{DataType::F16, {{"n", shape, 1}, 64}}, 1);
  const auto b = p.read_write("b", ir::Tensor{DataType::F16, {4, {"m", shape, 0}}, {1, 4}}, 2);
  const auto c = p.uniform("c", ir::Tensor{DataType::U128, {3}}, 3);
  const Ex i = p.let("i", p.invocation_id(0));
  p.store(b, {i, i + 1}, p.load(a, {i, p.u32(2)}));
  p.let("x", p.load(c, i) + p.load(c, {p.len(a)}));
  const auto parsed = text::parse(R"(
    program p(uniform shape: u32 @0, read a: tensor<f16, [n = shape[1], 64]> @1,
              read_write b: tensor<f16, [4, m = shape[0]], strides [1, 4]> @2, uniform c: tensor<u128, [3]> @3)
        workgroup(1, 1, 1) {
      let i = invocation_id.x;
      b[i, i + 1] = a[i, 2];
      let x = c[i] + c[len(a)];
    })");
  ASSERT_TRUE(parsed.has_value()) << render(parsed.error(), nullptr);
  ir::Program built = p.finish();
  EXPECT_TRUE(ir::equal(built, *parsed)) << text::print(built);
  EXPECT_TRUE(check(std::move(built), spec::OpTable()).has_value());
}

TEST(Builder, HandlesAreCopied) {
  VYRE_ORACLE(SpecificationTable,
              "builder.h: a handle that is used again is copied, and a copy of a wide literal or a component "
              "is the same");
  ProgramBuilder p("p");
  const Ex wide = p.u64(0x100000000) * p.u64(3);
  const Ex component = p.vec2u32(p.u32(1), p.u32(2)).y();
  p.let("a", wide + wide);
  p.let("b", component + component);
  const auto parsed = text::parse(R"(program p() workgroup(1, 1, 1) {
    let a = 0x100000000u64 * 3u64 + 0x100000000u64 * 3u64;
    let b = vec2u32(1, 2).y + vec2u32(1, 2).y; })");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(ir::equal(p.finish(), *parsed));
}

}  // namespace
}  // namespace vyre::check
