// The journal under every kind of damage: what is intact is read, what is not is named, nothing is invented.
#include "state/journal.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"
#include "oracle.h"

VYRE_ORACLE(Property,
            "what is written is read, in order; what a cut or an overwritten byte damages is named, and no "
            "other record");

namespace vyre::state {
namespace {

const Digest kCampaign = sha256("a campaign");
constexpr uint64_t kOverhead = 64;  // journal.h: a header of 32 bytes and a sum of 32

std::vector<Record> sample() {
  return {{RecordKind::Part, "0/4", "a CPU"},
          {RecordKind::Result, "primitive.math.add@1/parity/3", "{\"planned\": \"10\"}"},
          {RecordKind::Result, "empty", ""},
          {RecordKind::Result, "", "no name"},
          {RecordKind::Result, "text of another kind", std::string("\0\xff\r\n", 4)}};
}

struct Journal {
  Bytes bytes;
  std::vector<uint64_t> begins;  // of the records, and the end
};

Journal write(const std::vector<Record>& records, const Digest& campaign = kCampaign) {
  Journal journal;
  for (const Record& record : records) {
    journal.begins.push_back(journal.bytes.size());
    append_record(journal.bytes, campaign, journal.bytes.size(), record.kind, record.name, record.value);
  }
  journal.begins.push_back(journal.bytes.size());
  return journal;
}

/// Which record a byte belongs to.
size_t owner(const Journal& journal, uint64_t at) {
  size_t record = 0;
  while (journal.begins[record + 1] <= at) ++record;
  return record;
}

TEST(Journal, HasTheDocumentedBytes) {
  VYRE_ORACLE(SpecificationTable, "the layout in journal.h, put together here from text");
  std::string seed(reinterpret_cast<const char*>(kCampaign.bytes.data()), 32);
  seed += std::string("\x05\0\0\0\0\0\0\0", 8);  // the place
  const std::string checked("\xffvyre\r\n\xfe\x01\0\0\0\x02\0\0\0\x03\0\0\0\0\0\0\0", 24);
  const auto raw = [](const Digest& digest, size_t n) {
    return std::string(reinterpret_cast<const char*>(digest.bytes.data()), n);
  };
  const std::string summed = checked + raw(sha256(seed + checked), 8) + "id" + "yes";
  const std::string expected = summed + raw(sha256(seed + summed), 32);
  Bytes bytes;
  append_record(bytes, kCampaign, 5, RecordKind::Result, "id", "yes");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
}

TEST(Journal, IsReadAsItWasWritten) {
  const Journal journal = write(sample());
  uint64_t size = 0;
  for (const Record& record : sample()) size += kOverhead + record.name.size() + record.value.size();
  EXPECT_EQ(journal.bytes.size(), size);
  const Scan scan = scan_journal(journal.bytes, kCampaign);
  EXPECT_EQ(scan.records, sample());
  EXPECT_TRUE(scan.holes.empty());
  EXPECT_EQ(scan.end, size);
}

TEST(Journal, CutAnywhereKeepsAllWholeRecords) {
  // Records that end before the cut are read; what follows is cut off and no damage.
  const Journal journal = write(sample());
  for (size_t size = 0; size < journal.bytes.size(); ++size) {
    const size_t whole = owner(journal, size);
    std::vector<Record> expected = sample();
    expected.resize(whole);
    const Scan scan = scan_journal(std::span(journal.bytes).first(size), kCampaign);
    ASSERT_EQ(scan.records, expected) << size;
    ASSERT_TRUE(scan.holes.empty()) << size;
    ASSERT_EQ(scan.end, journal.begins[whole]) << size;
  }
}

TEST(Journal, EveryFlippedBitIsFoundAndCostsOneRecord) {
  // All records but the one that holds the bit are read, and that one is named as damaged.
  const Journal journal = write(sample());
  for (size_t bit = 0; bit < 8 * journal.bytes.size(); ++bit) {
    Bytes bytes = journal.bytes;
    bytes[bit / 8] ^= std::byte(1u << (bit % 8));
    const size_t hit = owner(journal, bit / 8);
    std::vector<Record> expected = sample();
    expected.erase(expected.begin() + std::ptrdiff_t(hit));
    const Scan scan = scan_journal(bytes, kCampaign);
    ASSERT_EQ(scan.records, expected) << bit;
    ASSERT_EQ(scan.holes.size(), 1u) << bit;
    ASSERT_EQ(scan.holes[0].begin, journal.begins[hit]) << bit;
    ASSERT_EQ(scan.holes[0].end, journal.begins[hit + 1]) << bit;
    ASSERT_EQ(scan.end, bytes.size()) << bit;
    // Behind the name, the header still says what it was.
    const uint64_t name_end = journal.begins[hit] + 32 + sample()[hit].name.size();
    if (bit / 8 >= name_end) ASSERT_EQ(scan.holes[0].name, sample()[hit].name) << bit;
  }
}

TEST(Journal, OverwrittenRangesCostTheRecordsThatTheyTouch) {
  // Records that no overwritten byte belongs to are read, and no others.
  std::vector<Record> records;
  for (int i = 0; i < 40; ++i)
    records.push_back({RecordKind::Result, "unit/" + std::to_string(i), std::string(size_t(i * 7), 'r')});
  const Journal journal = write(records);
  for (uint64_t round = 0; round < 500; ++round) {
    const auto draw = philox(38, round);
    Bytes bytes = journal.bytes;
    const size_t begin = draw[0] % bytes.size(), length = 1 + draw[1] % 700;
    const size_t end = std::min(bytes.size(), begin + length);
    // Zeros, as a loss of power leaves them, or an earlier part of the journal, as a lost write does.
    std::vector<bool> touched(records.size(), false);
    for (size_t at = begin; at < end; ++at) {
      const std::byte old = bytes[at];
      bytes[at] =
          draw[2] % 2 == 0 ? std::byte(0) : journal.bytes[(at + draw[3] % 100) % std::max<size_t>(begin, 1)];
      if (bytes[at] != old) touched[owner(journal, at)] = true;
    }
    std::vector<Record> expected;
    for (size_t i = 0; i < records.size(); ++i) {
      if (!touched[i]) expected.push_back(records[i]);
    }
    const Scan scan = scan_journal(bytes, kCampaign);
    ASSERT_EQ(scan.records, expected) << round;
    ASSERT_EQ(scan.holes.empty() && scan.end == bytes.size(), expected.size() == records.size()) << round;
  }
}

TEST(Journal, RecordsAreIntactOnlyInTheirCampaignAndPlace) {
  VYRE_ORACLE(SpecificationTable, "journal.h: both sums begin with the campaign and the place");
  const Journal journal = write(sample());
  const Scan other = scan_journal(journal.bytes, sha256("another campaign"));
  EXPECT_TRUE(other.records.empty());
  ASSERT_EQ(other.holes.size(), 1u);
  EXPECT_EQ(other.holes[0].end, journal.bytes.size());

  // The first record cut out: those behind it stand where they were not written.
  const Scan moved = scan_journal(std::span(journal.bytes).subspan(size_t(journal.begins[1])), kCampaign);
  EXPECT_TRUE(moved.records.empty());
}

TEST(Journal, RecordsInsideOfResultsAreNone) {
  VYRE_ORACLE(SpecificationTable, "journal.h: a record whose header is intact ends where that says");
  Bytes inner;
  const uint64_t offset = 32 + 5;  // where the value of a first record with a name of 5 bytes stands
  append_record(inner, kCampaign, offset, RecordKind::Result, "inner", "forged");
  const std::string value(reinterpret_cast<const char*>(inner.data()), inner.size());
  Journal journal = write({{RecordKind::Result, "outer", value}, {RecordKind::Result, "next", "1"}});
  ASSERT_EQ(std::memcmp(journal.bytes.data() + offset, inner.data(), inner.size()), 0);
  journal.bytes[size_t(journal.begins[1]) - 1] ^= std::byte(1);
  const Scan scan = scan_journal(journal.bytes, kCampaign);
  const std::vector<Record> expected = {{RecordKind::Result, "next", "1"}};
  EXPECT_EQ(scan.records, expected);
}

}  // namespace
}  // namespace vyre::state
