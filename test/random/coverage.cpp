#include "coverage.h"

#include <fmt/format.h>

#include <string_view>

#include "spec/casts.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using ir::ExprKind;
using ir::NodeKind;
using spec::BufferAccess;
using spec::DataType;
using spec::Form;
using spec::Op;
using spec::TypeSet;
using Family = ProgramCoverage::Family;

constexpr std::string_view kNodeNames[] = {"Let",  "Assign", "Store", "If",
                                           "Loop", "Return", "Block", "Barrier"};
constexpr std::string_view kExprNames[] = {
    "Literal", "Var", "Load", "BufLen", "InvocationId", "WorkgroupId", "LocalId", "NumWorkgroups", "Apply"};
static_assert(std::size(kNodeNames) == ir::kNodeKindCount && std::size(kExprNames) == ir::kExprKindCount);
constexpr std::string_view kFamilyNames[] = {
    "parts",    "operators at types", "casts", "bitcasts", "casts with modes", "reductions with operators",
    "literals", "variables",          "loads", "stores",   "pairs of parts"};
static_assert(std::size(kFamilyNames) == ProgramCoverage::kFamilies);

constexpr size_t part(NodeKind kind) { return size_t(kind); }
constexpr size_t part(ExprKind kind) { return ir::kNodeKindCount + size_t(kind); }
constexpr size_t part(Op op) { return ir::kNodeKindCount + ir::kExprKindCount + size_t(op); }
size_t part(const ir::Expr& e) { return e.kind == ExprKind::Apply ? part(e.op) : part(e.kind); }

std::string_view part_name(size_t part) {
  if (part < ir::kNodeKindCount) return kNodeNames[part];
  part -= ir::kNodeKindCount;
  return part < ir::kExprKindCount ? kExprNames[part] : spec::kOps[part - ir::kExprKindCount].mnemonic;
}

bool allows(Op op, DataType from, DataType to) {
  return op == Op::Bitcast ? spec::can_bitcast(from, to) : spec::can_cast(from, to);
}

/// The types of what an operator takes, and of what it gives.
struct Types {
  TypeSet operands, results;
};
Types types_of(Op op, const ProgramOptions& options) {
  const spec::OpInfo& info = spec::info(op);
  Types out;
  switch (spec::form_of(op)) {
    case Form::Call:
      if (options.ops == nullptr) return out;
      for (const spec::OpDef* def : options.ops->all()) {
        if (def->category == spec::Category::C ? options.subgroup_size == 0 : def->body == nullptr) continue;
        out.results = out.results | spec::only(def->signature.output);
        for (const DataType input : def->signature.inputs) out.operands = out.operands | spec::only(input);
      }
      return out;
    case Form::Cast:
    case Form::Bitcast:
      for (const spec::TypeInfo& from : spec::kTypes) {
        for (const spec::TypeInfo& to : spec::kTypes) {
          if (!allows(op, from.type, to.type)) continue;
          out.operands = out.operands | spec::only(from.type);
          out.results = out.results | spec::only(to.type);
        }
      }
      return out;
    case Form::Select: return {spec::kValues, spec::kValues};
    case Form::Atomic: return options.atomics ? Types{spec::kU32Only, spec::kU32Only} : out;
    case Form::Scalar:
    case Form::MakeVector:
    case Form::Component: break;
    case Form::Reduce:  // a range, and what it gives
      return spec::is_approximate(op) ? out : Types{spec::kU32Only, info.types};
  }
  if (spec::is_approximate(op)) return out;  // programs that are compared bit by bit have none
  for (const spec::TypeInfo& type : spec::kTypes) {
    if (!info.types.contains(type.type)) continue;
    out.results = out.results | spec::only(spec::result_type(op, type.type));
    for (uint32_t i = 0; i < *spec::operand_count(op); ++i)
      out.operands = out.operands | spec::only(spec::operand_type(op, type.type, i));
  }
  return out;
}

