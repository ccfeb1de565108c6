// A backend that is right but for one thing about memory: barriers, atomics, workgroup memory.
//
// It is the reference's evaluator of invocations under a driver and a memory of its own, in which the fault
// is planted, so what it does wrong is no matter of luck: the same in every run, on any machine. Without a
// fault it is the reference. Source of what is right: vyre-conform-spec, "Barrier Semantics", "Atomic
// Operations".
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "verify/families.h"

namespace vyre::faults {

enum class MemoryFault : uint8_t {
#define VYRE_MEMORY_FAULT(Name, family, meaning) Name,
#include "memory_faults.def"
#undef VYRE_MEMORY_FAULT
  None
};
struct MemoryFaultInfo {
  MemoryFault fault;
  std::string_view name;
  verify::Family family;
  std::string_view meaning;
};
inline constexpr auto kMemoryFaults = std::to_array<MemoryFaultInfo>({
#define VYRE_MEMORY_FAULT(Name, family, meaning) {MemoryFault::Name, #Name, verify::Family::family, meaning},
#include "memory_faults.def"
#undef VYRE_MEMORY_FAULT
});

class Forgetful final : public backend::Backend {
 public:
  explicit Forgetful(MemoryFault fault) : fault_(fault) {}
  backend::Identity identity() const override;
  backend::Limits limits() const override { return {}; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override;

 private:
  MemoryFault fault_;
};

}  // namespace vyre::faults
