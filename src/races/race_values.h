// Values as an invocation computes them, without knowing which invocation it is.
//
// A value is a node of a graph over what an invocation is given: its place in the workgroup, the place of its
// workgroup, lengths and read-only memory, and unknowns for everything else (what other invocations may have
// stored, variables after a loop). Equal expressions are one node. Each node knows how far it is the same:
// for the whole dispatch, for a workgroup, or for one invocation alone; so two invocations can be compared by
// giving each a copy of what may differ. Values of 32 bits are described in two ways: as a linear form over
// integers, with the wraps made explicit, and as a formula over bit vectors. Both are exact; where an
// operator has no description the node is a value that anything may be, which proves less and never more.
// Source: semantics, "Operators" and "Memory"; execution-model, "Invocations".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "races/linear.h"
#include "smt/term.h"

namespace vyre::races {

/// How far a value is the same. The larger, the less.
enum class Scope : uint8_t { Dispatch, Workgroup, Invocation };

/// A node of a RaceValues.
enum class Value : uint32_t {};
constexpr uint32_t index(Value v) { return static_cast<uint32_t>(v); }

/// A condition that holds (or, with `holds` false, does not) where something is done.
struct Guard {
  Value condition;
  bool holds = true;
};

/// One of two invocations.
enum class Side : uint8_t { First, Second };

class RaceValues {
 public:
  enum class Kind : uint8_t { Constant, Local, Workgroup, Length, Unknown, Load, Apply };
  struct Node {
    Kind kind{};
    spec::Op op{};          // Apply
    spec::DataType type{};  // of the value
    uint32_t number = 0;  // Constant: the bits; Local, Workgroup: axis; Length, Load: buffer; Unknown: which;
                          // Apply: what else tells two applications apart
    std::vector<Value> args;  // Load: the index; Apply: operands
    Scope scope{};
    uint32_t least = 0, most = UINT32_MAX;  // bounds of a value of 32 bits
  };

  /// steps: what all systems about these values together may cost; without any left nothing is refuted.
  explicit RaceValues(const std::array<uint32_t, 3>& workgroup_size, uint64_t steps = UINT64_MAX)
      : size_(workgroup_size), steps_(steps) {}
  uint64_t steps_left() const { return steps_; }

  Value constant(uint32_t bits, spec::DataType type = spec::DataType::U32);
  Value local(uint32_t axis);
  Value workgroup(uint32_t axis);
  Value invocation(uint32_t axis);
  Value length(uint32_t buffer);
  /// An unknown value; another one each time.
  Value unknown(spec::DataType type, Scope scope, uint32_t least = 0, uint32_t most = UINT32_MAX);
  /// An element of memory that is not written.
  Value load(uint32_t buffer, spec::DataType type, std::span<const Value> indices);
  /// `number` tells apart what op and operands do not: the callee of a call, a rounding.
  Value apply(spec::Op op, spec::DataType type, std::span<const Value> args, uint32_t number = 0);

  const Node& operator[](Value v) const { return nodes_[index(v)]; }
  std::optional<uint32_t> constant_of(Value v) const;
  size_t size() const { return nodes_.size(); }

  /// Whether two invocations have the same value, whichever two they are.
  bool is_shared(Value v, bool same_workgroup) const {
    const Scope scope = nodes_[index(v)].scope;
    return scope == Scope::Dispatch || (scope == Scope::Workgroup && same_workgroup);
  }
  /// Two values, one of each invocation, that are equal exactly where a and b are: operators that lose
  /// nothing are taken off both.
  std::pair<Value, Value> peeled(Value a, Value b, bool same_workgroup) const;

  /// A linear form that equals the value; over the values that are its variables.
  struct Form {
    LinearSum sum;
    int64_t least = 0, most = 0;
  };
  const Form& form(Value v);

 private:
  friend class RaceSystem;
  Value keep(Node node);
  Value fold(Node node);
  Form make_form(Value v);
  /// The form of a value that has none of its own.
  Form opaque(Value v) const;
  /// The value modulo 2^32 of an integer form.
  Form wrapped(Value v, Form exact);
  int64_t least(const LinearSum& sum) const;
  int64_t most(const LinearSum& sum) const;

  std::array<uint32_t, 3> size_;
  uint64_t steps_;
  std::vector<Node> nodes_;
  using Key = std::tuple<Kind, spec::Op, spec::DataType, uint32_t, std::vector<Value>>;
  std::map<Key, Value> known_;
  std::vector<std::optional<Form>> forms_;
  uint32_t unknowns_ = 0;

  // Rows that variables of forms come with, each over the variables of forms (2 * node: the node's own value;
  // 2 * node + 1: how often it wrapped).
  struct Definition {
    std::vector<LinearSum> equal, at_least;
    int64_t least_wraps = 0, most_wraps = 0;  // where it has such a variable
    bool wraps = false;
  };
  std::map<uint32_t, Definition> definitions_;  // by node
};

/// What two invocations would have to satisfy to do something both, as a linear system with alternatives.
class RaceSystem {
 public:
  /// same_workgroup: whether they are of one.
  RaceSystem(RaceValues& values, bool same_workgroup) : values_(values), same_(same_workgroup) {}
  void require(const Guard& guard, Side side);
  void equal(Value a, Side of_a, Value b, Side of_b);
  void less(Value a, Side of_a, Value b, Side of_b);
  /// Whether no two invocations do. False says nothing. Cost: bounded.
  bool is_impossible();

 private:
  using Alternative = std::vector<LinearSum>;  // all at least zero
  LinearSum of(Value v, Side side);
  LinearSum renamed(const LinearSum& sum, Side side);
  uint32_t variable(uint32_t of_form, Side side);
  /// Adds what the condition says, or alternatives, to rows; nothing where it cannot be said.
  void say(Value condition, bool holds, Side side);
  std::optional<Alternative> rows_of(Value condition, bool holds, Side side);
  bool refuted(LinearSystem system, size_t alternative, uint32_t& budget) const;

  RaceValues& values_;
  bool same_;
  LinearSystem system_;
  std::vector<std::vector<Alternative>> alternatives_;
  std::map<std::pair<uint32_t, Side>, uint32_t> variables_;
};

/// The same values as formulas. Variables are named after their node and side.
class RaceFormulas {
 public:
  RaceFormulas(const RaceValues& values, smt::Pool& pool, bool same_workgroup)
      : values_(values), pool_(pool), same_(same_workgroup) {}
  /// Of 32 bits; of a wider value its name alone.
  smt::Term of(Value v, Side side);
  smt::Term holds(const Guard& guard, Side side);
  /// What holds of the values that were asked for: bounds, and that memory which is not written has one value
  /// an element.
  smt::Term facts();
  /// The loads that were asked for, with their indices, values and sides.
  struct Loaded {
    uint32_t buffer;
    smt::Term at, value;
  };
  const std::vector<Loaded>& loads() const { return loads_; }
  static std::string name(const char* what, uint32_t number, Side side);

 private:
  Side canonical(Value v, Side side) const;
  smt::Term make(Value v, Side side);
  smt::Term apply(const RaceValues::Node& node, std::span<const smt::Term> args, smt::Term unknown);

  const RaceValues& values_;
  smt::Pool& pool_;
  bool same_;
  std::map<std::pair<Value, Side>, smt::Term> terms_;
  std::vector<smt::Term> facts_;
  std::vector<Loaded> loads_;
};

}  // namespace vyre::races
