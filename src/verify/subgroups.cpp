#include "verify/subgroups.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/random.h"
#include "generate/values.h"
#include "ops/operation.h"
#include "text/text.h"
#include "verify/families.h"
#include "verify/leaves.h"
#include "verify/program_parity.h"
#include "verify/token.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

using spec::Intrinsic;

constexpr uint32_t kMaxLanes = 128;
constexpr size_t kRepeats = 3;  // runs of the program without the call

std::string call_of(const spec::IntrinsicInfo& info) {
  constexpr std::string_view kArguments[] = {"", "a[i]", "a[i], b[i]"};
  return fmt::format("{}({})", info.id, kArguments[info.input_count]);
}

/// A program that stores the result of `expression`, or the exclusive or of its words.
check::Checked storing(std::string_view expression, bool vector, uint32_t workgroup) {
  const std::string text = fmt::format(
      "program claim(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup({}, 1, 1) {{\n"
      "  let i = invocation_id.x;\n  let r = {};\n  out[i] = {};\n}}\n",
      workgroup, expression, vector ? "r.x ^ r.y ^ r.z ^ r.w" : "r");
  // The text is part of this library; a test parses and checks it for every operation.
  return std::move(*check::check(*text::parse(text), ops::op_table()));
}

check::Checked calling(const spec::IntrinsicInfo& info, uint32_t workgroup) {
  return storing(call_of(info), info.output == spec::DataType::Vec4U32, workgroup);
}

/// One subgroup of a backend that has the operation; else a multiple of every size, where the backend can, so
/// that nothing but the call can be wrong.
uint32_t workgroup_for(const backend::Backend& backend, Intrinsic intrinsic) {
  const backend::Limits limits = backend.limits();
  return backend.has(intrinsic) && is_subgroup_size(limits.subgroup_size)
             ? limits.subgroup_size
             : std::min(kMaxLanes, limits.max_invocations_per_group);
}

void fail(Verdict& verdict, Intrinsic intrinsic, uint64_t seed, Fault fault, std::string note) {
  Failure failure;
  failure.oracle = "category C";
  failure.token = print(Token{verdict.subject, "claim", seed, uint64_t(intrinsic), {}});
  failure.fault = fault;
  failure.note = std::move(note);
  ++verdict.failure_count;
  if (verdict.failures.size() < kKeptFailures) verdict.failures.push_back(std::move(failure));
}

std::string said(const Diag& diag) { return fmt::format("{}: {}", diag_info(diag.code).name, diag.message); }

/// What is wrong with an answer to a program that must be refused, or empty.
std::string wrong_refusal(const backend::Backend& backend, const spec::IntrinsicInfo& info,
                          const Result<std::unique_ptr<backend::Pipeline>>& answer) {
  if (answer)
    return fmt::format("says that it has no {}@{}, and compiles a program that calls it", info.id,
                       info.version);
  const Diag& diag = answer.error();
  if (diag.code != DiagCode::B002)
    return fmt::format("has no {}@{}, and says not B002 but {}", info.id, info.version, said(diag));
  const std::string name = backend.identity().name;
  if (diag.message.find(info.id) == std::string::npos || diag.message.find(name) == std::string::npos)
    return fmt::format("B002 must name {} and {}: {}", info.id, name, said(diag));
  return {};
}

