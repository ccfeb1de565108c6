// Faults planted in each thing that expected values come from, or that results go through: a reference
// function, a composition, the interpreter, a rule of legalization, a row of a printer, a row of a table.
// Whatever the fault is in cannot be what finds it, so each must be caught by an oracle that is not its own.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>

#include "base/random.h"
#include "corpus.h"
#include "ops/float_reference.h"
#include "oracle.h"
#include "spec/ops.h"
#include "subjects.h"

VYRE_ORACLE(Property,
            "the list of planted faults: forty at least, in each of the places; without one no rule may "
            "report anything");

namespace vyre::admit::test {
namespace {

using spec::Op;
using spec::Oracle;

enum class Site : uint8_t { Reference, Composition, Interpreter, Rule, Printer, Row };
constexpr std::array<std::string_view, 6> kSiteNames = {
    "reference function", "composition", "interpreter", "rule", "printer row", "table row"};

/// The oracle that the site is, and so may not judge it. A rule and a printer's row are judged by no run of
/// the interpreter either, which stands on their side of the comparison here.
constexpr Oracle own_of(Site site) {
  switch (site) {
    case Site::Reference: return Oracle::CpuReference;
    case Site::Composition:
    case Site::Interpreter:
    case Site::Rule:
    case Site::Printer: return Oracle::ReferenceInterpreter;
    case Site::Row: return Oracle::SpecificationTable;
  }
  return Oracle::Property;
}

struct Fault {
  std::string_view what;
  Site site;
  std::string_view operation;
  Oracle by;  // one that must catch it
  std::function<Subject(const ops::Operation&)> plant = {};
  size_t row = 0;         // Site::Row: which one, and
  uint32_t expected = 0;  // what stands there instead
};

using Compose = decltype(ops::Operation::compose);
std::function<Subject(const ops::Operation&)> reference(ops::Reference f) {
  return [f](const ops::Operation&) { return by_reference(f); };
}
std::function<Subject(const ops::Operation&)> composition(Compose compose) {
  return [compose](const ops::Operation& o) { return by_composition(o, compose); };
}
std::function<Subject(const ops::Operation&)> interpreter(Op from, Op to) {
  return [=](const ops::Operation& o) { return by_interpreter(o, from, to); };
}
std::function<Subject(const ops::Operation&)> raw(lower::RawOp from, lower::RawOp to) {
  return [=](const ops::Operation& o) {
    return by_rule(o, [=](lower::Kernel&, lower::Inst& inst) {
      if (inst.kind != lower::InstKind::Raw || inst.raw != from) return false;
      inst.raw = to;
      return true;
    });
  };
}
std::function<Subject(const ops::Operation&)> constant(uint32_t from, uint32_t to) {
  return [=](const ops::Operation& o) {
    return by_rule(o, [=](lower::Kernel&, lower::Inst& inst) {
      if (inst.kind != lower::InstKind::Const || inst.imm != from) return false;
      inst.imm = to;
      return true;
    });
  };
}
/// The operands number a and b of a raw operator in each other's place.
std::function<Subject(const ops::Operation&)> swapped(lower::RawOp op, uint32_t a, uint32_t b) {
  return [=](const ops::Operation& o) {
    return by_rule(o, [=](lower::Kernel& kernel, lower::Inst& inst) {
      if (inst.kind != lower::InstKind::Raw || inst.raw != op) return false;
      std::swap(kernel.values[inst.args.first + a], kernel.values[inst.args.first + b]);
      return true;
    });
  };
}
std::function<Subject(const ops::Operation&)> printed(std::string from, std::string to) {
  return [=](const ops::Operation& o) { return by_printer(o, from, to); };
}

uint32_t rotl_unmasked(const uint32_t* x) { return x[1] >= 32 ? 0 : std::rotl(x[0], int(x[1])); }
uint32_t shl_to_zero(const uint32_t* x) { return x[1] >= 32 ? 0 : x[0] << x[1]; }
uint32_t shr_signed(const uint32_t* x) { return uint32_t(int32_t(x[0]) >> (x[1] & 31)); }
uint32_t div_by_zero_is_ones(const uint32_t* x) { return x[1] == 0 ? UINT32_MAX : x[0] / x[1]; }
uint32_t clz_of_zero_is_31(const uint32_t* x) { return x[0] == 0 ? 31 : uint32_t(std::countl_zero(x[0])); }
uint32_t min_signed(const uint32_t* x) { return int32_t(x[0]) < int32_t(x[1]) ? x[0] : x[1]; }
uint32_t add_wraps(const uint32_t* x) { return x[0] + x[1]; }
uint32_t difference_wraps(const uint32_t* x) { return x[0] - x[1]; }
/// As the reference function would be without Arb's balls: right but where doubles are too short.
uint32_t sin_by_turns_of_doubles(const uint32_t* x) {
  return host_float::F32::pattern(
      float(std::sin(std::remainder(double(host_float::F32::value(x[0])), 2 * std::numbers::pi))));
}
uint32_t pow_rounded_twice(const uint32_t* x) {
  const double a = host_float::F32::value(x[0]), b = host_float::F32::value(x[1]);
  return host_float::F32::pattern(float(std::pow(a, b)));
}
/// As CORE-MATH's cr_powf16 has it.
uint32_t pow_swaps_infinite_exponents(const uint32_t* x) {
  const float a = std::abs(host_float::F32::value(x[0])), b = host_float::F32::value(x[1]);
  const uint32_t right = ops::find_operation("float.f32.pow")->reference(x);
  return std::isinf(b) && !std::isnan(a) && a != 1 ? right ^ host_float::F32::pattern(HUGE_VALF) : right;
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = {
      {"no mask on the count", Site::Reference, "primitive.bitwise.rotl", Oracle::SpecificationTable,
       reference(rotl_unmasked)},
      {"a shift by 32 gives zero", Site::Reference, "primitive.bitwise.shl", Oracle::ExternalCorpus,
       reference(shl_to_zero)},
      {"the shift keeps the sign", Site::Reference, "primitive.bitwise.shr", Oracle::ReferenceInterpreter,
       reference(shr_signed)},
      {"x / 0 is all ones", Site::Reference, "primitive.math.div", Oracle::SpecificationTable,
       reference(div_by_zero_is_ones)},
      {"clz(0) is 31", Site::Reference, "primitive.bitwise.clz", Oracle::ExternalCorpus,
       reference(clz_of_zero_is_31)},
      {"the lesser of signed words", Site::Reference, "primitive.math.min", Oracle::Law,
       reference(min_signed)},
      {"a sum that wraps", Site::Reference, "primitive.math.add_sat", Oracle::Law, reference(add_wraps)},
      {"a difference that wraps", Site::Reference, "primitive.math.abs_diff", Oracle::Law,
       reference(difference_wraps)},
      {"turns taken off in doubles", Site::Reference, "float.f32.sin", Oracle::ReferenceInterpreter,
       reference(sin_by_turns_of_doubles)},
      {"rounded to a double and then to f32", Site::Reference, "float.f32.pow", Oracle::SpecificationTable,
       reference(pow_rounded_twice)},
      {"zero and infinity swapped", Site::Reference, "float.f32.pow", Oracle::SpecificationTable,
       reference(pow_swaps_infinite_exponents)},

      {"operands in the other order", Site::Composition, "primitive.math.sub", Oracle::Law,
       composition([](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[1] - p[0]; })},
      {"the lesser", Site::Composition, "primitive.math.max", Oracle::Law,
       composition([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
         return f.select(p[0] < p[1], p[0], p[1]);
       })},
      {"no negative sign", Site::Composition, "primitive.math.sign", Oracle::SpecificationTable,
       composition([](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] != 0; })},
      {"bounds in the other order", Site::Composition, "primitive.math.clamp", Oracle::CpuReference,
       composition([](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
         return f.call("primitive.math.max", {f.call("primitive.math.min", {p[0], p[2]}), p[1]});
       })},
      {"x mod 0 is x", Site::Composition, "primitive.math.mod", Oracle::CpuReference,
       composition(
           [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] - p[0] / p[1] * p[1]; })},
      {"bits in place of truths", Site::Composition, "primitive.compare.logical_and",
       Oracle::SpecificationTable,
       composition([](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] & p[1]; })},
      {"strictly greater", Site::Composition, "primitive.compare.ge", Oracle::ExternalCorpus,
       composition([](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] > p[1]; })},
      {"left for right", Site::Composition, "primitive.bitwise.rotr", Oracle::ExternalCorpus,
       composition(
           [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return (p[0] << p[1]) | (p[0] >> -p[1]); })},

      {"eval_Add subtracts", Site::Interpreter, "primitive.math.add", Oracle::Law,
       interpreter(Op::Add, Op::Sub)},
      {"eval_Mul adds", Site::Interpreter, "primitive.math.mul", Oracle::ExternalCorpus,
       interpreter(Op::Mul, Op::Add)},
      {"eval_Shr shifts left", Site::Interpreter, "primitive.bitwise.shr", Oracle::ExternalCorpus,
       interpreter(Op::Shr, Op::Shl)},
      {"eval_Lt is <=", Site::Interpreter, "primitive.compare.lt", Oracle::SpecificationTable,
       interpreter(Op::Lt, Op::Le)},
      {"eval_Popcount counts leading zeros", Site::Interpreter, "primitive.bitwise.popcount",
       Oracle::CpuReference, interpreter(Op::Popcount, Op::Clz)},
      {"eval_Ctz counts from the other end", Site::Interpreter, "primitive.bitwise.ctz",
       Oracle::ExternalCorpus, interpreter(Op::Ctz, Op::Clz)},
      {"eval_BitNot negates", Site::Interpreter, "primitive.bitwise.not", Oracle::Law,
       interpreter(Op::BitNot, Op::Negate)},
      {"eval_Eq is !=", Site::Interpreter, "primitive.compare.eq", Oracle::SpecificationTable,
       interpreter(Op::Eq, Op::Ne)},

      {"the mask of a shift is 15", Site::Rule, "primitive.bitwise.shl", Oracle::SpecificationTable,
       constant(31, 15)},
      {"the mask of a shift is 15", Site::Rule, "primitive.bitwise.shr", Oracle::CpuReference,
       constant(31, 15)},
      {"a signed comparison", Site::Rule, "primitive.compare.lt", Oracle::ExternalCorpus,
       raw(lower::RawOp::ULt, lower::RawOp::SLt)},
      {"the high half of the product", Site::Rule, "primitive.math.mul", Oracle::ExternalCorpus,
       raw(lower::RawOp::Mul, lower::RawOp::UMulHi)},
      {"or for and", Site::Rule, "primitive.bitwise.and", Oracle::Law,
       raw(lower::RawOp::And, lower::RawOp::Or)},
      {"a sum for a difference", Site::Rule, "primitive.math.sub", Oracle::Law,
       raw(lower::RawOp::Sub, lower::RawOp::Add)},
      {"clz(0) is 31", Site::Rule, "primitive.bitwise.clz", Oracle::ExternalCorpus, constant(32, 31)},
      {"operands in the other order", Site::Rule, "primitive.math.sub", Oracle::CpuReference,
       swapped(lower::RawOp::Sub, 0, 1)},

      {"`+` printed for `-`", Site::Printer, "primitive.math.sub", Oracle::Law, printed(" - ", " + ")},
      {"`/` printed for `%`", Site::Printer, "primitive.math.mod", Oracle::SpecificationTable,
       printed(" % ", " / ")},
      {"`|` printed for `&`", Site::Printer, "primitive.bitwise.and", Oracle::ExternalCorpus,
       printed(" & ", " | ")},
      {"`<<` printed for `>>`", Site::Printer, "primitive.bitwise.shr", Oracle::CpuReference,
       printed(" >> ", " << ")},

      {"the row after the last carry",
       Site::Row,
       "primitive.math.add",
       Oracle::CpuReference,
       {},
       2,
       0xffffffff},
      {"one place too far", Site::Row, "primitive.bitwise.rotl", Oracle::ReferenceInterpreter, {}, 1, 4},
      {"a bit not counted", Site::Row, "primitive.bitwise.popcount", Oracle::ExternalCorpus, {}, 4, 30},
      {"a difference that wraps",
       Site::Row,
       "primitive.math.sub_sat",
       Oracle::ReferenceInterpreter,
       {},
       1,
       0xffffffff},
      {"the wrong divisor", Site::Row, "primitive.math.gcd", Oracle::CpuReference, {}, 3, 77},
      {"truth as a word",
       Site::Row,
       "primitive.compare.logical_and",
       Oracle::ReferenceInterpreter,
       {},
       4,
       42},
  };
  return all;
}

