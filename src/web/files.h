// The files of a page that are the same in every page; generated from src/web by embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace vyre::web {

struct PageFile {
  std::string_view name;
  std::string_view text;
};
std::span<const PageFile> page_files();

}  // namespace vyre::web
