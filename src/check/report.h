// Report: where the checker collects what is wrong, and how it names things that came from outside.
//
// A rule that is broken is one add(); nothing stops at the first. take() puts the diagnostics in the order of
// their positions; those without one (programs from the wire or a builder) keep the order in which the
// program was walked. Names may come from hostile bytes, so every one goes through quoted().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/diag.h"
#include "base/names.h"

namespace vyre::check {

/// More problems than a person reads, and few enough that a hostile program cannot exhaust memory with them.
inline constexpr size_t kMaxDiagnostics = 10'000;

class Report {
 public:
  /// The diagnostic, for notes to be added to; valid until the next add().
  Diag& add(DiagCode code, Span span, std::string message, std::string help = {});
  bool empty() const { return diags_.empty(); }
  /// Everything, in order. Past kMaxDiagnostics the last one says how many are left out.
  Diagnostics take();

  /// Whether to search for a name that was meant. Each search is linear in the names, so only the first
  /// hundred unknown names get one: the checker stays linear.
  bool may_suggest() { return suggestions_left_ != 0 && suggestions_left_-- != 0; }

 private:
  Diagnostics diags_;
  Diag overflow_;
  size_t left_out_ = 0;
  uint32_t suggestions_left_ = 100;
};

}  // namespace vyre::check
