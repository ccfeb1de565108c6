// Groups along the same lines become one.
//
// A softmax is planned as four groups: a reduction, an elementwise chain, a reduction, a chain. All of them
// go along the same lines, and nothing of a line depends on another. So if a line fits a workgroup, one
// kernel does it all (rows.h), and tensors between the four are never written. Here is decided which groups
// that are: reductions of tensors of one shape along one axis, and chains that meet those tensors element by
// element, and the results line by line.
#pragma once

#include "tensor/plan.h"

namespace vyre::tensor {

/// Cost: linear in the nodes, times a small number of groups that are looked at.
void join_rows(Plan& plan);

}  // namespace vyre::tensor
