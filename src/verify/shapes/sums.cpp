// Sums: freduce_approx of each float type, with each fold and several tolerances, over whole buffers, ranges
// and workgroup memory.
//
// verify/sums.cpp judges what they leave: by a program's name it knows what each invocation folds, and by its
// reduction the type, the fold and the tolerance. The result is in the last buffer.
#include "verify/sums.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "spec/ops.h"
#include "verify/shapes/written.h"

namespace vyre::verify {
namespace {

using spec::DataType;
using spec::Op;

/// $F: the fold, $T: the type, $E: the tolerance.
constexpr std::string_view kWhole =
    R"(program whole(read data: $T @0, read_write out: $T @1) workgroup($W) {
  out[invocation_id.x] = freduce_approx($F, data, $E);
})";
constexpr std::string_view kRanges =
    R"(program ranges(read data: $T @0, read from: u32 @1, read to: u32 @2, read_write out: $T @3) workgroup($W) {
  let i = invocation_id.x;
  out[i] = freduce_approx($F, data, $E, from[i], to[i]);
})";
constexpr std::string_view kShared =
    R"(program shared(read data: $T @0, read_write out: $T @1, workgroup part: $T[7]) workgroup($W) {
  if (local_id.x < 7) {
    part[local_id.x] = data[workgroup_id.x * 7 + local_id.x];
  }
  barrier;
  out[invocation_id.x] = freduce_approx($F, part, $E, local_id.x & 7, 7);
})";

struct Table : WrittenShapes {
  Table() {
    const spec::OpInfo& reduction = spec::info(Op::FReduceApprox);
    for (const spec::TypeInfo& type : spec::kTypes) {
      if (!reduction.types.contains(type.type)) continue;
      for (const spec::OpInfo& fold : spec::kOps) {
        if (!spec::is_fold(fold.op) || fold.op == Op::FMul) continue;
        // The least and the greatest are exact whatever the tolerance, so theirs may be any.
        const uint32_t most = fold.op == Op::FAdd ? kSumTolerance : spec::kGreatestTolerance;
        for (const uint32_t tolerance : {40u, most}) add(fold, type, tolerance);
      }
    }
    // Products and the least tolerances came later; what is above keeps its places.
    for (const spec::TypeInfo& type : spec::kTypes) {
      if (!reduction.types.contains(type.type)) continue;
      for (const uint32_t tolerance : {1u, 2u}) add(spec::info(Op::FAdd), type, tolerance);
      for (const uint32_t tolerance : {1u, 2u, kSumTolerance}) add(spec::info(Op::FMul), type, tolerance);
      for (const Op fold : {Op::FMin, Op::FMax}) add(spec::info(fold), type, 1);
    }
  }

  void add(const spec::OpInfo& fold, const spec::TypeInfo& type, uint32_t tolerance) {
    const Fill elements = fold.op == Op::FMul ? Fill::Factors : Fill::Sums;
    const BufferPlan data{Count::Many, elements, 0, type.type},
        out{Count::Total, Fill::Unwritten, 0, type.type}, range{Count::Total, Fill::Index, 0, DataType::U32};
    const auto shape = [&](std::string_view name, std::string_view text,
                           std::span<const std::array<uint32_t, 3>> sizes, std::vector<BufferPlan> plan) {
      const std::string within = std::to_string(tolerance);
      WrittenShapes::add(fmt::format("{} {} {} within {}", name, fold.mnemonic, type.text, tolerance), text,
                         {{"$F", fold.mnemonic}, {"$T", type.text}, {"$E", within}}, sizes, std::move(plan))
          .approximate = true;
    };
    shape("whole", kWhole, kOne, {data, out});
    shape("ranges", kRanges, kOfRanges, {data, range, range, out});
    if (fold.op == Op::FAdd || fold.op == Op::FMul) shape("shared", kShared, kOfShared, {data, out});
  }
};

}  // namespace

std::span<const Shape> sum_shapes() {
  static const Table table;
  return table.shapes();
}

}  // namespace vyre::verify
