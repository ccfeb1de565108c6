#include "compositional.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>

#include "ops/registry.h"
#include "spec/ops.h"

namespace vyre::verify {
namespace {

using symbolic::Component;
using symbolic::Composition;
using symbolic::Form;

/// The components of the library, and which of them an operator is.
struct Library {
  std::map<std::string, Component, std::less<>> by_id;
  std::map<spec::Op, const Component*> by_operator;
};

/// The operator that the composition is, applied to its parameters in order.
std::optional<spec::Op> single_operator(const ir::Function& body) {
  const ir::Expr& e = body.code[body.result];
  if (!body.code.block(body.body).empty() || e.kind != ir::ExprKind::Apply || e.op == spec::Op::Call)
    return std::nullopt;
  const auto args = body.code.args(e);
  if (args.size() != body.parameters.size()) return std::nullopt;
  for (size_t i = 0; i < args.size(); ++i) {
    const ir::Expr& arg = body.code[args[i]];
    if (arg.kind != ir::ExprKind::Var || arg.symbol != body.parameters[i].name) return std::nullopt;
  }
  return e.op;
}

const Library& library() {
  static const Library all = [] {
    Library out;
    for (const ops::Operation& f : ops::all_operations()) {
      const size_t operands = f.signature.inputs.size();
      if (f.signature != ops::words(operands) || operands > 2 || f.reference == nullptr) continue;
      const auto [at, added] = out.by_id.emplace(
          std::string(f.id), Component{std::string(f.id), uint32_t(operands), f.reference, f.laws});
      if (f.compose == nullptr || !added) continue;
      if (const auto op = single_operator(ops::body_of(f))) out.by_operator.emplace(*op, &at->second);
    }
    // What follows from a function's own laws, such as that an involution takes itself back.
    const auto lookup = [&](std::string_view id) -> const Component* {
      const auto found = out.by_id.find(id);
      return found == out.by_id.end() ? nullptr : &found->second;
    };
    for (auto& [id, f] : out.by_id) {
      const Form form = f.operands == 1 ? Form::Same1 : Form::Same;
      for (const symbolic::Consequence& c :
           symbolic::consequences({form, &f, nullptr, nullptr, {}}, lookup)) {
        if (std::ranges::find(f.laws, c.law) == f.laws.end()) f.laws.push_back(c.law);
      }
    }
    return out;
  }();
  return all;
}

uint32_t value_of(const symbolic::Expression& e, const Composition& parts, const uint32_t* operands) {
  if (e.operands.empty()) {
    if (e.symbol == 'c') return *parts.c;
    return operands[e.symbol - 'a'];
  }
  const Component* const function = e.symbol == 'f' ? parts.f : e.symbol == 'g' ? parts.g : parts.k;
  std::array<uint32_t, 2> inner{};
  for (size_t i = 0; i < e.operands.size(); ++i) inner[i] = value_of(e.operands[i], parts, operands);
  return function->value(inner.data());
}

std::string name_of(const symbolic::Expression& e, const Composition& parts) {
  if (e.operands.empty()) return e.symbol == 'c' ? fmt::format("{:#x}", *parts.c) : std::string(1, e.symbol);
  const Component* const function = e.symbol == 'f' ? parts.f : e.symbol == 'g' ? parts.g : parts.k;
  std::string out = function->name + "(";
  for (const symbolic::Expression& operand : e.operands)
    out += (out.ends_with('(') ? "" : ", ") + name_of(operand, parts);
  return out + ")";
}

/// Adds what the form gives to the composite's laws.
void derive(const Composition& parts, Composite& out) {
  for (symbolic::Consequence& c : symbolic::consequences(parts, library_component)) {
    if (std::ranges::find(out.function.laws, c.law) != out.function.laws.end()) continue;
    out.function.laws.push_back(c.law);
    std::string grade =
        fmt::format("derived({}{}{})", c.theorem->name, c.from.empty() ? "" : "; ", fmt::join(c.from, ", "));
    out.derived.push_back({std::move(c.law), std::string(c.theorem->name), std::move(grade)});
  }
}

Composite composite(const Composition& parts) {
  const symbolic::Expression& form = symbolic::expression(parts.form);
  Composite out;
  out.function.name = name_of(form, parts);
  out.function.operands = symbolic::info(parts.form).operands;
  // Copies of the parts: the composite may outlive them.
  struct Owned {
    Component f, g, k;
    Composition parts;
  };
  const auto owned = std::make_shared<Owned>();
  owned->parts = parts;
  for (auto [from, into, at] : {std::tuple{parts.f, &owned->f, &owned->parts.f},
                                {parts.g, &owned->g, &owned->parts.g},
                                {parts.k, &owned->k, &owned->parts.k}}) {
    if (from == nullptr) continue;
    *into = *from;
    *at = into;
  }
  out.function.value = [owned, &form](const uint32_t* x) { return value_of(form, owned->parts, x); };
  derive(parts, out);
  return out;
}

/// A composition's tree, from the leaves up.
class Tree {
 public:
  explicit Tree(const ir::Function& body) : body_(body), code_(body.code) {}

