#include "verify/domain.h"

#include <algorithm>
#include <bit>

#include "spec/float_format.h"
#include "verify/columns.h"

namespace vyre::verify {
namespace {

constexpr size_t kSlices = (uint64_t{1} << 32) / kLeafCases;
/// In the order of domain_digests.bin, which has kSlices words of each.
constexpr std::string_view kOfFloats[] = {"sin", "cos", "tan",  "asin", "acos",  "atan",
                                          "exp", "log", "exp2", "log2", "exp10", "log10"};

/// No function gives it: a NaN that is not the one that arithmetic gives.
uint32_t poison_of(uint64_t first) {
  return spec::kBinary32.infinity() | 1 | (uint32_t(first >> 12) & 0x3ffffe);
}

}  // namespace

std::span<const uint32_t> domain_digests(std::string_view operation) {
  constexpr std::string_view kFamily = "float.f32.";
  if (!operation.starts_with(kFamily)) return {};
  const auto* const at = std::ranges::find(kOfFloats, operation.substr(kFamily.size()));
  if (at == std::end(kOfFloats)) return {};
  return recorded_digests().subspan(size_t(at - kOfFloats) * kSlices, kSlices);
}

uint32_t digest_word(std::span<const uint32_t> answers) {
  const Digest digest = sha256(std::as_bytes(answers));
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) word = word << 8 | uint32_t(digest.bytes[i]);
  return word;
}

Result<void> check_domain(const Subject& subject, Examiner& examiner, const CaseRange& part, uint32_t wanted,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict, LeafWriter& leaves) {
  const CaseSource source(subject, part, seed);
  const size_t most = slice_of(subject);
  std::vector<uint32_t> answers(part.count);
  Columns columns(input_words(subject.application), most);
  Tally tally;
  for (uint64_t begin = 0; begin < part.count; begin += most) {
    if (monitor.stopped()) return {};
    const size_t count = size_t(std::min<uint64_t>(most, part.count - begin));
    source.fill(begin, count, columns.writable());
    const Examiner::Slice cases{0, *SubjectBench::source_of(part.strategy), source.number(begin), part.stride,
                                count};
    VYRE_TRY(some, examiner.judge(cases, columns, {}, std::span(answers).subspan(begin, count),
                                  poison_of(source.number(begin)), Check::Parity));
    add(tally, some);
  }
  const bool all = tally.failed == 0 && tally.completed == part.count;
  if (!all || digest_word(answers) != wanted) {
    return check_cases(subject, examiner, std::span(&part, 1), seed, monitor, verdict, leaves);
  }
  tally.planned = part.count;
  add(oracle_cases(verdict, subject.oracle).tally, tally);
  leaves.add(part.strategy, tally, std::span<const uint32_t>(answers));
  monitor.done(part.count);
  return {};
}

}  // namespace vyre::verify
