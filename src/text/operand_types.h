// The types of a program's expressions (ir/expr_type.h), by its declarations and scopes.
//
// The parser asks here which operator a sign means, the printer whether a sign would be read as the operator
// that it has to write. The only thing that a program does not say is what an operation of the library gives;
// for that there is the table of operations.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "ir/expr_type.h"
#include "ir/module.h"

namespace vyre::spec {
class OpTable;
}

namespace vyre::text {

using ir::kNoType;

using GraphsByName = std::map<std::string_view, const ir::Graph*>;
GraphsByName by_name(std::span<const ir::Graph> graphs);

/// The body of an item, with the names that it begins with.
struct TypedBody {
  TypedBody(const ir::Program& program)  // NOLINT: either is one
      : code(program.code), entry(program.entry), buffers(program.buffers), tensors(program.tensors) {}
  TypedBody(const ir::Function& operation)  // NOLINT
      : code(operation.code), entry(operation.body), function(&operation) {}
  TypedBody(const ir::Pipeline& pipeline)  // NOLINT: of host expressions alone
      : code(pipeline.code), entry(ir::kNoBlock), buffers(pipeline.buffers), tensors(pipeline.tensors) {}
  /// `graphs`: those that it may call.
  TypedBody(const ir::Graph& of, const GraphsByName& known)
      : code(of.code), entry(ir::kNoBlock), graph(&of), graphs(&known) {}
  const ir::Code& code;
  ir::BlockId entry;
  std::span<const ir::BufferDecl> buffers;
  std::span<const ir::TensorType> tensors;
  const ir::Function* function = nullptr;
  const ir::Graph* graph = nullptr;
  const GraphsByName* graphs = nullptr;
};

/// Whether some expression may be of a float type; if none is, every sign is the integers'. Cost: linear.
bool mentions_floats(const TypedBody& body, const spec::OpTable* ops);

/// By ExprId the type of each expression that a statement has, and the result of an operation, or kNoType.
/// Without a table no call has a type. Cost: linear; no recursion on the depth of the body.
std::vector<spec::DataType> operand_types(const TypedBody& body, const spec::OpTable* ops);

}  // namespace vyre::text