/// Edges and random words, in as many columns as the operation has operands.
std::vector<Words> inputs_of(const ops::Operation& operation) {
  const size_t arity = operation.signature.inputs.size();
  std::vector<Words> columns(arity);
  const Words edges = {0,          1,          2,          31,         32,         33,
                       0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678};
  size_t total = 1;
  for (size_t i = 0; i < arity; ++i) total *= edges.size();
  for (size_t n = 0; n < total; ++n) {
    for (size_t i = 0, rest = n; i < arity; ++i, rest /= edges.size())
      columns[i].push_back(edges[rest % edges.size()]);
  }
  RandomStream random(3, 0);
  for (int n = 0; n < 256; ++n) {
    for (Words& column : columns) column.push_back(random.next());
  }
  return columns;
}

/// Laws of the subject: an application of the operation is one of the subject's.
class SubjectEvaluator final : public algebra::Evaluator {
 public:
  SubjectEvaluator(const ops::Operation& operation, const Subject& subject)
      : operation_(operation), subject_(subject) {}
  std::string subject() const override { return "planted"; }
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override {
    if (operation.id != operation_.id) return host_.apply(operation, inputs, out, n);
    std::vector<Words> columns;
    for (const uint32_t* column : inputs) columns.emplace_back(column, column + n);
    std::ranges::copy(subject_(columns), out);
    return {};
  }

