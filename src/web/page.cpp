#include "web/page.h"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/base64.h"
#include "spec/float_format.h"
#include "web/files.h"

namespace vyre::web {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using spec::DataType;

constexpr std::string_view kCasesFile = "cases.js";
// Buffers are cut into pieces, and equal pieces are in the page once: cases of different operators at the
// same types have mostly the same operands.
constexpr size_t kPieceBytes = 512;

/// Texts that are numbered in the order in which they first came.
class Pool {
 public:
  size_t add(std::string text) {
    const auto [found, fresh] = numbers_.try_emplace(std::move(text), texts_.size());
    if (fresh) texts_.push_back(&found->first);
    return found->second;
  }
  ordered_json json() const {
    ordered_json out = ordered_json::array();
    for (const std::string* text : texts_) out.push_back(*text);
    return out;
  }

 private:
  std::map<std::string, size_t> numbers_;
  std::vector<const std::string*> texts_;
};

ordered_json pieces_of(std::span<const std::byte> words, Pool& pieces) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size());
  ordered_json out = ordered_json::array();
  for (size_t at = 0; at < bytes.size(); at += kPieceBytes)
    out.push_back(pieces.add(base64(bytes.substr(at, kPieceBytes))));
  return out;
}

/// How people read a value of a type.
std::string_view form_of(DataType type) {
  if (spec::kFloats.contains(type)) return "float";
  if (spec::kVectors.contains(type)) return "vector";
  if (type == DataType::Bool) return "bool";
  return type == DataType::I32 ? "signed" : "unsigned";
}

ordered_json types_json() {
  ordered_json out;
  for (const spec::TypeInfo& type : spec::kTypes) {
    if (!spec::is_value_type(type.type) && type.type != DataType::Bytes) continue;
    ordered_json& row = out[std::string(type.text)];
    row["bytes"] = type.bytes;
    row["form"] = form_of(type.type);
    if (spec::kFloats.contains(type.type)) row["exponent"] = spec::float_format(type.type).exponent_bits;
  }
  return out;
}

ordered_json replay_json(const Replay& replay) {
  if (!replay.command.empty()) return {{"command", replay.command}};
  ordered_json out = {{"subject", replay.subject}, {"seed", replay.seed}};
  for (const Range& range : replay.ranges)
    out["ranges"].push_back({{"strategy", range.strategy}, {"count", range.count}, {"stride", range.stride}});
  return out;
}

/// What cases share.
struct Pools {
  Pool modules, sources, pieces;
};

ordered_json case_json(const Case& test, Pools& pools) {
  ordered_json out;
  out["name"] = test.name;
  out["group"] = test.group;
  out["source"] = pools.sources.add(test.source);
  out["module"] = pools.modules.add(test.module.text);
  out["groups"] = {test.groups.x, test.groups.y, test.groups.z};
  out["instances"] = test.instances;
  out["digest"] = digest_outputs(test).hex();
  out["replay"] = replay_json(test.replay);
  out["buffers"] = ordered_json::array();
  for (size_t k = 0; k < test.buffers.size(); ++k) {
    const Buffer& buffer = test.buffers[k];
    ordered_json row;
    row["name"] = buffer.name;
    row["type"] = spec::text(buffer.element);
    row["count"] = buffer.count;
    row["bytes"] = buffer.before.size();
    row["writable"] = bool(test.module.writable[k]);
    row["input"] = pieces_of(buffer.before, pools.pieces);
    if (buffer.output) row["expected"] = pieces_of(buffer.after, pools.pieces);
    out["buffers"].push_back(std::move(row));
  }
  return out;
}

std::string cases_text(const Page& page) {
  Pools pools;
  ordered_json out;
  out["schema"] = "vyre.page/1";
  out["title"] = page.title;
  out["vyre"] = VYRE_VERSION;
  out["conformance"] = page.conformance;
  out["entry"] = lower::kWgslEntry;
  out["types"] = types_json();
  ordered_json cases = ordered_json::array();
  for (const Case& test : page.cases) cases.push_back(case_json(test, pools));
  out["cases"] = std::move(cases);
  out["left_out"] = page.left_out;
  out["modules"] = pools.modules.json();
  out["sources"] = pools.sources.json();
  out["pieces"] = pools.pieces.json();
  // A path need not be UTF-8; the page must.
  const auto dump = [&] { return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace); };
  // Of all that is said here, as a browser prints it again: two pages with one digest are one test.
  out["digest"] = sha256(dump()).hex();
  return fmt::format("globalThis.vyrePage = {};\n", dump());
}

using Written = std::expected<void, host::UsageError>;

Written failed(const fs::path& folder, std::string_view why) {
  return std::unexpected(host::UsageError{fmt::format("cannot write '{}': {}", folder.string(), why)});
}

/// Moves all files of one folder into another, over what is there.
Written move_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    fs::rename(entry.path(), to / entry.path().filename(), error);
    if (error) break;
  }
  return error ? failed(to, error.message()) : Written{};
}

Written write_files(const Page& page, const fs::path& folder) {
  for (const PageFile& file : page_files()) {
    if (auto written = host::write_file((folder / file.name).string(), file.text); !written) return written;
  }
  return host::write_file((folder / kCasesFile).string(), cases_text(page));
}

}  // namespace

Digest digest_outputs(const Case& test) {
  Hasher hasher;
  for (const Buffer& buffer : test.buffers) {
    if (!buffer.output) continue;
    hasher.update_u32(uint32_t(buffer.name.size()))
        .update(buffer.name)
        .update_u64(buffer.after.size())
        .update(buffer.after);
  }
  return hasher.finish();
}

Written write_page(const Page& page, const fs::path& folder) {
  std::error_code error;
  const bool exists = fs::exists(folder, error);
  if (exists && !fs::is_directory(folder)) return failed(folder, "it is a file");
  // Only an index.html that this program wrote is replaced.
  if (exists && !fs::is_empty(folder, error) && !fs::exists(folder / kCasesFile))
    return failed(folder, "the folder holds something else than a page; name another one");
  fs::path place = fs::absolute(folder).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();  // it was written with a slash behind
  const fs::path beside = fmt::format("{}.part-{}", place.string(), getpid());
  fs::create_directories(beside, error);
  if (error) return failed(folder, error.message());
  Written written = write_files(page, beside);
  if (written) {
    fs::create_directories(folder, error);
    written = error ? failed(folder, error.message()) : move_files(beside, folder);
  }
  fs::remove_all(beside, error);
  return written;
}

}  // namespace vyre::web
