// float_sweep: operators on floats over whole domains and over hard inputs, against the oracle.
//
//   float_sweep [--backend SPEC[,SPEC]] [--float FORM[,FORM]] [--preset NAME] [--count N] [--seed N]
//               [--threads N] [--expect] [OPERATION...]
//
// An operation is "fadd.f16", "cast.f32.u32.trunc", "cast.u64.f32", or "fmul_fadd.f32", a product and a sum.
// Where its domain has at most 2^32 inputs all are run; else, or with --count, N directed ones, which the
// seed and their numbers determine. Every result is compared with num/ on the host. A run ends with a row of
// a table: cases, mismatches, rate, and a digest of the results in the order of the inputs, so that two
// backends can be compared by their rows.
// --preset names a list of operations: f16, bf16 (all pairs of their binary operators), unary (all inputs of
// all operators and casts with one operand of at most 32 bits), directed (f32: add, sub, mul, div,
// multiply-add; u64 casts), triples (fmul_add of f16 and bf16, whose 2^48 inputs no run can exhaust).
// functions: all inputs of the elementary functions of one f32; powers: directed inputs of fpow and fatan2.
// --expect asks no backend and prints the oracle's own digests; with --slices FILE it also appends the first
// word of each slice's digest to FILE, as src/verify/domain_digests.bin has them. Exit 0: no mismatch; 1:
// some; 2: usage; 3: no such backend.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "backend/registry/registry.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "check/checked.h"
#include "command_line.h"
#include "domain.h"
#include "operation.h"
#include "spec/ops.h"
#include "text/text.h"

namespace {

using namespace vyre;
using sweep::Operation;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kSlice = uint64_t{1} << 20;

struct Arguments : sweep::CommonArguments {
  std::vector<std::string> forms = {"auto"};
  uint64_t count = 0;  // 0: everything where that is possible
  uint64_t seed = 1;
  std::string slices;  // a file
};

/// A backend in one of its forms.
struct Judged {
  std::string backend, form;
  std::unique_ptr<backend::Backend> opened;
};

/// One thread's: a pipeline for each that is judged, operands, results.
struct Lane {
  std::vector<std::unique_ptr<backend::Pipeline>> pipelines;
  std::vector<std::vector<uint32_t>> columns;
  std::vector<uint32_t> actual, expected;
};

struct Mismatch {
  uint64_t number = UINT64_MAX;
  std::vector<uint32_t> operands;
  uint32_t expected = 0, actual = 0;
};

/// Of one that is judged.
struct Outcome {
  uint64_t mismatches = 0;
  Mismatch first;
  std::string digest;
};

struct Run {
  uint64_t cases = 0;
  double seconds = 0;
  std::vector<Outcome> judged;
  std::vector<uint32_t> slices;  // of the first that is judged: a word of each slice's digest
  std::optional<Diag> error;
};

class Sweep {
 public:
  /// judged: none for the oracle's own answers.
  Sweep(std::span<const Judged> judged, const Operation& operation, const Arguments& arguments)
      : judged_(judged), operation_(operation), seed_(arguments.seed), threads_(arguments.threads) {
    const auto all = sweep::whole(operation);
    directed_ = !all || arguments.count != 0;
    total_ = arguments.count != 0 ? arguments.count : all.value_or(uint64_t{1} << 30);
    out_.judged.resize(std::max<size_t>(1, judged.size()));
    digests_.assign(out_.judged.size(), std::vector<Digest>((total_ + kSlice - 1) / kSlice));
  }

  Run run() {
    const auto begin = Clock::now();
    static const spec::OpTable none;
    auto checked = check::check(sweep::program_of(operation_), none);
    if (!checked) return {.error = checked.error().front()};
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads_; ++t) workers.emplace_back([&] { work(*checked); });
    report(begin);
    workers.clear();
    out_.cases = done_;
    out_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    for (size_t k = 0; k < digests_.size(); ++k) {
      Hasher digest;
      for (const Digest& slice : digests_[k]) digest.update(std::as_bytes(std::span(slice.bytes)));
      out_.judged[k].digest = digest.finish().short_hex();
    }
    for (const Digest& slice : digests_[0]) {
      uint32_t word = 0;
      for (size_t i = 0; i < 4; ++i) word = word << 8 | uint32_t(slice.bytes[i]);
      out_.slices.push_back(word);
    }
    return out_;
  }

 private:
  void work(const check::Checked& checked) {
    Lane lane;
    for (const Judged& one : judged_) {
      auto pipeline = one.opened->compile(checked);
      if (!pipeline) return fail(pipeline.error());
      lane.pipelines.push_back(std::move(*pipeline));
    }
    for (uint64_t slice; (slice = next_++) < digests_[0].size() && !failed_;) {
      const auto result = run_slice(lane, slice);
      if (!result) return fail(result.error());
    }
  }

