// A program that applies an operation to n values: out[i] = f(in0[i], in1[i], ...).
#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ops/operation.h"

namespace vyre::test {

inline constexpr uint32_t kElementwiseLanes = 64;

inline ir::Program elementwise(const ops::Operation& operation) {
  const auto arity = uint32_t(operation.signature.inputs.size());
  ir::ProgramBuilder p("elementwise");
  std::vector<ir::BufferRef> in;
  for (uint32_t i = 0; i < arity; ++i)
    in.push_back(p.read("in" + std::to_string(i), operation.signature.inputs[i], i));
  const ir::BufferRef out = p.read_write("out", operation.signature.output, arity);
  p.workgroup_size(kElementwiseLanes, 1, 1);
  const ir::Ex i = p.let("i", p.invocation_id(0));
  std::vector<ir::Ex> arguments;
  for (const ir::BufferRef buffer : in) arguments.push_back(p.load(buffer, i));
  p.store(out, i, p.call(operation.id, arguments, operation.version));
  return p.finish();
}

}  // namespace vyre::test
