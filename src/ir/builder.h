// Building programs and functions in C++. The builder does not validate; check() does.
//
//   ir::ProgramBuilder p("xor");
//   auto a = p.read("a", DataType::U32, 0), b = p.read("b", DataType::U32, 1);
//   auto out = p.read_write("out", DataType::U32, 2);
//   p.workgroup_size(64, 1, 1);
//   auto i = p.let("i", p.invocation_id(0));
//   p.if_(i < p.len(out), [&] { p.store(out, i, p.load(a, i) ^ p.load(b, i)); });
//   ir::Program program = p.finish();
//
// Tensors are declared with their shape, dimensions as numbers or as elements of a uniform buffer, and take
// one index a dimension:
//
//   auto size = p.uniform("size", DataType::U32, 0);
//   auto t = p.read("t", ir::Tensor{DataType::F32, {{"n", size, 0}, 64}}, 1);
//   p.let("x", p.load(t, {p.u32(1), p.u32(2)}));
//
// Ex is a handle to an expression. An expression has one parent, so a handle that is used again is copied,
// node by node; a variable's handle (from let or loop) copies to one Var node, which is how values are meant
// to be shared. Statements go to the innermost open block. The builder checks nothing that check/ checks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace vyre::ir {

class BuilderBase;

/// A handle to an expression under construction.
class Ex {
 public:
  BuilderBase& builder() const { return *builder_; }
  ExprId id() const { return id_; }
  /// Components of a vector.
  Ex x() const;
  Ex y() const;
  Ex z() const;
  Ex w() const;

 private:
  friend class BuilderBase;
  Ex(BuilderBase* builder, ExprId id) : builder_(builder), id_(id) {}
  BuilderBase* builder_;
  ExprId id_;
};

struct BufferRef {
  Symbol name;
};

/// A dimension of a tensor: a number, or a name for an element of a uniform buffer, read at dispatch.
struct Dimension {
  Dimension(uint32_t fixed) : size(fixed) {}  // NOLINT: shapes are lists of numbers
  Dimension(std::string_view dimension, BufferRef uniform, uint32_t at)
      : name(dimension), buffer(uniform.name), element(at) {}
  uint32_t size = 0;
  std::string name;  // of a dynamic one
  Symbol buffer = kNoSymbol;
  uint32_t element = 0;
};

/// The type of a tensor buffer: no strides means row-major.
struct Tensor {
  DataType element;
  std::vector<Dimension> dims;
  std::vector<uint32_t> strides = {};
};

/// What programs and functions share: expressions and statements.
class BuilderBase {
 public:
  BuilderBase(const BuilderBase&) = delete;
  BuilderBase& operator=(const BuilderBase&) = delete;

  // Expressions.
  Ex u32(uint32_t value) { return literal(DataType::U32, value); }
  Ex i32(int32_t value) { return literal(DataType::I32, uint32_t(value)); }
  Ex boolean(bool value) { return literal(DataType::Bool, value ? 1 : 0); }
  Ex u64(uint64_t value) { return literal(DataType::U64, {uint32_t(value), uint32_t(value >> 32), 0, 0}); }
  Ex u128(uint64_t high, uint64_t low) {
    return literal(DataType::U128,
                   {uint32_t(low), uint32_t(low >> 32), uint32_t(high), uint32_t(high >> 32)});
  }
  Ex f32(float value) { return literal(DataType::F32, std::bit_cast<uint32_t>(value)); }
  Ex f32_bits(uint32_t bits) { return literal(DataType::F32, bits); }
  Ex f16_bits(uint16_t bits) { return literal(DataType::F16, bits); }
  Ex bf16_bits(uint16_t bits) { return literal(DataType::BF16, bits); }
  /// Of any type, by its words, least significant first; a type of 32 bits or less has only the first.
  Ex literal(DataType type, const std::array<uint32_t, 4>& words);
  Ex literal(DataType type, uint32_t bits) { return literal(type, std::array<uint32_t, 4>{bits, 0, 0, 0}); }
  Ex vec2u32(Ex x, Ex y);
  Ex vec4u32(Ex x, Ex y, Ex z, Ex w);
  /// Domain of a program that check accepts: `which` is below the number of components.
  Ex component(Ex vector, uint32_t which);
  Ex var(std::string_view name);
  Ex apply(Op op, std::initializer_list<Ex> operands);
  Ex apply(Op op, std::span<const Ex> operands);
  /// What the sign of an operator on integers stands for between these operands, as in text: the one on
  /// floats where the first of them that has a type is a float. Calls have no type here.
  Ex sign(Op integer, std::initializer_list<Ex> operands);
  /// x and n of x + n, where n is a literal of u32; else nothing.
  std::optional<std::pair<Ex, uint32_t>> as_sum_with_literal(Ex ex);
  Ex select(Ex condition, Ex then, Ex otherwise);
  Ex cast(DataType type, Ex value, RoundingMode mode = RoundingMode::None);
  Ex bitcast(DataType type, Ex value);
  Ex call(std::string_view operation, std::initializer_list<Ex> arguments, uint32_t version = 1);
  Ex call(std::string_view operation, std::span<const Ex> arguments, uint32_t version = 1);

