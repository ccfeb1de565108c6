#include "rows.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <span>

#include "base/bytes.h"
#include "files.h"
#include "float_texts.h"
#include "host/values.h"
#include "ir/builder.h"
#include "spec/ops.h"
#include "spec/rows.h"
#include "text/text.h"

namespace vyre::file_test {
namespace {

using spec::DataType;
using spec::Op;
using spec::OperatorRow;
using spec::RowValue;

using Rows = std::vector<const OperatorRow*>;

/// The functions are hundreds of instructions each: with literals, which a compiler works out, go the first
/// rows of each at a type.
constexpr size_t kLiteralRows = 2;
constexpr uint32_t kWorkgroup = 64;

/// How many operands are expressions: which component is taken is part of the application.
uint32_t expressions(const OperatorRow& row) { return row.op == Op::Component ? 1 : row.count; }

std::string name_of(const OperatorRow& row) {
  std::string name = fmt::format("{}_{}", spec::mnemonic(row.op), spec::text(row.type));
  if (row.target != row.type) name += fmt::format("_to_{}", spec::text(row.target));
  if (row.mode != spec::RoundingMode::None) name += fmt::format("_{}", spec::text(row.mode));
  if (row.op == Op::Component) name += fmt::format("_{}", row.values[1].words[0]);
  return name;
}

/// A literal; of a vector, its components.
ir::Ex literal(ir::ProgramBuilder& p, DataType type, const RowValue& value) {
  const auto& w = value.words;
  if (type == DataType::Vec2U32) return p.vec2u32(p.u32(w[0]), p.u32(w[1]));
  if (type == DataType::Vec4U32) return p.vec4u32(p.u32(w[0]), p.u32(w[1]), p.u32(w[2]), p.u32(w[3]));
  return p.literal(type, w);
}

ir::Ex apply(ir::ProgramBuilder& p, const OperatorRow& row, std::span<const ir::Ex> operands) {
  if (row.op == Op::Cast) return p.cast(row.target, operands[0], row.mode);
  if (row.op == Op::Bitcast) return p.bitcast(row.target, operands[0]);
  if (row.op == Op::Component) return p.component(operands[0], row.values[1].words[0]);
  return p.apply(row.op, operands);
}

/// " NAME=[x, y]": an element of a buffer a row.
std::string elements(std::string_view name, DataType type, const Rows& rows,
                     const std::function<RowValue(const OperatorRow&)>& value) {
  std::vector<std::string> out;
  for (const OperatorRow* row : rows) {
    const Bytes bytes = to_bytes(value(*row).words);
    out.push_back(host::format_element(bytes.data(), type, type != DataType::Bool));
  }
  return fmt::format(" {}=[{}]", name, fmt::join(out, ", "));
}

/// A value that is not the one expected.
RowValue poison(const OperatorRow& row) {
  RowValue out = row.expected;
  out.words[0] ^= row.result() == DataType::Bool ? 1 : 0x5555;
  return out;
}

/// out[i] = operator(a[i], b[i], ...), or out[k] = operator of literals for each row; of an atomic, whose
/// first operand is the word before, out[i] = atomic(a[i], b[i], ...).
std::string file_of(const Rows& rows, bool literals) {
  const OperatorRow& first = *rows[0];
  const bool atomic = spec::is_atomic(first.op);
  ir::ProgramBuilder p("row");
  std::vector<ir::BufferRef> buffers;
  std::string inputs;
  for (uint32_t i = 0; i < expressions(first); ++i) {
    const bool word = atomic && i == 0;
    if (literals && !word) continue;
    const std::string name(1, char('a' + i));
    const DataType type = first.operand_at(i);
    buffers.push_back(word ? p.read_write(name, type, i) : p.read(name, type, i));
    inputs += elements(name, type, rows, [i](const OperatorRow& row) { return row.values[i]; });
  }
  const ir::BufferRef out = p.read_write("out", first.result(), expressions(first));
  const auto value = [&](const OperatorRow& row, const std::function<ir::Ex()>& index) {
    std::vector<ir::Ex> x;
    for (uint32_t i = atomic ? 1 : 0; i < expressions(row); ++i)
      x.push_back(literals ? literal(p, row.operand_at(i), row.values[i]) : p.load(buffers[i], index()));
    if (row.op == Op::AtomicCompareExchange)
      return p.atomic_compare_exchange(buffers[0], index(), x[0], x[1]);
    return atomic ? p.atomic(row.op, buffers[0], index(), x[0]) : apply(p, row, x);
  };
  if (literals) {
    for (uint32_t k = 0; k < rows.size(); ++k)
      p.store(out, p.u32(k), value(*rows[k], [&] { return p.u32(k); }));
  } else {
    p.workgroup_size(kWorkgroup, 1, 1);
    const auto id = [&] { return p.invocation_id(0); };
    p.store(out, id(), value(first, id));
  }
  const auto result = [atomic](const OperatorRow& row) { return atomic ? row.values[0] : row.expected; };
  std::string after = elements("out", first.result(), rows, result);
  if (atomic) after = elements("a", DataType::U32, rows, &OperatorRow::expected) + after;
  const size_t groups = literals ? 1 : (rows.size() + kWorkgroup - 1) / kWorkgroup;
  return fmt::format("{}// run:{}{} groups=[{}] =>{}\n// oracle: specification table, {}\n",
                     text::print(p.finish()), inputs, elements("out", first.result(), rows, poison), groups,
                     after, first.source);
}

struct Files {
  std::vector<std::string> names;
  std::map<std::string, std::string> texts;
};

const Files& files() {
  static const Files all = [] {
    std::vector<std::string> names;  // in the order of the ledger
    std::map<std::string, Rows> groups;
    for (const OperatorRow& row : spec::operator_rows()) {
      Rows& group = groups[name_of(row)];
      if (group.empty()) names.push_back(name_of(row));
      group.push_back(&row);
    }
    Files out;
    const auto add = [&](const std::string& name, std::string text) {
      out.names.push_back("rows/" + name + ".vyre");
      out.texts.emplace(out.names.back(), std::move(text));
    };
    for (const std::string& name : names) {
      Rows& rows = groups[name];
      add(name, file_of(rows, false));
      if (spec::is_elementary(rows[0]->op) && rows.size() > kLiteralRows) rows.resize(kLiteralRows);
      add(name + "_literals", file_of(rows, true));
    }
    return out;
  }();
  return all;
}

const Files& floats() {
  static const Files all = [] {
    Files out;
    for (auto& [name, text] : test::float_texts()) {
      out.names.push_back(name);
      out.texts.emplace(name, std::move(text));
    }
    return out;
  }();
  return all;
}

}  // namespace

const std::vector<std::string>& row_files() { return files().names; }
const std::vector<std::string>& float_files() { return floats().names; }

std::string text_of(const std::string& file) {
  for (const Files* made : {&files(), &floats()})
    if (const auto found = made->texts.find(file); found != made->texts.end()) return found->second;
  return read_text(file);
}

}  // namespace vyre::file_test
