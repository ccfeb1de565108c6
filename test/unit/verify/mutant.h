// Backends that compile one operation wrong: the native one, given another composition of it.
#pragma once

#include <deque>

#include "backend/native/native.h"
#include "ops/registry.h"
#include "verify/device_values.h"

namespace vyre::verify {

/// Gives the answer with its lowest bit turned where the low byte of the first operand is 7, in one of 256
/// cases.
inline constexpr uint32_t kMutantByte = 7;
inline bool is_wrong(uint32_t first_operand) { return (first_operand & 0xff) == kMutantByte; }

/// The native backend, which takes `body` for the operation that it has the id of.
class WrongNative : public backend::Backend {
 public:
  WrongNative(std::string name, const spec::OpTable& ops, ir::Function body)
      : name_(std::move(name)), body_(std::move(body)) {
    for (const spec::OpDef* def : ops.all()) {
      spec::OpDef mine = *def;
      if (mine.id == body_.id) mine.body = &body_;
      table_.add(std::move(mine));
    }
  }
  backend::Identity identity() const override { return {name_, "", "", ""}; }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    auto mutated = check::check(program.program(), table_);
    if (!mutated) return std::unexpected(mutated.error().front());
    return inner_->compile(*mutated);
  }

 private:
  const std::string name_;
  const ir::Function body_;
  spec::OpTable table_;
  std::unique_ptr<backend::Backend> inner_ = *backend::make_native();
};

class Mutant final : public WrongNative {
 public:
  explicit Mutant(std::string_view id) : WrongNative("mutant", value_table(), body_of(id)) {}

 private:
  static ir::Function body_of(std::string_view id) {
    const ops::Operation& operation = *ops::find_operation(id);
    ir::FunctionBuilder f{std::string(id)};
    std::vector<ir::Ex> operands;
    for (size_t k = 0; k < operation.signature.inputs.size(); ++k)
      operands.push_back(f.parameter(operation.parameter_names[k], operation.signature.inputs[k]));
    const ir::Ex right = f.let("right", operation.compose(f, operands));
    const ir::Ex wrong = f.select((operands[0] & 0xff) == kMutantByte, right ^ 1, right);
    return f.finish(wrong, operation.signature.output);
  }
};

}  // namespace vyre::verify