/// The same program without the call, so that what was refused is the call. Return: whether it was right.
Result<bool> check_without(backend::Backend& backend, Intrinsic intrinsic, uint64_t seed, Verdict& verdict) {
  const check::Checked checked = storing("a[i] ^ b[i]", false, workgroup_for(backend, intrinsic));
  VYRE_TRY(pipeline, backend.compile(checked));
  generate::ProgramCase c;
  RandomStream random(seed, uint64_t(intrinsic));
  for (size_t buffer = 0; buffer < 3; ++buffer) {
    std::vector<uint32_t> words(kMaxLanes);
    for (uint32_t& word : words) word = generate::mixed_word(random.next(), random.next());
    c.buffers.push_back(to_bytes(words));
  }
  VYRE_TRY(expected, reference_answer(checked, c));
  bool right = true;
  for (size_t repeat = 0; repeat < kRepeats; ++repeat) {
    VYRE_TRY(run, run_on(*pipeline, c));
    ++verdict.dispatches;
    verdict.canaries += run.canaries;
    verdict.canaries_broken += run.canaries_broken;
    const bool same = run.buffers == expected;
    if (repeat > 0) {
      ++verdict.determinism.planned;
      ++verdict.determinism.completed;
      verdict.determinism.failed += same ? 0 : 1;
    }
    right = right && same;
  }
  if (!right)
    fail(verdict, intrinsic, seed, Fault::WrongValue, "a program without the call gives other bytes");
  return right;
}

/// A claim that the backend has the operation. Return: whether it stands.
bool check_having(backend::Backend& backend, Intrinsic intrinsic, uint64_t seed, Verdict& verdict) {
  const spec::IntrinsicInfo& info = spec::info(intrinsic);
  const uint32_t lanes = backend.limits().subgroup_size;
  if (!is_subgroup_size(lanes)) {
    fail(verdict, intrinsic, seed, Fault::FalseClaim,
         fmt::format("claims {}@{} with subgroups of {} lanes; a size is a power of two up to {}", info.id,
                     info.version, lanes, kMaxLanes));
    return false;
  }
  const auto answer = backend.compile(calling(info, lanes));
  if (answer) return true;
  fail(verdict, intrinsic, seed, Fault::FalseClaim,
       fmt::format("claims {}@{} and refuses a program that calls it: {}", info.id, info.version,
                   said(answer.error())));
  return false;
}

}  // namespace

bool is_subgroup_size(uint32_t lanes) { return std::has_single_bit(lanes) && lanes <= kMaxLanes; }

Result<bool> check_claim(backend::Backend& backend, Intrinsic intrinsic, uint64_t seed, Verdict& verdict) {
  Tally& tally = oracle_cases(verdict, Oracle::ReferenceInterpreter).tally;
  ++tally.planned;
  const bool has = backend.has(intrinsic);
  bool right = true;
  if (has) {
    right = check_having(backend, intrinsic, seed, verdict);
  } else {
    const spec::IntrinsicInfo& info = spec::info(intrinsic);
    const auto answer = backend.compile(calling(info, workgroup_for(backend, intrinsic)));
    if (std::string wrong = wrong_refusal(backend, info, answer); !wrong.empty()) {
      fail(verdict, intrinsic, seed, Fault::BrokeContract, std::move(wrong));
      right = false;
    }
    VYRE_TRY(runs, check_without(backend, intrinsic, seed, verdict));
    right = right && runs;
  }
  ++tally.completed;
  tally.failed += right ? 0 : 1;
  return has && right;
}

Result<IntrinsicSet> check_claims(backend::Backend& backend, uint64_t seed, const Monitor& monitor,
                                  Verdict& verdict) {
  IntrinsicSet usable;
  Hasher programs;
  LeafWriter leaves(verdict, Oracle::ReferenceInterpreter);
  Tally before;
  for (const spec::IntrinsicInfo& info : spec::kIntrinsics) {
    if (monitor.stopped()) return usable;
    programs.update(wire::digest(calling(info, workgroup_for(backend, info.intrinsic)).program()).hex());
    VYRE_TRY(may, check_claim(backend, info.intrinsic, seed, verdict));
    usable.set(size_t(info.intrinsic), may);
    const Tally& now = oracle_cases(verdict, Oracle::ReferenceInterpreter).tally;
    leaves.add("claims",
               {now.planned - before.planned, now.completed - before.completed, now.failed - before.failed});
    before = now;
    monitor.done(1);
  }
  verdict.pipeline = programs.finish().hex().substr(0, kDigestDigits);
  return usable;
}

}  // namespace vyre::verify
