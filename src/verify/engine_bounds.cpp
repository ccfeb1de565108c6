#include "verify/engine_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "ops/operation.h"
#include "ref/eval.h"
#include "spec/ops.h"
#include "text/text.h"

namespace vyre::verify {
namespace {

using ir::ExprKind;
using spec::DataType;
using spec::Form;
using spec::Op;

constexpr std::string_view kPipelineName = "declared_bounds";

/// The text with a pipeline that has the declared bounds as lengths of its scratch: so they are host
/// expressions that every rule holds for.
std::string with_bounds(std::string_view text, std::string_view dispatches, std::string_view scratch_bytes,
                        std::string_view turns) {
  constexpr std::string_view kMain = "pipeline main(";
  const size_t begin = text.find(kMain) + kMain.size();
  const std::string_view parameters = text.substr(begin, text.find(')', begin) - begin);
  return fmt::format(
      "{}\npipeline {}({}) {{ scratch most_dispatches: u32[{}]; scratch most_bytes: u32[{}]; "
      "scratch most_turns: u32[{}]; }}\n",
      text, kPipelineName, parameters, dispatches, scratch_bytes, turns);
}

ir::ExprId length_of(const ir::Pipeline& pipeline, size_t scratch) {
  return pipeline.exprs(pipeline.commands[scratch].exprs)[0];
}

/// A host expression as one text, whatever its names stand for.
std::string canonical(const ir::Pipeline& pipeline, ir::ExprId id,
                      const std::map<ir::Symbol, ir::ExprId>& lets) {
  const ir::Expr& e = pipeline.code[id];
  if (const auto let = lets.find(e.symbol); e.kind == ExprKind::Var && let != lets.end())
    return canonical(pipeline, let->second, lets);
  std::string out = fmt::format("{} {} {} {} {} {}(", int(e.kind), int(e.op), int(e.type), int(e.mode),
                                e.symbol == ir::kNoSymbol ? "" : pipeline.code.name(e.symbol), e.immediate);
  for (const ir::ExprId operand : pipeline.code.args(e)) out += canonical(pipeline, operand, lets) + ",";
  return out + ")";
}

Diag no_value(std::string_view why) {
  return make_diag(DiagCode::B003, Span::none(), fmt::format("a declared bound of the engine {}", why),
                   "its parts are numbers from 0 to 2^64 - 1 (src/library/engines.def)");
}

/// Evaluates host expressions as arithmetic on numbers.
class Evaluation {
 public:
  Evaluation(const check::CheckedModule& module, const check::CheckedPipeline& pipeline,
             std::span<const ref::PlanParameter> parameters)
      : module_(module), pipeline_(pipeline), parameters_(parameters) {}

  Result<uint64_t> of(ir::ExprId id) const {
    return value({pipeline_.pipeline->code, pipeline_.resolution, {}}, id);
  }

 private:
  /// The pipeline's expressions, or those of an operation that is called, with its parameters.
  struct Scope {
    const ir::Code& code;
    const check::Resolution& resolution;
    std::vector<uint64_t> variables;
  };

  uint64_t length(check::BufferId buffer) const {
    return parameters_[check::index(buffer)].bytes / spec::info(pipeline_.element(buffer)).bytes;
  }

  Result<uint64_t> value(const Scope& scope, ir::ExprId id) const {
    const ir::Expr& e = scope.code[id];
    std::vector<uint64_t> x;
    for (const ir::ExprId operand : scope.code.args(e)) {
      VYRE_TRY(one, value(scope, operand));
      x.push_back(one);
    }
    if (e.kind == ExprKind::Literal) return uint64_t{scope.code.literal_bits(e)[0]};
    if (e.kind == ExprKind::Var) return scope.variables.at(check::index(scope.resolution.variable(id)));
    if (e.kind == ExprKind::BufLen) return length(scope.resolution.buffer(id));
    if (e.kind == ExprKind::Load) {
      const check::BufferId buffer = scope.resolution.buffer(id);
      const auto held = parameters_[check::index(buffer)].uniform;
      return uint64_t{x[0] < length(buffer) ? load_u32(held.data() + size_t(x[0]) * 4) : 0};
    }
    if (e.kind != ExprKind::Apply) return std::unexpected(no_value("is no host expression"));
    if (spec::form_of(e.op) == Form::Call) return call(*scope.resolution.callee(id), std::move(x));
    return apply(e.op, x);
  }

