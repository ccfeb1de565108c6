// vyre in C: parse, check, encode, decode and run programs; what is wrong comes back as data.
//
//   vyre_program* program;      text or wire, not checked yet     vyre_parse, vyre_decode
//   vyre_checked* checked;      keeps every rule                  vyre_check
//   vyre_backend* backend;      who runs it                       vyre_backend_open
//   vyre_pipeline* pipeline;    compiled once                     vyre_compile
//   vyre_dispatch(pipeline, buffers, ...);                        over your memory, as often as you like
//
// A file of several items - operations, programs, pipelines - is a module, and its pipelines run whole:
//
//   vyre_module* module;                                          vyre_module_parse, vyre_module_decode
//   vyre_checked_module* checked;                                 vyre_module_check
//   vyre_executable* executable;  a pipeline, compiled once       vyre_module_compile
//   vyre_executable_run(executable, ranges, ...);                 over memory that stays on the device
//
// The rules that hold everywhere:
//  - A function that can fail returns a vyre_status. Only VYRE_OK means that it did what it says; otherwise
//    every out parameter is null or untouched, as its function says, and nothing needs to be freed but the
//    diagnostics.
//  - VYRE_REFUSED means that the input breaks a rule of vyre. A function with a `diagnostics` parameter then
//    gives a list of at least one, which you free; with any other status it gives null. Pass null when you do
//    not want them.
//  - What a function makes (a handle in an out parameter) is yours; free it with the vyre_..._free of its
//    type. Freeing null does nothing. Handles keep what they need alive, so any order of freeing is right.
//  - A vyre_string in an answer points into the handle that it came from and lives as long as that.
//  - Structs that begin with struct_size may grow in later versions: set it to sizeof before the call, and
//    the library fills in what you have room for.
//  - Thread: different handles are independent. A handle that a function takes as const may be used by
//    several threads at once; any other handle by one at a time.
//
// C99 and C++; nothing here throws. examples/c/run_xor.c is a whole program, docs/api.md explains more.
#ifndef VYRE_VYRE_H_
#define VYRE_VYRE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VYRE_API __attribute__((visibility("default")))
#else
#define VYRE_API
#endif

// ---------------------------------------------------------------------------------------------------------
// Versions
// ---------------------------------------------------------------------------------------------------------

/// The version of this interface. It grows with each addition; what is here keeps its meaning.
#define VYRE_API_VERSION 4

/// The VYRE_API_VERSION that the library was built with. A program can use the library if this is at least
/// the VYRE_API_VERSION that the program was built with.
VYRE_API uint32_t vyre_api_version(void);

/// Text of size bytes, UTF-8; a null byte follows it, which size does not count. An absent text is "" of size
/// 0.
typedef struct vyre_string {
  const char* data;
  size_t size;
} vyre_string;

/// The version of vyre, such as "0.1.0". It lives for ever.
VYRE_API vyre_string vyre_version(void);

// ---------------------------------------------------------------------------------------------------------
// Status and diagnostics
// ---------------------------------------------------------------------------------------------------------

typedef int32_t vyre_status;
enum {
  VYRE_OK = 0,
  /// The input breaks a rule; the diagnostics say which.
  VYRE_REFUSED = 1,
  /// The call itself is wrong: a null handle or out parameter, null data with a size, an index past the end,
  /// a struct_size that no version had, a text of 4 GiB or more.
  VYRE_INVALID_ARGUMENT = 2,
  VYRE_OUT_OF_MEMORY = 3,
  /// A fault of vyre, not of the input: please report it.
  VYRE_INTERNAL_FAULT = 4
};

/// A status in words, for messages. Any value is allowed. It lives for ever.
VYRE_API vyre_string vyre_status_text(vyre_status status);

/// What is wrong with an input: a list, in the order of positions. Check reports all broken rules at once;
/// everything else reports one.
typedef struct vyre_diagnostics vyre_diagnostics;

/// A range of a source text. begin and end are offsets in bytes; line and column are where it begins, from 1,
/// the column in code points. Without a position (a program that came from the wire, a dispatch) begin and
/// end are VYRE_NO_OFFSET, line and column 0.
typedef struct vyre_place {
  uint32_t begin;
  uint32_t end;
  uint32_t line;
  uint32_t column;
} vyre_place;
#define VYRE_NO_OFFSET UINT32_MAX

