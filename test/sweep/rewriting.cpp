// A plugin that replaces a text of each program by another; its argument is "THIS=>THAT". A sweep before it
// has to find what that makes wrong.
#include "rewriting_plugin.h"

namespace {

const RewritingPlugin kPlugin = {
    .name = "rewriting",
    .driver = "native, with one text for another",
    .wrong_argument = [](const std::string& argument) -> const char* {
      const size_t arrow = argument.find("=>");
      return arrow == std::string::npos || arrow == 0 ? "the argument is no THIS=>THAT" : nullptr;
    },
    // None where it does not occur, which would test nothing.
    .rewrite = [](const std::string& argument, std::string text) -> std::string {
      const size_t arrow = argument.find("=>"), at = text.find(argument.substr(0, arrow));
      return at == std::string::npos ? "" : text.replace(at, arrow, argument.substr(arrow + 2));
    }};

}  // namespace
