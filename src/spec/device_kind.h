// What kind of device answers, for a choice between kernels of equal bits.
//
// A GPU wants neighbours side by side in memory and many invocations at once; a CPU wants each invocation to
// read along and to use what it has in its caches. It is never a question of what is right.
#pragma once

#include <cstdint>

namespace vyre::spec {

enum class DeviceKind : uint8_t { Gpu, Cpu };

}  // namespace vyre::spec
