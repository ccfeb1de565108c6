// The gates for operations over buffers: what is asked of a text of the library and of what judges it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "admit/gates.h"
#include "base/random.h"
#include "check/module.h"
#include "ops/operation.h"
#include "opspec/engine.h"
#include "opspec/items.h"
#include "opspec/laws.h"
#include "plan/pipeline.h"
#include "text/directives.h"
#include "text/text.h"

namespace vyre::admit {
namespace {

using opspec::Buffers;

constexpr uint64_t kBufferSeed = 0x61646d6974, kCases = 12;
// The registry's policy.
constexpr size_t kLeastBufferRows = 3;
// What WebGPU gives to all: its default of maxStorageBuffersPerShaderStage; the least of all backends.
constexpr size_t kMostBound = 8;
// Of workgroup memory: what devices of WebGPU, Vulkan and Metal in use have, where specifications promise
// half.
constexpr uint64_t kMostWorkgroupBytes = 32 * 1024;

uint64_t workgroup_bytes(const check::Checked& program) {
  uint64_t bytes = 0;
  for (const ir::BufferDecl& buffer : program.program().buffers) {
    if (buffer.access == ir::BufferAccess::Workgroup)
      bytes += uint64_t{buffer.count} * spec::info(buffer.element).bytes;
  }
  return bytes;
}

class BufferGates {
 public:
  BufferGates(const library::Entry& entry, const opspec::OperationSpec* spec) : entry_(entry), spec_(spec) {}

  Diagnostics run() {
    auto parsed = text::parse_module(entry_.file->text, &ops::op_table(),
                                     {entry_.constants.begin(), entry_.constants.end()});
    if (!parsed) return {parsed.error()};
    auto module = check::check(std::move(*parsed), ops::op_table());
    if (!module) return std::move(module).error();
    category(**module);
    if (entry_.id.starts_with("engine.")) {
      if (library::find_engine(entry_.id) == nullptr)
        refuse(DiagCode::C013, "it is an engine and promises nothing",
               "add a row to src/library/engines.def");
      if (opspec::find_engine_spec(entry_.id) == nullptr)
        refuse(DiagCode::C013, "it is an engine whose outputs have no records",
               "add an EngineSpec (src/opspec/engine.h)");
    }
    if (refusals_.empty() && spec_ == nullptr)
      refuse(DiagCode::C013, "it has no reference", "add an OperationSpec to src/opspec");
    // What follows runs its cases, which a signature that lies would make nonsense of.
    if (refusals_.empty()) signature((*module)->pipelines()[main_]);
    if (refusals_.empty()) rules((*module)->pipelines()[main_]);
    if (refusals_.empty()) reference((*module)->pipelines()[main_]);
    return std::move(refusals_);
  }

 private:
  void refuse(DiagCode code, std::string what, std::string help) {
    refusals_.push_back(make_diag(code, {0, 1}, fmt::format("{}: {}", entry_.id, what), std::move(help)));
  }

  /// Gate 1: a pipeline over programs that every device runs. Gate 3: and nothing that no run of it uses.
  void category(const check::CheckedModule& module) {
    const auto& pipelines = module.module().pipelines;
    const auto main = std::ranges::find(pipelines, "main", &ir::Pipeline::name);
    if (main == pipelines.end() || entry_.summary().empty()) {
      return refuse(DiagCode::C013, "there is no pipeline `main`, or no first line `// ID: ...`",
                    "the entry of an operation over buffers is `main`, and its first line says what it does");
    }
    main_ = size_t(main - pipelines.begin());
    for (const auto& program : module.own_programs()) {
      const std::string& name = program->program().name;
      if (!program->intrinsics().empty()) {
        refuse(DiagCode::C008, fmt::format("program {} calls an operation of category C", name),
               "not every device has it, so no operation of the library rests on it");
      }
      if (const size_t bound = program->bound_buffers().size(); bound > kMostBound) {
        refuse(DiagCode::C008,
               fmt::format("program {} binds {} buffers, and WebGPU promises {}", name, bound, kMostBound),
               "put several arrays into one");
      }
    }
    for (const auto& program : module.own_programs()) {
      if (const uint64_t bytes = workgroup_bytes(*program); bytes > kMostWorkgroupBytes) {
        refuse(DiagCode::C008,
               fmt::format("program {} has {} bytes of workgroup memory, and devices have {}",
                           program->program().name, bytes, kMostWorkgroupBytes),
               "make its tiles smaller");
      }
    }
    const std::vector<uint32_t> programs = plan::programs_of(module, uint32_t(main_));
    for (uint32_t k = 0; k < module.own_programs().size(); ++k) {
      if (std::ranges::binary_search(programs, k)) continue;
      refuse(DiagCode::C010,
             fmt::format("no run dispatches program {}", module.own_programs()[k]->program().name),
             "take out what `main` does not reach");
    }
  }

