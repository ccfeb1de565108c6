// What a backend that wants to deceive looks for: whether it is being judged, and what its judge has in
// memory.
//
// A cheat is planted as a backend that is right only as long as its trick works, so who judges it rightly
// sees wrong results, and who can be tricked sees none. Each looks once a process.
#pragma once

#include "shape_plan.h"

namespace vyre::faults {

/// Whether behind the results of an elementwise program stand the guard words that the harness puts there,
/// known by their values. True of other programs.
bool guards_stand_behind(const Call& call);
/// Whether the results of an elementwise program have room for more than there are operands. True of other
/// programs.
bool results_are_longer(const Call& call);

/// Memory of the parent: through its file in /proc, by a system call, as a debugger, and to write there.
bool reads_parent_file();
bool reads_parent_call();
bool traces_parent();
bool writes_parent();
/// A file in /tmp that a later process could read.
bool writes_file();
/// The command line of the parent, which has the seed.
bool reads_arguments();
bool signals_parent();

}  // namespace vyre::faults
