#include "ops/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>

#include "spec/ops.h"

namespace vyre::ops {
namespace {

std::vector<OperationText> make_texts() {
  std::vector<OperationText> texts;
  for (const WordsFile& file : words_files()) {
    std::string id(file.path);
    std::ranges::replace(id, '/', '.');
    texts.push_back({std::move(id), file.path, std::string(file.text), file.beside()});
  }
  for (const FloatsFile& file : floats_files()) {
    const FloatReferences references = file.references();
    const std::string_view name = file.path.substr(file.path.rfind('/') + 1);
    for (size_t i = 0; i < kFloatTypes.size(); ++i) {
      texts.push_back({fmt::format("float.{}.{}", spec::text(kFloatTypes[i]), name),
                       file.path,
                       at_type(file.text, kFloatTypes[i]),
                       {references[i]}});
    }
  }
  return texts;
}

std::vector<Operation> make_all() {
  std::vector<Operation> all;
  for (const OperationText& text : operation_texts()) {
    auto operations = read_operations(text.text, text.beside);
    if (!operations) {  // the build has read it (vyre-admit), so no program that is run has such a text
      fmt::print(stderr, "{}: {}\n", text.id, operations.error().message);
      std::abort();
    }
    std::ranges::move(*operations, std::back_inserter(all));
  }
  std::ranges::sort(all, [](const Operation& a, const Operation& b) {
    return a.id != b.id ? a.id < b.id : a.version < b.version;
  });
  return all;
}

/// The table, category C included, and the bodies that it points to.
struct Library {
  std::deque<ir::Function> bodies;
  spec::OpTable table;
};

Library make_library() {
  Library library;
  for (const Operation& operation : all_operations()) {
    const ir::Function* body = nullptr;
    if (operation.category == spec::Category::A) body = &library.bodies.emplace_back(body_of(operation));
    library.table.add(
        {std::string(operation.id), operation.version, operation.signature, operation.category, body});
  }
  spec::add_intrinsics(library.table);
  return library;
}

}  // namespace

const std::vector<OperationText>& operation_texts() {
  static const std::vector<OperationText> texts = make_texts();
  return texts;
}

ir::Function body_of(const Operation& operation) {
  ir::FunctionBuilder f{std::string(operation.id)};
  std::vector<ir::Ex> parameters;
  for (size_t i = 0; i < operation.signature.inputs.size(); ++i) {
    parameters.push_back(f.parameter(operation.parameter_names[i], operation.signature.inputs[i]));
  }
  const ir::Ex result = operation.compose(f, parameters);
  return f.finish(result, operation.signature.output);
}

bool loops(const Operation& operation) {
  const ir::Code code = body_of(operation).code;
  for (const ir::Node node : code.nodes) {
    if (node.kind == ir::NodeKind::Loop) return true;
  }
  return std::ranges::any_of(code.exprs, [&](const ir::Expr& e) {
    if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::Call) return false;
    const Operation* callee = find_operation(code.name(e.symbol), e.immediate);
    return callee != nullptr && loops(*callee);
  });
}

const std::vector<Operation>& all_operations() {
  static const std::vector<Operation> all = make_all();
  return all;
}

const Operation* find_operation(std::string_view id, uint32_t version) {
  const std::vector<Operation>& all = all_operations();
  const auto it = std::ranges::find_if(
      all, [&](const Operation& operation) { return operation.id == id && operation.version == version; });
  return it == all.end() ? nullptr : &*it;
}

const spec::OpTable& op_table() {
  static const Library library = make_library();
  return library.table;
}

}  // namespace vyre::ops
