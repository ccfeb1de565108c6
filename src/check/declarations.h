// The rules about the head of a program or a pipeline: its name, buffers and workgroup size. Names of buffers
// are declared by check_body(), which owns the name space.
#pragma once

#include <span>

#include "check/report.h"
#include "ir/ir.h"

namespace vyre::check {

/// The buffers of a program or a pipeline.
struct Declarations {
  std::span<const ir::BufferDecl> buffers;
  std::span<const ir::TensorType> tensors;
  const ir::Code& code;
};

/// Bindings, workgroup memory and tensors.
void check_buffers(const Declarations& item, Report& report);
/// The same, the name and the workgroup size.
void check_declarations(const ir::Program& program, Report& report);

}  // namespace vyre::check