typedef struct vyre_diagnostic {
  size_t struct_size;
  vyre_string code;         // "V010"; permanent
  vyre_string title;        // of the code: short, lower case
  vyre_string explanation;  // of the code: the rule, why it is one, and the way out
  vyre_string message;      // what is wrong here, with the names and numbers concerned
  vyre_string help;         // the way out here; may be empty
  vyre_place place;
  size_t note_count;  // second places that explain the first: vyre_diagnostics_note
} vyre_diagnostic;

typedef struct vyre_note {
  size_t struct_size;
  vyre_string message;
  vyre_place place;
} vyre_note;

/// How many there are; 0 for null.
VYRE_API size_t vyre_diagnostics_count(const vyre_diagnostics* diagnostics);

/// One diagnostic, index from 0. Strings live as long as the list.
/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_diagnostics_get(const vyre_diagnostics* diagnostics, size_t index,
                                          vyre_diagnostic* out);

/// One note of a diagnostic, note from 0. Strings live as long as the list.
/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_diagnostics_note(const vyre_diagnostics* diagnostics, size_t index, size_t note,
                                           vyre_note* out);

/// A run of bytes or text that the library made.
typedef struct vyre_blob vyre_blob;

/// The contents; they live as long as the blob. "" of size 0 for null.
VYRE_API vyre_string vyre_blob_view(const vyre_blob* blob);
VYRE_API void vyre_blob_free(vyre_blob* blob);

/// All diagnostics as people read them: "file:line:column: error[V010]: message", the line with a caret,
/// notes and help. Source lines are there when the program came from text.
///
/// Shape   file: the name to show, of file_size bytes; may be empty (null, 0).
/// Errors  VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY; *out is null then.
VYRE_API vyre_status vyre_diagnostics_render(const vyre_diagnostics* diagnostics, const char* file,
                                             size_t file_size, vyre_blob** out);

VYRE_API void vyre_diagnostics_free(vyre_diagnostics* diagnostics);

// ---------------------------------------------------------------------------------------------------------
// Programs
// ---------------------------------------------------------------------------------------------------------

/// A well-formed program, which may still break rules of the language.
typedef struct vyre_program vyre_program;

/// A program from text. The text is copied: diagnostics point into it.
///
/// Shape   text: size bytes of UTF-8, no null byte needed, fewer than 4 GiB.
/// Errors  VYRE_REFUSED with the first P diagnostic (or V024 for too many nodes); VYRE_INVALID_ARGUMENT,
///         VYRE_OUT_OF_MEMORY. *out is null then.
/// Cost    linear in size.
VYRE_API vyre_status vyre_parse(const char* text, size_t size, vyre_program** out,
                                vyre_diagnostics** diagnostics);

/// A program from its wire form. The bytes may come from anywhere: hostile ones are refused.
///
/// Errors  VYRE_REFUSED with one W diagnostic; VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY. *out is null then.
/// Cost    linear in size.
VYRE_API vyre_status vyre_decode(const void* bytes, size_t size, vyre_program** out,
                                 vyre_diagnostics** diagnostics);

/// The wire form: canonical bytes, equal for equal programs. Any program has one, checked or not.
/// Errors  VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY; *out is null then.
VYRE_API vyre_status vyre_encode(const vyre_program* program, vyre_blob** out);

/// The identity of a program: the SHA-256 digest in the header of its wire form.
/// Shape   out: 32 bytes.
/// Errors  VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY; out is untouched then.
VYRE_API vyre_status vyre_digest(const vyre_program* program, uint8_t out[32]);

/// A text in canonical layout; comments and the radix of literals stay.
/// Errors  as vyre_parse.
VYRE_API vyre_status vyre_format(const char* text, size_t size, vyre_blob** out,
                                 vyre_diagnostics** diagnostics);

typedef struct vyre_program_info {
  size_t struct_size;
  vyre_string name;  // lives as long as the program
  uint32_t workgroup_size[3];
  size_t buffer_count;  // all that are declared
  size_t bound_count;   // those that a dispatch takes: all but workgroup and private memory
} vyre_program_info;

