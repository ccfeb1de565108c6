// Loops: half-open bounds that are evaluated once, nesting, and variables carried from turn to turn.
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kSmall[] = {{Count::Total, Fill::Small}, {Count::Total, Fill::Any}};
constexpr BufferPlan kTwo[] = {
    {Count::Total, Fill::Any}, {Count::Total, Fill::Small}, {Count::Total, Fill::Any}};
constexpr BufferPlan kUniform[] = {
    {Count::Fixed, Fill::Small, 4}, {Count::Total, Fill::Any}, {Count::Total, Fill::Any}};

constexpr Shape kShapes[] = {
    {"sum", R"(program sum(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let sum = 0;
  for k in 0..a[i] {
    sum = sum + a[k] * (k + 1);
  }
  out[i] = sum;
})",
     kLineSizes, 4, kSmall},
    // from >= to runs nothing, also near the top of the range, where a counter could wrap.
    {"empty and extreme ranges", R"(program ranges(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let n = 0;
  for k in 10..a[i] {
    n = n + k;
  }
  for k in 0xfffffff0 + a[i]..0xffffffff {
    n = n + 1000;
  }
  for k in 0xffffffff..a[i] {
    n = n + 1000000;
  }
  for k in 5..5 {
    n = 0;
  }
  out[i] = n;
})",
     kLineSizes, 4, kSmall},
    {"bounds are evaluated once", R"(program once(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let to = a[i];
  let n = 0;
  for k in 0..to {
    to = to + 5;
    out[i] = to;
    n = n + k;
  }
  out[i] = out[i] + n * 256;
})",
     kLineSizes, 4, kSmall},
    {"nested", R"(program nested(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  let h = a[i];
  for x in 0..b[i] {
    for y in x..b[i] {
      if ((x + y) & 1) {
        h = (h ^ (x * 31 + y)) * 16777619;
      } else {
        for z in 0..2 {
          h = h + (z << y);
        }
      }
    }
  }
  out[i] = h;
})",
     kLineSizes, 4, kTwo},
    {"read, modify, write",
     R"(program rmw(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  for k in 0..b[i] + 1 {
    out[i] = out[i] / (k + 1) + a[i];
    out[i + 0x80000000] = 3;
  }
})",
     kLineSizes, 4, kTwo},
    {"uniform bounds",
     R"(program same(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  let x = a[i];
  for k in u[0]..u[1] + 8 {
    for j in 0..u[2] {
      x = (x << 5) - x + j + k;
    }
  }
  out[i] = x;
})",
     kLineSizes, 4, kUniform},
    {"swapped variables", R"(program fibonacci(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let x = 0;
  let y = 1;
  for k in 0..a[i] * 3 {
    let next = x + y;
    x = y;
    y = next;
  }
  out[i] = x;
})",
     kLineSizes, 4, kSmall},
};

}  // namespace

std::span<const Shape> loop_shapes() { return kShapes; }

}  // namespace vyre::verify
