// The reference evaluator as a backend: compiling keeps the program, dispatching evaluates it.
#include <fmt/format.h>

#include <utility>

#include "backend/backend.h"
#include "ref/ref.h"
#include "ref/schedules.h"
#include "spec/limits.h"

namespace vyre::backend {
namespace {

class ReferencePipeline final : public Pipeline {
 public:
  ReferencePipeline(check::Checked program, const ReferenceOptions& how, const ref::Options& options)
      : program_(std::move(program)), how_(how), options_(options) {}

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    if (how_.detect_races) return detect_races(host, groups);
    if (!how_.schedule) return ref::run(program_, host, groups, options_);
    return ref::run_scheduled(program_, host, groups, options_, {ref::Schedule::Kind::Random, *how_.schedule},
                              nullptr);
  }

 private:
  Result<void> detect_races(std::span<const std::span<std::byte>> host, layout::Groups groups) {
    VYRE_TRY(found, ref::find_races(program_, host, groups, options_, how_.schedule));
    if (!found.races.empty()) {
      Diag diag = ref::race_diagnostic(program_, found.races.front());
      if (found.races.size() > 1)
        diag.notes.push_back({found.races[1].second.span,
                              found.races.size() == 2
                                  ? std::string("1 more pair of places races, this one with another")
                                  : fmt::format("{} more pairs of places race, this one with another",
                                                found.races.size() - 1)});
      diag.notes.push_back({Span::none(), found.covered});
      return std::unexpected(std::move(diag));
    }
    if (how_.warn) {
      for (const Diag& diag : ref::warnings(program_, found)) how_.warn(diag);
    }
    if (how_.covered)
      how_.covered(fmt::format("{}, groups {},{},{}: no race found: {}", program_.program().name, groups.x,
                               groups.y, groups.z, found.covered));
    return {};
  }

  check::Checked program_;
  ReferenceOptions how_;
  ref::Options options_;
};

class Reference final : public Backend {
 public:
  explicit Reference(const ReferenceOptions& options)
      : how_(options), options_{.subgroup_size = options.subgroup_size} {}

  Identity identity() const override {
    return {.name = "reference",
            .device = "any host, 1 thread",
            .driver = "vyre evaluator",
            .version = VYRE_VERSION,
            .kind = spec::DeviceKind::Cpu};
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
    return std::make_unique<ReferencePipeline>(program, how_, options_);
  }

 private:
  ReferenceOptions how_;
  ref::Options options_;
};

}  // namespace

std::unique_ptr<Backend> make_reference(const ReferenceOptions& options) {
  return std::make_unique<Reference>(options);
}

}  // namespace vyre::backend
