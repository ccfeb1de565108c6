// Must compile: the same table with its row, so that the refusal of missing_row.cpp is about the row.
#include <array>

#include "spec/ops.h"
#include "spec/table.h"

using vyre::spec::Op;

constexpr auto all_rows() {
  std::array<vyre::spec::Row<Op, int>, vyre::spec::kOpCount> rows{};
  for (size_t n = 0; n < rows.size(); ++n) rows[n] = {vyre::spec::kOps[n].op, int(n)};
  return rows;
}
inline constexpr auto kAllRows = all_rows();
constexpr vyre::spec::TotalTable<kAllRows, vyre::spec::is_scalar> kTable;
static_assert(kTable[Op::Shl] == int(Op::Shl));
