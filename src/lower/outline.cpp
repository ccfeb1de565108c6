#include "lower/outline.h"

#include <map>
#include <optional>

#include "lower/inst_info.h"
#include "lower/walk.h"

namespace vyre::lower {
namespace {

constexpr size_t kLeastLength = 32, kGreatestLength = 1 << 14;  // instructions
constexpr size_t kMostParameters = 8;
constexpr uint32_t kDeepest = 16;  // ifs in one another

/// What a block says, its own names for what it names taken away, and those names.
struct Form {
  std::vector<uint32_t> text;
  std::vector<Value> parameters;
  Slot result{};
  size_t length = 0;
};

class Reader {
 public:
  Reader(const Kernel& kernel, const std::vector<uint32_t>& slot_uses) : k_(kernel), slot_uses_(slot_uses) {}

  std::optional<Form> read(KBlock block) {
    if (!read(block, 0) || out_.length < kLeastLength) return std::nullopt;
    bool found = false;
    for (const auto& [slot, seen] : slots_) {
      if (seen.uses == slot_uses_[slot]) continue;  // of the block alone
      if (found || !seen.set_always || seen.got) return std::nullopt;
      found = true;
      out_.result = Slot{slot};
      out_.text.push_back(seen.number);
    }
    if (!found) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Seen {
    uint32_t number, uses = 0;
    bool set_always = false, got = false;
  };

  bool read(KBlock block, uint32_t depth) {
    if (depth > kDeepest) return false;
    for (const Value v : k_.block(block)) {
      if (++out_.length > kGreatestLength || !read(v, depth)) return false;
    }
    out_.text.push_back(uint32_t(kInstKindCount));  // the end of a block
    return true;
  }
  bool read(Value v, uint32_t depth) {
    const Inst& inst = k_[v];
    const bool has_slot = inst.kind == InstKind::Get || inst.kind == InstKind::Set;
    if (!has_slot && inst.kind != InstKind::Const && inst.kind != InstKind::Raw && inst.kind != InstKind::If)
      return false;
    const std::initializer_list<uint32_t> said = {uint32_t(inst.kind), uint32_t(inst.raw),
                                                  uint32_t(inst.type), inst.imm,
                                                  uint32_t(inst.orelse != kNoKBlock)};
    out_.text.insert(out_.text.end(), said);
    for (const Value operand : k_.args(inst)) {
      if (!read_operand(operand)) return false;
    }
    numbers_.emplace(index(v), uint32_t(numbers_.size()));
    if (has_slot && !read_slot(inst, depth)) return false;
    if (inst.kind != InstKind::If) return true;
    return read(inst.body, depth + 1) && (inst.orelse == kNoKBlock || read(inst.orelse, depth + 1));
  }
  bool read_operand(Value operand) {
    const auto [at, is_parameter] = numbers_.try_emplace(index(operand), uint32_t(numbers_.size()));
    out_.text.push_back(at->second);
    if (!is_parameter) return true;
    out_.parameters.push_back(operand);
    return out_.parameters.size() <= kMostParameters && k_[operand].type != spec::DataType::U64;
  }
  bool read_slot(const Inst& inst, uint32_t depth) {
    if (k_.slots[inst.target].type == spec::DataType::U64) return false;
    Seen& seen = slots_.try_emplace(inst.target, Seen{uint32_t(slots_.size())}).first->second;
    ++seen.uses;
    seen.got |= inst.kind == InstKind::Get;
    seen.set_always |= inst.kind == InstKind::Set && depth == 0;
    out_.text.push_back(seen.number);
    return true;
  }

  const Kernel& k_;
  const std::vector<uint32_t>& slot_uses_;  // by Slot: how many instructions name it
  std::unordered_map<uint32_t, uint32_t> numbers_;
  std::map<uint32_t, Seen> slots_;
  Form out_;
};

}  // namespace

Outlines outline(const Kernel& kernel) {
  Outlines out;
  std::vector<uint32_t> slot_uses(kernel.slots.size());
  for (const Inst& inst : kernel.insts) {
    if (inst.kind == InstKind::Get || inst.kind == InstKind::Set) ++slot_uses[inst.target];
  }
  std::map<std::vector<uint32_t>, std::vector<std::pair<KBlock, Form>>> forms;
  walk(kernel, kernel.entry, [&](Value v) {
    const Inst& inst = kernel[v];
    if (inst.kind != InstKind::If || inst.orelse != kNoKBlock) return;
    auto form = Reader(kernel, slot_uses).read(inst.body);
    if (!form) return;
    std::vector<uint32_t> text = std::move(form->text);
    forms[std::move(text)].emplace_back(inst.body, std::move(*form));
  });
  std::unordered_map<uint32_t, OutlinedCall> calls;
  std::vector<OutlinedFunction> functions;
  for (auto& [text, same] : forms) {
    if (same.size() < 2) continue;
    const Form& first = same.front().second;
    for (auto& [block, form] : same)
      calls.emplace(index(block), OutlinedCall{uint32_t(functions.size()), form.parameters, form.result});
    functions.push_back({same.front().first, first.parameters, first.result});
  }
  // The outermost ones: what is within is part of the function.
  std::map<uint32_t, uint32_t> numbers;
  walk(
      kernel, kernel.entry,
      [&](Value v) {
        const Inst& inst = kernel[v];
        if (inst.kind != InstKind::If) return true;
        const auto call = calls.find(index(inst.body));
        if (call == calls.end()) return true;
        const auto [number, fresh] =
            numbers.try_emplace(call->second.function, uint32_t(out.functions.size()));
        if (fresh) out.functions.push_back(functions[number->first]);
        call->second.function = number->second;
        out.calls.insert(*call);
        return false;
      },
      [](Value) {}, [](Value) {});
  return out;
}

}  // namespace vyre::lower
