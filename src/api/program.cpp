// Programs in the C API: parse, decode, encode, format, print, check, and what they declare.
#include "api/handles.h"
#include "ops/operation.h"
#include "spec/types.h"

namespace {

using namespace vyre;
using api::view;

// The numbers of the C API: a new type or access does not compile before it has one.
constexpr vyre_type type_of(spec::DataType type) {
  using enum spec::DataType;
  switch (type) {
    case U32: return VYRE_TYPE_U32;
    case I32: return VYRE_TYPE_I32;
    case U64: return VYRE_TYPE_U64;
    case U128: return VYRE_TYPE_U128;
    case Vec2U32: return VYRE_TYPE_VEC2U32;
    case Vec4U32: return VYRE_TYPE_VEC4U32;
    case Bool: return VYRE_TYPE_BOOL;
    case Bytes: return VYRE_TYPE_BYTES;
    case F16: return VYRE_TYPE_F16;
    case BF16: return VYRE_TYPE_BF16;
    case F32: return VYRE_TYPE_F32;
    case Tensor: return VYRE_TYPE_TENSOR;
    case I8: return VYRE_TYPE_I8;
    case U8: return VYRE_TYPE_U8;
    case FP8E4M3: return VYRE_TYPE_FP8_E4M3;
    case FP8E5M2: return VYRE_TYPE_FP8_E5M2;
    case FP4E2M1: return VYRE_TYPE_FP4_E2M1;
  }
  return 0;
}
static_assert(std::ranges::all_of(spec::kTypes,
                                  [](const spec::TypeInfo& t) { return type_of(t.type) == t.wire_tag; }),
              "the type numbers of vyre.h are the permanent tags of types.def");

constexpr vyre_access access_of(spec::BufferAccess access) {
  using enum spec::BufferAccess;
  switch (access) {
    case Read: return VYRE_ACCESS_READ;
    case ReadWrite: return VYRE_ACCESS_READ_WRITE;
    case Uniform: return VYRE_ACCESS_UNIFORM;
    case Workgroup: return VYRE_ACCESS_WORKGROUP;
    case Private: return VYRE_ACCESS_PRIVATE;
  }
  return 0;
}

bool is_bound(const ir::BufferDecl& buffer) { return spec::is_bound(buffer.access); }

}  // namespace

vyre_status vyre_parse(const char* text, size_t size, vyre_program** out, vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (!api::is_text(text, size)) return VYRE_INVALID_ARGUMENT;
    auto source = api::source_of(text, size);
    auto program = text::parse(source->text(), &ops::op_table());
    if (!program) return api::refuse(std::move(program).error(), std::move(source), diagnostics);
    *out = new vyre_program{std::move(*program), std::move(source)};
    return VYRE_OK;
  });
}

vyre_status vyre_decode(const void* bytes, size_t size, vyre_program** out, vyre_diagnostics** diagnostics) {
  return api::decode(bytes, size, out, diagnostics, wire::decode);
}

vyre_status vyre_encode(const vyre_program* program, vyre_blob** out) {
  return api::encode(program != nullptr ? &program->program : nullptr, out);
}

vyre_status vyre_digest(const vyre_program* program, uint8_t out[32]) {
  return api::digest(program != nullptr ? &program->program : nullptr, out);
}

vyre_status vyre_format(const char* text, size_t size, vyre_blob** out, vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (!api::is_text(text, size)) return VYRE_INVALID_ARGUMENT;
    auto formatted = text::format(api::text_of(text, size));
    if (!formatted) {
      return api::refuse(std::move(formatted).error(), api::source_of(text, size), diagnostics);
    }
    *out = new vyre_blob{std::move(*formatted)};
    return VYRE_OK;
  });
}

namespace vyre::api {

size_t count_bound(std::span<const ir::BufferDecl> buffers) {
  return size_t(std::ranges::count_if(buffers, is_bound));
}

vyre_status give_buffer(std::span<const ir::BufferDecl> buffers, const ir::Code& code, size_t index,
                        vyre_buffer_info* out) {
  if (index >= buffers.size() || out == nullptr) return VYRE_INVALID_ARGUMENT;
  const ir::BufferDecl& buffer = buffers[index];
  vyre_buffer_info answer = {};
  answer.name = view(code.name(buffer.name));
  answer.access = access_of(buffer.access);
  answer.type = type_of(buffer.element);
  answer.type_name = view(spec::text(buffer.element));
  answer.element_bytes = spec::info(buffer.element).bytes;
  answer.binding = buffer.binding;
  answer.count = buffer.count;
  answer.bound_index = is_bound(buffer) ? uint32_t(count_bound(buffers.first(index))) : VYRE_NOT_BOUND;
  return give(answer, offsetof(vyre_buffer_info, bound_index) + sizeof answer.bound_index, out);
}

}  // namespace vyre::api

vyre_status vyre_program_get_info(const vyre_program* program, vyre_program_info* out) {
  if (program == nullptr || out == nullptr) return VYRE_INVALID_ARGUMENT;
  const ir::Program& p = program->program;
  vyre_program_info answer = {};
  answer.name = view(p.name);
  std::ranges::copy(p.workgroup_size, answer.workgroup_size);
  answer.buffer_count = p.buffers.size();
  answer.bound_count = api::count_bound(p.buffers);
  return api::give(answer, offsetof(vyre_program_info, bound_count) + sizeof answer.bound_count, out);
}

vyre_status vyre_program_get_buffer(const vyre_program* program, size_t index, vyre_buffer_info* out) {
  if (program == nullptr) return VYRE_INVALID_ARGUMENT;
  return api::give_buffer(program->program.buffers, program->program.code, index, out);
}

void vyre_program_free(vyre_program* program) { delete program; }

vyre_status vyre_check(const vyre_program* program, vyre_checked** out, vyre_diagnostics** diagnostics) {
  return api::making(out, diagnostics, [&]() -> vyre_status {
    if (program == nullptr) return VYRE_INVALID_ARGUMENT;
    auto checked = check::check(program->program, ops::op_table());
    if (!checked) return api::refuse(std::move(checked).error(), program->source, diagnostics);
    *out = new vyre_checked{std::make_shared<const check::Checked>(std::move(*checked)), program->source};
    return VYRE_OK;
  });
}

vyre_status vyre_print(const vyre_checked* checked, vyre_blob** out) {
  return api::print(checked != nullptr ? &checked->checked->program() : nullptr, out);
}

void vyre_checked_free(vyre_checked* checked) { delete checked; }
