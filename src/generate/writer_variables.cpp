// Variables, and how what they hold is made to show: a fault that does not show is not found.
//
// A large program collects every variable in one, `digest`, when its scope ends, and stores that where its
// invocation can be seen. A small one has no nodes to spare for this: a variable that no expression has used
// when its scope ends is stored, where there is a buffer of its type.
#include <fmt/format.h>

#include "generate/program_writer.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using spec::DataType;
using spec::Op;

constexpr DataType kValueTypes[] = {DataType::U32,     DataType::I32,     DataType::U64,  DataType::U128,
                                    DataType::Vec2U32, DataType::Vec4U32, DataType::Bool, DataType::F16,
                                    DataType::BF16,    DataType::F32};
constexpr std::string_view kVariableNames[] = {"v0", "v1", "v2",  "v3",  "v4",  "v5",  "v6",  "v7",
                                               "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"};
constexpr uint32_t kDigestPrime = 0x01000193;

/// How a word of a value is had.
enum class Way : uint8_t { Itself, Cast, Bitcast, Component, BitcastComponent };
constexpr Way way(DataType type) {
  switch (spec::info(type).klass) {
    case spec::TypeClass::Integer:
      if (spec::value_words(type) > 1) return Way::BitcastComponent;
      return type == DataType::U32 ? Way::Itself : Way::Cast;
    case spec::TypeClass::Truth: return Way::Cast;
    case spec::TypeClass::Float: return Way::Bitcast;
    case spec::TypeClass::Vector: return Way::Component;
    case spec::TypeClass::Small:
    case spec::TypeClass::Memory: break;  // no value
  }
  return Way::Itself;
}
constexpr uint32_t word_cost(DataType type) {
  switch (way(type)) {
    case Way::Itself: return 1;
    case Way::Cast:
    case Way::Bitcast:
    case Way::Component: return 2;
    case Way::BitcastComponent: return 3;
  }
  return 3;
}

}  // namespace

DataType ProgramWriter::any_type() {
  return choices_->chance(4) ? pick(kValueTypes) : palette_[choices_->below(3)];
}

ir::Symbol ProgramWriter::fresh_name() {
  // Siblings may reuse a name.
  if (!retired_.empty() && choices_->chance(3)) {
    const Symbol name = retired_.back();
    retired_.pop_back();
    return name;
  }
  const uint32_t number = names_++;
  return code_->intern(number < std::size(kVariableNames) ? kVariableNames[number]
                                                          : fmt::format("v{}", number));
}

/// Lets a variable have a value. One that counts as used already needs not be shown.
void ProgramWriter::bind(ExprId value, Variable variable) {
  add_statement({.kind = ir::NodeKind::Let, .symbol = variable.name}, {value});
  declare_variable(variable);
}

void ProgramWriter::declare_variable(Variable variable) {
  if (!variable.used) reserved_ += variable.reserved = show_cost(variable.type);
  variables_.push_back(variable);
}

/// Where a small program stores an unused value, or null.
const ProgramWriter::Buffer* ProgramWriter::window(DataType type) const {
  for (const Buffer& b : buffers_) {
    if (b.discipline == Discipline::Own && b.value() == type) return &b;
  }
  return nullptr;
}

/// Nodes that it takes to show a value of this type.
uint32_t ProgramWriter::show_cost(DataType type) const {
  if (digests_) return 2 + spec::value_words(type) * (3 + word_cost(type));
  const Buffer* buffer = window(type);
  return buffer == nullptr ? 0 : 2 + buffer->indices();
}

void ProgramWriter::show(const Variable& variable) {
  if (digests_) return absorb(variable);
  const Buffer& buffer = *window(variable.type);
  std::array<ExprId, 4> at;
  for (uint32_t i = 0; i < buffer.indices(); ++i) {
    at[i] = buffer.rank == 0 || i == buffer.own_axis ? identity(Identity::Own) : word(0);
  }
  add_store(buffer, {at.data(), buffer.indices()}, var(variable.name));
}

/// digest = (... (digest ^ first word) * prime ... ^ last word) * prime, as FNV-1a does it.
void ProgramWriter::absorb(const Variable& variable) {
  ExprId sum = var(digest_);
  for (uint32_t i = 0; i < spec::value_words(variable.type); ++i) {
    const ExprId mixed = apply(Op::BitXor, {sum, word_of(variable, i)});
    sum = apply(Op::Mul, {mixed, word(kDigestPrime)});
  }
  add_statement({.kind = ir::NodeKind::Assign, .symbol = digest_}, {sum});
}

ir::ExprId ProgramWriter::word_of(const Variable& variable, uint32_t number) {
  const auto component = [&](ExprId vector) {
    return add({.kind = ir::ExprKind::Apply, .op = Op::Component, .immediate = number}, {{vector}});
  };
  const ExprId value = var(variable.name);
  switch (way(variable.type)) {
    case Way::Itself: return value;
    case Way::Cast: return convert(Op::Cast, DataType::U32, value);
    case Way::Bitcast: return convert(Op::Bitcast, DataType::U32, value);
    case Way::Component: return component(value);
    case Way::BitcastComponent: {
      const DataType vector = variable.type == DataType::U64 ? DataType::Vec2U32 : DataType::Vec4U32;
      return component(convert(Op::Bitcast, vector, value));
    }
  }
  return value;
}

/// To the invocation's own element of the first buffer, which is a u32 one of its own.
void ProgramWriter::store_digest() {
  const ExprId at = identity(Identity::Own);
  add_store(buffers_.front(), {{at}}, var(digest_));
}

/// Ends the scope of the variables from number `first` on.
void ProgramWriter::leave(size_t first) {
  for (size_t i = first; i < variables_.size(); ++i) {
    if (variables_[i].reserved == 0) continue;
    release(variables_[i]);
    if (!returned_) show(variables_[i]);
  }
  returned_ = false;
  while (variables_.size() > first) {
    retired_.push_back(variables_.back().name);
    variables_.pop_back();
  }
}

}  // namespace vyre::generate
