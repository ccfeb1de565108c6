// Backends with a planted fault: the kernel evaluator over a kernel in which some instruction was made wrong.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "backend/backend.h"
#include "layout/dispatch.h"
#include "lower/evaluate.h"
#include "lower/kernel.h"
#include "spec/ops.h"

namespace vyre::host {

using lower::Inst;
using lower::InstKind;
using lower::Kernel;
using lower::Value;

/// Plants faults into the blocks of a kernel.
class Planter {
 public:
  explicit Planter(Kernel& kernel) : kernel_(kernel) {}

  /// The result of `op` at `type` is another when its operands are these (words; wide ones by their lowest):
  /// then it is `wrong`.
  void wrong_result(spec::Op op, spec::DataType type, std::vector<uint32_t> operands, uint32_t wrong) {
    each([&](Value v, std::vector<Value>& block) {
      const Inst inst = kernel_[v];
      if (inst.kind != InstKind::Apply || inst.op != op || inst.operand_type != type)
        return block.push_back(v);
      const std::vector<Value> args(kernel_.args(inst).begin(), kernel_.args(inst).end());
      const Value right = put(block, inst, args);
      Value when = constant(block, spec::DataType::Bool, 1);
      for (size_t k = 0; k < operands.size(); ++k) {
        const Value same = equal(block, args[k], operands[k]);
        when = put(block,
                   {.kind = InstKind::Apply,
                    .op = spec::Op::And,
                    .type = spec::DataType::Bool,
                    .operand_type = spec::DataType::Bool},
                   {when, same});
      }
      const Value bad = constant(block, inst.type, wrong);
      become(v,
             {.kind = InstKind::Apply, .op = spec::Op::Select, .type = inst.type, .operand_type = inst.type},
             {when, bad, right});
      block.push_back(v);
    });
  }

  /// Operand `which` of instructions of a kind, an u32, is `wrong` instead of `right`.
  void wrong_operand(InstKind kind, uint32_t which, uint32_t right, uint32_t wrong) {
    each([&](Value v, std::vector<Value>& block) {
      const Inst inst = kernel_[v];
      std::vector<Value> args(kernel_.args(inst).begin(), kernel_.args(inst).end());
      if (inst.kind != kind || kernel_[args[which]].type != spec::DataType::U32) return block.push_back(v);
      const Value when = equal(block, args[which], right);
      const Value bad = constant(block, spec::DataType::U32, wrong);
      args[which] = put(block,
                        {.kind = InstKind::Apply,
                         .op = spec::Op::Select,
                         .type = spec::DataType::U32,
                         .operand_type = spec::DataType::U32},
                        {when, bad, args[which]});
      become(v, inst, args);
      block.push_back(v);
    });
  }

 private:
  void each(const std::function<void(Value, std::vector<Value>&)>& visit) {
    for (size_t b = 0; b < kernel_.blocks.size(); ++b) {
      std::vector<Value> out;
      const std::vector<Value> in = kernel_.blocks[b];
      for (const Value v : in) visit(v, out);
      kernel_.blocks[b] = std::move(out);
    }
  }
  Value put(std::vector<Value>& block, const Inst& inst, const std::vector<Value>& args) {
    block.push_back(kernel_.add(inst, args));
    return block.back();
  }
  /// Gives an instruction that others use another meaning.
  void become(Value v, const Inst& inst, const std::vector<Value>& args) {
    const Span origin = kernel_[v].origin;
    const Value fresh = kernel_.add(inst, args);
    kernel_.insts[index(v)] = kernel_.insts[index(fresh)];
    kernel_.insts[index(v)].origin = origin;
  }
  Value constant(std::vector<Value>& block, spec::DataType type, uint32_t bits) {
    Inst inst{.kind = InstKind::Const, .type = type, .imm = bits};
    if (spec::value_words(type) > 1) {
      inst.imm = uint32_t(kernel_.wide.size());
      kernel_.wide.push_back({bits, 0, 0, 0});
    }
    return put(block, inst, {});
  }
  Value equal(std::vector<Value>& block, Value value, uint32_t bits) {
    const spec::DataType type = kernel_[value].type;
    const Value other = constant(block, type, bits);
    return put(
        block,
        {.kind = InstKind::Apply, .op = spec::Op::Eq, .type = spec::DataType::Bool, .operand_type = type},
        {value, other});
  }

  Kernel& kernel_;
};

class WrongBackend final : public backend::Backend {
 public:
  using Plant = std::function<void(Planter&)>;
  /// `allowed` refuses programs, where it is given.
  explicit WrongBackend(Plant plant, std::function<Result<void>(const check::Checked&)> allowed = {})
      : plant_(std::move(plant)), allowed_(std::move(allowed)) {}

  backend::Identity identity() const override { return {"wrong", "none", "none", "0"}; }
  backend::Limits limits() const override { return {}; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    if (allowed_) VYRE_CHECK(allowed_(program));
    Kernel kernel = lower::build(program);
    Planter planter(kernel);
    plant_(planter);
    return std::make_unique<Pipeline>(program, std::move(kernel));
  }

 private:
  class Pipeline final : public backend::Pipeline {
   public:
    Pipeline(check::Checked program, Kernel kernel)
        : program_(std::move(program)), kernel_(std::move(kernel)) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      VYRE_TRY(bindings, layout::bind(program_, host, groups));
      return lower::evaluate(kernel_, bindings, groups, {.seed = 3});
    }

   private:
    check::Checked program_;
    Kernel kernel_;
  };
  Plant plant_;
  std::function<Result<void>(const check::Checked&)> allowed_;
};

}  // namespace vyre::host
