// What a program asks of a device, held against what the device has.
#pragma once

#include "backend/backend.h"

namespace vyre::backend {

/// Errors  B002 for operations of category C that the backend lacks, B008 for a workgroup that is not made of
///         whole subgroups, B003 for more invocations of a workgroup than Limits allows.
Result<void> check_resources(const Backend& backend, const check::Checked& program);

/// B003: "cuda: a workgroup of 2048 invocations was asked for, and this device has at most 1024".
Diag exceeded(std::string_view backend, Span span, std::string_view asked, std::string_view allowed,
              std::string help);

/// B003 for more bytes of workgroup memory than Limits allows.
Result<void> check_workgroup_memory(const Backend& backend, uint64_t bytes);

}  // namespace vyre::backend
