// Runs of one or several programs over buffers that go by name, as `vyre run` and the file tests need them.
//
// A buffer that several programs name is one buffer: `--then` chains dispatches over it. Buffers that nobody
// gave have 0 elements. A tensor is the flat array of its elements here, in the order of memory.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/digest.h"
#include "host/files.h"
#include "layout/dispatch.h"

namespace vyre::host {

struct Step {
  std::shared_ptr<const check::Checked> checked;
  layout::Groups groups;
};

struct NamedBuffer {
  spec::DataType element{};  // of a tensor: what it is made of, for it is bound as a flat array
  bool writable = false;     // read_write in some step
  Bytes bytes;
};

/// Buffers by name; ordered by first declaration through `order`.
struct Buffers {
  std::map<std::string, NamedBuffer, std::less<>> by_name;
  std::vector<std::string> order;
};

/// The bound buffers of all steps, empty. Errors: one name with two element types.
std::expected<Buffers, UsageError> declare_buffers(std::span<const Step> steps);

/// What a step took, for people.
struct StepTime {
  double compile_seconds = 0, dispatch_seconds = 0;
  uint64_t invocations = 0;
  uint64_t bytes = 0;  // of the buffers that it binds
};

/// Runs the steps in order, in place. `times`: unless null, gets one a step.
Result<void> run_steps(backend::Backend& backend, std::span<const Step> steps, Buffers& buffers,
                       std::vector<StepTime>* times = nullptr);
/// "100x75x1 groups of 8x8x1: 480000 invocations over 1920016 bytes; compiled in 3.10 ms, ran in 5.20
/// ms: 92.3 million invocations a second".
std::string line_of(const Step& step, const StepTime& time);

/// Whether a step, or an operation that it calls, applies an approximate operator: then two right backends
/// may give different bytes.
bool is_approximate(std::span<const Step> steps);

/// One digest over all writable buffers: names, sizes and bytes.
Digest digest_outputs(const Buffers& buffers);

/// That all writable buffers of two runs are equal.
/// Errors  X008 with the first element that differs: "out[12]: reference has 7 (0x00000007), native has 9
/// (0x00000009)".
Result<void> expect_equal(const Buffers& a, std::string_view a_name, const Buffers& b,
                          std::string_view b_name);

}  // namespace vyre::host