  Result<void> run_slice(Lane& lane, uint64_t slice) {
    const uint64_t first = slice * kSlice, n = std::min(kSlice, total_ - first);
    lane.columns.resize(operation_.arity());
    std::vector<std::span<uint32_t>> fill;
    for (auto& column : lane.columns) {
      column.resize(n * sweep::operand_words(operation_));
      fill.push_back(column);
    }
    if (directed_) {
      sweep::fill_directed(operation_, seed_, first, fill);
    } else {
      sweep::fill_whole(operation_, first, fill);
    }
    lane.expected.resize(n);
    const std::vector<std::span<const uint32_t>> operands(fill.begin(), fill.end());
    sweep::expect(operation_, operands, lane.expected);
    const auto digest_of = [](const std::vector<uint32_t>& results) {
      return sha256(std::as_bytes(std::span(results)));
    };
    if (lane.pipelines.empty()) digests_[0][slice] = digest_of(lane.expected);
    for (size_t k = 0; k < lane.pipelines.size(); ++k) {
      lane.actual.assign(n, 0xdeadbeef);  // no operator's result, as a pattern of 16 bits, a truth or a NaN
      std::vector<std::span<std::byte>> host;
      for (auto& column : lane.columns) host.push_back(std::as_writable_bytes(std::span(column)));
      host.push_back(std::as_writable_bytes(std::span(lane.actual)));
      VYRE_CHECK(lane.pipelines[k]->dispatch(host, {.x = uint32_t((n + 255) / 256), .y = 1, .z = 1}));
      digests_[k][slice] = digest_of(lane.actual);
      if (lane.actual != lane.expected) compare(lane, out_.judged[k], first);
    }
    done_ += n;
    return {};
  }

  void compare(const Lane& lane, Outcome& out, uint64_t first) {
    const std::scoped_lock lock(mutex_);
    for (size_t i = 0; i < lane.actual.size(); ++i) {
      if (lane.actual[i] == lane.expected[i]) continue;
      ++out.mismatches;
      if (first + i >= out.first.number) continue;
      out.first = {first + i, {}, lane.expected[i], lane.actual[i]};
      const uint32_t words = sweep::operand_words(operation_);
      for (const auto& column : lane.columns) {
        for (uint32_t w = 0; w < words; ++w) out.first.operands.push_back(column[i * words + w]);
      }
    }
  }

  void fail(const Diag& diag) {
    const std::scoped_lock lock(mutex_);
    if (!out_.error) out_.error = diag;
    failed_ = true;
  }

  void report(Clock::time_point begin) {
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    for (uint64_t done; (done = done_) < total_ && !failed_;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      if (!terminal || done == 0) continue;
      fmt::print(stderr, "\r\033[K{}  {:.1f} %  {:.0f} M/s  {:.0f} s left", operation_.name(),
                 100.0 * double(done) / double(total_), double(done) / seconds / 1e6,
                 seconds * double(total_ - done) / double(done));
    }
    if (terminal) fmt::print(stderr, "\r\033[K");
  }

  std::span<const Judged> judged_;
  Operation operation_;
  uint64_t seed_;
  unsigned threads_;
  bool directed_ = false;
  uint64_t total_ = 0;
  std::vector<std::vector<Digest>> digests_;  // by who is judged, then slice
  std::atomic<uint64_t> next_ = 0, done_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  Run out_;
};

std::vector<std::string> preset(std::string_view name) {
  std::vector<std::string> out;
  const auto binary = [](const spec::OpInfo& op) {
    return op.types == spec::kFloats && !spec::is_approximate(op.op) && spec::operand_count(op.op) == 2;
  };
  if (name == "f16" || name == "bf16") {
    for (const spec::OpInfo& op : spec::kOps) {
      if (binary(op)) out.push_back(fmt::format("{}.{}", op.mnemonic, name));
    }
  }
  if (name == "unary") {
    for (const spec::OpInfo& op : spec::kOps) {
      if (op.types != spec::kFloats || spec::is_approximate(op.op) || spec::operand_count(op.op) != 1)
        continue;
      for (const char* type : {"f16", "bf16", "f32"}) out.push_back(fmt::format("{}.{}", op.mnemonic, type));
    }
    for (const spec::TypeInfo& from : spec::kTypes) {
      for (const spec::TypeInfo& to : spec::kTypes) {
        const std::string cast = fmt::format("cast.{}.{}", from.text, to.text);
        if (from.bytes <= 4 && sweep::find_operation(cast)) out.push_back(cast);
        for (size_t m = 1; m < spec::kRoundingModeCount; ++m) {
          const std::string with = fmt::format("{}.{}", cast, spec::text(static_cast<spec::RoundingMode>(m)));
          if (sweep::find_operation(with)) out.push_back(with);
        }
      }
    }
  }
  if (name == "functions" || name == "powers") {
    for (const spec::OpInfo& op : spec::kOps) {
      const bool wanted = spec::operand_count(op.op) == (name == "functions" ? 1u : 2u);
      if (spec::is_elementary(op.op) && wanted) out.push_back(fmt::format("{}.f32", op.mnemonic));
    }
  }
  if (name == "triples") out = {"fmul_add.f16", "fmul_add.bf16"};
  if (name == "quick") {
    for (const char* list : {"f16", "bf16", "unary", "directed", "powers", "triples"}) {
      for (std::string& operation : preset(list)) out.push_back(std::move(operation));
    }
    out.emplace_back("fmul_fadd.f32");
  }
  if (name == "directed") {
    out = {"fadd.f32", "fsub.f32", "fmul.f32", "fdiv.f32", "fmul_add.f32"};
    for (const char* type : {"f16", "bf16", "f32"}) out.push_back(fmt::format("cast.u64.{}", type));
  }
  return out;
}

