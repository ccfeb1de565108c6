// The backend ABI: how a third party's backend becomes one of vyre's, as a shared library.
//
// A plugin is a shared library that exports two names: the constant vyre_backend_abi, which says for which
// version of this header it was built, and the function vyre_backend_entry, which gives the host a table of
// functions. Then `vyre run --backend ./libmine.so` runs programs on it and `vyre-conform certify --backend
// ./libmine.so` judges it. The host has parsed and checked every program that a plugin is given, and every
// binding of a dispatch: sizes are whole elements, nothing overlaps but that two ranges which the program
// only reads may be the same. A pipeline of a file comes as its dispatches, fills and reads of a word, or
// whole, where a plugin has `dispatch_engine`. A plugin gets each program as wire bytes and may ask the host
// for it in a form that is easier to compile: the legal kernel, LLVM IR, PTX, SPIR-V.
//
// The rules that hold everywhere:
//  - All memory that a program sees is the plugin's: buffers are allocated on the device, filled, bound and
//    read back by calls.
//  - A function that can fail returns a vyre_plugin_status; other than VYRE_PLUGIN_OK it fills in `error`,
//    which is never null, and leaves its out parameters alone.
//  - Structs begin with struct_size, set by the allocator; functions fill in what there is room for.
//    The tables grow at their end in later versions.
//  - Thread: calls on one device come one at a time; different devices may be used at the same time.
//  - A call may take as long as it needs, but vyre-conform ends the process of one that takes too long.
//
// C99 and C++. docs/adding-a-backend.md explains, examples/backend-plugin is a whole backend.
#ifndef VYRE_BACKEND_H_
#define VYRE_BACKEND_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this header. It changes only when what is here changes its meaning; additions do not.
#define VYRE_BACKEND_ABI 1

#if defined(__GNUC__)
#define VYRE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define VYRE_PLUGIN_EXPORT
#endif

typedef int32_t vyre_plugin_status;
enum {
  VYRE_PLUGIN_OK = 0,
  /// open: no such device or driver here. The error says what is missing and how to get it.
  VYRE_PLUGIN_UNAVAILABLE = 1,
  /// compile: the program calls an operation of category C that this backend lacks. The host asks `has`
  /// first, so a plugin whose `has` is true has no use for it but to pass on what `lower` answered.
  VYRE_PLUGIN_UNSUPPORTED = 2,
  /// allocate, compile, dispatch: more than the device has. The error names the limit, the request and what
  /// is allowed.
  VYRE_PLUGIN_RESOURCE_EXCEEDED = 3,
  /// The device is gone, and everything on it.
  VYRE_PLUGIN_DEVICE_LOST = 4,
  /// A fault of the plugin.
  VYRE_PLUGIN_FAULT = 5
};

typedef struct vyre_plugin_error {
  size_t struct_size;
  char message[480];  // one sentence, UTF-8, null-terminated
  char help[280];     // the way out; may be empty
} vyre_plugin_error;

/// What the plugin makes; it defines these.
typedef struct vyre_plugin_device vyre_plugin_device;
typedef struct vyre_plugin_pipeline vyre_plugin_pipeline;
typedef struct vyre_plugin_buffer vyre_plugin_buffer;

/// Whose kernels are fast on a device. A plugin that says nothing has those of a GPU.
enum { VYRE_PLUGIN_GPU = 0, VYRE_PLUGIN_CPU = 1 };

typedef struct vyre_plugin_identity {
  size_t struct_size;
  char name[64];     // "mychip"
  char device[192];  // "MyChip 9000, 4 cores"
  char driver[192];  // "MyDriver 1.2"
  // Hosts that were built before what follows have no room for it.
  uint32_t kind;  // VYRE_PLUGIN_GPU, ...: a choice between kernels of equal bits
  uint32_t reserved;
} vyre_plugin_identity;

typedef struct vyre_plugin_limits {
  size_t struct_size;
  uint64_t max_workgroup_bytes;
  uint64_t max_buffer_bytes;
  uint32_t max_invocations_per_group;
  uint32_t subgroup_size;            // 0: no subgroup operations
  uint32_t workgroup_element_bytes;  // an element of workgroup memory counts at least so many; 0 is 1
  uint32_t reserved;
} vyre_plugin_limits;

// ---------------------------------------------------------------------------------------------------------
// Programs
// ---------------------------------------------------------------------------------------------------------

enum { VYRE_PLUGIN_READ = 0, VYRE_PLUGIN_READ_WRITE = 1, VYRE_PLUGIN_UNIFORM = 2 };

/// A bound buffer of a program.
typedef struct vyre_plugin_binding {
  uint32_t binding;        // the number in the text
  uint32_t access;         // VYRE_PLUGIN_READ, ...
  uint32_t element_bytes;  // 2, 4, 8 or 16
  uint32_t reserved;
} vyre_plugin_binding;

