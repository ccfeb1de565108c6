// The journal of a campaign: records one after another, each of which proves itself.
//
//   bytes  0.. 8   magic, of bytes that no text has
//          8..12   kind
//         12..16   bytes of the name
//         16..24   bytes of the value
//         24..32   check of the 24 bytes before: the first 8 of their SHA-256
//         32..     the name, the value, and the SHA-256 of all before
//
// Both sums begin with the digest of the campaign and the place of the record in the file, so a record is
// intact only where it was written and in its own campaign. Reading gives every intact record, whatever
// happened between them: after damage the next one is found by its magic. A record cut short at the end of
// the file is not counted as damage, because a process that is killed while it writes leaves just that.
// Numbers are little-endian. Why so: docs/adr/0037.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"

namespace vyre::state {

enum class RecordKind : uint32_t {
  Result = 1,  // name: the unit; value: its result
  Part = 2,    // name: the shard; value: the device that judged it
  Begun = 3,   // name: empty; value: the day of the campaign, YYYY-MM-DD; the earliest holds
};

struct Record {
  RecordKind kind = RecordKind::Result;
  std::string name;
  std::string value;
  bool operator==(const Record&) const = default;
};

/// Appends the bytes of a record that will stand at `offset` of the journal.
void append_record(Bytes& out, const Digest& campaign, uint64_t offset, RecordKind kind,
                   std::string_view name, std::string_view value);

/// Bytes of a journal that are no intact record.
struct Hole {
  uint64_t begin = 0, end = 0;
  std::string name;  // what can still be read of the record that was there; else empty
};

struct Scan {
  std::vector<Record> records;  // in their order
  std::vector<Hole> holes;
  uint64_t end = 0;  // where the next record goes; what lies behind is one that was cut off
};

/// Reads a whole journal. Cost: linear; behind a damaged place every magic is tried.
Scan scan_journal(std::span<const std::byte> bytes, const Digest& campaign);

}  // namespace vyre::state
