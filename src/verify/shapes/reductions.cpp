// Reductions: strict and tree, of each float type, with each fold, over whole buffers and over ranges.
//
// Ranges begin and end anywhere, also behind the buffer and the wrong way round. Workgroup memory and a fold
// of what other invocations wrote before a barrier are here too.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "spec/ops.h"
#include "verify/shapes/written.h"

namespace vyre::verify {
namespace {

using spec::DataType;

/// $R: the reduction, $F: the fold, $T: the type.
constexpr std::string_view kWhole =
    R"(program whole(read data: $T @0, read_write out: $T @1, read_write bits: u32 @2) workgroup($W) {
  let total = $R($F, data);
  out[invocation_id.x] = total;
  bits[invocation_id.x] = fis_nan(total) + 2 * fis_inf(total);
})";
constexpr std::string_view kRanges =
    R"(program ranges(read data: $T @0, read from: u32 @1, read to: u32 @2, read_write out: $T @3) workgroup($W) {
  let i = invocation_id.x;
  out[i] = $R($F, data, from[i], to[i]);
})";
constexpr std::string_view kShared =
    R"(program shared(read data: $T @0, read_write out: $T @1, workgroup part: $T[7]) workgroup($W) {
  if (local_id.x < 7) {
    part[local_id.x] = data[workgroup_id.x * 7 + local_id.x];
  }
  barrier;
  out[invocation_id.x] = $R($F, part, local_id.x & 7, 7);
})";

struct Table : WrittenShapes {
  Table() {
    for (const spec::OpInfo& reduction : spec::kOps) {
      if (!spec::is_reduction(reduction.op) || spec::is_approximate(reduction.op)) continue;
      for (const spec::TypeInfo& type : spec::kTypes) {
        if (!reduction.types.contains(type.type)) continue;
        for (const spec::OpInfo& fold : spec::kOps) {
          if (spec::is_fold(fold.op)) add(reduction.mnemonic, fold.mnemonic, type);
        }
      }
    }
  }

  void add(std::string_view reduction, std::string_view fold, const spec::TypeInfo& type) {
    const BufferPlan data{Count::Elements, Fill::Floats, 0, type.type},
        out{Count::Total, Fill::Floats, 0, type.type}, bits{Count::Total, Fill::Any, 0, DataType::U32},
        range{Count::Total, Fill::Index, 0, DataType::U32};
    const auto shape = [&](std::string_view name, std::string_view text,
                           std::span<const std::array<uint32_t, 3>> sizes, std::vector<BufferPlan> plan) {
      WrittenShapes::add(fmt::format("{} {} {} {}", name, reduction, fold, type.text), text,
                         {{"$R", reduction}, {"$F", fold}, {"$T", type.text}}, sizes, std::move(plan));
    };
    shape("whole", kWhole, kOne, {data, out, bits});
    shape("ranges", kRanges, kOfRanges, {data, range, range, out});
    if (fold == "fadd" || fold == "fmin") shape("shared", kShared, kOfShared, {data, out});
  }
};

}  // namespace

std::span<const Shape> reduction_shapes() {
  static const Table table;
  return table.shapes();
}

}  // namespace vyre::verify
