// Random modules that every backend must agree on: operations, programs, and pipelines over them.
//
// Module (seed, index) keeps every rule, ends soon and has no data race, so its bytes are the same on every
// backend. Its operations call one another and are called by programs and by host expressions. Its programs
// are random ones (programs.h), and never get more groups on an axis than they were made for, nor less memory
// than their tensors take, so that they keep the promises made there. Its pipelines have every command,
// nested, with host expressions of every operator; parameters and scratch of every type; lists; buffers that
// two parameters read; dispatches with a zero among their groups; and each runs some of those before it.
// Dispatches are counted while they are written, those of loops as often as these turn, so that a run has
// few. Source: docs/spec/pipelines.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check/module.h"
#include "generate/programs.h"
#include "ir/module.h"

namespace vyre::generate {

struct ModuleOptions {
  const spec::OpTable* ops = nullptr;  // the library's; must outlive the generator
  ProgramOptions programs;             // their `ops` are not looked at
  uint32_t max_dispatches = 24;        // of a run

  static ModuleOptions small(const spec::OpTable* ops) {
    return {.ops = ops, .programs = ProgramOptions::small(nullptr)};
  }
};

/// A module with an input for its entry. Constants stand in it as their values: with_constants() names them.
struct ModuleCase {
  ir::Module module;
  std::string entry;           // the pipeline that is run
  std::vector<Bytes> buffers;  // one a parameter of it
  /// What each program was made for, and may be given at most of groups and at least of memory.
  struct Limits {
    layout::Groups groups;
    std::vector<Bytes> buffers;
  };
  std::vector<Limits> programs;
};

/// Makes one module after another. Not for two threads at once.
class ModuleGenerator {
 public:
  explicit ModuleGenerator(const ModuleOptions& options);
  /// Module `index` of the sequence `seed`.
  ModuleCase make(uint64_t seed, uint64_t index) const;
  ModuleCase make(Choices& choices) const;

 private:
  ModuleOptions options_;
  std::vector<const spec::OpDef*> host_callable_;  // of the library: of u32 alone
};

/// The text of a module with its constants declared before it and named where a constant may stand, each with
/// another value in its place: choosing `chosen` gives the module again.
struct NamedText {
  std::string text;
  std::map<std::string, uint32_t, std::less<>> chosen;
};
NamedText with_constants(const ir::Module& module);

/// Which parts of the language of modules a set of them has used, out of those that there are.
class ModuleCoverage {
 public:
  ModuleCoverage();
  void add(const check::CheckedModule& module);
  void add(const ModuleCoverage& other);
  /// Names of those that no module has.
  std::vector<std::string> missing() const;
  /// A line of how many there are, and what is missing.
  std::string print() const;

 private:
  void hit(std::string_view part);
  void add_command(const check::CheckedModule& module, const check::CheckedPipeline& pipeline, uint32_t at);
  void add_host(const check::CheckedModule& module, const check::CheckedPipeline& pipeline);
  std::map<std::string, uint64_t, std::less<>> parts_;
};

/// Makes a failing case smaller while `fails` says that it still fails: drops commands and items, takes
/// bodies for what they stand in, host expressions for their operands and small numbers, drops buffers; then
/// shrinks programs (shrink_program). Every candidate is checked, and keeps what modules promise.
/// Deterministic. Cost  at most max_evaluations calls of `fails`.
using ModuleFails = std::function<bool(const ModuleCase&)>;
ModuleCase shrink_module(ModuleCase failing, const spec::OpTable& ops, const ModuleFails& fails,
                         size_t max_evaluations = 3'000);

}  // namespace vyre::generate
