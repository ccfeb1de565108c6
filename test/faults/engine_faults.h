// A backend that is right but for one thing about engines: scratch, order, repeats, recordings, atomics.
//
// It runs the commands of an engine one by one on a right backend and plants the fault between them, so what
// it does wrong is no matter of luck: the same in every run of the same calls, on any machine. Counts of
// turns are those of what it does. Without a fault it answers as the right backend.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "backend/backend.h"

namespace vyre::faults {

enum class EngineFault : uint8_t {
#define VYRE_ENGINE_FAULT(Name, text, meaning) Name,
#include "engine_faults.def"
#undef VYRE_ENGINE_FAULT
  None
};
struct EngineFaultInfo {
  EngineFault fault;
  std::string_view name;
  std::string_view text;  // what people type
  std::string_view meaning;
};
inline constexpr auto kEngineFaults = std::to_array<EngineFaultInfo>({
#define VYRE_ENGINE_FAULT(Name, text, meaning) {EngineFault::Name, #Name, text, meaning},
#include "engine_faults.def"
#undef VYRE_ENGINE_FAULT
});

/// The right backend must keep its device memory where the host sees it.
std::unique_ptr<backend::Backend> make_engine_fault(EngineFault fault,
                                                    std::unique_ptr<backend::Backend> right);

}  // namespace vyre::faults
