// A module: what a .vyre file holds, before it is checked.
//
// Operations compute a value from values, programs say what each invocation of a dispatch does, and pipelines
// say which programs run over which buffers, and how often. Constants are gone by the time a module stands
// here: each is a literal wherever it was named; their list is kept for the checker, since a constant's name
// is taken in the whole file and its value may be held to a list. The order of items within a kind is kept,
// and has no meaning.
//
// A pipeline is host code: commands in the order of the text, each a row, with the host expressions that they
// evaluate in a Code of their own. A command with a body says where the body ends, so that walking a pipeline
// is walking a list. Source: docs/spec/pipelines.md; docs/text-format.md, "Modules".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/ir.h"

namespace vyre::ir {

/// What host expressions call to divide and round up; operations have a point in their ids.
inline constexpr std::string_view kCeilDiv = "ceil_div";

struct Constant {
  std::string name;
  uint32_t value = 0;             // the chosen one
  uint32_t written = 0;           // the one in the text
  std::vector<uint32_t> allowed;  // what it may be; empty: anything
  Span span;                      // of the name
  bool operator==(const Constant&) const = default;
};

// Where these stand in the text is no part of what they say: equal ones may stand in different places.

/// A literal of rows and witnesses.
struct Value {
  DataType type = DataType::U32;
  std::array<uint32_t, 4> bits{};  // least significant word first
  Span span;
  bool operator==(const Value& o) const { return type == o.type && bits == o.bits; }
};

/// A law as it is written. Whether there is such a law, and whether it fits, is the checker's to say.
struct LawText {
  struct Argument {
    std::string operation;           // empty: a constant
    uint32_t version = 1;            // of the operation
    std::array<uint32_t, 4> bits{};  // of the constant
    Span span;
    bool operator==(const Argument& o) const {
      return operation == o.operation && version == o.version && bits == o.bits;
    }
  };
  std::string name;  // "Identity"
  std::vector<Argument> arguments;
  Span span;
  bool operator==(const LawText& o) const { return name == o.name && arguments == o.arguments; }
};

/// A law that one could take for true, with values of its variables that refute it.
struct DenialText {
  LawText law;
  std::vector<Value> witness;
  Span span;  // of the witness
  bool operator==(const DenialText& o) const { return law == o.law && witness == o.witness; }
};

struct Row {
  std::vector<Value> operands;
  Value expected;
  Span span;
  bool operator==(const Row& o) const { return operands == o.operands && expected == o.expected; }
};

/// An operation of category A, defined in a file.
struct Operation {
  Function function;
  uint32_t version = 1;
  std::vector<LawText> claims;
  std::vector<DenialText> denials;
  std::vector<Row> rows;
  Span span;  // of the id
};

/// What stands in a pipeline. The roots of its host expressions are Command::exprs.
enum class CommandKind : uint8_t {
  Scratch,   // symbol: the buffer, type; [count]
  Let,       // symbol: the host name; [value]
  Dispatch,  // symbol: the program, arguments; [x, y, z], one to three of them
  Run,       // symbol: the pipeline, or the id of one of the library with its version; arguments
  Loop,      // symbol: the host name; [from, to]; body
  Repeat,    // symbol: the buffer that is looked at; [count, index]; body
  If,        // [condition]; body, orelse
};
inline constexpr size_t kCommandKindCount = 7;

/// One parameter of what is dispatched or run, and what it is given: a buffer, or the words of a uniform one.
struct Argument {
  Symbol parameter = kNoSymbol;
  Symbol buffer = kNoSymbol;  // kNoSymbol: the words
  Range words;                // ids in Code::expr_list
  Span span;
};

struct Command {
  CommandKind kind{};
  Symbol symbol = kNoSymbol;
  DataType type = DataType::U32;  // Scratch
  uint32_t version = 0;           // Run of a pipeline of the library; 0: of this file
  Range exprs;                    // ids in Code::expr_list
  Range arguments;                // in Pipeline::arguments
  // The body is the commands from the next one on to before `orelse`, the else-branch from there to before
  // `end`. Without an else-branch orelse is end, and has_else tells an empty one from none.
  uint32_t orelse = 0;
  uint32_t end = 0;
  bool has_else = false;
  Span span;
};

/// What a command of a kind is made of. A Dispatch has one to three host expressions; only an If has a choice
/// of two bodies.
struct CommandShape {
  uint32_t operands = 0;
  bool symbol = false, type = false, version = false, arguments = false, body = false;
};

}  // namespace vyre::ir

template <>
struct vyre::spec::KeyCount<vyre::ir::CommandKind>
    : std::integral_constant<size_t, vyre::ir::kCommandKindCount> {};

namespace vyre::ir {

inline constexpr spec::Row<CommandKind, CommandShape> kCommandShapeRows[] = {
    {CommandKind::Scratch, {.operands = 1, .symbol = true, .type = true}},
    {CommandKind::Let, {.operands = 1, .symbol = true}},
    {CommandKind::Dispatch, {.operands = 1, .symbol = true, .arguments = true}},
    {CommandKind::Run, {.symbol = true, .version = true, .arguments = true}},
    {CommandKind::Loop, {.operands = 2, .symbol = true, .body = true}},
    {CommandKind::Repeat, {.operands = 2, .symbol = true, .body = true}},
    {CommandKind::If, {.operands = 1, .body = true}},
};
inline constexpr spec::TotalTable<kCommandShapeRows> kCommandShapes;
constexpr bool has_body(CommandKind kind) { return kCommandShapes[kind].body; }

struct Pipeline {
  std::string name;
  std::vector<BufferDecl> buffers;  // its parameters, in the order of their declaration
  std::vector<TensorType> tensors;
  Code code;  // of the host expressions; it has no statements
  std::vector<Command> commands;
  std::vector<Argument> arguments;
  Span span;  // of the name

  std::span<const ExprId> exprs(Range range) const {
    return {code.expr_list.data() + range.first, range.count};
  }
  std::span<const Argument> of(Range range) const { return {arguments.data() + range.first, range.count}; }
  /// What a buffer is made of: a tensor's element, else the buffer's own.
  DataType element(const BufferDecl& buffer) const {
    return buffer.element == DataType::Tensor ? tensors[buffer.tensor].element : buffer.element;
  }
};

struct Module {
  std::vector<Constant> constants;
  std::vector<Operation> operations;
  std::vector<Program> programs;
  std::vector<Pipeline> pipelines;
  std::vector<Graph> graphs;
  std::vector<Span> program_spans;  // of the programs' names; empty when there is no text

  /// One program and nothing else that lasts: then the file is that program, as files always were.
  bool is_program() const {
    return programs.size() == 1 && operations.empty() && pipelines.empty() && graphs.empty();
  }
};

/// Structural equality, as of programs; constants and positions do not count.
bool equal(const Module& a, const Module& b);

}  // namespace vyre::ir
