// The laws of a file's operations: what text claims and denies, as the engines take it.
//
// An operation of a file is an ops::Operation without a reference function: its body is its definition, which
// the reference interpreter evaluates. Its laws are those of spec/laws.def; where every value is one word the
// engines that run laws of the library run these (CompositionEvaluator, over the table of the module), and
// values of up to 128 bits are evaluated here, one instance at a time. Source: docs/spec/laws.md, "Laws of
// operations in text"; semantics, "Laws and evidence".
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algebra/value_terms.h"
#include "check/module.h"
#include "ref/rows.h"

namespace vyre::algebra {

/// A law of an operation of a file. Its holder holds the FileOperations that made it.
struct FileLaw {
  std::string statement;  // "Identity(0)", as `vyre ops` prints laws
  spec::Law law;          // its constants are the low words of `constants`
  const ops::Operation* f = nullptr;
  std::vector<const ops::Operation*> others;
  std::vector<spec::DataType> variables;
  std::vector<ref::Bits> constants;
  Span span;
  /// Whether every value is one word, and the engines that run columns of words take it.
  bool is_of_words() const;
};

struct FileDenial {
  FileLaw law;
  std::vector<ref::Bits> witness;
  Span span;  // of the witness
};

struct FileOperation {
  /// As programs that are made to judge it call it: what `operation` is, but that an alternative, which no
  /// program of a file calls, has a name of its own in FileOperations::table().
  ops::Operation applied;
  ops::Operation operation;  // id, version, signature and parameter names; its laws where they are of words
  const ir::Operation* text = nullptr;
  const spec::OpDef* def = nullptr;
  std::vector<FileLaw> claims;
  std::vector<FileDenial> denials;
  const FileOperation* judged = nullptr;  // of an alternative: what it is another definition of
};

/// The operations of a module, with what their laws name in the library.
class FileOperations {
 public:
  explicit FileOperations(std::shared_ptr<const check::CheckedModule> module);
  FileOperations(const FileOperations&) = delete;
  FileOperations& operator=(const FileOperations&) = delete;

  const check::CheckedModule& module() const { return *module_; }
  /// What calls of `applied` resolve against: the module's operations, and its alternatives by their names
  /// there.
  const spec::OpTable& table() const { return table_; }
  /// In the order of the file.
  std::span<const std::unique_ptr<FileOperation>> all() const { return operations_; }
  /// One of the file, else of the library; nullptr where there is none.
  const ops::Operation* find(std::string_view id, uint32_t version) const;
  Lookup lookup() const;
  /// Domain: of find().
  const spec::OpDef& def(const ops::Operation& operation) const;

 private:
  FileLaw understood(const ir::LawText& text, const FileOperation& owner) const;
  std::string_view callable(const spec::OpDef& alternative);
  std::shared_ptr<const check::CheckedModule> module_;
  spec::OpTable table_;
  std::vector<std::unique_ptr<FileOperation>> operations_;
};

/// Applies an operation to columns of values, of which `out` has as many; false: it could not.
using Application =
    std::function<bool(const ops::Operation&, std::span<const Values* const> inputs, Values& out)>;
/// For each instance whether the law holds, not zero being true; none where an application failed. Domain: a
/// column a variable, of the same size.
std::optional<std::vector<uint8_t>> holds(const FileLaw& law, std::span<const Values> variables,
                                          const Application& application);

/// Applies operations of a file, and what their laws name, to values of any type. Not for several threads.
class FileDefinition {
 public:
  explicit FileDefinition(const FileOperations& file) : file_(file) {}
  /// The result, or none where it takes more than ref::kMaxRowSteps.
  std::optional<ref::Bits> operator()(const ops::Operation& operation, std::span<const ref::Bits> operands);
  /// Whether the law holds at these values, one for each variable; none: an application took too long.
  std::optional<bool> holds(const FileLaw& law, std::span<const ref::Bits> values);

 private:
  const FileOperations& file_;
  std::map<const ops::Operation*, std::unique_ptr<ref::Applied>> applied_;
};

/// States a law of a file: the constants of one that has any are asked for by their place, 0 and 1, since a
/// value may be wider than a word (Terms::constant); another law's are numbers.
void state(const FileLaw& law, Terms& terms);
/// What Terms::constant(word) means in the statement of the law.
ref::Bits constant_of(const FileLaw& law, uint32_t word);

/// Witnesses of denied laws, run on the definition: V051 where the law holds at its witness, B005 where an
/// application takes too long. In the order of the file.
Diagnostics check_witnesses(std::shared_ptr<const check::CheckedModule> module);

/// The bits of a value, least significant word first, as text has them; and back.
ref::Bits bits_of(const std::array<uint32_t, 4>& words);
std::array<uint32_t, 4> words_of(ref::Bits bits);
/// Values by the names of a law's variables: "a=0, b=0x80000000u64".
std::string shown(std::span<const ref::Bits> values, std::span<const spec::DataType> types);

}  // namespace vyre::algebra
