// Sabotage: backends that are wrong in one way each, around one that is right.
//
// Most faults are rewritten into the program before it is compiled, in its own code and in the bodies of the
// operations that it calls, so the wrong answers come out of real pipelines. Two stand behind the dispatch:
// one that strikes once in a million answers, and one that knows the published inputs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string_view>

#include "algebra/planted_law.h"
#include "backend/backend.h"
#include "base/bytes.h"
#include "ops/operation.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "verify/device_values.h"

namespace vyre::sabotage {

enum class Fault : uint8_t {
  ReturnsZero,
  DropsLowestBit,
  DropsHighestBit,
  SwapsOperands,
  OffByOne,
  UnmaskedShift,
  DivisionByZeroGivesOnes,
  UnsignedWhereSigned,
  OutOfBoundsIndexWraps,
  OutOfBoundsStoreLands,
  FlushesSubnormals,  // results of arithmetic on floats
  ContractsProducts,  // a * b + c with one rounding
  WrongOnceInAMillion,
  KnowsThePublishedRows,
};

/// Whether the fault is rewritten into programs.
constexpr bool is_rewritten(Fault fault) {
  return fault != Fault::WrongOnceInAMillion && fault != Fault::KnowsThePublishedRows;
}

/// Copies code bottom up, with the fault worked in. Node and block ids stay; expressions get new ones.
class Rewriter {
 public:
  Rewriter(Fault fault, const ir::Code& from, const check::Resolution& resolution,
           std::function<ir::DataType(ir::Symbol)> element)
      : fault_(fault), from_(from), resolution_(resolution), element_(std::move(element)) {
    for (size_t s = 0; s < from.symbols.size(); ++s) to_.intern(from.symbols[s]);
    to_.wide = from.wide;
    for (uint32_t k = 0; k < from.exprs.size(); ++k) {
      std::vector<ir::ExprId> args;
      for (const ir::ExprId a : from.args(from.exprs[k])) args.push_back(map_[ir::index(a)]);
      map_.push_back(expr(ir::ExprId{k}, from.exprs[k], args));
    }
    for (const ir::Node& node : from.nodes) {
      std::vector<ir::ExprId> args;
      for (const ir::ExprId a : from.args(node)) args.push_back(map_[ir::index(a)]);
      if (node.kind == ir::NodeKind::Store) store(node, args);
      to_.add(node, args, Span::none());
    }
    to_.blocks = from.blocks;
    to_.node_list = from.node_list;
  }
  ir::Code take() { return std::move(to_); }
  ir::ExprId mapped(ir::ExprId old) const { return map_[ir::index(old)]; }

 private:
  using DataType = ir::DataType;
  using Op = ir::Op;

  using Words = std::array<uint32_t, 4>;

  ir::ExprId literal(DataType type, uint32_t bits) { return literal(type, Words{bits, 0, 0, 0}); }
  /// A value of any type by its words, of which those beyond the type do not count; a vector is made of its
  /// components.
  ir::ExprId literal(DataType type, Words words) {
    const uint32_t n = spec::value_words(type);
    if (spec::components(type) > 1) {
      ir::Expr e{};
      e.kind = ir::ExprKind::Apply;
      e.op = n == 2 ? Op::MakeVec2U32 : Op::MakeVec4U32;
      std::vector<ir::ExprId> components;
      for (uint32_t k = 0; k < n; ++k) components.push_back(literal(DataType::U32, words[k]));
      return to_.add(e, components, Span::none());
    }
    for (uint32_t k = n; k < 4; ++k) words[k] = 0;
    ir::Expr e{};
    e.kind = ir::ExprKind::Literal;
    e.type = type;
    e.immediate = words[0];
    if (n > 1) {
      e.immediate = uint32_t(to_.wide.size());
      to_.wide.push_back(words);
    }
    return to_.add(e, {}, Span::none());
  }
  /// All bits of a value of this type but the lowest, or but the highest.
  static Words without_lowest() { return {0xfffffffe, UINT32_MAX, UINT32_MAX, UINT32_MAX}; }
  static Words without_highest(DataType type) {
    Words out;
    out.fill(UINT32_MAX);
    out[spec::value_words(type) - 1] = spec::value_bits(type) == 16 ? 0x7fff : 0x7fffffff;
    return out;
  }
  /// op(value, constant) on the bits of a value; those of a float are a word's.
  ir::ExprId on_bits(Op op, DataType type, ir::ExprId value, const Words& constant) {
    if (!spec::kFloats.contains(type)) return apply(op, {value, literal(type, constant)});
    const ir::ExprId bits = apply(Op::Bitcast, {value}, DataType::U32);
    return apply(Op::Bitcast, {apply(op, {bits, literal(DataType::U32, constant)})}, type);
  }
  ir::ExprId apply(Op op, std::initializer_list<ir::ExprId> args, DataType type = {}) {
    ir::Expr e{};
    e.kind = ir::ExprKind::Apply;
    e.op = op;
    e.type = type;
    return to_.add(e, {args.begin(), args.size()}, Span::none());
  }
  ir::ExprId length(ir::Symbol buffer) {
    ir::Expr e{};
    e.kind = ir::ExprKind::BufLen;
    e.symbol = buffer;
    return to_.add(e, {}, Span::none());
  }
  ir::ExprId copy(ir::ExprId id) {
    const ir::Expr e = to_[id];
    std::vector<ir::ExprId> args;
    for (uint32_t k = 0; k < e.args.count; ++k) args.push_back(copy(to_.expr_list[e.args.first + k]));
    return to_.add(e, args, Span::none());
  }
  ir::ExprId wrapped_index(ir::ExprId index, ir::Symbol buffer) {
    return apply(Op::Mod, {index, length(buffer)});
  }

