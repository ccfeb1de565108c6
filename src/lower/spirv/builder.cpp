#include "lower/spirv/builder.h"
#include "spec/ops.h"

#include <cstring>
#include <utility>

namespace vyre::lower {
namespace {

constexpr uint32_t kVersion = 0x00010500;  // 1.5, which Vulkan 1.2 reads
constexpr uint32_t kGenerator = 0;         // none registered

uint32_t first_word(spv::Op op, size_t words) { return uint32_t(words) << 16 | static_cast<uint32_t>(op); }

/// UTF-8 in words, least significant byte first, ended by at least one zero.
void append_text(std::vector<uint32_t>& to, std::string_view text) {
  const size_t first = to.size();
  to.resize(first + text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    to[first + i / 4] |= uint32_t(static_cast<unsigned char>(text[i])) << (i % 4 * 8);
  }
}

/// An instruction that ends in a text, and may have ids behind it.
void append_named(std::vector<uint32_t>& to, spv::Op op, SpirvOperands before, std::string_view text,
                  std::span<const SpirvId> behind = {}) {
  const size_t first = to.size();
  to.push_back(0);
  for (const SpirvOperand o : before) to.push_back(o.word);
  append_text(to, text);
  for (const SpirvId id : behind) to.push_back(index(id));
  to[first] = first_word(op, to.size() - first);
}

}  // namespace

void SpirvBuilder::append(Words& to, spv::Op op, SpirvOperands operands) {
  to.push_back(first_word(op, operands.size() + 1));
  for (const SpirvOperand o : operands) to.push_back(o.word);
}

void SpirvBuilder::execution_mode(spv::ExecutionMode mode, SpirvOperands operands) {
  modes_.push_back(first_word(spv::Op::OpExecutionMode, operands.size() + 3));
  modes_.insert(modes_.end(), {index(main_), static_cast<uint32_t>(mode)});
  for (const SpirvOperand o : operands) modes_.push_back(o.word);
}

void SpirvBuilder::name(Id id, std::string_view name) { append_named(names_, spv::Op::OpName, {id}, name); }

void SpirvBuilder::decorate(Id id, spv::Decoration decoration, SpirvOperands operands) {
  decorations_.push_back(first_word(spv::Op::OpDecorate, operands.size() + 3));
  decorations_.insert(decorations_.end(), {index(id), static_cast<uint32_t>(decoration)});
  for (const SpirvOperand o : operands) decorations_.push_back(o.word);
}

void SpirvBuilder::decorate_member(Id type, uint32_t member, spv::Decoration decoration,
                                   SpirvOperands operands) {
  decorations_.push_back(first_word(spv::Op::OpMemberDecorate, operands.size() + 4));
  decorations_.insert(decorations_.end(), {index(type), member, static_cast<uint32_t>(decoration)});
  for (const SpirvOperand o : operands) decorations_.push_back(o.word);
}

SpirvId SpirvBuilder::type(spv::Op op, SpirvOperands operands) {
  Words key = {static_cast<uint32_t>(op)};
  for (const SpirvOperand o : operands) key.push_back(o.word);
  const auto [at, added] = unique_.try_emplace(std::move(key));
  if (added) at->second = own_type(op, operands);
  return at->second;
}

SpirvId SpirvBuilder::own_type(spv::Op op, SpirvOperands operands) {
  const Id id = fresh();
  globals_.insert(globals_.end(), {first_word(op, operands.size() + 2), index(id)});
  for (const SpirvOperand o : operands) globals_.push_back(o.word);
  return id;
}

SpirvId SpirvBuilder::integer(uint32_t bits) {
  if (bits == 64) capability(spv::Capability::Int64);
  return type(spv::Op::OpTypeInt, {bits, /*signed=*/0u});
}

SpirvId SpirvBuilder::real(uint32_t bits) {
  if (bits == 16) capability(spv::Capability::Float16);
  if (bits == 64) capability(spv::Capability::Float64);
  real_widths_.insert(bits);
  return type(spv::Op::OpTypeFloat, {bits});
}

SpirvId SpirvBuilder::constant(Id type, SpirvOperands bits) {
  Words key = {static_cast<uint32_t>(spv::Op::OpConstant), index(type)};
  for (const SpirvOperand o : bits) key.push_back(o.word);
  const auto [at, added] = unique_.try_emplace(std::move(key));
  if (!added) return at->second;
  at->second = fresh();
  globals_.insert(globals_.end(),
                  {first_word(spv::Op::OpConstant, bits.size() + 3), index(type), index(at->second)});
  for (const SpirvOperand o : bits) globals_.push_back(o.word);
  return at->second;
}

SpirvId SpirvBuilder::number(uint32_t value) {
  const auto [at, added] = numbers_.try_emplace(value);
  if (added) at->second = constant(word(), {value});
  return at->second;
}

SpirvId SpirvBuilder::boolean(bool value) {
  const spv::Op op = value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse;
  const auto [at, added] = unique_.try_emplace({static_cast<uint32_t>(op)});
  if (added) {
    const Id type = truth();
    at->second = fresh();
    append(globals_, op, {type, at->second});
  }
  return at->second;
}

SpirvId SpirvBuilder::null(Id of) {
  const auto [at, added] = unique_.try_emplace({static_cast<uint32_t>(spv::Op::OpConstantNull), index(of)});
  if (added) {
    at->second = fresh();
    append(globals_, spv::Op::OpConstantNull, {of, at->second});
  }
  return at->second;
}

SpirvId SpirvBuilder::global(spv::StorageClass storage, Id to, Id initial) {
  const Id type = pointer(storage, to);
  const Id id = fresh();
  if (initial == Id{})
    append(globals_, spv::Op::OpVariable, {type, id, storage});
  else
    append(globals_, spv::Op::OpVariable, {type, id, storage, initial});
  interface_.push_back(id);
  return id;
}

SpirvId SpirvBuilder::variable(Id to) {
  const Id type = pointer(spv::StorageClass::Function, to);
  const Id id = fresh();
  append(variables_, spv::Op::OpVariable, {type, id, spv::StorageClass::Function});
  return id;
}

void SpirvBuilder::emit_as(Id result, spv::Op op, Id type, SpirvOperands operands) {
  code_.insert(code_.end(), {first_word(op, operands.size() + 3), index(type), index(result)});
  for (const SpirvOperand o : operands) code_.push_back(o.word);
}

SpirvId SpirvBuilder::emit(spv::Op op, Id type, SpirvOperands operands) {
  const Id result = fresh();
  emit_as(result, op, type, operands);
  return result;
}

void SpirvBuilder::emit(spv::Op op, SpirvOperands operands) { append(code_, op, operands); }

void SpirvBuilder::label(Id label) { append(code_, spv::Op::OpLabel, {label}); }

SpirvId SpirvBuilder::strict(Id result) {
  if (!strict_by_default_) decorate(result, spv::Decoration::NoContraction);
  return result;
}

void SpirvBuilder::say_strict_by_default() {
  const std::set<uint32_t> widths = real_widths_;
  if (widths.empty()) return;
  capability(kFloatControls2);
  const Id no_flags = number(0);
  for (const uint32_t bits : widths) {
    append(modes_, spv::Op::OpExecutionModeId, {main_, kFastMathDefault, real(bits), no_flags});
  }
}

SpirvId SpirvBuilder::arithmetic(spv::Op op, Id type, SpirvOperands operands) {
  return strict(emit(op, type, operands));
}

SpirvId SpirvBuilder::glsl() {
  if (glsl_ == Id{}) glsl_ = fresh();
  return glsl_;
}

SpirvId SpirvBuilder::function(GLSLstd450 function, Id type, SpirvOperands operands) {
  const Id library = glsl();
  const Id result = fresh();
  code_.insert(code_.end(), {first_word(spv::Op::OpExtInst, operands.size() + 5), index(type), index(result),
                             index(library), static_cast<uint32_t>(function)});
  for (const SpirvOperand o : operands) code_.push_back(o.word);
  return result;
}

SpirvId SpirvBuilder::arithmetic(GLSLstd450 function, Id type, SpirvOperands operands) {
  return strict(this->function(function, type, operands));
}

// Not to be put in place of its calls: it is called where that hardly ever happens.
SpirvBuilder::Function SpirvBuilder::begin_function(std::span<Id> parameters) {
  const Id gives = word();
  Words key = {static_cast<uint32_t>(spv::Op::OpTypeFunction), index(gives)};
  key.insert(key.end(), parameters.size(), index(gives));
  const auto [at, added] = unique_.try_emplace(std::move(key));
  if (added) {
    at->second = fresh();
    globals_.insert(globals_.end(), {first_word(spv::Op::OpTypeFunction, parameters.size() + 3),
                                     index(at->second), index(gives)});
    globals_.insert(globals_.end(), parameters.size(), index(gives));
  }
  const Function out{fresh(), fresh()};
  outer_variables_ = std::exchange(variables_, {});
  outer_code_ = std::exchange(code_, {});
  append(head_, spv::Op::OpFunction, {gives, out.id, spv::FunctionControlMask::DontInline, at->second});
  for (Id& parameter : parameters) {
    parameter = fresh();
    append(head_, spv::Op::OpFunctionParameter, {gives, parameter});
  }
  append(head_, spv::Op::OpLabel, {out.label});
  return out;
}

void SpirvBuilder::end_function(Id result) {
  append(code_, spv::Op::OpReturnValue, {result});
  append(code_, spv::Op::OpFunctionEnd, {});
  for (Words* part : {&head_, &variables_, &code_}) {
    functions_.insert(functions_.end(), part->begin(), part->end());
    part->clear();
  }
  variables_ = std::move(outer_variables_);
  code_ = std::move(outer_code_);
}

SpirvId SpirvBuilder::call(Id function, std::span<const Id> arguments) {
  const Id result = fresh();
  code_.insert(code_.end(), {first_word(spv::Op::OpFunctionCall, arguments.size() + 4), index(word()),
                             index(result), index(function)});
  for (const Id argument : arguments) code_.push_back(index(argument));
  return result;
}

std::vector<uint32_t> SpirvBuilder::finish(std::string_view entry) {
  if (strict_by_default_) say_strict_by_default();
  const Id returns = nothing();
  const Id signature = type(spv::Op::OpTypeFunction, {returns});

  Words out = {spv::MagicNumber, kVersion, kGenerator, bound_, /*schema=*/0};
  for (const spv::Capability c : capabilities_) append(out, spv::Op::OpCapability, {c});
  if (has(kFloatControls2)) append_named(out, spv::Op::OpExtension, {}, kFloatControls2Extension);
  if (glsl_ != Id{}) append_named(out, spv::Op::OpExtInstImport, {glsl_}, "GLSL.std.450");
  append(out, spv::Op::OpMemoryModel, {spv::AddressingModel::Logical, memory_model_});
  append_named(out, spv::Op::OpEntryPoint, {spv::ExecutionModel::GLCompute, main_}, entry, interface_);
  for (const Words* part : {&modes_, &names_, &decorations_, &globals_}) {
    out.insert(out.end(), part->begin(), part->end());
  }
  append(out, spv::Op::OpFunction, {returns, main_, spv::FunctionControlMask::MaskNone, signature});
  append(out, spv::Op::OpLabel, {first_});
  for (const Words* part : {&variables_, &code_}) out.insert(out.end(), part->begin(), part->end());
  append(out, spv::Op::OpFunctionEnd, {});
  out.insert(out.end(), functions_.begin(), functions_.end());
  return out;
}

}  // namespace vyre::lower
