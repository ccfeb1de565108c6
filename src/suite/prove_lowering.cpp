#include "suite/prove_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "symbolic/llvm/emitted.h"
#include "symbolic/spirv/emitted.h"

namespace vyre::suite {
namespace {

using nlohmann::json;
using solver::Outcome;
using symbolic::CodeProver;
using symbolic::LoweringProof;
using symbolic::LoweringRequest;

/// What is proved of each name that it asks about, and how many claims that is.
struct LoweringClaims {
  std::vector<LoweringProof> (*prove)(CodeProver&, const LoweringRequest&);
  size_t claims;
};
constexpr LoweringClaims kLoweringClaims[] = {
    {symbolic::prove_raw_llvm, 1},
    {symbolic::prove_raw_spirv, 1},
    {[](CodeProver& prover, const LoweringRequest& request) {
       return symbolic::prove_legalize(prover, request, symbolic::legalized_targets());
     },
     3},
    {symbolic::prove_emitted_llvm, 2},
    {symbolic::prove_emitted_spirv, 1},
};

/// The threads of a run: each goes through the families and takes what is not taken.
class LoweringProofs {
 public:
  explicit LoweringProofs(const LoweringOptions& options) : options_(options) {}

  LoweringReport operator()() {
    count();
    const unsigned threads =
        options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t) workers.emplace_back([this] { work(); });
    workers.clear();
    return std::move(report_);
  }

 private:
  void count() {
    CodeProver without_solver({.limits = {.seconds = 0}});
    for (const LoweringClaims& family : kLoweringClaims) {
      const auto counted = [&](std::string_view name) {
        if (options_.wanted(name)) all_ += family.claims;
        return false;
      };
      family.prove(without_solver, {.wanted = counted});
    }
  }

  void work() {
    CodeProver prover(options_.prover);
    {
      const std::scoped_lock lock(mutex_);
      report_.solver = prover.about();
    }
    for (size_t f = 0; f < std::size(kLoweringClaims); ++f) {
      const LoweringRequest request{
          .wanted =
              [&](std::string_view name) { return !stopped() && options_.wanted(name) && take(f, name); },
          .done = [&](const LoweringProof& proof) { add(proof); }};
      kLoweringClaims[f].prove(prover, request);
    }
  }

  bool stopped() const { return options_.stop != nullptr && *options_.stop; }

  bool take(size_t family, std::string_view name) {
    const std::scoped_lock lock(mutex_);
    return taken_[family].emplace(name).second;
  }

  void add(const LoweringProof& proof) {
    const std::scoped_lock lock(mutex_);
    report_.proofs.push_back(proof);
    if (options_.progress) options_.progress(report_.proofs.size(), all_, proof);
  }

  const LoweringOptions& options_;
  LoweringReport report_;
  size_t all_ = 0;  // claims
  std::array<std::set<std::string, std::less<>>, std::size(kLoweringClaims)> taken_;
  std::mutex mutex_;
};

std::string words(const std::vector<smt::Assigned>& witness) {
  std::string out;
  for (const smt::Assigned& a : witness)
    out += fmt::format("{}{:#x}", out.empty() ? "" : ", ", uint64_t(a.value));
  return out;
}

}  // namespace

bool LoweringReport::good() const {
  return std::ranges::none_of(proofs,
                              [](const LoweringProof& p) { return p.proof.outcome == Outcome::Refuted; });
}

std::string_view operator_of(std::string_view operation) {
  return operation.starts_with("primitive.") ? operation : operation.substr(0, operation.find_first_of(" ."));
}

LoweringReport prove_lowering(const LoweringOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  LoweringReport out = LoweringProofs(options)();
  std::ranges::sort(out.proofs, {}, [](const LoweringProof& p) { return std::tie(p.subject, p.operation); });
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

std::string lowering_table(const LoweringReport& report) {
  struct Counts {
    std::array<size_t, 3> by{};  // Outcome
    size_t derived = 0;          // of those proved
    double seconds = 0;
  };
  std::map<std::string_view, Counts> subjects;
  std::string notes;
  for (const LoweringProof& p : report.proofs) {
    Counts& counts = subjects[p.subject];
    ++counts.by[size_t(p.proof.outcome)];
    counts.seconds += p.proof.seconds;
    if (p.proof.outcome == Outcome::Proved && !p.theorem.empty()) {
      ++counts.derived;
      notes += fmt::format("derived({}): {} of {}\n", p.theorem, p.subject, p.operation);
    }
    if (p.proof.outcome == Outcome::Open)
      notes += fmt::format("open: {} of {}: {}\n", p.subject, p.operation, p.proof.reason);
    if (p.proof.outcome == Outcome::Refuted)
      notes += fmt::format("REFUTED: {} of {}: {}\n", p.subject, p.operation, words(p.proof.witness));
  }
  if (subjects.empty()) return "";
  std::string out = fmt::format("\n{:<20} {:>8} {:>8} {:>8} {:>8} {:>6} {:>9}\n", "lowering", "claims",
                                "proved", "derived", "refuted", "open", "seconds");
  for (const auto& [subject, c] : subjects) {
    out += fmt::format("{:<20} {:>8} {:>8} {:>8} {:>8} {:>6} {:>9.1f}\n", subject,
                       c.by[0] + c.by[1] + c.by[2], c.by[size_t(Outcome::Proved)] - c.derived, c.derived,
                       c.by[size_t(Outcome::Refuted)], c.by[size_t(Outcome::Open)], c.seconds);
  }
  return out + notes + fmt::format("{:.1f} s\n", report.seconds);
}

json lowering_json(const LoweringReport& report) {
  json out = json::array();
  for (const LoweringProof& p : report.proofs) {
    json one = {{"operation", p.operation},         {"subject", p.subject},
                {"outcome", text(p.proof.outcome)}, {"digest", p.proof.statement.hex()},
                {"solver", p.proof.solver},         {"seconds", p.proof.seconds}};
    if (!p.theorem.empty()) one["theorem"] = p.theorem;
    if (!p.proof.reason.empty()) one["note"] = p.proof.reason;
    if (p.proof.outcome == Outcome::Refuted) {
      json witness = json::object();
      for (size_t i = 0; i < p.proof.witness.size(); ++i)
        witness[std::to_string(i)] = uint64_t(p.proof.witness[i].value);
      one["witness"] = std::move(witness);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace vyre::suite
