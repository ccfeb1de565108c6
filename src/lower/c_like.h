// The printer of languages that look like C: WGSL, C++ and CUDA C++.
//
// Each instruction is a statement of its own, blocks and loops are those of the language, slots are
// variables. An expression has one operator, whose operands are names: what compilers do with deep or
// constant expressions differs. Operators are rows of one table (c_like_operators.h) with a pattern a
// dialect; a language derives from CLikePrinter and says how it writes names, declarations and memory. It
// knows no semantics: kernels are legal for the language's target.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "lower/legal_emitter.h"

namespace vyre::lower {

enum class CLikeDialect : uint8_t { Cpp, Wgsl };  // Cpp: CUDA C++ too

/// "7u", or "0x10000u" from 2^16 on, as print() writes words.
inline constexpr uint32_t kHexadecimalFrom = 1u << 16;
std::string c_like_literal(uint32_t bits);

/// A pattern with its operands in the places {0} to {9}. Braces stand for nothing else. Done by hand, since
/// patterns are chosen at run time, once an instruction, and parsing them as formats took half of the
/// printing.
std::string fill(std::string_view pattern, std::initializer_list<std::string_view> operands);

/// Text, line by line, indented by two blanks a brace.
struct Lines {
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    begin(format, std::forward<Args>(args)...);
    text += '\n';
  }
  /// A line that opens a brace; then close(), or otherwise() and close().
  template <typename... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    begin(format, std::forward<Args>(args)...);
    text += " {\n";
    ++depth;
  }
  void otherwise();
  void close();

  std::string text;
  uint32_t depth = 1;  // open braces

 private:
  template <typename... Args>
  void begin(fmt::format_string<Args...> format, Args&&... args) {
    text.append(2 * depth, ' ');
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  }
};

class CLikePrinter : protected LegalEmitter {
 protected:
  CLikePrinter(const Kernel& kernel, CLikeDialect dialect);
  ~CLikePrinter() = default;

  std::string name(Value v) const;

  /// Where the next line goes.
  virtual Lines& out() = 0;

  // Expressions. A truth is what a select takes as its condition.
  virtual std::string word(Value v) = 0;
  virtual std::string truth(Value v) = 0;
  /// A slot, for reading or to be assigned.
  virtual std::string variable(uint32_t slot) = 0;
  virtual std::string array(uint32_t buffer) = 0;
  /// at * words + word, the index of a word of an element of several.
  virtual std::string word_index(const std::string& at, uint32_t words, uint32_t word) = 0;
  /// Whether every access to a buffer is atomic.
  virtual bool is_atomic(uint32_t buffer) const = 0;

  // Statements.
  /// Declares a value by its expression, which gives a bool where `truth` says so.
  virtual void define(Value v, const std::string& expression, bool truth = false) = 0;
  /// `expected` is empty but for compare-exchange.
  virtual void define_atomic(Value v, const Inst& inst, const std::string& place, const std::string& expected,
                             const std::string& value) = 0;
  virtual void open_if(Value condition) = 0;
  virtual void open_loop(Value v, const std::string& from, const std::string& to) = 0;
  /// A block within another one.
  virtual bool emit_inner(KBlock id) { return emit_block(id); }

  void emit_raw(Value v, const Inst& inst) override;
  void emit_return() override { out().line("return;"); }
  void emit_load(Value v, const Inst& inst) override;
  void emit_store(const Inst& inst) override;
  /// The word that an access is about.
  virtual std::string place(const Inst& access, const std::string& at);

 private:
  void emit_get(Value v, const Inst& inst) final;
  void emit_set(const Inst& inst) final;
  bool emit_if(Value v, const Inst& inst) final;
  void emit_loop(Value v, const Inst& inst) final;
  void emit_barrier() final;
  void emit_atomic(Value v, const Inst& inst) final;
  std::string operand(const Inst& inst, uint32_t n) { return word(k_.arg(inst, n)); }

  const CLikeDialect dialect_;
  const std::vector<uint32_t> numbers_;  // by Value
};

}  // namespace vyre::lower
