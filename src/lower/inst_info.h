// What each kind of instruction is: one row a kind, for everything that goes over kernels.
//
// A pass asks for a fact of an instruction, where its result comes from and what it does, rather than for its
// kind by name. So a new kind is one row here, and the passes that only ask for facts know it.
#pragma once

#include "lower/kernel.h"
#include "spec/table.h"

namespace vyre::lower {

/// Where a result comes from.
enum class Source : uint8_t {
  None,        // there is none
  Literal,     // the kernel's text
  Dispatch,    // the dispatch, the same in all invocations of a workgroup
  Invocation,  // the invocation's place
  Slot,
  Operands,  // an operator; of a loop its variable, which its bounds say
  Memory,
  Atomic,  // memory too, in an order that nothing says
  Lanes,   // the operands of other invocations
};

/// What an instruction does beside its result.
enum class Effect : uint8_t { None, SetsSlot, Control, Returns, Waits, WritesMemory };

/// Builtin inputs: literals, lengths, ids and group counts, which a printer materialises once, in the entry
/// block, and which instructions reference. Nothing: the instruction computes its result where it stands, or
/// has none.
enum class BuiltinInput : uint8_t {
  Nothing,
  Literal,
  Length,
  InvocationId,
  WorkgroupId,
  LocalId,
  NumWorkgroups
};

struct InstInfo {
  Source source;
  Effect effect = Effect::None;
  BuiltinInput input = BuiltinInput::Nothing;
};

}  // namespace vyre::lower

template <>
struct vyre::spec::KeyCount<vyre::lower::InstKind> {
  static constexpr size_t value = vyre::lower::kInstKindCount;
};

namespace vyre::lower {

inline constexpr spec::Row<InstKind, InstInfo> kInstRows[] = {
    {InstKind::Const, {Source::Literal, Effect::None, BuiltinInput::Literal}},
    {InstKind::Len, {Source::Dispatch, Effect::None, BuiltinInput::Length}},
    {InstKind::InvocationId, {Source::Invocation, Effect::None, BuiltinInput::InvocationId}},
    {InstKind::WorkgroupId, {Source::Dispatch, Effect::None, BuiltinInput::WorkgroupId}},
    {InstKind::LocalId, {Source::Invocation, Effect::None, BuiltinInput::LocalId}},
    {InstKind::NumWorkgroups, {Source::Dispatch, Effect::None, BuiltinInput::NumWorkgroups}},
    {InstKind::Get, {Source::Slot}},
    {InstKind::Set, {Source::None, Effect::SetsSlot}},
    {InstKind::If, {Source::None, Effect::Control}},
    {InstKind::Loop, {Source::Operands, Effect::Control}},
    {InstKind::Return, {Source::None, Effect::Returns}},
    {InstKind::Barrier, {Source::None, Effect::Waits}},
    {InstKind::Intrinsic, {Source::Lanes}},
    {InstKind::Apply, {Source::Operands}},
    {InstKind::Load, {Source::Memory}},
    {InstKind::Store, {Source::None, Effect::WritesMemory}},
    {InstKind::Atomic, {Source::Atomic, Effect::WritesMemory}},
    {InstKind::Raw, {Source::Operands}},
    {InstKind::RawLoad, {Source::Memory}},
    {InstKind::RawStore, {Source::None, Effect::WritesMemory}},
    {InstKind::RawAtomic, {Source::Atomic, Effect::WritesMemory}},
};
inline constexpr spec::TotalTable<kInstRows> kInstInfo;
constexpr const InstInfo& info(InstKind kind) { return kInstInfo[kind]; }

constexpr bool has_result(InstKind kind) { return info(kind).source != Source::None; }
/// Whether a result has a number in texts. Constants have none: they stand where they are used.
constexpr bool has_number(InstKind kind) { return has_result(kind) && info(kind).source != Source::Literal; }
constexpr bool writes_memory(InstKind kind) { return info(kind).effect == Effect::WritesMemory; }
/// Whether it is seen from outside its invocation, or ends that.
constexpr bool has_effect(InstKind kind) {
  return writes_memory(kind) || info(kind).effect == Effect::Waits || info(kind).effect == Effect::Returns;
}
constexpr BuiltinInput given_by(InstKind kind) { return info(kind).input; }

/// The first instruction of a kind, or null. In Kernel::insts, so in no particular order.
const Inst* find(const Kernel& kernel, InstKind kind);
/// Which ids and group counts some instruction references, by axis.
struct IdUses {
  std::array<bool, 3> invocation{}, group{}, local{}, num_groups{};
};
/// `live`: by Value, which instructions count; empty: all.
IdUses used_ids(const Kernel& kernel, const std::vector<bool>& live = {});
/// By buffer: whether some instruction writes to it.
std::vector<bool> written_buffers(const Kernel& kernel);

}  // namespace vyre::lower
