// Programs as a page: a folder of static files that runs them in a browser, through navigator.gpu, and
// compares what comes with bytes and digests that were made where the page was written.
//
// The page needs no network and no server but what serves files, asks for no optional feature and no limit
// above the defaults, and its runner (scripts without the page) works in any engine with navigator.gpu, so
// that other implementations than a browser's can be judged by the same files. What is expected comes from
// specification rows, reference functions and the reference interpreter, never from a device.
// docs/web.md says what the files hold; docs/adr/0029 why.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/result.h"
#include "check/checked.h"
#include "host/files.h"
#include "layout/dispatch.h"
#include "lower/wgsl/wgsl.h"

namespace vyre::web {

/// What every WebGPU device has, and so all that a page may use. Source: WebGPU, W3C, "Limits", defaults.
struct PortableLimits {
  uint32_t invocations = 256;  // of a workgroup
  uint32_t workgroup_bytes = 16384;
  uint32_t storage_buffers = 8;
};
inline constexpr PortableLimits kPortable;

/// One buffer of a dispatch, in the order of Checked::bound_buffers().
struct Buffer {
  std::string name;
  spec::DataType element{};  // of a tensor: what it is made of
  uint32_t count = 0;        // of elements; what is bound may be longer
  Bytes before;
  bool output = false;  // read_write in the program: compared, and part of the digest
  Bytes after;          // of an output, as long as before
};

/// Cases number 0, stride, 2 * stride, ... of a strategy, as tokens name them (verify/token.h).
struct Range {
  std::string strategy;
  uint64_t count = 0;
  uint64_t stride = 1;
};

/// How a failure is run again on the command line: by a command, or, where the elements of a dispatch are
/// cases of a subject, by the token of the case that failed.
struct Replay {
  std::string command;
  std::string subject;
  uint64_t seed = 0;
  std::vector<Range> ranges;  // element k of the result is case k of all of these, one after the other
};

/// One dispatch that the page makes and judges.
struct Case {
  std::string name;    // unique in a page: "examples/block_sum.vyre:3", "primitive.math.add@1"
  std::string group;   // what the table puts together
  std::string source;  // of the program, for people
  lower::WgslModule module;
  layout::Groups groups;
  std::vector<Buffer> buffers;
  uint64_t instances = 0;  // elements that are compared
  Replay replay;
};

struct Page {
  std::string title;
  bool conformance = false;
  std::vector<Case> cases;
  std::vector<std::string> left_out;  // what would be here but asks for more than kPortable: name, why
};

/// A program as WGSL within kPortable.
/// Errors  B002, B003 of emit_wgsl; B003 for a workgroup, its memory or a number of buffers beyond kPortable.
Result<lower::WgslModule> portable_module(const check::Checked& program);

/// One digest over all outputs, the one that `vyre run --compare` prints.
Digest digest_outputs(const Case& test);

/// Writes index.html, its scripts and the cases into a folder, which it makes, or replaces those of an older
/// page.
/// Errors  the folder cannot be written, or holds something else than a page. Then nothing is left of it.
/// Cost    all cases in memory, once more as text.
std::expected<void, host::UsageError> write_page(const Page& page, const std::filesystem::path& folder);

}  // namespace vyre::web