 private:
  const ops::Operation& operation_;
  const Subject& subject_;
  algebra::SpecEvaluator host_;
};

const std::vector<Vector>& corpus() {
  static const std::vector<Vector> vectors = [] {
    std::ostringstream text;
    text << std::ifstream(std::string(VYRE_SOURCE_DIR) + "/test/corpus/webassembly-i32.txt").rdbuf();
    return read_corpus(text.str()).value();
  }();
  return vectors;
}

bool law_fails(const ops::Operation& operation, const Subject& subject) {
  SubjectEvaluator evaluator(operation, subject);
  const algebra::EngineOptions few = {.exhaustive_u8 = false, .edge256 = false, .witnessed = 4000, .seed = 1};
  return std::ranges::any_of(operation.laws, [&](const spec::Law& law) {
    return algebra::check_law(law, operation, evaluator, few).value().outcome == algebra::Outcome::Refuted;
  });
}

/// Whether the subject gives something else than is expected of these operands.
bool differs(const Subject& subject, const Words& operands, uint32_t expected) {
  std::vector<Words> columns;
  for (const uint32_t word : operands) columns.push_back({word});
  return subject(columns)[0] != expected;
}

std::set<Oracle> who_catches(const ops::Operation& operation, const Subject& subject) {
  std::set<Oracle> by;
  if (law_fails(operation, subject)) by.insert(Oracle::Law);
  for (const ops::SpecRow& row : operation.rows) {
    if (differs(subject, row.operands, row.expected)) by.insert(Oracle::SpecificationTable);
  }
  const std::vector<Words> columns = inputs_of(operation);
  const Words results = subject(columns);
  if (results != by_reference(operation.reference)(columns)) by.insert(Oracle::CpuReference);
  if (results != by_composition(operation, operation.compose)(columns))
    by.insert(Oracle::ReferenceInterpreter);
  for (const Vector& v : corpus()) {
    if (v.operation == &operation && differs(subject, v.operands, v.expected))
      by.insert(Oracle::ExternalCorpus);
  }
  return by;
}

