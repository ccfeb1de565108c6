// Files in C++ and CUDA C++: that compilers take them, and that running one gives the reference's bytes.
//
// VYRE_SOURCE_PROGRAMS says how many random programs are compiled and run, where it is set.
#include "lower/source/source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"
#include "verify/families.h"
#include "verify/program_parity.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Operators\", IEEE 754 and source.h, by hand");

namespace vyre::lower {
namespace {

namespace fs = std::filesystem;
using generate::ProgramCase;

check::Checked checked_case(const ProgramCase& c) {
  auto checked = check::check(c.program, ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  return std::move(*checked);
}

std::string source_of(const ProgramCase& c, SourceDialect dialect, std::vector<Bytes> expected) {
  const check::Checked checked = checked_case(c);
  const auto text = emit_source(legalize(build(checked), kSourceTarget), dialect,
                                {c.groups, c.buffers, std::move(expected)}, "a test\nwith a \\");
  if (!text) throw std::runtime_error(text.error().message);
  return *text;
}
std::vector<Bytes> reference(const ProgramCase& c) {
  auto answer = verify::reference_answer(checked_case(c), c);
  if (!answer) throw std::runtime_error(answer.error().message);
  return std::move(*answer);
}

ProgramCase case_of(std::string_view text, std::vector<Bytes> buffers, layout::Groups groups = {}) {
  auto program = text::parse(text, &ops::op_table());
  if (!program) throw std::runtime_error(program.error().message);
  return {std::move(*program), std::move(buffers), groups};
}

/// A folder of its own, in which commands run.
class Compile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "vyre-source-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  struct Done {
    int exit = -1;
    std::string output;
  };
  Done shell(const std::string& command) {
    const fs::path log = folder_ / "log";
    const int status =
        std::system(fmt::format("cd {} && ({}) > {} 2>&1", folder_.string(), command, log.string()).c_str());
    std::ifstream in(log);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, {std::istreambuf_iterator<char>(in), {}}};
  }
  /// Compiles a file by itself and runs it.
  Done compile_and_run(const std::string& text, std::string_view options = "-O1") {
    write("case.cpp", text);
    const Done compiled = shell(fmt::format("{} -std=c++20 {} case.cpp -o case", VYRE_CXX, options));
    if (compiled.exit != 0) return {-2, compiled.output};
    return shell("./case");
  }
  void expect_right(const ProgramCase& c, std::string_view options = "-O1") {
    const Done done = compile_and_run(source_of(c, SourceDialect::Cpp, reference(c)), options);
    EXPECT_EQ(done.exit, 0) << done.output << text::print(c.program);
  }
  fs::path folder_;
};

TEST_F(Compile, PrintsWhatTheCaseGives) {
  // Semantics, "Operators": 7 / 0 = 0, 1 << 33 = 2, -7 >> 1 = -4 as i32.
  const ProgramCase c = case_of(
      "program p(read a: u32 @0, read_write out: u32 @1) workgroup(2, 1, 1) {\n"
      "  out[invocation_id.x * 3] = a[0] / (a[1] + invocation_id.x);\n"
      "  out[invocation_id.x * 3 + 1] = 1 << (a[2] + invocation_id.x);\n"
      "  out[invocation_id.x * 3 + 2] = bitcast<u32>(bitcast<i32>(a[3]) >> 1);\n}\n",
      {to_bytes(std::vector<uint32_t>{7, 0, 33, uint32_t(-7)}), Bytes(24)});
  const Done right = compile_and_run(source_of(c, SourceDialect::Cpp, {}), "-Wall -Wextra -Werror");
  EXPECT_EQ(right.exit, 0);
  EXPECT_EQ(right.output, "out: 0x00000000 0x00000002 0xfffffffc 0x00000007 0x00000004 0xfffffffc\n");
  std::vector<Bytes> other = {c.buffers[0], to_bytes(std::vector<uint32_t>{0, 2, 0xfffffffc, 7, 4, 1})};
  const Done wrong = compile_and_run(source_of(c, SourceDialect::Cpp, std::move(other)));
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_THAT(wrong.output, testing::HasSubstr("0x00000004 0xfffffffc (expected 0x00000001)\n"));
}

// Every kind of program: memory of all types, atomics, barriers in threads, workgroup memory, reductions.
TEST_F(Compile, ShapesGiveTheReferencesBytes) {
  VYRE_ORACLE(ReferenceInterpreter, "ref/, on shapes of the families of programs");
  for (const verify::FamilyInfo& family : verify::kFamilies) {
    const size_t shapes = verify::shapes(family.family);
    if (shapes == 0 || family.family == verify::Family::Subgroups) continue;
    if (verify::depends_on_schedule(family.family)) continue;  // no bytes to compare with
    for (const size_t shape : {size_t{1}, shapes / 2}) {
      SCOPED_TRACE(fmt::format("{} {}", family.text, shape));
      expect_right(verify::family_case(family.family, /*seed=*/5, shape), "-O0");
    }
  }
}

