// Runs the composition of an operation on the reference evaluator.
#pragma once

#include <cstring>
#include <stdexcept>

#include "../elementwise.h"
#include "check/checked.h"
#include "library.h"
#include "ref/ref.h"

namespace vyre::ops {

/// The composition's result for each input: a program that calls the operation once an invocation.
inline std::vector<uint32_t> evaluate_composition(const Operation& operation,
                                                  const std::vector<Tuple>& inputs) {
  const size_t arity = operation.signature.inputs.size();
  const auto checked = check::check(test::elementwise(operation), op_table());
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
  const auto groups =
      static_cast<uint32_t>((inputs.size() + test::kElementwiseLanes - 1) / test::kElementwiseLanes);
  const auto done = ref::run(*checked, host, {groups, 1, 1});
  if (!done) throw std::runtime_error("the composition of " + std::string(operation.id) + " did not run");
  std::vector<uint32_t> results(inputs.size());
  for (size_t row = 0; row < results.size(); ++row) {
    std::memcpy(&results[row], buffers[arity].data() + row * bytes_of(arity), bytes_of(arity));
  }
  return results;
}

}  // namespace vyre::ops
