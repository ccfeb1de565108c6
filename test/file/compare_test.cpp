// Programs whose bytes are too many to write down: the files of test/compare run on buffers of pseudo-random
// words, and everything that runs programs must give the bytes of the reference.
//
//   // compare: groups=[3] size=[3, 4] a=130 out=192
//
// is one dispatch: a buffer with a list has those elements, one with a number so many elements of
// pseudo-random words, and any other none. It is compared on every backend that is there, on native code at
// each level with one thread and several, and on the evaluator of kernels, before and after legalization for
// every form of target. Files may have `run` lines as well, which run_test.cpp runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "algebra/file_laws.h"
#include "backend/native/native.h"
#include "base/random.h"
#include "files.h"
#include "host/file_tests.h"
#include "ops/operation.h"
#include "oracle.h"
#include "unit/lower/three_ways.h"

VYRE_ORACLE(ReferenceInterpreter,
            "ref/, which shares no code with lowering; the reference, for every program of a batch; and "
            "pipelines outlive the backend and their siblings");

namespace vyre::file_test {
namespace {

/// Words that hit the edges often: half of them are small or structured, half are random.
void fill(Bytes& bytes, RandomStream& random) {
  constexpr uint32_t kEdges[] = {0,          1,          2,          3,         7,          31,
                                 32,         33,         63,         64,        0x7fffffff, 0x80000000,
                                 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555};
  for (size_t at = 0; at < bytes.size(); at += 4) {
    const uint32_t word = random.chance(2) ? kEdges[random.below(16)] : random.next();
    std::memcpy(bytes.data() + at, &word, std::min<size_t>(4, bytes.size() - at));
  }
}

/// A `compare` line: the dispatch, its buffers as far as they are listed, and the elements of the others.
struct Comparison {
  host::RunCase given;
  std::map<std::string, uint32_t, std::less<>> counts;

  /// The buffers, those without a list with this part of their elements.
  host::Buffers buffers(uint64_t seed, uint32_t thirds = 3) const {
    host::Buffers out = given.inputs;
    RandomStream random(seed, 17);
    for (const std::string& name : out.order) {
      const auto count = counts.find(name);
      if (count == counts.end()) continue;
      host::NamedBuffer& buffer = out.by_name.find(name)->second;
      buffer.bytes.resize(size_t{count->second} * thirds / 3 * spec::info(buffer.element).bytes);
      fill(buffer.bytes, random);
    }
    return out;
  }
  /// Whether another seed gives other buffers.
  bool is_random() const {
    return std::ranges::any_of(counts, [](const auto& count) { return count.second != 0; });
  }
};

/// The lines of a file, read by the parser of `run` lines, for which a number is a constant.
std::vector<Comparison> comparisons(const host::TestFile& file) {
  std::vector<Comparison> out;
  std::istringstream lines{std::string(file.source->text())};
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kMark = "// compare: ";
    if (!line.starts_with(kMark)) continue;
    auto parsed = text::parse_directives("// run: " + line.substr(kMark.size()) + " => none=[]");
    if (!parsed) throw std::runtime_error(line + ": " + parsed.error().message);
    text::RunDirective& run = parsed->runs[0];
    Comparison& made = out.emplace_back();
    made.counts.swap(run.constants);
    run.outputs.clear();
    auto given = host::case_of(file.module, run);
    if (!given) throw std::runtime_error(line + ": " + given.error().message);
    made.given = std::move(*given);
    for (const auto& [name, count] : made.counts)
      if (!made.given.inputs.by_name.contains(name)) throw std::runtime_error(line + ": no buffer " + name);
  }
  return out;
}

host::TestFile read_file(const std::string& name) {
  host::TestFile file =
      host::read_test_file(name, read_text(name), ops::op_table(), algebra::check_witnesses);
  if (!file.module) throw std::runtime_error(explain(file.diagnostics, *file.source));
  return file;
}

std::shared_ptr<backend::Backend> native(int level, unsigned threads) {
  auto backend = backend::make_native({.optimisation = level, .threads = threads});
  if (!backend) throw std::runtime_error(backend.error().message);
  return std::move(*backend);
}

/// What is compared with the reference.
const std::vector<OpenBackend>& compared() {
  static const std::vector<OpenBackend> all = [] {
    std::vector<OpenBackend> out;
    for (const OpenBackend& open : under_test())
      if (open.name != "reference" && open.name != "native") out.push_back(open);
    if (!demanded_backend().empty()) return out;
    out.push_back({"native at level 0", native(0, 1)});
    out.push_back({"native at level 2", native(2, 1)});
    out.push_back({"native by threads", native(2, 3)});
    return out;
  }();
  return all;
}

class RunCompared : public testing::TestWithParam<std::string> {
 protected:
  /// Runs over the buffers; where `ready` refuses, the code of its refusal.
  static std::optional<DiagCode> run(Result<host::ReadyStep>& ready, host::Buffers& buffers,
                                     const layout::Groups& groups) {
    if (!ready) return ready.error().code;
    const auto ran = ready->run(buffers, groups);
    return ran ? std::nullopt : std::optional(ran.error().code);
  }

