// Modules as text: the entry, memory, names, control, and refusals. That they run right is for tests with
// compilers and devices.
#include <gmock/gmock.h>

#include <cstdlib>
#include <regex>
#include <set>

#include "golden.h"
#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(SpecificationTable, "wgsl.h, the WGSL and WebGPU specifications, by hand");

namespace vyre::lower {
namespace {

namespace fs = std::filesystem;
using test::count;
using test::wgsl_kernel;
using test::wgsl_module;
using test::wgsl_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// ---- The entry --------------------------------------------------------------------------------------------

TEST(Wgsl, TheInterfaceOfAnEntry) {
  // wgsl.h, "Shape"; workgroup memory by hand: 5 words and an element of 16 bytes, in units of 16 bytes.
  const WgslModule module = wgsl_module(wgsl_kernel(R"(
      program p(read_write late: u32 @7, read early: u32 @3, uniform middle: u32 @5, workgroup a: u32[5],
                workgroup b: u128[1], read_write asked: u32 @9) workgroup(1, 2, 256) {
        a[0] = 1;
        late[len(early)] = invocation_id.z + local_id.y + asked[0] + middle[0];
      })"));
  EXPECT_EQ(module.threads, 512u);
  EXPECT_EQ(module.buffers, 4u);
  EXPECT_EQ(module.shared_bytes, 48u);
  EXPECT_EQ(module.writable, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(module.count_bytes(), 16u);
  EXPECT_THAT(
      module.text,
      AllOf(HasSubstr("@group(0) @binding(1) var<storage, read> b_early: array<u32>;"),
            HasSubstr("@group(0) @binding(2) var<storage, read> b_middle: array<u32>;"),
            HasSubstr("@group(0) @binding(0) var<storage, read_write> b_late: array<u32>;"),
            HasSubstr("@group(0) @binding(3) var<storage, read> b_asked: array<u32>;"),
            HasSubstr("@group(0) @binding(4) var<uniform> counts: array<vec4<u32>, 1>;"),
            HasSubstr("struct GroupMemory {\n  b_a: array<u32, 5>,"), HasSubstr("  b_b: array<u32, 4>,"),
            HasSubstr("}\nvar<workgroup> group_memory: GroupMemory;"), HasSubstr("group_memory.b_a["),
            HasSubstr("@compute @workgroup_size(512)\nfn main(")));
}

// WebGPU rounds each variable up to 16 bytes, so what is within its limit is only as one variable.
TEST(Wgsl, ArraysOfAWorkgroupAreOneVariable) {
  // WebGPU, maxComputeWorkgroupStorageSize, by hand: three words, so 16 bytes.
  const WgslModule three = wgsl_module(wgsl_kernel(R"(
      program p(read_write out: u32 @0, workgroup a: u32[1], workgroup b: u32[1], workgroup c: u32[1])
          workgroup(1, 1, 1) { a[0] = 1; b[0] = 2; c[0] = 3; out[0] = a[0] + b[0] + c[0]; })"));
  EXPECT_EQ(three.shared_bytes, 16u);
  const WgslModule one = wgsl_module(wgsl_kernel(R"(
      program p(read_write out: u32 @0, workgroup a: u32[3]) workgroup(1, 1, 1) { a[0] = 1; out[0] = a[0]; })"));
  EXPECT_EQ(one.shared_bytes, 16u);
  EXPECT_THAT(one.text, HasSubstr("var<workgroup> b_a: array<u32, 3>;"));
}

// Four counts make a vector, and nothing is of no size.
TEST(Wgsl, CountsAreInVectorsOfFour) {
  const auto with = [](uint32_t buffers) {
    std::string text = "program p(";
    for (uint32_t i = 0; i < buffers; ++i) {
      text += (i == 0 ? "" : ", ") + std::string("read_write q") + std::to_string(i) + ": u32 @" +
              std::to_string(i);
    }
    text += ") workgroup(1, 1, 1) {";
    for (uint32_t i = 0; i < buffers; ++i) text += " q" + std::to_string(i) + "[0] = 1;";
    return wgsl_module(wgsl_kernel(text + "}"));
  };
  for (const auto [buffers, vectors] : {std::pair(0u, 1u), {1u, 1u}, {4u, 1u}, {5u, 2u}, {8u, 2u}}) {
    const WgslModule module = with(buffers);
    EXPECT_EQ(module.buffers, buffers);
    EXPECT_EQ(module.count_bytes(), vectors * 16) << buffers;
    EXPECT_THAT(module.text,
                HasSubstr("@binding(" + std::to_string(buffers) + ") var<uniform> counts: array<vec4<u32>, " +
                          std::to_string(vectors) + ">;"));
  }
  EXPECT_THAT(with(6).text,
              AllOf(HasSubstr("let len_q3 = counts[0].w;"), HasSubstr("let len_q4 = counts[1].x;")));
}

TEST(Wgsl, EveryBindingIsUsed) {
  // WebGPU, "default pipeline layout": a binding is in it if the entry statically uses it.
  for (const auto& [name, kernel] : test::every_kernel()) {
    const WgslModule module = wgsl_module(kernel);
    const auto all = test::tokens(module.text.substr(module.text.find("@compute")));
    const std::set<std::string> words(all.begin(), all.end());
    EXPECT_TRUE(words.contains("counts")) << name;
    for (const KernelBuffer& buffer : kernel.buffers) {
      if (!spec::is_bound(buffer.access)) continue;
      EXPECT_TRUE(words.contains("b_" + buffer.name)) << name << ": " << buffer.name;
    }
  }
}

TEST(Wgsl, IdsAreThoseThatAreAskedFor) {
  const auto text = [](const std::string& index, const std::string& size) {
    return wgsl_text("program p(read_write out: u32 @0) workgroup(" + size + ") { out[" + index + "] = 1; }");
  };
  const std::string local = text("local_id.y", "4, 3, 2");
  EXPECT_THAT(local, AllOf(HasSubstr("fn main(@builtin(local_invocation_index) thread: u32) {"),
                           HasSubstr("let local_y = (thread / n4) % n3;\n")));
  EXPECT_THAT(text("local_id.z", "4, 3, 2"), HasSubstr("let local_z = thread / n12;\n"));
  EXPECT_THAT(text("local_id.x", "4, 3, 2"), HasSubstr("let local_x = thread % n4;\n"));
  const std::string group = text("workgroup_id.y", "4, 1, 1");
  EXPECT_THAT(group, AllOf(HasSubstr("fn main(@builtin(workgroup_id) groups: vec3<u32>) {"),
                           HasSubstr("let group_y = groups.y;\n")));
  EXPECT_THAT(
      text("invocation_id.y", "4, 1, 1"),
      AllOf(HasSubstr("let local_y = n0;\n"), HasSubstr("let invocation_y = (group_y * n1) + local_y;\n")));
}

TEST(Wgsl, TheSameKernelIsTheSameModule) {
  VYRE_ORACLE(Property, "wgsl.h: a module is a function of its kernel");
  const Kernel kernel = wgsl_kernel(test::file_text("examples/mandelbrot.vyre"));
  EXPECT_EQ(wgsl_module(kernel).text, wgsl_module(kernel).text);
}

// ---- Memory -----------------------------------------------------------------------------------------------

TEST(Wgsl, ABufferThatIsEverUsedAtomicallyIsAtomicForAllAccesses) {
  // WGSL, "Atomic Types": a word is atomic for all or for none.
  const std::string text = wgsl_text(R"(
      program p(read_write bins: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
        let old = atomic_add(bins[0], 1);
        bins[1] = bins[2];
        out[1] = out[2];
      })");
  EXPECT_THAT(text, AllOf(HasSubstr("b_bins: array<atomic<u32>>;"), HasSubstr("b_out: array<u32>;")));
  EXPECT_EQ(count(text, "b_bins["), 3u);
  EXPECT_EQ(count(text, "atomicAdd(&b_bins["), 1u);
  EXPECT_EQ(count(text, "atomicLoad(&b_bins["), 1u);
  EXPECT_EQ(count(text, "atomicStore(&b_bins["), 1u);
}
// A store of half a word is two atomic operations on the word, of workgroup memory too.
TEST(Wgsl, StoresOfHalvesAreAtomic) {
  const std::string text = wgsl_text(R"(
      program p(read_write out: f16 @0, read input: f16 @1, workgroup w: bf16[5]) workgroup(1, 1, 1) {
        out[0] = input[3];
        w[1] = w[2];
      })");
  EXPECT_THAT(text,
              AllOf(HasSubstr("b_out: array<atomic<u32>>;"), HasSubstr("b_input: array<u32>;"),
                    HasSubstr("var<workgroup> b_w: array<atomic<u32>, 3>;"), HasSubstr("atomicAnd(&b_out["),
                    HasSubstr("atomicOr(&b_out["), HasSubstr("atomicLoad(&b_w[")));
}
TEST(Wgsl, ElementsOfSeveralWords) {
  const std::string text = wgsl_text(R"(
      program p(read a: u64 @0, read_write b: vec4u32 @1) workgroup(8, 1, 1) {
        let i = local_id.x;
        b[i] = vec4u32(cast<u32>(a[i] >> 32), 1, 2, cast<u32>(a[i]));
      })");
  EXPECT_THAT(text,
              AllOf(HasSubstr("b_a: array<vec2<u32>>;"), HasSubstr("b_b: array<vec4<u32>>;"),
                    testing::ContainsRegex("let element_v[0-9]+ = b_a\\[v[0-9]+\\];"),
                    testing::ContainsRegex("= element_v[0-9]+\\.y;"),
                    testing::ContainsRegex("b_b\\[local_x\\] = vec4<u32>\\(v[0-9]+, n1, n2, v[0-9]+\\);")));
}

// Words of one element that are not all loaded are components; atomics of a part of one keep words apart.
TEST(Wgsl, PartsOfElements) {
  const std::string text = wgsl_text(R"(
      program p(read a: vec4u32 @0, read_write b: u32 @1) workgroup(8, 1, 1) {
        b[local_id.x] = a[local_id.x].z;
      })");
  EXPECT_THAT(text,
              AllOf(HasSubstr("b_a: array<vec4<u32>>;"), testing::ContainsRegex("= b_a\\[v[0-9]+\\]\\.z;")));
}

// ---- Names ------------------------------------------------------------------------------------------------

// WGSL, "Keyword Summary" and "Reserved Words".
constexpr const char* kReserved =
    "alias break case const const_assert continue continuing default diagnostic discard else enable false fn "
    "for "
    "if let loop override requires return struct switch true var while "
    "NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become "
    "binding_array cast catch class co_await co_return co_yield coherent column_major common compile "
    "compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote "
    "demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final "
    "finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof "
    "interface "
    "layout lowp macro macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept "
    "noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package "
    "packoffset "
    "partition pass patch pixelfragment precise precision premerge priv protected pub public readonly ref "
    "regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm "
    "static "
    "static_assert static_cast std subroutine super target template this thread_local throw trait try type "
    "typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile "
    "wgsl "
    "where with writeonly yield";

// What is declared in a module, whatever the program calls it, is no such word, begins with a letter, and is
// declared once in its scope.
TEST(Wgsl, NamesOfAProgramClashWithNothing) {
  std::vector<std::string> names = {"_",      "__",     "x.raw", "a b", "\n}", "main",
                                    "counts", "thread", "v1",    "n0",  "b_x", "u32"};
  std::stringstream in(kReserved);
  for (std::string word; in >> word;) names.push_back(word);
  const Kernel kernel = wgsl_kernel(R"(
      program p(read_write data: u32 @0) workgroup(64, 1, 1) {
        let x = 0;
        for i in 0..data[0] { x = x + i; }
        data[1] = x + local_id.x;
      })");
  const std::regex declared("\\b(let|var|fn)(<[^>]*>)? ([^ :=(]*)");
  const std::set<std::string> reserved(names.begin() + 12, names.end());
  for (const std::string& name : names) {
    Kernel renamed = kernel;
    renamed.name = renamed.buffers[0].name = renamed.slots[0].name = name;
    const std::string text = wgsl_module(renamed).text;
    EXPECT_EQ(count(text, "\n"), count(wgsl_module(kernel).text, "\n")) << name;
    std::set<std::string> known;
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
      const std::string made = (*at)[3];
      EXPECT_TRUE(std::regex_match(made, std::regex("[a-z][A-Za-z0-9_]*"))) << made;
      EXPECT_FALSE(reserved.contains(made)) << made;
      EXPECT_TRUE(known.insert(made).second) << made;
    }
    EXPECT_GE(known.size(), 8u);
  }
}
// "$x.0" of print() and "%n" are its names in the module.
TEST(Wgsl, ValuesHaveTheNumbersThatPeopleSee) {
  const Kernel kernel = wgsl_kernel(
      "program p(read a: u32 @0, read_write b: u32 @1) workgroup(1, 1, 1) { b[3] = a[0] * 77 + a[1]; }");
  const std::string legal = print(kernel);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(legal, found, std::regex("%([0-9]+) = mul.raw %([0-9]+), 77")));
  EXPECT_THAT(wgsl_module(kernel).text,
              HasSubstr("let v" + found.str(1) + " = v" + found.str(2) + " * n77;\n"));
}

// ---- Control ----------------------------------------------------------------------------------------------

TEST(Wgsl, LoopsTestBeforeEachTurn) {
  EXPECT_THAT(wgsl_text("program p(read_write a: u32 @0) workgroup(1, 1, 1) { for i in "
                        "4294967290..4294967295 { a[i] = i; } }"),
              testing::ContainsRegex(
                  "for \\(var v([0-9]+) = hfffffffa; v[0-9]+ < hffffffff; v[0-9]+\\+\\+\\) \\{\n"));
}

TEST(Wgsl, NothingFollowsAReturn) {
  // WGSL, "Statement Behavior Analysis", and that naga refuses what follows a return.
  const auto text = [](const std::string& body) {
    return wgsl_text("program p(read n: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {" + body + "}");
  };
  EXPECT_THAT(text("out[0] = 1; return; out[0] = 77;"), Not(HasSubstr("n77")));
  EXPECT_THAT(text("if (n[0]) { return; } else { return; } out[0] = 77;"), Not(HasSubstr("n77")));
  EXPECT_THAT(text("if (n[0]) { return; out[0] = 77; } out[1] = 2;"),
              AllOf(Not(HasSubstr("n77")), HasSubstr("n2")));
  EXPECT_THAT(text("if (n[0]) { return; } out[0] = 77;"), HasSubstr("= n77;"));
  EXPECT_THAT(text("for i in 0..n[0] { return; } out[0] = 77;"), HasSubstr("= n77;"));
  // A buffer that only dead code touches is bound all the same, and not for writing.
  EXPECT_THAT(text("return; out[0] = n[0];"),
              AllOf(HasSubstr("_ = b_out[0];"), HasSubstr("_ = b_n[0];"),
                    HasSubstr("var<storage, read> b_out"), HasSubstr("_ = counts[0].x;")));
}
// Its one turn is all that there is.
TEST(Wgsl, ALoopThatAlwaysReturnsIsNone) {
  const auto text = [](const std::string& body) {
    return wgsl_text(
        "program p(read n: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) { for i in 0..n[0] {" + body +
        "} out[0] = 1; }");
  };
  EXPECT_EQ(count(text("return;"), "for ("), 0u);
  EXPECT_EQ(count(text("if (n[1]) { out[1] = i; return; } else { return; }"), "for ("), 0u);
  EXPECT_EQ(count(text("if (n[1]) { return; }"), "for ("), 1u);
  EXPECT_EQ(count(text("if (n[1]) { return; } else { out[1] = i; }"), "for ("), 1u);
  EXPECT_EQ(count(text("for j in 0..n[1] { return; }"), "for ("), 1u);  // the outer one may go on
}
TEST(Wgsl, ControlWithoutEffectIsNotThere) {
  const std::string text = wgsl_text(R"(
      program p(read n: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
        let unread = 1;
        for i in 0..n[0] { if (i == 3) { unread = unread + n[i]; } }
        out[0] = 5;
      })");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("for (")), Not(HasSubstr("unread")), HasSubstr("= n5;")));
}

/// Nested ifs on operators of variables; in the innermost one all variables are stored.
Kernel nested(uint32_t depth, uint32_t variables, bool returns) {
  Kernel kernel = wgsl_kernel("program p(read_write b: u32 @0) workgroup(1, 1, 1) { b[0] = b[1] + 2; }");
  KBlock block = kernel.entry;
  const auto put = [&](Inst inst, const std::vector<Value>& args) {
    const Value v = kernel.add(inst, args);
    kernel.blocks[index(block)].push_back(v);
    return v;
  };
  const Value zero = kernel.add({.kind = InstKind::Const, .imm = 0}, {});
  std::vector<Value> kept;
  for (uint32_t i = 0; i < variables; ++i)
    kept.push_back(put({.kind = InstKind::RawLoad, .target = 0}, {zero}));
  for (uint32_t i = 0; i < depth; ++i) {
    const Value condition = put({.kind = InstKind::RawLoad, .target = 0}, {zero});
    const KBlock inner = kernel.add_block();
    put({.kind = InstKind::If, .body = inner}, {condition});
    block = inner;
  }
  for (const Value v : kept) put({.kind = InstKind::RawStore, .target = 0}, {zero, v});
  if (returns) put({.kind = InstKind::Return}, {});
  return kernel;
}

TEST(Wgsl, BlocksTooDeepForOneFunctionAreSeveral) {
  // As NoFunctionNestsTooDeeply; a part is declared and called once, and a call gives each parameter.
  for (const bool returns : {false, true}) {
    const std::string text = wgsl_module(nested(500, 3, returns)).text;
    size_t depth = 0, deepest = 0;
    for (const char c : text) {
      if (c == '{') deepest = std::max(deepest, ++depth);
      if (c == '}') --depth;
    }
    EXPECT_LE(deepest, 63u);
    EXPECT_EQ(depth, 0u);
    EXPECT_EQ(count(text, " if ("), 501u + (returns ? count(text, "if (part_") : 0));
    const size_t parts = count(text, "\nfn part_");
    EXPECT_GE(parts, 500u / 62);
    for (size_t i = 0; i < parts; ++i) {
      const std::string name = "part_" + std::to_string(i) + "(";
      EXPECT_EQ(count(text, "fn " + name), 1u);
      ASSERT_EQ(count(text, name), 2u);
      const size_t at = text.find(name) == text.find("fn " + name) + 3 ? text.rfind(name) : text.find(name);
      EXPECT_EQ(test::count(text.substr(at, text.find(')', at) - at), ", "), 2u);  // three variables
    }
    // Those that may have returned say so, and who calls them returns too.
    EXPECT_EQ(count(text, ") -> bool {"), returns ? parts : 0);
  }
}
TEST(Wgsl, APartWantsNoMoreThanAFunctionTakes) {
  EXPECT_TRUE(emit_wgsl(nested(60, 255, false)));
  EXPECT_TRUE(emit_wgsl(nested(40, 300, false)));  // one function
  const auto refused = emit_wgsl(nested(60, 256, false));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B003);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("256"), HasSubstr("255")));
}

// Variables of the entry are reached from a part by their addresses.
TEST(Wgsl, AVariableInAPart) {
  std::string text = "program p(read n: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) { let sum = 0;";
  for (int i = 0; i < 60; ++i) text += "if (n[" + std::to_string(i) + "]) {";
  text += "sum = sum + 1;" + std::string(60, '}') + " out[0] = sum; }";
  EXPECT_THAT(wgsl_text(text), AllOf(HasSubstr("part_0(&s0_sum"), HasSubstr("s0_sum: ptr<function, u32>"),
                                     HasSubstr("= *s0_sum;"), HasSubstr("*s0_sum = v")));
}

// ---- Refusals ---------------------------------------------------------------------------------------------

TEST(Wgsl, SubgroupsAreRefused) {
  const auto refused = emit_wgsl(wgsl_kernel(
      "program p(read_write out: u32 @0) workgroup(64, 1, 1) { out[local_id.x] = subgroup.reduce_add(1); }"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B002);
}

// ---- Golden text. Read by a person, and by compilers of WGSL.
// ------------------------------------------------

TEST(Wgsl, GoldenText) {
  VYRE_ORACLE(Regression, "test/golden/wgsl: printed by this project, read by a person when blessed");
  test::expect_golden_texts({"examples/block_sum", "examples/histogram", "test/golden/kernel/arithmetic",
                             "test/golden/kernel/halves", "test/golden/wgsl/shapes", "test/golden/wgsl/sum"},
                            "test/golden/wgsl", ".wgsl",
                            [](const std::string& text) { return wgsl_text(text); });
}

// Where a driver's minima and maxima are not one step (SwiftShader's), they are loops of compare-exchanges.
TEST(Wgsl, BoundsByExchangeWhereAsked) {
  // WgslOptions: no atomicMin and no atomicMax, and a loop for each.
  const lower::Kernel kernel = test::wgsl_kernel(
      "program p(read_write t: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {"
      "  out[invocation_id.x] = atomic_max(t[0], invocation_id.x);"
      "  let unused = atomic_min(t[1], 5);"
      "}");
  const auto plain = lower::emit_wgsl(kernel);
  const auto loops = lower::emit_wgsl(kernel, {.bounds_by_exchange = true});
  ASSERT_TRUE(plain && loops);
  for (const char* name : {"atomicMin", "atomicMax"}) {
    EXPECT_NE(plain->text.find(name), std::string::npos) << plain->text;
    EXPECT_EQ(loops->text.find(name), std::string::npos) << loops->text;
  }
  size_t exchanges = 0;
  for (size_t at = 0; (at = loops->text.find("atomicCompareExchangeWeak", at)) != std::string::npos; ++at)
    ++exchanges;
  EXPECT_EQ(exchanges, 2u) << loops->text;
}

}  // namespace
}  // namespace vyre::lower
