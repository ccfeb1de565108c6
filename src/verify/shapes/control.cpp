// Control: who runs which statement, and in which order.
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kOneIn[] = {{Count::Total, Fill::Any}, {Count::Total, Fill::Any}};
constexpr BufferPlan kSmall[] = {{Count::Total, Fill::Small}, {Count::Total, Fill::Any}};
constexpr BufferPlan kFlags[] = {
    {Count::Total, Fill::Any}, {Count::Total, Fill::Any}, {Count::Total, Fill::Any}};

constexpr Shape kShapes[] = {
    {"if and else", R"(program ifs(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  if (a[i] & 1) {
    out[i] = a[i] / 3;
  } else {
    out[i] = a[i] * 3 + 1;
  }
})",
     kLineSizes, 4, kOneIn},
    {"else-if chain", R"(program chain(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let x = a[i];
  let r = 0;
  if (x == 0) {
    r = 1;
  } else if (x < 4) {
    r = 20 + x;
  } else if (cast<bool>(x & 8)) {
    if (x & 1) {
      r = 300;
    }
    r = r + x;
  } else {
    r = 4;
  }
  out[i] = r;
})",
     kLineSizes, 4, kSmall},
    // An invocation that returned does nothing more; the others go on.
    {"early return", R"(program returns(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  out[i] = 1;
  if (a[i] < 5) {
    return;
  }
  out[i] = 2;
  if (a[i] < 10) {
    out[i] = 3;
    return;
  } else {
    if (a[i] == 12) {
      return;
    }
  }
  out[i] = out[i] + a[i];
})",
     kLineSizes, 4, kSmall},
    {"return out of loops", R"(program search(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  for x in 0..6 {
    for y in 0..6 {
      out[i] = x * 16 + y;
      if (x * y == a[i]) {
        return;
      }
    }
  }
  out[i] = 999;
})",
     kLineSizes, 4, kSmall},
    // Siblings may reuse names; assignments inside reach the variable outside.
    {"blocks and names", R"(program blocks(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let sum = a[i];
  {
    let t = sum * 2;
    sum = t + 1;
  }
  {
    let t = sum ^ 0x55;
    {
      let u = t;
      sum = sum + u;
    }
  }
  out[i] = sum;
})",
     kLineSizes, 4, kOneIn},
    // Both sides of && and || are evaluated, and so are both arms of a select.
    {"eager logic", R"(program eager(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let x = (a[i] != 0) && (100 / a[i] > 7);
  let y = (a[i] == 0) || (a[a[i]] > 3);
  out[i] = x + 2 * y + 4 * !a[i] + select(a[i], a[i] / 0, a[i] % 0);
})",
     kLineSizes, 4, kSmall},
    {"signed and bool variables",
     R"(program kinds(read a: i32 @0, read b: bool @1, read_write out: i32 @2) workgroup($W) {
  let i = invocation_id.x;
  let x = a[i];
  let flag = b[i];
  if (flag) {
    x = -x;
    flag = cast<bool>(x < 0i32);
  }
  if (flag) {
    x = x / 7i32;
  } else {
    x = x % -5i32;
  }
  out[i] = x >> 1;
})",
     kLineSizes, 4, kFlags},
    {"calls", R"(program calls(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let x = primitive.bitwise.rotl(a[i], primitive.bitwise.popcount(a[i]));
  if (primitive.compare.lt(x, a[i])) {
    x = primitive.math.gcd(x, primitive.math.abs_diff(a[i], x));
  }
  out[i] = primitive.math.clamp(x, 3, primitive.math.max(a[i], 9));
})",
     kLineSizes, 4, kOneIn},
};

}  // namespace

std::span<const Shape> control_shapes() { return kShapes; }

}  // namespace vyre::verify
