// The elementwise families: every scalar operator, select and cast, at every type that is available.
//
// The lists come from the ledgers: an operator or type that is added there is verified here without a change.
#include <fmt/format.h>

#include "ref/eval.h"
#include "spec/casts.h"
#include "spec/rows.h"
#include "verify/families.h"

namespace vyre::verify {
namespace {

using spec::DataType;
using spec::Op;

/// The value types of this version.
std::vector<DataType> value_types() {
  std::vector<DataType> out;
  for (const spec::TypeInfo& t : spec::kTypes) {
    if (t.available && spec::is_value_type(t.type)) out.push_back(t.type);
  }
  return out;
}

// The specification rows of an operator at a type; of a cast, to a type.
std::vector<TableRow> rows_of(Op op, DataType type, DataType target) {
  std::vector<TableRow> out;
  for (const spec::OperatorRow& row : spec::operator_rows()) {
    if (row.op != op || row.type != type || row.target != target) continue;
    out.push_back({{row.operands().begin(), row.operands().end()},
                   row.expected,
                   std::string(row.rationale),
                   std::string(row.source)});
  }
  return out;
}

// Fills in what follows from name and types.
Subject subject_with(std::string name, Application application,
                     std::function<uint32_t(const uint32_t*)> value) {
  Subject s;
  s.name = name;
  s.oracle = Oracle::ReferenceInterpreter;
  s.cases = [name, types = application.inputs](generate::Strategy strategy, uint64_t seed) {
    return generate::Cases(name, types, strategy, seed);
  };
  s.expected = [value = std::move(value)](std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
    uint32_t operands[generate::kMaxOperands] = {};
    for (size_t i = 0; i < out.size(); ++i) {
      for (size_t k = 0; k < columns.size(); ++k) operands[k] = columns[k][i];
      out[i] = value(operands);
    }
  };
  s.application = std::move(application);
  return s;
}

Subject operator_subject(Op op, DataType type) {
  const uint32_t n = *spec::operand_count(op);
  Application a;
  a.name = fmt::format("{}.{}", spec::mnemonic(op), spec::text(type));
  for (uint32_t k = 0; k < n; ++k) a.inputs.push_back(spec::operand_type(op, type, k));
  a.output = spec::result_type(op, type);
  a.body = [op](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.apply(op, x); };
  std::string name = fmt::format("{}/{}", info(Family::Operators).text, a.name);
  Subject s = subject_with(std::move(name), std::move(a),
                           [op, type, n](const uint32_t* x) { return ref::eval(op, type, {x, n}); });
  s.rows = rows_of(op, type, type);
  return s;
}

Subject select_subject(DataType condition, DataType type) {
  Application a{fmt::format("select.{}.{}", spec::text(condition), spec::text(type)),
                {condition, type, type},
                type,
                [](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.select(x[0], x[1], x[2]); }};
  std::string name = fmt::format("{}/{}", info(Family::Select).text, a.name);
  Subject s = subject_with(std::move(name), std::move(a),
                           [type](const uint32_t* x) { return ref::eval(Op::Select, type, {x, 3}); });
  // A bool buffer loads any word but 0 as true, so the rows' conditions mean the same there.
  s.rows = rows_of(Op::Select, type, type);
  return s;
}

Subject cast_subject(DataType from, DataType to, bool bits) {
  Application a{fmt::format("{}.{}.{}", bits ? "bitcast" : "cast", spec::text(from), spec::text(to)),
                {from},
                to,
                [to, bits](ir::ProgramBuilder& p, std::span<const ir::Ex> x) {
                  return bits ? p.bitcast(to, x[0]) : p.cast(to, x[0]);
                }};
  std::string name = fmt::format("{}/{}", info(Family::Casts).text, a.name);
  // A bitcast among 32-bit types keeps the word, by definition.
  Subject s = subject_with(std::move(name), std::move(a), [from, to, bits](const uint32_t* x) {
    return bits ? x[0] : ref::eval_cast(from, to, spec::RoundingMode::None, x[0]);
  });
  s.rows = rows_of(bits ? Op::Bitcast : Op::Cast, from, to);
  return s;
}

// What an atomic leaves in memory: each invocation works on its own element of the output, which first gets
// the word before.
Subject atomic_subject(Op op) {
  const bool exchange = *spec::operand_count(op) == 3;  // index, expected, value
  Application a;
  a.name = fmt::format("{}.u32", spec::mnemonic(op));
  a.inputs.assign(exchange ? 3 : 2, DataType::U32);
  a.output = DataType::U32;
  a.body = [op, exchange](ir::ProgramBuilder& p, std::span<const ir::Ex> x) {
    const ir::BufferRef out{p.code().intern("out")};
    p.store(out, p.var("i"), x[0]);
    if (exchange) {
      p.let("before", p.atomic_compare_exchange(out, p.var("i"), x[1], x[2]));
    } else {
      p.let("before", p.atomic(op, out, p.var("i"), x[1]));
    }
    return p.load(out, p.var("i"));
  };
  std::string name = fmt::format("{}/{}", info(Family::Atomics).text, a.name);
  Subject s = subject_with(std::move(name), std::move(a), [op, exchange](const uint32_t* x) {
    return exchange ? ref::eval_atomic(op, x[0], x[1], x[2]) : ref::eval_atomic(op, x[0], 0, x[1]);
  });
  s.rows = rows_of(op, DataType::U32, DataType::U32);
  return s;
}

}  // namespace

std::vector<Subject> elementwise_subjects(Family family) {
  std::vector<Subject> out;
  const std::vector<DataType> types = value_types();
  switch (family) {
    case Family::Operators:
      for (const spec::OpInfo& op : spec::kOps) {
        if (!spec::is_scalar(op.op)) continue;
        for (const DataType type : types) {
          if (op.types.contains(type)) out.push_back(operator_subject(op.op, type));
        }
      }
      break;
    case Family::Select:
      for (const DataType condition : {DataType::U32, DataType::Bool}) {
        for (const DataType type : types) out.push_back(select_subject(condition, type));
      }
      break;
    case Family::Casts:
      for (const DataType from : types) {
        for (const DataType to : types) {
          if (spec::can_cast(from, to)) out.push_back(cast_subject(from, to, false));
          if (spec::can_bitcast(from, to)) out.push_back(cast_subject(from, to, true));
        }
      }
      break;
    case Family::Memory:
    case Family::Control:
    case Family::Loops:
    case Family::Barriers:
    case Family::Programs:
    case Family::Twins: break;
    case Family::Atomics:
      for (const spec::OpInfo& op : spec::kOps) {
        if (spec::is_atomic(op.op)) out.push_back(atomic_subject(op.op));
      }
      break;
  }
  return out;
}

}  // namespace vyre::verify
