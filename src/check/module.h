// CheckedModule: a file whose every item keeps every rule, with everything the rules made known.
//
// Programs are Checked as ever, and may outlive the module. Of a pipeline the checker says what each name in
// it stands for and which buffer each parameter of a dispatch gets, in the order in which dispatches take
// them, so that running one is a walk over a list (ref/plan.h). Source: docs/spec/pipelines.md.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "check/checked.h"
#include "check/tensors.h"
#include "ir/module.h"

namespace vyre::check {

/// What a parameter of a dispatch or of a pipeline that is run gets.
struct BoundArgument {
  BufferId buffer{};  // of the pipeline; where `list` is set, nothing
  bool list = false;
  ir::Range words;  // the list: ids in the pipeline's Code::expr_list
};

struct CheckedPipeline {
  const ir::Pipeline* pipeline = nullptr;
  /// Its parameters as those of a program that does nothing: what layout::bind and all that names buffers
  /// takes.
  std::shared_ptr<const Checked> head;
  /// Parameters, then scratch buffers in the order of the text. A BufferId is a place in it.
  std::vector<ir::BufferDecl> buffers;
  uint32_t parameters = 0;  // how many of them are parameters
  Resolution resolution;    // of the host expressions
  /// By command. Let, Loop: VarId; Scratch, Repeat: BufferId; Dispatch: the program; Run: the pipeline.
  std::vector<uint32_t> target;
  /// By command: what the buffers of a Dispatch get, in the order of Checked::bound_buffers(), or the
  /// parameters of a Run, in theirs; a range of `given`.
  std::vector<ir::Range> given_of;
  std::vector<BoundArgument> given;

  std::span<const BoundArgument> of(uint32_t command) const {
    return {given.data() + given_of[command].first, given_of[command].count};
  }
  DataType element(BufferId id) const {
    const ir::BufferDecl& decl = buffers[index(id)];
    return index(id) < parameters ? pipeline->element(decl) : decl.element;
  }
};

class CheckedModule {
 public:
  /// As it was given, constants replaced.
  const ir::Module& module() const { return storage_->module; }
  /// In the order of the module's, then those of the library that they run.
  const std::vector<std::shared_ptr<const Checked>>& programs() const { return programs_; }
  const std::vector<CheckedPipeline>& pipelines() const { return pipelines_; }
  /// Those that the module has itself.
  std::span<const std::shared_ptr<const Checked>> own_programs() const {
    return std::span(programs_).first(module().programs.size());
  }
  std::span<const CheckedPipeline> own_pipelines() const {
    return std::span(pipelines_).first(module().pipelines.size());
  }
  /// In the order of the module's.
  const std::vector<TensorGraph>& graphs() const { return graphs_; }
  /// The operations of the file, in the order of the module's.
  const std::vector<const spec::OpDef*>& operations() const { return operations_; }
  /// The checked body of an operation of the file, or of one that any item calls or any law names.
  /// ceil_div among them, and what linked pipelines call.
  const CheckedFunction& function(const spec::OpDef& def) const { return *functions_.at(&def); }
  /// The library's operations and the file's.
  const spec::OpTable& ops() const { return storage_->ops; }
  /// Of a program of the module: barriers that may diverge. Empty unless they were asked for.
  const Diagnostics& divergent(size_t program) const { return divergent_[program]; }

 private:
  friend class ModuleChecker;
  /// What all that is checked points into.
  struct Storage {
    explicit Storage(const spec::OpTable& library) : ops(&library), host_ops(&ops) {}
    ir::Module module;
    spec::OpTable ops;       // the library's and the file's
    spec::OpTable host_ops;  // those, and ceil_div
  };
  std::shared_ptr<Storage> storage_;
  std::vector<std::shared_ptr<const Checked>> programs_;
  std::vector<CheckedPipeline> pipelines_;
  std::vector<TensorGraph> graphs_;
  std::vector<const spec::OpDef*> operations_;
  std::map<const spec::OpDef*, std::shared_ptr<const CheckedFunction>> functions_;
  std::vector<Diagnostics> divergent_;
  std::vector<std::shared_ptr<const CheckedModule>> libraries_;  // what was linked
};

/// Checks a module against every rule that needs no evaluation; rows and witnesses are run by ref/rows.h.
/// Errors: all broken rules at once, in the order of their positions. The table must outlive the result, and
/// so programs that are taken out of it. Cost: linear in the module and in what it calls.
std::expected<std::shared_ptr<const CheckedModule>, Diagnostics> check(ir::Module module,
                                                                       const spec::OpTable& ops);

/// The same, but that a barrier may diverge is no error: see CheckedModule::divergent.
std::expected<std::shared_ptr<const CheckedModule>, Diagnostics> check_but_barriers(ir::Module module,
                                                                                    const spec::OpTable& ops);

}  // namespace vyre::check
