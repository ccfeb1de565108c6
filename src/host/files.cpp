#include "host/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/read_file.h"
#include "check/unchecked.h"
#include "ops/operation.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre::host {
namespace {

std::string system_error() { return std::strerror(errno); }

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

std::expected<Bytes, UsageError> read_file(const std::string& path, uint64_t most) {
  auto bytes = read_file_bytes(path, most);
  if (!bytes) return std::unexpected(UsageError{std::move(bytes.error())});
  return std::move(*bytes);
}

std::expected<void, UsageError> write_file(const std::string& path, std::span<const std::byte> bytes) {
  const auto failed = [&] {
    return std::unexpected(UsageError{fmt::format("cannot write '{}': {}", path, system_error())});
  };
  if (path == "-") {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
      return failed();
    return {};
  }
  // A device or a pipe cannot be renamed over; what exists and is no regular file is written in place.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (std::filesystem::is_directory(status)) {
    errno = EISDIR;
    return failed();
  }
  const std::string part = in_place ? path : fmt::format("{}.part-{}", path, getpid());
  File file(std::fopen(part.c_str(), "wb"));
  if (!file) return failed();
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  good = std::fflush(file.get()) == 0 && good;
  if (good && !in_place) good = fsync(fileno(file.get())) == 0;
  file.reset();
  if (good && !in_place) good = std::rename(part.c_str(), path.c_str()) == 0;
  if (!good) {
    const int error = errno;
    if (!in_place) std::remove(part.c_str());
    errno = error;
    return failed();
  }
  return {};
}

std::expected<void, UsageError> write_file(const std::string& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::string render_all(const Diagnostics& diagnostics, const Source* source, const std::string& path) {
  std::string out;
  for (const Diag& diag : diagnostics) out += render(diag, source, path);
  if (diagnostics.size() > 1) out += fmt::format("{}: {} errors\n", path, diagnostics.size());
  return out;
}

std::expected<ProgramFile, ProgramError> load_program(const std::string& path) {
  auto bytes = read_file(path, kMaxProgramBytes);
  if (!bytes) return std::unexpected(ProgramError{fmt::format("vyre: {}\n", bytes.error().message), 2});
  if (wire::is_wire(*bytes)) {
    auto program = wire::decode(*bytes);
    if (!program) return std::unexpected(ProgramError{render(program.error(), nullptr, path), 1});
    return ProgramFile{path, nullptr, std::move(*program)};
  }
  auto source = std::make_shared<const Source>(
      path, std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  auto program = text::parse(source->text(), &ops::op_table());
  if (!program) return std::unexpected(ProgramError{render(program.error(), source.get(), path), 1});
  return ProgramFile{path, std::move(source), std::move(*program)};
}

std::expected<CheckedFile, ProgramError> load_checked(const std::string& path, const spec::OpTable& ops) {
  auto file = load_program(path);
  if (!file) return std::unexpected(std::move(file.error()));
  auto checked = check::check(std::move(file->program), ops);
  if (!checked)
    return std::unexpected(ProgramError{render_all(checked.error(), file->source.get(), path), 1});
  return CheckedFile{path, std::move(file->source),
                     std::make_shared<const check::Checked>(std::move(*checked))};
}

std::expected<WatchableFile, ProgramError> load_watchable(const std::string& path, const spec::OpTable& ops) {
  auto file = load_program(path);
  if (!file) return std::unexpected(std::move(file.error()));
  auto found = check::check_but_barriers(std::move(file->program), ops);
  if (!found) return std::unexpected(ProgramError{render_all(found.error(), file->source.get(), path), 1});
  auto checked = std::make_shared<const check::Checked>(std::move(found->checked));
  return WatchableFile{{path, std::move(file->source), std::move(checked)}, std::move(found->divergent)};
}

}  // namespace vyre::host