  ir::ExprId expr(ir::ExprId old, const ir::Expr& e, std::vector<ir::ExprId> args) {
    const bool is_apply = e.kind == ir::ExprKind::Apply;
    if (fault_ == Fault::OutOfBoundsIndexWraps && e.kind == ir::ExprKind::Load) {
      args[0] = wrapped_index(args[0], e.symbol);
    }
    if (fault_ == Fault::SwapsOperands && is_apply && args.size() >= 2 && swappable(e))
      std::swap(args[0], args[1]);
    if (fault_ == Fault::UnmaskedShift && is_apply && (e.op == Op::Shl || e.op == Op::Shr)) {
      const DataType type = resolution_.type(old);
      const ir::ExprId far =
          apply(Op::Gt, {copy(args[1]), literal(DataType::U32, spec::value_bits(type) - 1)});
      const ir::ExprId shifted = apply(e.op, {args[0], args[1]});
      return apply(Op::Select, {far, literal(type, 0), shifted});
    }
    if (fault_ == Fault::DivisionByZeroGivesOnes && is_apply && e.op == Op::Div) {
      const DataType type = resolution_.type(old);
      const ir::ExprId zero = apply(Op::Eq, {copy(args[1]), literal(type, 0)});
      const ir::ExprId quotient = apply(Op::Div, {args[0], args[1]});
      return apply(Op::Select,
                   {zero, literal(type, Words{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}), quotient});
    }
    if (fault_ == Fault::FlushesSubnormals && is_apply && is_arithmetic(e.op)) {
      return flushed(to_.add(e, args, Span::none()), resolution_.type(old));
    }
    if (fault_ == Fault::ContractsProducts && is_apply && e.op == Op::FAdd) {
      for (const size_t side : {0, 1}) {
        const ir::Expr product = to_[args[side]];
        if (product.kind != ir::ExprKind::Apply || product.op != Op::FMul) continue;
        const ir::ExprId* factors = &to_.expr_list[product.args.first];
        return apply(Op::FMulAdd, {factors[0], factors[1], args[1 - side]});
      }
    }
    if (fault_ == Fault::UnsignedWhereSigned && is_apply && spec::is_scalar(e.op) &&
        resolution_.type(from_.arg(e, 0)) == DataType::I32) {
      std::vector<ir::ExprId> words;
      for (size_t k = 0; k < args.size(); ++k) {
        const bool amount = spec::operand_type(e.op, DataType::I32, uint32_t(k)) == DataType::U32;
        words.push_back(amount ? args[k] : apply(Op::Bitcast, {args[k]}, DataType::U32));
      }
      ir::Expr unsigned_one = e;
      const ir::ExprId result = to_.add(unsigned_one, words, Span::none());
      return resolution_.type(old) == DataType::I32 ? apply(Op::Bitcast, {result}, DataType::I32) : result;
    }
    return to_.add(e, args, Span::none());
  }

  static bool is_arithmetic(Op op) {
    return op == Op::FAdd || op == Op::FSub || op == Op::FMul || op == Op::FDiv || op == Op::FMulAdd;
  }
  /// A subnormal as a zero of its sign.
  ir::ExprId flushed(ir::ExprId value, DataType type) {
    const spec::FloatFormat f = spec::float_format(type);
    const auto bits = [&] { return apply(Op::Bitcast, {copy(value)}, DataType::U32); };
    const ir::ExprId exponent = apply(Op::BitAnd, {bits(), literal(DataType::U32, f.infinity())});
    const ir::ExprId sign = apply(Op::BitAnd, {bits(), literal(DataType::U32, f.sign_bit())});
    return apply(Op::Select, {exponent, value, apply(Op::Bitcast, {sign}, type)});
  }

  // The operators for which the order matters; comparisons are left alone, or no wrapper would run at all.
  bool swappable(const ir::Expr& e) const {
    const bool ordered =
        e.op == Op::Sub || e.op == Op::Div || e.op == Op::Mod || e.op == Op::Shl || e.op == Op::Shr;
    return ordered && resolution_.type(from_.arg(e, 0)) == resolution_.type(from_.arg(e, 1));
  }

