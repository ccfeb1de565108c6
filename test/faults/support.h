// How tests open the fault-injecting backend.
#pragma once

#include <string>

#include "faults.h"
#include "worker/worker.h"

namespace vyre::faults {

/// What `--backend` takes.
inline std::string spec_of(Mode mode) {
  return std::string(VYRE_FAULT_PLUGIN) + "?" + std::string(kModes[size_t(mode)].text);
}

/// In a process of its own. What takes time to find out takes as little as is safe: a hang is looked for by
/// halves, so some twenty budgets pass; a late write may be later than it means to be on a busy machine.
inline worker::Options worker_options(Mode mode) {
  worker::Options options;
  options.backend = spec_of(mode);
  options.program = VYRE_CONFORM;
  if (mode == Mode::Hang) options.dispatch_seconds = 0.4;
  if (mode == Mode::LateWrite) options.drain_seconds = 0.1;
  return options;
}

}  // namespace vyre::faults