  std::expected<Composite, std::string> derive_all() {
    for (const ir::NodeId id : code_.block(body_.body)) {
      const ir::Node node = code_[id];
      if (node.kind != ir::NodeKind::Let) return std::unexpected("the composition has more than values");
      lets_.emplace(node.symbol, code_.arg(node, 0));
    }
    const Part root = part(body_.result);
    if (!error_.empty()) return std::unexpected(error_);
    if (root.kind != Part::Kind::Function || root.whole == nullptr)
      return std::unexpected("the composition is one of its operands or a constant");
    if (root.whole->function.operands != body_.parameters.size())
      return std::unexpected("an operand does not matter to the composition");
    Composite out = *root.whole;
    // What its laws give together.
    const Component whole = out.function;
    derive({whole.operands == 1 ? Form::Same1 : Form::Same, &whole, nullptr, nullptr, {}}, out);
    return out;
  }

 private:
  /// What an expression is as a function of the operands.
  struct Part {
    enum class Kind : uint8_t { Operand, Constant, Function } kind = Kind::Constant;
    uint32_t number = 0;  // Operand: which; Constant: its value; Function of one operand: which
    const Composite* whole = nullptr;
    bool unary() const { return whole->function.operands == 1; }
  };

  Part fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
    return {};
  }
  Part keep(Composite made, uint32_t number = 0) {
    return {Part::Kind::Function, number, &made_.emplace_back(std::move(made))};
  }

  Part part(ir::ExprId id) {
    const ir::Expr& e = code_[id];
    if (e.kind == ir::ExprKind::Literal) return {Part::Kind::Constant, e.immediate};
    if (e.kind == ir::ExprKind::Var) {
      for (uint32_t i = 0; i < body_.parameters.size(); ++i) {
        if (body_.parameters[i].name == e.symbol) return {Part::Kind::Operand, i};
      }
      const auto let = lets_.find(e.symbol);
      return let == lets_.end() ? fail("a variable is not bound by let") : part(let->second);
    }
    if (e.kind != ir::ExprKind::Apply) return fail("the composition has more than values");
    const Component* f = nullptr;
    if (e.op == spec::Op::Call) {
      f = library_component(code_.symbols[size_t(e.symbol)]);
    } else if (const auto found = library().by_operator.find(e.op); found != library().by_operator.end()) {
      f = found->second;
    }
    if (f == nullptr)
      return fail(fmt::format("{} is no operation of one or two words", spec::mnemonic(e.op)));
    std::vector<Part> operands;
    for (const ir::ExprId arg : code_.args(e)) operands.push_back(part(arg));
    if (!error_.empty()) return {};
    return operands.size() == 1 ? after(*f, operands[0]) : binary(*f, operands[0], operands[1]);
  }

  /// f of one operand.
  Part after(const Component& f, const Part& x) {
    if (x.kind == Part::Kind::Constant) return {Part::Kind::Constant, f.value(&x.number)};
    if (x.kind == Part::Kind::Operand)
      return keep(composite({Form::Same1, &f, nullptr, nullptr, {}}), x.number);
    const Form form = x.unary() ? Form::UnaryAfterUnary : Form::UnaryAfterBinary;
    return keep(composite({form, &f, &x.whole->function, nullptr, {}}), x.number);
  }

