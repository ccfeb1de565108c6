// PTX before an assembler that is not ours: NVIDIA's, where it is installed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>

#include "fused_programs.h"
#include "oracle.h"

VYRE_ORACLE(Property,
            "ptxas, which parses and checks every line, and says which registers it could not keep");

namespace vyre::lower {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_ptxas() {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("PATH")) {
    std::stringstream parts(path);
    for (std::string part; std::getline(parts, part, ':');) folders.emplace_back(part);
  }
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(fs::path(home) / "bin");
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders) {
    if (access((folder / "ptxas").c_str(), X_OK) == 0) return folder / "ptxas";
  }
  return std::nullopt;
}

struct Answer {
  int status = -1;
  std::string output;
};

class Ptxas : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = find_ptxas();
    if (!found) GTEST_SKIP() << "no ptxas in PATH, CUDA_HOME or /usr/local/cuda: PTX is not assembled here";
    ptxas_ = *found;
    file_ = fs::path(testing::TempDir()) / ("vyre_" + std::to_string(getpid()) + ".ptx");
  }
  void TearDown() override {
    if (!file_.empty()) fs::remove(file_);
  }

  Answer run(const std::string& arguments) const { return run_program(ptxas_, arguments); }
  static Answer run_program(const fs::path& program, const std::string& arguments) {
    FILE* pipe = popen(("'" + program.string() + "' " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("popen");
    Answer answer;
    char part[4096];
    for (size_t n = 0; (n = fread(part, 1, sizeof part, pipe)) != 0;) answer.output.append(part, n);
    answer.status = WEXITSTATUS(pclose(pipe));
    return answer;
  }
  Answer assemble(const std::string& ptx, uint32_t sm) const {
    std::ofstream(file_, std::ios::binary) << ptx;
    return run("--warn-on-spills --warn-on-local-memory-usage -arch=sm_" + std::to_string(sm) +
               " -o /dev/null '" + file_.string() + "'");
  }
  /// The oldest chip that this ptxas knows and that runs code for a target.
  uint32_t chip_for(PtxTarget target) const {
    const std::string help = run("--help").output;
    for (uint32_t sm = target.sm; sm < 200; ++sm) {
      if (help.find("'sm_" + std::to_string(sm) + "'") != help.npos) return sm;
    }
    throw std::runtime_error("this ptxas knows no chip from sm_" + std::to_string(target.sm) + " on");
  }

  fs::path ptxas_, file_;
};

TEST_F(Ptxas, RefusesWhatIsNotPtx) {
  const Answer answer =
      assemble(".version 6.0\n.target sm_70\n.address_size 64\nnonsense;\n", chip_for({70}));
  EXPECT_NE(answer.status, 0);
  EXPECT_NE(answer.output, "");
}

TEST_F(Ptxas, TakesEveryProgramWithoutAWordOrASpill) {
  const std::vector<Kernel> kernels = test::every_ptx_kernel();
  const auto batch = emit_ptx(kernels, {80});
  ASSERT_TRUE(batch) << batch.error().message;
  const Answer answer = assemble(batch->text, chip_for({80}));
  EXPECT_EQ(answer.status, 0);
  // Branches 64 deep want more convergence barriers at once than a chip has registers for, whatever the code.
  const std::regex of_deep_nesting("[^\\n]*'vyre_nesting_of_control__[0-9]+'[^\\n]*\\n");
  EXPECT_EQ(std::regex_replace(answer.output, of_deep_nesting, ""), "");
}

// Local memory is where private arrays belong whose indices are not known.
TEST_F(Ptxas, TakesPrivateArrays) {
  const std::vector<Kernel> kernels = test::every_ptx_kernel(/*with_private_arrays=*/true);
  ASSERT_GE(kernels.size(), 9u);
  const auto batch = emit_ptx(kernels, {80});
  ASSERT_TRUE(batch) << batch.error().message;
  const Answer answer = assemble(batch->text, chip_for({80}));
  EXPECT_EQ(answer.status, 0) << answer.output;
}

// A division is made of fused operations, so the programs have none.
TEST_F(Ptxas, FusesInMachineCodeWhatIsAskedFor) {
  const fs::path disassembler = ptxas_.parent_path() / "nvdisasm";
  if (access(disassembler.c_str(), X_OK) != 0) {
    GTEST_SKIP() << "no nvdisasm beside ptxas: machine code is not read here";
  }
  const fs::path code = file_.string() + ".cubin";
  for (const test::FusedProgram& p : test::fused_programs()) {
    const Kernel kernel = test::kernel_of(p, kPtxTarget);
    const auto ptx = emit_ptx(kernel, {80});
    ASSERT_TRUE(ptx) << p.name << ptx.error().message;
    std::ofstream(file_, std::ios::binary) << ptx->text;
    const Answer assembled = run("-arch=sm_" + std::to_string(chip_for({80})) + " -o '" + code.string() +
                                 "' '" + file_.string() + "'");
    ASSERT_EQ(assembled.status, 0) << assembled.output;
    const Answer sass = run_program(disassembler, "-c '" + code.string() + "'");
    ASSERT_EQ(sass.status, 0) << sass.output;
    EXPECT_NE(sass.output.find("EXIT"), std::string::npos) << "this is no disassembly: " << sass.output;
    EXPECT_EQ(count_fused(sass.output), p.fused) << p.name << "\n" << sass.output;
  }
  fs::remove(code);
}

// What differs between targets: subgroups, atomics, the version of PTX.
TEST_F(Ptxas, TakesEveryTarget) {
  std::vector<Kernel> kernels;
  for (const char* name :
       {"examples/block_sum", "examples/histogram", "examples/mandelbrot", "test/golden/kernel/subgroups",
        "test/golden/kernel/halves", "test/golden/kernel/tensors", "test/golden/kernel/wide",
        "test/golden/llvm/long", "test/golden/ptx/rounds"}) {
    kernels.push_back(
        test::ptx_kernel(test::file_text(fs::path(VYRE_SOURCE_DIR) / (std::string(name) + ".vyre"))));
  }
  for (const PtxTarget target : ptx_targets()) {
    const auto batch = emit_ptx(kernels, target);
    ASSERT_TRUE(batch) << batch.error().message;
    const Answer answer = assemble(batch->text, chip_for(target));
    EXPECT_EQ(answer.status, 0) << "sm_" << target.sm;
    EXPECT_EQ(answer.output, "") << "sm_" << target.sm;
  }
}

}  // namespace
}  // namespace vyre::lower
