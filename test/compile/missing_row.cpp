// Must not compile: a table over the scalar operators that leaves out Op::Shl. The test wants the error to
// name it.
#include <array>

#include "spec/ops.h"
#include "spec/table.h"

using vyre::spec::Op;

constexpr auto rows_without_shl() {
  std::array<vyre::spec::Row<Op, int>, vyre::spec::kOpCount - 1> rows{};
  size_t n = 0;
  for (const vyre::spec::OpInfo& info : vyre::spec::kOps) {
    if (info.op != Op::Shl) rows[n++] = {info.op, 0};
  }
  return rows;
}
inline constexpr auto kRowsWithoutShl = rows_without_shl();
constexpr vyre::spec::TotalTable<kRowsWithoutShl, vyre::spec::is_scalar> kTable;
int use = kTable[Op::Add];
// A message of 32 letters: clang prints numbers for those of 8, 16, 32, ... letters unless the 0 behind them
// was written.
inline constexpr auto kFourteenChars = rows_without_shl();
constexpr vyre::spec::TotalTable<kFourteenChars, vyre::spec::is_scalar> kOther;
int other = kOther[Op::Add];
