// The specification rows: worked out by hand, and stronger than both definitions of an operation.
#include <fstream>
#include <map>
#include <sstream>

#include "composition.h"
#include "library.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "the rows (specification table), and the tables here");

namespace vyre::ops {
namespace {

class Rows : public EachOperation {};
VYRE_FOR_EACH_OPERATION(Rows);

TEST_P(Rows, HoldForTheReferenceFunction) {
  for (const SpecRow& row : operation().rows) {
    EXPECT_EQ(operation().reference(row.operands.data()), row.expected)
        << show(row.operands) << ": " << row.rationale << " (" << row.source << ")";
  }
}

TEST_P(Rows, HoldForTheComposition) {
  std::vector<Tuple> inputs;
  for (const SpecRow& row : operation().rows) inputs.push_back(row.operands);
  const std::vector<uint32_t> results = evaluate_composition(operation(), inputs);
  ASSERT_EQ(results.size(), inputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const SpecRow& row = operation().rows[i];
    EXPECT_EQ(results[i], row.expected)
        << show(row.operands) << ": " << row.rationale << " (" << row.source << ")";
  }
}

// The rows of an operation tell it from every other of the same arity, so a backend that swaps two
// operations, or an operation that was copied and not changed, fails a row. popcount_sw is popcount by
// another composition.
TEST_P(Rows, TellTheOperationFromEveryOther) {
  for (const Operation& other : all_operations()) {
    if (other.id == operation().id || other.signature != operation().signature) continue;
    // Those of approximate operations are of edges alone, where several functions give the same.
    if (other.bound != 0 || operation().bound != 0) continue;
    const bool differ = std::ranges::any_of(operation().rows, [&](const SpecRow& row) {
      return other.reference(row.operands.data()) != row.expected;
    });
    const bool same =
        (operation().id == "primitive.bitwise.popcount" && other.id == "primitive.bitwise.popcount_sw") ||
        (other.id == "primitive.bitwise.popcount" && operation().id == "primitive.bitwise.popcount_sw");
    EXPECT_NE(differ, same) << other.id;
  }
}

/// One row of a table of spec/binary-operations.txt. A symbolic x is free.
struct TableRow {
  std::string section;
  std::string a, b, result;
};

/// Reads the tables out of the page: "| `(0xFFFFFFFF, 1)` | `0` | Wrapping overflow. |".
std::vector<TableRow> read_tables(std::istream& page) {
  std::vector<TableRow> rows;
  std::string section;
  const auto code = [](const std::string& cell) {
    std::string text;
    for (const char c : cell) {
      if (c != '`' && c != '*' && c != ' ') text += c;
    }
    return text;
  };
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("### ")) section = line.substr(4);
    if (!line.starts_with("| `(")) continue;
    std::istringstream cells(line.substr(1));
    std::string input, output;
    std::getline(cells, input, '|');
    std::getline(cells, output, '|');
    const std::string in = code(input);
    const size_t comma = in.find(',');
    rows.push_back(
        {section, in.substr(1, comma - 1), in.substr(comma + 1, in.size() - comma - 2), code(output)});
  }
  return rows;
}

const std::map<std::string, std::string> kOperationOf = {
    {"Add", "primitive.math.add"},         {"Sub", "primitive.math.sub"},
    {"Mul", "primitive.math.mul"},         {"Div", "primitive.math.div"},
    {"Mod", "primitive.math.mod"},         {"BitAnd", "primitive.bitwise.and"},
    {"BitOr", "primitive.bitwise.or"},     {"BitXor", "primitive.bitwise.xor"},
    {"Shl", "primitive.bitwise.shl"},      {"Shr", "primitive.bitwise.shr"},
    {"Lt", "primitive.compare.lt"},        {"And", "primitive.compare.logical_and"},
    {"Or", "primitive.compare.logical_or"}};

TEST(SpecificationTables, EveryRowIsARowOfTheLibrary) {
  std::ifstream page(VYRE_SOURCE_DIR "/test/unit/ops/binary_operations.txt");
  const std::vector<TableRow> table = read_tables(page);
  ASSERT_EQ(table.size(), 48u);
  for (const TableRow& want : table) {
    const Operation* o = find_operation(kOperationOf.at(want.section));
    ASSERT_NE(o, nullptr);
    const auto fits = [](const std::string& cell, uint32_t word, uint32_t x) {
      return cell == "x" ? word == x : std::stoul(cell, nullptr, 0) == word;
    };
    bool found = false;
    for (const SpecRow& row : o->rows) {
      const uint32_t x = row.operands[1];  // a symbolic x is always the second operand
      found = found || (fits(want.a, row.operands[0], x) && fits(want.b, row.operands[1], x) &&
                        fits(want.result, row.expected, x) &&
                        row.source.starts_with("binary-operations: " + want.section));
    }
    EXPECT_TRUE(found) << want.section << " (" << want.a << ", " << want.b << ") -> " << want.result;
  }
}

}  // namespace
}  // namespace vyre::ops