  /// The bytes of the reference, from everything. What it refuses, for the shape of a tensor, all refuse.
  void compare(const host::Buffers& before, const layout::Groups& groups, bool may_be_refused) {
    host::Buffers expected = before;
    const auto refused = run(*reference_, expected, groups);
    ASSERT_TRUE(!refused || may_be_refused) << diag_info(*refused).name;
    for (size_t i = 0; i < compared().size(); ++i) {
      if (!ready_[i]) continue;
      host::Buffers actual = before;
      ASSERT_EQ(run(*ready_[i], actual, groups), refused) << compared()[i].name;
      const auto equal = host::expect_equal(expected, "reference", actual, compared()[i].name);
      EXPECT_TRUE(equal) << equal.error().message;
    }
  }

  void compare_kernels(const check::Checked& program, const host::Buffers& before,
                       const layout::Groups& groups) {
    host::Buffers expected = before;
    ASSERT_EQ(run(*reference_, expected, groups), std::nullopt);
    const auto expect_same = [&](const lower::Kernel& kernel, uint64_t seed, std::string_view name) {
      host::Buffers actual = before;
      const auto bindings = layout::bind(program, spans_of(actual, program), groups);
      ASSERT_TRUE(bindings) << bindings.error().message;
      const auto ran = lower::evaluate(kernel, *bindings, groups, {.seed = seed, .max_steps = lower::kSteps});
      ASSERT_TRUE(ran) << name << ": " << ran.error().message;
      const auto equal = host::expect_equal(expected, "reference", actual, name);
      EXPECT_TRUE(equal) << equal.error().message << "\n" << lower::print(kernel);
    };
    expect_same(kernel_, 0, "kernel");
    for (size_t i = 0; i < legal_.size(); ++i)
      for (const uint64_t seed : {0, 1, 2}) expect_same(legal_[i], seed, lower::targets()[i].name);
  }

  void prepare(const host::Step& step) {
    reference_.emplace(host::ReadyStep::make(*backends()[0].backend, step));
    const auto& size = step.checked->program().workgroup_size;
    for (const OpenBackend& open : compared()) {
      auto ready = host::ReadyStep::make(*open.backend, step);
      const bool too_large =
          uint64_t{size[0]} * size[1] * size[2] > open.backend->limits().max_invocations_per_group;
      EXPECT_EQ(ready.has_value(), !too_large) << open.name << ": " << ready.error().message;
      ready_.push_back(too_large ? std::nullopt : std::optional(std::move(ready)));
    }
    kernel_ = lower::build(*step.checked);
    lower::expect_well_formed(kernel_);
    for (const lower::Target& target : lower::targets()) {
      legal_.push_back(lower::legalize(kernel_, target));
      EXPECT_TRUE(legal_.back().legal);
      lower::expect_well_formed(legal_.back());
    }
  }