/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_program_get_info(const vyre_program* program, vyre_program_info* out);

typedef int32_t vyre_access;
enum {
  VYRE_ACCESS_READ = 0,
  VYRE_ACCESS_READ_WRITE = 1,
  VYRE_ACCESS_UNIFORM = 2,
  VYRE_ACCESS_WORKGROUP = 3,
  VYRE_ACCESS_PRIVATE = 4
};

/// Element types, by their tags in the wire format. Not every version of vyre has all of them.
typedef int32_t vyre_type;
enum {
  VYRE_TYPE_U32 = 0x01,
  VYRE_TYPE_I32 = 0x02,
  VYRE_TYPE_U64 = 0x03,
  VYRE_TYPE_U128 = 0x04,
  VYRE_TYPE_VEC2U32 = 0x05,
  VYRE_TYPE_VEC4U32 = 0x06,
  VYRE_TYPE_BOOL = 0x07,
  VYRE_TYPE_BYTES = 0x08,
  VYRE_TYPE_F16 = 0x09,
  VYRE_TYPE_BF16 = 0x0a,
  VYRE_TYPE_F32 = 0x0b,
  VYRE_TYPE_TENSOR = 0x0c,
  VYRE_TYPE_I8 = 0x0d,  // from here on: of tensors in graphs only
  VYRE_TYPE_U8 = 0x0e,
  VYRE_TYPE_FP8_E4M3 = 0x12,
  VYRE_TYPE_FP8_E5M2 = 0x13,
  VYRE_TYPE_FP4_E2M1 = 0x14
};

typedef struct vyre_buffer_info {
  size_t struct_size;
  vyre_string name;  // lives as long as the program
  vyre_access access;
  vyre_type type;
  vyre_string type_name;   // "u32", as in the text format; lives for ever
  uint32_t element_bytes;  // of one element in memory
  uint32_t binding;        // the number after @; 0 for workgroup and private memory
  uint32_t count;          // workgroup and private memory: its elements; else 0, since the host decides
  uint32_t
      bound_index;  // its place in the buffers of a dispatch; VYRE_NOT_BOUND for workgroup and private memory
} vyre_buffer_info;
#define VYRE_NOT_BOUND UINT32_MAX

/// A buffer of a program, index from 0 in the order of declaration.
/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_program_get_buffer(const vyre_program* program, size_t index,
                                             vyre_buffer_info* out);

VYRE_API void vyre_program_free(vyre_program* program);

/// A program that keeps every rule, ready to compile. It needs its vyre_program no longer.
typedef struct vyre_checked vyre_checked;

/// Checks a program against every rule; calls resolve to the operation library of this version.
///
/// Errors  VYRE_REFUSED with all broken rules at once; VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY. *out is
///         null then.
/// Cost    linear in the program and what it calls; one copy of the program.
VYRE_API vyre_status vyre_check(const vyre_program* program, vyre_checked** out,
                                vyre_diagnostics** diagnostics);

/// A program as canonical text, which parses to an equal program. (Only checked ones: names from the wire may
/// be none that a text can carry.)
/// Errors  VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY; *out is null then.
VYRE_API vyre_status vyre_print(const vyre_checked* checked, vyre_blob** out);

VYRE_API void vyre_checked_free(vyre_checked* checked);

// ---------------------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------------------

/// What runs programs: "reference", which defines what they mean, "native" (this CPU), and others. All of
/// them give the same bytes for every race-free program.
typedef struct vyre_backend vyre_backend;

/// The names of the backends that this build knows, whether or not their device is here; index from 0. An
/// absent text past the end. They live for ever.
VYRE_API size_t vyre_backend_count(void);
VYRE_API vyre_string vyre_backend_name(size_t index);

/// Opens a backend by name ("native", or with an argument after a colon where it takes one).
/// Errors  VYRE_REFUSED with B004 (unknown) or B001 (not available here); VYRE_INVALID_ARGUMENT,
///         VYRE_OUT_OF_MEMORY. *out is null then.
VYRE_API vyre_status vyre_backend_open(const char* name, size_t size, vyre_backend** out,
                                       vyre_diagnostics** diagnostics);