/// The types that a part wants below it, and that it has itself; statements have none.
Types types_of(size_t part, const ProgramOptions& options) {
  if (part < ir::kNodeKindCount) {
    switch (NodeKind(part)) {
      case NodeKind::Let:
      case NodeKind::Assign:
      case NodeKind::Store: return {spec::kValues, {}};
      case NodeKind::If: return {spec::kU32Only | spec::kTruth, {}};
      case NodeKind::Loop: return {spec::kU32Only, {}};
      case NodeKind::Return:
      case NodeKind::Block:
      case NodeKind::Barrier: return {};
    }
  }
  part -= ir::kNodeKindCount;
  if (part >= ir::kExprKindCount) return types_of(Op(part - ir::kExprKindCount), options);
  switch (ExprKind(part)) {
    case ExprKind::Literal:
      return {{}, spec::kIntegers | spec::kTruth | spec::kFloats};  // vectors are made of words
    case ExprKind::Var: return {{}, spec::kValues};
    case ExprKind::Load: return {spec::kU32Only, spec::kValues};
    case ExprKind::BufLen:
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId: return {{}, spec::kU32Only};
    case ExprKind::NumWorkgroups: return {{}, options.additions ? spec::kU32Only : TypeSet{}};
    case ExprKind::Apply: break;
  }
  return {};
}

constexpr size_t rounding_item(DataType from, DataType to, spec::RoundingMode mode) {
  return (size_t(from) * spec::kTypeCount + size_t(to)) * spec::kRoundingModeCount + size_t(mode);
}
constexpr size_t fold_item(Op reduction, Op fold) {
  return size_t(reduction) * spec::kOpCount + size_t(fold);
}
constexpr size_t access_item(BufferAccess access, DataType element, bool tensor) {
  return (size_t(access) * spec::kTypeCount + size_t(element)) * 2 + (tensor ? 1 : 0);
}
size_t access_item(const check::Checked& program, check::BufferId id) {
  const ir::BufferDecl& decl = program.buffer(id);
  return access_item(decl.access, program.program().element(decl), decl.element == DataType::Tensor);
}

}  // namespace

ProgramCoverage::ProgramCoverage(const ProgramOptions& options) : counts_(kItems), possible_(kItems) {
  find_possible(options);
}