TEST_F(Compile, RandomProgramsGiveTheReferencesBytes) {
  VYRE_ORACLE(ReferenceInterpreter, "ref/, on random programs");
  const char* const wanted = std::getenv("VYRE_SOURCE_PROGRAMS");
  const uint64_t count = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 4;
  for (uint64_t k = 0; k < count; ++k) {
    SCOPED_TRACE(k);
    expect_right(verify::family_case(verify::Family::Programs, /*seed=*/3, k), k % 2 == 0 ? "-O2" : "-O0");
  }
}

// 1 + 2^-24 - 1: fused, the product's last bit survives. And a sum of halves, composed of words.
TEST_F(Compile, FloatsRoundOnceAnOperation) {
  // IEEE 754: (1 + 2^-12)^2 rounds to 1 + 2^-11, so less that it leaves 0, fused 2^-24.
  const uint32_t a = 0x3f800800, sum = 0x3f801000;  // 1 + 2^-12, 1 + 2^-11
  const ProgramCase c = case_of(
      "program p(read a: f32 @0, read_write out: f32 @1) workgroup(1, 1, 1) {\n"
      "  out[0] = a[0] * a[0] - a[1];\n  out[1] = fmul_add(a[0], a[0], -a[1]);\n}\n",
      {to_bytes(std::vector<uint32_t>{a, sum}), Bytes(8)});
  const Done done =
      compile_and_run(source_of(c, SourceDialect::Cpp, {}), "-O3 -march=native -ffp-contract=fast");
  EXPECT_EQ(done.output, "out: 0x00000000 0x33800000\n");
}

TEST_F(Compile, AdditionsGiveTheReferencesBytes) {
  VYRE_ORACLE(ReferenceInterpreter, "ref/, on a program with private arrays, group counts and hints");
  const ProgramCase c = case_of(
      "program p(read a: u32 @0, read_write out: u32 @1, private h: f16[3], private q: u64[5]) workgroup(4, "
      "1, 1) {\n"
      "  let at = (workgroup_id.y * num_workgroups.x + workgroup_id.x) * 4 + local_id.x;\n"
      "  unroll for i in 0..5 {\n"
      "    q[i] = q[i] + cast<u64>(a[i] + at) * 0x100000003u64;\n"
      "    h[i] = bitcast<f16>(a[i]);\n"
      "    unroll for j in i..a[6] { q[j] = q[j] + cast<u64>(num_workgroups.y); }\n"
      "  }\n"
      "  for i in 0..6 { out[at] = out[at] * 31 + cast<u32>(q[i] >> (i * 8)) + bitcast<u32>(h[i]) + len(h); "
      "}\n}\n",
      {to_bytes(std::vector<uint32_t>{7, 0x3c00, 33, uint32_t(-7), 5, 6, 4}), Bytes(4 * 24)}, {3, 2, 1});
  const std::string text = source_of(c, SourceDialect::Cpp, reference(c));
  EXPECT_THAT(text, testing::HasSubstr("_Pragma(\"GCC unroll 65534\")"));
  for (const char* options : {"-O0", "-O2"}) {
    const Done done = compile_and_run(text, options);
    EXPECT_EQ(done.exit, 0) << done.output;
  }
  write("case.cu", source_of(c, SourceDialect::Cuda, reference(c)));
  const Done taken =
      shell(fmt::format("clang++ -x cuda -std=c++20 -fsyntax-only -nocudainc -nocudalib -isystem {} "
                        "--cuda-device-only case.cu",
                        (fs::path(VYRE_SOURCE_DIR) / "test/unit/lower_source").string()));
  EXPECT_EQ(taken.exit, 0) << taken.output;
}

TEST_F(Compile, CudaIsTaken) {
  VYRE_ORACLE(ExternalCorpus,
              "clang's front end for CUDA C++, on declarations of what the runtime and the device have");
  const fs::path stub = fs::path(VYRE_SOURCE_DIR) / "test/unit/lower_source";
  for (const verify::FamilyInfo& family : verify::kFamilies) {
    const size_t shapes = verify::shapes(family.family);
    if (shapes == 0 || family.family == verify::Family::Subgroups) continue;
    const ProgramCase c = verify::family_case(family.family, 5, shapes / 2);
    write("case.cu", source_of(c, SourceDialect::Cuda, reference(c)));
    for (const char* side : {"--cuda-host-only", "--cuda-device-only"}) {
      const Done done =
          shell(fmt::format("clang++ -x cuda -std=c++20 -fsyntax-only -nocudainc -nocudalib "
                            "-isystem {} {} case.cu",
                            stub.string(), side));
      EXPECT_EQ(done.exit, 0) << family.text << "\n" << done.output;
    }
  }
}

TEST(Source, SubgroupsAreRefused) {
  const ProgramCase c = case_of(
      "program p(read_write out: u32 @0) workgroup(32, 1, 1) {\n  out[invocation_id.x] = "
      "subgroup.reduce_add(1);\n}\n",
      {Bytes(128)});
  const auto text = emit_source(legalize(build(checked_case(c)), kSourceTarget), SourceDialect::Cpp,
                                {c.groups, c.buffers, {}});
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, DiagCode::B002);
}

}  // namespace
}  // namespace vyre::lower