  Part binary(const Component& f, const Part& x, const Part& y) {
    using Kind = Part::Kind;
    if (x.kind == Kind::Constant && y.kind == Kind::Constant) {
      const uint32_t operands[] = {x.number, y.number};
      return {Kind::Constant, f.value(operands)};
    }
    if (x.kind == Kind::Constant || y.kind == Kind::Constant) {
      const bool left = x.kind == Kind::Constant;
      const Part& rest = left ? y : x;
      const Form form = left ? Form::SectionLeft : Form::SectionRight;
      const Part section =
          keep(composite({form, &f, nullptr, nullptr, left ? x.number : y.number}), rest.number);
      return rest.kind == Kind::Operand ? section : after(section.whole->function, rest);
    }
    const bool x_one = x.kind == Kind::Operand || x.unary(), y_one = y.kind == Kind::Operand || y.unary();
    if (x_one && y_one && x.number == y.number) return of_one_operand(f, x, y);
    Composite out = both(f, x, y);
    // A form that says more of the same function.
    const Component *const g = x.whole == nullptr ? nullptr : &x.whole->function,
                           *const k = y.whole == nullptr ? nullptr : &y.whole->function;
    const bool straight = x_one && y_one && x.number == 0 && y.number == 1;
    if (straight && g == nullptr && k == nullptr) derive({Form::Same, &f, nullptr, nullptr, {}}, out);
    if (straight && g != nullptr && k == nullptr) derive({Form::OnLeft, &f, g, nullptr, {}}, out);
    if (straight && g == nullptr && k != nullptr) derive({Form::OnRight, &f, k, nullptr, {}}, out);
    if (straight && g != nullptr && k != nullptr && g->name == k->name)
      derive({Form::BinaryAfterUnary, &f, g, nullptr, {}}, out);
    if (x_one && y_one && x.number == 1 && g == nullptr && k == nullptr)
      derive({Form::Swapped, &f, nullptr, nullptr, {}}, out);
    return keep(std::move(out));
  }

  Part of_one_operand(const Component& f, const Part& x, const Part& y) {
    if (x.whole == nullptr && y.whole == nullptr)
      return keep(composite({Form::Diagonal, &f, nullptr, nullptr, {}}), x.number);
    const Component same = composite({Form::First, nullptr, nullptr, nullptr, {}}).function;
    return keep(composite({Form::Pair,
                           &f,
                           x.whole == nullptr ? &same : &x.whole->function,
                           y.whole == nullptr ? &same : &y.whole->function,
                           {}}),
                x.number);
  }

  /// A part as a function of both operands.
  Component lifted(const Part& p) const {
    if (p.kind == Part::Kind::Function && !p.unary()) return p.whole->function;
    Component out{p.kind == Part::Kind::Operand ? "" : p.whole->function.name, 2, {}, {}};
    out.name += fmt::format("[{}]", char('a' + p.number));
    if (p.kind == Part::Kind::Operand) {
      const Component first = composite({Form::FirstOfTwo, nullptr, nullptr, nullptr, {}}).function;
      if (p.number == 0) return first;
      Component second = composite({Form::Swapped, &first, nullptr, nullptr, {}}).function;
      second.name = "b";
      return second;
    }
    out.value = [f = p.whole->function.value, which = p.number](const uint32_t* x) { return f(x + which); };
    return out;
  }
  Composite both(const Component& f, const Part& x, const Part& y) const {
    const Component g = lifted(x), k = lifted(y);
    return composite({Form::Both, &f, &g, &k, {}});
  }

  const ir::Function& body_;
  const ir::Code& code_;
  std::map<ir::Symbol, ir::ExprId> lets_;
  std::deque<Composite> made_;  // what parts point to
  std::string error_;
};

}  // namespace

const Component* library_component(std::string_view id) {
  const auto found = library().by_id.find(id);
  return found == library().by_id.end() ? nullptr : &found->second;
}

Composite compose(Form form, const ops::Operation* f, const ops::Operation* g, const ops::Operation* k,
                  std::optional<uint32_t> c) {
  const auto part = [](const ops::Operation* operation) {
    return operation == nullptr ? nullptr : library_component(operation->id);
  };
  return composite({form, part(f), part(g), part(k), c});
}

Composite compose_after(const ops::Operation& after, const ops::Operation& before) {
  const Form form = before.signature.inputs.size() == 1 ? Form::UnaryAfterUnary : Form::UnaryAfterBinary;
  return compose(form, &after, &before);
}

std::expected<Composite, std::string> derive_laws(const ops::Operation& operation) {
  const size_t operands = operation.signature.inputs.size();
  if (operation.compose == nullptr || operation.signature != ops::words(operands) || operands > 2)
    return std::unexpected("theorems speak of functions of one or two words");
  const ir::Function body = ops::body_of(operation);
  return Tree(body).derive_all();
}

}  // namespace vyre::verify
