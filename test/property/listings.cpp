#include "property/listings.h"

#include <algorithm>
#include <iterator>

#include "opspec/items.h"

namespace vyre::test {
namespace {

using opspec::Buffers;
using opspec::EngineSpec;
using opspec::Record;

/// An operation whose record p is element p of buffers First, First + 1, ...; how many records there are is
/// the first word of the buffer behind these.
template <size_t First, size_t Columns>
struct Listing {
  static constexpr size_t kCount = First + Columns;

  static uint64_t needed(const Buffers& buffers) { return opspec::get<uint32_t>(buffers[kCount], 0); }
  static size_t listed(const Buffers& buffers) {
    size_t count = size_t(needed(buffers));
    for (size_t b = First; b < kCount; ++b) count = std::min(count, opspec::count<uint32_t>(buffers[b]));
    return count;
  }
  static std::vector<Record> records(const Buffers& buffers) {
    std::vector<Record> out(listed(buffers));
    for (size_t p = 0; p < out.size(); ++p)
      for (size_t b = First; b < kCount; ++b) out[p].push_back(opspec::get<uint32_t>(buffers[b], p));
    return out;
  }
  static void shorten(Buffers& buffers) {
    for (size_t b = First; b < kCount; ++b)
      buffers[b].resize(opspec::count<uint32_t>(buffers[b]) / 2 * sizeof(uint32_t));
  }
  static std::vector<uint64_t> written(const Buffers& buffers) {
    std::vector<uint64_t> out(buffers.size());
    const bool said = !buffers[kCount].empty();  // else the number of records is unknown
    for (size_t b = First; b < kCount; ++b) {
      const uint64_t size = buffers[b].size();
      out[b] = said ? std::min<uint64_t>(needed(buffers) * sizeof(uint32_t), size) : size;
    }
    out[kCount] = std::min(sizeof(uint32_t), buffers[kCount].size());
    return out;
  }
  static constexpr EngineSpec of(std::string_view id) {
    return {id, nullptr, records, needed, shorten, written};
  }
};

constexpr EngineSpec kOfTheLibrary[] = {
    Listing<2, 2>::of("collection.join"),
    Listing<3, 2>::of("match.aho_corasick"),
    Listing<2, 1>::of("string.find_all"),
    Listing<2, 3>::of("string.tokenize"),
};

}  // namespace

std::vector<const EngineSpec*> listings(library::Invariant invariant) {
  std::vector<const EngineSpec*> out;
  for (const EngineSpec& listing : kOfTheLibrary) out.push_back(&listing);
  for (const EngineSpec& engine : opspec::engine_specs())
    if (library::find_engine(engine.id)->promises.has(invariant)) out.push_back(&engine);
  return out;
}

ListingCase listing_case(const PropertyCase& c, library::Invariant invariant) {
  const auto all = listings(invariant);
  const EngineSpec& listing = *all[c.number % all.size()];
  const opspec::OperationSpec& operation = *opspec::find_operation(listing.id);
  RandomStream random = c.random(1);
  if (random.chance(4)) return {listing, operation, opspec::make_malformed_case(operation, c.seed, c.number)};
  if (listing.tagged != nullptr && random.chance(2))
    return {listing, operation, listing.tagged(random, random.below(300))};
  return {listing, operation, opspec::make_case(operation, c.seed, c.number)};
}

Buffers ListingCase::wanted() const {
  Buffers buffers = input;
  operation.reference(buffers);
  return buffers;
}
Buffers ListingCase::got() const { return run_of(operation, input); }

verify::BufferJudge& judge_of(const opspec::OperationSpec& operation) {
  static std::map<std::string_view, verify::BufferJudge> judges;
  const auto known = judges.find(operation.id);
  if (known != judges.end()) return known->second;
  return judges.emplace(operation.id, value_of(verify::BufferJudge::make(backend_under_test(), operation)))
      .first->second;
}

Buffers run_of(const opspec::OperationSpec& operation, const Buffers& input) {
  return value_of(judge_of(operation).run(input));
}

std::vector<Record> sorted_records(const EngineSpec& listing, const Buffers& buffers) {
  std::vector<Record> out = listing.records(buffers);
  std::ranges::sort(out);
  return out;
}

std::string more_often(const std::vector<Record>& a, const std::vector<Record>& b) {
  std::vector<Record> more;
  std::ranges::set_difference(a, b, std::back_inserter(more));
  return more.empty() ? std::string() : fmt::format("({})", fmt::join(more.front(), ", "));
}

}  // namespace vyre::test