/// A checked program, as a plugin compiles it. It lives as long as the call that it is given to.
typedef struct vyre_plugin_program {
  size_t struct_size;
  const uint8_t* wire;  // docs/wire-format.md
  size_t wire_size;
  uint8_t digest[32];  // the one in the wire bytes: equal programs have equal digests
  const vyre_plugin_binding* bindings;
  size_t binding_count;
  uint64_t workgroup_bytes;  // of workgroup memory
  uint32_t workgroup_size[3];
  uint32_t reserved;
  const void* handle;  // of the host, for vyre_plugin_host.lower
} vyre_plugin_program;

/// Forms that the host lowers programs to. All but VYRE_FORM_KERNEL have no semantic operator left: shifts
/// are masked, divisions and accesses guarded, wide integers words.
typedef int32_t vyre_form;
enum {
  VYRE_FORM_KERNEL = 1,  // the kernel IR in its text form (docs/adding-a-backend.md): total operators
  VYRE_FORM_LEGAL = 2,   // the same in raw operators alone
  VYRE_FORM_LLVM = 3,    // LLVM IR text for CPUs, one function: see VYRE_LLVM_ENTRY
  VYRE_FORM_PTX = 4,     // PTX text for sm_70, one entry: see VYRE_PTX
  VYRE_FORM_SPIRV = 5,   // a SPIR-V module for Vulkan 1.2, binary: see VYRE_SPIRV
  VYRE_FORM_WGSL = 6     // a WGSL module: see VYRE_WGSL
};

/// VYRE_FORM_LLVM defines void vyre_kernel(const vyre_llvm_buffer* buffers, const uint32_t groups[3],
/// uint64_t first, uint64_t count, void* scratch): it runs workgroups first .. first + count - 1, x fastest.
/// There is one buffer a binding, in order; data has room for at least one element. scratch has scratch_bytes
/// of the text, aligned to 64. Calls on disjoint ranges may run at the same time, each with scratch of its
/// own.
#define VYRE_LLVM_ENTRY "vyre_kernel"
typedef struct vyre_llvm_buffer {
  void* data;
  uint64_t count;  // elements
} vyre_llvm_buffer;
typedef void (*vyre_llvm_entry)(const vyre_llvm_buffer* buffers, const uint32_t* groups, uint64_t first,
                                uint64_t count, void* scratch);

/// VYRE_PTX: the entry's parameters are, for each binding in order, the address of its data (64 bits, aligned
/// to 16, room for at least one element) and its count of elements (32 bits). The grid is the dispatch's
/// groups, a block is (x * y * z of workgroup_size, 1, 1), its dynamic shared memory is scratch_bytes of the
/// text.

/// VYRE_SPIRV: data is size bytes of a module, aligned to 16, with one compute entry. It wants no optional
/// feature but, where the program calls operations of subgroups, those of the size in vyre_plugin_limits.
/// Descriptor set 0 has a storage buffer a binding, numbered from 0 in their order, with room for at least
/// one element; push constants are the bindings' counts of elements, 32 bits each. The dispatch has its own
/// groups; a workgroup is (x * y * z of workgroup_size, 1, 1) and has scratch_bytes of memory, which the code
/// declares and clears.

/// VYRE_WGSL: data is size bytes of a module with one compute entry, which uses nothing optional and no
/// floats. Group 0 has a storage buffer a binding, numbered from 0 in their order, with room for at least one
/// element, in whole words; `read_write` where the program writes it. The binding behind them is a uniform
/// buffer with the bindings' counts of elements, 32 bits each, padded with zeros to a multiple of 16 bytes,
/// and of 16 bytes where nothing is bound. The dispatch has its own groups; a workgroup is (x * y * z of
/// workgroup_size, 1, 1) and has scratch_bytes of memory, which WebGPU clears.

typedef struct vyre_plugin_text {
  size_t struct_size;
  const char* data;  // null-terminated, which a binary form may be before its end
  size_t size;
  uint64_t scratch_bytes;  // VYRE_FORM_LLVM: of scratch; _PTX, _SPIRV, _WGSL: of a workgroup's memory
  char entry[128];         // VYRE_FORM_LLVM, _PTX, _SPIRV, _WGSL: the name of the entry
} vyre_plugin_text;

/// What the host does for a plugin. It lives as long as the process.
typedef struct vyre_plugin_host {
  size_t struct_size;
  uint32_t abi;  // VYRE_BACKEND_ABI of the host
  uint32_t reserved;
  /// Lowers the program of the compile() that calls it; free the text with free_text. VYRE_PLUGIN_UNSUPPORTED
  /// for a form that the host does not have. When it fails, let compile() return the same status: the host
  /// then reports its own reason. Thread: any.
  vyre_plugin_status (*lower)(const vyre_plugin_program* program, vyre_form form, vyre_plugin_text* out,
                              vyre_plugin_error* error);
  void (*free_text)(vyre_plugin_text* text);
} vyre_plugin_host;

// ---------------------------------------------------------------------------------------------------------
// The table that a plugin gives
// ---------------------------------------------------------------------------------------------------------

/// A part of a buffer, bound to a dispatch.
typedef struct vyre_plugin_range {
  vyre_plugin_buffer* buffer;
  uint64_t offset;  // in bytes, a multiple of 256
  uint64_t bytes;   // whole elements; may be 0
  uint64_t count;   // elements
} vyre_plugin_range;

