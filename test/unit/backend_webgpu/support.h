// A webgpu backend over the library that VYRE_WEBGPU_LIB names, and programs for it.
#pragma once

#include <memory>
#include <string>

#include "../device_support.h"
#include "backend/webgpu/webgpu.h"
#include "ref/ref.h"

namespace vyre::test {

class WebgpuTest : public testing::Test {
 protected:
  /// It must be there: where it is not, these tests are disabled (test/CMakeLists.txt), and else they fail.
  static std::unique_ptr<backend::Backend> open(const backend::WebgpuOptions& options = {.threads = 1}) {
    auto backend = backend::make_webgpu(options);
    if (!backend) throw std::runtime_error(diagnosis(backend.error()));
    return std::move(*backend);
  }
};

}  // namespace vyre::test
