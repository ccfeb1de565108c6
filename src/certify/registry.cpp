#include <algorithm>
#include <utility>

#include "algebra/law.h"
#include "certify/certificate.h"
#include "ops/operation.h"
#include "spec/ops.h"
#include "verify/buffer_operation.h"
#include "verify/engine_check.h"
#include "verify/leaves.h"
#include "verify/operator_laws.h"
#include "verify/section.h"
#include "verify/tensor_check.h"
#include "wire/wire.h"

namespace vyre::certify {
namespace {

using verify::EntryHasher;

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
void add(EntryHasher& h, const spec::Law& law, const ops::Operation& op) {
  h.text(spec::to_string(law));
  if (law.kind != spec::LawKind::Custom) return;
  const auto bound = algebra::bind(law, op);
  if (bound) h.text(function_digest(*bound->predicate).hex());
}

void add(EntryHasher& h, const ops::Operation& op) {
  h.text(op.id);
  h.word(op.version);
  h.number(op.signature.inputs.size());
  for (const spec::DataType t : op.signature.inputs) h.text(spec::text(t));
  h.text(spec::text(op.signature.output));
  for (const std::string_view name : op.parameter_names) h.text(name);
  h.text(function_digest(*ops::op_table().find(op.id, op.version)->body).hex());
  h.number(op.laws.size());
  for (const spec::Law& law : op.laws) add(h, law, op);
  h.number(op.denied.size());
  for (const spec::Denial& denial : op.denied) {
    add(h, denial.law, op);
    h.words(denial.witness);
  }
  h.number(op.classes.size());
  for (const ops::EquivalenceClass& c : op.classes) {
    h.text(c.name);
    h.words(c.representative);
  }
  h.number(op.boundaries.size());
  for (const ops::BoundaryValue& b : op.boundaries) {
    h.words(b.operands);
    h.text(b.reason);
  }
  h.number(op.rows.size());
  for (const ops::SpecRow& row : op.rows) {
    h.words(row.operands);
    h.word(row.expected);
    h.text(row.rationale);
    h.text(row.source);
  }
  if (op.bound != 0) h.word(op.bound);
}

// What the text means and its rows are in it; a law is its words, as its check is code.
void add(EntryHasher& h, const verify::BufferSubject& operation) {
  h.text(operation.entry->id);
  h.text(operation.entry->file->text);
  for (const auto& [name, value] : operation.entry->constants) {
    h.text(name);
    h.word(value);
  }
  for (const library::Law* law : library::laws_of(operation.entry->id)) {
    h.text(law->name);
    h.word(law->claimed);
    h.text(law->statement);
  }
  if (const library::Engine* engine = operation.engine()) {
    for (const library::Invariant one : library::kInvariants)
      if (engine->promises.has(one)) h.text(library::text(one));
    for (const std::string_view bound : {engine->dispatches, engine->scratch_bytes, engine->turns})
      h.text(bound);
  }
  for (const opspec::CaseClass* one : opspec::classes_of(operation.entry->id)) h.text(one->name);
  h.words(opspec::kBoundarySizes);
}

// What generated engines are made of is code; some of them stand for it.
Digest generated_entry() {
  constexpr uint64_t kSome = 16;
  EntryHasher h;
  h.text(verify::kGeneratedEngines);
  h.text(verify::generated_digest(0, kSome));
  return h.finish();
}

// The same of what an operation on tensors is tried on.
void add(EntryHasher& h, const verify::TensorSubject& subject) {
  constexpr uint64_t kSome = 8;
  h.text(subject.name());
  for (const verify::Track track : {verify::Track::Integer, verify::Track::Float})
    if (const auto* of = verify::find_tensor_subject(subject.name(), track))
      h.text(verify::tensor_digest(*of, 0, kSome));
}

void add(EntryHasher& h, verify::Family family) {
  h.text(verify::info(family).text);
  for (const verify::Section* section : verify::sections_of(family)) section->describe(family, h);
}

/// Names and digests of all entries, in the order of a registry.
using Entries = std::vector<std::pair<std::string, std::string>>;

template <typename T>
std::string entry_digest(const T& entry) {
  EntryHasher h;
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
  if (!approximate) {
    for (const verify::BufferSubject& operation : verify::buffer_subjects())
      out.emplace_back(operation.name(), entry_digest(operation));
    out.emplace_back(verify::subject_of(verify::kGeneratedEngines, 1),
                     generated_entry().hex().substr(0, verify::kDigestDigits));
    // One on two tracks is one entry.
    for (const verify::TensorSubject& subject : verify::tensor_subjects())
      if (out.back().first != subject.name()) out.emplace_back(subject.name(), entry_digest(subject));
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
  EntryHasher h;
  for (const auto& [name, digest] : entries(approximate)) {
    h.text(name);
    h.text(digest);
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
  for (const verify::BufferSubject& operation : verify::buffer_subjects()) {
    out.laws += uint32_t(library::laws_of(operation.entry->id).size());
    out.classes += uint32_t(opspec::classes_of(operation.entry->id).size());
    out.boundaries += uint32_t(opspec::kBoundarySizes.size());
    (operation.track() == Track::Float ? out.float_operations : out.operations) += 1;
  }
  for (const verify::TensorSubject& subject : verify::tensor_subjects()) {
    (subject.track == Track::Float ? out.float_operations : out.operations) += 1;
    ++out.tensors;
  }
  out.operations += operations(Track::Integer) + 1;  // and generated engines
  out.families = verify::parts_of(Track::Integer);
  out.float_operations += operations(Track::Float);
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