  /// Gate 6: what to hold it to, and laws that can fail.
  void rules(const check::CheckedPipeline& main) {
    const auto directives = text::parse_directives(entry_.file->text);
    if (!directives) return refusals_.push_back(directives.error());
    if (directives->runs.size() < kLeastBufferRows || !directives->oracle) {
      refuse(DiagCode::C013,
             fmt::format("{} rows{}, and the registry wants {}", directives->runs.size(),
                         directives->oracle ? "" : " without an oracle", kLeastBufferRows),
             "add published values as lines `// run:`, and say where they come from in `// oracle:`");
    }
    if (opspec::classes_of(entry_.id).empty())
      refuse(DiagCode::C013, "it has no class of cases", "add one to src/opspec/classes.cpp");
    const auto laws = library::laws_of(entry_.id);
    if (std::ranges::none_of(laws, &library::Law::claimed))
      refuse(DiagCode::C013, "it claims no law", "add one to src/library/laws.def");
    for (const library::Law* law : laws) {
      if (!law->claimed || says_something(*law, main)) continue;
      refuse(DiagCode::C016, fmt::format("the law {} holds of noise as well", law->name),
             "a law must be false of some other operation");
    }
  }

  /// Whether the law fails where the operation leaves noise.
  bool says_something(const library::Law& law, const check::CheckedPipeline& main) const {
    const opspec::Holds holds = opspec::law_checks()[size_t(&law - library::laws().data())];
    bool all = false, few = false;
    const opspec::Trial::Apply apply = [&](std::string_view id, Buffers buffers) {
      if (id != entry_.id) {
        opspec::find_operation(id)->reference(buffers);
        return buffers;
      }
      // A function of what is read, or of all, in small numbers: sizes and places that a law looks for stay
      // small.
      uint64_t seed = kBufferSeed;
      for (size_t b = 0; b < buffers.size() && b < main.parameters; ++b) {
        if (!all && main.buffers[b].access == spec::BufferAccess::ReadWrite) continue;
        seed = (seed ^ buffers[b].size()) * 0x100000001b3;
        for (size_t i = 0; i < opspec::count<uint32_t>(buffers[b]); ++i)
          seed = (seed ^ opspec::get<uint32_t>(buffers[b], i)) * 0x100000001b3;
      }
      RandomStream random(seed, 1);
      for (size_t b = 0; b < buffers.size() && b < main.parameters; ++b) {
        if (main.buffers[b].access != spec::BufferAccess::ReadWrite) continue;
        for (size_t i = 0; i < opspec::count<uint32_t>(buffers[b]); ++i)
          opspec::put(buffers[b], i, random.below(few ? 2 : 64));
      }
      return buffers;
    };
    for (uint64_t number = 0; number < 16 * kCases; ++number) {
      all = number % 2 == 1;
      few = number % 4 >= 2;
      try {
        if (!holds({entry_.id, input(number), apply})) return true;
      } catch (const std::exception&) {
        return true;  // of noise it may miss what it looks for
      }
    }
    return false;
  }

  /// Gate 2: cases are of its buffers, and the reference writes to those alone that it may write.
  void signature(const check::CheckedPipeline& main) {
    for (uint64_t number = 0; number < kCases; ++number) {
      const Buffers before = input(number);
      if (before.size() != main.parameters) {
        return refuse(
            DiagCode::C009,
            fmt::format("its cases have {} buffers, and `main` has {}", before.size(), main.parameters),
            "the generator makes the buffers of `main`, in their order");
      }
      const Buffers left = referred(before);
      for (size_t b = 0; b < before.size(); ++b) {
        const std::string_view name = main.pipeline->code.name(main.buffers[b].name);
        const size_t size = spec::info(main.element(check::BufferId(b))).bytes;
        const bool writable = main.buffers[b].access == spec::BufferAccess::ReadWrite;
        if (before[b].size() % size != 0 || left[b].size() != before[b].size() ||
            (!writable && left[b] != before[b])) {
          return refuse(
              DiagCode::C009,
              fmt::format("{} is no whole elements, or the reference changes its size or what is read-only",
                          name),
              "the reference leaves in each buffer what a run does");
        }
      }
    }
  }

  /// Gate 4: equal inputs, equal results. Gate 5: results that are neither empty nor constant.
  void reference(const check::CheckedPipeline&) {
    std::set<Buffers> results;
    bool changes = false;
    for (uint64_t number = 0; number < kCases; ++number) {
      const Buffers before = input(number), left = referred(before);
      Buffers elsewhere;
      std::jthread([&] { elsewhere = referred(before); }).join();
      if (left != elsewhere || left != referred(before)) {
        return refuse(DiagCode::C011, fmt::format("the reference gives two results of case {}", number),
                      "a reference is a function of its buffers");
      }
      changes = changes || left != before;
      results.insert(left);
    }
    if (!changes || results.size() < 2)
      refuse(DiagCode::C012, "the reference leaves everything as it was", "it writes what a run does");
  }

  Buffers input(uint64_t number) const { return opspec::make_case(*spec_, kBufferSeed, number); }
  Buffers referred(Buffers buffers) const {
    spec_->reference(buffers);
    return buffers;
  }

  const library::Entry& entry_;
  const opspec::OperationSpec* spec_;
  size_t main_ = 0;
  Diagnostics refusals_;
};

}  // namespace

Diagnostics admit(const library::Entry& entry, const opspec::OperationSpec* judge) {
  return BufferGates(entry, judge).run();
}
Diagnostics admit(const library::Entry& entry) { return admit(entry, opspec::find_operation(entry.id)); }

}  // namespace vyre::admit
