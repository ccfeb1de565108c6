// The reference evaluator as a backend: compiling keeps the program, dispatching evaluates it.
#include <utility>

#include "backend/backend.h"
#include "ref/ref.h"
#include "spec/limits.h"

namespace vyre::backend {
namespace {

class ReferencePipeline final : public Pipeline {
 public:
  ReferencePipeline(check::Checked program, const ref::Options& options)
      : program_(std::move(program)), options_(options) {}

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    return ref::run(program_, host, groups, options_);
  }

 private:
  check::Checked program_;
  ref::Options options_;
};

class Reference final : public Backend {
 public:
  explicit Reference(const ReferenceOptions& options) : options_{.subgroup_size = options.subgroup_size} {}

  Identity identity() const override {
    return {.name = "reference",
            .device = "any host, 1 thread",
            .driver = "vyre evaluator",
            .version = VYRE_VERSION};
  }
  Limits limits() const override {
    return {.max_invocations_per_group = spec::kMaxInvocationsPerGroup,
            .max_workgroup_bytes = spec::kMaxWorkgroupBytes,
            .max_buffer_bytes = spec::kMaxReferenceBytes,
            .subgroup_size = options_.subgroup_size};
  }
  Result<FloatUse> floats() override { return FloatUse{.form = "the definition, over integers"}; }
  bool has(spec::Intrinsic) const override { return options_.subgroup_size != 0; }
  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) override {
    VYRE_CHECK(ref::check_subgroups(program, options_.subgroup_size));
    return std::make_unique<ReferencePipeline>(program, options_);
  }

 private:
  ref::Options options_;
};

}  // namespace

std::unique_ptr<Backend> make_reference(const ReferenceOptions& options) {
  return std::make_unique<Reference>(options);
}

}  // namespace vyre::backend
