// What the file tests share: the files and the backends.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/registry/registry.h"
#include "base/diag.h"
#include "host/run.h"

namespace vyre::file_test {

/// The files of these folders with this extension, sorted: "test/run/x.vyre".
std::vector<std::string> files_in(const std::vector<std::string>& folders, std::string_view extension);

/// "test/run/u32-add.vyre" as "run_u32_add_17".
std::string test_name(const testing::TestParamInfo<std::string>& file);

/// The text of a file of the project.
std::string read_text(const std::string& file);

std::string explain(const Diagnostics& diagnostics, const Source& source);

struct OpenBackend {
  std::string name;
  std::shared_ptr<backend::Backend> backend;
};
/// The backends that are here, the reference with subgroups of this size; each opened once. Among them is the
/// one that the environment names as VYRE_TEST_BACKEND, which must be here
/// (RunFile.TheDemandedBackendIsHere).
std::vector<OpenBackend>& backends(uint32_t subgroup_size = 0);

/// Those that files run on: all of them, or the demanded one alone, since the others have a run without it.
std::vector<OpenBackend> under_test(uint32_t subgroup_size = 0);

/// What VYRE_TEST_BACKEND says, or nothing.
std::string demanded_backend();

/// The bytes of the bound buffers, in the order in which a dispatch takes them.
std::vector<std::span<std::byte>> spans_of(host::Buffers& buffers, const check::Checked& program);

}  // namespace vyre::file_test