typedef struct vyre_backend_info {
  size_t struct_size;
  vyre_string name;     // "native"
  vyre_string device;   // "x86-64 AVX2, 2 threads"
  vyre_string driver;   // "LLVM 19.1.7"
  vyre_string version;  // of vyre
  uint32_t max_invocations_per_group;
  uint64_t max_workgroup_bytes;
  uint64_t max_buffer_bytes;
  uint32_t workgroup_element_bytes;  // an element of workgroup memory counts at least so many
  uint32_t convention;               // the newest that it knows: vyre_compile_convention
} vyre_backend_info;

/// Strings live as long as the backend.
/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_backend_get_info(const vyre_backend* backend, vyre_backend_info* out);

VYRE_API void vyre_backend_free(vyre_backend* backend);

/// A program compiled for a backend.
typedef struct vyre_pipeline vyre_pipeline;

/// Errors  VYRE_REFUSED with one B or L diagnostic; VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY. *out is null
///         then. (Inside LLVM, which native compiles with, running out of memory ends the process.)
/// Cost    native: milliseconds, so compile once and dispatch often.
/// Thread  one call on a backend at a time.
VYRE_API vyre_status vyre_compile(vyre_backend* backend, const vyre_checked* checked, vyre_pipeline** out,
                                  vyre_diagnostics** diagnostics);

/// The contract between a host and a program about which buffers there are. 1: inputs, outputs and
/// parameters. 2: the same and a lookup table, a `read` buffer at a binding of its own.
typedef struct vyre_convention {
  size_t struct_size;
  uint32_t version;
  uint32_t lookup_binding;  // version 2: of the lookup table; version 1 does not look at it
} vyre_convention;

/// vyre_compile for a host that follows a convention.
/// Errors  as vyre_compile; VYRE_REFUSED with B006 (the backend does not know the convention) or B007 (the
///         program's buffers do not fit it).
VYRE_API vyre_status vyre_compile_convention(vyre_backend* backend, const vyre_checked* checked,
                                             const vyre_convention* convention, vyre_pipeline** out,
                                             vyre_diagnostics** diagnostics);

/// Memory of the caller: whole little-endian elements. Only read_write buffers are written to. Null is
/// allowed for 0 bytes.
typedef struct vyre_buffer {
  void* data;
  size_t size;  // bytes
} vyre_buffer;

/// Runs x * y * z workgroups over the buffers, in place, and waits.
///
/// Shape   buffers: one for each buffer that is not workgroup or private memory, in the order of declaration
///         (vyre_buffer_info.bound_index); the number of elements is what the size holds.
/// Errors  VYRE_REFUSED with X009 (wrong number of buffers), X002 (no whole elements), X003 (overlap), X004,
///         X005 (x, y and z are 1 to 65,535), X006, X010, or B003 (the device has too little);
///         VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY. After X diagnostics nothing was written;
///         after VYRE_OUT_OF_MEMORY read_write buffers may be half written.
/// Thread  one dispatch of a pipeline at a time.
VYRE_API vyre_status vyre_dispatch(vyre_pipeline* pipeline, const vyre_buffer* buffers, size_t buffer_count,
                                   uint32_t x, uint32_t y, uint32_t z, vyre_diagnostics** diagnostics);

VYRE_API void vyre_pipeline_free(vyre_pipeline* pipeline);

// ---------------------------------------------------------------------------------------------------------
// Modules
// ---------------------------------------------------------------------------------------------------------

/// A well-formed file of one item or more, which may still break rules of the language. Of its constants the
/// values are chosen.
typedef struct vyre_module vyre_module;

/// A value that a constant is to have instead of the one in the text.
typedef struct vyre_constant {
  const char* name;
  size_t name_size;
  uint32_t value;
} vyre_constant;

