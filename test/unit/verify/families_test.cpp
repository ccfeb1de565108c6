// Families: their programs are programs, free of chance, and the checks around them notice what they must.
#include "verify/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backend/backend.h"
#include "oracle.h"
#include "spec/ops.h"
#include "spec/rows.h"
#include "text/text.h"
#include "verify/columns.h"
#include "verify/program_parity.h"
#include "verify/token.h"

VYRE_ORACLE(Property,
            "the ledgers of rows, operators, reductions and types, the definition of the tracks, parity.h, "
            "and the parser and checker");

namespace vyre::verify {
namespace {

const Family kProgramFamilies[] = {Family::Memory,          Family::Control, Family::Loops,
                                   Family::Barriers,        Family::Atomics, Family::Reductions,
                                   Family::Synchronization, Family::Litmus,  Family::Sums};

TEST(Families, EveryShapeIsAValidProgram) {
  for (const Family family : kProgramFamilies) {
    ASSERT_GT(shapes(family), 5u);
    for (uint64_t k = 0; k < shapes(family); ++k) {
      const generate::ProgramCase c = family_case(family, 1, k);
      const auto checked = check::check(c.program, ops::op_table());
      ASSERT_TRUE(checked.has_value())
          << shape_name(family, k) << ": " << checked.error().front().message << "\n"
          << text::print(c.program);
      EXPECT_EQ(checked->bound_buffers().size(), c.buffers.size()) << shape_name(family, k);
    }
  }
}

TEST(Families, CasesRepeat) {
  // A case is a pure function of seed and index (design, the harness).
  for (const Family family : kProgramFamilies) {
    const auto a = family_case(family, 7, 1234), b = family_case(family, 7, 1234),
               other = family_case(family, 8, 1234);
    EXPECT_EQ(a.buffers, b.buffers);
    EXPECT_EQ(a.groups, b.groups);
    EXPECT_TRUE(ir::equal(a.program, b.program));
    // Of most litmus tests the number of groups is all that a seed decides.
    if (!depends_on_schedule(family)) EXPECT_NE(a.buffers, other.buffers);
  }
}

TEST(Families, TheReferencePassesItsOwn) {
  VYRE_ORACLE(
      ReferenceInterpreter,
      "the reference itself, run as a backend: a right backend has no difference; of sums exact ones");
  const auto reference = backend::make_reference();
  for (const Family family : kProgramFamilies) {
    for (uint64_t k = 0; k < shapes(family); ++k) {
      const auto difference = compare_once(*reference, family_case(family, 3, k));
      ASSERT_TRUE(difference.has_value()) << shape_name(family, k) << ": " << difference.error().message;
      EXPECT_FALSE(difference->has_value()) << shape_name(family, k);
    }
  }
}

TEST(Families, EverySpecificationRowIsTried) {
  size_t rows = 0;
  for (const FamilyInfo& family : kFamilies) {
    for (const Subject& subject : elementwise_subjects(family.family)) {
      if (subject.name.starts_with("ir.select/select.bool"))
        continue;  // the same rows as with u32 conditions
      rows += subject.rows.size();
      for (const TableRow& row : subject.rows) {
        std::vector<uint32_t> value(row.expected.size());
        std::vector<const uint32_t*> columns;
        for (const uint32_t& word : row.operands) columns.push_back(&word);
        subject.expected(columns, value);
        EXPECT_EQ(value, row.expected) << subject.name << ": " << row.rationale;
      }
    }
  }
  EXPECT_EQ(rows, spec::operator_rows().size());
}

TEST(Families, EverySubjectIsOfOneTrack) {
  size_t floats = 0, integers = 0;
  for (const FamilyInfo& family : kFamilies) {
    const std::vector<Subject> all = elementwise_subjects(family.family);
    size_t parts = 0;
    for (const Track track : {Track::Integer, Track::Float}) {
      const std::vector<Subject> part = elementwise_subjects(family.family, track);
      parts += part.size();
      if (!part.empty()) EXPECT_TRUE(is_of(family.family, track)) << family.text;
      for (const Subject& subject : part) {
        // Names are made of mnemonics and types.
        bool has_float = false;
        for (const char* type : {".f16", ".bf16", ".f32"})
          has_float = has_float || subject.name.find(type) != std::string::npos;
        EXPECT_EQ(has_float, track == Track::Float) << subject.name;
        (track == Track::Float ? floats : integers) += 1;
      }
    }
    EXPECT_EQ(parts, all.size()) << family.text;
  }
  EXPECT_GT(floats, 100u);
  EXPECT_GT(integers, 100u);
  // Of random programs both kinds come, and the token of one says no track.
  size_t with = 0;
  for (uint64_t k = 0; k < 200; ++k) {
    with += track_of(family_case(Family::Programs, 1, k).program) == Track::Float;
  }
  EXPECT_GT(with, 40u);
  EXPECT_LT(with, 190u);
}

TEST(WholeDomain, IsEveryTuple) {
  VYRE_ORACLE(SpecificationTable, "by hand: operands side by side in one number, the last in its low bits");
  const Subject pair = subject_of(*ops::find_operation("float.f16.add"));
  EXPECT_EQ(whole_domain(pair), uint64_t{1} << 32);
  std::vector<uint32_t> operands(2);
  whole_case(pair, 0x3c00bc01, operands);
  EXPECT_EQ(operands, (std::vector<uint32_t>{0x3c00, 0xbc01}));
  const Subject one = subject_of(*ops::find_operation("float.bf16.sqrt"));
  EXPECT_EQ(whole_domain(one), uint64_t{1} << 16);
  EXPECT_EQ(whole_domain(subject_of(*ops::find_operation("primitive.bitwise.not"))), uint64_t{1} << 32);
  EXPECT_EQ(whole_domain(subject_of(*ops::find_operation("float.f32.add"))), 0u);
  EXPECT_EQ(whole_domain(subject_of(*ops::find_operation("float.f16.mul_add"))), 0u);
  // All of it is planned as soon as as many cases are wanted.
  const auto has_whole = [&](uint64_t wanted) {
    const auto ranges = plan_cases(one, 1, wanted, 1 << 16, false);
    return std::ranges::any_of(ranges,
                               [](const CaseRange& r) { return r.strategy == "whole" && r.count == 65536; });
  };
  EXPECT_TRUE(has_whole(200'000));
  EXPECT_FALSE(has_whole(10'000));
}

TEST(Plan, AWalkTakesEveryOperandThroughAllItsValues) {
  // 256 values an operand, whatever the cap: parity.h, even_stride().
  for (const std::string_view id : {"primitive.math.add", "primitive.math.clamp"}) {
    const Subject subject = subject_of(*ops::find_operation(id));
    const size_t arity = input_words(subject.application);
    for (const uint64_t cap : {1u << 11, 2'500u, 1u << 12, 10'000u, 1u << 14}) {
      for (const CaseRange& range : plan_cases(subject, 1, 10'000, cap, false)) {
        if (range.strategy != "exhaustive8" && range.strategy != "edge256") continue;
        EXPECT_LE(range.count, cap + cap / 16);
        EXPECT_GE(range.count, cap / 2);
        Columns columns(arity, range.count);
        CaseSource(subject, range, 1).fill(0, range.count, columns.writable());
        for (size_t k = 0; k < arity; ++k) {
          const std::span<const uint32_t> column(columns.readable()[k], range.count);
          EXPECT_EQ(std::set<uint32_t>(column.begin(), column.end()).size(), 256u)
              << id << ", " << range.strategy << ", cap " << cap << ", operand " << k;
        }
      }
    }
  }
}

TEST(Families, EveryReductionIsFoldedEveryWay) {
  std::set<std::string> seen;
  for (uint64_t k = 0; k < shapes(Family::Reductions); ++k) {
    const std::string name = shape_name(Family::Reductions, k);
    seen.insert(name.substr(name.find(' ') + 1, name.find(',') - name.find(' ') - 1));
  }
  EXPECT_EQ(seen.size(), 2u * 4u * 3u);
}

TEST(Families, EveryOperatorIsASubject) {
  std::set<std::string> names;
  for (const FamilyInfo& family : kFamilies) {
    for (const Subject& subject : elementwise_subjects(family.family)) {
      EXPECT_TRUE(names.insert(subject.name).second) << subject.name;
      EXPECT_LE(print(Token{subject.name, "exhaustive8", UINT64_MAX, UINT64_MAX, {}}).size(), kMaxToken);
    }
  }
  for (const spec::OpInfo& op : spec::kOps) {
    if (op.op == spec::Op::Call || spec::is_reduction(op.op)) continue;  // operations, and programs
    if (spec::is_approximate(op.op)) continue;                           // of the other track
    const bool found = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.find(std::string("/") + std::string(op.mnemonic) + ".") != std::string::npos;
    });
    EXPECT_TRUE(found) << op.mnemonic;
  }
}

// A backend that answers from the reference and then stores one word beyond a buffer's end.
class Strays final : public backend::Backend {
 public:
  class Straying final : public backend::Pipeline {
   public:
    explicit Straying(std::unique_ptr<backend::Pipeline> inner) : inner_(std::move(inner)) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      VYRE_CHECK(inner_->dispatch(host, groups));
      store_u32(host.back().data() + host.back().size(), 1);
      return {};
    }

   private:
    std::unique_ptr<backend::Pipeline> inner_;
  };
  backend::Identity identity() const override { return inner_->identity(); }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(pipeline, inner_->compile(program));
    return std::make_unique<Straying>(std::move(pipeline));
  }

 private:
  std::unique_ptr<backend::Backend> inner_ = backend::make_reference();
};

TEST(Canaries, AreSeenWhenOverwritten) {
  VYRE_ORACLE(SpecificationTable, "by hand: the canaries' own words");
  Strays strays;
  const Verdict programs = check_family(strays, Family::Control, {0, 1, 0}, 1, {});
  EXPECT_EQ(programs.canaries_broken, programs.dispatches);
  const Verdict elements = check_family(strays, Family::Casts, {64, 0, 0}, 1, {});
  EXPECT_EQ(elements.canaries_broken, elements.dispatches);
  EXPECT_GT(elements.canaries, elements.canaries_broken);
}

TEST(ProgramParity, SeesTheLastHalfWord) {
  VYRE_ORACLE(SpecificationTable,
              "by hand: three elements of 16 bits are six bytes, and a difference in the third is one in the "
              "second word");
  generate::ProgramCase c;
  c.program = *text::parse("program p(read_write out: f16 @0) workgroup(1, 1, 1) { out[2] = out[0]; }");
  c.buffers = {Bytes(6)};
  c.buffers[0][0] = std::byte{7};
  const auto checked = check::check(c.program, ops::op_table());
  ASSERT_TRUE(checked);
  const auto reference = backend::make_reference();
  auto pipeline = reference->compile(*checked);
  ASSERT_TRUE(pipeline);
  const auto run = run_on(**pipeline, c);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->canaries_broken, 0u);
  EXPECT_EQ(run->buffers[0], (Bytes{std::byte{7}, {}, {}, {}, std::byte{7}, {}}));
  const auto difference = first_difference(*checked, c.buffers, run->buffers);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->index, 1u);
  EXPECT_EQ(difference->actual, 7u);
}

// A backend that accepts everything and does nothing.
class Idle final : public backend::Backend {
 public:
  class Nothing final : public backend::Pipeline {
   public:
    Result<void> dispatch(std::span<const std::span<std::byte>>, layout::Groups) override { return {}; }
  };
  backend::Identity identity() const override { return {"idle", "none", "none", "0"}; }
  backend::Limits limits() const override { return {}; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked&) override {
    return std::make_unique<Nothing>();
  }
};

TEST(Completeness, DoingNothingIsNotPassing) {
  VYRE_ORACLE(SpecificationTable, "it computed nothing, so nothing may count as completed");
  Idle idle;
  const Verdict verdict = check_family(idle, Family::Select, {256, 0, 0}, 1, {});
  ASSERT_FALSE(verdict.parity.empty());
  for (const OracleCases& oracle : verdict.parity) {
    EXPECT_GT(oracle.tally.planned, 0u);
    EXPECT_EQ(oracle.tally.completed, 0u);
    EXPECT_EQ(oracle.tally.failed, oracle.tally.planned);
  }
  EXPECT_EQ(verdict.failures.size(), kKeptFailures);
  EXPECT_GT(verdict.failure_count, kKeptFailures);
}

}  // namespace
}  // namespace vyre::verify