 private:
  std::optional<Result<host::ReadyStep>> reference_;
  std::vector<std::optional<Result<host::ReadyStep>>> ready_;  // one a backend; none: it is too small
  lower::Kernel kernel_;
  std::vector<lower::Kernel> legal_;
};

TEST_P(RunCompared, EverythingGivesTheBytesOfTheReference) {
  const host::TestFile file = read_file(GetParam());
  const std::vector<Comparison> all = comparisons(file);
  ASSERT_FALSE(all.empty()) << "no compare line";
  prepare(all[0].given.step);
  for (const Comparison& comparison : all) {
    const layout::Groups groups = comparison.given.step.groups;
    if (demanded_backend().empty())
      compare_kernels(*comparison.given.step.checked, comparison.buffers(0), groups);
    const uint64_t seeds = comparison.is_random() ? 6 : 1;
    for (uint64_t seed = 0; seed < seeds; ++seed) compare(comparison.buffers(seed), groups, false);
    if (!comparison.is_random()) continue;
    // Buffers that are shorter than the program expects, and one group alone.
    compare(comparison.buffers(77, 2), groups, true);
    compare(comparison.buffers(77, 2), {}, true);
  }
}
const std::vector<std::string>& compare_files() {
  static const std::vector<std::string> all = files_in({"test/compare"}, ".vyre");
  return all;
}
INSTANTIATE_TEST_SUITE_P(Files, RunCompared, testing::ValuesIn(compare_files()), test_name);

// covers: EX-58
TEST(RunComparison, AWrongOperatorIsSeen) {
  VYRE_ORACLE(SpecificationTable, "a wrong operator is planted; the comparison above must be able to fail");
  const Comparison right = comparisons(read_file("test/compare/straight-line.vyre")).at(0);
  std::string text = read_text("test/compare/straight-line.vyre");
  text.replace(text.find("a[i] ^ b[i]"), 11, "a[i] | b[i]");
  auto wrong = text::parse_module(text, &ops::op_table());
  ASSERT_TRUE(wrong);
  const auto checked = check::check(std::move(*wrong), ops::op_table());
  ASSERT_TRUE(checked);
  const auto backend = native(2, 1);
  auto one = host::ReadyStep::make(*backends()[0].backend, right.given.step);
  auto other = host::ReadyStep::make(*backend, host::Step::of(*checked, {}, right.given.step.groups));
  ASSERT_TRUE(one && other);
  host::Buffers expected = right.buffers(1), actual = expected;
  ASSERT_TRUE(one->run(expected, right.given.step.groups) && other->run(actual, right.given.step.groups));
  EXPECT_FALSE(host::expect_equal(expected, "reference", actual, "native"));
}

TEST(RunComparison, ABatchIsAsGoodAsItsPrograms) {
  if (!demanded_backend().empty()) return;
  std::vector<Comparison> all;
  for (int copy = 0; copy < 5; ++copy)
    for (const std::string& file : compare_files()) all.push_back(comparisons(read_file(file)).at(0));
  std::vector<const check::Checked*> programs;
  for (const Comparison& one : all) programs.push_back(one.given.step.checked.get());
  auto backend = native(0, 3);  // three modules, compiled at the same time
  auto pipelines = backend->compile_batch(programs);
  backend.reset();
  ASSERT_EQ(pipelines.size(), programs.size());
  for (size_t i = 0; i < pipelines.size(); ++i) {
    ASSERT_TRUE(pipelines[i]) << pipelines[i].error().message;
    const layout::Groups groups = all[i].given.step.groups;
    host::Buffers expected = all[i].buffers(i), actual = expected;
    ASSERT_TRUE((*pipelines[i])->dispatch(spans_of(actual, *programs[i]), groups));
    auto reference = host::ReadyStep::make(*backends()[0].backend, all[i].given.step);
    ASSERT_TRUE(reference->run(expected, groups));
    EXPECT_TRUE(host::expect_equal(expected, "reference", actual, "native"))
        << compare_files()[i % compare_files().size()];
    if (i % 2 == 0) pipelines[i]->reset();
  }
}

}  // namespace
}  // namespace vyre::file_test