/// A module from text. The text is copied: diagnostics point into it.
///
/// Shape   constants: constant_count of them, each name once; may be null for none.
/// Errors  as vyre_parse; VYRE_INVALID_ARGUMENT also for a name that the text has no constant of. A value
///         that the text does not allow is found by vyre_module_check.
/// Cost    linear in size.
VYRE_API vyre_status vyre_module_parse(const char* text, size_t size, const vyre_constant* constants,
                                       size_t constant_count, vyre_module** out,
                                       vyre_diagnostics** diagnostics);

/// A module from its wire form, or from that of a program. It has no constants.
/// Errors, cost  as vyre_decode.
VYRE_API vyre_status vyre_module_decode(const void* bytes, size_t size, vyre_module** out,
                                        vyre_diagnostics** diagnostics);

/// How many operations over buffers the library has.
VYRE_API size_t vyre_library_count(void);

/// The id of one, as "hash.sha256"; in ascending order, of static storage. Empty for an index that there is
/// not.
VYRE_API vyre_string vyre_library_get_id(size_t index);

/// An operation over buffers of the library, as a module whose entry is its pipeline `main`.
/// Errors  VYRE_INVALID_ARGUMENT for an id that the library does not have, VYRE_OUT_OF_MEMORY; *out is null
///         then.
VYRE_API vyre_status vyre_module_of_library(const char* id, size_t size, vyre_module** out);

/// The wire form: canonical bytes, equal for equal modules; of a module of one program and nothing else those
/// of vyre_encode.
/// Errors  VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY; *out is null then.
VYRE_API vyre_status vyre_module_encode(const vyre_module* module, vyre_blob** out);

/// The identity of a module: the SHA-256 digest in the header of its wire form.
/// Shape   out: 32 bytes.
/// Errors  VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY; out is untouched then.
VYRE_API vyre_status vyre_module_digest(const vyre_module* module, uint8_t out[32]);

typedef int32_t vyre_item_kind;
enum { VYRE_ITEM_OPERATION = 0, VYRE_ITEM_PROGRAM = 1, VYRE_ITEM_PIPELINE = 2, VYRE_ITEM_GRAPH = 3 };

typedef struct vyre_item_info {
  size_t struct_size;
  vyre_item_kind kind;
  uint32_t version;     // of an operation; else 0
  vyre_string name;     // of an operation its id; lives as long as the module
  size_t buffer_count;  // of a program all that are declared, of a pipeline its parameters, of a graph
                        // those and its outputs
  size_t bound_count;   // those that a run takes
} vyre_item_info;

/// How many items there are but constants: operations, then programs, pipelines and graphs, each kind in the
/// order of the text. 0 for null.
VYRE_API size_t vyre_module_item_count(const vyre_module* module);

/// One item, index from 0.
/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_module_get_item(const vyre_module* module, size_t item, vyre_item_info* out);

/// A buffer of a program, a parameter of a pipeline, or a tensor of a graph: its parameters and then its
/// outputs; index from 0 in the order of declaration. The name lives as long as the module.
/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_module_get_buffer(const vyre_module* module, size_t item, size_t index,
                                            vyre_buffer_info* out);

typedef struct vyre_constant_info {
  size_t struct_size;
  vyre_string name;  // lives as long as the module
  uint32_t value;    // the chosen one
  uint32_t written;  // the one in the text
} vyre_constant_info;

/// How many constants the text declares; 0 for null.
VYRE_API size_t vyre_module_constant_count(const vyre_module* module);
/// One constant, index from 0.
/// Errors  VYRE_INVALID_ARGUMENT; out is untouched then.
VYRE_API vyre_status vyre_module_get_constant(const vyre_module* module, size_t index,
                                              vyre_constant_info* out);

VYRE_API void vyre_module_free(vyre_module* module);

/// A module whose every item keeps every rule. It needs its vyre_module no longer; items have the same
/// numbers.
typedef struct vyre_checked_module vyre_checked_module;

/// Checks all items, used or not. Rows and witnesses of operations are looked at, not run: `vyre check` does.
/// Errors, cost  as vyre_check.
VYRE_API vyre_status vyre_module_check(const vyre_module* module, vyre_checked_module** out,
                                       vyre_diagnostics** diagnostics);

/// A module as canonical text, constants replaced, which parses to an equal one.
/// Errors  VYRE_INVALID_ARGUMENT, VYRE_OUT_OF_MEMORY; *out is null then.
VYRE_API vyre_status vyre_module_print(const vyre_checked_module* checked, vyre_blob** out);

