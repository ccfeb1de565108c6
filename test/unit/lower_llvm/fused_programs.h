// Programs in which a compiler would like to fuse a product with a sum, and how often it was asked to.
#pragma once

#include <array>
#include <string>

#include "ptx_programs.h"

namespace vyre::test {

struct FusedProgram {
  const char* name;
  const char* body;  // of x, y and z, f32 of a row; declares r
  size_t fused;
};

inline std::span<const FusedProgram> fused_programs() {
  static constexpr FusedProgram kPrograms[] = {
      {"sum of a product", "let r = x * y + z;", 0},
      {"difference from a product", "let r = z - x * y;", 0},
      {"negated", "let r = -(x * y) + z;", 0},
      {"two products", "let r = x * y + y * z;", 0},
      {"polynomial", "let r = ((x * y + z) * y + z) * y + x;", 0},
      {"rounded product", "let r = fround(x * y) + z;", 0},
      {"in a loop", "let r = x;\n  for k in 0..8 { r = r * y + z; }", 0},
      {"halves", "let r = cast<f32>(cast<f16>(x) * cast<f16>(y) + cast<f16>(z));", 0},
      {"asked for", "let r = fmul_add(x, y, z);", 1},
      {"asked for beside one that is not", "let r = fmul_add(x, y, z) + x * y;", 1},
      {"asked for, of a negated product", "let r = fmul_add(-x, y, z);", 1},
      {"asked for twice", "let r = fmul_add(x, fmul_add(y, z, x), z) - x * z;", 2},
  };
  return kPrograms;
}

inline lower::Kernel kernel_of(const FusedProgram& p, const lower::Target& target) {
  const std::string text = std::string(
                               "program p(read a: f32 @0, read b: f32 @1, read c: f32 @2, read_write out: "
                               "f32 @3) workgroup(64, 1, 1) {\n  let i = invocation_id.x;\n  let x = a[i];\n"
                               "  let y = b[i];\n  let z = c[i];\n  ") +
                           p.body + "\n  out[i] = r;\n}\n";
  return lower::legalize(lower::build(checked(text)), target);
}

}  // namespace vyre::test
