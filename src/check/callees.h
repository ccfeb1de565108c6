// The operations that a body calls, directly and through others: each body checked once, and the rules about
// calls of calls (no recursion, depth 32, a limit on what they amount to when all are inlined).
#pragma once

#include <map>
#include <memory>
#include <span>

#include "check/body.h"

namespace vyre::check {

using CheckedFunctions = std::map<const spec::OpDef*, std::shared_ptr<const CheckedFunction>>;

/// What is called, by one item or by all items of a file.
class Callees {
 public:
  Callees(const spec::OpTable& ops, Report& report);
  ~Callees();
  /// An operation of the file, whose body the caller has checked.
  void add(const spec::OpDef& def, BodyResult& body);
  /// Checks everything reachable from the calls of `body` that was not reached before. What is wrong with an
  /// operation is reported at the first call that reaches it. `depth` is the call depth of the body that
  /// makes the calls.
  void reach(const BodyResult& body, uint32_t depth);
  /// Whether an operation that was reached calls the other, directly or through others.
  bool calls(const spec::OpDef& caller, const spec::OpDef& callee) const;
  /// What the calls of `body` reach.
  CheckedFunctions reached(const BodyResult& body) const;
  /// All that was reached or added.
  CheckedFunctions all() const;

 private:
  class Table;
  std::unique_ptr<Table> table_;
};

/// The body of an operation by itself, without what it calls.
BodyResult check_function_body(const ir::Function& function, const spec::OpTable& ops, Report& report,
                               std::span<const ir::Constant> constants = {});

}  // namespace vyre::check
