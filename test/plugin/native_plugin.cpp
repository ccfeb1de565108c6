#include "native_plugin.h"

#include <utility>

namespace vyre::test {
namespace {

std::string text_of(const vyre_string& view) { return {view.data, view.size}; }

template <typename T, void (*kFree)(T*)>
struct FreeBy {
  void operator()(T* handle) const { kFree(handle); }
};
using Program = std::unique_ptr<vyre_program, FreeBy<vyre_program, vyre_program_free>>;
using Checked = std::unique_ptr<vyre_checked, FreeBy<vyre_checked, vyre_checked_free>>;

/// A checked program, from a program that was made with this status. Takes the program.
vyre_status check(vyre_status made, vyre_program* program, Checked& out, vyre_diagnostics** wrong) {
  const Program owned(program);
  if (made != VYRE_OK) return made;
  vyre_checked* checked = nullptr;
  const vyre_status status = vyre_check(owned.get(), &checked, wrong);
  out.reset(checked);
  return status;
}

std::string print(const vyre_checked* checked) {
  vyre_blob* blob = nullptr;
  if (vyre_print(checked, &blob) != VYRE_OK) return {};
  std::string text = text_of(vyre_blob_view(blob));
  vyre_blob_free(blob);
  return text;
}

}  // namespace

Answer refusal(vyre_status status, vyre_diagnostics* diagnostics) {
  vyre_diagnostic first = {};
  first.struct_size = sizeof first;
  Answer out = {VYRE_PLUGIN_FAULT, text_of(vyre_status_text(status)), ""};
  if (vyre_diagnostics_get(diagnostics, 0, &first) == VYRE_OK) {
    const std::string code = text_of(first.code);
    if (code == "B002") out.status = VYRE_PLUGIN_UNSUPPORTED;
    if (code == "B003" || code == "B007") out.status = VYRE_PLUGIN_RESOURCE_EXCEEDED;
    out.message = text_of(first.message);
    out.help = text_of(first.help);
  }
  vyre_diagnostics_free(diagnostics);
  return out;
}

Answer NativePipeline::dispatch(std::span<const vyre_plugin_range> ranges, const uint32_t groups[3]) {
  std::vector<vyre_buffer> buffers;
  for (const vyre_plugin_range& range : ranges) {
    std::byte* const data = static_cast<HostMemory*>(range.buffer)->data() + range.offset;
    buffers.push_back({data, size_t(range.bytes)});
  }
  vyre_diagnostics* wrong = nullptr;
  const vyre_status status =
      vyre_dispatch(native_, buffers.data(), buffers.size(), groups[0], groups[1], groups[2], &wrong);
  return status == VYRE_OK ? Answer{} : refusal(status, wrong);
}

Answer NativeDevice::open() {
  vyre_diagnostics* wrong = nullptr;
  const vyre_status status = vyre_backend_open("native", 6, &native_, &wrong);
  return status == VYRE_OK ? Answer{} : refusal(status, wrong);
}

vyre_backend_info NativeDevice::info() const {
  vyre_backend_info out = {};
  out.struct_size = sizeof out;
  (void)vyre_backend_get_info(native_, &out);
  return out;
}

void NativeDevice::limits(vyre_plugin_limits& out) const {
  const vyre_backend_info native = info();
  out.max_workgroup_bytes = native.max_workgroup_bytes;
  out.max_buffer_bytes = native.max_buffer_bytes;
  out.max_invocations_per_group = native.max_invocations_per_group;
}

Answer NativeDevice::compile(const vyre_plugin_program& program, std::unique_ptr<vyre_plugin_pipeline>& out) {
  vyre_diagnostics* wrong = nullptr;
  vyre_program* made = nullptr;
  Checked checked;
  vyre_status status = vyre_decode(program.wire, program.wire_size, &made, &wrong);
  status = check(status, made, checked, &wrong);
  if (status != VYRE_OK) return refusal(status, wrong);
  const std::string text = print(checked.get());
  if (const auto instead = replace(text)) {
    status = vyre_parse(instead->data(), instead->size(), &made, &wrong);
    status = check(status, made, checked, &wrong);
    if (status != VYRE_OK) return refusal(status, wrong);
  }
  vyre_pipeline* native = nullptr;
  status = vyre_compile(native_, checked.get(), &native, &wrong);
  if (status != VYRE_OK) return refusal(status, wrong);
  out = make_pipeline(program, text, native);
  return {};
}

std::unique_ptr<vyre_plugin_pipeline> NativeDevice::make_pipeline(const vyre_plugin_program&,
                                                                  const std::string&, vyre_pipeline* native) {
  return std::make_unique<NativePipeline>(native);
}

std::unique_ptr<HostMemory> NativeDevice::make_memory(uint64_t bytes) {
  return std::make_unique<HostMemory>(bytes);
}

Answer NativeDevice::allocate(uint64_t bytes, std::unique_ptr<vyre_plugin_buffer>& out) {
  auto made = make_memory(bytes);
  if (made->data() == nullptr) {
    return {VYRE_PLUGIN_RESOURCE_EXCEEDED, "no memory for " + std::to_string(bytes) + " bytes",
            "use smaller buffers"};
  }
  out = std::move(made);
  return {};
}

}  // namespace vyre::test
