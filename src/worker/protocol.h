// The calls between a worker and its parent, as bytes.
//
// The parent asks, the worker answers, one call at a time. A request is the number of the call (u32), its
// kind (u8), how many cores the worker may use from now on (u32; 0: all), the pipelines and buffers that are
// no longer wanted, then what the kind needs. An answer is the number again, a flag whether a diagnostic
// follows, then what the kind gives. Both sides are of one build: the version only tells a mistake from a
// fault.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "backend/backend.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "worker/isolate.h"
#include "worker/region.h"

namespace vyre::worker {

inline constexpr uint32_t kProtocolVersion = 6;
/// The descriptor that a worker finds its socket at.
inline constexpr int kWorkerSocket = 3;

enum class Call : uint8_t {
  Hello,             // version -> version, identity, limits, intrinsics, convention
  Map,               // turn, access, bytes; a descriptor -> nothing
  Compile,           // [pipeline, wire bytes] -> [nothing or a diagnostic]
  Code,              // pipeline -> form, text
  Dispatch,          // pipeline, groups, turn, [access, offset, bytes] -> nothing
  Allocate,          // buffer, bytes -> nothing
  Write,             // buffer, offset, turn, access, offset, bytes -> nothing
  Read,              // the same
  Fill,              // buffer, offset, bytes, value -> nothing
  DispatchResident,  // pipeline, groups, [range] -> nothing; a range is a buffer, offset, bytes, shared
  Engine,            // engine, statements, [command] -> [turns, unfinished] of its repeats
  Settle,            // -> nothing
  Floats,            // -> form, native, composed, findings: lists of texts
};

/// How many regions take turns for what the worker can write. For what it only reads there is one.
inline constexpr size_t kTurns = 2;

/// What an answer begins with, behind its number.
enum class Outcome : uint8_t {
  Done,        // what the call gives follows
  Failed,      // a diagnostic follows
  WroteInput,  // an address within the region that it cannot write (u64) follows; then the process dies
};

class Writer {
 public:
  template <typename T>
    requires std::is_integral_v<T>
  void number(T value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    out_.insert(out_.end(), bytes, bytes + sizeof value);
  }
  void bytes(std::span<const std::byte> value) {
    number(uint32_t(value.size()));
    out_.insert(out_.end(), value.begin(), value.end());
  }
  void text(std::string_view value) { bytes(std::as_bytes(std::span(value))); }
  void append(std::span<const std::byte> raw) { out_.insert(out_.end(), raw.begin(), raw.end()); }
  std::span<const std::byte> written() const { return out_; }
  size_t size() const { return out_.size(); }
  void clear() { out_.clear(); }

 private:
  Bytes out_;
};

/// Reads what a Writer wrote, or anything: past the end everything is zero and empty, and ok() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <typename T>
  T number() {
    T value{};
    if (rest_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  std::span<const std::byte> bytes() {
    const auto size = number<uint32_t>();
    if (size > rest_.size()) fail();
    const auto out = rest_.first(ok_ ? size : 0);
    rest_ = rest_.subspan(out.size());
    return out;
  }
  std::string text() {
    const auto value = bytes();
    return {reinterpret_cast<const char*>(value.data()), value.size()};
  }
  /// A count of things of at least `least` bytes each.
  uint32_t count(size_t least) {
    const auto n = number<uint32_t>();
    if (uint64_t(n) * least > rest_.size()) fail();
    return ok_ ? n : 0;
  }
  std::span<const std::byte> rest() const { return rest_; }
  bool ok() const { return ok_; }
  /// Everything was read, and there was no more and no less.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

/// What a worker says of its backend.
struct Greeting {
  uint32_t version = kProtocolVersion;
  backend::Identity identity;
  backend::Limits limits;
  uint64_t intrinsics = 0;  // a bit each
  uint32_t convention = 0;
  std::vector<Route> open_routes;  // to its parent, before the backend was opened
};
Greeting greeting_of(const backend::Backend& backend);
void write(Writer& out, const Greeting& greeting);
/// None when it is no greeting of this version.
std::optional<Greeting> read_greeting(Reader& in);

void write(Writer& out, const backend::FloatUse& floats);
/// None when it is none.
std::optional<backend::FloatUse> read_floats(Reader& in);

/// Code, message and help; positions belong to a text that only the parent has.
void write(Writer& out, const Diag& diag);
/// None for bytes that are no diagnostic.
std::optional<Diag> read_diag(Reader& in);

}  // namespace vyre::worker
