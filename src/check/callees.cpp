#include "check/callees.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "check/body_checker.h"
#include "spec/limits.h"

namespace vyre::check {
namespace {

std::string shown(const spec::OpDef& def) { return quoted(fmt::format("{}@{}", def.id, def.version)); }

// Sizes beyond are as large as this one: no product of it with a number of calls overflows.
constexpr uint64_t kHuge = uint64_t(1) << 40;

class Callees {
 public:
  Callees(const spec::OpTable& ops, Report& report) : ops_(ops), report_(report) {}

  void reach(const CallSite& site, uint32_t depth) {
    if (functions_.contains(site.callee)) {
      check_depth(site, depth);
      return;
    }
    check_one(site.callee, site.span);
    walk(site);
    check_depth(site, depth);
  }

  /// V040, at the first call of the operation whose calls amount to the most.
  void check_inlined_size(const BodyResult& body) {
    uint64_t total = body.size, most = 0;
    const CallSite* largest = nullptr;
    for (const CallSite& call : body.calls) {
      const uint64_t size = call.count * functions_.at(call.callee).inlined_size;
      total = std::min(total + size, kHuge);
      if (size <= most) continue;
      most = size;
      largest = &call;
    }
    if (total <= spec::kMaxInlinedNodes || largest == nullptr) return;
    report_.add(
        DiagCode::V040, largest->span,
        fmt::format(
            "{}{} statements and expressions with all calls inlined, most of them of {}; at most {} are "
            "allowed",
            total == kHuge ? "more than " : "", total, shown(*largest->callee), spec::kMaxInlinedNodes),
        "call it less often, or from a loop");
  }

  CheckedFunctions take() {
    CheckedFunctions out;
    for (auto& [def, entry] : functions_) {
      if (entry.checked) out.emplace(def, std::move(entry.checked));
    }
    return out;
  }

 private:
  struct Entry {
    std::shared_ptr<const CheckedFunction> checked;  // null when the operation is broken
    std::vector<CallSite> calls;
    uint32_t height = 1;        // calls on the longest chain below, itself included
    uint64_t inlined_size = 0;  // statements and expressions of the body, calls inlined; at most kHuge
    bool open = false;          // on the path that is being walked
  };
  struct Frame {
    const spec::OpDef* def;
    size_t next = 0;
  };

  /// Depth first, with an explicit stack: a table may chain operations to any length.
  void walk(const CallSite& site) {
    std::vector<Frame> path = {{site.callee}};
    functions_.at(site.callee).open = true;
    while (!path.empty()) {
      Entry& entry = functions_.at(path.back().def);
      if (path.back().next == entry.calls.size()) {
        for (const CallSite& call : entry.calls) {
          const Entry& below = functions_.at(call.callee);
          if (below.open) continue;
          entry.height = std::max(entry.height, below.height + 1);
          entry.inlined_size = std::min(entry.inlined_size + call.count * below.inlined_size, kHuge);
        }
        entry.open = false;
        path.pop_back();
        continue;
      }
      const spec::OpDef* callee = entry.calls[path.back().next++].callee;
      const auto found = functions_.find(callee);
      if (found == functions_.end()) {
        check_one(callee, site.span);
        functions_.at(callee).open = true;
        path.push_back({callee});
      } else if (found->second.open) {
        recursion(path, callee, site.span);
      }
    }
  }

  void recursion(const std::vector<Frame>& path, const spec::OpDef* callee, Span span) {
    const auto first = std::ranges::find(path, callee, &Frame::def);
    std::string cycle;
    constexpr ptrdiff_t kShown = 8;
    for (auto at = first; at != path.end() && at - first < kShown; ++at) cycle += shown(*at->def) + " calls ";
    if (path.end() - first > kShown) cycle += "... calls ";
    cycle += shown(*callee);
    report_.add(DiagCode::V020, span, fmt::format("a recursive operation: {}", cycle),
                "write it with a loop; operations are inlined");
  }

  void check_depth(const CallSite& site, uint32_t depth) {
    const uint32_t height = functions_.at(site.callee).height + depth;
    if (height <= spec::kMaxCallDepth) return;
    report_.add(DiagCode::V021, site.span,
                fmt::format("calls nest {} deep through {}; at most {} are allowed", height,
                            shown(*site.callee), spec::kMaxCallDepth),
                "write a part of the chain out");
  }

  void check_one(const spec::OpDef* def, Span span) {
    Entry& entry = functions_[def];
    if (def->body == nullptr) {
      report_.add(DiagCode::V035, span, fmt::format("operation {} has no composition to inline", shown(*def)),
                  "call an operation that has one");
      return;
    }
    Report inner;
    BodyResult body = check_function_body(*def->body, ops_, inner);
    spec::OpSignature found{{}, def->body->result_type};
    for (const auto& parameter : def->body->parameters) found.inputs.push_back(parameter.type);
    if (found != def->signature) {
      inner.add(DiagCode::V035, Span::none(),
                "its body has other parameters or another result than it declares",
                "declare the signature that the body has");
    }
    entry.calls = body.calls;
    entry.inlined_size = body.size;
    if (inner.empty()) {
      entry.checked =
          std::make_shared<CheckedFunction>(CheckedFunction{def->body, std::move(body.resolution)});
      return;
    }
    for (Diag& diag : inner.take()) {
      report_.add(diag.code, span, fmt::format("in operation {}: {}", shown(*def), diag.message),
                  std::move(diag.help));
    }
  }

  const spec::OpTable& ops_;
  Report& report_;
  std::map<const spec::OpDef*, Entry> functions_;
};

}  // namespace

CheckedFunctions check_callees(const BodyResult& body, uint32_t depth, const spec::OpTable& ops,
                               Report& report) {
  Callees callees(ops, report);
  for (const CallSite& site : body.calls) callees.reach(site, depth);
  callees.check_inlined_size(body);
  return callees.take();
}

BodyResult check_function_body(const ir::Function& function, const spec::OpTable& ops, Report& report) {
  BodyResult body = check_body({function.code, function.body, ops, {}, {}, &function}, report);
  if (body.malformed) return body;
  const DataType found = body.resolution.type(function.result);
  if (found != function.result_type && found != kUnknownType) {
    report.add(DiagCode::V035, function.code.span(function.result),
               fmt::format("the result of {} is {}; its signature says {}", quoted(function.id), text(found),
                           text(function.result_type)),
               fmt::format("write cast<{}>(...)", text(function.result_type)));
  }
  return body;
}

}  // namespace vyre::check