void ProgramCoverage::find_possible(const ProgramOptions& options) {
  const auto allow = [&](Family family, size_t item) { possible_[first(family) + item] = true; };
  const auto holds_statements = [](size_t p) {
    return p == part(NodeKind::If) || p == part(NodeKind::Loop) || p == part(NodeKind::Block);
  };
  const auto is_possible = [&](size_t p) {
    if (p == part(NodeKind::Barrier)) return options.barriers;
    return p < ir::kNodeKindCount || types_of(p, options).results.bits != 0;
  };
  for (size_t p = 0; p < kParts; ++p) {
    if (!is_possible(p)) continue;
    allow(Family::Part, p);
    const TypeSet wanted = types_of(p, options).operands;
    for (size_t below = 0; below < kParts; ++below) {
      const bool statement = below < ir::kNodeKindCount;
      const bool typed = (wanted.bits & types_of(below, options).results.bits) != 0;
      if (is_possible(below) && (statement ? holds_statements(p) : typed))
        allow(Family::Pair, p * kParts + below);
    }
  }
  for (const spec::OpInfo& op : spec::kOps) {
    for (const spec::OpInfo& fold : spec::kOps) {
      const bool strict = spec::is_reduction(op.op) && !spec::is_approximate(op.op);
      if (strict && spec::is_fold(fold.op)) allow(Family::Fold, fold_item(op.op, fold.op));
    }
  }
  for (const spec::TypeInfo& type : spec::kTypes) {
    const DataType t = type.type;
    for (const spec::OpInfo& op : spec::kOps) {
      const Form form = spec::form_of(op.op);
      const bool counted = form != Form::Cast && form != Form::Bitcast && form != Form::Call;
      const bool there = (options.atomics || !spec::is_atomic(op.op)) && !spec::is_approximate(op.op);
      if (counted && there && op.types.contains(t))
        allow(Family::Application, size_t(op.op) * kTypes + size_t(t));
    }
    for (const spec::TypeInfo& to : spec::kTypes) {
      if (allows(Op::Cast, t, to.type)) allow(Family::Cast, size_t(t) * kTypes + size_t(to.type));
      if (allows(Op::Bitcast, t, to.type)) allow(Family::Bitcast, size_t(t) * kTypes + size_t(to.type));
      if (!spec::cast_takes_mode(t, to.type) || !allows(Op::Cast, t, to.type)) continue;
      for (size_t mode = 1; mode < spec::kRoundingModeCount; ++mode)
        allow(Family::Rounding, rounding_item(t, to.type, spec::RoundingMode(mode)));
    }
    if (spec::is_value_type(t)) {
      if (!spec::kVectors.contains(t)) allow(Family::Literal, size_t(t));
      allow(Family::Variable, size_t(t));
    }
    if (!spec::is_value_type(t) && t != DataType::Bytes) continue;
    for (const BufferAccess access : {BufferAccess::Read, BufferAccess::ReadWrite, BufferAccess::Uniform,
                                      BufferAccess::Workgroup, BufferAccess::Private}) {
      if (access == BufferAccess::Workgroup && !options.barriers) continue;
      if (access == BufferAccess::Private && (!options.additions || t == DataType::Bytes)) continue;
      const bool stores = spec::is_writable(access);
      for (const bool tensor : {false, true}) {
        if (tensor && (t == DataType::Bytes || !spec::is_bound(access))) continue;
        allow(Family::Load, access_item(access, t, tensor));
        if (stores) allow(Family::Store, access_item(access, t, tensor));
      }
    }
  }
}

void ProgramCoverage::add_expr(const check::Checked& program, ir::ExprId id) {
  const ir::Code& code = program.program().code;
  const check::Resolution& r = program.resolution();
  const ir::Expr& e = code[id];
  const size_t p = part(e);
  hit(Family::Part, p);
  for (const ir::ExprId arg : code.args(e)) hit(Family::Pair, p * kParts + part(code[arg]));
  switch (e.kind) {
    case ExprKind::Literal: return hit(Family::Literal, size_t(e.type));
    case ExprKind::Var: return hit(Family::Variable, size_t(r.type(id)));
    case ExprKind::Load: return hit(Family::Load, access_item(program, r.buffer(id)));
    case ExprKind::BufLen:
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId:
    case ExprKind::NumWorkgroups: return;
    case ExprKind::Apply: break;
  }
  const auto operand = [&](uint32_t i) { return r.type(code.arg(e, i)); };
  switch (spec::form_of(e.op)) {
    case Form::Cast:
      if (e.mode != spec::RoundingMode::None)
        hit(Family::Rounding, rounding_item(operand(0), e.type, e.mode));
      return hit(Family::Cast, size_t(operand(0)) * kTypes + size_t(e.type));
    case Form::Bitcast: return hit(Family::Bitcast, size_t(operand(0)) * kTypes + size_t(e.type));
    case Form::Reduce:
      hit(Family::Fold, fold_item(e.op, *spec::fold_of(e.op, e.immediate)));
      return hit(Family::Application, size_t(e.op) * kTypes + size_t(r.type(id)));
    case Form::Call: return;
    case Form::Select:
    case Form::Atomic:
    case Form::MakeVector: return hit(Family::Application, size_t(e.op) * kTypes + size_t(r.type(id)));
    case Form::Scalar:
    case Form::Component: return hit(Family::Application, size_t(e.op) * kTypes + size_t(operand(0)));
  }
}

