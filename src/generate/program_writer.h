// The writer of random programs: it draws decisions from a Choices and builds a program that keeps every
// rule.
//
// programs.h says what comes out and how races are kept out. This class keeps what that needs: which
// variables are visible and uniform, what phase each shared buffer is in, whether control is uniform, how
// many nodes are left, and how many steps the program may still take. A part gets a number of nodes and takes
// at most those, so the bound on a program's size is hard; `reserved_` is what parts to come have been
// promised.
//
// program_writer.cpp has the program as a whole, its dispatch and its inputs; writer_buffers.cpp declares
// buffers and makes their contents; writer_access.cpp finds indices that keep the disciplines;
// writer_expressions.cpp and writer_statements.cpp write the two kinds of nodes, writer_floats.cpp what is
// particular to floats.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "generate/programs.h"
#include "spec/ops.h"

namespace vyre::generate {

/// Whose order does not matter to what is in memory afterwards.
inline constexpr spec::Op kCommutativeAtomics[] = {spec::Op::AtomicAdd, spec::Op::AtomicOr,
                                                   spec::Op::AtomicAnd, spec::Op::AtomicXor,
                                                   spec::Op::AtomicMin, spec::Op::AtomicMax};

class ProgramWriter {
 public:
  explicit ProgramWriter(const ProgramOptions& options);
  void write(Choices& choices, ProgramCase& out);

 private:
  using DataType = spec::DataType;
  using Op = spec::Op;
  using ExprId = ir::ExprId;
  using BlockId = ir::BlockId;
  using Symbol = ir::Symbol;

  /// Which invocations may touch which elements; see programs.h.
  enum class Discipline : uint8_t { Read, Uniform, Own, Sum, Shared, Race, Private };
  enum class Mode : uint8_t { ReadAll, Slots, Sum };
  struct Phase {
    Mode mode = Mode::ReadAll;
    uint32_t permutation = 0;  // Slots
    uint32_t shift = 0;        // Slots: of the rotation
    Op op = Op::AtomicAdd;     // Sum
    bool operator==(const Phase&) const = default;
  };
  static constexpr size_t kMaxBuffers = 12;
  using Phases = std::array<Phase, kMaxBuffers>;
  struct Buffer {
    Symbol name = ir::kNoSymbol;
    Discipline discipline{};
    DataType element{};  // Bytes is possible; of a tensor: of its elements
    bool workgroup = false;
    Op op = Op::AtomicAdd;  // Sum
    uint32_t count = 0;     // bound elements
    uint32_t rank = 0;      // of a tensor; 0: a plain buffer
    uint32_t own_axis = 0;  // tensor with discipline Own: whose coordinate is `own`
    std::array<uint32_t, 4> dims{};
    DataType value() const { return spec::element_value_type(element); }
    uint32_t indices() const { return rank == 0 ? 1 : rank; }
    bool bound() const { return !workgroup && discipline != Discipline::Private; }
    /// Elements that atomics work on.
    bool atomic() const { return rank == 0 && !workgroup && element == DataType::U32; }
  };
  struct Variable {
    Symbol name;
    DataType type;
    bool uniform;
    bool assignable;
    bool usable = true;  // false: a value that shows the order of atomics, so that only its name is taken
    bool used = false;
    uint32_t reserved = 0;  // nodes set aside to show its value
  };
  /// What an invocation is called: own number in the dispatch, number in its workgroup, number of the
  /// workgroup.
  enum class Identity : uint8_t { Own, Slot, Group };

  // The program as a whole: program_writer.cpp.
  void reset(Choices& choices, ProgramCase& out);
  void choose_shape();
  void choose_palette();
  void declare_identities();
  void identity_let(Identity which, const char* name);
  ExprId linear(Identity which);
  std::array<uint32_t, 3> extents(Identity which) const;
  bool is_one_axis(Identity which) const;
  bool is_named(Identity which) const { return identities_[size_t(which)] != ir::kNoSymbol; }
  bool is_only_group() const { return group_size_ == total_; }
  void finish(ProgramCase& out);

  // Buffers: writer_buffers.cpp.
  void declare_buffers();
  void declare(Discipline discipline, uint32_t count);
  void declare_dims();
  void declare_private();
  DataType any_element();
  void shape_tensor(Buffer& buffer, ir::TensorType& type);
  void lay_out_tensor(Buffer& buffer, ir::TensorType& type);
  uint32_t any_count(const Buffer& buffer);
  void fill(const Buffer& buffer, Bytes& out);
  void add_declaration(Buffer& buffer, spec::BufferAccess access, std::string_view name);

