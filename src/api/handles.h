// What is behind the opaque handles of include/vyre/vyre.h, and how a call crosses the boundary of C.
//
// The C API is a thin wrapper: each function checks its arguments, calls one function of a layer, and turns a
// Result into a status with diagnostics. Exceptions end here: vyre throws none for bad input, and what the
// standard library throws when memory is short becomes a status.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backend/backend.h"
#include "base/diag.h"
#include "check/checked.h"
#include "check/module.h"
#include "ir/module.h"
#include "plan/graph.h"
#include "plan/pipeline.h"
#include "text/text.h"
#include "vyre/vyre.h"
#include "wire/wire.h"

struct vyre_diagnostics {
  vyre::Diagnostics list;
  std::shared_ptr<const vyre::Source> source;  // null without a text
};

struct vyre_blob {
  std::string contents;
};

struct vyre_program {
  vyre::ir::Program program;
  std::shared_ptr<const vyre::Source> source;  // null when it came from the wire
};

struct vyre_checked {
  std::shared_ptr<const vyre::check::Checked> checked;
  std::shared_ptr<const vyre::Source> source;
};

struct vyre_backend {
  std::shared_ptr<vyre::backend::Backend> backend;
  vyre::backend::Identity identity;
};

struct vyre_pipeline {
  // In this order, so that the pipeline goes first and what it stands on goes last.
  std::shared_ptr<vyre::backend::Backend> backend;
  std::shared_ptr<const vyre::check::Checked> checked;
  std::shared_ptr<const vyre::Source> source;
  std::unique_ptr<vyre::backend::Pipeline> pipeline;
};

struct vyre_module {
  vyre::ir::Module module;
  std::shared_ptr<const vyre::Source> source;  // null when it came from the wire
};

struct vyre_checked_module {
  std::shared_ptr<const vyre::check::CheckedModule> checked;
  std::shared_ptr<const vyre::Source> source;
};

struct vyre_device_buffer {
  std::shared_ptr<vyre::backend::Backend> backend;  // outlives the buffer
  std::shared_ptr<vyre::backend::DeviceBuffer> buffer;
};

struct vyre_executable {
  // In this order, so that the executable goes first and what it stands on goes last.
  std::shared_ptr<vyre::backend::Backend> backend;
  std::shared_ptr<const vyre::Source> source;
  std::vector<std::shared_ptr<vyre::backend::DeviceBuffer>> used;  // of the last run, whose recording is kept
  vyre::plan::Executable executable;
};

struct vyre_graph {
  std::shared_ptr<vyre::backend::Backend> backend;
  std::shared_ptr<const vyre::check::CheckedModule> checked;
  std::shared_ptr<const vyre::Source> source;
  size_t parameters = 0, outputs = 0;
  vyre::plan::GraphExecutable executable;
};

namespace vyre::api {

/// Of something that a null byte follows: a std::string, a literal.
inline vyre_string view(std::string_view text) { return {text.empty() ? "" : text.data(), text.size()}; }

/// Whether data of this size may be read: null only for none.
inline bool readable(const void* data, size_t size) { return data != nullptr || size == 0; }

inline std::string_view text_of(const char* data, size_t size) {
  return size == 0 ? std::string_view{} : std::string_view(data, size);
}

/// Gives the caller as much of a struct as it has room for. first_size: the struct's size in the first
/// version that had it, below which no caller was compiled.
template <typename Info>
vyre_status give(const Info& info, size_t first_size, Info* out) {
  static_assert(std::is_trivially_copyable_v<Info> && offsetof(Info, struct_size) == 0);
  const size_t size = out->struct_size;
  if (size < first_size) return VYRE_INVALID_ARGUMENT;
  std::memcpy(reinterpret_cast<std::byte*>(out) + sizeof size,
              reinterpret_cast<const std::byte*>(&info) + sizeof size,
              std::min(size, sizeof(Info)) - sizeof size);
  return VYRE_OK;
}

/// How many buffers a run takes: all but workgroup memory.
size_t count_bound(std::span<const ir::BufferDecl> buffers);
/// Says what a buffer of an item is. Errors: an index past the end.
vyre_status give_buffer(std::span<const ir::BufferDecl> buffers, const ir::Code& code, size_t index,
                        vyre_buffer_info* out);

/// Offsets into a text are 32 bits, and the highest one means "none".
inline bool is_text(const char* text, size_t size) { return readable(text, size) && size < UINT32_MAX; }
inline std::shared_ptr<const Source> source_of(const char* text, size_t size) {
  return std::make_shared<const Source>("", std::string(text_of(text, size)));
}

/// VYRE_REFUSED, with the diagnostics where they are wanted.
inline vyre_status refuse(Diagnostics list, std::shared_ptr<const Source> source, vyre_diagnostics** out) {
  if (out != nullptr) *out = new vyre_diagnostics{std::move(list), std::move(source)};
  return VYRE_REFUSED;
}
inline vyre_status refuse(Diag diag, std::shared_ptr<const Source> source, vyre_diagnostics** out) {
  Diagnostics list;
  list.push_back(std::move(diag));
  return refuse(std::move(list), std::move(source), out);
}

/// Runs the body of an API function.
template <typename Body>
vyre_status guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return VYRE_OUT_OF_MEMORY;
  } catch (const std::exception&) {
    return VYRE_INTERNAL_FAULT;
  }
}

/// The same for one that makes a handle and may refuse its input: clears what it gives, then runs.
template <typename Handle, typename Body>
vyre_status making(Handle** out, vyre_diagnostics** diagnostics, Body&& body) noexcept {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  if (out == nullptr) return VYRE_INVALID_ARGUMENT;
  *out = nullptr;
  return guarded(body);
}

// What programs and modules have alike. A null handle is a null item.

template <typename Handle, typename Decode>
vyre_status decode(const void* bytes, size_t size, Handle** out, vyre_diagnostics** diagnostics,
                   Decode&& decoded) {
  return making(out, diagnostics, [&]() -> vyre_status {
    if (!readable(bytes, size)) return VYRE_INVALID_ARGUMENT;
    auto item = decoded(std::span(static_cast<const std::byte*>(bytes), size));
    if (!item) return refuse(std::move(item).error(), nullptr, diagnostics);
    *out = new Handle{std::move(*item), nullptr};
    return VYRE_OK;
  });
}

template <typename Item>
vyre_status encode(const Item* item, vyre_blob** out) {
  return making(out, nullptr, [&]() -> vyre_status {
    if (item == nullptr) return VYRE_INVALID_ARGUMENT;
    const Bytes bytes = wire::encode(*item);
    *out = new vyre_blob{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
    return VYRE_OK;
  });
}

template <typename Item>
vyre_status digest(const Item* item, uint8_t* out) {
  if (item == nullptr || out == nullptr) return VYRE_INVALID_ARGUMENT;
  return guarded([&]() -> vyre_status {
    std::ranges::copy(wire::digest(*item).bytes, out);
    return VYRE_OK;
  });
}

template <typename Item>
vyre_status print(const Item* item, vyre_blob** out) {
  return making(out, nullptr, [&]() -> vyre_status {
    if (item == nullptr) return VYRE_INVALID_ARGUMENT;
    *out = new vyre_blob{text::print(*item)};
    return VYRE_OK;
  });
}

}  // namespace vyre::api
