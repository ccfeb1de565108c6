// Backends: compile a checked program once, dispatch it many times.
//
// The interface is small on purpose: virtual calls stop at the dispatch. A backend promises the bytes that
// the reference gives for every race-free program; what it cannot do it says with a first-class outcome (B001
// not available here, B003 resource exceeded), and a valid program that fits succeeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/checked.h"
#include "layout/dispatch.h"

namespace vyre::backend {

/// Who answers: printed by `vyre backends`, part of every certificate.
struct Identity {
  std::string name;     // "native"
  std::string device;   // "x86-64 AVX2, 2 threads"
  std::string driver;   // "LLVM 19.1.7"
  std::string version;  // of vyre
};

struct Limits {
  uint32_t max_invocations_per_group = 1024;
  uint64_t max_workgroup_bytes = 64ull << 20;
  uint64_t max_buffer_bytes = UINT64_MAX;
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;

  /// Runs the program over host memory, in place, and waits.
  /// Shape   host: one span of whole elements a bound buffer, in the order of Checked::bound_buffers().
  /// Errors  what layout::bind refuses; B003.
  /// Thread  one dispatch of a pipeline at a time.
  virtual Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Identity identity() const = 0;
  virtual Limits limits() const = 0;
  /// Whether it has an operation of category C; if not, compile() answers B002 for programs that call it.
  virtual bool has(spec::Intrinsic intrinsic) const;
  /// The newest calling convention that it knows.
  virtual uint32_t convention() const { return spec::kLatestConvention; }
  /// The program must outlive neither the pipeline nor the backend.
  virtual Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) = 0;
  /// Several programs at once, for harnesses that make many small ones; the default compiles one by one.
  virtual std::vector<Result<std::unique_ptr<Pipeline>>> compile_batch(
      std::span<const check::Checked* const> programs);
};

/// Compiles for a host that follows `convention`: the negotiation of ir-types, "Convention".
/// Errors  B006 when the backend does not know it, B007 when the program's buffers do not fit it; what
/// compile() answers.
Result<std::unique_ptr<Pipeline>> make_pipeline(Backend& backend, const check::Checked& program,
                                                const spec::Convention& convention);

/// B002 for the first operation of category C that the program calls and the backend lacks: for compile().
Result<void> check_intrinsics(const Backend& backend, const check::Checked& program);

struct ReferenceOptions {
  /// Lanes of a subgroup: a power of two up to 128. 0: none declared, and operations of subgroups are
  /// unsupported.
  uint32_t subgroup_size = 0;
};
/// The reference evaluator behind the interface.
std::unique_ptr<Backend> make_reference(const ReferenceOptions& options = {});

}  // namespace vyre::backend
