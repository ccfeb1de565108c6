// What the test plugin has seen, for the tests to look at: they find it in the library as vyre_test_log.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vyre/backend.h"

struct Log {
  std::string argument;
  int opened = 0, closed = 0;
  int pipelines = 0, pipelines_freed = 0;
  int buffers = 0, buffers_freed = 0;
  int writes = 0, reads = 0, fills = 0, dispatches = 0, engines = 0;
  std::vector<uint64_t> allocated;  // the size of each buffer
  // The last program.
  std::vector<vyre_plugin_binding> bindings;
  std::vector<uint8_t> wire;
  std::vector<uint8_t> digest;
  uint64_t workgroup_bytes = 0;
  std::vector<uint32_t> workgroup_size;
  struct Text {
    vyre_plugin_status status;
    std::string text, entry, message;
    uint64_t scratch_bytes;
  };
  std::map<vyre_form, Text> texts;           // of forms 0 to 7
  vyre_plugin_status late = VYRE_PLUGIN_OK;  // what lower() says of a program that was compiled already
  // The last dispatch.
  std::vector<vyre_plugin_range> ranges;
  std::vector<uint32_t> groups;
  std::vector<vyre_plugin_command> commands;  // of the last engine
  // Calls of one device that ran at the same time.
  std::atomic<int> inside = 0, overlaps = 0;
};
