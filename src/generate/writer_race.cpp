// A race on demand: two accesses of one element, made by two invocations with nothing between them that
// orders them.
//
// It stands where every invocation comes by, on a buffer that nothing else touches, so that the pair that is
// named is one whatever the rest of the program does.
#include "generate/program_writer.h"
#include "spec/ops.h"

namespace vyre::generate {

using spec::DataType;
using spec::Op;

void ProgramWriter::declare_race_buffer() {
  const bool local = options_.barriers && group_size_ >= 2 && choices_->chance(3);
  Buffer buffer{.discipline = Discipline::Race,
                .element = choices_->chance(2) ? any_element() : DataType::U32};
  if (local && buffer.element == DataType::Bytes) buffer.element = DataType::U32;
  buffer.workgroup = local;
  buffer.count = local ? group_size_ : total_;
  add_declaration(buffer, local ? spec::BufferAccess::Workgroup : spec::BufferAccess::ReadWrite, "x0");
}

/// The number in the dispatch of invocation `slot` of workgroup 0.
uint32_t ProgramWriter::number_of_slot(uint32_t slot) const {
  const auto& size = shape_.size;
  const uint32_t width = size[0] * shape_.groups.x, height = size[1] * shape_.groups.y;
  const uint32_t x = slot % size[0], y = slot / size[0] % size[1], z = slot / (size[0] * size[1]);
  return x + y * width + z * width * height;
}

void ProgramWriter::race() {
  uint32_t number = 0;
  while (buffers_[number].discipline != Discipline::Race) ++number;
  const Buffer& buffer = buffers_[number];
  const DataType type = buffer.value();
  // Invocations 0 and 1 of the dispatch, or of workgroup 0 where the memory is its own.
  race_ =
      Race{.buffer = number, .element = 0, .first = 0, .second = buffer.workgroup ? number_of_slot(1) : 1};
  const auto store = [&](ExprId at, ExprId value) { add_store(buffer, {{at}}, value); };
  const auto load = [&](ExprId at) {
    const ExprId value = add({.kind = ir::ExprKind::Load, .symbol = buffer.name}, {{at}});
    const Symbol name = fresh_name();
    bind(value, {.name = name, .type = type, .uniform = false, .assignable = false, .used = true});
  };
  // Numbers of several axes that have no name would take too many nodes.
  const Identity who = buffer.workgroup ? Identity::Slot : Identity::Own;
  const uint32_t kinds = !is_named(who) && !is_one_axis(who)   ? 1
                         : buffer.atomic() && options_.atomics ? 4
                                                               : 3;
  switch (choices_->below(kinds)) {
    case 0: {  // all write one element
      const ExprId at = word(0);
      store(at, expr(type, 3, false));
      return;
    }
    case 1: {  // one writes what all read
      const BlockId body = scope([&] {
        const ExprId at = word(0);
        store(at, expr(type, 2, false));
      });
      const ExprId is_first = apply(Op::Eq, {identity(who), word(0)});
      add_statement({.kind = ir::NodeKind::If, .body = body}, {is_first});
      return load(word(0));
    }
    case 2: {  // each writes its own and reads its neighbour's, with no barrier between
      race_->element = 1;
      const ExprId at = identity(who);
      store(at, expr(type, 2, false));
      return load(apply(Op::Add, {identity(who), word(1)}));
    }
    default: {  // atomics of all, and a plain write
      const ExprId at = word(0);
      const ExprId args[] = {at, word(1)};
      const ExprId value = atomic(Op::AtomicAdd, buffer, args);
      const Symbol name = fresh_name();
      bind(value, {.name = name, .type = type, .uniform = false, .assignable = false, .used = true});
      const ExprId plain = word(0);
      store(plain, literal(type));
      return;
    }
  }
}

}  // namespace vyre::generate