/// What a run begins with: the program, pipeline or graph of this name. Without one (size 0) it is `main`,
/// else the only one that no other item dispatches, runs or calls.
/// Errors  VYRE_INVALID_ARGUMENT: also for a name that is not there, and where none or several could be
///         meant. *item is untouched then.
VYRE_API vyre_status vyre_module_find_entry(const vyre_checked_module* checked, const char* name, size_t size,
                                            size_t* item);

/// A program of a module, for vyre_compile and vyre_print.
/// Errors  VYRE_INVALID_ARGUMENT: also for an item that is no program; VYRE_OUT_OF_MEMORY. *out is null then.
VYRE_API vyre_status vyre_module_program(const vyre_checked_module* checked, size_t item, vyre_checked** out);

VYRE_API void vyre_checked_module_free(vyre_checked_module* checked);

/// A pipeline with the programs that it dispatches, compiled for a backend.
typedef struct vyre_executable vyre_executable;

/// Compiles a pipeline. Programs are compiled by vyre_module_program and vyre_compile, since a dispatch of
/// one says how many workgroups there are.
/// Errors  VYRE_REFUSED with one B or L diagnostic; VYRE_INVALID_ARGUMENT, also for an item that is no
///         pipeline; VYRE_OUT_OF_MEMORY. *out is null then.
/// Thread  one call on a backend at a time.
VYRE_API vyre_status vyre_module_compile(vyre_backend* backend, const vyre_checked_module* checked,
                                         size_t item, vyre_executable** out, vyre_diagnostics** diagnostics);

/// Memory of a backend's device, which stays there from run to run.
typedef struct vyre_device_buffer vyre_device_buffer;

/// So many bytes, contents unspecified.
/// Errors  VYRE_REFUSED with B003 (too many) or B009 to B011 (the device is gone); VYRE_INVALID_ARGUMENT,
///         VYRE_OUT_OF_MEMORY. *out is null then.
VYRE_API vyre_status vyre_device_buffer_allocate(vyre_backend* backend, uint64_t size,
                                                 vyre_device_buffer** out, vyre_diagnostics** diagnostics);

/// Copies size bytes to the buffer at offset, or from there; done when it returns.
/// Errors  VYRE_REFUSED with B012 (outside the buffer) or B009 to B011; VYRE_INVALID_ARGUMENT.
/// Thread  one call on a backend at a time.
VYRE_API vyre_status vyre_device_buffer_write(vyre_device_buffer* buffer, uint64_t offset, const void* data,
                                              size_t size, vyre_diagnostics** diagnostics);
VYRE_API vyre_status vyre_device_buffer_read(vyre_device_buffer* buffer, uint64_t offset, void* data,
                                             size_t size, vyre_diagnostics** diagnostics);

VYRE_API void vyre_device_buffer_free(vyre_device_buffer* buffer);

/// A part of a device buffer: whole elements.
typedef struct vyre_range {
  vyre_device_buffer* buffer;  // of the executable's backend
  uint64_t offset;             // a multiple of 256
  uint64_t size;
} vyre_range;

/// Runs the pipeline over device memory, in place, and waits. The same run again, over the same ranges with
/// the same contents of uniform buffers, is a replay of what was recorded.
///
/// Shape   ranges: one a parameter, in the order of declaration.
/// Errors  VYRE_REFUSED with X009 (wrong number of ranges), X002, X003, X004, X010, B012 (a range that is not
///         within its buffer or not aligned): nothing has run then; with X005, X007, X011, X012 of a
///         dispatch, B003 for scratch, B005 for more than 16,777,216 statements: what stands before it has
///         run. VYRE_INVALID_ARGUMENT: also for a buffer of another backend; VYRE_OUT_OF_MEMORY.
/// Thread  one run of an executable at a time.
VYRE_API vyre_status vyre_executable_run(vyre_executable* executable, const vyre_range* ranges,
                                         size_t range_count, vyre_diagnostics** diagnostics);

