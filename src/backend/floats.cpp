#include "backend/floats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <string>

#include "spec/ops.h"

namespace vyre::backend {
namespace {

namespace fs = std::filesystem;
using lower::RawOp;

/// Changes whenever a verdict is written otherwise.
constexpr std::string_view kFormat = "vyre-float-verdict/2";

/// The instructions that promises give, or do not give; an operator without such a promise needs none.
std::vector<std::string> given(const lower::FloatPromises& promises, bool wanted) {
  std::vector<std::string> out;
  for (const lower::RawOpInfo& info : lower::kRawOps) {
    const bool counts = info.is_float && (wanted || lower::kIeeeFloats[info.op].given);
    if (counts && promises[info.op].given == wanted) out.emplace_back(info.mnemonic);
  }
  return out;
}

Digest key_of(const lower::FloatPromises& promised, std::string_view machine) {
  return cache_key({kFormat, VYRE_VERSION, machine, std::to_string(probe::kVersion),
                    fmt::format("{}", fmt::join(given(promised, true), " "))});
}

}  // namespace

Result<FloatForm> parse_float_form(std::string_view word) {
  const auto found = std::ranges::find(kFloatForms, word);
  if (found != kFloatForms.end()) return FloatForm(found - kFloatForms.begin());
  return std::unexpected(make_diag(DiagCode::B004, Span::none(), fmt::format("unknown float form '{}'", word),
                                   fmt::format("write one of {}", fmt::join(kFloatForms, ", "))));
}

bool has_float_arithmetic(const lower::Kernel& kernel) {
  return std::ranges::any_of(kernel.insts, [](const lower::Inst& inst) {
    if (inst.kind != lower::InstKind::Apply) return false;
    if (inst.op == spec::Op::Select || inst.op == spec::Op::Bitcast) return false;
    return spec::kFloats.contains(inst.type) || spec::kFloats.contains(inst.operand_type);
  });
}

FloatUse FloatProfile::use() const {
  // Conversions of BF16 are not named: certificates were there before them, and say the same with and
  // without.
  lower::FloatPromises named = used;
  named[RawOp::FFromBF16] = named[RawOp::FToBF16] = {};
  return {.form = std::string(text(form)),
          .native = given(named, true),
          .composed = given(used, false),
          .findings = findings};
}

std::string float_key(const lower::FloatPromises& used) {
  return fmt::format("floats {}", fmt::join(given(used, true), " "));
}

FloatSupport::FloatSupport(FloatForm form, const lower::FloatPromises& promised, std::string machine,
                           fs::path cache)
    : form_(form),
      promised_(promised),
      files_(std::move(cache), ".verdict"),
      key_(key_of(promised, machine)) {}

Result<const FloatProfile*> FloatSupport::profile(const probe::Compile& compile) {
  const std::scoped_lock lock(mutex_);
  if (profile_) return &*profile_;
  switch (form_) {
    case FloatForm::Native: profile_ = FloatProfile{.form = form_, .used = promised_}; break;
    case FloatForm::Composed: profile_ = FloatProfile{.form = form_}; break;
    case FloatForm::Auto: {
      if (std::ranges::none_of(promised_.by_op, &lower::Promise::given)) {
        profile_ = FloatProfile{.form = form_};
        break;
      }
      profile_ = stored();
      if (profile_) break;
      // While it waits for its own parallel work, this thread must not take up work of others, which might
      // wait for the lock that it holds.
      VYRE_TRY(verdict, tbb::this_task_arena::isolate([&] { return probe::probe(promised_, compile); }));
      profile_ = FloatProfile{.form = form_,
                              .used = verdict.kept,
                              .findings = std::move(verdict.findings),
                              .steady = verdict.steady};
      store(*profile_);
      break;
    }
  }
  return &*profile_;
}

// The content: "steady" or "unsteady", the instructions that are kept, then a line a finding.
std::optional<FloatProfile> FloatSupport::stored() const {
  const auto content = files_.find(key_);
  if (!content) return std::nullopt;
  std::vector<std::string> lines;
  const std::string_view text(reinterpret_cast<const char*>(content->data()), content->size());
  for (std::string_view left = text; !left.empty();) {
    const size_t end = std::min(left.find('\n'), left.size() - 1);
    lines.emplace_back(left.substr(0, end));
    left.remove_prefix(end + 1);
  }
  if (lines.size() < 2) return std::nullopt;
  FloatProfile out{.form = form_, .used = promised_, .steady = lines[0] == "steady"};
  for (const lower::RawOpInfo& info : lower::kRawOps) {
    const bool kept =
        fmt::format(" {} ", lines[1]).find(fmt::format(" {} ", info.mnemonic)) != std::string::npos;
    if (!kept) out.used[info.op] = {};
  }
  out.findings.assign(lines.begin() + 2, lines.end());
  return out;
}

void FloatSupport::store(const FloatProfile& profile) const {
  std::string content = fmt::format("{}\n{}\n", profile.steady ? "steady" : "unsteady",
                                    fmt::join(given(profile.used, true), " "));
  for (const std::string& finding : profile.findings) content += finding + "\n";
  files_.keep(key_, std::as_bytes(std::span(content)));
}

}  // namespace vyre::backend
