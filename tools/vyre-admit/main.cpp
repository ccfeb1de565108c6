// vyre-admit: the gates of admission, as a step of the build (docs/admission.md).
//
//   vyre-admit SOURCE_DIR STAMP
//
// Every operation of the library passes the gates (admit/gates.h) before anything that calls it is built.
// What was admitted is written down in STAMP, a line an operation with a digest of its file and of what
// judges it, so that only what changed is judged again: an operation costs the optimiser's time for its code.
// Exit code 0: all are admitted; 1: some are not, each with its file, the gate's code and what to do; 2: a
// file that cannot be read or written.
#include <fmt/format.h>
#include <fmt/std.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "admit/gates.h"
#include "base/diag.h"
#include "base/digest.h"
#include "check/module.h"
#include "library/library.h"
#include "ops/operation.h"
#include "ops/registry.h"
#include "spec/types.h"
#include "text/text.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// "primitive.math.add" stands in ops/primitive/math/add.vyre and in the .cpp beside it; "float.f32.add" in
/// ops/floating/add.vyre, which has it at every type, "float.f32.exp_approx" in floating/exp.vyre. What
/// judges an operation on floats may stand beside all texts instead, and is then one of the judges.
std::vector<fs::path> files_of(const fs::path& source, std::string_view id) {
  if (id.ends_with("_approx")) id.remove_suffix(std::string_view("_approx").size());
  const auto text = std::ranges::find(ops::operation_texts(), id, &ops::OperationText::id);
  const std::string path(text->path);
  if (id.starts_with("float.") && !fs::exists(source / "src" / "ops" / (path + ".cpp")))
    return {path + ".vyre"};
  return {path + ".vyre", path + ".cpp"};
}

/// Calls `judge` with each number below `count`, on all cores.
template <typename Judge>
void each_in_parallel(size_t count, const Judge& judge) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < count; i = next++) judge(i);
    });
  }
}

/// Says what is wrong with the texts of the library that are compiled in. Return: how many are.
size_t check_texts() {
  size_t wrong = 0;
  const auto report = [&](const ops::OperationText& text, const Diagnostics& diagnostics) {
    const std::string path = fmt::format("src/ops/{}.vyre", text.path);
    const Source source(path, text.text);
    for (const Diag& diag : diagnostics) fmt::print(stderr, "{}", render(diag, &source, path));
    wrong += !diagnostics.empty();
  };
  for (const ops::OperationText& text : ops::operation_texts()) {
    const auto read = ops::read_operations(text.text, text.beside);
    if (!read)
      report(text, {read.error()});
    else if (read->front().id != text.id)
      report(text, {make_diag(DiagCode::C013, {0, 1}, fmt::format("the id of this file is {}", text.id),
                              "an operation's path is its id")});
  }
  if (wrong != 0) return wrong;  // there is no library to check them with
  for (const ops::OperationText& text : ops::operation_texts()) report(text, admit::check_text(text.text));
  return wrong;
}

/// The operations over buffers by their gates. Return: how many are refused.
size_t check_library() {
  const auto& entries = library::entries();
  std::vector<Diagnostics> refused(entries.size());
  each_in_parallel(entries.size(), [&](size_t i) { refused[i] = admit::admit(entries[i]); });
  size_t wrong = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string path = fmt::format("src/library/{}.vyre", entries[i].file->path);
    const Source source(path, std::string(entries[i].file->text));
    for (const Diag& diag : refused[i]) fmt::print(stderr, "{}", render(diag, &source, path));
    wrong += !refused[i].empty();
  }
  return wrong;
}

/// What judges all of them: the gates, what operations are declared with, the ledgers.
std::optional<Digest> digest_of_judges(const fs::path& source) {
  std::vector<fs::path> files;
  for (const char* folder : {"admit", "ops", "spec"}) {
    for (const auto& entry : fs::directory_iterator(source / "src" / folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  Hasher hasher;
  for (const fs::path& file : files) {
    const auto text = read(file);
    if (!text) return std::nullopt;
    hasher.update(file.filename().string());
    hasher.update(*text);
  }
  return hasher.finish();
}

int fail(const fs::path& path, std::string_view what) {
  fmt::print(stderr, "vyre-admit: cannot {} {}\n", what, path.string());
  return 2;
}

int run(const fs::path& source, const fs::path& stamp) {
  const auto judges = digest_of_judges(source);
  if (!judges) return fail(source / "src", "read the files below");
  if (const size_t wrong = check_texts(); wrong != 0) {
    fmt::print("{} texts of operations are wrong\n", wrong);
    return 1;
  }
  if (const size_t wrong = check_library(); wrong != 0) {
    fmt::print("{} operations over buffers are wrong\n", wrong);
    return 1;
  }
  std::map<std::string, std::string> known, now;
  if (const auto text = read(stamp)) {
    for (size_t at = 0; at < text->size();) {
      const size_t end = std::min(text->find('\n', at), text->size()), gap = text->find(' ', at);
      if (gap < end) known[text->substr(at, gap - at)] = text->substr(gap + 1, end - gap - 1);
      at = end + 1;
    }
  }
  std::vector<const ops::Operation*> changed;
  for (const ops::Operation& operation : ops::all_operations()) {
    Hasher hasher;
    hasher.update(judges->hex());
    for (const fs::path& name : files_of(source, operation.id)) {
      const fs::path file = source / "src" / "ops" / name;
      const auto text = read(file);
      if (!text) return fail(file, "read");
      hasher.update(*text);
    }
    const std::string id(operation.id);
    now[id] = hasher.finish().hex();
    const auto before = known.find(id);
    if (before == known.end() || before->second != now[id]) changed.push_back(&operation);
  }

  std::vector<Diagnostics> refused(changed.size());
  each_in_parallel(changed.size(),
                   [&](size_t i) { refused[i] = admit::admit(admit::candidate_for(*changed[i])); });

  size_t refusals = 0;
  for (size_t i = 0; i < changed.size(); ++i) {
    for (const Diag& diag : refused[i]) {
      ++refusals;
      fmt::print(stderr, "src/ops/{}: {}: {}\n  help: {}\n",
                 files_of(source, changed[i]->id).front().string(), diag_info(diag.code).name, diag.message,
                 diag.help);
    }
    if (!refused[i].empty()) now.erase(std::string(changed[i]->id));
  }
  std::string text;
  for (const auto& [id, digest] : now) text += fmt::format("{} {}\n", id, digest);
  std::ofstream out(stamp, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) return fail(stamp, "write");
  fmt::print("{} of {} operations judged, {} refusals\n", changed.size(), ops::all_operations().size(),
             refusals);
  return refusals == 0 ? 0 : 1;
}

}  // namespace
}  // namespace vyre

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: vyre-admit SOURCE_DIR STAMP\n");
    return 2;
  }
  return vyre::run(argv[1], argv[2]);
}
