#include "verify/culprit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "ops/operation.h"
#include "text/text.h"
#include "worker/worker.h"

namespace vyre::verify {
namespace {

constexpr size_t kParts = 16;          // a failing batch is cut into
constexpr size_t kAttempts = 500;      // of one search; what is left then is reported as it is
constexpr size_t kHangs = 24;          // of one search: each costs a whole budget
constexpr size_t kConfirmations = 3;   // before anything is attributed
constexpr size_t kEqualRuns = 32;      // equal runs, to say how often chance strikes
constexpr size_t kRepeatedHangs = 3;   // the same where a run may hang
constexpr size_t kSubstitutes = 3;     // innocents tried in another's place
constexpr size_t kLateDispatches = 3;  // how far back a late write may come from

Scenario scenario_of(const auto& items) {
  Scenario out;
  size_t batch = SIZE_MAX;
  for (const auto& item : items) {
    if (out.empty() || item.batch != batch) out.push_back({item.pipeline, {}});
    batch = item.batch;
    out.back().cases.push_back(item.id);
  }
  return out;
}

}  // namespace

Fault fault_of(const Diag& diag) {
  if (diag.code == DiagCode::B009) return Fault::Crashed;
  if (diag.code == DiagCode::B010) return Fault::Hung;
  if (diag.code == DiagCode::B011) return Fault::LostDevice;
  if (diag.code != DiagCode::B012) return Fault::Refused;
  const auto breach = worker::breach_of(diag);
  if (!breach) return Fault::BrokeContract;
  switch (*breach) {
    case worker::Breach::Outside:
    case worker::Breach::ReadOnly: return Fault::WroteOutside;
    case worker::Breach::Late: return Fault::LateWrite;
    case worker::Breach::Protocol: return Fault::BrokeContract;
  }
  return Fault::BrokeContract;
}

Fault fault_of(const Seen& seen) {
  if (seen.error) return fault_of(*seen.error);
  if (seen.broken != 0) return Fault::WroteOutside;
  const bool written = std::ranges::all_of(seen.wrong, [](const Wrong& w) { return w.written; });
  return written ? Fault::WrongValue : Fault::NotWritten;
}

bool is_of_a_case(const Diag& diag) {
  return diag.code == DiagCode::B003 || diag.code == DiagCode::B009 || diag.code == DiagCode::B010 ||
         diag.code == DiagCode::B011 || diag.code == DiagCode::B012;
}

// --- Running scenarios

Result<void> CulpritSearch::restart() {
  VYRE_CHECK(backend_.restart());
  const bool was_lost = lost_ && backend_.isolated();
  lost_ = false;
  if (!was_lost) return {};
  const auto known = known_answer();
  if (known) return {};
  return std::unexpected(make_diag(
      DiagCode::B011, Span::none(),
      fmt::format("the backend does not come back: after a failure, a new process fails even a program "
                  "of one line whose answer is known ({})",
                  known.error().message),
      "nothing is attributed to a case; set the device right, or restart the machine, and run it again"));
}

Result<void> CulpritSearch::known_answer() {
  constexpr std::array<uint32_t, 4> kAnswer = {3, 10, 17, 24};  // 7 i + 3, by hand
  if (!known_) {
    const auto program = text::parse(
        "program known(read_write out: u32 @0) workgroup(4, 1, 1) { "
        "out[invocation_id.x] = invocation_id.x * 7 + 3; }");
    auto checked = check::check(*program, ops::op_table());  // the text is part of this file
    VYRE_TRY(pipeline, backend_.compile(*checked));
    known_ = std::move(pipeline);
  }
  Bytes memory(4 * kAnswer.size());
  const std::span<std::byte> host(memory);
  VYRE_CHECK(known_->dispatch({&host, 1}, {1, 1, 1}));
  if (std::ranges::equal(to_words(memory), kAnswer)) return {};
  return std::unexpected(make_diag(DiagCode::B011, Span::none(), "its answer is wrong"));
}

Result<std::optional<CulpritSearch::Trial>> CulpritSearch::run_all(Bench& bench, const Scenario& scenario) {
  for (size_t b = 0; b < scenario.size(); ++b) {
    Seen seen = bench.run(scenario[b]);
    if (seen.error) {
      if (!is_of_a_case(*seen.error)) return std::unexpected(*seen.error);
      lost_ = true;
      hangs_ += seen.error->code == DiagCode::B010;
    }
    if (monitor_.stopped()) return std::unexpected(make_diag(DiagCode::C007, Span::none(), "interrupted"));
    if (seen.bad()) return Trial{b, std::move(seen)};
  }
  return std::nullopt;
}

Result<std::optional<CulpritSearch::Trial>> CulpritSearch::attempt(Bench& bench, const Scenario& scenario) {
  VYRE_CHECK(restart());
  return run_all(bench, scenario);
}

Result<bool> CulpritSearch::fails(Bench& bench, const Items& items, bool afresh) {
  ++attempts_;
  if (afresh || lost_) VYRE_CHECK(restart());
  VYRE_TRY(trial, run_all(bench, scenario_of(items)));
  return trial.has_value();
}

// --- Reducing

// Delta debugging, with many parts to begin with: parts that go right cost a dispatch, one that hangs costs a
// whole budget, and there is one of these a level. Where no part goes wrong by itself, the case whose answer
// was wrong joins each: what spoils it is in one of them.
Result<CulpritSearch::Items> CulpritSearch::reduce(Bench& bench, Items items, const Item* victim,
                                                   bool afresh) {
  size_t parts = std::min(kParts, items.size());
  while (items.size() > 1 && attempts_ < kAttempts && hangs_ < kHangs) {
    const auto cut = [&](size_t k) { return items.begin() + ptrdiff_t(items.size() * k / parts); };
    const auto with_victim = [&](size_t k) {
      Items out;
      for (auto it = items.begin(); it != items.end(); ++it) {
        if ((it >= cut(k) && it < cut(k + 1)) || *it == *victim) out.push_back(*it);
      }
      return out;
    };
    bool smaller = false;
    for (size_t k = 0; k < parts && !smaller; ++k) {
      const Items part(cut(k), cut(k + 1));
      VYRE_TRY(bad, fails(bench, part, afresh));
      if (!bad) continue;
      items = part;
      parts = std::min(kParts, items.size());
      smaller = true;
    }
    for (size_t k = 0; victim != nullptr && k < parts && items.size() > 2 && !smaller; ++k) {
      Items part = with_victim(k);
      if (part.size() == items.size()) continue;
      VYRE_TRY(bad, fails(bench, part, afresh));
      if (!bad) continue;
      items = std::move(part);
      parts = std::min(kParts, items.size());
      smaller = true;
    }
    for (size_t k = 0; k < parts && parts > 2 && !smaller && attempts_ < kAttempts; ++k) {
      Items rest(items.begin(), cut(k));
      rest.insert(rest.end(), cut(k + 1), items.end());
      VYRE_TRY(bad, fails(bench, rest, afresh));
      if (!bad) continue;
      items = std::move(rest);
      parts = std::min(std::max<size_t>(parts - 1, 2), items.size());
      smaller = true;
    }
    if (smaller) continue;
    if (parts >= items.size()) break;
    parts = std::min(items.size(), 2 * parts);
  }
  return items;
}

Result<std::optional<CulpritSearch::Trial>> CulpritSearch::confirm(Bench& bench, const Scenario& scenario) {
  std::optional<Trial> last;
  for (size_t k = 0; k < kConfirmations; ++k) {
    VYRE_TRY(trial, attempt(bench, scenario));
    if (!trial) return std::nullopt;
    last = std::move(trial);
  }
  return last;
}

Result<std::optional<Finding>> CulpritSearch::narrow(Bench& bench, const Scenario& scenario,
                                                     const Batch& batch, const Seen& seen) {
  Items items;
  for (size_t b = 0; b < scenario.size(); ++b) {
    for (const CaseId& id : scenario[b].cases) items.push_back({b, scenario[b].pipeline, id});
  }
  std::optional<Item> victim;
  if (!seen.error && !seen.wrong.empty()) {
    const Batch& last = scenario.back();
    victim = Item{scenario.size() - 1, last.pipeline, last.cases[seen.wrong.front().position]};
  }
  // A hang costs a whole budget, and halving has more of them than cutting into many parts.
  const bool hangs = seen.error && seen.error->code == DiagCode::B010;
  if (!hangs && scenario.size() == 1 && items.size() > 1) {
    VYRE_TRY(alone, victim ? fails(bench, {*victim}, false) : Result<bool>(false));
    VYRE_TRY(finding, alone ? Result<std::optional<Finding>>() : by_number(bench, scenario[0]));
    if (finding) return finding;
  }
  // Without restarting between what goes right first, which is fast; what that finds may owe to what ran
  // before it, and then does not stand by itself.
  for (const bool afresh : {false, true}) {
    if (!afresh && scenario.size() > 1) continue;
    VYRE_TRY(smallest, reduce(bench, items, victim ? &*victim : nullptr, afresh));
    Finding finding;
    finding.scenario = scenario_of(smallest);
    VYRE_TRY(trial, confirm(bench, finding.scenario));
    if (!trial) continue;
    finding.scenario.resize(trial->batch + 1);
    finding.seen = std::move(trial->seen);
    if (finding.scenario.size() == 1 && finding.scenario[0].cases.size() == 1) {
      finding.culprit = finding.scenario[0].cases[0];
      finding.fault = fault_of(finding.seen);
    } else {
      VYRE_CHECK(attribute(bench, batch, finding));
    }
    return finding;
  }
  return std::nullopt;
}

// What goes wrong with dispatches of so many cases, whichever they are, as where a driver has a fault in its
// second group. Reducing them one by one would take some hundred processes; halving takes a few.
Result<std::optional<Finding>> CulpritSearch::by_number(Bench& bench, const Batch& batch) {
  const std::span<const CaseId> all(batch.cases);
  const auto bad = [&](std::span<const CaseId> some) -> Result<bool> {
    ++attempts_;
    if (lost_) VYRE_CHECK(restart());
    VYRE_TRY(trial, run_all(bench, {{batch.pipeline, {some.begin(), some.end()}}}));
    return trial.has_value();
  };
  std::span<const CaseId> cases = all;
  while (cases.size() > 1) {
    const size_t half = cases.size() / 2;
    VYRE_TRY(first, bad(cases.first(half)));
    if (first) {
      cases = cases.first(half);
      continue;
    }
    VYRE_TRY(second, bad(cases.subspan(half)));
    if (!second) break;
    cases = cases.subspan(half);
  }
  size_t right = (cases.size() + 1) / 2, wrong = cases.size();
  while (right + 1 < wrong) {
    const size_t middle = (right + wrong) / 2;
    VYRE_TRY(fails, bad(cases.first(middle)));
    (fails ? wrong : right) = middle;
  }
  // Others, of the other end, do it as well, and one fewer of them does not.
  if (wrong < 3 || all.size() < 2 * wrong) return std::nullopt;
  VYRE_TRY(enough, bad(all.last(wrong)));
  VYRE_TRY(fewer, bad(all.last(right)));
  if (!enough || fewer) return std::nullopt;
  Finding finding;
  finding.scenario = {{batch.pipeline, {all.end() - ptrdiff_t(wrong), all.end()}}};
  VYRE_TRY(trial, confirm(bench, finding.scenario));
  if (!trial) return std::nullopt;
  finding.seen = std::move(trial->seen);
  finding.fault = fault_of(finding.seen);
  finding.culprit = finding.scenario[0].cases.back();
  finding.of_number = true;
  finding.note = fmt::format("any {} cases of one dispatch do it, and no {}", wrong, right);
  return finding;
}

// --- Two or more that fail together

/// Whether the scenario still goes wrong at the victim's place with `out` replaced by `in`.
Result<bool> CulpritSearch::spoils(Bench& bench, const Finding& finding, CaseId out, CaseId in,
                                   CaseId victim) {
  Scenario changed = finding.scenario;
  for (Batch& batch : changed) std::ranges::replace(batch.cases, out, in);
  const CaseId looked_at = victim == out ? in : victim;
  VYRE_TRY(trial, attempt(bench, changed));
  if (!trial || trial->seen.error) return trial.has_value();
  return std::ranges::any_of(trial->seen.wrong, [&](const Wrong& w) {
    return changed[trial->batch].cases[w.position] == looked_at;
  });
}

Result<void> CulpritSearch::attribute(Bench& bench, const Batch& batch, Finding& finding) {
  finding.fault = Fault::OrderDependent;
  std::vector<CaseId> all;
  for (const Batch& b : finding.scenario) all.insert(all.end(), b.cases.begin(), b.cases.end());
  const std::vector<CaseId>& last = finding.scenario.back().cases;
  const CaseId victim = finding.seen.wrong.empty() ? last.back() : last[finding.seen.wrong.front().position];
  finding.culprit = victim;
  const bool pair = all.size() == 2;
  if (!pair || finding.seen.error || finding.seen.wrong.empty()) {
    finding.note = fmt::format("only with {} other cases, beside it or before it", all.size() - 1);
    return {};
  }
  const CaseId other = all[0] == victim ? all[1] : all[0];
  std::vector<CaseId> innocents;
  for (size_t k = 0; k < kSubstitutes && batch.cases.size() > 2; ++k) {
    const CaseId one = batch.cases[batch.cases.size() * (2 * k + 1) / (2 * kSubstitutes)];
    if (one == victim || one == other) continue;
    VYRE_TRY(alone, attempt(bench, {{batch.pipeline, {one}}}));
    if (!alone) innocents.push_back(one);
  }
  size_t others_spoilt = 0, spoilt_by_others = 0;
  for (const CaseId one : innocents) {
    VYRE_TRY(a, spoils(bench, finding, victim, one, victim));
    VYRE_TRY(b, spoils(bench, finding, other, one, victim));
    others_spoilt += a;
    spoilt_by_others += b;
  }
  if (others_spoilt > 0 && spoilt_by_others == 0) {
    finding.culprit = other;
    finding.victim = victim;
  } else if (others_spoilt > 0) {
    finding.note = "whichever case stands in its place, and whichever before it: the fault is of the place";
  } else if (spoilt_by_others > 0) {
    finding.note = "after or beside any other case, and never alone";
  } else {
    finding.note = "with that one case alone, beside it or before it";
  }
  return {};
}

// --- The whole search

/// Whether a trial showed what was seen of the batch, rather than what chance did meanwhile: among millions
/// of cases it does something, and that would then be searched in vain.
bool CulpritSearch::is_the_same(const Scenario& scenario, const Trial& trial, const Batch& batch,
                                const Seen& seen) {
  if (seen.error || trial.seen.error || seen.wrong.empty()) return true;
  if (trial.batch + 1 != scenario.size()) return false;
  return std::ranges::any_of(trial.seen.wrong, [&](const Wrong& again) {
    const CaseId id = scenario.back().cases[again.position];
    return std::ranges::any_of(seen.wrong, [&](const Wrong& w) { return batch.cases[w.position] == id; });
  });
}

Result<Finding> CulpritSearch::chance(Bench& bench, const Batch& batch, const Seen& seen) {
  const bool hung = seen.error && seen.error->code == DiagCode::B010;
  const size_t runs = hung ? kRepeatedHangs : kEqualRuns;
  size_t bad = 0;
  for (size_t k = 0; k < runs; ++k) {
    if (lost_) VYRE_CHECK(restart());
    VYRE_TRY(trial, run_all(bench, {batch}));
    bad += trial.has_value();
  }
  Finding finding;
  finding.fault = Fault::Flaky;
  finding.culprit = batch.cases[seen.wrong.empty() ? 0 : seen.wrong.front().position];
  finding.scenario = {batch};
  finding.seen = seen;
  finding.note = fmt::format("the same dispatch of {} cases went wrong in {} of {} equal runs",
                             batch.cases.size(), bad + 1, runs + 1);
  if (seen.error) {
    finding.note += fmt::format("; which of them did it cannot be said: {}", seen.error->message);
  }
  return finding;
}

Result<Finding> CulpritSearch::find(Bench& bench, std::span<const Batch> history, const Batch& batch,
                                    const Seen& seen) {
  hangs_ = attempts_ = 0;
  lost_ = lost_ || seen.error.has_value();
  std::vector<Scenario> candidates = {{batch}};
  if (backend_.isolated() && !history.empty()) {
    if (seen.error) {  // which may be a late write of a dispatch before this
      const size_t recent = std::min(history.size(), kLateDispatches);
      for (size_t k = 1; k <= recent; ++k) candidates.push_back({history[history.size() - k]});
    }
    candidates.emplace_back(history.begin(), history.end()).push_back(batch);
  }
  std::optional<Finding> found;
  for (Scenario& scenario : candidates) {
    VYRE_TRY(trial, attempt(bench, scenario));
    if (!trial || !is_the_same(scenario, *trial, batch, seen)) continue;
    scenario.resize(trial->batch + 1);
    VYRE_TRY(narrowed, narrow(bench, scenario, scenario.back(), trial->seen));
    found = std::move(narrowed);
    break;
  }
  if (!found) {
    VYRE_TRY(flaky, chance(bench, batch, seen));
    found = std::move(flaky);
  }
  VYRE_CHECK(restart());
  return std::move(*found);
}

}  // namespace vyre::verify