/// Of a row: who gives another result for its operands.
std::set<Oracle> who_contradicts(const ops::Operation& operation, const Words& operands, uint32_t expected) {
  std::set<Oracle> by;
  if (differs(by_reference(operation.reference), operands, expected)) by.insert(Oracle::CpuReference);
  if (differs(by_composition(operation, operation.compose), operands, expected)) {
    by.insert(Oracle::ReferenceInterpreter);
  }
  for (const Vector& v : corpus()) {
    if (v.operation == &operation && v.operands == operands && v.expected != expected)
      by.insert(Oracle::ExternalCorpus);
  }
  return by;
}

class Planted : public testing::TestWithParam<size_t> {};

TEST_P(Planted, IsCaughtFromOutside) {
  VYRE_ORACLE(SpecificationTable,
              "the faults above: each is one by construction, and names who has to catch it");
  const Fault& fault = faults()[GetParam()];
  const ops::Operation& operation = *ops::find_operation(fault.operation);
  std::set<Oracle> by;
  if (fault.site == Site::Row) {
    const ops::SpecRow& row = operation.rows.at(fault.row);
    ASSERT_NE(row.expected, fault.expected) << "that is no fault";
    by = who_contradicts(operation, row.operands, fault.expected);
  } else {
    by = who_catches(operation, fault.plant(operation));
  }
  by.erase(own_of(fault.site));
  std::string names;
  for (const Oracle oracle : by) names += (names.empty() ? "" : ", ") + std::string(spec::text(oracle));
  RecordProperty("caught_by", names);
  EXPECT_TRUE(by.contains(fault.by)) << fault.operation << ", " << kSiteNames[static_cast<size_t>(fault.site)]
                                     << ": " << fault.what << " is caught by "
                                     << (names.empty() ? "none" : names);
}

