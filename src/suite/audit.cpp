#include "suite/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "suite/cases.h"

namespace vyre::suite {
namespace {

using verify::Leaf;
using verify::Verdict;

struct LeafIndex {
  size_t verdict, leaf;
  auto operator<=>(const LeafIndex&) const = default;
};

/// The first `count` of a shuffle that nonce and certificate determine.
std::vector<LeafIndex> chosen(std::vector<LeafIndex> all, uint64_t count, uint64_t nonce,
                              const Digest& certificate) {
  uint64_t stream = 0;
  for (size_t k = 0; k < sizeof stream; ++k) stream |= uint64_t(certificate.bytes[k]) << (8 * k);
  RandomStream random(nonce, stream);
  const size_t wanted = size_t(std::min<uint64_t>(count, all.size()));
  for (size_t k = 0; k < wanted; ++k) std::swap(all[k], all[k + random.below(uint32_t(all.size() - k))]);
  all.resize(wanted);
  std::ranges::sort(all);
  return all;
}

AuditedLeaf compared(const Verdict& claimed, size_t leaf, const Verdict& again) {
  AuditedLeaf out{claimed.subject, claimed.track, claimed.leaves[leaf], {}, again.error};
  const auto found = std::ranges::find_if(again.leaves, [&](const Leaf& other) {
    return other.oracle == out.claimed.oracle && other.slice == out.claimed.slice;
  });
  if (found != again.leaves.end()) out.found = *found;
  return out;
}

std::string percent(double odds) {
  // No rounding to a certainty that is none.
  return odds == 1 ? "100 %" : fmt::format("{:.3g} %", std::min(100 * odds, 99.9));
}

}  // namespace

bool AuditedLeaf::agrees() const {
  const auto wrong = [](const verify::Tally& t) { return t.failed + t.waived; };
  return error.empty() && found.digest == claimed.digest && found.tally.planned == claimed.tally.planned &&
         found.tally.completed == claimed.tally.completed && wrong(found.tally) == wrong(claimed.tally);
}

bool Audit::agrees() const { return std::ranges::all_of(leaves, &AuditedLeaf::agrees); }

Result<Audit> audit(backend::Backend& backend, const certify::Certificate& certificate, uint64_t count,
                    uint64_t nonce, const verify::Monitor& monitor) {
  const std::string name(backend.identity().name);
  Audit out;
  std::vector<LeafIndex> candidates;
  for (size_t v = 0; v < certificate.verdicts.size(); ++v) {
    const Verdict& verdict = certificate.verdicts[v];
    // Whether this build can run the leaves, and they are the same on this backend.
    const bool known = !verdict.entry.empty() && verdict.entry == certify::entry_of(verdict.subject);
    const auto cases = known ? find_cases(verdict) : nullptr;
    const bool possible = cases && (name == certificate.backend || !cases->depends_on_limits());
    for (size_t k = 0; k < verdict.leaves.size(); ++k) {
      if (possible && !verdict.leaves[k].digest.empty()) {
        candidates.push_back({v, k});
      } else {
        ++out.left_out;
      }
    }
  }
  out.population = candidates.size();
  if (candidates.empty()) {
    return std::unexpected(make_diag(DiagCode::C002, Span::none(),
                                     "the certificate has no leaf that this build could run again",
                                     "audit it with the build whose registry it names"));
  }
  const CasePlan plan = case_plan(certificate.strength, certificate.seed);
  const std::vector<LeafIndex> picks =
      chosen(std::move(candidates), count, nonce, certify::digest(certificate));
  for (size_t begin = 0; begin < picks.size() && !monitor.stopped();) {
    const Verdict& verdict = certificate.verdicts[picks[begin].verdict];
    size_t end = begin;
    while (end < picks.size() && picks[end].verdict == picks[begin].verdict) ++end;
    const std::span<const LeafIndex> mine(picks.data() + begin, end - begin);
    std::vector<Leaf> leaves;
    for (const LeafIndex& index : mine) leaves.push_back(verdict.leaves[index.leaf]);
    const Verdict again = find_cases(verdict)->again(backend, leaves, plan, monitor);
    if (monitor.stopped()) break;
    for (const LeafIndex& index : mine) out.leaves.push_back(compared(verdict, index.leaf, again));
    begin = end;
  }
  return out;
}

double odds_of_catching(uint64_t population, uint64_t count, uint64_t made_up) {
  if (made_up > population - count) return 1;
  double missed = 1;
  for (uint64_t k = 0; k < made_up; ++k) missed *= double(population - count - k) / double(population - k);
  return 1 - missed;
}

std::string report(const Audit& audit, uint64_t nonce) {
  std::string out;
  size_t agreeing = 0;
  for (const AuditedLeaf& leaf : audit.leaves) {
    agreeing += leaf.agrees();
    if (leaf.agrees()) continue;
    const auto said = [](const Leaf& l) {
      return fmt::format("{} of {} answered, {} failed, digest {}", l.tally.completed, l.tally.planned,
                         l.tally.failed, l.digest.empty() ? "none" : l.digest);
    };
    out +=
        fmt::format("DIFFERS {} ({}), {}, {}, leaf {}\n  claimed: {}\n  found:   {}\n", leaf.subject,
                    text(leaf.track), text(leaf.claimed.oracle), leaf.claimed.generator, leaf.claimed.slice,
                    said(leaf.claimed), leaf.error.empty() ? said(leaf.found) : leaf.error);
  }
  const uint64_t n = audit.leaves.size(), all = audit.population;
  out += fmt::format("audit: {} of {} leaves run again, {} agree; nonce {}\n", n, all, agreeing, nonce);
  if (audit.left_out != 0)
    out += fmt::format("  {} leaves have no digest or are not this build's, and were not among them\n",
                       audit.left_out);
  const uint64_t tenth = (all + 9) / 10, hundredth = (all + 99) / 100;
  out += fmt::format(
      "  a forger of one leaf is caught with odds of {}, of 1 in 100 with {}, of 1 in 10 with {}\n",
      percent(odds_of_catching(all, n, 1)), percent(odds_of_catching(all, n, hundredth)),
      percent(odds_of_catching(all, n, tenth)));
  return out;
}

}  // namespace vyre::suite