  /// The body of a function with these arguments in the place of its parameters: statements here, and its
  /// result. The names of its variables must be free. Domain: a valid operation.
  Ex inlined(const Function& function, std::span<const Ex> arguments);

  // Statements.
  /// Declares a variable and gives a handle to it.
  Ex let(std::string_view name, Ex value);
  void assign(Ex variable, Ex value);
  void if_(Ex condition, const std::function<void()>& then);
  void if_(Ex condition, const std::function<void()>& then, const std::function<void()>& otherwise);
  void loop(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& body);
  /// The same with the hint to write its rounds one after the other.
  void unrolled_loop(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& body);
  void block(const std::function<void()>& body);

  /// The innermost open block: variables that are declared in it are visible while it is open.
  uint32_t scope() const { return scopes_.back(); }
  bool is_open(uint32_t scope) const { return std::ranges::find(scopes_, scope) != scopes_.end(); }
  /// How many blocks are open; the body of a program is the first.
  size_t nesting() const { return scopes_.size(); }

  Code& code() { return code_; }

 protected:
  BuilderBase();
  ~BuilderBase() = default;

  Ex add(Expr expr, std::span<const Ex> args);
  void add_statement(Node node, std::span<const Ex> args);
  BlockId collect(const std::function<void()>& body);
  BlockId finish_entry();
  /// The id to hang under a new parent: the handle's own on first use, a copy after that.
  ExprId claim(Ex ex);
  /// The type of a variable, or of the elements of a buffer, from here on.
  void declare(Symbol name, DataType type);
  /// As far as it is known: expr_type.h.
  DataType& known_type(Ex ex) { return types_[index(ex.id())]; }
  Ex handle(ExprId id) { return Ex(this, id); }

  Code code_;

 private:
  ExprId copy(ExprId id);
  void add_loop(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& body, bool unroll);
  std::vector<bool> used_;
  std::vector<DataType> types_;     // by ExprId
  std::vector<DataType> declared_;  // by Symbol
  std::vector<std::vector<NodeId>> open_;
  std::vector<uint32_t> scopes_ = {0};  // of the open blocks
  uint32_t last_scope_ = 0;
};

/// What programs and pipelines share: buffers.
class BufferBuilder : public BuilderBase {
 public:
  BufferRef read(std::string_view name, DataType element, uint32_t binding);
  BufferRef read_write(std::string_view name, DataType element, uint32_t binding);
  BufferRef uniform(std::string_view name, DataType element, uint32_t binding);
  BufferRef read(std::string_view name, const Tensor& tensor, uint32_t binding);
  BufferRef read_write(std::string_view name, const Tensor& tensor, uint32_t binding);
  BufferRef uniform(std::string_view name, const Tensor& tensor, uint32_t binding);

  Ex load(BufferRef buffer, Ex index) { return load(buffer, std::initializer_list<Ex>{index}); }
  Ex load(BufferRef buffer, std::initializer_list<Ex> indices);
  Ex len(BufferRef buffer);

 protected:
  ~BufferBuilder() = default;
  BufferRef declare(std::string_view name, BufferAccess access, DataType element, uint32_t binding,
                    uint32_t count);

  std::vector<BufferDecl> buffers_;
  std::vector<TensorType> tensors_;

 private:
  BufferRef declare(std::string_view name, BufferAccess access, const Tensor& tensor, uint32_t binding);
};

class ProgramBuilder : public BufferBuilder {
 public:
  explicit ProgramBuilder(std::string name);
  BufferRef workgroup(std::string_view name, DataType element, uint32_t count);
  /// An array of each invocation's own, zero when it starts.
  BufferRef private_(std::string_view name, DataType element, uint32_t count);
  void workgroup_size(uint32_t x, uint32_t y, uint32_t z) { program_.workgroup_size = {x, y, z}; }

