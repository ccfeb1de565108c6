// vyre in C++: the layers themselves, in the order in which a program goes through them.
//
//   ir::ProgramBuilder, text::parse, wire::decode     an ir::Program
//   check::check(program, ops::op_table())            a check::Checked, or all diagnostics
//   backend::open("native")                           a backend::Backend
//   backend->compile(checked)                         a backend::Pipeline
//   pipeline->dispatch(buffers, {x, y, z})            over your memory
//
// Of a file of several items, with operations, constants and pipelines:
//
//   ir::ModuleBuilder, text::parse_module, wire::decode_module    an ir::Module
//   check::check(module, ops::op_table())             a check::CheckedModule, or all diagnostics
//   plan::Executable::make(backend, module, number)   one of its pipelines, compiled for a backend
//   executable.run(ranges)                            over memory of the device
//
// Failure is data: Result<T> is std::expected<T, Diag>. It needs C++23 and the standard library alone, and
// the same standard library that the library was built with. It may change with each minor version; vyre.h
// does not. examples/cpp/run_xor.cpp is a whole program.
#pragma once

#include "backend/registry/registry.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/result.h"
#include "check/checked.h"
#include "check/module.h"
#include "ir/builder.h"
#include "ir/module_builder.h"
#include "ops/operation.h"
#include "plan/pipeline.h"
#include "spec/ops.h"
#include "text/text.h"
#include "wire/wire.h"