/// The same over memory of the caller: copied to the device, run, and read_write buffers copied back.
/// Errors  as vyre_executable_run, and vyre_dispatch for the buffers. Nothing is written to then, but after
///         VYRE_OUT_OF_MEMORY and B009 to B011 read_write buffers may be half written.
VYRE_API vyre_status vyre_executable_run_host(vyre_executable* executable, const vyre_buffer* buffers,
                                              size_t buffer_count, vyre_diagnostics** diagnostics);

/// What a run of a pipeline did.
typedef struct vyre_run_counts {
  size_t struct_size;
  uint64_t dispatches;     // that were made
  uint64_t scratch_bytes;  // the most that arrays of scratch had at once
  uint64_t turns;          // of all repeats together
  uint64_t
      unfinished;  // how often a repeat ended with the last turn that it may take, and its word was not 0
} vyre_run_counts;

/// vyre_executable_run_host that says what it did. The device gets the pipeline whole: where it can drive
/// repeats by itself, nothing comes back between two dispatches.
///
/// Shape   counts: null where they are not wanted.
/// Errors  as vyre_executable_run_host; counts is untouched then, and also VYRE_INVALID_ARGUMENT for a
///         struct_size that is too small, before anything has run.
VYRE_API vyre_status vyre_dispatch_engine(vyre_executable* executable, const vyre_buffer* buffers,
                                          size_t buffer_count, vyre_run_counts* counts,
                                          vyre_diagnostics** diagnostics);

VYRE_API void vyre_executable_free(vyre_executable* executable);

// ---------------------------------------------------------------------------------------------------------
// Graphs of tensors
// ---------------------------------------------------------------------------------------------------------

/// A graph on a backend. Its dimensions have their sizes from the shapes of each run: for those that are new
/// it is compiled, and what comes of that is kept for when they come again.
typedef struct vyre_graph vyre_graph;

/// A graph of a module. The module is not needed any longer.
/// Errors  VYRE_INVALID_ARGUMENT: also for an item that is no graph; VYRE_OUT_OF_MEMORY. *out is null then.
VYRE_API vyre_status vyre_module_graph(vyre_backend* backend, const vyre_checked_module* checked, size_t item,
                                       vyre_graph** out);

#define VYRE_MAX_AXES 8

/// A tensor of a run: its elements are row-major. Of fp4_e2m1 two share a byte, the first in the low half,
/// over the whole tensor; the high half behind the last one of an odd number is 0.
typedef struct vyre_tensor {
  uint32_t axes;  // how many sizes there are in shape; none of a scalar
  uint32_t shape[VYRE_MAX_AXES];
  void* data;
  size_t size;  // bytes
} vyre_tensor;

/// What tensors have to be: of parameters, whose shapes are given, the size, and of outputs shape and size.
/// Whatever else is in there is not looked at.
///
/// Shape   tensors: one a parameter, then one an output, in the order of declaration.
/// Errors  VYRE_REFUSED with one G diagnostic: shapes that do not fit the parameters, or sizes at which the
///         graph cannot be; with one B or L diagnostic of compiling. VYRE_INVALID_ARGUMENT: also for another
///         number of tensors; VYRE_OUT_OF_MEMORY. tensors are untouched then.
/// Thread  one call on a graph at a time, runs included.
VYRE_API vyre_status vyre_graph_shape(vyre_graph* graph, vyre_tensor* tensors, size_t count,
                                      vyre_diagnostics** diagnostics);

/// Runs it: parameters are read, and outputs written, whose shapes are not looked at.
/// Shape   tensors: as for vyre_graph_shape; each size is what that gives.
/// Errors  as vyre_graph_shape, and VYRE_REFUSED with X007 for another size, X003 for tensors that overlap,
///         B003 (the device has too little). Nothing is written then, but after VYRE_OUT_OF_MEMORY and B009
///         to B011 outputs may be half written.
VYRE_API vyre_status vyre_graph_run(vyre_graph* graph, const vyre_tensor* tensors, size_t count,
                                    vyre_diagnostics** diagnostics);

VYRE_API void vyre_graph_free(vyre_graph* graph);

#ifdef __cplusplus
}
#endif

#endif  // VYRE_VYRE_H_
