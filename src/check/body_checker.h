// The state of check_body(), split over files by what it decides: statements and scopes in body.cpp, trees
// and leaves of expressions in expressions.cpp, those that stand in order in in_order.cpp, applications of
// operators in operators.cpp, calls of operations in calls.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check/body.h"

namespace vyre::check {

/// The type of an expression that could not be given one. It is no row of the ledger and never leaves the
/// checker.
inline constexpr DataType kUnknownType{0xff};

class BodyChecker {
 public:
  BodyChecker(const BodyInput& input, Report& report);
  BodyResult run();

 private:
  friend class PipelineChecker;  // host expressions are expressions, in scopes of the same kind
  friend class GraphNodes;       // and so are those of graphs
  friend class GraphTensors;
  friend class GraphExpressions;
  friend class GraphChecker;
  /// What a name stands for at this moment of the walk.
  struct Binding {
    enum class Kind : uint8_t { None, Variable, Buffer, Constant } kind = Kind::None;
    uint32_t index = 0;
  };
  struct Shadowed {
    ir::Symbol symbol;
    Binding previous;
  };
  struct Frame {
    BlockId block;
    uint32_t next;
    uint32_t depth;
    uint32_t scope;  // size of scope_ when the block was entered
  };

  // Scopes (body.cpp).
  void declare_constants();
  void declare_buffer(uint32_t number);
  void declare_parameters();
  uint32_t declare(ir::Symbol name, DataType type, Variable::Kind kind, Span span);
  void close_scope(uint32_t size);
  Span declared_at(Binding binding) const;
  /// V031 at the first declaration of a name, so that a long name costs its length once.
  void check_name_once(ir::Symbol name, Span span, std::string_view what);
  /// V001 when the name is still visible.
  void check_fresh(ir::Symbol name, Span span);
  void unknown_name(ir::Symbol name, Span span, std::string_view what);
  /// The buffer a name stands for, or kNoTarget after V003 or V005.
  uint32_t find_buffer(ir::Symbol name, Span span);

  // Statements (body.cpp).
  void walk_blocks();
  void statement(NodeId id, uint32_t depth);
  void enter(BlockId block, uint32_t depth, uint32_t scope, Span span);
  bool well_shaped(NodeId id, const ir::Node& node);
  void let(NodeId id, const ir::Node& node);
  void assign(NodeId id, const ir::Node& node);
  void store(NodeId id, const ir::Node& node);
  void malformed(Span span, std::string message);
  void not_in_function(Span span, std::string_view what);

  // Expressions (expressions.cpp).
  /// Resolves and types a whole tree; gives the type of its root.
  DataType expression(ExprId root);
  /// Whether the expressions from next_ to the root are the tree of the root and nothing else, operands first
  /// and from left to right: so it is in whatever was parsed or decoded, and then a tree needs no walk.
  bool stands_in_order(ExprId root);
  /// Types the expressions of a row that stands in order.
  void type_row(uint32_t first, uint32_t last);
  /// The type of an expression in the cases that are usual and valid, and what its name stands for; else
  /// kUnknownType, and then type_of() decides.
  DataType usual_type(const ir::Expr& expr, uint32_t& target) const;
  /// Gives expressions that are not looked at a type and no target.
  void forget_from(uint32_t first);
  /// V023 when the tree in order_ is too deep.
  void check_depth(ExprId root);
  DataType type_of(ExprId id);
  bool well_shaped(ExprId id, const ir::Expr& expr);
  DataType literal(ExprId id, const ir::Expr& expr);
  DataType variable(ExprId id, const ir::Expr& expr);
  DataType load(ExprId id, const ir::Expr& expr);
  DataType axis(ExprId id, const ir::Expr& expr);
  /// V062 where a declaration of its name hides what the text calls the group counts.
  void group_count_not_hidden(Span span);
  /// The type of a value loaded from a buffer; kUnknownType if its declaration is broken.
  DataType element_type(uint32_t target) const;
  /// V013 and V033; of a buffer that is unknown (kNoTarget) or broken the number of indices is unspecified
  /// guess.
  void check_indices(std::span<const ExprId> indices, uint32_t target, Span span);
  DataType apply(ExprId id, const ir::Expr& expr);
  DataType scalar(ExprId id, const ir::Expr& expr);
  DataType make_vector(const ir::Expr& expr);
  DataType component(ExprId id, const ir::Expr& expr);
  DataType select(ExprId id, const ir::Expr& expr);
  DataType cast(ExprId id, const ir::Expr& expr);
  DataType bitcast(ExprId id, const ir::Expr& expr);
  DataType call(ExprId id, const ir::Expr& expr);
  /// Its place in Resolution::callees, or kNoTarget when no such operation is registered.
  uint32_t find_callee(const ir::Expr& expr);
  void call_intrinsic(ExprId id, const spec::OpDef& def);
  DataType reduction(ExprId id, const ir::Expr& expr);
  DataType atomic(ExprId id, const ir::Expr& expr);
  void unknown_operation(ExprId id, const ir::Expr& expr);
  void check_index(ExprId id);
  void check_condition(ExprId id);
  /// V025 unless values can have this type here.
  bool check_available(DataType type, Span span);
  DataType type(ExprId id) const { return result_.resolution.types[ir::index(id)]; }
  /// The literal to write instead, or how to convert: "cast<u32>(...)".
  std::string conversion(ExprId from, DataType to) const;

  const BodyInput input_;
  const ir::Code& code_;
  Report& report_;
  BodyResult result_;
  Arena<Binding> visible_;            // by Symbol
  Arena<uint32_t> last_declaration_;  // by Symbol: the variable that last had the name, or kNoTarget
  std::vector<bool> name_checked_;    // by Symbol
  std::vector<Shadowed> scope_;
  Arena<Span> variable_spans_;       // by VarId
  std::vector<bool> buffer_usable_;  // by BufferId: its element type can be spoken of
  std::vector<Frame> frames_;
  uint32_t next_ = 0;            // expressions below were seen; UINT32_MAX: in no order, see seen_expr_
  std::vector<bool> seen_expr_;  // empty while expressions come in order
  std::vector<bool> seen_node_;
  std::unordered_map<uint64_t, uint32_t> callee_of_;  // by symbol and version: find_callee()
  static constexpr size_t kNoSite = SIZE_MAX;
  std::vector<size_t> call_sites_;  // by callee: its place in BodyResult::calls, or kNoSite
  std::unordered_set<spec::Intrinsic> intrinsics_used_;
  NodeId statement_{};           // that is being walked
  std::vector<ExprId> pending_;  // scratch of expression()
  std::vector<ExprId> order_;    // scratch of expression()
  uint64_t visited_ = 0;
  std::optional<ir::Symbol> group_counts_;  // the symbol of their name, or none, once it was looked for
};

}  // namespace vyre::check
