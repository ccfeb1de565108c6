// `vyre encode` and then `vyre decode` of many files in one process, for scripts: wire_texts FOLDER FILE...
// writes of the k-th file, counted from 0, FOLDER/k.vyrb, and what that decodes to, FOLDER/k.vyre.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "check/module.h"
#include "host/files.h"
#include "ops/operation.h"
#include "text/text.h"
#include "wire/wire.h"

namespace {

bool write(const std::filesystem::path& path, std::string_view data) {
  return bool((std::ofstream(path, std::ios::binary) << data).flush());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "wire_texts FOLDER FILE...\n"), 2;
  for (int k = 2; k < argc; ++k) {
    const auto file = vyre::host::load_module(argv[k], vyre::ops::op_table());
    if (!file) return std::fprintf(stderr, "%s is no module\n", argv[k]), 1;
    const auto bytes = vyre::wire::encode(file->module->module());
    auto decoded = vyre::wire::decode_module(bytes);
    if (!decoded) return std::fprintf(stderr, "%s does not decode\n", argv[k]), 1;
    const auto checked = vyre::check::check(std::move(*decoded), vyre::ops::op_table());
    if (!checked) return std::fprintf(stderr, "%s is not valid when decoded\n", argv[k]), 1;
    const auto out = std::filesystem::path(argv[1]) / std::to_string(k - 2);
    const std::string_view wire(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!write(out.string() + ".vyrb", wire) ||
        !write(out.string() + ".vyre", vyre::text::print((*checked)->module()))) {
      return std::fprintf(stderr, "cannot write %s\n", out.c_str()), 1;
    }
  }
}
