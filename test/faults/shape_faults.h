// A backend that is right but for one thing about the shape of programs and dispatches, for tests of what
// judges backends.
//
// It is an honest backend behind one of two changes, or both. A fault of programs is a change of the program
// before the honest backend compiles it: invocation_id.x becomes invocation_id.x & 0xffff, a statement that
// is nested too deep goes, operands are evaluated by lets in another order (shape_change.h). A fault of
// dispatches and of buffers is a change of what is bound, of the groups, or of a transfer. Where the changed
// program would break a rule that the program keeps (a limit of nesting), the fault does not strike.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "backend/backend.h"

namespace vyre::faults {

enum class ShapeFault : uint8_t {
#define VYRE_SHAPE_FAULT(Name, text, meaning, factor) Name,
#include "shape_faults.def"
#undef VYRE_SHAPE_FAULT
  None
};
struct ShapeFaultInfo {
  ShapeFault fault;
  std::string_view name;
  std::string_view text;  // what people type
  std::string_view meaning;
  std::string_view factor;  // of verify's plan of shapes: what the failure must name
};
inline constexpr auto kShapeFaults = std::to_array<ShapeFaultInfo>({
#define VYRE_SHAPE_FAULT(Name, text, meaning, factor) {ShapeFault::Name, #Name, text, meaning, factor},
#include "shape_faults.def"
#undef VYRE_SHAPE_FAULT
});

/// The honest backend must keep its device memory where the host sees it, and must outlive it.
std::unique_ptr<backend::Backend> make_misshapen(backend::Backend& honest, ShapeFault fault);

/// Whether the backend with the fault may answer otherwise when it runs this program.
bool may_strike(ShapeFault fault, const check::Checked& program);

}  // namespace vyre::faults
