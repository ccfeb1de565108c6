// Whether what stands behind the functions is what their names promise.
//
// webgpu.h has no version: a library whose structures differ takes what it is given for something else. One
// small dispatch goes through every structure that programs need, and its answer is known. It loops, because
// Mesa's llvmpipe ends the loops of an invocation after 65,535 turns together and says nothing of it, and
// WebGPU has no way to see that: such a device would answer wrongly, so it is none.
#include <fmt/format.h>

#include "backend/webgpu/work.h"

namespace vyre::backend::webgpu {
namespace {

constexpr const char* kText = R"(@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<uniform> counts: array<vec4<u32>, 1>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>) {
  let i = (groups.y * 4u) + thread;
  var x = a[i];
  for (var turn = 0u; turn < counts[0].z; turn++) {
    x = ((x ^ turn) * counts[0].x) + counts[0].y;
  }
  b[i] = x + groups.z;
}
)";
constexpr uint32_t kElements = 8, kFactor = 2654435761, kMore = 77, kTurns = 70'000;
constexpr uint32_t value_of(uint32_t i) { return 0x9E37'79B9 ^ (i * 0x0101'0101); }
/// What the kernel makes of it.
uint32_t after(uint32_t turns, uint32_t x) {
  for (uint32_t turn = 0; turn < turns; ++turn) x = (x ^ turn) * kFactor + kMore;
  return x;
}
/// Whether loops that end early, after however many turns, explain an answer.
bool ends_early(uint32_t i, uint32_t answer) {
  uint32_t x = value_of(i);
  for (uint32_t turn = 0; turn < kTurns; ++turn) {
    if (x == answer && turn != 0) return true;
    x = (x ^ turn) * kFactor + kMore;
  }
  return false;
}

}  // namespace

Result<void> Device::test_itself() {
  const auto failed = [&](const std::string& how) {
    return std::unexpected(not_available(
        fmt::format("{} does not compute what a small test asks of it: {}", profile_.driver, how),
        "its structures may be of another version of webgpu.h, or its driver wrong: use another library, or "
        "another Vulkan driver (VK_ICD_FILENAMES)"));
  };
  const lower::WgslModule module = {
      .text = kText, .threads = 4, .shared_bytes = 0, .buffers = 2, .writable = {false, true}};
  const auto code = make_code(module);
  if (!code) return failed(code.error().message);
  std::vector<uint32_t> a(kElements), b(kElements);
  for (uint32_t i = 0; i < kElements; ++i) a[i] = value_of(i);
  const auto run = [&]() -> Result<void> {
    VYRE_TRY(from, allocate(4 * kElements));
    VYRE_TRY(to, allocate(4 * kElements));
    VYRE_TRY(work, begin());
    VYRE_CHECK(work->write(from.allocation(), 4 * kElements, 0, std::as_bytes(std::span(a))));
    const Bound bound[] = {{&from.allocation(), 0, 4 * kElements}, {&to.allocation(), 0, 4 * kElements}};
    VYRE_CHECK(work->dispatch({.code = *code,
                               .groups = {1, kElements / 4, 1},
                               .bound = {bound[0], bound[1]},
                               .written = {false, true},
                               .counts = {kFactor, kMore, kTurns}}));
    VYRE_CHECK(work->read(to.allocation(), 0, std::as_writable_bytes(std::span(b))));
    return work->finish();
  };
  if (const auto ran = run(); !ran) return failed(ran.error().message);
  for (uint32_t i = 0; i < kElements; ++i) {
    const uint32_t expected = after(kTurns, value_of(i));
    if (b[i] == expected) continue;
    if (ends_early(i, b[i]))
      return failed(
          "it ends a loop of 70,000 turns early, as Mesa's llvmpipe does (the backend vulkan can use it)");
    return failed(fmt::format("word {} is {:#x}, not {:#x}", i, b[i], expected));
  }
  return {};
}

}  // namespace vyre::backend::webgpu
