#include "verify/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <ranges>
#include <thread>
#include <utility>

#include "ops/operation.h"
#include "ref/plan.h"
#include "text/text.h"
#include "verify/guard_words.h"
#include "verify/section.h"

namespace vyre::verify {

using library::Invariant;
using opspec::Buffers;
using opspec::Record;

namespace {

constexpr uint64_t kEngineStream = 0x656e'6769'6e65;  // of the words that cases are made of
constexpr uint32_t kSmallSize = 12;                   // of cases on the reference interpreter
constexpr uint64_t kScheduleSeeds = 3;
constexpr std::byte kPoison{0xa7};  // of memory between two equal runs

Violation unstaged(std::string what) { return {std::move(what), {}}; }

std::string shown(const Record& record) { return fmt::format("({})", fmt::join(record, ", ")); }

std::map<Record, size_t> counted(const std::vector<Record>& records) {
  std::map<Record, size_t> out;
  for (const Record& record : records) ++out[record];
  return out;
}

/// All values of the constants that have a list, in all combinations but the engine's own.
std::vector<EngineConstants> other_constants(const ir::Module& module, const EngineConstants& chosen) {
  std::vector<EngineConstants> out = {chosen};
  EngineConstants own = chosen;
  for (const ir::Constant& constant : module.constants) {
    if (constant.allowed.empty() || chosen.contains(constant.name)) continue;
    own[constant.name] = constant.value;
    std::vector<EngineConstants> more;
    for (const EngineConstants& one : out) {
      for (const uint32_t value : constant.allowed) {
        more.push_back(one);
        more.back()[constant.name] = value;
      }
    }
    out = std::move(more);
  }
  std::erase(out, own);
  return out;
}

uint32_t entry_of(const ir::Module& module, std::string_view name) {
  return uint32_t(std::ranges::find(module.pipelines, name, &ir::Pipeline::name) - module.pipelines.begin());
}

Result<std::shared_ptr<const check::CheckedModule>> checked(std::string_view text,
                                                            const EngineConstants& constants) {
  VYRE_TRY(module, text::parse_module(text, &ops::op_table(), constants));
  auto out = check::check(module, ops::op_table());
  if (!out) return std::unexpected(out.error().front());
  return std::move(*out);
}

}  // namespace

EngineModel model_of(const library::Engine& engine) {
  const library::Entry& entry = *library::find(engine.id);
  const opspec::EngineSpec& spec = *opspec::find_engine_spec(engine.id);
  const opspec::OperationSpec& operation = *opspec::find_operation(engine.id);
  EngineModel out{.id = std::string(engine.id),
                  .text = std::string(entry.file->text),
                  .constants = {entry.constants.begin(), entry.constants.end()},
                  .promises = engine.promises,
                  .dispatches = std::string(engine.dispatches),
                  .scratch_bytes = std::string(engine.scratch_bytes),
                  .turns = std::string(engine.turns)};
  out.make = spec.tagged != nullptr ? spec.tagged : operation.generate;
  out.reference = operation.reference;
  out.records = spec.records;
  out.needed = spec.needed;
  out.shorten = spec.shorten;
  out.written = spec.written;
  out.smaller = [&operation](const Buffers& buffers) { return opspec::smaller_cases(operation, buffers); };
  return out;
}

EngineModel model_of(const generate::GeneratedEngine& engine) {
  return {.id = engine.strategy(),
          .number = engine.number,
          .text = engine.text,
          .constants = {},
          .promises = engine.promises,
          .dispatches = engine.dispatches,
          .scratch_bytes = engine.scratch_bytes,
          .turns = engine.turns,
          .make = engine.tagged ? engine.tagged : engine.generate,
          .reference = engine.reference,
          .records = engine.records,
          .needed = engine.needed,
          .shorten = engine.shorten,
          .written = engine.written,
          .smaller = generate::smaller_engine_cases};
}

Result<EngineJudge::Variant> EngineJudge::compile(backend::Backend& backend, const EngineModel& model,
                                                  const EngineConstants& constants) {
  static constexpr opspec::OperationSpec kAny{};  // the judge only runs it
  VYRE_TRY(module, checked(model.text, constants));
  VYRE_TRY(judge, BufferJudge::make(backend, kAny, module));
  return Variant{constants, std::move(module), std::move(judge)};
}

EngineJudge::EngineJudge(backend::Backend& backend, std::shared_ptr<const EngineModel> model, Variant whole)
    : backend_(&backend), model_(std::move(model)), whole_(std::move(whole)) {}

Result<EngineJudge> EngineJudge::make(backend::Backend& backend, EngineModel model) {
  auto shared = std::make_shared<const EngineModel>(std::move(model));
  VYRE_TRY(whole, compile(backend, *shared, shared->constants));
  EngineJudge out(backend, shared, std::move(whole));
  VYRE_TRY(bounds, DeclaredBounds::make(shared->text, shared->constants, shared->dispatches,
                                        shared->scratch_bytes, shared->turns));
  out.bounds_.emplace(std::move(bounds));
  return out;
}

void EngineJudge::forget() {
  names_stages_ = true;
  whole_.judge.forget();
  if (whole_.stages) whole_.stages->forget();
  for (Variant& other : others_) {
    other.judge.forget();
    if (other.stages) other.stages->forget();
  }
  if (recorded_) recorded_->forget();
  if (load_) load_->forget();
}

Buffers EngineJudge::make_case(std::optional<Invariant> invariant, uint64_t seed, uint64_t number,
                               std::optional<uint32_t> size) const {
  const uint64_t which = invariant ? uint64_t(*invariant) : library::kInvariants.size();
  RandomStream random(seed, (kEngineStream + which + (model_->number << 8)) << 32 | number);
  constexpr uint32_t kFew = 40, kSome = 700, kMany = 5000;
  constexpr uint32_t kPastAnAxis = 66'000;  // more invocations than an axis has groups
  constexpr uint64_t kLargeEvery = 32, kLargeOne = 7;
  const uint32_t most = random.chance(8) ? kMany : random.chance(3) ? kSome : kFew;
  const uint32_t drawn = (number + model_->number) % kLargeEvery == kLargeOne
                             ? kPastAnAxis + random.below(kMany)
                             : random.below(most);
  return model_->make(random, size.value_or(drawn));
}

Result<EngineBounds> EngineJudge::bounds(const Buffers& input) const {
  std::vector<ref::PlanParameter> parameters;
  for (const opspec::Buffer& buffer : input) parameters.push_back({buffer.size(), buffer});
  return bounds_->of(parameters);
}

Result<EngineJudge::Run> EngineJudge::run(Variant& variant, const Buffers& input) {
  Run out;
  out.notes.guard_bytes = kGuardBytes;
  const uint64_t guards = variant.judge.guard_words(), broken = variant.judge.broken();
  VYRE_TRY(left, variant.judge.run(input, &out.notes));
  out.left = std::move(left);
  if (!std::exchange(has_left_, true)) left_ = out.left;
  out.broken = variant.judge.broken() - broken + out.notes.broken_guards;
  guard_words_ += variant.judge.guard_words() - guards + out.notes.guard_words;
  broken_ += out.broken;
  dispatches_ += out.notes.dispatches;
  return out;
}

Result<std::optional<std::string>> EngineJudge::judge_bytes(const Buffers& input, Buffers* left) {
  Buffers wanted = input;
  model_->reference(wanted);
  VYRE_TRY(got, run(whole_, input));
  if (left != nullptr) *left = got.left;
  if (got.broken != 0) return fmt::format("{} guard words beside the buffers are others", got.broken);
  return whole_.judge.difference(wanted, got.left);
}

Result<std::optional<Violation>> EngineJudge::judge(std::optional<Invariant> invariant, const Buffers& input,
                                                    bool thorough) {
  has_left_ = false;
  left_.clear();
  if (!invariant) {
    Buffers wanted = input, left;
    model_->reference(wanted);
    VYRE_TRY(difference, judge_bytes(input, &left));
    if (difference && left == wanted) return unstaged(*difference);
    return differ(whole_, input, "other bytes than the reference's", wanted, left);
  }
  switch (*invariant) {
    case Invariant::Deterministic: return deterministic(input, thorough);
    case Invariant::NoOutputLost: return nothing_lost(input);
    case Invariant::NoDuplicate: return no_duplicate(input);
    case Invariant::Ordered: return ordered(input);
    case Invariant::Bounded: return bounded(input);
    case Invariant::Termination: return terminates(input);
    case Invariant::AtomicLinearizable: return linearizable(input);
    case Invariant::WorkgroupInvariant: return any_constants(input);
  }
  return std::nullopt;
}

Result<StageRun*> EngineJudge::stages(Variant& variant) {
  if (!variant.stages) {
    VYRE_TRY(made, StageRun::make(*backend_, variant.module, entry_of(variant.module->module(), "main")));
    variant.stages.emplace(std::move(made));
  }
  return &*variant.stages;
}

Result<std::string> EngineJudge::writer(Variant& variant, const Buffers& input, size_t parameter,
                                        size_t byte) {
  if (!names_stages_) return std::string();
  VYRE_TRY(run, stages(variant));
  VYRE_TRY(report, run->run(input));
  const Stage* stage = report.last_writer(parameter, byte / 4);
  return stage == nullptr ? std::string() : run->text(*stage);
}

Result<std::string> EngineJudge::failing_stage(backend::Backend& backend, const Buffers& input) {
  VYRE_TRY(failing, StageRun::make(backend, whole_.module, entry_of(whole_.module->module(), "main")));
  uint64_t done = 0;
  if (failing.run(input, [&](const SeenDispatch&) { ++done; })) return std::string();
  VYRE_TRY(run, stages(whole_));
  VYRE_TRY(report, run->run(input));
  return done < report.stages.size() ? run->text(report.stages[size_t(done)]) : std::string();
}

template <typename Of>
Result<std::string> EngineJudge::last_change(const Buffers& input, const Of& of) {
  if (!names_stages_) return std::string();
  VYRE_TRY(run, stages(whole_));
  Buffers now = input;
  auto before = of(now);
  std::string out;
  const auto see = [&](const SeenDispatch& seen) {
    for (size_t b = 0; b < seen.buffers.size(); ++b)
      if (seen.buffers[b].kind == ref::PlanBuffer::Kind::Parameter)
        now[seen.buffers[b].number].assign(seen.after[b].begin(), seen.after[b].end());
    if (auto after = of(now); after != before) {
      before = std::move(after);
      out = run->text(seen.stage);
    }
  };
  VYRE_CHECK(run->run(input, see));
  return out;
}

Result<std::string> EngineJudge::record_stage(const Buffers& input, const Record& wrong) {
  if (!names_stages_) return std::string();
  VYRE_TRY(run, stages(whole_));
  VYRE_TRY(report, run->run(input));
  const auto records = model_->records(report.buffers);
  const auto last = std::ranges::find(records | std::views::reverse, wrong);
  const auto at = size_t(records.rend() - last) - 1;
  // Of the dispatches whose words are still there the last one whose words are the record's: with others in
  // their place the record is another one. With another count there are only more of them, or fewer.
  for (size_t by = last == records.rend() ? 0 : report.stages.size(); by != 0; --by) {
    Buffers turned = report.buffers;
    for (size_t p = 0; p < turned.size(); ++p)
      for (size_t byte = 0; byte < turned[p].size(); ++byte)
        if (report.writers[p][byte / 4] == by) turned[p][byte] = ~turned[p][byte];
    if (turned == report.buffers) continue;
    const auto others = model_->records(turned);
    if (others.size() > at && others[at] != wrong) return run->text(report.stages[by - 1]);
  }
  return last_change(input, model_->records);
}

Result<std::optional<Violation>> EngineJudge::differ(Variant& variant, const Buffers& input,
                                                     std::string_view how, const Buffers& first,
                                                     const Buffers& again) {
  for (size_t b = 0; b < first.size(); ++b) {
    const auto difference = whole_.judge.difference(b, first[b], again[b]);
    if (!difference) continue;
    const auto at = std::ranges::mismatch(first[b], again[b]).in1 - first[b].begin();
    std::string stage = writer(variant, input, b, size_t(at)).value_or("");
    // A word that no dispatch wrote is attributed to the one that writes it with the engine's own constants.
    if (stage.empty()) {
      VYRE_TRY(meant, writer(whole_, input, b, size_t(at)));
      stage = std::move(meant);
    }
    return Violation{fmt::format("{}: {}", how, *difference), std::move(stage)};
  }
  return std::nullopt;
}

Result<std::optional<Violation>> EngineJudge::deterministic(const Buffers& input, bool thorough) {
  VYRE_TRY(first, run(whole_, input));
  // What another case and another pipeline leave behind makes no difference, nor what memory has before.
  const Buffers other = make_case(Invariant::Deterministic, 0, input.size(), kSmallSize);
  VYRE_CHECK(run(whole_, other));
  const opspec::OperationSpec& scan = *opspec::find_operation("collection.scan_inclusive_add");
  if (!load_) {
    VYRE_TRY(load, BufferJudge::make(*backend_, scan));
    load_.emplace(std::move(load));
  }
  const Buffers scanned = opspec::make_case(scan, 0, 0);
  VYRE_CHECK(load_->run(scanned));
  VYRE_CHECK(whole_.judge.spoil(kPoison));
  VYRE_TRY(again, run(whole_, input));
  VYRE_TRY(difference, differ(whole_, input, "two equal runs", first.left, again.left));
  if (difference) return difference;
  // Nor what the device does at the same time: for another thread, and in the same submission.
  VYRE_TRY(loaded, under_load(input, scanned));
  VYRE_TRY(under, differ(whole_, input, "a run beside what another thread runs", first.left, loaded.left));
  if (under) return under;
  const std::array lanes = {other, input, other, input};
  const uint64_t guards = whole_.judge.guard_words(), broken = whole_.judge.broken();
  VYRE_TRY(together, whole_.judge.run_together(lanes));
  guard_words_ += whole_.judge.guard_words() - guards;
  broken_ += whole_.judge.broken() - broken;
  for (const size_t lane : {1, 3}) {
    VYRE_TRY(beside, differ(whole_, input, "a run submitted with others", first.left, together[lane]));
    if (beside) return beside;
  }
  return thorough ? scheduled(input) : Result<std::optional<Violation>>(std::nullopt);
}

Result<EngineJudge::Run> EngineJudge::under_load(const Buffers& input, const Buffers& scanned) {
  std::atomic<bool> stop = false, runs = false;
  Result<void> load_ran;
  std::jthread load([&] {
    do {
      const auto ran = load_->run(scanned);
      runs = true;
      if (!ran) load_ran = std::unexpected(ran.error());
    } while (!stop && load_ran);
  });
  while (!runs) std::this_thread::yield();
  auto out = run(whole_, input);
  stop = true;
  load.join();
  VYRE_CHECK(load_ran);
  return out;
}

Result<std::optional<Violation>> EngineJudge::scheduled(const Buffers& input) {
  if (schedules_.empty()) {
    std::vector<Schedule> made;
    for (uint64_t seed = 0; seed <= kScheduleSeeds; ++seed) {
      // The last looks for races instead.
      backend::ReferenceOptions options;
      options.detect_races = seed == kScheduleSeeds;
      if (seed != 0 && !options.detect_races) options.schedule = seed;
      auto interpreter = backend::make_reference(options);
      VYRE_TRY(engine, compile(*interpreter, *model_, model_->constants));
      made.push_back({std::move(interpreter), std::move(engine), options.detect_races});
    }
    schedules_ = std::move(made);
  }
  std::optional<Buffers> first;
  for (size_t seed = 0; seed < schedules_.size(); ++seed) {
    Schedule& schedule = schedules_[seed];
    auto left = schedule.engine.judge.run(input);
    const bool raced = !left && (left.error().code == DiagCode::X013 || left.error().code == DiagCode::X016);
    if (raced && schedule.detects_races) {
      // A plain store beside atomics breaks what is promised of these: the history of the same run shows it.
      if (model_->promises.has(Invariant::AtomicLinearizable)) {
        VYRE_TRY(found, linearizable(input));
        if (found) return std::nullopt;
      }
      std::string stage = failing_stage(*schedule.interpreter, input).value_or("");
      return Violation{text_of(left.error()), std::move(stage)};
    }
    if (!left) return std::unexpected(std::move(left).error());
    if (!first) first = *left;
    const std::string how = fmt::format("in schedule {} of the reference interpreter", seed);
    VYRE_TRY(difference, differ(whole_, input, how, *first, *left));
    if (difference) return difference;
  }
  return std::nullopt;
}

Result<std::optional<Violation>> EngineJudge::nothing_lost(const Buffers& input) {
  Buffers wanted = input;
  model_->reference(wanted);
  VYRE_TRY(got, run(whole_, input));
  const auto there = counted(model_->records(got.left));
  for (const auto& [record, times] : counted(model_->records(wanted))) {
    const auto known = there.find(record);
    if (known != there.end() && known->second >= times) continue;
    std::string stage = last_change(input, model_->records).value_or("");
    return Violation{fmt::format("record {} of the reference is not there", shown(record)), std::move(stage)};
  }
  const uint64_t needed = model_->needed(got.left);
  if (const uint64_t meant = model_->needed(wanted); needed < meant) {
    std::string stage = last_change(input, model_->needed).value_or("");
    return Violation{
        fmt::format("it says that it needs room for {} records, and there are {}", needed, meant),
        std::move(stage)};
  }
  // Where outputs are too short, what is needed is said all the same.
  Buffers less = input;
  model_->shorten(less);
  VYRE_TRY(shorter, run(whole_, less));
  if (const uint64_t said = model_->needed(shorter.left); said != needed) {
    std::string stage = last_change(less, model_->needed).value_or("");
    return Violation{
        fmt::format("with shorter outputs it says that it needs room for {} records, else {}", said, needed),
        std::move(stage)};
  }
  return std::nullopt;
}

Result<std::optional<Violation>> EngineJudge::no_duplicate(const Buffers& input) {
  Buffers wanted = input;
  model_->reference(wanted);
  VYRE_TRY(got, run(whole_, input));
  const auto meant = counted(model_->records(wanted));
  for (const auto& [record, times] : counted(model_->records(got.left))) {
    const auto known = meant.find(record);
    const size_t most = known == meant.end() ? 1 : known->second;
    if (times <= most) continue;
    std::string stage = record_stage(input, record).value_or("");
    return Violation{fmt::format("record {} is there {} times, not {}", shown(record), times, most),
                     std::move(stage)};
  }
  return std::nullopt;
}

Result<std::optional<Violation>> EngineJudge::ordered(const Buffers& input) {
  VYRE_TRY(got, run(whole_, input));
  const auto records = model_->records(got.left);
  const auto wrong = std::ranges::adjacent_find(records, std::ranges::greater());
  if (wrong == records.end()) return std::nullopt;
  std::string stage = record_stage(input, *wrong).value_or("");
  return Violation{fmt::format("record {}, {}, stands before {}", wrong - records.begin(), shown(*wrong),
                               shown(*std::next(wrong))),
                   std::move(stage)};
}

Result<std::optional<Violation>> EngineJudge::bounded(const Buffers& input) {
  VYRE_TRY(found, bounded_run(input));
  if (found) return found;
  Buffers less = input;
  model_->shorten(less);
  return bounded_run(less);
}

Result<std::optional<Violation>> EngineJudge::bounded_run(const Buffers& input) {
  VYRE_TRY(got, run(whole_, input));
  VYRE_TRY(most, bounds(input));
  const auto first_beside = [&]() -> Result<std::string> {
    VYRE_TRY(staged, stages(whole_));
    std::string out;
    VYRE_CHECK(staged->run(input, [&](const SeenDispatch& seen) {
      if (seen.broken != 0 && out.empty()) out = staged->text(seen.stage);
    }));
    return out;
  };
  const auto first_beyond = [&]() -> Result<std::string> {
    VYRE_TRY(staged, stages(whole_));
    VYRE_TRY(report, staged->run(input));
    const bool there = report.stages.size() > most.dispatches;
    return there ? staged->text(report.stages[size_t(most.dispatches)]) : std::string();
  };
  if (got.broken != 0)
    return Violation{fmt::format("{} guard words beside buffers and scratch are others", got.broken),
                     first_beside().value_or("")};
  if (got.notes.dispatches > most.dispatches)
    return Violation{
        fmt::format("{} dispatches, and at most {} are declared", got.notes.dispatches, most.dispatches),
        first_beyond().value_or("")};
  if (got.notes.scratch_bytes > most.scratch_bytes)
    return unstaged(fmt::format("{} bytes of scratch, and at most {} are declared", got.notes.scratch_bytes,
                                most.scratch_bytes));
  const std::vector<uint64_t> written = model_->written(got.left);
  for (size_t b = 0; b < input.size(); ++b) {
    for (uint64_t at = written[b]; at < input[b].size(); ++at) {
      if (input[b][at] == got.left[b][at]) continue;
      std::string stage = writer(whole_, input, b, at).value_or("");
      const std::string_view name = pipeline().pipeline->code.name(pipeline().buffers[b].name);
      return Violation{
          fmt::format("byte {} of {} was changed, and {} are written at most", at, name, written[b]),
          std::move(stage)};
    }
  }
  return std::nullopt;
}

Result<std::optional<Violation>> EngineJudge::terminates(const Buffers& input) {
  VYRE_TRY(got, run(whole_, input));
  const auto stage_of = [&](uint32_t pipeline, uint32_t command) {
    return fmt::format("repeat, command {} of {}", command,
                       whole_.module->pipelines()[pipeline].pipeline->name);
  };
  if (!got.notes.unfinished.empty()) {
    const auto [pipeline, command] = got.notes.unfinished.begin()->first;
    return Violation{"a repeat ended after its last turn, not by its word", stage_of(pipeline, command)};
  }
  // A word that is looked at too late shows in a run whose repeats the host drives.
  constexpr size_t kFewBytes = size_t{1} << 14;
  size_t bytes = 0;
  for (const opspec::Buffer& buffer : input) bytes += buffer.size();
  if (got.notes.turns != 0 && bytes <= kFewBytes) {
    VYRE_TRY(staged, stages(whole_));
    VYRE_TRY(report, staged->run(input));
    if (report.turns != got.notes.turns && !report.repeats.empty())
      return Violation{fmt::format("{} turns of repeats, and their words end them after {}", got.notes.turns,
                                   report.turns),
                       stage_of(report.repeats.front().pipeline, report.repeats.front().command)};
  }
  VYRE_TRY(declared, bounds(input));
  const uint64_t most = declared.turns;
  if (got.notes.turns <= most) return std::nullopt;
  VYRE_TRY(staged, stages(whole_));
  VYRE_TRY(report, staged->run(input));
  const auto longest = std::ranges::max_element(report.repeats, {}, &SeenRepeat::turns);
  return Violation{
      fmt::format("{} turns of repeats, and at most {} are declared", got.notes.turns, most),
      longest == report.repeats.end() ? std::string() : stage_of(longest->pipeline, longest->command)};
}

Result<std::optional<Violation>> EngineJudge::linearizable(const Buffers& input) {
  const auto programs = plan::programs_of(*whole_.module, entry_of(whole_.module->module(), "main"));
  if (std::ranges::none_of(
          programs, [&](uint32_t program) { return has_atomics(*whole_.module->programs()[program]); }))
    return unstaged("none of its programs has an atomic");
  if (!recorded_) {
    VYRE_TRY(made, StageRun::make(*backend_, whole_.module, entry_of(whole_.module->module(), "main"),
                                  {.record = true}));
    recorded_.emplace(std::move(made));
  }
  std::optional<Violation> out;
  VYRE_TRY(report, recorded_->run(input, [&](const SeenDispatch& seen) {
    if (seen.history == nullptr || out) return;
    const AtomicVerdict verdict = judge_atomics(seen.program, seen.before, seen.after, *seen.history);
    auto why = verdict.ordered == Ordered::Yes
                   ? unordered_store(seen.program, seen.stage.groups, seen.after, *seen.history)
                   : std::optional(verdict.reason);
    if (why) out = Violation{std::move(*why), recorded_->text(seen.stage)};
  }));
  if (!std::exchange(has_left_, true)) left_ = report.buffers;
  dispatches_ += report.dispatches;
  guard_words_ += report.guard_words;
  broken_ += report.broken;
  return out;
}

Result<std::optional<Violation>> EngineJudge::any_constants(const Buffers& input) {
  if (!has_others_) {
    std::vector<Variant> others;
    for (const EngineConstants& constants : other_constants(whole_.module->module(), model_->constants)) {
      VYRE_TRY(other, compile(*backend_, *model_, constants));
      others.push_back(std::move(other));
    }
    others_ = std::move(others);
    has_others_ = true;
  }
  if (others_.empty()) return unstaged("none of its constants may have another value");
  VYRE_TRY(first, run(whole_, input));
  for (Variant& other : others_) {
    VYRE_TRY(got, run(other, input));
    std::string with = "with";
    for (const auto& [name, value] : other.constants) with += fmt::format(" {} = {}", name, value);
    VYRE_TRY(difference, differ(other, input, with, first.left, got.left));
    if (difference) return difference;
  }
  return std::nullopt;
}

Result<EngineJudge::Shrunk> EngineJudge::shrink(std::optional<Invariant> invariant, Buffers input,
                                                Violation violation, uint64_t seed) {
  constexpr uint32_t kSizes = 24;
  constexpr uint64_t kCasesASize = 16;
  // Large cases are tried less often than small ones.
  constexpr uint64_t kMostBytes = uint64_t{1} << 25, kBytesATry = uint64_t{1} << 15;
  Shrunk out{std::move(input), std::move(violation)};
  uint64_t tried = 0;
  names_stages_ = false;
  const auto breaks = [&](const Buffers& candidate) -> Result<bool> {
    for (const opspec::Buffer& buffer : candidate) tried += buffer.size();
    tried += kBytesATry;
    if (tried > kMostBytes) return false;
    VYRE_TRY(found, judge(invariant, candidate, false));
    if (found) out.input = candidate, out.violation = std::move(*found);
    return found.has_value();
  };
  bool small = false;
  for (uint32_t size = 0; size < kSizes && !small; ++size) {
    for (uint64_t number = 0; number < kCasesASize && !small; ++number) {
      VYRE_TRY(found, breaks(make_case(invariant, seed, number, size)));
      small = found;
      if (small) out.size_and_number = {size, number};
    }
  }
  for (bool smaller = true; smaller && tried <= kMostBytes;) {
    smaller = false;
    for (const Buffers& candidate : model_->smaller(out.input)) {
      VYRE_TRY(found, breaks(candidate));
      if (!found) continue;
      smaller = true;
      break;
    }
  }
  names_stages_ = true;
  VYRE_TRY(last, judge(invariant, out.input, false));
  if (last) out.violation = std::move(*last);
  return out;
}

std::string EngineJudge::evidence(Invariant invariant, bool alone) const {
  switch (invariant) {
    case Invariant::Deterministic:
      return "equal runs: after another case and another pipeline, over poisoned memory, beside what another "
             "thread runs, and submitted with others; schedules and races on the reference interpreter";
    case Invariant::NoOutputLost: return "records of the reference; room needed with shorter outputs";
    case Invariant::NoDuplicate: return "records of the reference";
    case Invariant::Ordered: return "records, ties by tags";
    case Invariant::Bounded: return "guard words; counts of dispatches and bytes of scratch";
    case Invariant::Termination:
      return alone && bounds_->turns_are_proved(*whole_.module)
                 ? "turns counted; proved, as the count of its repeat is the bound"
                 : "turns counted";
    case Invariant::AtomicLinearizable: return "histories of an instrumented copy";
    case Invariant::WorkgroupInvariant: return "all values of its constants";
  }
  return {};
}

EnginePlan engine_plan(Strength strength) {
  switch (strength) {
    case Strength::Quick: return {8, 1, 8, 2};
    case Strength::Standard: return {200, 8, 100, 2};
    case Strength::Full: return {2'000, 40, 1'000, 4};
  }
  return {};
}

}  // namespace vyre::verify
