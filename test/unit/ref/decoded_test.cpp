// Programs that no encoder wrote: edited wire files, checked, and run where they pass.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "oracle.h"
#include "run_text.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

VYRE_ORACLE(Property,
            "whatever check takes has a result or runs out of steps, and no store lands outside its buffer");

namespace vyre::ref {
namespace {

/// Runs on buffers of up to 5 words, as many whole elements as fit, with poison between them; gives whether
/// it came to its end.
bool run_guarded(const check::Checked& program) {
  constexpr size_t kBytes = 20, kStride = 16;
  Words memory((program.bound_buffers().size() + 1) * kStride, kPoison);
  std::vector<std::span<std::byte>> host;
  for (size_t i = 0; i < program.bound_buffers().size(); ++i) {
    const size_t element =
        spec::info(program.program().element(program.buffer(program.bound_buffers()[i]))).bytes;
    const size_t words = kBytes / element * element / 4;
    const auto bound = std::span(memory).subspan(i * kStride + kStride / 2, words);
    std::ranges::fill(bound, uint32_t(i + 1));
    host.push_back(std::as_writable_bytes(bound));
  }
  const auto result = run(program, host, {.x = 2}, {.max_steps = 2000});
  if (!result) {
    // A tensor may be larger than its buffer, or want a dimension that is not there.
    EXPECT_THAT(result.error().code,
                testing::AnyOf(DiagCode::B003, DiagCode::X007, DiagCode::X011, DiagCode::X012))
        << result.error().message;
  }
  for (size_t at = 0; at < memory.size(); ++at) {
    const size_t lane = at % kStride, buffer = at / kStride;
    const bool bound =
        buffer < host.size() && lane >= kStride / 2 && lane < kStride / 2 + host[buffer].size() / 4;
    if (!bound) EXPECT_EQ(memory[at], kPoison);
  }
  return result.has_value();
}

TEST(Decoded, EditedProgramsAreRefusedOrRun) {
  size_t refused = 0, run = 0, stopped = 0;
  const spec::OpTable no_operations;
  for (const auto& entry : std::filesystem::directory_iterator(VYRE_SOURCE_DIR "/test/wire/v1")) {
    if (entry.path().extension() != ".vyrb") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto file = std::as_bytes(std::span(text)).subspan(wire::kBodyAt);
    Bytes body(file.begin(), file.end());
    for (std::byte& byte : body) {
      const std::byte before = byte;
      for (int value = 0; value < 256; value += 5) {
        byte = std::byte(value);
        auto program = wire::decode(wire::seal(body));
        if (!program) continue;
        const auto accepted = check::check(*std::move(program), no_operations);
        if (!accepted) {
          EXPECT_FALSE(accepted.error().empty());
          ++refused;
        } else {
          ++(run_guarded(*accepted) ? run : stopped);
        }
      }
      byte = before;
    }
  }
  // All three happen, or the test shows nothing.
  EXPECT_GT(refused, 100u);
  EXPECT_GT(run, 100u);
  EXPECT_GT(stopped, 10u);
}

}  // namespace
}  // namespace vyre::ref