  void store(const ir::Node& node, std::vector<ir::ExprId>& args) {
    const DataType type = spec::element_value_type(element_(node.symbol));
    ir::ExprId& value = args.back();
    if (fault_ == Fault::ReturnsZero) value = literal(type, 0);
    if (fault_ == Fault::OutOfBoundsStoreLands) args[0] = wrapped_index(args[0], node.symbol);
    if (type == DataType::Bool) return;
    if (fault_ == Fault::DropsLowestBit) value = on_bits(Op::BitAnd, type, value, without_lowest());
    if (fault_ == Fault::DropsHighestBit) value = on_bits(Op::BitAnd, type, value, without_highest(type));
    if (fault_ == Fault::OffByOne) value = on_bits(Op::Add, type, value, {1, 0, 0, 0});
  }

  Fault fault_;
  const ir::Code& from_;
  const check::Resolution& resolution_;
  std::function<DataType(ir::Symbol)> element_;
  ir::Code to_;
  std::vector<ir::ExprId> map_;
};

/// What strikes after the dispatch of an element-wise program of words; others pass.
class Meddler final : public backend::Pipeline {
 public:
  Meddler(std::unique_ptr<backend::Pipeline> honest, Fault fault, std::atomic<uint64_t>& answers,
          bool elementwise, const std::set<std::vector<uint32_t>>& published)
      : honest_(std::move(honest)),
        fault_(fault),
        answers_(answers),
        elementwise_(elementwise),
        published_(published) {}

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_CHECK(honest_->dispatch(host, groups));
    if (!elementwise_) return {};
    constexpr uint64_t kMillion = 1'000'000;
    const size_t n = host.front().size() / 4;
    std::byte* out = host.back().data();
    if (fault_ == Fault::WrongOnceInAMillion) {
      const uint64_t before = answers_.fetch_add(n);
      // The answer with which the count passes a multiple of a million.
      const uint64_t strike = (before / kMillion + 1) * kMillion - before - 1;
      if (strike < n) store_u32(out + 4 * strike, load_u32(out + 4 * strike) ^ 0x10);
      return {};
    }
    std::vector<uint32_t> operands(host.size() - 1);
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < operands.size(); ++k) operands[k] = load_u32(host[k].data() + 4 * i);
      if (!published_.contains(operands)) store_u32(out + 4 * i, load_u32(out + 4 * i) + 1);
    }
    return {};
  }

 private:
  std::unique_ptr<backend::Pipeline> honest_;
  Fault fault_;
  std::atomic<uint64_t>& answers_;
  bool elementwise_;
  const std::set<std::vector<uint32_t>>& published_;
};

class Saboteur final : public backend::Backend {
 public:
  Saboteur(backend::Backend& honest, Fault fault) : honest_(honest), fault_(fault) {
    for (const spec::OpTable* table : {&ops::op_table(), &algebra::planted_table(), &verify::value_table()}) {
      for (const spec::OpDef* def : table->all()) {
        spec::OpDef wrong = *def;
        if (is_rewritten(fault) && def->body != nullptr) wrong.body = rewrite(*def, *table);
        table_.add(wrong);
      }
    }
    for (const ops::Operation& op : ops::all_operations()) {
      for (const ops::SpecRow& row : op.rows) published_.insert(row.operands);
    }
  }

  backend::Identity identity() const override {
    backend::Identity id = honest_.identity();
    id.name = "sabotaged " + id.name;
    return id;
  }
  backend::Limits limits() const override { return honest_.limits(); }

  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    if (!is_rewritten(fault_)) {
      VYRE_TRY(pipeline, honest_.compile(program));
      const bool elementwise =
          program.program().name == "elementwise" &&
          std::ranges::all_of(program.program().buffers, [](const ir::BufferDecl& buffer) {
            return spec::value_words(buffer.element) == 1 && spec::value_bits(buffer.element) == 32;
          });
      return std::make_unique<Meddler>(std::move(pipeline), fault_, answers_, elementwise, published_);
    }
    ir::Program wrong = program.program();
    Rewriter rewriter(fault_, program.program().code, program.resolution(), [&](ir::Symbol name) {
      for (const ir::BufferDecl& b : program.program().buffers) {
        if (b.name == name) return program.program().element(b);
      }
      return ir::DataType::U32;
    });
    wrong.code = rewriter.take();
    auto checked = check::check(std::move(wrong), table_);
    if (!checked) return std::unexpected(checked.error().front());
    return honest_.compile(*checked);
  }

 private:
  const ir::Function* rewrite(const spec::OpDef& def, const spec::OpTable& table) {
    const auto checked = check::check(*def.body, table);
    auto wrong = std::make_unique<ir::Function>(*def.body);
    Rewriter rewriter(fault_, def.body->code, checked->resolution,
                      [](ir::Symbol) { return ir::DataType::U32; });
    wrong->result = rewriter.mapped(def.body->result);
    wrong->code = rewriter.take();
    functions_.push_back(std::move(wrong));
    return functions_.back().get();
  }

  backend::Backend& honest_;
  Fault fault_;
  spec::OpTable table_;
  std::vector<std::unique_ptr<ir::Function>> functions_;
  std::set<std::vector<uint32_t>> published_;
  std::atomic<uint64_t> answers_ = 0;
};

}  // namespace vyre::sabotage
