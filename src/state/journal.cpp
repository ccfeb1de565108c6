#include "state/journal.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace vyre::state {
namespace {

constexpr size_t kMagicBytes = 8, kCheckedBytes = 24, kHeaderBytes = 32, kDigestBytes = 32;
/// 0xff is nowhere in UTF-8, and a file that was converted between line ends has lost the rest.
constexpr std::array<unsigned char, kMagicBytes> kMagic = {0xff, 'v', 'y', 'r', 'e', '\r', '\n', 0xfe};

template <typename T>
T load(std::span<const std::byte> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Digest sum(const Digest& campaign, uint64_t offset, std::span<const std::byte> bytes) {
  return Hasher().update(std::as_bytes(std::span(campaign.bytes))).update_u64(offset).update(bytes).finish();
}

void append(Bytes& out, const void* bytes, size_t size) {
  const auto* first = static_cast<const std::byte*>(bytes);
  out.insert(out.end(), first, first + size);
}

enum class Found : uint8_t { Intact, CutOff, Damaged };

/// What a scan finds at one offset of the journal.
struct Scanned {
  Found found = Found::Damaged;
  uint64_t size = 0;  // of the record, where its header is intact; else 0
  Record record;      // of one that is damaged, what it reads as
};

bool known(RecordKind kind) {
  switch (kind) {
    case RecordKind::Result:
    case RecordKind::Part:
    case RecordKind::Begun: return true;
  }
  return false;
}

/// `bytes`: from the offset to the end of the journal.
Scanned look(std::span<const std::byte> bytes, const Digest& campaign, uint64_t offset) {
  Scanned scanned;
  if (std::memcmp(bytes.data(), kMagic.data(), std::min(kMagicBytes, bytes.size())) != 0) return scanned;
  if (bytes.size() < kHeaderBytes) {
    scanned.found = Found::CutOff;
    return scanned;
  }
  const Digest check = sum(campaign, offset, bytes.first(kCheckedBytes));
  if (std::memcmp(check.bytes.data(), bytes.data() + kCheckedBytes, kHeaderBytes - kCheckedBytes) != 0)
    return scanned;
  const auto kind = RecordKind(load<uint32_t>(bytes, 8));
  const uint64_t name = load<uint32_t>(bytes, 12), value = load<uint64_t>(bytes, 16);
  const uint64_t room = bytes.size() - kHeaderBytes;
  if (name > room || value > room - name || kDigestBytes > room - name - value) {
    scanned.found = Found::CutOff;
    return scanned;
  }
  const size_t summed = kHeaderBytes + size_t(name) + size_t(value);
  scanned.size = summed + kDigestBytes;
  const auto text = [&](size_t at, uint64_t size) {
    return std::string(reinterpret_cast<const char*>(bytes.data()) + at, size_t(size));
  };
  scanned.record = {kind, text(kHeaderBytes, name), {}};
  const Digest whole = sum(campaign, offset, bytes.first(summed));
  if (!known(kind) || std::memcmp(whole.bytes.data(), bytes.data() + summed, kDigestBytes) != 0)
    return scanned;
  scanned.record.value = text(kHeaderBytes + size_t(name), value);
  scanned.found = Found::Intact;
  return scanned;
}

/// The next intact record after `from`; the size of the journal when there is none.
uint64_t next_intact(std::span<const std::byte> bytes, const Digest& campaign, uint64_t from) {
  const auto* magic = reinterpret_cast<const std::byte*>(kMagic.data());
  auto at = bytes.begin() + std::ptrdiff_t(from);
  while (true) {
    at = std::search(at, bytes.end(), magic, magic + kMagicBytes);
    if (at == bytes.end()) return bytes.size();
    const auto offset = uint64_t(at - bytes.begin());
    if (look(bytes.subspan(size_t(offset)), campaign, offset).found == Found::Intact) return offset;
    ++at;
  }
}

}  // namespace

void append_record(Bytes& out, const Digest& campaign, uint64_t offset, RecordKind kind,
                   std::string_view name, std::string_view value) {
  const size_t begin = out.size();
  const auto written = [&] { return std::span(out).subspan(begin); };
  const uint32_t number = uint32_t(kind), name_bytes = uint32_t(name.size());
  const uint64_t value_bytes = value.size();
  append(out, kMagic.data(), kMagicBytes);
  append(out, &number, sizeof number);
  append(out, &name_bytes, sizeof name_bytes);
  append(out, &value_bytes, sizeof value_bytes);
  const Digest check = sum(campaign, offset, written());
  append(out, check.bytes.data(), kHeaderBytes - kCheckedBytes);
  append(out, name.data(), name.size());
  append(out, value.data(), value.size());
  const Digest whole = sum(campaign, offset, written());
  append(out, whole.bytes.data(), kDigestBytes);
}

Scan scan_journal(std::span<const std::byte> bytes, const Digest& campaign) {
  Scan scan;
  uint64_t at = 0;
  while (at < bytes.size()) {
    Scanned scanned = look(bytes.subspan(size_t(at)), campaign, at);
    if (scanned.found == Found::Intact) {
      scan.records.push_back(std::move(scanned.record));
      at += scanned.size;
      continue;
    }
    // A damaged record whose header is intact ends where that says; what follows is judged by itself.
    const uint64_t end = scanned.size != 0 ? at + scanned.size : next_intact(bytes, campaign, at + 1);
    if (end == bytes.size() && scanned.found == Found::CutOff) break;
    scan.holes.push_back({at, end, std::move(scanned.record.name)});
    at = end;
  }
  scan.end = at;
  return scan;
}

}  // namespace vyre::state
