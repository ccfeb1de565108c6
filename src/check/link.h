// Linking: the pipelines of the library that a module runs become items of the checked module.
//
// A text of the library is checked by itself, as a module of its own, and what its pipeline `main` reaches is
// added behind the items of the module that runs it. Each is there once, however often and from however many
// texts it is run. Source: docs/spec/pipelines.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "check/module.h"

namespace vyre::check {

/// Checks a text of the library; null where it breaks a rule.
using CheckLibrary = std::function<std::shared_ptr<const CheckedModule>(const ir::Module&)>;

class Linker {
 public:
  /// `programs` and `pipelines`: how many the module has itself. What is linked is numbered from there.
  Linker(const spec::OpTable& ops, size_t programs, size_t pipelines, CheckLibrary check)
      : ops_(ops), programs_before_(programs), pipelines_before_(pipelines), check_(std::move(check)) {}

  /// The number of the pipeline of the library with this id.
  std::optional<uint32_t> find(std::string_view id, uint32_t version);
  /// Domain: a number that find() gave.
  const ir::Pipeline& pipeline(uint32_t number) const {
    return *pipelines[number - pipelines_before_].pipeline;
  }
  std::vector<std::string_view> ids() const { return ops_.module_ids(); }

  // What was linked, in the order of its numbers, and what keeps it alive.
  std::vector<std::shared_ptr<const Checked>> programs;
  std::vector<CheckedPipeline> pipelines;
  std::vector<std::shared_ptr<const CheckedModule>> libraries;

 private:
  uint32_t add(const CheckedModule& library, uint32_t pipeline);

  const spec::OpTable& ops_;
  const size_t programs_before_, pipelines_before_;
  const CheckLibrary check_;
  std::map<const ir::Module*, uint32_t> entries_;
  std::map<const void*, uint32_t> numbers_;  // of programs and pipelines
};

}  // namespace vyre::check
