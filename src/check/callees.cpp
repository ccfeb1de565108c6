#include "check/callees.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/body_checker.h"
#include "check/operations.h"
#include "spec/limits.h"

namespace vyre::check {
namespace {

std::string shown(const spec::OpDef& def) { return quoted(fmt::format("{}@{}", def.id, def.version)); }

// Sizes beyond are as large as this one: no product of it with a number of calls overflows.
constexpr uint64_t kHuge = uint64_t(1) << 40;

}  // namespace

class Callees::Table {
 public:
  Table(const spec::OpTable& ops, Report& report) : ops_(ops), report_(report) {}

  void add(const spec::OpDef& def, BodyResult& body) {
    functions_[&def] = {
        .checked = std::make_shared<CheckedFunction>(CheckedFunction{def.body, std::move(body.resolution)}),
        .calls = body.calls,
        .inlined_size = body.size};
  }

  void reach(const CallSite& site, uint32_t depth) {
    const auto found = functions_.find(site.callee);
    if (found == functions_.end()) check_one(site.callee, site.span);
    if (found == functions_.end() || !found->second.walked) walk(site);
    check_depth(site, depth);
  }

  void refuse_alternative(const CallSite& site) {
    report_.add(DiagCode::V061, site.span, fmt::format("a call of {}", quoted(site.callee->id)),
                fmt::format("call {}; an alternative is there to judge it",
                            site.callee->id.substr(0, site.callee->id.size() - kAlternative.size())));
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

  bool calls(const spec::OpDef& caller, const spec::OpDef& callee) const {
    bool found = false;
    visit(functions_.at(&caller).calls,
          [&](const spec::OpDef* def, const Entry&) { found |= def == &callee; });
    return found;
  }

  CheckedFunctions reached(const BodyResult& body) const {
    CheckedFunctions out;
    visit(body.calls, [&](const spec::OpDef* def, const Entry& entry) {
      if (entry.checked) out.emplace(def, entry.checked);
    });
    return out;
  }
  CheckedFunctions all() const {
    CheckedFunctions out;
    for (const auto& [def, entry] : functions_) {
      if (entry.checked) out.emplace(def, entry.checked);
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
    bool walked = false;        // height and inlined_size speak of what it calls, too
  };
  struct Frame {
    const spec::OpDef* def;
    size_t next = 0;
  };

  /// Each operation that is reached from these calls, once.
  template <typename Visit>
  void visit(std::span<const CallSite> calls, const Visit& each) const {
    std::set<const spec::OpDef*> seen;
    std::vector<const spec::OpDef*> pending;
    const auto push = [&](std::span<const CallSite> sites) {
      for (const CallSite& site : sites) {
        if (seen.insert(site.callee).second) pending.push_back(site.callee);
      }
    };
    push(calls);
    while (!pending.empty()) {
      const spec::OpDef* def = pending.back();
      pending.pop_back();
      const auto entry = functions_.find(def);
      if (entry == functions_.end()) continue;
      each(def, entry->second);
      push(entry->second.calls);
    }
  }

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
        entry.walked = true;
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
      } else if (!found->second.walked) {
        found->second.open = true;
        path.push_back({callee});
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

Callees::Callees(const spec::OpTable& ops, Report& report) : table_(std::make_unique<Table>(ops, report)) {}
Callees::~Callees() = default;

void Callees::add(const spec::OpDef& def, BodyResult& body) { table_->add(def, body); }

void Callees::reach(const BodyResult& body, uint32_t depth) {
  for (const CallSite& site : body.calls) {
    if (site.callee->id.ends_with(kAlternative)) table_->refuse_alternative(site);
    table_->reach(site, depth);
  }
  table_->check_inlined_size(body);
}

bool Callees::calls(const spec::OpDef& caller, const spec::OpDef& callee) const {
  return table_->calls(caller, callee);
}

CheckedFunctions Callees::reached(const BodyResult& body) const { return table_->reached(body); }
CheckedFunctions Callees::all() const { return table_->all(); }

BodyResult check_function_body(const ir::Function& function, const spec::OpTable& ops, Report& report,
                               std::span<const ir::Constant> constants) {
  BodyResult body = check_body({function.code, function.body, ops, {}, {}, &function, constants}, report);
  if (body.malformed) return body;
  const DataType found = body.resolution.type(function.result);
  if (!spec::is_value_type(function.result_type)) {
    report.add(DiagCode::V025, function.code.span(function.result),
               fmt::format("the result of {} is {}, which is no type of values", quoted(function.id),
                           spec::text(function.result_type)),
               spec::is_small(function.result_type)      ? std::string(kSmallHelp)
               : function.result_type == DataType::Bytes ? "the words of a bytes buffer are u32"
                                                         : "tensors are buffers of programs");
  } else if (found != function.result_type && found != kUnknownType) {
    report.add(DiagCode::V035, function.code.span(function.result),
               fmt::format("the result of {} is {}; its signature says {}", quoted(function.id),
                           spec::text(found), spec::text(function.result_type)),
               fmt::format("write cast<{}>(...)", spec::text(function.result_type)));
  }
  return body;
}

}  // namespace vyre::check
