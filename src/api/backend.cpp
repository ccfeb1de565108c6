// Running in the C API: backends, pipelines and dispatches over the caller's memory.
#include <algorithm>
#include <span>
#include <vector>

#include "api/handles.h"
#include "backend/registry/registry.h"

namespace {

using namespace vyre;
using api::view;

}  // namespace

size_t vyre_backend_count(void) { return backend::all_backends().size(); }

vyre_string vyre_backend_name(size_t index) {
  const std::span<const backend::Entry> all = backend::all_backends();
  return view(index < all.size() ? all[index].name : "");
}

vyre_status vyre_backend_open(const char* name, size_t size, vyre_backend** out,
                              vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (!api::readable(name, size)) return VYRE_INVALID_ARGUMENT;
    auto opened = backend::open(api::text_of(name, size), {.reference = {}, .keeps_code = true});
    if (!opened) return api::refuse(std::move(opened).error(), nullptr, diagnostics);
    std::shared_ptr<backend::Backend> backend = std::move(*opened);
    backend::Identity identity = backend->identity();
    *out = new vyre_backend{std::move(backend), std::move(identity)};
    return VYRE_OK;
  });
}

vyre_status vyre_backend_get_info(const vyre_backend* backend, vyre_backend_info* out) {
  if (backend == nullptr || out == nullptr) return VYRE_INVALID_ARGUMENT;
  return api::guarded([&] {
    const backend::Limits limits = backend->backend->limits();
    vyre_backend_info answer = {};
    answer.name = view(backend->identity.name);
    answer.device = view(backend->identity.device);
    answer.driver = view(backend->identity.driver);
    answer.version = view(backend->identity.version);
    answer.max_invocations_per_group = limits.max_invocations_per_group;
    answer.max_workgroup_bytes = limits.max_workgroup_bytes;
    answer.max_buffer_bytes = limits.max_buffer_bytes;
    answer.workgroup_element_bytes = limits.workgroup_element_bytes;
    answer.convention = std::min(backend->backend->convention(), spec::kLatestConvention);
    return api::give(answer, offsetof(vyre_backend_info, max_buffer_bytes) + sizeof answer.max_buffer_bytes,
                     out);
  });
}

void vyre_backend_free(vyre_backend* backend) { delete backend; }

namespace {

/// `compile` makes the pipeline.
template <typename Compile>
vyre_status make_pipeline(vyre_backend* backend, const vyre_checked* checked, vyre_pipeline** out,
                          vyre_diagnostics** diagnostics, Compile compile) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (backend == nullptr || checked == nullptr) return VYRE_INVALID_ARGUMENT;
    auto pipeline = compile(*backend->backend, *checked->checked);
    if (!pipeline) return api::refuse(std::move(pipeline).error(), checked->source, diagnostics);
    *out = new vyre_pipeline{backend->backend, checked->checked, checked->source, std::move(*pipeline)};
    return VYRE_OK;
  });
}

}  // namespace

vyre_status vyre_compile(vyre_backend* backend, const vyre_checked* checked, vyre_pipeline** out,
                         vyre_diagnostics** diagnostics) {
  return make_pipeline(
      backend, checked, out, diagnostics,
      [](backend::Backend& on, const check::Checked& program) { return on.compile(program); });
}

vyre_status vyre_compile_convention(vyre_backend* backend, const vyre_checked* checked,
                                    const vyre_convention* convention, vyre_pipeline** out,
                                    vyre_diagnostics** diagnostics) {
  const bool given = convention != nullptr && convention->struct_size >= sizeof(vyre_convention);
  // Version 1 has no lookup table, and for one that is not known the number is all that counts.
  const spec::Convention wanted = !given ? spec::Convention{}
                                  : convention->version == 2
                                      ? spec::Convention::v2(convention->lookup_binding)
                                      : spec::Convention{convention->version};
  return make_pipeline(given ? backend : nullptr, checked, out, diagnostics,
                       [&](backend::Backend& on, const check::Checked& program) {
                         return backend::make_pipeline(on, program, wanted);
                       });
}

vyre_status vyre_dispatch(vyre_pipeline* pipeline, const vyre_buffer* buffers, size_t buffer_count,
                          uint32_t x, uint32_t y, uint32_t z, vyre_diagnostics** diagnostics) {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (pipeline == nullptr || !api::readable(buffers, buffer_count)) return VYRE_INVALID_ARGUMENT;
  return api::guarded([&]() -> vyre_status {
    std::vector<std::span<std::byte>> host;
    for (const vyre_buffer& buffer : std::span(buffers, buffer_count)) {
      if (!api::readable(buffer.data, buffer.size)) return VYRE_INVALID_ARGUMENT;
      host.emplace_back(static_cast<std::byte*>(buffer.data), buffer.size);
    }
    auto done = pipeline->pipeline->dispatch(host, layout::Groups{x, y, z});
    if (!done) return api::refuse(std::move(done).error(), pipeline->source, diagnostics);
    return VYRE_OK;
  });
}

void vyre_pipeline_free(vyre_pipeline* pipeline) { delete pipeline; }
