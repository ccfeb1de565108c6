// A WebGPU library with faults: what tests open in the place of Dawn.
//
// Every function is the real library's, the one that VYRE_WEBGPU_LIB names, and reaches a real device, so
// nothing that an implementation does is imitated. What it cannot be made to do from outside, such as having
// no adapter, refusing a good shader or never answering, a test plants here; tests of whole programs, which
// cannot reach vyre_faulty_webgpu(), plant it by VYRE_FAULTY_WEBGPU: one of the names below, with = and an
// argument.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backend/webgpu/abi.h"

namespace vyre::test {

struct FaultyWebgpu {
  // no-adapter=WORDS, no-device=WORDS: a request is answered so.
  std::optional<std::string> no_adapter, no_device;
  // silent-adapter, silent-device: a request is never answered.
  bool silent_adapter = false, silent_device = false;
  // lost=N: the device is lost before submission N, from 0 on, with words of the library's own.
  std::optional<int> lost;
  // silent=N: mappings are never answered from number N on.
  std::optional<int> silent;
  // unmapped=N: the memory of a mapping is null from number N on.
  std::optional<int> unmapped;
  // idle=N: dispatches do nothing from number N on.
  std::optional<int> idle;
  // refuses=TEXT: modules whose WGSL has TEXT reach the library with a line that is no WGSL.
  std::string refuses;
  // aborts=TEXT: a module whose WGSL has TEXT ends the process, as a compiler does that gives up.
  std::string aborts;
  // loses=TEXT, hangs=TEXT: once there is a module whose WGSL has TEXT, the next submission loses the device,
  // or no mapping is answered any more.
  std::string loses, hangs;
  // validation=N, out-of-memory=N, internal=N: error scope number N, and no other, has such an error.
  struct Error {
    backend::webgpu::WGPUErrorType type;
    int scope = 0;
  };
  std::optional<Error> error;
  // short-loops: loops that the backend tests a device with end after 65,535 turns, as llvmpipe's do.
  bool short_loops = false;
  // limits: what an adapter says of its limits is of no known layout.
  bool limits = false;

  /// How often each function was called, by name without "wgpu".
  std::map<std::string, int> calls;
};
/// The words of planted errors, and of a planted loss.
inline constexpr const char* kPlanted = "planted by the tests";

/// The one of this library. Tests reset it by assigning; no other thread calls the library meanwhile.
extern "C" FaultyWebgpu* vyre_faulty_webgpu();

}  // namespace vyre::test
