// The rules of pipelines: what names stand for, what host expressions may be, and which buffers go where.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "check/body.h"
#include "check/link.h"
#include "check/module.h"
#include "check/report.h"

namespace vyre::check {

/// Programs and pipelines of a file by name: one name, one item.
struct ItemName {
  bool pipeline = false;
  uint32_t number = 0;
};
using ItemNames = std::map<std::string_view, ItemName>;

/// What a program or a pipeline wants of who runs it.
struct Parameter {
  std::string_view name;
  spec::BufferAccess access;
  DataType element;  // bytes count as u32, a tensor as its elements
  Span span;
};
struct Parameters {
  std::vector<Parameter> list;
  std::map<std::string_view, uint32_t> by_name;
};
/// Of each item that is dispatched or run, worked out once: by whether it is a pipeline, and its number.
using ParametersOfItems = std::map<std::pair<bool, uint32_t>, Parameters>;

struct PipelineResult {
  CheckedPipeline checked;
  BodyResult body;  // of the host expressions: what they call
};

/// One pipeline by itself. `pipeline` must outlive the result. Cost: linear, whatever it dispatches.
PipelineResult check_pipeline(const ir::Pipeline& pipeline, const ir::Module& module, const ItemNames& names,
                              ParametersOfItems& parameters, const spec::OpTable& ops, Linker& linker,
                              Report& report);

/// That pipelines do not run themselves (V057), and nest at most 32 deep (V058).
void check_runs(std::span<const CheckedPipeline> pipelines, Report& report);

}  // namespace vyre::check
