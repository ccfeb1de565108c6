// run_xor: element-wise exclusive or, built and run through the C++ API of vyre.
//
//   cmake -S examples/cpp -B build && cmake --build build && build/run_xor_cpp [BACKEND]
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vyre/vyre.hpp>

namespace {

using vyre::spec::DataType;

vyre::ir::Program xor_program() {
  vyre::ir::ProgramBuilder p("xor");
  const auto a = p.read("a", DataType::U32, 0), b = p.read("b", DataType::U32, 1);
  const auto out = p.read_write("out", DataType::U32, 2);
  p.workgroup_size(64, 1, 1);
  const auto i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(out), [&] { p.store(out, i, p.load(a, i) ^ p.load(b, i)); });
  return p.finish();
}

int report(const vyre::Diag& diag) {
  std::fputs(vyre::render(diag, /*source=*/nullptr, "xor").c_str(), stderr);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto checked = vyre::check::check(xor_program(), vyre::ops::op_table());
  if (!checked) return report(checked.error().front());
  const auto backend = vyre::backend::open(argc > 1 ? argv[1] : "native");
  if (!backend) return report(backend.error());
  const auto pipeline = (*backend)->compile(*checked);
  if (!pipeline) return report(pipeline.error());

  // One span for each buffer that the program declares, in that order.
  std::array<uint32_t, 3> a = {1, 2, 3}, b = {0xff, 0, 3}, out = {};
  const auto bytes = [](std::span<uint32_t> words) { return std::as_writable_bytes(words); };
  const std::array<std::span<std::byte>, 3> host = {bytes(a), bytes(b), bytes(out)};
  if (const auto done = (*pipeline)->dispatch(host, {1, 1, 1}); !done) return report(done.error());

  std::printf("out: %u %u %u\n", out[0], out[1], out[2]);
  return 0;
}