std::string shown(const std::vector<uint32_t>& operands) {
  std::string out;
  for (const uint32_t x : operands) out += fmt::format("{}{:#x}", out.empty() ? "" : " ", x);
  return out;
}

Result<std::unique_ptr<backend::Backend>> open(const std::string& backend, const std::string& form) {
  backend::Options options;
  options.threads = 1;  // a lane is a thread
  VYRE_TRY(parsed, backend::parse_float_form(form));
  options.floats = parsed;
  return backend::open(backend, options);
}

/// Appends a function's part of src/verify/domain_digests.bin. False where it cannot be written.
bool write_slices(const std::string& file, const Run& run) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  for (const std::byte b : to_bytes(run.slices)) out.put(char(b));
  return bool(out.flush());
}

int run(Arguments arguments) {
  for (const std::string& name : preset(arguments.preset)) arguments.operations.push_back(name);
  if (arguments.operations.empty()) {
    fmt::print(stderr, "float_sweep: name an operation, such as fadd.f16, or a --preset\n");
    return 2;
  }
  if (arguments.threads == 0) arguments.threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Judged> judged;
  for (const std::string& backend : arguments.expect ? std::vector<std::string>{} : arguments.backends) {
    for (const std::string& form : arguments.forms) {
      auto opened = open(backend, form);
      if (!opened) {
        fmt::print(stderr, "float_sweep: {}\n", opened.error().message);
        return 3;
      }
      judged.push_back({backend, form, std::move(*opened)});
    }
  }
  bool wrong = false;
  for (const std::string& name : arguments.operations) {
    const auto operation = sweep::find_operation(name);
    if (!operation) {
      fmt::print(stderr, "float_sweep: there is no operation `{}`\n", name);
      return 2;
    }
    const Run run = Sweep(judged, *operation, arguments).run();
    if (run.error) {
      fmt::print(stderr, "float_sweep: {}: {}\n", name, run.error->message);
      return 3;
    }
    const bool right = std::ranges::all_of(run.judged, [](const Outcome& o) { return o.mismatches == 0; });
    if (!arguments.slices.empty() && right && !write_slices(arguments.slices, run)) {
      fmt::print(stderr, "float_sweep: cannot write to {}\n", arguments.slices);
      return 2;
    }
    for (size_t k = 0; k < run.judged.size(); ++k) {
      const Outcome& o = run.judged[k];
      fmt::print("| {:24} | {:9} | {:8} | {:>14} | {:>10} | {:>6.0f} | {} |\n", name,
                 judged.empty() ? "oracle" : judged[k].backend, judged.empty() ? "" : judged[k].form,
                 run.cases, o.mismatches, double(run.cases) / run.seconds / 1e6, o.digest);
      if (o.mismatches == 0) continue;
      wrong = true;
      fmt::print("  first: number {}: operands {}, expected {:#x}, actual {:#x}\n", o.first.number,
                 shown(o.first.operands), o.first.expected, o.first.actual);
    }
    std::fflush(stdout);
  }
  return wrong ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"operators on floats over whole domains and hard inputs, against the oracle"};
  Arguments a;
  sweep::add_common(app, a, {"f16", "bf16", "unary", "functions", "powers", "directed", "triples", "quick"},
                    "f16, bf16, unary, functions, powers, directed, triples, or quick for all of them",
                    "such as fadd.f16 or cast.f32.u32.trunc");
  sweep::add_list(app, "--float", a.forms, "auto, native or composed, or several of them");
  app.add_option("--count", a.count, "directed inputs of each operation");
  app.add_option("--seed", a.seed, "of directed inputs");
  app.add_option("--slices", a.slices, "a file that gets the words of the slices' digests");
  if (const auto ended = sweep::parse(app, argc, argv)) return *ended;
  return run(a);
}
