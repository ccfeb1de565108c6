#include "verify/program_parity.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "ops/operation.h"
#include "ref/ref.h"
#include "verify/guard_words.h"
#include "verify/sums.h"

namespace vyre::verify {
namespace {

/// A buffer of 16-bit elements may end within a word, of which the rest is then zero.
std::vector<uint32_t> whole_words(Bytes bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return to_words(bytes);
}

/// run_on()'s promise about outcomes. Domain: the first buffer is not empty.
std::string settle_outcome(const generate::ProgramCase& c, std::vector<Bytes>& buffers) {
  if (c.outcome == nullptr) return {};
  std::string forbidden = c.outcome(c, buffers);
  for (Bytes& buffer : buffers) std::ranges::fill(buffer, std::byte{0});
  if (!forbidden.empty()) store_u32(buffers.front().data(), 1);
  return forbidden;
}

}  // namespace

Result<ProgramRun> run_on(backend::Pipeline& pipeline, const generate::ProgramCase& c) {
  // guard words | elements | guard words, each buffer in an allocation of its own
  std::vector<Bytes> memory;
  std::vector<std::span<std::byte>> host;
  for (const Bytes& buffer : c.buffers) {
    Bytes& m = memory.emplace_back(buffer.size() + 2 * kGuardBytes);
    put_guard(m.data(), 0);
    put_guard(m.data() + kGuardBytes + buffer.size(), kGuardWords);
    std::ranges::copy(buffer, m.begin() + kGuardBytes);
    host.push_back(std::span(m).subspan(kGuardBytes, buffer.size()));
  }
  VYRE_CHECK(pipeline.dispatch(host, c.groups));
  ProgramRun run;
  for (size_t b = 0; b < memory.size(); ++b) {
    run.canaries_broken += broken_guard(memory[b].data(), 0);
    run.canaries_broken += broken_guard(memory[b].data() + kGuardBytes + host[b].size(), kGuardWords);
    run.canaries += 2 * kGuardWords;
    run.buffers.emplace_back(host[b].begin(), host[b].end());
  }
  run.forbidden =
      c.approximate ? settle_sums(c, run.buffers, run.deviations) : settle_outcome(c, run.buffers);
  return run;
}

Result<std::vector<Bytes>> reference_answer(const check::Checked& checked, const generate::ProgramCase& c,
                                            uint32_t subgroup_size) {
  if (c.approximate) return wanted_sums(c);
  std::vector<Bytes> buffers = c.buffers;
  std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  VYRE_CHECK(ref::run(checked, host, c.groups, {.subgroup_size = subgroup_size}));
  settle_outcome(c, buffers);
  return buffers;
}

std::optional<Difference> first_difference(const check::Checked& checked, const std::vector<Bytes>& expected,
                                           const std::vector<Bytes>& actual) {
  for (size_t b = 0; b < expected.size(); ++b) {
    if (expected[b] == actual[b]) continue;
    const std::vector<uint32_t> want = whole_words(expected[b]), have = whole_words(actual[b]);
    for (size_t k = 0; k < want.size(); ++k) {
      if (want[k] == have[k]) continue;
      const ir::BufferDecl& buffer = checked.buffer(checked.bound_buffers()[b]);
      return Difference{std::string(checked.program().code.name(buffer.name)), k, want[k], have[k]};
    }
  }
  return std::nullopt;
}

std::string place_of(const Difference& difference, const ProgramRun& run) {
  if (!run.forbidden.empty()) return fmt::format("an outcome that is not allowed ({})", run.forbidden);
  return fmt::format("{}[{}]", difference.buffer, difference.index);
}

Result<std::optional<Difference>> compare_once(backend::Backend& backend, const generate::ProgramCase& c) {
  const auto checked = check::check(c.program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(pipeline, backend.compile(*checked));
  VYRE_TRY(expected, reference_answer(*checked, c, backend.limits().subgroup_size));
  VYRE_TRY(run, run_on(*pipeline, c));
  return first_difference(*checked, expected, run.buffers);
}

}  // namespace vyre::verify