INSTANTIATE_TEST_SUITE_P(Faults, Planted, testing::Range(size_t{0}, faults().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           std::string name(faults()[info.param].operation);
                           std::ranges::replace(name, '.', '_');
                           return std::to_string(info.param) + "_" + name;
                         });

TEST(PlantedFaults, AreFortyInEverySite) {
  EXPECT_GE(faults().size(), 40u);
  for (size_t site = 0; site < kSiteNames.size(); ++site) {
    EXPECT_GE(
        std::ranges::count_if(faults(), [&](const Fault& f) { return static_cast<size_t>(f.site) == site; }),
        4)
        << kSiteNames[site];
  }
}

TEST(PlantedFaults, AreNotSeenWhereThereAreNone) {
  for (const std::string_view id : {"primitive.bitwise.rotl", "primitive.math.clamp", "primitive.math.mod"}) {
    const ops::Operation& operation = *ops::find_operation(id);
    EXPECT_TRUE(who_catches(operation, by_reference(operation.reference)).empty()) << id;
    EXPECT_TRUE(who_catches(operation, by_composition(operation, operation.compose)).empty()) << id;
    EXPECT_TRUE(who_catches(operation, by_rule(operation, [](lower::Kernel&, lower::Inst&) { return true; }))
                    .empty());
  }
}

}  // namespace
}  // namespace vyre::admit::test