  Result<uint64_t> call(const spec::OpDef& def, std::vector<uint64_t> operands) const {
    const check::CheckedFunction& callee = module_.function(def);
    if (!callee.function->code.block(callee.function->body).empty())
      return std::unexpected(no_value(fmt::format("calls {}, which is no expression", def.id)));
    return value({callee.function->code, callee.resolution, std::move(operands)}, callee.function->result);
  }

  static Result<uint64_t> apply(Op op, std::span<const uint64_t> x) {
    uint64_t out = 0;
    if (op == Op::Add || op == Op::Mul) {
      const bool over =
          op == Op::Add ? __builtin_add_overflow(x[0], x[1], &out) : __builtin_mul_overflow(x[0], x[1], &out);
      if (over) return std::unexpected(no_value(fmt::format("is 2^64 or more: of {} and {}", x[0], x[1])));
      return out;
    }
    if (op == Op::Sub && x[0] < x[1])
      return std::unexpected(no_value(fmt::format("is below zero: {} - {}", x[0], x[1])));
    if (op == Op::Sub) return x[0] - x[1];
    const std::vector<ref::Bits> bits(x.begin(), x.end());
    // These mean the same of numbers and of words of any width.
    constexpr Op kOfNumbers[] = {Op::Div, Op::Mod, Op::Eq,  Op::Ne, Op::Lt,         Op::Gt,
                                 Op::Le,  Op::Ge,  Op::And, Op::Or, Op::LogicalNot, Op::Select};
    if (std::ranges::find(kOfNumbers, op) != std::end(kOfNumbers))
      return uint64_t(ref::eval(op, DataType::U64, bits));
    // Others are about the bits of a word of 32.
    if (spec::form_of(op) != Form::Scalar || std::ranges::any_of(x, [](uint64_t one) { return one >> 32; }))
      return std::unexpected(no_value(fmt::format("takes the bits of {}, which is no word", x[0])));
    return uint64_t(ref::eval(op, DataType::U32, bits));
  }

  const check::CheckedModule& module_;
  const check::CheckedPipeline& pipeline_;
  const std::span<const ref::PlanParameter> parameters_;
};

}  // namespace

Result<DeclaredBounds> DeclaredBounds::make(std::string_view text, const EngineConstants& constants,
                                            std::string_view dispatches, std::string_view scratch_bytes,
                                            std::string_view turns) {
  VYRE_TRY(parsed, text::parse_module(with_bounds(text, dispatches, scratch_bytes, turns), &ops::op_table(),
                                      constants));
  auto module = check::check(std::move(parsed), ops::op_table());
  if (!module) return std::unexpected(module.error().front());
  DeclaredBounds out;
  out.module_ = std::move(*module);
  for (const check::CheckedPipeline& pipeline : out.module_->pipelines())
    if (pipeline.pipeline->name == kPipelineName) out.bounds_ = &pipeline;
  return out;
}

Result<EngineBounds> DeclaredBounds::of(std::span<const ref::PlanParameter> parameters) const {
  const Evaluation evaluation(*module_, *bounds_, parameters);
  VYRE_TRY(dispatches, evaluation.of(length_of(*bounds_->pipeline, 0)));
  VYRE_TRY(scratch_bytes, evaluation.of(length_of(*bounds_->pipeline, 1)));
  VYRE_TRY(turns, evaluation.of(length_of(*bounds_->pipeline, 2)));
  return EngineBounds{dispatches, scratch_bytes, turns};
}

bool DeclaredBounds::turns_are_proved(const check::CheckedModule& module) const {
  std::optional<std::string> count;
  for (const check::CheckedPipeline& checked : module.pipelines()) {
    const ir::Pipeline& pipeline = *checked.pipeline;
    std::map<ir::Symbol, ir::ExprId> lets;
    uint32_t inside = 0;  // of a body that may run more than once, up to here
    for (uint32_t at = 0; at < pipeline.commands.size(); ++at) {
      const ir::Command& command = pipeline.commands[at];
      if (command.kind == ir::CommandKind::Let) lets[command.symbol] = pipeline.exprs(command.exprs)[0];
      if (command.kind == ir::CommandKind::Repeat) {
        if (pipeline.name != "main" || count || at < inside) return false;
        count = canonical(pipeline, pipeline.exprs(command.exprs)[0], lets);
      }
      if (command.kind == ir::CommandKind::Loop || command.kind == ir::CommandKind::Repeat)
        inside = std::max(inside, command.end);
    }
  }
  return count && *count == canonical(*bounds_->pipeline, length_of(*bounds_->pipeline, 2), {});
}

}  // namespace vyre::verify