  Ex invocation_id(uint32_t axis);
  Ex workgroup_id(uint32_t axis);
  Ex local_id(uint32_t axis);
  /// Domain of a program that check accepts: no variable of this name is visible.
  Ex num_workgroups(uint32_t axis);
  /// The value before the operation; bind it with let, since there are no expression statements.
  Ex atomic(Op op, BufferRef buffer, Ex index, Ex value);
  Ex atomic_compare_exchange(BufferRef buffer, Ex index, Ex expected, Ex value);
  /// FReduceStrict or FReduceTreeBinary of a buffer of floats with one of the operators of spec::is_fold: of
  /// all elements, or of those from `from` to below `to`.
  Ex reduce(Op op, Op fold, BufferRef buffer) { return reduce(op, fold, buffer, 0, {}); }
  Ex reduce(Op op, Op fold, BufferRef buffer, Ex from, Ex to) {
    return reduce(op, fold, buffer, 0, {from, to});
  }
  /// FReduceApprox, with its tolerance in ULP: spec::kLeastTolerance to spec::kGreatestTolerance.
  Ex reduce_approx(Op fold, BufferRef buffer, uint32_t tolerance);
  Ex reduce_approx(Op fold, BufferRef buffer, uint32_t tolerance, Ex from, Ex to);

  void store(BufferRef buffer, Ex index, Ex value) { store(buffer, std::initializer_list<Ex>{index}, value); }
  void store(BufferRef buffer, std::initializer_list<Ex> indices, Ex value);
  void return_();
  void barrier();

  /// The program; the builder is spent.
  Program finish();

 private:
  Ex reduce(Op op, Op fold, BufferRef buffer, uint32_t tolerance, std::initializer_list<Ex> range);
  Program program_;
};

class FunctionBuilder : public BuilderBase {
 public:
  explicit FunctionBuilder(std::string id);
  Ex parameter(std::string_view name, DataType type);
  /// The function with this result; the builder is spent.
  Function finish(Ex result, DataType result_type);

 private:
  Function function_;
};

// Signs on handles: those of the text format (BuilderBase::sign). `&&` and `||` evaluate both sides, as And
// and Or do; a plain number is a u32 literal.
Ex operator+(Ex a, Ex b);
Ex operator-(Ex a, Ex b);
Ex operator*(Ex a, Ex b);
Ex operator/(Ex a, Ex b);
Ex operator%(Ex a, Ex b);
Ex operator&(Ex a, Ex b);
Ex operator|(Ex a, Ex b);
Ex operator^(Ex a, Ex b);
Ex operator<<(Ex a, Ex b);
Ex operator>>(Ex a, Ex b);
Ex operator==(Ex a, Ex b);
Ex operator!=(Ex a, Ex b);
Ex operator<(Ex a, Ex b);
Ex operator>(Ex a, Ex b);
Ex operator<=(Ex a, Ex b);
Ex operator>=(Ex a, Ex b);
Ex operator&&(Ex a, Ex b);
Ex operator||(Ex a, Ex b);
Ex operator-(Ex a);
Ex operator~(Ex a);
Ex operator!(Ex a);

#define VYRE_EX_WITH_NUMBER(symbol)                                                   \
  inline Ex operator symbol(Ex a, uint32_t b) { return a symbol a.builder().u32(b); } \
  inline Ex operator symbol(uint32_t a, Ex b) { return b.builder().u32(a) symbol b; }
VYRE_EX_WITH_NUMBER(+)
VYRE_EX_WITH_NUMBER(-)
VYRE_EX_WITH_NUMBER(*)
VYRE_EX_WITH_NUMBER(/)
VYRE_EX_WITH_NUMBER(%)
VYRE_EX_WITH_NUMBER(&)
VYRE_EX_WITH_NUMBER(|)
VYRE_EX_WITH_NUMBER(^)
VYRE_EX_WITH_NUMBER(<<)
VYRE_EX_WITH_NUMBER(>>)
VYRE_EX_WITH_NUMBER(==)
VYRE_EX_WITH_NUMBER(!=)
VYRE_EX_WITH_NUMBER(<)
VYRE_EX_WITH_NUMBER(>)
VYRE_EX_WITH_NUMBER(<=)
VYRE_EX_WITH_NUMBER(>=)
#undef VYRE_EX_WITH_NUMBER

}  // namespace vyre::ir
