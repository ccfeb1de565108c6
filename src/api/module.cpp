// Modules in the C API: files of several items, what they declare, and pipelines over memory that stays on a
// device.
#include <array>
#include <optional>
#include <utility>

#include "api/handles.h"
#include "backend/backend.h"
#include "host/files.h"
#include "library/library.h"
#include "ops/operation.h"

namespace {

using namespace vyre;
using api::view;

/// An item by its number: operations, then programs, then pipelines.
struct ItemIndex {
  vyre_item_kind kind;
  size_t number;
};

std::optional<ItemIndex> index_of(const ir::Module& module, size_t item) {
  const std::array sizes = {module.operations.size(), module.programs.size(), module.pipelines.size(),
                            module.graphs.size()};
  constexpr std::array kKinds = {VYRE_ITEM_OPERATION, VYRE_ITEM_PROGRAM, VYRE_ITEM_PIPELINE, VYRE_ITEM_GRAPH};
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (item < sizes[i]) return ItemIndex{kKinds[i], item};
    item -= sizes[i];
  }
  return std::nullopt;
}

/// The number of an item of this kind, if it is one.
std::optional<size_t> number_of(const vyre_checked_module* checked, size_t item, vyre_item_kind kind) {
  if (checked == nullptr) return std::nullopt;
  const auto item_index = index_of(checked->checked->module(), item);
  return item_index && item_index->kind == kind ? std::optional(item_index->number) : std::nullopt;
}

size_t item_of(const ir::Module& module, host::Entry entry) {
  size_t before = module.operations.size();
  if (entry.kind != host::ItemKind::Program) before += module.programs.size();
  if (entry.kind == host::ItemKind::Graph) before += module.pipelines.size();
  return before + entry.number;
}

}  // namespace

vyre_status vyre_module_parse(const char* text, size_t size, const vyre_constant* constants,
                              size_t constant_count, vyre_module** out, vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (!api::is_text(text, size) || !api::readable(constants, constant_count)) return VYRE_INVALID_ARGUMENT;
    text::Constants chosen;
    for (const vyre_constant& constant : std::span(constants, constant_count)) {
      if (!api::readable(constant.name, constant.name_size)) return VYRE_INVALID_ARGUMENT;
      const auto name = std::string(api::text_of(constant.name, constant.name_size));
      if (!chosen.emplace(name, constant.value).second) return VYRE_INVALID_ARGUMENT;
    }
    auto source = api::source_of(text, size);
    auto module = text::parse_module(source->text(), &ops::op_table(), chosen);
    if (!module) return api::refuse(std::move(module).error(), std::move(source), diagnostics);
    for (const auto& [name, value] : chosen) {
      const auto& all = module->constants;
      if (std::ranges::find(all, name, &ir::Constant::name) == all.end()) return VYRE_INVALID_ARGUMENT;
    }
    *out = new vyre_module{std::move(*module), std::move(source)};
    return VYRE_OK;
  });
}

vyre_status vyre_module_decode(const void* bytes, size_t size, vyre_module** out,
                               vyre_diagnostics** diagnostics) {
  return api::decode(bytes, size, out, diagnostics, wire::decode_module);
}

size_t vyre_library_count(void) { return library::entries().size(); }

vyre_string vyre_library_get_id(size_t index) {
  if (index >= vyre_library_count()) return {};
  return view(library::entries()[index].id);
}

vyre_status vyre_module_of_library(const char* id, size_t size, vyre_module** out) {
  return api::making(out, nullptr, [&]() -> vyre_status {
    if (!api::readable(id, size)) return VYRE_INVALID_ARGUMENT;
    const ir::Module* const module = ops::op_table().find_module({id, size}, 1);
    if (module == nullptr) return VYRE_INVALID_ARGUMENT;
    *out = new vyre_module{*module, nullptr};
    return VYRE_OK;
  });
}

vyre_status vyre_module_encode(const vyre_module* module, vyre_blob** out) {
  return api::encode(module != nullptr ? &module->module : nullptr, out);
}

vyre_status vyre_module_digest(const vyre_module* module, uint8_t out[32]) {
  return api::digest(module != nullptr ? &module->module : nullptr, out);
}

size_t vyre_module_item_count(const vyre_module* module) {
  if (module == nullptr) return 0;
  const ir::Module& m = module->module;
  return m.operations.size() + m.programs.size() + m.pipelines.size() + m.graphs.size();
}

