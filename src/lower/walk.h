// The one walk over a kernel, in the order of its text, and what is known of places in it.
//
// Blocks nest as deep as a program's do, which comes from input, so the walk keeps a stack of its own. Where
// order does not matter, a pass goes over Kernel::insts instead and asks Nesting where an instruction stands.
#pragma once

#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// Visits all instructions of a block and of those within it in the order of the text: an instruction, what
/// its body holds, what its other block holds. visit(v) says whether to go into v's blocks;
/// between(v) is called behind the body of an If that has another block, leave(v) behind all that v holds.
template <typename Visit, typename Between, typename Leave>
void walk(const Kernel& kernel, KBlock root, Visit&& visit, Between&& between, Leave&& leave) {
  struct Open {
    KBlock block;
    size_t next = 0;
    Value owner{};  // the If or Loop; none of the root
    bool is_body = false;
  };
  std::vector<Open> open = {{root}};
  while (true) {
    Open& top = open.back();
    const auto& block = kernel.block(top.block);
    if (top.next == block.size()) {
      const Open done = top;
      open.pop_back();
      if (open.empty()) return;
      const KBlock orelse = kernel[done.owner].orelse;
      if (done.is_body && orelse != kNoKBlock) {
        between(done.owner);
        open.push_back({orelse, 0, done.owner});
      } else {
        leave(done.owner);
      }
      continue;
    }
    const Value v = block[top.next++];
    if (visit(v) && kernel[v].body != kNoKBlock) {
      open.push_back({kernel[v].body, 0, v, /*is_body=*/true});
    } else {
      leave(v);
    }
  }
}
/// All of them, with nothing to do in between.
template <typename Visit>
void walk(const Kernel& kernel, KBlock root, Visit&& visit) {
  walk(kernel, root, [&](Value v) { return visit(v), true; }, [](Value) {}, [](Value) {});
}

inline constexpr Value kNoValue{UINT32_MAX};

/// Where every instruction stands.
struct Nesting {
  explicit Nesting(const Kernel& kernel);

  /// The If or Loop around an instruction, or kNoValue.
  Value around(Value v) const {
    const KBlock b = holder[index(v)];
    return b == kNoKBlock ? kNoValue : owner[index(b)];
  }
  /// The instruction of `definition`'s block that holds `user`, or is it. Domain: there is one.
  Value lift(Value user, Value definition) const {
    while (holder[index(user)] != holder[index(definition)]) user = around(user);
    return user;
  }

  std::vector<KBlock> holder;      // by Value: its block; kNoKBlock: none
  std::vector<uint32_t> position;  // by Value: where in that block
  std::vector<Value> owner;        // by KBlock: the If or Loop that it belongs to, or kNoValue
};

inline constexpr uint32_t kUnnumbered = UINT32_MAX;

/// The numbers by which people know the values of a kernel: %n of print(), and what printers call them.
/// By Value, in the order of the text; kUnnumbered for what has none and for what no block holds. So they do
/// not depend on the order of Kernel::insts. Cost: linear.
std::vector<uint32_t> value_numbers(const Kernel& kernel);

/// By KBlock: whether every way through it returns. A loop may have no turn, so what is in it does not count.
std::vector<bool> leaving_blocks(const Kernel& kernel);
/// By KBlock: whether some way through it returns.
std::vector<bool> returning_blocks(const Kernel& kernel);
/// Whether nothing behind the instruction runs in its block. `leaving`: as above.
bool leaves(const Inst& inst, const std::vector<bool>& leaving);

}  // namespace vyre::lower
