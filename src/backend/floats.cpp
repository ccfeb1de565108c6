#include "backend/floats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "backend/cache_folder.h"
#include "base/digest.h"

namespace vyre::backend {
namespace {

namespace fs = std::filesystem;
using lower::RawOp;

/// Changes whenever the file of a verdict has another layout.
constexpr std::string_view kFormat = "vyre-float-verdict/1";

/// The instructions that promises give, or do not give; what IEEE 754 promises of none nobody misses.
std::vector<std::string> given(const lower::FloatPromises& promises, bool wanted) {
  std::vector<std::string> out;
  for (const lower::RawOpInfo& info : lower::kRawOps) {
    const bool counts = info.is_float && (wanted || lower::kIeeeFloats[info.op].given);
    if (counts && promises[info.op].given == wanted) out.emplace_back(info.mnemonic);
  }
  return out;
}

fs::path file_of(const fs::path& folder, const lower::FloatPromises& promised, const std::string& machine) {
  if (folder.empty()) return {};
  Hasher hasher;
  for (const std::string_view text : {kFormat, std::string_view(VYRE_VERSION), std::string_view(machine)})
    hasher.update_u64(text.size()).update(text);
  hasher.update_u32(probe::kVersion);
  for (const std::string& mnemonic : given(promised, true)) hasher.update(mnemonic).update(" ");
  return folder / (hasher.finish().hex() + ".verdict");
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
  return {.form = std::string(text(form)),
          .native = given(used, true),
          .composed = given(used, false),
          .findings = findings};
}

std::string FloatProfile::key() const { return fmt::format("floats {}", fmt::join(given(used, true), " ")); }

FloatSupport::FloatSupport(FloatForm form, const lower::FloatPromises& promised, std::string machine,
                           fs::path cache)
    : form_(form), promised_(promised), file_(file_of(cache, promised, machine)) {}

Result<const FloatProfile*> FloatSupport::profile(const probe::Compile& compile) {
  const std::scoped_lock lock(mutex_);
  if (profile_) return &*profile_;
  switch (form_) {
    case FloatForm::Native: profile_ = FloatProfile{.form = form_, .used = promised_}; break;
    case FloatForm::Composed: profile_ = FloatProfile{.form = form_}; break;
    case FloatForm::Auto: {
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

// The file: its format, "steady" or "unsteady", the instructions that are kept, then a line a finding; and at
// the end the digest of all that, so that a damaged file is no verdict.
std::optional<FloatProfile> FloatSupport::stored() const {
  if (file_.empty()) return std::nullopt;
  std::ifstream in(file_, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  constexpr size_t kTail = 2 * sizeof(Digest::bytes) + 1;
  if (whole.size() <= kTail) return std::nullopt;
  const std::string_view body = std::string_view(whole).substr(0, whole.size() - kTail);
  if (std::string_view(whole).substr(body.size()) != sha256(body).hex() + "\n") return std::nullopt;
  std::vector<std::string> lines;
  for (std::string_view left = body; !left.empty();) {
    const size_t end = std::min(left.find('\n'), left.size() - 1);
    lines.emplace_back(left.substr(0, end));
    left.remove_prefix(end + 1);
  }
  if (lines.size() < 3 || lines[0] != kFormat) return std::nullopt;
  FloatProfile out{.form = form_, .used = promised_, .steady = lines[1] == "steady"};
  for (const lower::RawOpInfo& info : lower::kRawOps) {
    const bool kept =
        fmt::format(" {} ", lines[2]).find(fmt::format(" {} ", info.mnemonic)) != std::string::npos;
    if (!kept) out.used[info.op] = {};
  }
  out.findings.assign(lines.begin() + 3, lines.end());
  return out;
}

void FloatSupport::store(const FloatProfile& profile) const {
  if (file_.empty()) return;
  std::string body = fmt::format("{}\n{}\n{}\n", kFormat, profile.steady ? "steady" : "unsteady",
                                 fmt::join(given(profile.used, true), " "));
  for (const std::string& finding : profile.findings) body += finding + "\n";
  body += sha256(body).hex() + "\n";
  write_cached(file_, std::as_bytes(std::span(body)));
}

fs::path default_verdict_folder() { return cache_folder("floats"); }

}  // namespace vyre::backend
