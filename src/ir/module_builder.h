// Building modules in C++: operations, programs and pipelines. Constants are plain numbers of C++.
//
//   ir::PipelineBuilder p("prefix_sum");
//   const auto input = p.read("input", DataType::U32, 0), output = p.read_write("output", DataType::U32, 1);
//   const auto blocks = p.let("blocks", p.ceil_div(p.len(input), kBlock));
//   const auto sums = p.scratch("sums", DataType::U32, blocks);
//   p.dispatch("block_sums", {input, sums}, {blocks});
//   p.dispatch("scan", {sums, {"to", output}, {"size", {blocks, p.u32(1)}}}, {p.u32(1)});
//
//   ir::ModuleBuilder m;
//   m.program(block_sums()).program(scan());
//   m.pipeline(p.finish());
//   ir::Module module = m.finish();
//
// Host expressions are made as those of programs are, and are all u32; a dispatch names its program, and what
// a parameter gets. Nothing that check/ checks is checked here.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

namespace vyre::ir {

/// A value of rows and witnesses: a plain number is a u32, as in text.
struct Known {
  Known(uint32_t number) : type(DataType::U32), words{number} {}  // NOLINT: rows are lists of numbers
  /// Of any type, by its words, least significant first.
  Known(DataType of, const std::array<uint32_t, 4>& bits) : type(of), words(bits) {}
  Known(DataType of, uint32_t bits) : type(of), words{bits} {}
  DataType type;
  std::array<uint32_t, 4> words;
};

/// What a law is about: the bits of a value, or an operation by its id and version.
struct LawArgument {
  LawArgument(uint64_t bits) : words{uint32_t(bits), uint32_t(bits >> 32)} {}  // NOLINT
  LawArgument(const std::array<uint32_t, 4>& bits) : words(bits) {}            // NOLINT
  template <std::convertible_to<std::string_view> Id>
  LawArgument(const Id& id, uint32_t of = 1) : operation(std::string_view(id)), version(of) {}  // NOLINT
  std::string operation;  // empty: the bits
  uint32_t version = 1;
  std::array<uint32_t, 4> words{};
};

/// An operation of category A with what is said of it, in the order of the text.
class OperationBuilder : public FunctionBuilder {
 public:
  explicit OperationBuilder(std::string id, uint32_t version = 1);
  void claims(std::string_view law, std::initializer_list<LawArgument> arguments = {});
  /// A law that one could take for true, with values of its variables that refute it.
  void denies(std::string_view law, std::initializer_list<Known> witness) { denies(law, {}, witness); }
  void denies(std::string_view law, std::initializer_list<LawArgument> arguments,
              std::initializer_list<Known> witness);
  void row(std::initializer_list<Known> operands, Known expected);

  /// The operation with this result; the builder is spent.
  Operation finish(Ex result, DataType result_type);

 private:
  Operation operation_;
};

/// What a parameter of a dispatch or of a pipeline that is run gets: a buffer, or the words of a uniform one.
struct PipelineArgument {
  PipelineArgument(BufferRef same) : buffer(same.name) {}  // NOLINT: the parameter of the buffer's own name
  PipelineArgument(std::string_view parameter, BufferRef given) : name(parameter), buffer(given.name) {}
  PipelineArgument(std::string_view parameter, std::initializer_list<Ex> list)
      : name(parameter), words(list) {}
  std::string name;  // empty: the buffer's
  Symbol buffer = kNoSymbol;
  std::vector<Ex> words;
};

class PipelineBuilder : public BufferBuilder {
 public:
  explicit PipelineBuilder(std::string name);

  Ex ceil_div(Ex a, Ex b);
  Ex ceil_div(Ex a, uint32_t b) { return ceil_div(a, u32(b)); }

  // Commands. They go to the innermost open body.
  BufferRef scratch(std::string_view name, DataType type, Ex count);
  /// A host name, which nothing assigns, and a handle to it.
  Ex let(std::string_view name, Ex value);
  /// groups: one to three, the others are 1.
  void dispatch(std::string_view program, std::initializer_list<PipelineArgument> arguments,
                std::initializer_list<Ex> groups) {
    dispatch(program, std::span(arguments.begin(), arguments.size()),
             std::span(groups.begin(), groups.size()));
  }
  void dispatch(std::string_view program, std::span<const PipelineArgument> arguments,
                std::span<const Ex> groups);
  /// A pipeline of this module, or, by an id with a point, one of the library of this version.
  void run(std::string_view pipeline, std::initializer_list<PipelineArgument> arguments,
           uint32_t version = 1);
  void for_(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& body);
  /// At most `count` turns; after each the word looked_at[at] ends it if it is zero.
  void repeat(Ex count, BufferRef looked_at, Ex at, const std::function<void()>& body);
  void if_(Ex condition, const std::function<void()>& then);
  void if_(Ex condition, const std::function<void()>& then, const std::function<void()>& otherwise);

  /// The pipeline; the builder is spent.
  Pipeline finish();

 private:
  // Statements of programs.
  using BufferBuilder::assign;
  using BufferBuilder::block;
  using BufferBuilder::loop;

  /// Appends a command and gives its number.
  size_t command(Command command, std::span<const Ex> roots);
  Range list(std::span<const Ex> roots);
  Range arguments(std::span<const PipelineArgument> given);
  void body(size_t number, const std::function<void()>& commands);

  Pipeline pipeline_;
};

/// Collects items; each kind keeps its order.
class ModuleBuilder {
 public:
  ModuleBuilder& operation(Operation item) { return add(module_.operations, std::move(item)); }
  ModuleBuilder& program(Program item) { return add(module_.programs, std::move(item)); }
  ModuleBuilder& pipeline(Pipeline item) { return add(module_.pipelines, std::move(item)); }
  ModuleBuilder& graph(Graph item) { return add(module_.graphs, std::move(item)); }

  /// The module; the builder is spent.
  Module finish() { return std::move(module_); }

 private:
  template <typename Item>
  ModuleBuilder& add(std::vector<Item>& items, Item item) {
    items.push_back(std::move(item));
    return *this;
  }
  Module module_;
};

}  // namespace vyre::ir
