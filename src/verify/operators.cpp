// The elementwise families: every scalar operator, select and cast, at every type that is available.
//
// The lists come from the ledgers: an operator or type that is added there is verified here without a change.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "ref/eval.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "spec/rows.h"
#include "verify/contexts.h"
#include "verify/domain.h"
#include "verify/families.h"
#include "verify/strongest.h"

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

/// The words of values of some types, one after the other.
template <typename Values>
std::vector<uint32_t> flatten(std::span<const DataType> types, const Values& values) {
  std::vector<uint32_t> out;
  for (size_t k = 0; k < types.size(); ++k) {
    const auto& words = values[k].words;
    out.insert(out.end(), words.begin(), words.begin() + spec::value_words(types[k]));
  }
  return out;
}

/// The specification rows of an operator at a type as rows of an application; of a cast, to a type, with a
/// rounding mode or none; of Component, of which the second operand is part of the application, for that one.
std::vector<TableRow> rows_of(Op op, DataType type, DataType target, const Application& application,
                              spec::RoundingMode mode = spec::RoundingMode::None,
                              std::optional<uint32_t> component = std::nullopt) {
  std::vector<TableRow> out;
  for (const spec::OperatorRow& row : spec::operator_rows()) {
    if (row.op != op || row.type != type || row.target != target || row.mode != mode) continue;
    if (component && row.values[1].words[0] != *component) continue;
    out.push_back({flatten(application.inputs, row.values),
                   flatten({&application.output, 1}, std::span(&row.expected, 1)), std::string(row.rationale),
                   std::string(row.source)});
  }
  return out;
}

using Operands = std::array<ref::Bits, kMaxInputs>;

/// Fills in what follows from name and types; `value` is the result for operands.
Subject subject_with(std::string name, Application application,
                     std::function<ref::Bits(const Operands&)> value, Recipe recipe = Recipe::Bits) {
  Subject s;
  s.name = name;
  s.oracle = strongest({.program = true});
  s.cases = [name, types = application.inputs, recipe](generate::Strategy strategy, uint64_t seed) {
    return ValueCases(name, types, strategy, seed, recipe);
  };
  s.expected = [value = std::move(value), types = application.inputs, words = output_words(application)](
                   std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
    if (types.size() == 1 && words == 1 && columns.size() == 1) {  // most whole domains
      for (size_t i = 0; i < out.size(); ++i) out[i] = uint32_t(value({columns[0][i]}));
      return;
    }
    for (size_t i = 0; i < out.size() / words; ++i) {
      Operands operands{};
      size_t column = 0;
      for (size_t k = 0; k < types.size(); ++k) {
        for (uint32_t w = 0; w < spec::value_words(types[k]); ++w) {
          operands[k] |= ref::Bits(columns[column++][i]) << (32 * w);
        }
      }
      const ref::Bits result = value(operands);
      for (size_t w = 0; w < words; ++w) out[i * words + w] = uint32_t(result >> (32 * w));
    }
  };
  s.application = std::move(application);
  return s;
}

Subject operator_subject(Op op, DataType type) {
  const uint32_t n = *spec::operand_count(op);
  Application a = application_of(op, type);
  std::string name = fmt::format("{}/{}", info(Family::Operators).text, a.name);
  std::vector<TableRow> rows = rows_of(op, type, type, a);
  const bool makes_vector = spec::is_vector_op(op);
  Subject s = subject_with(
      std::move(name), std::move(a),
      [op, type, n, makes_vector](const Operands& x) {
        const std::span operands = std::span(x).first(n);
        return makes_vector ? ref::eval_make(operands) : ref::eval(op, type, operands);
      },
      spec::kFloats.contains(type) ? Recipe::Rounded : Recipe::Bits);
  s.rows = std::move(rows);
  // An operator on floats is an operation of the library as well, under a name that begins without its f.
  if (spec::kFloats.contains(type))
    s.slices = domain_digests(fmt::format("float.{}.{}", spec::text(type), spec::mnemonic(op).substr(1)));
  return s;
}

Subject component_subject(DataType type, uint32_t component) {
  Application a{
      fmt::format("{}.{}.{}", spec::mnemonic(Op::Component), spec::text(type), "xyzw"[component]),
      {type},
      DataType::U32,
      [component](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.component(x[0], component); }};
  std::string name = fmt::format("{}/{}", info(Family::Operators).text, a.name);
  std::vector<TableRow> rows = rows_of(Op::Component, type, type, a, spec::RoundingMode::None, component);
  Subject s = subject_with(std::move(name), std::move(a),
                           [component](const Operands& x) { return ref::eval_component(x[0], component); });
  s.rows = std::move(rows);
  return s;
}

