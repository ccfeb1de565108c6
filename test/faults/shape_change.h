// Changes of programs: what a backend with a fault of shape compiles in the place of what it was given.
//
// A Change is up to three functions that see a program while it is copied. Each gets the Copy, which is the
// builder of the new program and knows where in the old one it stands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/checked.h"
#include "ir/builder.h"

namespace vyre::faults {

class Copy;

struct Change {
  /// What stands in the place of an expression; nothing: its copy.
  std::function<std::optional<ir::Ex>(Copy&, ir::ExprId)> expression = {};
  /// Whether it wrote something in the place of a statement; if not, that is copied.
  std::function<bool(Copy&, ir::NodeId)> statement = {};
  /// What stands before the first statement.
  std::function<void(Copy&)> entry = {};
  /// What else is another.
  std::function<void(ir::Program&)> declarations = {};
};

/// Buffers that the changed program has behind its own, where a change asks for what no program can read.
enum class Hidden : uint8_t { Groups, Counter };

class Copy : public ir::ProgramBuilder {
 public:
  Copy(const check::Checked& checked, const Change& change)
      : ProgramBuilder(checked.program().name), checked_(checked), change_(change) {}
  ir::Program run();
  /// In the order of their bindings.
  const std::vector<Hidden>& hidden() const { return hidden_; }

  // --- The old program
  const ir::Program& from() const { return checked_.program(); }
  const ir::Code& code() const { return from().code; }
  const check::Resolution& resolution() const { return checked_.resolution(); }
  const check::Checked& checked() const { return checked_; }
  const ir::BufferDecl& buffer(ir::ExprId id) const { return checked_.buffer(resolution().buffer(id)); }
  const ir::BufferDecl& buffer(ir::NodeId id) const { return checked_.buffer(resolution().buffer(id)); }
  /// How many invocations a workgroup has.
  uint32_t invocations() const;
  /// Whether evaluating it changes memory.
  bool has_effect(ir::ExprId id) const;

  // --- Where the copy stands
  uint32_t nesting() const { return nesting_; }        // blocks around the statement; the body is 0
  uint32_t depth() const { return depth_; }            // expressions around the expression
  uint32_t statements() const { return statements_; }  // before this one, in the text
  uint32_t ifs() const { return ifs_; }                // ifs around the statement
  const std::vector<ir::NodeId>& loops() const { return loops_; }  // around the statement, in the old one
  uint32_t visible() const { return visible_; }                    // variables that can be named here

  // --- Parts of the new one
  ir::Ex expr(ir::ExprId id);
  /// The copy, whatever the change says of this expression itself.
  ir::Ex plain(ir::ExprId id);
  /// The same of operands that were made already.
  ir::Ex with(ir::ExprId id, std::span<const ir::Ex> operands);
  std::vector<ir::Ex> operands(std::span<const ir::ExprId> ids);
  void block(ir::BlockId id);
  void plain(ir::NodeId id);
  void with(ir::NodeId id, std::span<const ir::Ex> operands);
  /// A variable with this value, declared before the statement in work.
  ir::Ex hoisted(ir::Ex value);
  /// Operands of which one is evaluated before all others.
  std::vector<ir::Ex> first(std::span<const ir::ExprId> ids, size_t which);
  /// To be used several times. The value must have no effect.
  ir::Ex shared(ir::Ex value);
  ir::BufferRef ref(const ir::BufferDecl& buffer) { return {intern(buffer.name)}; }
  ir::Ex zero(ir::DataType type);
  /// The number of the invocation in its workgroup, of the workgroup in its dispatch, of the invocation in
  /// all.
  ir::Ex lane();
  ir::Ex group();
  ir::Ex invocation();
  /// Groups of the dispatch along an axis, which is a hidden buffer's.
  ir::Ex groups(uint32_t axis);
  /// How often this was evaluated before, by anyone in any dispatch of the backend: a hidden atomic.
  ir::Ex count();

 private:
  ir::Symbol intern(ir::Symbol s) {
    return s == ir::kNoSymbol ? s : ProgramBuilder::code().intern(from().code.name(s));
  }
  void statement(ir::NodeId id);
  ir::BufferRef hide(Hidden which);

  const check::Checked& checked_;
  const Change& change_;
  std::vector<Hidden> hidden_;
  std::vector<ir::NodeId> loops_;
  uint32_t nesting_ = 0, depth_ = 0, statements_ = 0, ifs_ = 0, visible_ = 0, names_ = 0;
};

}  // namespace vyre::faults
