// Many questions, asked on several threads, each with a solver of its own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "symbolic/prove.h"
#include "symbolic/shown.h"

namespace vyre::symbolic {

/// Takes a solver's answer, whose witness reads so; whether it was one.
inline bool take_proof(solver::Proof proof, const std::string& witness, Finding& out) {
  out.proof = std::move(proof);
  switch (out.proof.outcome) {
    case solver::Outcome::Proved:
      out.grade = Grade::Proved;
      out.evidence = fmt::format("proved({})", shown_solvers(out.proof));
      return true;
    case solver::Outcome::Refuted:
      out.grade = Grade::Refuted;
      out.evidence = fmt::format("refuted({}; {})", witness, out.proof.smallest ? "smallest" : "as found");
      return true;
    case solver::Outcome::Open: out.note = out.proof.reason; return false;
  }
  std::unreachable();
}

/// Adds a finding a question to the report, in order. An Asker is made on each thread from `with`; it has
/// about(), ask(question), and unasked(question) for what was not begun before the options said to stop.
template <typename Asker, typename Question, typename With>
void ask_all(std::span<const Question> questions, const ProveOptions& options, const With& with,
             ProveReport& out) {
  out.findings.resize(questions.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  const auto work = [&] {
    Asker asker(with);
    {
      const std::lock_guard lock(mutex);
      out.solver = asker.about();
    }
    for (size_t k = next++; k < questions.size(); k = next++) {
      Finding& finding = out.findings[k];
      if (options.stop != nullptr && *options.stop) {
        finding = Asker::unasked(questions[k]);
        finding.evidence = "open", finding.note = "interrupted";
      } else {
        finding = asker.ask(questions[k]);
      }
      const std::lock_guard lock(mutex);
      if (options.progress) options.progress(++done, questions.size(), finding);
    }
  };
  {
    std::vector<std::jthread> threads;
    const unsigned wanted =
        options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < std::min<size_t>(wanted, questions.size()); ++i) threads.emplace_back(work);
    work();
  }
  out.stopped = options.stop != nullptr && *options.stop;
}

}  // namespace vyre::symbolic