vyre_status vyre_module_get_item(const vyre_module* module, size_t item, vyre_item_info* out) {
  const auto item_index = module != nullptr ? index_of(module->module, item) : std::nullopt;
  if (!item_index || out == nullptr) return VYRE_INVALID_ARGUMENT;
  vyre_item_info answer = {};
  answer.kind = item_index->kind;
  const auto with_buffers = [&](const auto& declared) {
    answer.name = view(declared.name);
    answer.buffer_count = declared.buffers.size();
    answer.bound_count = api::count_bound(declared.buffers);
  };
  if (item_index->kind == VYRE_ITEM_OPERATION) {
    const ir::Operation& operation = module->module.operations[item_index->number];
    answer.name = view(operation.function.id);
    answer.version = operation.version;
  } else if (item_index->kind == VYRE_ITEM_PROGRAM) {
    with_buffers(module->module.programs[item_index->number]);
  } else if (item_index->kind == VYRE_ITEM_PIPELINE) {
    with_buffers(module->module.pipelines[item_index->number]);
  } else {
    const ir::Graph& graph = module->module.graphs[item_index->number];
    answer.name = view(graph.name);
    answer.version = graph.version;
    answer.buffer_count = answer.bound_count = graph.parameters.size() + graph.outputs.size();
  }
  return api::give(answer, offsetof(vyre_item_info, bound_count) + sizeof answer.bound_count, out);
}

vyre_status vyre_module_get_buffer(const vyre_module* module, size_t item, size_t index,
                                   vyre_buffer_info* out) {
  const auto item_index = module != nullptr ? index_of(module->module, item) : std::nullopt;
  if (!item_index || item_index->kind == VYRE_ITEM_OPERATION) return VYRE_INVALID_ARGUMENT;
  if (item_index->kind == VYRE_ITEM_GRAPH) {
    const ir::Graph& graph = module->module.graphs[item_index->number];
    std::vector<ir::BufferDecl> tensors;  // as buffers of the pipeline that it becomes
    const auto add = [&](const ir::TensorDecl& tensor, spec::BufferAccess access) {
      ir::BufferDecl& buffer = tensors.emplace_back();
      buffer.name = tensor.name;
      buffer.access = access;
      buffer.element = tensor.element;
      buffer.binding = uint32_t(tensors.size()) - 1;
    };
    for (const ir::TensorDecl& tensor : graph.parameters) add(tensor, spec::BufferAccess::Read);
    for (const ir::TensorDecl& tensor : graph.outputs) add(tensor, spec::BufferAccess::ReadWrite);
    return api::guarded([&] { return api::give_buffer(tensors, graph.code, index, out); });
  }
  const auto of = [&](const auto& declared) {
    return api::give_buffer(declared.buffers, declared.code, index, out);
  };
  return item_index->kind == VYRE_ITEM_PROGRAM ? of(module->module.programs[item_index->number])
                                               : of(module->module.pipelines[item_index->number]);
}

size_t vyre_module_constant_count(const vyre_module* module) {
  return module != nullptr ? module->module.constants.size() : 0;
}

vyre_status vyre_module_get_constant(const vyre_module* module, size_t index, vyre_constant_info* out) {
  if (index >= vyre_module_constant_count(module) || out == nullptr) return VYRE_INVALID_ARGUMENT;
  const ir::Constant& constant = module->module.constants[index];
  vyre_constant_info answer = {};
  answer.name = view(constant.name);
  answer.value = constant.value;
  answer.written = constant.written;
  return api::give(answer, offsetof(vyre_constant_info, written) + sizeof answer.written, out);
}

void vyre_module_free(vyre_module* module) { delete module; }

vyre_status vyre_module_check(const vyre_module* module, vyre_checked_module** out,
                              vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (module == nullptr) return VYRE_INVALID_ARGUMENT;
    auto checked = check::check(module->module, ops::op_table());
    if (!checked) return api::refuse(std::move(checked).error(), module->source, diagnostics);
    *out = new vyre_checked_module{std::move(*checked), module->source};
    return VYRE_OK;
  });
}

vyre_status vyre_module_print(const vyre_checked_module* checked, vyre_blob** out) {
  return api::print(checked != nullptr ? &checked->checked->module() : nullptr, out);
}

vyre_status vyre_module_find_entry(const vyre_checked_module* checked, const char* name, size_t size,
                                   size_t* item) {
  if (checked == nullptr || item == nullptr || !api::readable(name, size)) return VYRE_INVALID_ARGUMENT;
  return api::guarded([&]() -> vyre_status {
    std::optional<std::string> wanted;
    if (size != 0) wanted.emplace(name, size);
    const auto entry = host::find_entry(*checked->checked, wanted);
    if (!entry) return VYRE_INVALID_ARGUMENT;
    *item = item_of(checked->checked->module(), *entry);
    return VYRE_OK;
  });
}

vyre_status vyre_module_program(const vyre_checked_module* checked, size_t item, vyre_checked** out) {
  return api::making(out, nullptr, [&]() -> vyre_status {
    const auto number = number_of(checked, item, VYRE_ITEM_PROGRAM);
    if (!number) return VYRE_INVALID_ARGUMENT;
    *out = new vyre_checked{checked->checked->programs()[*number], checked->source};
    return VYRE_OK;
  });
}

void vyre_checked_module_free(vyre_checked_module* checked) { delete checked; }