void ProgramCoverage::add(const check::Checked& program) {
  ++programs_;
  const ir::Code& code = program.program().code;
  for (uint32_t i = 0; i < code.exprs.size(); ++i) add_expr(program, ir::ExprId{i});
  for (uint32_t i = 0; i < code.nodes.size(); ++i) {
    const ir::NodeId id{i};
    const ir::Node node = code[id];
    const size_t p = part(node.kind);
    hit(Family::Part, p);
    for (const ir::ExprId arg : code.args(node)) hit(Family::Pair, p * kParts + part(code[arg]));
    for (const ir::BlockId block : {node.body, node.orelse}) {
      if (block == ir::kNoBlock) continue;
      for (const ir::NodeId child : code.block(block)) hit(Family::Pair, p * kParts + part(code[child].kind));
    }
    if (node.kind == NodeKind::Store)
      hit(Family::Store, access_item(program, program.resolution().buffer(id)));
  }
}

void ProgramCoverage::add(const ProgramCoverage& other) {
  programs_ += other.programs_;
  for (size_t i = 0; i < kItems; ++i) counts_[i] += other.counts_[i];
}

std::string ProgramCoverage::name(Family family, size_t item) {
  const auto type = [](size_t i) { return spec::text(DataType(i)); };
  switch (family) {
    case Family::Part: return std::string(part_name(item));
    case Family::Application:
      return fmt::format("{} {}", spec::kOps[item / kTypes].mnemonic, type(item % kTypes));
    case Family::Cast:
    case Family::Bitcast: return fmt::format("{} of {}", type(item % kTypes), type(item / kTypes));
    case Family::Rounding: {
      const size_t pair = item / spec::kRoundingModeCount;
      return fmt::format("{} of {}, {}", type(pair % kTypes), type(pair / kTypes),
                         spec::text(spec::RoundingMode(item % spec::kRoundingModeCount)));
    }
    case Family::Fold:
      return fmt::format("{} with {}", spec::kOps[item / spec::kOpCount].mnemonic,
                         spec::kOps[item % spec::kOpCount].mnemonic);
    case Family::Literal:
    case Family::Variable: return std::string(type(item));
    case Family::Load:
    case Family::Store:
      return fmt::format("{} {}{}", spec::text(BufferAccess(item / 2 / kTypes)),
                         item % 2 != 0 ? "tensor of " : "", type(item / 2 % kTypes));
    case Family::Pair: return fmt::format("{} over {}", part_name(item / kParts), part_name(item % kParts));
  }
  return {};
}

ProgramCoverage::Tally ProgramCoverage::tally(Family family) const {
  Tally out;
  for (size_t item = 0; item < kSizes[size_t(family)]; ++item) {
    const size_t at = first(family) + item;
    if (!possible_[at]) continue;
    ++out.possible;
    if (counts_[at] > 0) {
      ++out.reached;
    } else {
      out.missing.push_back(name(family, item));
    }
  }
  return out;
}

std::string ProgramCoverage::print() const {
  constexpr size_t kShown = 12;
  std::string out = fmt::format("coverage of {} programs\n ", programs_);
  for (size_t p = 0; p < kParts; ++p) {
    if (possible_[p]) out += fmt::format(" {} {}", part_name(p), counts_[p]);
  }
  out += '\n';
  for (size_t f = 0; f < kFamilies; ++f) {
    const Tally t = tally(Family(f));
    out += fmt::format("  {:<26}{:>5} of {:>4}", kFamilyNames[f], t.reached, t.possible);
    for (size_t i = 0; i < t.missing.size() && i < kShown; ++i)
      out += fmt::format("{}{}", i == 0 ? "   never " : ", ", t.missing[i]);
    if (t.missing.size() > kShown) out += fmt::format(", and {} more", t.missing.size() - kShown);
    out += '\n';
  }
  return out;
}

}  // namespace vyre::generate
