#include "float_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/planted_law.h"
#include "float_functions.h"
#include "ops/registry.h"
#include "spec/ops.h"
#include "verify/families.h"

namespace vyre::faults {
namespace {

using ir::ExprId;
using spec::DataType;
using spec::Op;

constexpr std::string_view kPlanted = "fault.planted";

// --- Planting

/// "fadd.f32 of fmul.f32" in two; the second is empty where there is none.
std::pair<std::string_view, std::string_view> parts_of(std::string_view victim) {
  constexpr std::string_view kOf = " of ";
  const size_t at = victim.find(kOf);
  if (at == victim.npos) return {victim, {}};
  return {victim.substr(0, at), victim.substr(at + kOf.size())};
}

const verify::Application& application_named(std::string_view name) {
  static const std::vector<verify::Subject> all = [] {
    std::vector<verify::Subject> out = verify::elementwise_subjects(verify::Family::Operators);
    std::ranges::move(verify::elementwise_subjects(verify::Family::Casts), std::back_inserter(out));
    return out;
  }();
  return std::ranges::find(all, name,
                           [](const verify::Subject& s) -> std::string_view { return s.application.name; })
      ->application;
}

ir::Function function_of(FloatFault fault) {
  const auto [outer, inner] = parts_of(info(fault).victim);
  const verify::Application& application = application_named(outer);
  std::vector<DataType> types = application.inputs;
  if (!inner.empty()) {
    const std::vector<DataType>& first = application_named(inner).inputs;
    types.erase(types.begin());
    types.insert(types.begin(), first.begin(), first.end());
  }
  return faulty_function(fault, kPlanted, types, application.output);
}

/// Copies code with the victim's applications replaced.
class Planter {
 public:
  Planter(FloatFault fault, const ir::Code& from, const check::Resolution& resolution)
      : fault_(fault), from_(from), resolution_(resolution) {
    for (size_t s = 0; s < from.symbols.size(); ++s) to_.intern(from.symbols[s]);
    to_.wide = from.wide;
    find_victims();
    for (uint32_t k = 0; k < from.exprs.size(); ++k) map_.push_back(copy(ExprId{k}));
    for (const ir::Node& node : from.nodes) to_.add(node, mapped(from.args(node)), Span::none());
    to_.blocks = from.blocks;
    to_.node_list = from.node_list;
  }
  ir::Code take() { return std::move(to_); }
  ExprId mapped(ExprId old) const { return map_[ir::index(old)]; }
  uint64_t planted() const { return planted_; }

 private:
  enum class Role : uint8_t { Bystander, Victim, Inner };

  std::string name_of(ExprId id) const {
    const ir::Expr& e = from_[id];
    if (e.kind != ir::ExprKind::Apply) return {};
    const auto args = from_.args(e);
    if (spec::is_reduction(e.op))
      return fmt::format("{}.{}", spec::mnemonic(e.op), spec::text(resolution_.type(id)));
    if (args.empty()) return {};
    std::string out = fmt::format("{}.{}", spec::mnemonic(e.op), spec::text(resolution_.type(args[0])));
    if (e.op == Op::Cast) out += fmt::format(".{}", spec::text(e.type));
    if (e.mode != spec::RoundingMode::None) out += fmt::format(".{}", spec::text(e.mode));
    return out;
  }
  void find_victims() {
    const auto [outer, inner] = parts_of(info(fault_).victim);
    roles_.resize(from_.exprs.size(), Role::Bystander);
    for (uint32_t k = 0; k < from_.exprs.size(); ++k) {
      if (name_of(ExprId{k}) != outer) continue;
      if (!inner.empty()) {
        const ExprId first = from_.arg(from_.exprs[k], 0);
        // One that is a victim itself stays one.
        if (roles_[ir::index(first)] != Role::Bystander || name_of(first) != inner) continue;
        roles_[ir::index(first)] = Role::Inner;
      }
      roles_[k] = Role::Victim;
      ++planted_;
    }
  }
  std::vector<ExprId> mapped(std::span<const ExprId> ids) const {
    std::vector<ExprId> out;
    for (const ExprId id : ids) out.push_back(mapped(id));
    return out;
  }
  ExprId copy(ExprId id) {
    const ir::Expr& e = from_[id];
    const Role role = roles_[ir::index(id)];
    if (role == Role::Inner) return ExprId{};  // goes into the call that replaces its parent
    if (role == Role::Bystander) return to_.add(e, mapped(from_.args(e)), Span::none());
    if (spec::is_reduction(e.op)) {
      ir::Expr other = e;
      other.op = e.op == Op::FReduceStrict ? Op::FReduceTreeBinary : Op::FReduceStrict;
      return to_.add(other, mapped(from_.args(e)), Span::none());
    }
    std::vector<ExprId> arguments;
    for (const ExprId arg : from_.args(e)) {
      const auto inner = roles_[ir::index(arg)] == Role::Inner ? from_.args(from_[arg]) : std::span(&arg, 1);
      for (const ExprId a : inner) arguments.push_back(mapped(a));
    }
    ir::Expr call{};
    call.kind = ir::ExprKind::Apply;
    call.op = Op::Call;
    call.symbol = to_.intern(kPlanted);
    call.immediate = 1;
    return to_.add(call, arguments, Span::none());
  }

  FloatFault fault_;
  const ir::Code& from_;
  const check::Resolution& resolution_;
  ir::Code to_;
  std::vector<ExprId> map_;
  std::vector<Role> roles_;
  uint64_t planted_ = 0;
};

}  // namespace

Liar::Liar(backend::Backend& honest, FloatFault fault) : honest_(honest), fault_(fault) {
  if (has_function(fault)) {
    functions_.push_back(std::make_unique<ir::Function>(function_of(fault)));
    spec::OpDef def{.id = std::string(kPlanted), .signature = {}, .body = functions_.back().get()};
    for (const auto& parameter : functions_.back()->parameters)
      def.signature.inputs.push_back(parameter.type);
    def.signature.output = functions_.back()->result_type;
    table_.add(def);
  }
  add_operations(ops::op_table());
  add_operations(algebra::planted_table());
}

void Liar::add_operations(const spec::OpTable& table) {
  for (const spec::OpDef* def : table.all()) {
    spec::OpDef wrong = *def;
    if (def->body != nullptr) {
      const auto checked = check::check(*def->body, table);
      Planter planter(fault_, def->body->code, checked->resolution);
      auto body = std::make_unique<ir::Function>(*def->body);
      body->result = planter.mapped(def->body->result);
      body->code = planter.take();
      wrong.body = body.get();
      functions_.push_back(std::move(body));
    }
    table_.add(wrong);
  }
}

backend::Identity Liar::identity() const {
  backend::Identity id = honest_.identity();
  id.name = fmt::format("{} with {}", id.name, info(fault_).name);
  return id;
}

Result<std::unique_ptr<backend::Pipeline>> Liar::compile(const check::Checked& program) {
  Planter planter(fault_, program.program().code, program.resolution());
  planted_ += planter.planted();
  ir::Program wrong = program.program();
  wrong.code = planter.take();
  auto checked = check::check(std::move(wrong), table_);
  if (!checked) return std::unexpected(checked.error().front());
  return honest_.compile(*checked);
}

}  // namespace vyre::faults
