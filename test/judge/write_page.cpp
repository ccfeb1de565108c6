// write_page: random programs as a page, whose runner compares their results with the reference's in any
// engine that has navigator.gpu: so a WebGPU other than the backend's can run them.
//
//   write_page FOLDER COUNT SEED
//
// Programs of a seed are those of random_programs and write_wgsl. What asks for more than every device has,
// and what the reference gives up on, is left out and reported on stderr; more than 1 % of it is an error.
// Exit 0: the page is there; 1: a program has no WGSL, or too many are left out; 2: usage, or the folder
// cannot be written.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "generate/programs.h"
#include "ops/operation.h"
#include "ref/ref.h"
#include "web/page.h"

namespace {

using namespace vyre;

constexpr uint64_t kMaxSteps = 4'000'000;  // of the reference

bool parse(const char* text, uint64_t& out) {
  const char* const end = text + std::string_view(text).size();
  const auto [at, error] = std::from_chars(text, end, out);
  return error == std::errc() && at == end;
}

/// One program with its input as a case. Errors: of lowering; X codes of the reference.
Result<web::Case> case_of(const check::Checked& checked, const generate::ProgramCase& made) {
  VYRE_TRY(module, web::portable_module(checked));
  std::vector<Bytes> after = made.buffers;
  std::vector<std::span<std::byte>> spans(after.begin(), after.end());
  VYRE_CHECK(ref::run(checked, spans, made.groups, {.max_steps = kMaxSteps}));
  web::Case out{.group = "random", .module = std::move(module), .groups = made.groups};
  for (size_t i = 0; i < after.size(); ++i) {
    const ir::BufferDecl& declared = checked.buffer(checked.bound_buffers()[i]);
    const auto element = checked.program().element(declared);
    const auto count = uint32_t(after[i].size() / spec::info(element).bytes);
    const bool output = declared.access == ir::BufferAccess::ReadWrite;
    out.buffers.push_back({std::string(checked.program().code.name(declared.name)), element, count,
                           made.buffers[i], output, output ? std::move(after[i]) : Bytes{}});
    if (output) out.instances += count;
  }
  return out;
}

int write(const std::string& folder, uint64_t count, uint64_t seed) {
  web::Page page{.title = fmt::format("random programs of seed {}", seed)};
  generate::ProgramGenerator generator(generate::ProgramOptions::small(&ops::op_table()));
  generate::ProgramCase made;
  for (uint64_t i = 0; i < count; ++i) {
    generator.make(seed, i, made);
    const auto checked = check::check(made.program, ops::op_table());
    if (!checked) {
      fmt::print(stderr, "index {}: {}", i, render(checked.error().front(), nullptr));
      return 1;
    }
    auto one = case_of(*checked, made);
    if (one) {
      one->name = fmt::format("seed {}, nodes 32, index {}", seed, i);
      one->replay.command =
          fmt::format("random_programs --backend webgpu --seed {} --from {} --count 1", seed, i);
      page.cases.push_back(std::move(*one));
      continue;
    }
    fmt::print(stderr, "index {}: {}", i, render(one.error(), nullptr));
    page.left_out.push_back(fmt::format("index {}: {}", i, one.error().message));
  }
  if (const auto written = web::write_page(page, folder); !written) {
    fmt::print(stderr, "{}\n", written.error().message);
    return 2;
  }
  fmt::print("{} programs, {} left out\n", page.cases.size(), page.left_out.size());
  return page.left_out.size() * 100 <= count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t count = 0, seed = 0;
  if (argc == 4 && parse(argv[2], count) && parse(argv[3], seed)) return write(argv[1], count, seed);
  fmt::print(stderr, "usage: write_page FOLDER COUNT SEED\nexample: write_page out/random 1000 1\n");
  return 2;
}
