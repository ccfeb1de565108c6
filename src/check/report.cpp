#include "check/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vyre::check {
namespace {

constexpr size_t kMaxShownName = 60;
constexpr size_t kMaxComparedName = 64;

/// Edit distance with transpositions of neighbours (optimal string alignment). Domain: names of at most
/// kMaxComparedName bytes.
size_t distance(std::string_view a, std::string_view b) {
  std::array<size_t, kMaxComparedName + 1> before{}, last{}, row{};
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

Diag& Report::add(DiagCode code, Span span, std::string message, std::string help) {
  Diag diag = make_diag(code, span, std::move(message), std::move(help));
  if (diags_.size() == kMaxDiagnostics) {
    ++left_out_;
    overflow_ = std::move(diag);
    return overflow_;
  }
  diags_.push_back(std::move(diag));
  return diags_.back();
}

Diagnostics Report::take() {
  // Positions stand beside the index, so that equal ones keep the order of the walk.
  std::vector<std::pair<uint32_t, uint32_t>> order;
  for (uint32_t i = 0; i < diags_.size(); ++i) order.emplace_back(diags_[i].span.begin, i);
  std::ranges::sort(order);
  Diagnostics out;
  out.reserve(diags_.size());
  for (const auto& [position, i] : order) out.push_back(std::move(diags_[i]));
  diags_.clear();
  if (left_out_ != 0) {
    out.back().notes.push_back({Span::none(), fmt::format("{} more problems are not shown", left_out_)});
  }
  return out;
}

std::string quoted(std::string_view name) {
  std::string out = "`";
  for (const char c : name.substr(0, kMaxShownName)) {
    if (c >= ' ' && c <= '~' && c != '`' && c != '\\') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (name.size() > kMaxShownName) out += "...";
  out += '`';
  return out;
}

NearestName::NearestName(std::string_view wanted)
    : wanted_(wanted), best_distance_(std::max<size_t>(1, wanted.size() / 3) + 1) {}

void NearestName::consider(std::string_view candidate) {
  if (wanted_.size() > kMaxComparedName || candidate.size() > kMaxComparedName) return;
  const size_t longer = std::max(wanted_.size(), candidate.size());
  if (longer - std::min(wanted_.size(), candidate.size()) >= best_distance_) return;
  const size_t d = distance(wanted_, candidate);
  // A distance of the whole length says only that both are names.
  if (d < best_distance_ && d < longer) {
    best_distance_ = d;
    best_ = candidate;
  }
}

std::string NearestName::help() const {
  return best_.empty() ? std::string() : fmt::format("did you mean {}?", quoted(best_));
}

}  // namespace vyre::check
