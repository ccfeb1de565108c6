#include "files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "base/read_file.h"
#include "host/files.h"
#include "host/values.h"

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

uint32_t subgroup_size(std::string_view text) {
  constexpr std::string_view kMark = "// subgroup: ";
  const size_t at = text.find(kMark);
  if (at == text.npos) return 0;
  uint32_t size = 0;
  const char* const begin = text.data() + at + kMark.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), size);
  if (error != std::errc{} || *end != '\n') throw std::runtime_error("`// subgroup:` wants a number");
  return size;
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

namespace {

/// The elements of one buffer, as a directive writes them, appended to `out`.
void parse_values(const text::RunDirective& run, const text::BufferValues& values, spec::DataType element,
                  Bytes& out) {
  for (const std::string& value : values.values) {
    const auto parsed = host::parse_element(value, element, out);
    if (!parsed) ADD_FAILURE() << "line " << run.line << ": " << parsed.error().message;
  }
}

}  // namespace

host::Buffers inputs_of(const text::RunDirective& run, const host::Step& step) {
  auto buffers = host::declare_buffers({&step, 1}).value();
  for (const text::BufferValues& input : run.inputs) {
    const auto it = buffers.by_name.find(input.name);
    if (it == buffers.by_name.end()) {
      ADD_FAILURE() << "line " << run.line << ": there is no buffer " << input.name;
      continue;
    }
    parse_values(run, input, it->second.element, it->second.bytes);
  }
  return buffers;
}

void expect_outputs(const text::RunDirective& run, const host::Buffers& buffers, const std::string& who) {
  for (const text::BufferValues& output : run.outputs) {
    const auto it = buffers.by_name.find(output.name);
    if (it == buffers.by_name.end()) {
      ADD_FAILURE() << "line " << run.line << ": there is no buffer " << output.name;
      continue;
    }
    Bytes expected;
    parse_values(run, output, it->second.element, expected);
    EXPECT_TRUE(expected == it->second.bytes)
        << "line " << run.line << ", " << who << "\n  expected "
        << host::format_buffer(output.name, expected, it->second.element, true) << "\n  actual   "
        << host::format_buffer(output.name, it->second.bytes, it->second.element, true);
  }
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
