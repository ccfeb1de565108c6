#include <algorithm>
#include <utility>

#include "algebra/law.h"
#include "certify/certificate.h"
#include "ops/operation.h"
#include "spec/ops.h"
#include "verify/families.h"
#include "verify/leaves.h"
#include "verify/operator_laws.h"
#include "verify/shape_factors.h"
#include "verify/shapes.h"
#include "wire/wire.h"

namespace vyre::certify {
namespace {

// Every part of variable length goes in after its length, so that no two registries hash alike by
// concatenation.
void add(Hasher& h, std::string_view text) {
  h.update_u64(text.size());
  h.update(text);
}
void add(Hasher& h, const std::vector<uint32_t>& words) {
  h.update_u64(words.size());
  for (const uint32_t w : words) h.update_u32(w);
}

// A function has no encoding of its own; a program with the same code and a store of the result has.
Digest function_digest(ir::Function f) {
  ir::Program program;
  program.name = "composition";
  program.code = std::move(f.code);
  const ir::Symbol out = program.code.intern("out");
  ir::Expr zero{};
  zero.kind = ir::ExprKind::Literal;
  zero.type = spec::DataType::U32;
  const ir::ExprId index = program.code.add(zero, {}, Span::none());
  ir::Node store{};
  store.kind = ir::NodeKind::Store;
  store.symbol = out;
  const ir::ExprId operands[] = {index, f.result};
  const ir::NodeId stored = program.code.add(store, operands, Span::none());
  const auto body = program.code.block(f.body);
  std::vector<ir::NodeId> nodes(body.begin(), body.end());
  nodes.push_back(stored);
  program.entry = program.code.add_block(nodes);
  return wire::digest(program);
}

// A custom law is its predicate: two under one name must not hash alike.
void add(Hasher& h, const spec::Law& law, const ops::Operation& op) {
  add(h, spec::to_string(law));
  if (law.kind != spec::LawKind::Custom) return;
  const auto bound = algebra::bind(law, op);
  if (bound) add(h, function_digest(*bound->predicate).hex());
}

void add(Hasher& h, const ops::Operation& op) {
  add(h, op.id);
  h.update_u32(op.version);
  h.update_u64(op.signature.inputs.size());
  for (const spec::DataType t : op.signature.inputs) add(h, spec::text(t));
  add(h, spec::text(op.signature.output));
  for (const std::string_view name : op.parameter_names) add(h, name);
  add(h, function_digest(*ops::op_table().find(op.id, op.version)->body).hex());
  h.update_u64(op.laws.size());
  for (const spec::Law& law : op.laws) add(h, law, op);
  h.update_u64(op.denied.size());
  for (const spec::Denial& denial : op.denied) {
    add(h, denial.law, op);
    add(h, denial.witness);
  }
  h.update_u64(op.classes.size());
  for (const ops::EquivalenceClass& c : op.classes) {
    add(h, c.name);
    add(h, c.representative);
  }
  h.update_u64(op.boundaries.size());
  for (const ops::BoundaryValue& b : op.boundaries) {
    add(h, b.operands);
    add(h, b.reason);
  }
  h.update_u64(op.rows.size());
  for (const ops::SpecRow& row : op.rows) {
    add(h, row.operands);
    h.update_u32(row.expected);
    add(h, row.rationale);
    add(h, row.source);
  }
  if (op.bound != 0) h.update_u32(op.bound);
}

void add(Hasher& h, const verify::Family family) {
  add(h, verify::info(family).text);
  for (const verify::Subject& subject : verify::elementwise_subjects(family)) {
    add(h, subject.name);
    for (const verify::TableRow& row : subject.rows) {
      add(h, row.operands);
      add(h, row.expected);
    }
  }
  if (family == verify::Family::Shapes) {
    for (const verify::ShapeFactorInfo& factor : verify::shape_factors()) {
      add(h, factor.text);
      for (const std::string_view level : factor.levels) add(h, level);
    }
  }
  for (const verify::Shape& shape : verify::shapes_of(family)) {
    add(h, shape.name);
    add(h, shape.text);
  }
  if (family != verify::Family::Operators) return;
  for (const verify::OperatorLaw& law : verify::operator_laws()) {
    add(h, verify::name_of(law));
    h.update_u32(law.claimed ? 1 : 0);
    for (const auto value : law.witness) {
      h.update_u64(uint64_t(value >> 64));
      h.update_u64(uint64_t(value));
    }
  }
}

/// Names and digests of all entries, in the order of a registry.
using Entries = std::vector<std::pair<std::string, std::string>>;

template <typename T>
std::string entry_digest(const T& entry) {
  Hasher h;
  add(h, entry);
  return h.finish().hex().substr(0, verify::kDigestDigits);
}

bool is_approximate(const ops::Operation& op) { return verify::track_of(op) == verify::Track::Approximate; }

Entries make_entries(bool approximate) {
  Entries out;
  for (const ops::Operation& op : ops::all_operations()) {
    if (is_approximate(op) == approximate)
      out.emplace_back(verify::subject_of(op.id, op.version), entry_digest(op));
  }
  for (const verify::FamilyInfo& family : verify::kFamilies) {
    if (verify::is_of(family.family, verify::Track::Approximate) == approximate)
      out.emplace_back(family.text, entry_digest(family.family));
  }
  return out;
}

const Entries& entries(bool approximate) {
  static const Entries strict = make_entries(false), other = make_entries(true);
  return approximate ? other : strict;
}

Registry make_registry(bool approximate) {
  Hasher h;
  for (const auto& [name, digest] : entries(approximate)) {
    add(h, name);
    add(h, digest);
  }
  const auto operations = [](verify::Track track) {
    return uint32_t(std::ranges::count_if(
        ops::all_operations(), [&](const ops::Operation& op) { return verify::track_of(op) == track; }));
  };
  using verify::Track;
  Registry out{.digest = h.finish().hex()};
  for (const ops::Operation& op : ops::all_operations()) {
    if (is_approximate(op) != approximate) continue;
    out.laws += uint32_t(op.laws.size() + op.denied.size());
    out.classes += uint32_t(op.classes.size());
    out.boundaries += uint32_t(op.boundaries.size());
  }
  for (const verify::Part& part : verify::all_parts()) {
    if ((part.track == Track::Approximate) != approximate) continue;
    out.operators += uint32_t(verify::elementwise_subjects(part.family, part.track).size());
    out.shapes += uint32_t(verify::shapes(part.family));
  }
  if (!approximate) out.laws += uint32_t(verify::operator_laws().size());
  if (approximate) {
    out.approximate_operations = operations(Track::Approximate);
    out.approximate_families = verify::parts_of(Track::Approximate);
    return out;
  }
  out.operations = operations(Track::Integer);
  out.families = verify::parts_of(Track::Integer);
  out.float_operations = operations(Track::Float);
  out.float_families = verify::parts_of(Track::Float);
  return out;
}

}  // namespace

const Registry& this_registry(bool approximate) {
  static const Registry strict = make_registry(false), other = make_registry(true);
  return approximate ? other : strict;
}

std::string entry_of(std::string_view subject) {
  for (const bool approximate : {false, true}) {
    const auto found = std::ranges::find(entries(approximate), subject, &Entries::value_type::first);
    if (found != entries(approximate).end()) return found->second;
  }
  return {};
}

}  // namespace vyre::certify