vyre_status vyre_module_compile(vyre_backend* backend, const vyre_checked_module* checked, size_t item,
                                vyre_executable** out, vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    const auto number = number_of(checked, item, VYRE_ITEM_PIPELINE);
    if (backend == nullptr || !number) return VYRE_INVALID_ARGUMENT;
    auto made = plan::Executable::make(*backend->backend, checked->checked, uint32_t(*number));
    if (!made) return api::refuse(std::move(made).error(), checked->source, diagnostics);
    *out = new vyre_executable{backend->backend, checked->source, {}, std::move(*made)};
    return VYRE_OK;
  });
}

vyre_status vyre_device_buffer_allocate(vyre_backend* backend, uint64_t size, vyre_device_buffer** out,
                                        vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (backend == nullptr) return VYRE_INVALID_ARGUMENT;
    auto buffer = backend->backend->allocate(size);
    if (!buffer) return api::refuse(std::move(buffer).error(), nullptr, diagnostics);
    *out = new vyre_device_buffer{backend->backend, std::move(*buffer)};
    return VYRE_OK;
  });
}

namespace {

/// A call that gives nothing but a refusal.
template <typename Call>
vyre_status doing(bool good, const std::shared_ptr<const Source>& source, vyre_diagnostics** diagnostics,
                  Call call) {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (!good) return VYRE_INVALID_ARGUMENT;
  return api::guarded([&]() -> vyre_status {
    Result<void> done = call();
    return done ? VYRE_OK : api::refuse(std::move(done).error(), source, diagnostics);
  });
}

}  // namespace

vyre_status vyre_device_buffer_write(vyre_device_buffer* buffer, uint64_t offset, const void* data,
                                     size_t size, vyre_diagnostics** diagnostics) {
  return doing(buffer != nullptr && api::readable(data, size), nullptr, diagnostics,
               [&] { return buffer->buffer->write(offset, {static_cast<const std::byte*>(data), size}); });
}

vyre_status vyre_device_buffer_read(vyre_device_buffer* buffer, uint64_t offset, void* data, size_t size,
                                    vyre_diagnostics** diagnostics) {
  return doing(buffer != nullptr && api::readable(data, size), nullptr, diagnostics,
               [&] { return buffer->buffer->read(offset, {static_cast<std::byte*>(data), size}); });
}

void vyre_device_buffer_free(vyre_device_buffer* buffer) { delete buffer; }

vyre_status vyre_executable_run(vyre_executable* executable, const vyre_range* ranges, size_t range_count,
                                vyre_diagnostics** diagnostics) {
  const std::span given(ranges, api::readable(ranges, range_count) ? range_count : 0);
  const bool good = executable != nullptr && given.size() == range_count &&
                    std::ranges::all_of(given, [&](const vyre_range& range) {
                      return range.buffer != nullptr && range.buffer->backend == executable->backend;
                    });
  return doing(good, good ? executable->source : nullptr, diagnostics, [&]() -> Result<void> {
    std::vector<backend::DeviceRange> device;
    std::vector<std::shared_ptr<backend::DeviceBuffer>> used;
    for (const vyre_range& range : given) {
      device.push_back({range.buffer->buffer.get(), range.offset, range.size});
      used.push_back(range.buffer->buffer);
    }
    VYRE_CHECK(executable->executable.run(device));
    executable->used = std::move(used);
    return {};
  });
}

vyre_status vyre_executable_run_host(vyre_executable* executable, const vyre_buffer* buffers,
                                     size_t buffer_count, vyre_diagnostics** diagnostics) {
  return vyre_dispatch_engine(executable, buffers, buffer_count, nullptr, diagnostics);
}

vyre_status vyre_dispatch_engine(vyre_executable* executable, const vyre_buffer* buffers, size_t buffer_count,
                                 vyre_run_counts* counts, vyre_diagnostics** diagnostics) {
  const std::span given(buffers, api::readable(buffers, buffer_count) ? buffer_count : 0);
  const bool good = executable != nullptr && given.size() == buffer_count &&
                    (counts == nullptr || counts->struct_size >= sizeof *counts) &&
                    std::ranges::all_of(given, [](const vyre_buffer& buffer) {
                      return api::readable(buffer.data, buffer.size);
                    });
  return doing(good, good ? executable->source : nullptr, diagnostics, [&]() -> Result<void> {
    std::vector<std::span<std::byte>> host;
    for (const vyre_buffer& buffer : given)
      host.emplace_back(static_cast<std::byte*>(buffer.data), buffer.size);
    plan::RunNotes notes;
    VYRE_CHECK(executable->executable.run_host(host, &notes));
    if (counts == nullptr) return {};
    vyre_run_counts answer = {};
    answer.dispatches = notes.dispatches;
    answer.scratch_bytes = notes.scratch_bytes;
    answer.turns = notes.turns;
    for (const auto& [place, times] : notes.unfinished) answer.unfinished += times;
    api::give(answer, sizeof answer, counts);
    return {};
  });
}

void vyre_executable_free(vyre_executable* executable) { delete executable; }
