// The limits that the specification fixes; a backend may have smaller ones and then answers ResourceExceeded.
// Source: semantics, "Structure" and "Memory"; vyre-conform-spec, "Reference Interpreter Limits".
#pragma once

#include <cstdint>

namespace vyre::spec {

inline constexpr uint32_t kMaxNesting = 64;            // blocks; the body is 0, each else-if one more
inline constexpr uint32_t kMaxExpressionDepth = 1024;  // a literal is 1
inline constexpr uint32_t kMaxCallDepth = 32;
inline constexpr uint32_t kMaxNodes = 4'194'304;          // statements and expressions
inline constexpr uint64_t kMaxInlinedNodes = 16'777'216;  // with the bodies of all calls in their places
inline constexpr uint32_t kMaxInvocationsPerGroup = 1024;
inline constexpr uint32_t kMaxGroupsPerAxis = 65'535;
inline constexpr uint64_t kMaxUniformBytes = 64ull << 10;
inline constexpr uint64_t kMaxWorkgroupBytes = 64ull << 20;  // one workgroup allocation
inline constexpr uint64_t kMaxPrivateBytes = 64ull << 10;    // all private arrays of one invocation
inline constexpr uint64_t kMaxReferenceBytes = 64ull << 20;  // one call input of the reference

}  // namespace vyre::spec
