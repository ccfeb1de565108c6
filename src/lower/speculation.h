// Lines of float operators that are computed first and doubted once.
//
// Where a target promises less than IEEE 754, each operator by itself is an instruction, a test and a branch
// (lower/guarded.h). In a straight line of operators that is one branch too many for each but the last: here
// all of them are computed by the device's instructions, their doubts are one word, and where that is not
// zero the whole line is computed again, operator by operator, each guarded.
//
// A sum or a product is right where no operand is subnormal and the exact result is none. That is known of
// most operators by what is known of their operands, without a look at them. Of a value there is a reach, all
// in exponents of two: how small it may be unless it is zero, and of which power of two it is a multiple.
// Products add exponents of both. Sums keep the smaller multiple, rounded or not: so a sum of multiples of
// 2^-125 is one, and no sum of such is subnormal. Where too little is known an operand is tested, once for
// the line: zeros pass, and what is at least so large that its last digit is a multiple of what is needed.
// Of an accumulator, a variable to which a sum is added in a loop, nothing needs to be tested in any turn: it
// begins with a number and becomes sums of multiples, unless a turn was computed again. Only there it is
// looked at, and a word kept that says whether one of them is too small for the next turn.
// Of arrays in workgroup memory that are read more often than written, what is stored is tested, once, and a
// word of workgroup memory says whether something was too small; so their loads stand in the line.
//
// Nothing with an effect is moved, and nothing is computed twice but pure operators and variables. Where
// every test is on what was there before the line, it is tested first and one of the two forms runs;
// otherwise the quick form runs first. The forms hold for every format: small ones are run exhaustively
// (test/unit/lower/speculation_test.cpp). docs/adr/0070.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "lower/guarded.h"
#include "lower/rewrite.h"
#include "lower/unroll.h"

namespace vyre::lower {

/// What is known of a float that is no NaN and not infinite, in exponents of two.
struct Reach {
  static constexpr int32_t kNothing = -100'000;
  static constexpr int32_t kAlways = 100'000;  // of zero
  int32_t away = kNothing;                     // |x| >= 2^away
  int32_t least = kNothing;                    // x is zero, or |x| >= 2^least
  int32_t multiple = kNothing;                 // x is a multiple of 2^multiple
};

/// Whether the operator has a form in lines on such a target.
bool has_line_form(const Inst& inst, const FloatPromises& floats, const GuardedFormat& format);

/// Loops that do nothing but add products of arrays to accumulators, and loops around them that store those
/// arrays. What the former rely on they do not change, so it is asked before them: lower/unroll.h writes them
/// in two forms.
DoubledLoops loops_to_double(const Kernel& kernel, const Target& target, const GuardedFormat& format);

/// Floats that stay from line to line, of which something is known.
struct KeptFloats {
  std::vector<std::optional<uint32_t>> group_of;  // by Slot, accumulators: those set in the same lines
  std::vector<size_t> members;                    // by group
  std::vector<bool> arrays;                       // by buffer: whether stores are tested
  bool has_array(const Inst& access) const { return access.target < arrays.size() && arrays[access.target]; }
};

class Speculation {
 public:
  /// Writes one instruction as if there were no lines.
  using Write = std::function<void(Value)>;

  /// Reads the kernel that `r` rewrites, whose floats of 32 bits are of that format. Cost: linear.
  Speculation(Rewriter& r, const GuardedFormat& format, Write write);

  /// Writes what the kernel begins with. To be called once, in its entry block.
  void begin();
  /// The next instruction of a block, in the order of the text: it is written, or kept for its line.
  void next(Value v);
  /// The beginning and the end of a block.
  void start(KBlock block) {
    if (active_) form_ = forms_[index(block)];
  }
  void end() {
    write_line();
    store_doubt();
  }

 private:
  /// A value that has to be zero or at least 2^least.
  struct Test {
    Value value;
    int32_t least;
  };
  using Values = std::set<Value>;
  /// Of a block in a doubled loop: lines are only quick, or only slow.
  enum class Form : uint8_t { Either, Quick, Slow };

  // Accumulators.
  bool is_accumulator(uint32_t slot) const { return kept_.group_of[slot].has_value(); }
  Value too_small(Value v);
  void doubt_accumulators(const std::vector<Value>& line);

  // Arrays.
  bool is_array(const Inst& access) const { return kept_.has_array(access); }
  RawAddress array_doubt() { return {.buffer = array_doubt_, .index = r_.constant(0)}; }
  void test_stored(const Inst& store);
  void store_doubt();

  // Doubled loops.
  void find_forms();
  void choose_form(Value choice);

  // What is known of values.
  Reach reach(Value v) const;
  Reach result_reach(const Inst& inst) const;
  void know(Value v, Reach reach);
  Values relied_on_by(const Inst& inst) const;

  // What an operator needs; the tests that are missing go to `tests`. False: no test can give it.
  bool need_least(Value v, int32_t least, std::vector<Test>& tests) const;
  bool need_multiple(Value v, int32_t multiple, std::vector<Test>& tests) const;
  bool need_product(Value a, Value b, int32_t Reach::* what, std::vector<Test>& tests) const;
  bool need(const Inst& inst, std::vector<Test>& tests) const;
  bool plan(Value v);
  Reach with(Value v, const std::vector<Test>& tests) const;
  void add_tests(const std::vector<Test>& tests);

  // Lines.
  bool takes(const Inst& inst) const;
  bool depends(const Inst& inst) const;
  bool is_light(const Inst& inst) const;
  void keep(Value v, bool is_chosen);
  void write_line();
  std::vector<bool> members() const;
  bool is_worth_it() const;
  bool can_test_first(const std::vector<Value>& line) const;
  void write_quickly(const std::vector<Value>& line, std::optional<Value>& doubt);
  void write_slowly(const std::vector<Value>& line);
  void test(std::optional<Value>& doubt);
  void test_kept(const Values& values, std::optional<Value>& doubt);
  void set_all(const std::vector<std::pair<Value, Variable>>& results);

  Rewriter& r_;
  const Kernel& k_;
  const GuardedFormat format_;
  const Write write_;
  const int32_t least_sum_;  // exact results of this exponent are not subnormal, and no rounding is in doubt
  const int32_t least_factor_;    // numbers of this exponent are factors of a sum's product without a test
  bool active_ = false;           // there is an operator to speculate about
  std::vector<uint32_t> uses_;    // by Value: how many operands it is
  std::vector<Value> first_set_;  // by Slot: in the order of the text
  KeptFloats kept_;
  std::vector<Variable> doubtful_;  // by group: not zero where a member may be too small
  std::vector<Form> forms_;         // by KBlock
  Form form_ = Form::Either;        // of the block at hand
  uint32_t array_doubt_ = 0;        // a buffer in workgroup memory
  std::optional<Value> stored_;     // not zero where something too small was stored, since it was asked last
  // Of the line at hand.
  std::vector<Value> line_;
  std::vector<bool> in_line_, chosen_;  // by Value: kept; to be speculated about
  std::vector<bool> set_in_line_;       // by Slot
  std::unordered_map<uint32_t, Reach> known_;
  std::unordered_map<uint32_t, Values> relies_;  // by Value: whose accumulators and arrays it is known by
  std::vector<Test> tests_;
  Values relied_on_;  // what reads accumulators and arrays
  size_t chosen_count_ = 0;
  bool sets_accumulator_ = false;
};

}  // namespace vyre::lower
