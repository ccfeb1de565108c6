// Operations over buffers in `vyre ops`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "library/library.h"

namespace vyre::tool {

void print_library_list(const std::vector<const library::Entry*>& list);
void print_library_page(const library::Entry& entry);
void print_library_markdown(const std::vector<const library::Entry*>& list);
nlohmann::json library_json(const library::Entry& entry);

}  // namespace vyre::tool
