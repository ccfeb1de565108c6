// Runs the composition of an operation on the reference evaluator.
#pragma once

#include <cstring>
#include <stdexcept>

#include "check/checked.h"
#include "library.h"
#include "ref/ref.h"

namespace vyre::ops {

/// The composition's result for each input: a program that calls the operation once an invocation.
inline std::vector<uint32_t> evaluate_composition(const Operation& operation,
                                                  const std::vector<Tuple>& inputs) {
  constexpr uint32_t kLanes = 64;
  const size_t arity = operation.signature.inputs.size();
  ir::ProgramBuilder p("composition");
  std::vector<ir::BufferRef> columns;
  for (size_t i = 0; i < arity; ++i) {
    columns.push_back(
        p.read("in" + std::to_string(i), operation.signature.inputs[i], static_cast<uint32_t>(i)));
  }
  const ir::BufferRef out = p.read_write("out", operation.signature.output, static_cast<uint32_t>(arity));
  p.workgroup_size(kLanes, 1, 1);
  const ir::Ex i = p.let("i", p.invocation_id(0));
  std::vector<ir::Ex> arguments;
  for (const ir::BufferRef column : columns) arguments.push_back(p.load(column, i));
  p.store(out, i, p.call(operation.id, arguments, operation.version));
  const auto checked = check::check(p.finish(), op_table());
  if (!checked) {
    std::string why = "the composition of " + std::string(operation.id) + " is not valid:";
    for (const Diag& diag : checked.error()) why += "\n" + diag.message;
    throw std::runtime_error(why);
  }

  // Elements are words, but of a 16-bit float half of one.
  const auto bytes_of = [&](size_t column) {
    return spec::info(column < arity ? operation.signature.inputs[column] : operation.signature.output).bytes;
  };
  std::vector<std::vector<std::byte>> buffers;
  for (size_t column = 0; column <= arity; ++column) {
    const size_t bytes = bytes_of(column);
    buffers.emplace_back(inputs.size() * bytes, std::byte{0xbe});
    for (size_t row = 0; column < arity && row < inputs.size(); ++row) {
      std::memcpy(buffers[column].data() + row * bytes, &inputs[row][column], bytes);
    }
  }
  std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const auto groups = static_cast<uint32_t>((inputs.size() + kLanes - 1) / kLanes);
  const auto done = ref::run(*checked, host, {groups, 1, 1});
  if (!done) throw std::runtime_error("the composition of " + std::string(operation.id) + " did not run");
  std::vector<uint32_t> results(inputs.size());
  for (size_t row = 0; row < results.size(); ++row) {
    std::memcpy(&results[row], buffers[arity].data() + row * bytes_of(arity), bytes_of(arity));
  }
  return results;
}

}  // namespace vyre::ops
