#include "check/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vyre::check {
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

}  // namespace vyre::check
