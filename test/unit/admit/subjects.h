// What planted faults are put into: an operation by each way that there is to compute it, as a function of
// columns.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../elementwise.h"
#include "admit/code.h"
#include "algebra/engine.h"
#include "layout/dispatch.h"
#include "lower/evaluate.h"
#include "lower/lift.h"
#include "ref/ref.h"
#include "text/text.h"

namespace vyre::admit::test {

using Words = std::vector<uint32_t>;
/// The results for columns of operands. A throw or a failure of the host is no answer.
using Subject = std::function<Words(const std::vector<Words>& columns)>;

/// A program that applies a body to n values of 32 bits: out[i] = f(in0[i], in1[i], ...).
class Elementwise {
 public:
  Elementwise(const ops::Operation& operation, const std::function<void(ir::Code&)>& mutate = {})
      : body_(build_body(operation)) {
    if (mutate) mutate(body_.code);
    for (const spec::OpDef* def : ops::op_table().all()) {
      if (def->id != operation.id) table_.add(*def);
    }
    table_.add(
        {std::string(operation.id), operation.version, operation.signature, operation.category, &body_});
    set(vyre::test::elementwise(operation));
  }
  Elementwise(const Elementwise&) = delete;
  Elementwise& operator=(const Elementwise&) = delete;

  const check::Checked& checked() const { return *checked_; }
  lower::Kernel kernel() const { return lower::build(*checked_); }
  /// Takes another program with the same buffers.
  void set(ir::Program program) {
    auto checked = check::check(std::move(program), table_);
    if (!checked) throw std::runtime_error("not valid: " + checked.error().front().message);
    checked_ = std::move(*checked);
  }

  Words interpret(const std::vector<Words>& columns) const {
    return run(columns, [&](std::span<const std::span<std::byte>> host, layout::Groups groups) {
      return ref::run(*checked_, host, groups);
    });
  }
  Words evaluate(const lower::Kernel& kernel, const std::vector<Words>& columns) const {
    return run(columns,
               [&](std::span<const std::span<std::byte>> host, layout::Groups groups) -> Result<void> {
                 VYRE_TRY(bindings, layout::bind(*checked_, host, groups));
                 return lower::evaluate(kernel, bindings, groups);
               });
  }

 private:
  Words run(const std::vector<Words>& columns,
            const std::function<Result<void>(std::span<const std::span<std::byte>>, layout::Groups)>&
                dispatch) const {
    std::vector<Words> buffers = columns;
    buffers.emplace_back(columns[0].size(), 0xbebebebe);
    std::vector<std::span<std::byte>> host;
    for (Words& buffer : buffers) host.push_back(std::as_writable_bytes(std::span(buffer)));
    const auto groups = static_cast<uint32_t>((columns[0].size() + vyre::test::kElementwiseLanes - 1) /
                                              vyre::test::kElementwiseLanes);
    const auto done = dispatch(host, {groups, 1, 1});
    if (!done) throw std::runtime_error("did not run: " + done.error().message);
    return buffers.back();
  }

  ir::Function body_;
  spec::OpTable table_;
  std::optional<check::Checked> checked_;
};

// The ways, each with what may go wrong in it.

inline Subject by_reference(ops::Reference reference) {
  return [reference](const std::vector<Words>& columns) {
    Words results;
    for (size_t n = 0; n < columns[0].size(); ++n) {
      Words operands;
      for (const Words& column : columns) operands.push_back(column[n]);
      results.push_back(reference(operands.data()));
    }
    return results;
  };
}

inline Subject by_composition(ops::Operation operation, decltype(ops::Operation::compose) compose) {
  operation.compose = compose;
  auto program = std::make_shared<Elementwise>(operation);
  return [program](const std::vector<Words>& columns) { return program->interpret(columns); };
}

/// An interpreter in which the function of one operator is another's.
inline Subject by_interpreter(const ops::Operation& operation, spec::Op from, spec::Op to) {
  size_t changed = 0;
  auto program = std::make_shared<Elementwise>(operation, [&](ir::Code& code) {
    for (ir::Expr& expr : code.exprs) {
      if (expr.kind != ir::ExprKind::Apply || expr.op != from) continue;
      expr.op = to;
      ++changed;
    }
  });
  if (changed == 0) throw std::runtime_error("there is no such operator to change");
  return [program](const std::vector<Words>& columns) { return program->interpret(columns); };
}

/// Legalization in which a rule gives another kernel.
inline Subject by_rule(const ops::Operation& operation,
                       const std::function<bool(lower::Kernel&, lower::Inst&)>& change) {
  auto program = std::make_shared<Elementwise>(operation);
  auto kernel = std::make_shared<lower::Kernel>(lower::legalize(program->kernel(), lower::kLlvmTarget));
  size_t changed = 0;
  for (lower::Inst& inst : kernel->insts) changed += change(*kernel, inst) ? 1 : 0;
  if (changed == 0) throw std::runtime_error("there is nothing to change");
  return [program, kernel](const std::vector<Words>& columns) { return program->evaluate(*kernel, columns); };
}

/// A printer of which one row has another text: the program is what the text then means.
inline Subject by_printer(const ops::Operation& operation, const std::string& from, const std::string& to) {
  auto program = std::make_shared<Elementwise>(operation);
  std::string text = text::print(lower::lift(program->kernel()));
  size_t changed = 0;
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()), ++changed) {
    text.replace(at, from.size(), to);
  }
  if (changed == 0) throw std::runtime_error("nothing of the text is printed by that row:\n" + text);
  const Source source("printed", text);
  auto parsed = text::parse(source.text(), &ops::op_table());
  if (!parsed) throw std::runtime_error("no program: " + parsed.error().message);
  program->set(std::move(*parsed));
  return [program](const std::vector<Words>& columns) { return program->interpret(columns); };
}

}  // namespace vyre::admit::test
