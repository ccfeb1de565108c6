// onecore: a whole backend for vyre, to be read from top to bottom.
//
// Its device is one core of this CPU, its memory is the host's, and its compiler is LLVM, through LLVM's C
// interface. vyre hands it each program as LLVM IR; all that is left to do is to compile that, to keep
// buffers, and to call the function. A backend for a chip of your own has the same functions.
//
// docs/adding-a-backend.md explains the interface; vyre/backend.h is its reference.
#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <vyre/backend.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace {

const vyre_plugin_host* host = nullptr;  // what vyre does for us

// Code moves at most 16 bytes, wants its scratch memory aligned to 64, and may touch the first element of a
// buffer that has none.
constexpr size_t kAlignment = 256;

void* aligned(uint64_t bytes) {
  if (bytes > SIZE_MAX - 2 * kAlignment) return nullptr;
  const size_t whole = (size_t(bytes) / kAlignment + 1) * kAlignment;  // so never 0
  return std::aligned_alloc(kAlignment, whole);
}

/// Says why, and gives the status back: `return fail(error, VYRE_PLUGIN_FAULT, "...")`.
vyre_plugin_status fail(vyre_plugin_error* error, vyre_plugin_status status, const char* message,
                        const char* help = "") {
  std::snprintf(error->message, sizeof error->message, "%s", message);
  std::snprintf(error->help, sizeof error->help, "%s", help);
  return status;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------
// 1. The device
// ---------------------------------------------------------------------------------------------------------

struct vyre_plugin_device {
  LLVMCodeGenOptLevel level;
};

namespace {

constexpr uint64_t kMaxWorkgroupBytes = 64ull << 20;  // the most that any program may ask for
constexpr uint64_t kMaxBufferBytes = 1ull << 36;

/// The argument is what stands after '?' in `--backend libonecore.so?O2`.
vyre_plugin_status open(const char* argument, vyre_plugin_device** out, vyre_plugin_error* error) {
  LLVMCodeGenOptLevel level = LLVMCodeGenLevelLess;
  if (std::strcmp(argument, "O2") == 0) {
    level = LLVMCodeGenLevelDefault;
  } else if (*argument != '\0') {
    return fail(error, VYRE_PLUGIN_UNAVAILABLE, "the argument is O2 or nothing", "write libonecore.so?O2");
  }
  LLVMLinkInMCJIT();
  if (LLVMInitializeNativeTarget() != 0 || LLVMInitializeNativeAsmPrinter() != 0) {
    return fail(error, VYRE_PLUGIN_UNAVAILABLE, "this LLVM makes no code for this machine",
                "install an LLVM with the target of this CPU");
  }
  *out = new vyre_plugin_device{level};
  return VYRE_PLUGIN_OK;
}

void close(vyre_plugin_device* device) { delete device; }

void identity(vyre_plugin_device*, vyre_plugin_identity* out) {
  std::snprintf(out->name, sizeof out->name, "onecore");
  std::snprintf(out->device, sizeof out->device, "one core of this CPU");
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  std::snprintf(out->driver, sizeof out->driver, "LLVM %u.%u.%u", major, minor, patch);
  if (out->struct_size >= sizeof *out) out->kind = VYRE_PLUGIN_CPU;  // an older host has no room for it
}

/// vyre refuses what is beyond these, so we need not look.
void limits(vyre_plugin_device*, vyre_plugin_limits* out) {
  out->max_invocations_per_group = 1024;
  out->max_workgroup_bytes = kMaxWorkgroupBytes;
  out->max_buffer_bytes = kMaxBufferBytes;
  out->subgroup_size = 0;  // and no `has` in the table: no operations of subgroups
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------
// 2. Buffers: memory of the device
// ---------------------------------------------------------------------------------------------------------

struct vyre_plugin_buffer {
  char* memory;
};

namespace {

vyre_plugin_status allocate(vyre_plugin_device*, uint64_t bytes, vyre_plugin_buffer** out,
                            vyre_plugin_error* error) {
  char* const memory = static_cast<char*>(aligned(bytes));
  if (memory == nullptr) {
    char message[128];
    std::snprintf(message, sizeof message, "a buffer of %llu bytes, and the host has no such memory left",
                  static_cast<unsigned long long>(bytes));
    return fail(error, VYRE_PLUGIN_RESOURCE_EXCEEDED, message, "use smaller buffers");
  }
  *out = new vyre_plugin_buffer{memory};
  return VYRE_PLUGIN_OK;
}

void free_buffer(vyre_plugin_buffer* buffer) {
  std::free(buffer->memory);
  delete buffer;
}

vyre_plugin_status write(vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes,
                         uint64_t* done, vyre_plugin_error*) {
  std::memcpy(buffer->memory + offset, from, bytes);
  *done = bytes;
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status read(vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes, uint64_t* done,
                        vyre_plugin_error*) {
  std::memcpy(to, buffer->memory + offset, bytes);
  *done = bytes;
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status fill(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
                        vyre_plugin_error*) {
  std::memset(buffer->memory + offset, value, bytes);
  return VYRE_PLUGIN_OK;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------
// 3. Programs
// ---------------------------------------------------------------------------------------------------------

struct vyre_plugin_pipeline {
  LLVMContextRef context = nullptr;
  LLVMExecutionEngineRef engine = nullptr;  // owns the machine code
  vyre_llvm_entry entry = nullptr;
  void* scratch = nullptr;  // for the one workgroup that runs at a time
};

namespace {

void free_pipeline(vyre_plugin_pipeline* pipeline) {
  if (pipeline->engine != nullptr) LLVMDisposeExecutionEngine(pipeline->engine);
  if (pipeline->context != nullptr) LLVMContextDispose(pipeline->context);
  std::free(pipeline->scratch);
  delete pipeline;
}

/// What LLVM complains about is our fault, or vyre's; never the program's.
vyre_plugin_status refused(vyre_plugin_error* error, char* message) {
  const vyre_plugin_status status =
      fail(error, VYRE_PLUGIN_FAULT, message != nullptr ? message : "LLVM refuses");
  if (message != nullptr) LLVMDisposeMessage(message);
  return status;
}

/// IR text to a function in memory.
vyre_plugin_status load(const vyre_plugin_text& text, LLVMCodeGenOptLevel level,
                        vyre_plugin_pipeline& pipeline, vyre_plugin_error* error) {
  char* message = nullptr;
  LLVMModuleRef module = nullptr;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data, text.size, "program");
  pipeline.context = LLVMContextCreate();
  if (LLVMParseIRInContext(pipeline.context, buffer, &module, &message) != 0)  // takes the buffer
    return refused(error, message);
  LLVMMCJITCompilerOptions options;
  LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
  options.OptLevel = unsigned(level);
  if (LLVMCreateMCJITCompilerForModule(&pipeline.engine, module, &options, sizeof options, &message) != 0)
    return refused(error, message);  // takes the module
  pipeline.entry =
      reinterpret_cast<vyre_llvm_entry>(LLVMGetFunctionAddress(pipeline.engine, VYRE_LLVM_ENTRY));
  return pipeline.entry != nullptr ? VYRE_PLUGIN_OK : refused(error, nullptr);
}

vyre_plugin_status compile(vyre_plugin_device* device, const vyre_plugin_program* program,
                           vyre_plugin_pipeline** out, vyre_plugin_error* error) {
  vyre_plugin_text text{};
  text.struct_size = sizeof text;
  vyre_plugin_status status = host->lower(program, VYRE_FORM_LLVM, &text, error);
  if (status != VYRE_PLUGIN_OK) return status;  // vyre knows why
  auto* const pipeline = new vyre_plugin_pipeline;
  status = load(text, device->level, *pipeline, error);
  const uint64_t scratch_bytes = text.scratch_bytes;
  host->free_text(&text);
  if (status == VYRE_PLUGIN_OK) {
    pipeline->scratch = aligned(scratch_bytes);
    if (pipeline->scratch == nullptr)
      status = fail(error, VYRE_PLUGIN_RESOURCE_EXCEEDED, "no memory left for a workgroup");
  }
  if (status == VYRE_PLUGIN_OK) {
    *out = pipeline;
  } else {
    free_pipeline(pipeline);
  }
  return status;
}

/// Workgroups run one after the other, x fastest. A device with more to offer would run them side by side.
vyre_plugin_status dispatch(vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges,
                            size_t range_count, const uint32_t groups[3], vyre_plugin_error*) {
  // An empty range may stand at the very end of its buffer, and code may still touch its first element.
  alignas(16) char nothing[16] = {};
  std::vector<vyre_llvm_buffer> buffers(range_count);
  for (size_t i = 0; i < range_count; ++i) {
    char* const data = ranges[i].bytes == 0 ? nothing : ranges[i].buffer->memory + ranges[i].offset;
    buffers[i] = {data, ranges[i].count};
  }
  const uint64_t total = uint64_t{groups[0]} * groups[1] * groups[2];
  pipeline->entry(buffers.data(), groups, 0, total, pipeline->scratch);
  return VYRE_PLUGIN_OK;
}

/// Commands one after the other, a repeat's body in turns. False: the statements did not suffice.
bool run(const vyre_plugin_command* at, const vyre_plugin_command* end, uint64_t& left,
         vyre_plugin_taken*& taken) {
  for (; at != end; at += 1 + at->count) {
    const vyre_plugin_range* const range = at->ranges;
    if (at->kind == VYRE_PLUGIN_COMMAND_DISPATCH)
      dispatch(at->pipeline, range, at->range_count, at->groups, nullptr);
    if (at->kind == VYRE_PLUGIN_COMMAND_ZERO)
      std::memset(range->buffer->memory + range->offset, 0, range->bytes);
    if (at->kind != VYRE_PLUGIN_COMMAND_REPEAT) continue;
    vyre_plugin_taken& own = *taken++;
    vyre_plugin_taken* const inner = taken;  // of the repeats in the body, in each turn the same
    uint32_t word = 1;
    for (uint32_t turn = 0; turn < at->turns && word != 0; ++turn) {
      ++own.turns;
      if (left < at->statements) return false;
      left -= at->statements;
      taken = inner;
      if (!run(at + 1, at + 1 + at->count, left, taken)) return false;
      word = 0;
      if (at->word != VYRE_PLUGIN_NO_WORD)
        std::memcpy(&word, range->buffer->memory + range->offset + at->word, sizeof word);
    }
    own.unfinished += word != 0 ? 1 : 0;
  }
  return true;
}

/// Optional: whole pipelines in one call.
vyre_plugin_status dispatch_engine(vyre_plugin_device*, const vyre_plugin_command* commands, size_t count,
                                   uint64_t statements, vyre_plugin_taken* taken, vyre_plugin_error*) {
  run(commands, commands + count, statements, taken);
  return VYRE_PLUGIN_OK;
}

/// A lookup table is a buffer like every other.
uint32_t convention(vyre_plugin_device*) { return 2; }

// ---------------------------------------------------------------------------------------------------------
// 4. What is exported
// ---------------------------------------------------------------------------------------------------------

// clang-format off: in the order of the header
constexpr vyre_plugin_api kApi = {
    sizeof(vyre_plugin_api), open, close, identity, limits, /*has=*/nullptr, compile, free_pipeline,
    allocate, free_buffer, write, read, fill, dispatch, convention, dispatch_engine,
};
// clang-format on

}  // namespace

const uint32_t vyre_backend_abi = VYRE_BACKEND_ABI;

const vyre_plugin_api* vyre_backend_entry(const vyre_plugin_host* given) {
  host = given;
  return &kApi;
}
