#include <fmt/format.h>

#include "check/body_checker.h"

namespace vyre::check {

using ir::Expr;

void BodyChecker::unknown_operation(ExprId id, const Expr& e) {
  const std::string_view name = code_.name(e.symbol);
  // a.len() is an operation to the parser; `len` itself is no foreign word.
  const std::string_view word = name.substr(name.rfind('.') + 1);
  const std::string foreign = in_place_of(word == "len" ? "length" : word);
  std::string help = foreign.empty() ? "`vyre ops` lists the operations" : foreign;
  if (report_.may_suggest()) {
    std::string versions;
    NearestName nearest(name);
    for (const spec::OpDef* def : input_.ops.all()) {
      nearest.consider(def->id);
      if (def->id == name) versions += fmt::format("{}{}", versions.empty() ? "" : ", ", def->version);
    }
    if (!versions.empty()) {
      help = fmt::format("it has version {}", versions);
    } else {
      help = nearest.help_or(std::move(help));
    }
  }
  report_.add(DiagCode::V017, code_.span(id),
              e.immediate == 1 ? fmt::format("no operation {}", quoted(name))
                               : fmt::format("no operation {} of version {}", quoted(name), e.immediate),
              std::move(help));
}

uint32_t BodyChecker::find_callee(const Expr& e) {
  if (e.symbol == ir::kNoSymbol) return kNoTarget;
  const uint64_t key = uint64_t{ir::index(e.symbol)} << 32 | e.immediate;
  const auto [known, first] = callee_of_.try_emplace(key, kNoTarget);
  if (!first) return known->second;
  const spec::OpDef* def = input_.ops.find(code_.name(e.symbol), e.immediate);
  if (def == nullptr) return kNoTarget;
  known->second = uint32_t(result_.resolution.callees.size());
  result_.resolution.callees.push_back(def);
  call_sites_.push_back(kNoSite);
  return known->second;
}

DataType BodyChecker::call(ExprId id, const Expr& e) {
  const uint32_t callee = find_callee(e);
  if (callee == kNoTarget) {
    unknown_operation(id, e);
    return kUnknownType;
  }
  const spec::OpDef* def = result_.resolution.callees[callee];
  result_.resolution.expr_target[ir::index(id)] = callee;
  if (def->intrinsic) {
    call_intrinsic(id, *def);
  } else {
    size_t& site = call_sites_[callee];
    if (site == kNoSite) {
      site = result_.calls.size();
      result_.calls.push_back({def, code_.span(id), 0});
    }
    ++result_.calls[site].count;
  }

  const auto arguments = code_.args(e);
  const auto& inputs = def->signature.inputs;
  if (arguments.size() != inputs.size()) {
    std::string wanted;
    for (const DataType input : inputs)
      wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", spec::text(input));
    report_.add(DiagCode::V018, code_.span(id),
                fmt::format("{} takes {} argument{}, not {}", quoted(def->id), inputs.size(),
                            inputs.size() == 1 ? "" : "s", arguments.size()),
                fmt::format("its arguments are ({})", wanted));
    return def->signature.output;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType found = type(arguments[i]);
    if (found == inputs[i] || found == kUnknownType) continue;
    report_.add(DiagCode::V019, code_.span(arguments[i]),
                fmt::format("argument {} of {} is {}; this is {}", i + 1, quoted(def->id),
                            spec::text(inputs[i]), spec::text(found)),
                fmt::format("write {}", conversion(arguments[i], inputs[i])));
  }
  return def->signature.output;
}

void BodyChecker::call_intrinsic(ExprId id, const spec::OpDef& def) {
  const Span span = code_.span(id);
  // An operation may be called from anywhere, and these stand only where control flow is uniform.
  if (input_.function != nullptr) return not_in_function(span, fmt::format("a call of {}", quoted(def.id)));
  result_.intrinsic_calls.push_back({statement_, id});
  if (intrinsics_used_.insert(*def.intrinsic).second) result_.intrinsics.push_back({*def.intrinsic, span});
}

}  // namespace vyre::check