Subject select_subject(DataType condition, DataType type) {
  Application a{fmt::format("select.{}.{}", spec::text(condition), spec::text(type)),
                {condition, type, type},
                type,
                [](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.select(x[0], x[1], x[2]); }};
  std::string name = fmt::format("{}/{}", info(Family::Select).text, a.name);
  // A bool buffer loads any word but 0 as true, so the rows' conditions mean the same there.
  std::vector<TableRow> rows = rows_of(Op::Select, type, type, a);
  Subject s = subject_with(std::move(name), std::move(a), [type](const Operands& x) {
    return ref::eval(Op::Select, type, std::span(x).first(3));
  });
  s.rows = std::move(rows);
  return s;
}

Subject cast_subject(DataType from, DataType to, spec::RoundingMode mode) {
  Application a{
      fmt::format("cast.{}.{}", spec::text(from), spec::text(to)),
      {from},
      to,
      [to, mode](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.cast(to, x[0], mode); }};
  if (mode != spec::RoundingMode::None) a.name += fmt::format(".{}", spec::text(mode));
  std::string name = fmt::format("{}/{}", info(Family::Casts).text, a.name);
  std::vector<TableRow> rows = rows_of(Op::Cast, from, to, a, mode);
  const bool rounds = from != to && (spec::kFloats.contains(from) || spec::kFloats.contains(to));
  Subject s = subject_with(
      std::move(name), std::move(a),
      [from, to, mode](const Operands& x) { return ref::eval_cast(from, to, mode, x[0]); },
      rounds ? Recipe::Rounded : Recipe::Bits);
  s.rows = std::move(rows);
  return s;
}

/// A cast in each of its modes, or the one that it is.
void add_casts(DataType from, DataType to, std::vector<Subject>& out) {
  using enum spec::RoundingMode;
  if (!spec::cast_takes_mode(from, to)) return out.push_back(cast_subject(from, to, None));
  for (const spec::RoundingMode mode : {Trunc, Nearest, Floor, Ceil})
    out.push_back(cast_subject(from, to, mode));
}

Subject bitcast_subject(DataType from, DataType to) {
  Application a{fmt::format("bitcast.{}.{}", spec::text(from), spec::text(to)),
                {from},
                to,
                [to](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.bitcast(to, x[0]); }};
  std::string name = fmt::format("{}/{}", info(Family::Casts).text, a.name);
  std::vector<TableRow> rows = rows_of(Op::Bitcast, from, to, a);
  Subject s = subject_with(std::move(name), std::move(a),
                           [from, to](const Operands& x) { return ref::eval_bitcast(from, to, x[0]); });
  s.rows = std::move(rows);
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
  std::vector<TableRow> rows = rows_of(op, DataType::U32, DataType::U32, a);
  Subject s = subject_with(std::move(name), std::move(a), [op, exchange](const Operands& x) {
    return exchange ? ref::eval_atomic(op, x[0], x[1], x[2]) : ref::eval_atomic(op, x[0], 0, x[1]);
  });
  s.rows = std::move(rows);
  return s;
}

}  // namespace

Application application_of(Op op, DataType type) {
  Application a;
  a.name = fmt::format("{}.{}", spec::mnemonic(op), spec::text(type));
  for (uint32_t k = 0; k < *spec::operand_count(op); ++k) a.inputs.push_back(spec::operand_type(op, type, k));
  a.output = spec::result_type(op, type);
  a.body = [op](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.apply(op, x); };
  return a;
}

std::vector<Subject> elementwise_subjects(Family family) {
  std::vector<Subject> out;
  const std::vector<DataType> types = value_types();
  switch (family) {
    case Family::Operators:
      for (const spec::OpInfo& op : spec::kOps) {
        if (!spec::is_scalar(op.op) && !spec::is_vector_op(op.op)) continue;
        if (spec::is_approximate(op.op)) continue;  // of the other track
        for (const DataType type : types) {
          if (!op.types.contains(type)) continue;
          if (op.op != Op::Component) {
            out.push_back(operator_subject(op.op, type));
            continue;
          }
          for (uint32_t c = 0; c < spec::components(type); ++c) out.push_back(component_subject(type, c));
        }
      }
      std::ranges::move(context_subjects(), std::back_inserter(out));
      break;
    case Family::Select:
      for (const DataType condition : {DataType::U32, DataType::Bool}) {
        for (const DataType type : types) out.push_back(select_subject(condition, type));
      }
      break;
    case Family::Casts:
      for (const DataType from : types) {
        for (const DataType to : types) {
          if (spec::can_cast(from, to)) add_casts(from, to, out);
          if (spec::can_bitcast(from, to)) out.push_back(bitcast_subject(from, to));
        }
      }
      break;
    case Family::Memory:
    case Family::Control:
    case Family::Loops:
    case Family::Barriers:
    case Family::Programs:
    case Family::Subgroups:
    case Family::Reductions:
    case Family::Synchronization:
    case Family::Litmus:
    case Family::Sums:
    case Family::Shapes:
    case Family::PlantedLaws: break;
    case Family::Atomics:
      for (const spec::OpInfo& op : spec::kOps) {
        if (spec::is_atomic(op.op)) out.push_back(atomic_subject(op.op));
      }
      break;
  }
  return out;
}

}  // namespace vyre::verify
