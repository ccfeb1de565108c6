// The reference evaluator as a backend: compiling keeps the program, dispatching evaluates it.
#include <utility>

#include "backend/backend.h"
#include "ref/ref.h"
#include "spec/limits.h"

namespace vyre::backend {
namespace {

class ReferencePipeline final : public Pipeline {
 public:
  explicit ReferencePipeline(check::Checked program) : program_(std::move(program)) {}

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    return ref::run(program_, host, groups);
  }

 private:
  check::Checked program_;
};

class Reference final : public Backend {
 public:
  Identity identity() const override {
    return {.name = "reference",
            .device = "any host, 1 thread",
            .driver = "vyre evaluator",
            .version = VYRE_VERSION};
  }
  Limits limits() const override {
    return {.max_invocations_per_group = spec::kMaxInvocationsPerGroup,
            .max_workgroup_bytes = spec::kMaxWorkgroupBytes,
            .max_buffer_bytes = spec::kMaxReferenceBytes};
  }
  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) override {
    return std::make_unique<ReferencePipeline>(program);
  }
};

}  // namespace

std::unique_ptr<Backend> make_reference() { return std::make_unique<Reference>(); }

}  // namespace vyre::backend
