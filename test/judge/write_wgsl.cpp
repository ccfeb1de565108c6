// write_wgsl: the WGSL of many programs at once, for judges that are other people's compilers.
//
//   write_wgsl files                         test/run, test/floats, test/regress and examples
//   write_wgsl operations                    every operation of the library, and every operator, select, cast
//                                            and atomic at every type, element by element; every shape of the
//                                            families of programs
//   write_wgsl random COUNT SEED [NODES]     random programs
//
// Each module is one line of stdout:
//   {"name": "test/run/u32-add.vyre", "threads": 64, "text": "..."}
// Operations of subgroups are optional in WebGPU, so programs that call them have no WGSL: their number is
// reported on stderr, and nothing else may be without. Exit 0: all is written; 1: something has no WGSL that
// must have it; 2: usage.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "generate/programs.h"
#include "lower/kernel.h"
#include "lower/wgsl/wgsl.h"
#include "ops/operation.h"
#include "project_programs.h"
#include "verify/elementwise.h"
#include "verify/families.h"

namespace {

using namespace vyre;

class Writer {
 public:
  void add(const std::string& name, const check::Checked& program) {
    const auto module = lower::emit_wgsl(lower::legalize(lower::build(program), lower::kWgslTarget));
    if (module) {
      ++written_;
      const nlohmann::json line = {{"name", name}, {"threads", module->threads}, {"text", module->text}};
      fmt::print("{}\n", line.dump());
    } else if (module.error().code == DiagCode::B002 && !program.intrinsics().empty()) {
      ++optional_;
    } else {
      ++refused_;
      fmt::print(stderr, "{}: {}", name, render(module.error(), nullptr));
    }
  }
  void add(const std::string& name, const ir::Program& program) {
    const auto checked = check::check(program, ops::op_table());
    if (checked) return add(name, *checked);
    ++refused_;
    fmt::print(stderr, "{}: {}", name, render(checked.error().front(), nullptr));
  }

  int finish() const {
    fmt::print(stderr, "{} modules; {} programs call operations of subgroups\n", written_, optional_);
    return refused_ == 0 && written_ > 0 && std::fflush(stdout) == 0 ? 0 : 1;
  }

 private:
  size_t written_ = 0;
  size_t optional_ = 0;
  size_t refused_ = 0;
};

int write_files() {
  Writer writer;
  try {
    for (const auto& [name, program] :
         test::programs_in({"test/run", "test/regress", "test/compare", "examples"}))
      writer.add(name, *program);
  } catch (const std::runtime_error& wrong) {
    fmt::print(stderr, "{}\n", wrong.what());
    return 1;
  }
  return writer.finish();
}

int write_operations() {
  using verify::Family;
  Writer writer;
  for (const ops::Operation& operation : ops::all_operations()) {
    writer.add(fmt::format("{}@{}", operation.id, operation.version),
               verify::elementwise_program(verify::application_of(operation), verify::kWorkgroup));
  }
  for (const verify::FamilyInfo& info : verify::kFamilies) {
    for (const verify::Subject& subject : verify::elementwise_subjects(info.family))
      writer.add(subject.name, verify::elementwise_program(subject.application, verify::kWorkgroup));
    for (size_t shape = 0; shape < verify::shapes(info.family); ++shape) {
      writer.add(fmt::format("{}: {}", info.text, verify::shape_name(info.family, shape)),
                 verify::family_case(info.family, 1, shape).program);
    }
  }
  return writer.finish();
}

int write_random(uint64_t count, uint64_t seed, uint64_t nodes) {
  generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
  if (nodes > options.max_nodes) options = {.ops = &ops::op_table()};
  options.max_nodes = uint32_t(nodes);
  generate::ProgramGenerator generator(options);
  generate::ProgramCase made;
  Writer writer;
  for (uint64_t i = 0; i < count; ++i) {
    generator.make(seed, i, made);
    writer.add(fmt::format("seed {}, nodes {}, index {}", seed, nodes, i), made.program);
  }
  return writer.finish();
}

bool parse(const char* text, uint64_t& out) {
  const char* const end = text + std::string_view(text).size();
  const auto [at, error] = std::from_chars(text, end, out);
  return error == std::errc() && at == end;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  uint64_t count = 0, seed = 0, nodes = 32;
  if (what == "files" && argc == 2) return write_files();
  if (what == "operations" && argc == 2) return write_operations();
  if (what == "random" && (argc == 4 || argc == 5) && parse(argv[2], count) && parse(argv[3], seed) &&
      (argc == 4 || parse(argv[4], nodes)) && nodes >= 16 && nodes <= 100'000)
    return write_random(count, seed, nodes);
  fmt::print(stderr,
             "usage: write_wgsl files | operations | random COUNT SEED [NODES]\n"
             "example: write_wgsl random 1000 1 > programs.jsonl\n");
  return 2;
}
