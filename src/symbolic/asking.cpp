#include "symbolic/asking.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "symbolic/shown.h"

namespace vyre::symbolic {

Finding Asker::unasked(const Question& q) {
  return {.operation = q.operation,
          .declared = q.declared,
          .statement = q.statement,
          .subject = "spec",
          .span = q.span};
}

Finding Asker::ask(const Question& q) {
  const auto begin = std::chrono::steady_clock::now();
  Finding out = unasked(q);
  switch (q.declared) {
    case Declared::Equality: equality(q, out); break;
    case Declared::Law: law(q, out); break;
    case Declared::Denial: denial(q, out); break;
    case Declared::Row: row(q, out); break;
  }
  if (out.grade == Grade::Open)
    out.evidence = q.declared == Declared::Denial ? "not refuted by its witness" : "open";
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

bool Asker::take(solver::Proof proof, const std::string& witness, Finding& out) {
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

void ask_all(std::span<const Question> questions, const ProveOptions& options,
             const std::function<std::unique_ptr<Asker>()>& make, ProveReport& out) {
  out.findings.resize(questions.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  const auto work = [&] {
    const std::unique_ptr<Asker> asker = make();
    {
      const std::lock_guard lock(mutex);
      out.solver = asker->about();
    }
    for (size_t k = next++; k < questions.size(); k = next++) {
      Finding& finding = out.findings[k];
      if (options.stop != nullptr && *options.stop) {
        finding = Asker::unasked(questions[k]);
        finding.evidence = "open", finding.note = "interrupted";
      } else {
        finding = asker->ask(questions[k]);
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
