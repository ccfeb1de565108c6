// Plugins: third-party backends, as shared libraries behind include/vyre/backend.h.
//
// open_plugin() loads the library, looks whether it speaks this build's version of the interface, opens its
// device and gives an ordinary Backend. Nothing that a plugin says is trusted: texts may lack their end,
// sizes may be wrong, tables may have holes; each of these is a diagnostic. What a plugin does in this
// process cannot be undone, though: to survive a crash or a hang, run it in a worker (worker/worker.h).
//
// The other direction, what the host does for a plugin, is in host.h. docs/adding-a-backend.md explains both
// to those who write one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace vyre::backend {

/// A plugin as people name it: a path, and after a '?' what the plugin's `open` is given.
struct PluginSpec {
  std::string path;
  std::string argument;
};

/// Whether a backend's name is that of a plugin: it has a '/', or it ends in .so before its argument.
bool is_plugin(std::string_view spec);
/// Taken apart at the first '?'. A path without '/' is one below the current folder, never one of the
/// system's.
PluginSpec parse_plugin(std::string_view spec);

/// Opens a device of a plugin. The library stays loaded until the process ends, for its threads and its
/// driver may outlive any device. Errors   B013 when it is no plugin, or one of another version; what its
/// `open` answers. Thread   the backend takes calls from any thread, and passes them on one at a time.
Result<std::unique_ptr<Backend>> open_plugin(std::string_view spec);

}  // namespace vyre::backend
