#include "verify/program_parity.h"

#include <fmt/format.h>

#include <cstring>

#include "ops/operation.h"
#include "ref/ref.h"
#include "verify/elementwise.h"

namespace vyre::verify {
namespace {

uint32_t canary(size_t position) { return 0xFEEDFACEu ^ uint32_t(position * 0x85EBCA6Bu); }

}  // namespace

Result<ProgramRun> run_on(backend::Pipeline& pipeline, const generate::ProgramCase& c) {
  // canaries | words | canaries, each buffer in an allocation of its own
  std::vector<std::vector<uint32_t>> memory;
  std::vector<std::span<std::byte>> host;
  for (const Bytes& buffer : c.buffers) {
    const size_t words = buffer.size() / 4;
    auto& m = memory.emplace_back(words + 2 * kGuardWords);
    for (size_t k = 0; k < kGuardWords; ++k) {
      m[k] = canary(k);
      m[kGuardWords + words + k] = canary(kGuardWords + k);
    }
    if (words != 0) std::memcpy(m.data() + kGuardWords, buffer.data(), buffer.size());
    host.push_back(std::as_writable_bytes(std::span(m.data() + kGuardWords, words)));
  }
  VYRE_CHECK(pipeline.dispatch(host, c.groups));
  ProgramRun run;
  for (size_t b = 0; b < memory.size(); ++b) {
    const std::vector<uint32_t>& m = memory[b];
    for (size_t k = 0; k < kGuardWords; ++k) {
      run.canaries_broken += m[k] != canary(k);
      run.canaries_broken += m[m.size() - kGuardWords + k] != canary(kGuardWords + k);
    }
    run.canaries += 2 * kGuardWords;
    run.buffers.emplace_back(host[b].begin(), host[b].end());
  }
  return run;
}

Result<std::vector<Bytes>> reference_answer(const check::Checked& checked, const generate::ProgramCase& c) {
  std::vector<Bytes> buffers = c.buffers;
  std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  VYRE_CHECK(ref::run(checked, host, c.groups));
  return buffers;
}

std::optional<Difference> first_difference(const check::Checked& checked, const std::vector<Bytes>& expected,
                                           const std::vector<Bytes>& actual) {
  for (size_t b = 0; b < expected.size(); ++b) {
    if (expected[b] == actual[b]) continue;
    const std::vector<uint32_t> want = to_words(expected[b]), have = to_words(actual[b]);
    for (size_t k = 0; k < want.size(); ++k) {
      if (want[k] == have[k]) continue;
      const ir::BufferDecl& buffer = checked.buffer(checked.bound_buffers()[b]);
      return Difference{std::string(checked.program().code.name(buffer.name)), k, want[k], have[k]};
    }
  }
  return std::nullopt;
}

Result<std::optional<Difference>> compare_once(backend::Backend& backend, const generate::ProgramCase& c) {
  const auto checked = check::check(c.program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(expected, reference_answer(*checked, c));
  VYRE_TRY(pipeline, backend.compile(*checked));
  VYRE_TRY(run, run_on(*pipeline, c));
  return first_difference(*checked, expected, run.buffers);
}

}  // namespace vyre::verify
