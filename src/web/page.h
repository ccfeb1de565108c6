// Programs as a page: a folder of static files that runs them in a browser, through navigator.gpu, and
// compares what comes with digests that were made where the page was written.
//
// The page needs no network and no server but what serves files, asks for no optional feature, and its runner
// (a script without the page) works in any engine with navigator.gpu, so that other implementations than a
// browser's can be judged by the same files. What is expected comes from the reference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "check/checked.h"
#include "layout/dispatch.h"
#include "lower/wgsl/wgsl.h"

namespace vyre::web {

/// One dispatch that the page makes and judges.
struct Case {
  std::string name;   // unique in a page: "examples/block_sum.vyre", "primitive.math.add@1"
  std::string group;  // what the table puts together
  lower::WgslModule module;
  layout::Groups groups;
  std::vector<Bytes> input;      // by argument
  std::vector<uint32_t> counts;  // of elements, by argument
  std::vector<Bytes> expected;   // by argument; what `read` buffers hold is compared too
  uint64_t instances = 1;        // results that are compared, for people: elements of what is written
};

struct Page {
  std::string title;
  bool conformance = false;
  std::vector<Case> cases;
};

/// Writes index.html, the runner and the cases into a folder, which it makes.
/// Errors  X001 when something cannot be written; nothing is left half-written.
Result<void> write_page(const Page& page, const std::filesystem::path& folder);

}  // namespace vyre::web
