// The rules about a program's head: its name, buffers and workgroup size. Names of buffers are declared by
// check_body(), which owns the name space.
#pragma once

#include "check/report.h"
#include "ir/ir.h"

namespace vyre::check {

void check_declarations(const ir::Program& program, Report& report);

}  // namespace vyre::check
