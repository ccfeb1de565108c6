#include "admit/code.h"

#include <string>

#include "ir/builder.h"
#include "spec/ops.h"

namespace vyre::admit {
namespace {

/// Beyond these a composition reads past the end: nothing that a person writes has so many inputs.
constexpr size_t kSentinels = 4;

}  // namespace

ir::Function build_body(const ops::Operation& operation) {
  ir::FunctionBuilder f{std::string(operation.id)};
  const size_t arity = operation.signature.inputs.size();
  std::vector<ir::Ex> parameters;
  for (size_t i = 0; i < arity; ++i) {
    parameters.push_back(f.parameter(operation.parameter_names[i], operation.signature.inputs[i]));
  }
  for (size_t i = 0; i < kSentinels; ++i) parameters.push_back(f.var("input_that_is_not_declared"));
  const ir::Ex result = operation.compose(f, std::span<const ir::Ex>(parameters.data(), arity));
  return f.finish(result, operation.signature.output);
}

Result<void> make_program(const ops::Operation& operation, ScalarProgram& out, Store store) {
  out.body = build_body(operation);
  for (const spec::OpDef* def : ops::op_table().all()) {
    if (def->id != operation.id || def->version != operation.version) out.table.add(*def);
  }
  out.table.add(
      {std::string(operation.id), operation.version, operation.signature, operation.category, &out.body});
  ir::ProgramBuilder p("scalar");
  std::vector<ir::BufferRef> in;
  for (size_t i = 0; i < operation.signature.inputs.size(); ++i) {
    in.push_back(p.read("in" + std::to_string(i), operation.signature.inputs[i], static_cast<uint32_t>(i)));
  }
  const ir::BufferRef result =
      p.read_write("out", operation.signature.output, static_cast<uint32_t>(in.size()));
  p.workgroup_size(1, 1, 1);
  std::vector<ir::Ex> arguments;
  for (const ir::BufferRef buffer : in) arguments.push_back(p.load(buffer, p.u32(0)));
  const ir::Ex value = p.call(operation.id, arguments, operation.version);
  switch (store) {
    case Store::Plain: p.store(result, p.u32(0), value); break;
    case Store::Exchange: p.let("before", p.atomic(spec::Op::AtomicExchange, result, p.u32(0), value)); break;
  }
  auto checked = check::check(p.finish(), out.table);
  if (!checked) return std::unexpected(checked.error().front());
  out.checked = std::move(*checked);
  return {};
}

}  // namespace vyre::admit
