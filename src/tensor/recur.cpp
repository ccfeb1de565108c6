// Recurrences along an axis: an operation of what it gave before and of the next elements.
#include "tensor/fold.h"
#include "tensor/kernels.h"

namespace vyre::tensor {

void write_recur(Assembly& assembly, const KernelWork& work) {
  const Lines lines(work.node.shape, work.node.axis);
  if (lines.size == 0) return;
  std::vector<spec::DataType> types;
  for (const check::SizedNode* operand : work.operands.subspan(1)) types.push_back(operand->type);
  const auto start = [&](Body& body, Coordinates first) {
    first.erase(first.begin() + lines.axis);
    return work.elements[0](body, first);
  };
  const auto next = [&](Body& body, ir::Ex y, std::span<const ir::Ex> elements) {
    std::vector<ir::Ex> arguments = {y};
    arguments.insert(arguments.end(), elements.begin(), elements.end());
    return body.program().call(work.node.operation->id, arguments, work.node.operation->version);
  };
  write_chain(
      assembly, lines,
      {"recur", work.elements.subspan(1), types, work.node.type, start, next, true, work.sink, work.device});
}

}  // namespace vyre::tensor