/// The commands of an engine, which is a pipeline of a file, unrolled.
enum {
  /// Runs the groups, as `dispatch` does.
  VYRE_PLUGIN_COMMAND_DISPATCH = 1,
  /// Fills the range with zeros.
  VYRE_PLUGIN_COMMAND_ZERO = 2,
  /// Runs the `count` commands that follow, its body, in turns: at most `turns`, and at least one. After each
  /// turn the 32-bit word at byte `word` of the range is looked at: zero ends it. Repeats may stand in the
  /// body.
  VYRE_PLUGIN_COMMAND_REPEAT = 3
};
typedef struct vyre_plugin_command {
  uint32_t kind;
  uint32_t count;                   // REPEAT: commands of the body, those of repeats in it included; else 0
  vyre_plugin_pipeline* pipeline;   // DISPATCH
  const vyre_plugin_range* ranges;  // DISPATCH: one a binding; ZERO and REPEAT: one, whose count is 0
  size_t range_count;
  uint32_t groups[3];   // DISPATCH
  uint32_t turns;       // REPEAT
  uint64_t word;        // REPEAT; VYRE_PLUGIN_NO_WORD: there is none, and it counts as zero
  uint64_t statements;  // REPEAT: what a turn spends, at least 1, but for turns of repeats in its body
} vyre_plugin_command;
#define VYRE_PLUGIN_NO_WORD UINT64_MAX

/// What a repeat did, all its executions together: those in another one's turns are several.
typedef struct vyre_plugin_taken {
  uint64_t turns;
  uint64_t unfinished;  // executions that ended with their last turn, and the word was not zero
} vyre_plugin_taken;

typedef struct vyre_plugin_api {
  size_t struct_size;

  /// argument: what the user wrote after '?' ("./libmine.so?mode=fast"), or "".
  vyre_plugin_status (*open)(const char* argument, vyre_plugin_device** out, vyre_plugin_error* error);
  void (*close)(vyre_plugin_device* device);
  void (*identity)(vyre_plugin_device* device, vyre_plugin_identity* out);
  void (*limits)(vyre_plugin_device* device, vyre_plugin_limits* out);
  /// Whether the device has an operation of category C, "subgroup.ballot". Non-zero is yes. A null function
  /// is no.
  int (*has)(vyre_plugin_device* device, const char* id, uint32_t version);

  vyre_plugin_status (*compile)(vyre_plugin_device* device, const vyre_plugin_program* program,
                                vyre_plugin_pipeline** out, vyre_plugin_error* error);
  void (*free_pipeline)(vyre_plugin_pipeline* pipeline);

  /// Contents are unspecified. bytes may be 0.
  vyre_plugin_status (*allocate)(vyre_plugin_device* device, uint64_t bytes, vyre_plugin_buffer** out,
                                 vyre_plugin_error* error);
  void (*free_buffer)(vyre_plugin_buffer* buffer);
  /// The host may change or free `from` when write returns, and `to` is filled when read returns. `done` is
  /// how many bytes were moved; any other number than `bytes` is a fault.
  vyre_plugin_status (*write)(vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes,
                              uint64_t* done, vyre_plugin_error* error);
  vyre_plugin_status (*read)(vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes,
                             uint64_t* done, vyre_plugin_error* error);
  vyre_plugin_status (*fill)(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
                             vyre_plugin_error* error);

  /// Runs groups[0] * groups[1] * groups[2] workgroups; the results are in the buffers when a later read
  /// asks. ranges: one a binding, in the order of vyre_plugin_program.bindings.
  vyre_plugin_status (*dispatch)(vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges,
                                 size_t range_count, const uint32_t groups[3], vyre_plugin_error* error);

  // Tables of plugins that were built before what follows end here, or after the next function: the host does
  // without what is not there, as it does where a function is null.

  /// The newest calling convention that the device knows: 1, or 2, whose lookup table is one more read buffer
  /// at a binding of its own. A null function is 1, and so is a number below it; one that the host does not
  /// know counts as the newest that it does.
  uint32_t (*convention)(vyre_plugin_device* device);

  /// Runs a whole engine, each command after those before it, whose results it sees; the results are in the
  /// buffers when a later read asks. Where a turn of a repeat would spend more than what is left of
  /// `statements`, that turn is counted and not made, and the call ends with VYRE_PLUGIN_OK. Without this
  /// function the host dispatches, fills and reads words by the others.
  /// taken: one a repeat, in the order of the commands, with zeros.
  vyre_plugin_status (*dispatch_engine)(vyre_plugin_device* device, const vyre_plugin_command* commands,
                                        size_t command_count, uint64_t statements, vyre_plugin_taken* taken,
                                        vyre_plugin_error* error);
} vyre_plugin_api;

/// What a plugin exports.
extern VYRE_PLUGIN_EXPORT const uint32_t vyre_backend_abi;  // = VYRE_BACKEND_ABI
/// The host is of the same ABI version. The table lives as long as the library. Null: the plugin refuses.
VYRE_PLUGIN_EXPORT const vyre_plugin_api* vyre_backend_entry(const vyre_plugin_host* host);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // VYRE_BACKEND_H_
