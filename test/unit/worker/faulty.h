// A backend for the tests of workers: the reference, until a program's first buffer begins with a word that
// asks for a fault. So one process has innocent dispatches and the culprit ones.
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"

namespace vyre::worker {

/// What the first word of the first buffer asks for. Below 0xbad00000: nothing.
enum Ask : uint32_t {
  kSegfault = 0xbad00001,
  kAbort,
  kExit3,
  kHang,
  kLoseDevice,
  kRefuse,            // B003, and nothing else happens
  kWriteBehind,       // one byte behind the last buffer
  kWriteBefore,       // one byte before the last buffer
  kWriteBehindInput,  // one byte far behind the first buffer, which is read only
  kWriteInput,        // one byte of the first buffer
  kWriteLate,         // the first byte of the last buffer, some milliseconds after the answer
  kWriteFarBehind,
  kPrintAndDie,  // much output, then a last line, then an abort
  kPrintMuch,    // more than a pipe holds, and goes on
  kForge,        // an error that only a parent can find
};

/// name: "faulty", or "faulty:" and what to do instead of opening or of compiling: "exit", "hang", "refuse",
/// "compile-hang", "compile-abort"; "scratch", and "spy?" with a target: pipelines whose code says what was
/// found.
Result<std::unique_ptr<backend::Backend>> open_faulty(std::string_view name);

}  // namespace vyre::worker
