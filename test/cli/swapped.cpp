// A plugin that takes % for /. It shows what `vyre run --compare` says of a backend with a wrong operator.
#include "rewriting_plugin.h"

#include <algorithm>

namespace {

const RewritingPlugin kPlugin = {.name = "swapped",
                                 .driver = "native, with / for %",
                                 .wrong_argument = [](const std::string&) -> const char* { return nullptr; },
                                 .rewrite =
                                     [](const std::string&, std::string text) {
                                       std::ranges::replace(text, '%', '/');
                                       return text;
                                     }};

}  // namespace
