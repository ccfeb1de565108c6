// That the file tests leave nothing out: every operator at every type, every cast and bitcast and every
// refusal of one, every type in every place, every intrinsic, every diagnostic code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "check/module.h"
#include "files.h"
#include "host/values.h"
#include "ops/operation.h"
#include "oracle.h"
#include "rows.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "spec/rows.h"
#include "text/directives.h"
#include "text/text.h"

VYRE_ORACLE(
    Property,
    "the ledgers, against what the checked programs of the files contain; names of files do not count");

namespace vyre::file_test {
namespace {

namespace fs = std::filesystem;
using spec::DataType;
using spec::Op;

/// An operator at its type; of casts and bitcasts, from what to what; else the second is the same.
using Applied = std::tuple<Op, DataType, DataType>;

/// What the programs of test/run and of the rows contain.
struct Contents {
  std::set<Applied> applied;
  std::set<std::tuple<DataType, DataType, spec::RoundingMode>> roundings;  // casts that name a mode
  std::set<std::tuple<Op, Op, DataType, bool>> reductions;  // operator, what folds, type, with a range
  std::set<DataType> literals, loads, stores, assigned, lengths;
  std::set<std::pair<spec::BufferAccess, DataType>> buffers;  // a tensor's element does not count
  std::set<DataType> tensors;                                 // elements of tensors
  bool dynamic = false, strides = false;
  std::set<spec::Intrinsic> intrinsics;
};

void add_expression(Contents& out, const check::Checked& program, check::ExprId id) {
  const ir::Code& code = program.program().code;
  const check::Resolution& names = program.resolution();
  const ir::Expr& e = code[id];
  if (e.kind == ir::ExprKind::Literal) out.literals.insert(e.type);
  if (e.kind == ir::ExprKind::Load) out.loads.insert(names.type(id));
  if (e.kind == ir::ExprKind::BufLen) out.lengths.insert(program.buffer(names.buffer(id)).element);
  if (e.kind != ir::ExprKind::Apply || e.op == Op::Call) return;
  const DataType result = names.type(id);
  const bool by_result = e.op == Op::Select || spec::is_reduction(e.op) || e.args.count == 0 ||
                         spec::info(e.op).effect == spec::Effect::Atomic || e.op == Op::MakeVec2U32 ||
                         e.op == Op::MakeVec4U32;
  const DataType type = by_result ? result : names.type(code.arg(e, 0));
  const bool converts = e.op == Op::Cast || e.op == Op::Bitcast;
  if (e.mode != spec::RoundingMode::None) out.roundings.emplace(type, result, e.mode);
  if (spec::is_reduction(e.op)) {
    out.reductions.emplace(e.op, *spec::find_op_tag(uint16_t(e.immediate)), result, e.args.count != 0);
  }
  out.applied.emplace(e.op, type, converts ? result : type);
}

void add_program(Contents& out, const check::Checked& program) {
  const ir::Code& code = program.program().code;
  for (uint32_t i = 0; i < code.exprs.size(); ++i) add_expression(out, program, check::ExprId{i});
  for (const ir::Node& node : code.nodes) {
    if (node.args.count == 0) continue;
    const DataType value = program.resolution().type(code.arg(node, node.args.count - 1));
    if (node.kind == ir::NodeKind::Store) out.stores.insert(value);
    if (node.kind == ir::NodeKind::Assign) out.assigned.insert(value);
  }
  for (const ir::BufferDecl& buffer : program.program().buffers) {
    out.buffers.emplace(buffer.access, buffer.element);
    const ir::TensorType* tensor = program.program().tensor(buffer);
    if (tensor == nullptr) continue;
    out.tensors.insert(tensor->element);
    out.strides |= !tensor->strides.empty();
    out.dynamic |= std::ranges::any_of(tensor->dims, &ir::Dim::dynamic);
  }
  for (const auto& use : program.intrinsics()) out.intrinsics.insert(use.intrinsic);
}

std::shared_ptr<const check::CheckedModule> module_of(const std::string& file) {
  auto parsed = text::parse_module(text_of(file), &ops::op_table());
  if (!parsed) throw std::runtime_error(file + ": " + parsed.error().message);
  auto checked = check::check(std::move(*parsed), ops::op_table());
  if (!checked) throw std::runtime_error(file + ": " + checked.error()[0].message);
  return std::move(*checked);
}

/// The files of test/run, those of test/floats at each type, and those of the rows.
std::vector<std::string> run_files() {
  std::vector<std::string> out = files_in({"test/run"}, ".vyre");
  std::ranges::copy(float_files(), std::back_inserter(out));
  std::ranges::copy(row_files(), std::back_inserter(out));
  return out;
}

const Contents& contents() {
  static const Contents all = [] {
    Contents out;
    for (const std::string& file : run_files()) {
      for (const auto& program : module_of(file)->programs()) add_program(out, *program);
    }
    return out;
  }();
  return all;
}

std::vector<DataType> value_types() {
  std::vector<DataType> out;
  for (const spec::TypeInfo& t : spec::kTypes) {
    if (spec::is_value_type(t.type)) out.push_back(t.type);
  }
  return out;
}

TEST(Coverage, EveryOperatorAtEveryType) {
  for (const spec::OpInfo& op : spec::kOps) {
    if (op.op == Op::Cast || op.op == Op::Bitcast || op.op == Op::Call) continue;
    for (const DataType type : value_types()) {
      if (!op.types.contains(type)) continue;
      EXPECT_TRUE(contents().applied.contains({op.op, type, type})) << op.name << " at " << spec::text(type);
    }
  }
}

TEST(Coverage, EveryCastAndBitcast) {
  for (const DataType from : value_types()) {
    for (const DataType to : value_types()) {
      if (spec::can_cast(from, to)) {
        EXPECT_TRUE(contents().applied.contains({Op::Cast, from, to}))
            << "cast<" << spec::text(to) << "> of " << spec::text(from);
      }
      if (spec::can_bitcast(from, to)) {
        EXPECT_TRUE(contents().applied.contains({Op::Bitcast, from, to}))
            << "bitcast<" << spec::text(to) << "> of " << spec::text(from);
      }
    }
  }
}

TEST(Coverage, EveryRoundingOfEveryCastThatNamesOne) {
  for (const DataType from : value_types()) {
    for (const DataType to : value_types()) {
      if (!spec::can_cast(from, to) || !spec::cast_takes_mode(from, to)) continue;
      for (size_t mode = 1; mode < spec::kRoundingModeCount; ++mode) {
        const auto rounding = static_cast<spec::RoundingMode>(mode);
        EXPECT_TRUE(contents().roundings.contains({from, to, rounding}))
            << "cast<" << spec::text(to) << ", " << spec::text(rounding) << "> of " << spec::text(from);
      }
    }
  }
}

TEST(Coverage, EveryReduction) {
  for (const spec::OpInfo& op : spec::kOps) {
    if (!spec::is_reduction(op.op)) continue;
    for (const spec::OpInfo& fold : spec::kOps) {
      for (const DataType type : value_types()) {
        if (!spec::is_fold(fold.op) || !op.types.contains(type)) continue;
        for (const bool ranged : {false, true}) {
          EXPECT_TRUE(contents().reductions.contains({op.op, fold.op, type, ranged}))
              << op.mnemonic << "(" << fold.mnemonic << ") of " << spec::text(type)
              << (ranged ? " with a range" : "");
        }
      }
    }
  }
}

/// The casts and bitcasts of loads and literals in test/invalid, in lines that must be refused.
std::set<Applied> refused_conversions() {
  std::set<Applied> out;
  for (const std::string& file : files_in({"test/invalid"}, ".vyre")) {
    const std::string text = read_text(file);
    const Source source(file, text);
    const auto program = text::parse(text);
    const auto directives = text::parse_directives(text);
    if (!program || !directives) continue;  // a syntax error is the point of that file
    const ir::Code& code = program->code;
    for (uint32_t i = 0; i < code.exprs.size(); ++i) {
      const ir::Expr& e = code.exprs[i];
      if (e.kind != ir::ExprKind::Apply || (e.op != Op::Cast && e.op != Op::Bitcast)) continue;
      const uint32_t line = source.position(code.expr_spans[i].begin).line;
      const DiagCode code_of_it = e.op == Op::Cast ? DiagCode::V026 : DiagCode::V028;
      const bool refused = std::ranges::any_of(directives->errors, [&](const text::ErrorDirective& error) {
        return error.line == line && error.code == code_of_it;
      });
      const ir::Expr& operand = code[code.arg(e, 0)];
      if (!refused || operand.kind != ir::ExprKind::Load) continue;
      const auto buffer = std::ranges::find(program->buffers, operand.symbol, &ir::BufferDecl::name);
      if (buffer != program->buffers.end()) out.emplace(e.op, buffer->element, e.type);
    }
  }
  return out;
}

TEST(Coverage, EveryRefusedCastAndBitcast) {
  const std::set<Applied> refused = refused_conversions();
  std::vector<DataType> targets = value_types();
  targets.push_back(DataType::Bytes);
  for (const DataType from : value_types()) {
    for (const DataType to : targets) {
      EXPECT_EQ(refused.contains({Op::Cast, from, to}), !spec::can_cast(from, to))
          << "cast<" << spec::text(to) << "> of " << spec::text(from);
      EXPECT_EQ(refused.contains({Op::Bitcast, from, to}), !spec::can_bitcast(from, to))
          << "bitcast<" << spec::text(to) << "> of " << spec::text(from);
    }
  }
}

/// The words that a directive gives a buffer; none where they are no u32.
std::vector<uint32_t> words_of(const std::vector<text::BufferValues>& buffers, std::string_view name) {
  const auto buffer = std::ranges::find(buffers, name, &text::BufferValues::name);
  std::vector<uint32_t> out;
  if (buffer == buffers.end()) return out;
  for (const std::string& value : buffer->values) {
    Bytes bytes;
    if (!host::parse_element(value, DataType::U32, bytes)) return {};
    out.push_back(load_u32(bytes.data()));
  }
  return out;
}

/// An operator on two u32, its operands and its result.
using Case = std::tuple<Op, uint32_t, uint32_t, uint32_t>;

/// What the directives say of programs that apply one operator alone, to u32 from `a` and `b`.
std::set<Case> directive_cases() {
  std::set<Case> out;
  for (const std::string& file : run_files()) {
    const std::string text = text_of(file);
    const auto module = module_of(file);
    if (!module->module().is_program()) continue;
    Contents contents;
    add_program(contents, *module->programs()[0]);
    if (contents.applied.size() != 1 || std::get<1>(*contents.applied.begin()) != DataType::U32) continue;
    const auto directives = text::parse_directives(text);
    for (const text::RunDirective& run : directives->runs) {
      const auto a = words_of(run.inputs, "a"), b = words_of(run.inputs, "b"),
                 results = words_of(run.outputs, "out");
      if (a.size() != results.size() || b.size() != results.size()) continue;
      for (size_t i = 0; i < results.size(); ++i)
        out.emplace(std::get<Op>(*contents.applied.begin()), a[i], b[i], results[i]);
    }
  }
  return out;
}

TEST(Coverage, EveryRowOfEveryPublishedTable) {
  VYRE_ORACLE(SpecificationTable, "the tables of \"Binary Operations\", as the ledger of rows has them");
  const std::set<Case> cases = directive_cases();
  size_t rows = 0;
  for (const spec::OperatorRow& row : spec::operator_rows()) {
    if (!row.source.ends_with(", table")) continue;
    ++rows;
    const uint32_t a = row.values[0].words[0], b = row.values[1].words[0];
    EXPECT_TRUE(cases.contains({row.op, a, b, row.expected.words[0]}))
        << spec::mnemonic(row.op) << "(" << a << ", " << b << ")";
  }
  EXPECT_GE(rows, 48u) << "the tables have 48 rows";
}

TEST(Coverage, EveryTypeInEveryPlace) {
  const Contents& have = contents();
  for (const DataType type : value_types()) {
    const std::string_view name = spec::text(type);
    // Vectors are made of words and have no literals of their own.
    EXPECT_EQ(have.literals.contains(type), !spec::kVectors.contains(type)) << "a literal of " << name;
    EXPECT_TRUE(have.loads.contains(type)) << "a load of " << name;
    EXPECT_TRUE(have.stores.contains(type)) << "a store of " << name;
    EXPECT_TRUE(have.assigned.contains(type)) << "an assignment of " << name;
    EXPECT_TRUE(have.tensors.contains(type)) << "a tensor of " << name;
  }
  for (const spec::TypeInfo& type : spec::kTypes) {
    if (spec::is_small(type.type)) continue;  // of graphs alone
    EXPECT_TRUE(have.lengths.contains(type.type)) << "len of a buffer of " << type.text;
    for (size_t a = 0; a < spec::kBufferAccessCount; ++a) {
      const auto access = static_cast<spec::BufferAccess>(a);
      const bool there_is = access == spec::BufferAccess::Private
                                ? spec::is_value_type(type.type)
                                : access != spec::BufferAccess::Workgroup || type.type != DataType::Tensor;
      EXPECT_EQ(have.buffers.contains({access, type.type}), there_is)
          << spec::text(access) << " of " << type.text;
    }
  }
  EXPECT_TRUE(have.dynamic) << "a tensor with a named dimension";
  EXPECT_TRUE(have.strides) << "a tensor with strides";
}

TEST(Coverage, EveryIntrinsic) {
  for (const spec::IntrinsicInfo& intrinsic : spec::kIntrinsics) {
    EXPECT_TRUE(contents().intrinsics.contains(intrinsic.intrinsic)) << intrinsic.id;
  }
}

// A code that a text can produce has a file of its own; any other is named by a unit test or a test of the
// command line, which must produce it.
TEST(Coverage, EveryDiagnosticCodeHasATest) {
  std::set<std::string> have;
  for (const std::string& file : files_in({"test/invalid"}, ".vyre")) {
    have.insert(fs::path(file).filename().string().substr(0, 4));
  }
  std::string tests;
  for (const char* folder : {"test/unit", "test/cli", "test/conform"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(VYRE_SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".py") continue;
      tests += read_text(fs::relative(entry.path(), VYRE_SOURCE_DIR).string());
    }
  }
  for (const DiagInfo& info : all_diagnostics()) {
    if (have.contains(std::string(info.name))) continue;
    EXPECT_NE(tests.find(info.name), std::string::npos) << info.name << " has neither a file nor a test";
    // Every syntax error can be written down.
    EXPECT_NE(info.name[0], 'P') << info.name << " has no file in test/invalid";
  }
}

TEST(Coverage, ThereAreFilesEnough) { EXPECT_GE(files_in({"test/run"}, ".vyre").size(), 300u); }

}  // namespace
}  // namespace vyre::file_test
