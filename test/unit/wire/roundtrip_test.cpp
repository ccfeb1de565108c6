// Encoding and decoding are each other's, for every program of the project, and whatever its shape.
#include <sstream>

#include "corpus.h"
#include "ir/builder.h"
#include "oracle.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

VYRE_ORACLE(Property,
            "vyre-conform-spec, \"Wire Format Equivalence\": lossless, and equal programs have equal bytes, "
            "whether check takes or refuses them");

namespace vyre::wire {
namespace {

void expect_round_trip(const ir::Program& program) {
  const Bytes bytes = encode(program);
  EXPECT_TRUE(is_wire(bytes));
  const auto decoded = decode(bytes);
  ASSERT_TRUE(decoded) << render(decoded.error(), nullptr);
  EXPECT_TRUE(ir::equal(program, *decoded));
  EXPECT_EQ(encode(*decoded), bytes);
  EXPECT_EQ(digest(program), digest(*decoded));
}

// covers: WE-01
TEST(RoundTrip, EveryProgramOfTheProject) {
  size_t programs = 0;
  for (const std::string folder : {"examples", "test/run", "test/wire/v1"}) {
    for (const auto& path : files(folder, ".vyre")) {
      SCOPED_TRACE(path);
      const auto module = text::parse_module(read_text(path));
      ASSERT_TRUE(module) << render(module.error(), nullptr);
      ++programs;
      if (module->is_program()) {
        expect_round_trip(module->programs[0]);
        EXPECT_EQ(encode(*module), encode(module->programs[0]));
        continue;
      }
      const Bytes bytes = encode(*module);
      const auto decoded = decode_module(bytes);
      ASSERT_TRUE(decoded) << render(decoded.error(), nullptr);
      EXPECT_TRUE(ir::equal(*module, *decoded));
      EXPECT_EQ(encode(*decoded), bytes);
    }
  }
  EXPECT_GE(programs, 20u);
}

// Text, wire and text again are each other's.
TEST(RoundTrip, ModulesThroughTextAndWire) {
  size_t modules = 0;
  for (const auto& path : files("test/wire/v2", ".vyre")) {
    SCOPED_TRACE(path);
    const ir::Module module = parse_module(read_text(path));
    const Bytes bytes = encode(module);
    const auto decoded = decode_module(bytes);
    ASSERT_TRUE(decoded) << render(decoded.error(), nullptr);
    EXPECT_TRUE(ir::equal(module, *decoded));
    EXPECT_EQ(encode(*decoded), bytes);
    const std::string printed = text::print(*decoded);
    EXPECT_EQ(encode(parse_module(printed)), bytes) << printed;
    EXPECT_EQ(text::print(parse_module(printed)), printed);
    EXPECT_EQ(digest(module), digest(*decoded));
    ++modules;
  }
  EXPECT_GE(modules, 12u);
}

TEST(RoundTrip, AModuleOfOneProgramIsThatProgram) {
  VYRE_ORACLE(SpecificationTable,
              "docs/wire-format.md: one program and nothing else is version 1, and not version 2");
  const std::string text = "program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 255; }";
  EXPECT_EQ(encode(parse_module(text)), encode(parse(text)));
  EXPECT_EQ(encode(parse_module(
                "const A = 255; program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = A; }")),
            encode(parse(text)));
  EXPECT_EQ(digest(parse_module(text)), digest(parse(text)));
  const auto module = decode_module(encode(parse(text)));
  ASSERT_TRUE(module);
  EXPECT_TRUE(ir::equal(*module, parse_module(text)));
  EXPECT_EQ(encode(*decode_module(encode(ir::Module{}))), encode(ir::Module{}));
}

TEST(RoundTrip, AProgramOfAModuleHasItsOwnBytes) {
  VYRE_ORACLE(SpecificationTable,
              "docs/wire-format.md, \"Modules\": an item's bytes are those of a file of its own");
  const std::string one = "program p(read_write a: u32 @0) workgroup(1, 1, 1) { a[0] = 255; }";
  const std::string two = "program q(read_write a: u32 @1) workgroup(2, 1, 1) { a[1] = len(a); }";
  const Bytes first = encode(parse(one)), second = encode(parse(two));
  Bytes body = {std::byte{0}, std::byte{2}};
  body.insert(body.end(), first.begin() + kBodyAt, first.end());
  body.insert(body.end(), second.begin() + kBodyAt, second.end());
  body.push_back(std::byte{0});
  EXPECT_EQ(encode(parse_module(one + two)), seal(body, kModuleVersion));
}

TEST(RoundTrip, DeepModules) {
  // No recursion: the depth of commands and of host expressions is the input's alone.
  constexpr uint32_t kDepth = 100'000;
  ir::Pipeline pipeline{.name = "deep"};
  ir::Code& code = pipeline.code;
  for (uint32_t i = 0; i < kDepth; ++i) {
    ir::ExprId root = code.add({.kind = ir::ExprKind::Literal, .immediate = i}, {}, Span::none());
    for (uint32_t depth = 0; i == 0 && depth < kDepth; ++depth) {
      root = code.add({.kind = ir::ExprKind::Apply, .op = ir::Op::BitNot}, {{root}}, Span::none());
    }
    const ir::Range roots{uint32_t(code.expr_list.size()), 1};
    code.expr_list.push_back(root);
    pipeline.commands.push_back({.kind = ir::CommandKind::If,
                                 .exprs = roots,
                                 .orelse = i % 2 == 0 ? kDepth : i + 1,
                                 .end = kDepth,
                                 .has_else = i % 2 == 1});
  }
  ir::Module module;
  module.pipelines.push_back(pipeline);
  const Bytes bytes = encode(module);
  const auto decoded = decode_module(bytes);
  ASSERT_TRUE(decoded) << render(decoded.error(), nullptr);
  EXPECT_TRUE(ir::equal(module, *decoded));
  EXPECT_EQ(encode(*decoded), bytes);
}

TEST(RoundTrip, DifferentTextsHaveDifferentBytes) {
  std::istringstream lines(read_text(VYRE_SOURCE_DIR "/test/unit/wire/different.txt"));
  std::vector<std::string> digests;
  for (std::string text; std::getline(lines, text);) digests.push_back(digest(parse_module(text)).hex());
  EXPECT_GE(digests.size(), 57);
  std::ranges::sort(digests);
  EXPECT_EQ(std::ranges::adjacent_find(digests), digests.end());
}

TEST(RoundTrip, EqualProgramsHaveEqualBytes) {
  // Equal programs have equal bytes, however they came to be: layout, comments, radix of literals and the
  // order in which a builder made the parts do not count.
  const Bytes plain =
      encode(parse("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 255 - out[1]; }"));
  EXPECT_EQ(encode(parse("// a comment\nprogram p ( read_write out:u32@0 )\nworkgroup(0x1,1,1) {\n"
                         "out[0b0] = sub(0xff, (out[1])); }")),
            plain);
  ir::ProgramBuilder p("p");
  p.code().intern("unused");
  const auto out = p.read_write("out", spec::DataType::U32, 0);
  const auto right = p.load(out, p.u32(1));
  const auto left = p.u32(255);
  p.store(out, p.u32(0), left - right);
  EXPECT_EQ(encode(p.finish()), plain);
}

TEST(RoundTrip, UncheckedPrograms) {
  // Programs that check refuses have an encoding too: names that do not resolve, wrong types, no names at
  // all.
  expect_round_trip(parse("program p() workgroup(0, 4000000000, 1) { x = y[1]; y[2] = len(z); barrier; }"));
  expect_round_trip(
      parse("program p(workgroup w: bytes[0]) workgroup(1, 1, 1) { let w = cast<bytes, floor>(true); }"));
  EXPECT_EQ(encode(*decode(encode(ir::Program{}))), encode(ir::Program{}));  // no entry is an empty one
  ir::ProgramBuilder p("");
  const auto nameless = p.read("", spec::DataType::U32, 0);
  p.let("", p.load(nameless, p.literal(spec::DataType::Bool, 1)));
  p.let("axis", p.local_id(4000000000));
  expect_round_trip(p.finish());

  // Several indices, as tensors will have them.
  ir::Program several;
  ir::Code& code = several.code;
  const auto number = [&](uint32_t value) {
    return code.add({.kind = ir::ExprKind::Literal, .immediate = value}, {}, Span::none());
  };
  const ir::Symbol tensor = code.intern("tensor");
  const std::array<ir::ExprId, 3> from = {number(1), number(2), number(3)};
  const ir::ExprId load = code.add({.kind = ir::ExprKind::Load, .symbol = tensor}, from, Span::none());
  const std::array<ir::ExprId, 3> to = {number(4), number(5), load};
  const ir::NodeId store = code.add({.kind = ir::NodeKind::Store, .symbol = tensor}, to, Span::none());
  several.entry = code.add_block({{store}});
  expect_round_trip(several);
}

TEST(RoundTrip, BitsOfLiterals) {
  VYRE_ORACLE(SpecificationTable,
              "docs/wire-format.md: a literal is its bits, whatever they mean: zeros of both signs, "
              "subnormals, infinities, NaNs that signal or carry something");
  using enum spec::DataType;
  const std::vector<std::pair<spec::DataType, std::vector<uint32_t>>> all = {
      {F16, {0, 0x8000, 1, 0x83ff, 0x0400, 0x7bff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xffff}},
      {BF16, {0, 0x8000, 1, 0x807f, 0x0080, 0x7f7f, 0x7f80, 0xff80, 0x7f81, 0x7fc1, 0xffff}},
      {F32,
       {0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000,
        0x7fc12345, 0xffffffff}},
  };
  for (const auto& [type, patterns] : all) {
    for (const uint32_t bits : patterns) {
      ir::ProgramBuilder p("p");
      p.let("x", p.literal(type, bits));
      const ir::Program program = p.finish();
      expect_round_trip(program);
      const auto decoded = decode(encode(program));
      EXPECT_EQ(decoded->code.literal_bits(decoded->code.exprs[0]), (std::array<uint32_t, 4>{bits, 0, 0, 0}));
    }
  }
  for (const spec::DataType type : {U64, U128, Vec2U32, Vec4U32}) {
    const std::array<uint32_t, 4> full = {0x89abcdef, 0x01234567, 0xffffffff, 0x80000000};
    for (uint32_t unset = 0; unset <= 4; ++unset) {
      std::array<uint32_t, 4> bits = full;
      for (uint32_t i = 0; i < 4; ++i) {
        if (i == unset || i >= spec::value_words(type)) bits[i] = 0;
      }
      ir::ProgramBuilder p("p");
      p.let("x", p.literal(type, bits));
      const ir::Program program = p.finish();
      expect_round_trip(program);
      const auto decoded = decode(encode(program));
      EXPECT_EQ(decoded->code.literal_bits(decoded->code.exprs[0]), bits);
    }
  }
}

TEST(RoundTrip, TensorsOfAnyShape) {
  // Tensors that check refuses have an encoding too: no dimensions, more strides than dimensions, one that
  // another tensor has as well.
  ir::Program program;
  ir::Code& code = program.code;
  program.tensors = {
      {.element = spec::DataType::Bytes, .dims = {}, .strides = {1, 2, 0xffffffff}},
      {.element = spec::DataType::U128,
       .dims = {{.size = 0xffffffff},
                {.name = code.intern("n"), .buffer = code.intern("none"), .element = 0xffffffff},
                {.size = 0}},
       .strides = {0}}};
  for (const uint32_t tensor : {0u, 1u}) {
    program.buffers.push_back({.name = code.intern("t"),
                               .access = spec::BufferAccess::ReadWrite,
                               .element = spec::DataType::Tensor,
                               .tensor = tensor,
                               .binding = 7});
  }
  program.entry = code.add_block({});
  expect_round_trip(program);
}

TEST(RoundTrip, DeepPrograms) {
  // No recursion: the depth of statements and of expressions, on either side, is the input's alone.
  constexpr int kDepth = 200'000;
  ir::ProgramBuilder p("deep");
  ir::Ex left = p.u32(0), right = p.u32(1);
  for (int i = 0; i < kDepth; ++i) left = -left;
  for (int i = 0; i < kDepth; ++i) right = 1 + right;
  p.let("x", left - right);
  ir::Program program = p.finish();
  ir::BlockId block = program.entry;
  for (int i = 0; i < kDepth; ++i) {
    const ir::NodeId outer = program.code.add({.kind = ir::NodeKind::Block, .body = block}, {}, Span::none());
    block = program.code.add_block({{outer}});
  }
  program.entry = block;
  expect_round_trip(program);
}

TEST(RoundTrip, KnowsItsMagic) {
  VYRE_ORACLE(SpecificationTable, "docs/wire-format.md: the magic alone decides");
  const auto bytes = [](std::string_view text) {
    return Bytes(std::as_bytes(std::span(text)).begin(), std::as_bytes(std::span(text)).end());
  };
  EXPECT_TRUE(is_wire(bytes("VYRE")));
  EXPECT_TRUE(is_wire(bytes("VYRE and more")));
  EXPECT_FALSE(is_wire(bytes("VYR")));
  EXPECT_FALSE(is_wire(bytes("vyre")));
  EXPECT_FALSE(is_wire(bytes("program p() workgroup(1, 1, 1) { }")));
  EXPECT_FALSE(is_wire({}));
}

}  // namespace
}  // namespace vyre::wire
