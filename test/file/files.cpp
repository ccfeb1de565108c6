#include "files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "base/read_file.h"
#include "host/files.h"

namespace vyre::file_test {

namespace fs = std::filesystem;

namespace {

/// The project's folder: where it was built, unless VYRE_SOURCE_DIR says that it is elsewhere by now.
fs::path root() {
  const char* const moved = std::getenv("VYRE_SOURCE_DIR");
  return moved != nullptr && *moved != '\0' ? moved : VYRE_SOURCE_DIR;
}

}  // namespace

std::vector<std::string> files_in(const std::vector<std::string>& folders, std::string_view extension) {
  std::vector<std::string> out;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(root() / folder)) {
      if (entry.path().extension() == extension)
        out.push_back(folder + "/" + entry.path().filename().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& file) {
  std::string name = file.param.substr(file.param.find('/') + 1);
  name = name.substr(0, name.rfind('.'));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name + "_" + std::to_string(file.index);
}

std::string read_text(const std::string& file) {
  const auto bytes = host::read_file((root() / file).string(), kMaxProgramBytes);
  if (!bytes) throw std::runtime_error(bytes.error().message);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::string explain(const Diagnostics& diagnostics, const Source& source) {
  return host::render_all(diagnostics, &source, source.name());
}

namespace {

/// A backend that is the same whatever a file says of subgroups; opened once. Null when it is not here.
std::shared_ptr<backend::Backend> opened(const std::string& spec) {
  // Never destroyed: drivers do not survive being closed when the process ends.
  static auto& all = *new std::map<std::string, std::shared_ptr<backend::Backend>>;
  const auto [found, fresh] = all.try_emplace(spec);
  if (fresh) {
    if (auto backend = backend::open(spec)) found->second = std::move(*backend);
  }
  return found->second;
}

}  // namespace

std::string demanded_backend() {
  const char* const spec = std::getenv("VYRE_TEST_BACKEND");
  return spec != nullptr ? spec : "";
}

std::vector<OpenBackend>& backends(uint32_t subgroup_size) {
  static std::map<uint32_t, std::vector<OpenBackend>> by_size;
  auto [list, fresh] = by_size.try_emplace(subgroup_size);
  if (!fresh) return list->second;
  std::vector<std::string> specs;
  for (const backend::Entry& entry : backend::all_backends()) specs.emplace_back(entry.name);
  if (const std::string more = demanded_backend();
      !more.empty() && std::ranges::find(specs, more) == specs.end())
    specs.push_back(more);
  for (const std::string& spec : specs) {
    std::shared_ptr<backend::Backend> backend =
        spec == "reference" ? backend::make_reference({.subgroup_size = subgroup_size}) : opened(spec);
    if (backend) list->second.push_back({spec, std::move(backend)});
  }
  return list->second;
}

std::vector<OpenBackend> under_test(uint32_t subgroup_size) {
  std::vector<OpenBackend> out = backends(subgroup_size);
  if (const std::string only = demanded_backend(); !only.empty())
    std::erase_if(out, [&](const OpenBackend& open) { return open.name != only; });
  return out;
}

std::vector<std::span<std::byte>> spans_of(host::Buffers& buffers, const check::Checked& program) {
  std::vector<std::span<std::byte>> spans;
  for (const check::BufferId id : program.bound_buffers()) {
    const std::string_view name = program.program().code.name(program.buffer(id).name);
    spans.emplace_back(buffers.by_name.find(name)->second.bytes);
  }
  return spans;
}

}  // namespace vyre::file_test
