// libforgetful.so: the backend of memory_faults.h as a plugin. The argument is a name of memory_faults.def,
// or None.
#include "memory_faults.h"
#include "plugin_entry.h"

namespace vyre::faults {

Result<std::unique_ptr<backend::Backend>> open_faulty(std::string_view argument) {
  if (argument.empty() || argument == "None") return std::make_unique<Forgetful>(MemoryFault::None);
  std::string names = "None";
  for (const MemoryFaultInfo& info : kMemoryFaults) {
    if (info.name == argument) return std::make_unique<Forgetful>(info.fault);
    names += " " + std::string(info.name);
  }
  return std::unexpected(
      make_diag(DiagCode::B001, Span::none(), "there is no such fault of memory", "one of: " + names));
}

}  // namespace vyre::faults
