// What the tests of texts share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "text/text.h"

namespace vyre::text {

inline ir::Program parsed(const std::string& text) {
  auto program = parse(text);
  if (program) return std::move(*program);
  const Source source("test.vyre", text);
  ADD_FAILURE() << render(program.error(), &source);
  return {};
}

}  // namespace vyre::text