  // Indices: writer_access.cpp. Each takes at most `budget` nodes, which is at least what *_cost says.
  uint32_t slot_cost(const Buffer& buffer, const Phase& phase) const;
  uint32_t index_cost(const Buffer& buffer) const;
  uint32_t store_cost(const Buffer& buffer) const { return 1 + index_cost(buffer) + least(buffer.value()); }
  bool readable(const Buffer& buffer, DataType type, bool uniform) const;
  ExprId load(const Buffer& buffer, uint32_t budget, bool uniform);
  uint32_t indices(const Buffer& buffer, uint32_t budget, bool uniform, std::span<ExprId, 4> out);
  ExprId index_anywhere(uint32_t budget, bool uniform);
  ExprId coordinate(uint32_t dim, uint32_t budget, bool uniform);
  ExprId index_own(uint32_t budget);
  ExprId own_coordinate(uint32_t budget);
  ExprId index_shared(const Buffer& buffer, uint32_t budget);
  ExprId index_slot(const Buffer& buffer);
  ExprId in_region(const Buffer& buffer, ExprId element);
  ExprId identity(Identity which);
  const Phase& phase(const Buffer& buffer) const { return phases_[size_t(&buffer - buffers_.data())]; }
  Phase& phase(const Buffer& buffer) { return phases_[size_t(&buffer - buffers_.data())]; }

  // Expressions: writer_expressions.cpp. Each takes at most `budget` nodes, which is no less than
  // least(type).
  /// Nodes of the smallest expression of a type: vectors have no literals.
  static constexpr uint32_t least(DataType type) { return spec::kVectors.contains(type) ? 2 : 1; }
  static uint32_t least(std::span<const DataType> types);
  ExprId expr(DataType type, uint32_t budget, bool uniform);
  ExprId leaf(DataType type, uint32_t budget, bool uniform);
  ExprId constant(DataType type, uint32_t budget);
  ExprId literal(DataType type);
  ExprId literal(DataType type, std::array<uint32_t, 4> bits);
  ExprId word(uint32_t value) { return literal(DataType::U32, {value, 0, 0, 0}); }
  ExprId var(Symbol name);
  ExprId use(Variable& variable);
  ExprId id(ir::ExprKind kind, uint32_t axis);
  ExprId select(DataType type, uint32_t budget, bool uniform);
  bool is_leaf(ExprId id) const;
  ExprId copy_leaf(ExprId id);
  ExprId scalar(DataType type, uint32_t budget, bool uniform);
  ExprId vector(DataType type, uint32_t budget, bool uniform);
  ExprId converted(Op op, DataType type, uint32_t budget, bool uniform);
  ExprId call(const spec::OpDef& def, uint32_t budget, bool uniform);
  ExprId any_load(DataType type, uint32_t budget, bool uniform);
  ExprId any_atomic(uint32_t budget);
  ExprId any_call(DataType type, uint32_t budget, bool uniform);
  ExprId any_intrinsic(DataType type, uint32_t budget, bool uniform);
  ExprId condition(uint32_t budget, bool uniform);
  void operands(std::span<const DataType> types, uint32_t budget, bool uniform, ExprId* out);
  ExprId atomic(Op op, const Buffer& buffer, std::span<const ExprId> operands);
  /// The part of `budget` for the next of several operands, of which `more` follow with at least one node
  /// each.
  uint32_t share(uint32_t budget, uint32_t more) {
    const uint32_t available = budget - more;
    return more == 0 ? available : 1 + choices_->below(available);
  }
  ExprId apply(Op op, std::initializer_list<ExprId> args) { return apply(op, {args.begin(), args.size()}); }
  ExprId apply(Op op, std::span<const ExprId> args) {
    return add({.kind = ir::ExprKind::Apply, .op = op}, args);
  }
  ExprId convert(Op op, DataType to, ExprId value, spec::RoundingMode mode = spec::RoundingMode::None);
  ExprId add(ir::Expr expr, std::span<const ExprId> operands) {
    spent_ += trips_;
    return code_->add(expr, operands, Span::none());
  }

  // Floats: writer_floats.cpp.
  uint32_t reduction_cost(const Buffer& buffer) const;
  bool may_fold_anywhere(const Buffer& buffer) const;
  ExprId reduction(DataType type, uint32_t budget, bool uniform);
  void range_anywhere(const Buffer& buffer, uint32_t budget, bool uniform, std::span<ExprId, 2> out);
  ExprId comparison(DataType type, uint32_t budget, bool uniform);
  ExprId contractible(DataType type, uint32_t budget, bool uniform);
  ExprId rounded_leaf(DataType type, bool uniform);
  ExprId shown(DataType type, uint32_t budget, bool uniform);
  ExprId rounding(DataType type, uint32_t budget, bool uniform);
  ExprId large_float(DataType type, uint32_t budget, bool uniform);
  ExprId special_float(DataType type, uint32_t budget, bool uniform);
  void accumulate();
  spec::RoundingMode any_mode(DataType from, DataType to);

