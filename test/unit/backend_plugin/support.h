// The test plugin as the tests use it.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "backend/plugin/plugin.h"
#include "log.h"
#include "project_programs.h"

namespace vyre::backend::test {

inline std::string path_of(const std::string& variant) {
  return std::string(VYRE_PLUGINS) + "/plugin_" + variant + ".so";
}

/// The log of a plugin, which is loaded once and then stays: tests look at differences, or clear it.
inline Log& log_of(const std::string& variant) {
  void* const library = dlopen(path_of(variant).c_str(), RTLD_NOW | RTLD_LOCAL);
  return *static_cast<Log*>(dlsym(library, "vyre_test_log"));
}
inline Log& log_of_good() { return log_of("good"); }

inline std::string diagnosis(const Diag& diag) { return render(diag, nullptr); }

/// The good plugin in one of its modes.
inline std::unique_ptr<Backend> plugin(const std::string& mode = "") {
  auto opened = open_plugin(path_of("good") + "?" + mode);
  EXPECT_TRUE(opened) << diagnosis(opened.error());
  return std::move(opened).value();
}

using vyre::test::checked;

/// What the plugin can do, as a program: 64 invocations a group.
inline constexpr std::string_view kPlusOne = R"(
program plus_one(read a: u32 @3, read_write out: u32 @5) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  out[i] = a[i] + 1;
})";

}  // namespace vyre::backend::test
