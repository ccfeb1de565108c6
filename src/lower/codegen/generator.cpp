#include "lower/codegen/generator.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

/// There where lower/llvm is linked as well.
extern "C" [[gnu::weak]] vyre::lower::CodeGenerator* vyre_code_generator(const char* stamp);

namespace vyre::lower {
namespace {

std::unexpected<Diag> not_here(const std::string& why) {
  return std::unexpected(
      make_diag(DiagCode::B001, Span::none(), fmt::format("code cannot be generated: {}", why),
                fmt::format("install vyre again, with {}, or use --backend reference", generator_library())));
}

Result<CodeGenerator*> open_generator() {
  auto* make = &vyre_code_generator;
  if (make == nullptr) {
    void* const library = ::dlopen(std::string(generator_library()).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return not_here(::dlerror());  // which names the library
    make = reinterpret_cast<decltype(make)>(::dlsym(library, "vyre_code_generator"));
  }
  CodeGenerator* const generator = make == nullptr ? nullptr : make(std::string(generator_stamp()).c_str());
  if (generator != nullptr) return generator;
  return not_here(fmt::format("{} is of another build of vyre", generator_library()));
}

}  // namespace

Result<CodeGenerator*> code_generator() {
  static const Result<CodeGenerator*> generator = open_generator();
  return generator;
}

}  // namespace vyre::lower