  // Statements: writer_statements.cpp. Each takes at most room() nodes, and writes none where that is too
  // little.
  void block(uint32_t statements);
  void statement();
  void let();
  void assign();
  void store();
  void store_to(const Buffer& buffer, uint32_t space);
  void atomic_statement();
  void branch();
  void loop();
  void inner_block();
  void early_return();
  void return_from(uint32_t wrapped);
  void barrier();
  void take_part(const Buffer& buffer);
  void read_neighbour(const Buffer& buffer);
  void add_shared(const Buffer& buffer);
  struct Bounds {
    ExprId from, to;
    uint32_t trips;
  };
  Bounds bounds(uint32_t budget, bool uniform);
  bool may_store(const Buffer& buffer) const;
  Phase any_phase(const Buffer& buffer);
  /// Back to phases that an outer construct relies on, through a barrier where they differ.
  void restore(const Phases& saved);
  /// What `body` writes, as a block with its own variables.
  template <typename Body>
  BlockId scope(const Body& body) {
    const size_t visible = variables_.size(), first = pending_.size();
    reserved_ += scope_reserve_;
    ++nesting_;
    body();
    --nesting_;
    reserved_ -= scope_reserve_;
    leave(visible);
    const BlockId id = code_->add_block(std::span(pending_).subspan(first));
    pending_.resize(first);
    return id;
  }
  void add_statement(const ir::Node& node, std::initializer_list<ExprId> operands);
  void add_store(const Buffer& buffer, std::span<const ExprId> indices, ExprId value);

  // Variables, and how what they hold is made to show: writer_variables.cpp.
  void bind(ExprId value, Variable variable);
  void declare_variable(Variable variable);
  Symbol fresh_name();
  DataType any_type();
  uint32_t show_cost(DataType type) const;
  const Buffer* window(DataType type) const;
  void show(const Variable& variable);
  void absorb(const Variable& variable);
  ExprId word_of(const Variable& variable, uint32_t number);
  void store_digest();
  void leave(size_t first);
  void release(Variable& variable) {
    reserved_ -= variable.reserved;
    variable.reserved = 0;
  }

  // A race on demand: writer_race.cpp.
  void race();
  void declare_race_buffer();
  uint32_t number_of_slot(uint32_t slot) const;

  /// Nodes that the program and the dispatch still have for a part that stands here.
  uint32_t room() const {
    const uint64_t used = code_->node_count() + reserved_;
    const uint64_t nodes = used < options_.max_nodes ? options_.max_nodes - used : 0;
    const uint64_t steps = spent_ < budget_ ? (budget_ - spent_) / trips_ : 0;
    return uint32_t(std::min(nodes, steps));
  }
  /// How large an expression of a type may be where `available` nodes are left for it.
  uint32_t expr_budget(DataType type, uint32_t available) {
    const uint32_t most = std::min(available, options_.max_expr_nodes);
    return most <= least(type) ? least(type) : least(type) + choices_->below(most - least(type) + 1);
  }
  template <typename Items>
  const auto& pick(const Items& from) {
    return from[choices_->below(uint32_t(std::size(from)))];
  }
  /// One of the items for which `fits` holds, or null.
  template <typename T, typename Fits>
  T* pick_if(std::vector<T>& from, const Fits& fits) {
    uint32_t count = 0;
    for (const T& item : from) count += fits(item) ? 1 : 0;
    if (count == 0) return nullptr;
    uint32_t k = choices_->below(count);
    for (T& item : from) {
      if (fits(item) && k-- == 0) return &item;
    }
    return nullptr;
  }

  struct Shape {
    std::array<uint32_t, 3> size;
    layout::Groups groups;
  };

  // For all programs.
  const ProgramOptions options_;
  const bool digests_;  // large programs collect all variables in one, small ones store the unused
  std::vector<Shape> shapes_;
  std::array<std::vector<const spec::OpDef*>, spec::kTypeCount> callable_;    // by result type
  std::array<std::vector<const spec::OpDef*>, spec::kTypeCount> intrinsics_;  // by result type

  // For the one that is being written.
  Choices* choices_ = nullptr;
  ir::Program* program_ = nullptr;
  ir::Code* code_ = nullptr;
  Shape shape_{};
  uint32_t group_size_ = 1;
  uint32_t total_ = 1;
  std::array<DataType, 3> palette_{};
  std::array<Symbol, 3> identities_{};  // kNoSymbol: an id of one axis
  Symbol digest_ = ir::kNoSymbol;

  std::vector<Buffer> buffers_;
  Phases phases_;
  std::vector<uint32_t> dims_words_;  // what the buffer of dimensions holds
  Symbol dims_buffer_ = ir::kNoSymbol;
  std::vector<Variable> variables_;
  std::vector<Symbol> retired_;      // names whose scope has ended
  std::vector<ir::NodeId> pending_;  // statements of the blocks that are open, one after the other
  uint32_t names_ = 0;
  uint32_t statements_left_ = 0;
  uint32_t nesting_ = 0;
  uint32_t scope_reserve_ = 0;  // for the barrier that ends a scope
  bool uniform_control_ = true;
  bool tail_ = false;      // no barrier comes any more, so divergent returns may
  bool returned_ = false;  // the innermost scope has ended in a return
  bool stay_ = false;      // no invocation may return yet
  std::optional<Race> race_;
  uint32_t reserved_ = 0;
  uint64_t trips_ = 1;
  uint64_t spent_ = 0;
  // Elementary functions that the program may still have: where they are composed each is hundreds of
  // instructions.
  static constexpr uint32_t kFunctions = 3;
  uint32_t functions_ = kFunctions;
  uint64_t budget_ = 0;
};

}  // namespace vyre::generate
