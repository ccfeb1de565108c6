#include "verify/shape_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "ops/operation.h"
#include "text/text.h"

namespace vyre::verify {
namespace {

using backend::DeviceBuffer;
using backend::DeviceRange;
using backend::kRangeAlignment;

constexpr size_t kGuardBytes = 64;  // on either side of a buffer
constexpr uint64_t kLargeBytes = uint64_t{17} << 20;
constexpr uint64_t kLargeOffset = (uint64_t{16} << 20) + kRangeAlignment;
constexpr uint64_t kTail = 64 << 10;  // of device memory that buffers share, behind all of them
constexpr std::byte kJunk{0xC5};
constexpr uint64_t kStored = 256;  // by a workgroup of a program that stores

struct ShapeRun : CaseRun {
  uint64_t sum = 0;  // a checksum of what was left in the buffers
};

uint64_t aligned(uint64_t bytes) { return (bytes + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment; }

/// A checksum, eight bytes at a time; each step is a permutation, so any one difference shows.
uint64_t sum_of(std::span<const std::byte> bytes, uint64_t sum) {
  for (size_t k = 0; k < bytes.size(); k += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + k, std::min<size_t>(8, bytes.size() - k));
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

uint32_t word_of(std::span<const std::byte> bytes, size_t word) {
  uint32_t out = 0;
  const size_t left = bytes.size() - 4 * word;
  std::memcpy(&out, bytes.data() + 4 * word, std::min<size_t>(left, 4));
  return out;
}

/// Compares what a dispatch left in one buffer.
void compare(const ShapeCase& c, size_t dispatch, size_t buffer, std::span<const std::byte> left,
             ShapeRun& out) {
  const Bytes& wanted = c.dispatches[dispatch].after[buffer];
  out.sum = sum_of(left, out.sum + 1);
  if (out.wrong || std::memcmp(wanted.data(), left.data(), wanted.size()) == 0) return;
  size_t word = 0;
  while (word_of(wanted, word) == word_of(left, word)) ++word;
  const ir::BufferDecl& decl = c.program.buffers[buffer];
  const std::string when = c.dispatches.size() == 1
                               ? std::string()
                               : fmt::format(" after dispatch {} of {}", dispatch + 1, c.dispatches.size());
  out.wrong = Wrong{0,
                    true,
                    {word_of(wanted, word)},
                    {word_of(left, word)},
                    fmt::format("{}, word {} of {}{}", c.program.code.name(decl.name), word,
                                (wanted.size() + 3) / 4, when)};
}

/// Memory of the host, with guards around each buffer.
Result<ShapeRun> run_on_host(backend::Pipeline& pipeline, const ShapeCase& c) {
  ShapeRun out;
  for (size_t d = 0; d < c.dispatches.size() && !out.wrong; ++d) {
    const ShapeDispatch& dispatch = c.dispatches[d];
    std::vector<Bytes> memory;
    std::vector<std::span<std::byte>> host;
    for (const Bytes& before : dispatch.before) {
      Bytes& m = memory.emplace_back(before.size() + 2 * kGuardBytes, kJunk);
      std::ranges::copy(before, m.begin() + kGuardBytes);
    }
    for (size_t b = 0; b < memory.size(); ++b)
      host.push_back(std::span(memory[b]).subspan(kGuardBytes, dispatch.before[b].size()));
    VYRE_CHECK(pipeline.dispatch(host, dispatch.groups));
    ++out.dispatches;
    for (size_t b = 0; b < memory.size(); ++b) {
      compare(c, d, b, host[b], out);
      const auto broken = [&](std::span<const std::byte> guard) {
        out.canaries += guard.size() / 4;
        for (size_t k = 0; k < guard.size(); k += 4)
          out.broken += std::ranges::any_of(guard.subspan(k, 4), [](std::byte x) { return x != kJunk; });
      };
      broken(std::span(memory[b]).first(kGuardBytes));
      broken(std::span(memory[b]).last(kGuardBytes));
    }
  }
  return out;
}

/// Memory of the device, and the image of it.
class OnDevice {
 public:
  OnDevice(backend::Backend& backend, ShapeStores& stores, const ShapeCase& c)
      : backend_(backend), stores_(stores), c_(c), junk_(std::byte(1 + number_of(c.row) % 255)) {}

  Result<ShapeRun> run(backend::Pipeline& pipeline) {
    VYRE_CHECK(allocate());
    ShapeRun out;
    for (size_t d = 0; d < c_.dispatches.size() && !out.wrong; ++d) {
      const ShapeDispatch& dispatch = c_.dispatches[d];
      std::vector<DeviceRange> ranges;
      for (size_t b = 0; b < locations_.size(); ++b) {
        const BufferLocation& location = locations_[b];
        VYRE_CHECK(put(d, location, dispatch.before[b]));
        ranges.push_back(
            {memories_[location.memory].buffer.get(), location.offset, dispatch.before[b].size()});
      }
      if (c_.interface == ShapeInterface::Large) VYRE_CHECK(write_whole());
      VYRE_CHECK(pipeline.dispatch_resident(ranges, dispatch.groups));
      ++out.dispatches;
      VYRE_CHECK(look(d, out));
    }
    return out;
  }

 private:
  struct Memory {
    std::unique_ptr<DeviceBuffer> buffer;
    Bytes image;  // what must be in it
  };
  struct BufferLocation {
    size_t memory = 0;
    uint64_t offset = 0;
  };

  Result<void> allocate() {
    const bool together = c_.interface == ShapeInterface::Ranges || c_.interface == ShapeInterface::Large;
    const uint64_t lead = c_.interface == ShapeInterface::Device ? 0 : 2 * kRangeAlignment;
    uint64_t at = c_.interface == ShapeInterface::Large ? kLargeOffset : kRangeAlignment;
    for (size_t b = 0; b < c_.dispatches[0].before.size(); ++b) {
      uint64_t most = 0;
      for (const ShapeDispatch& d : c_.dispatches) most = std::max<uint64_t>(most, d.before[b].size());
      if (together) {
        locations_.push_back({0, at});
        at += aligned(most) + kRangeAlignment;
      } else {
        locations_.push_back({b, lead});
        memories_.push_back({nullptr, Bytes(lead + most + kGuardBytes, junk_)});
      }
    }
    if (together) {
      const uint64_t least = c_.interface == ShapeInterface::Large ? kLargeBytes : 0;
      memories_.push_back({nullptr, Bytes(std::max(at + kTail, least), junk_)});
    }
    for (Memory& memory : memories_) {
      VYRE_TRY(made, backend_.allocate(memory.image.size()));
      memory.buffer = std::move(made);
      VYRE_CHECK(memory.buffer->fill(0, memory.image.size(), junk_));
    }
    return {};
  }

  /// Writes a part of the image.
  Result<void> write(Memory& memory, uint64_t offset, uint64_t bytes) {
    return memory.buffer->write(offset, std::span(memory.image).subspan(offset, bytes));
  }
  /// All but the tail, which is what it was filled with.
  Result<void> write_whole() { return write(memories_[0], 0, memories_[0].image.size() - kTail); }

  /// Makes the contents of a buffer what they are before dispatch d.
  Result<void> put(size_t d, const BufferLocation& location, const Bytes& contents) {
    Memory& memory = memories_[location.memory];
    const auto now = memory.image.begin() + ptrdiff_t(location.offset);
    const uint64_t size = contents.size();
    if (c_.interface == ShapeInterface::Changed && d != 0) return change(memory, location, contents);
    std::ranges::copy(contents, now);
    switch (c_.interface) {
      case ShapeInterface::Host:
      case ShapeInterface::Large: return {};  // all in one transfer
      case ShapeInterface::Device: return fill_and_write(memory, location.offset, contents);
      case ShapeInterface::Changed:
      case ShapeInterface::Ranges: return write(memory, location.offset, size);
      case ShapeInterface::Stored: return store(location, contents);
      case ShapeInterface::Pieces: break;
    }
    // The last piece first; where they meet is at no boundary of words.
    const uint64_t first = size / 3 | 1, second = std::max(first, 2 * size / 3 | 1);
    if (second < size) VYRE_CHECK(write(memory, location.offset + second, size - second));
    if (first < std::min(second, size))
      VYRE_CHECK(write(memory, location.offset + first, std::min(second, size) - first));
    return write(memory, location.offset, std::min(first, size));
  }

  /// Their last byte comes by a fill of all of them, the others by a write over that.
  Result<void> fill_and_write(Memory& memory, uint64_t offset, const Bytes& contents) {
    if (contents.empty()) return {};
    VYRE_CHECK(memory.buffer->fill(offset, contents.size(), contents.back()));
    return write(memory, offset, contents.size() - 1);
  }

  /// Writes them elsewhere, and lets a program of its own copy them.
  Result<void> store(const BufferLocation& location, const Bytes& contents) {
    if (contents.empty()) return {};
    const bool words = contents.size() % 4 == 0;
    const uint64_t elements = contents.size() / (words ? 4 : 2);
    const auto groups = uint32_t((elements + kStored - 1) / kStored);
    VYRE_TRY(pipeline, stores_.of(backend_, words, elements));
    VYRE_TRY(elsewhere, backend_.allocate(contents.size()));
    VYRE_CHECK(elsewhere->write(0, contents));
    const DeviceRange ranges[] = {
        {elsewhere.get(), 0, contents.size()},
        {memories_[location.memory].buffer.get(), location.offset, contents.size()}};
    return pipeline->dispatch_resident(ranges, {groups, 1, 1});
  }

  /// Writes what differs alone, and fills where one byte stands many times.
  Result<void> change(Memory& memory, const BufferLocation& location, const Bytes& contents) {
    constexpr size_t kSame = 16;  // equal bytes end a piece
    const auto now = std::span(memory.image).subspan(location.offset, contents.size());
    // All but the ends are filled first, so that nothing can be as it was by not being written.
    if (contents.size() > 2 * kSame) {
      const size_t inner = contents.size() - 2 * kSame;
      std::ranges::fill(now.subspan(kSame, inner), std::byte{0});
      VYRE_CHECK(memory.buffer->fill(location.offset + kSame, inner, std::byte{0}));
    }
    for (size_t at = 0; at < contents.size();) {
      if (now[at] == contents[at]) {
        ++at;
        continue;
      }
      size_t end = at + 1, same = 0;
      for (; end < contents.size() && same < kSame; ++end) same = now[end] == contents[end] ? same + 1 : 0;
      std::copy(contents.begin() + ptrdiff_t(at), contents.begin() + ptrdiff_t(end),
                now.begin() + ptrdiff_t(at));
      VYRE_CHECK(write(memory, location.offset + at, end - at));
      at = end;
    }
    return {};
  }

  /// Reads everything back, and compares it with the image after dispatch d.
  Result<void> look(size_t d, ShapeRun& out) {
    const ShapeDispatch& dispatch = c_.dispatches[d];
    for (size_t m = 0; m < memories_.size(); ++m) {
      Memory& memory = memories_[m];
      Bytes left(memory.image.size());
      if (c_.interface == ShapeInterface::Pieces) {
        const uint64_t half = left.size() / 2 | 1;
        VYRE_CHECK(memory.buffer->read(half, std::span(left).subspan(half)));
        VYRE_CHECK(memory.buffer->read(0, std::span(left).first(half)));
      } else {
        VYRE_CHECK(memory.buffer->read(0, left));
      }
      for (size_t b = 0; b < locations_.size(); ++b) {
        if (locations_[b].memory != m) continue;
        const size_t size = dispatch.after[b].size();
        const auto part = std::span(left).subspan(locations_[b].offset, size);
        compare(c_, d, b, part, out);
        // What remains is compared with the image.
        const auto image = std::span(memory.image).subspan(locations_[b].offset, size);
        std::ranges::copy(dispatch.after[b], image.begin());
        std::ranges::copy(image, part.begin());
        out.canaries += kGuardBytes / 4;
      }
      if (left == memory.image) continue;
      for (size_t k = 0; k < left.size(); ++k) out.broken += left[k] != memory.image[k];
      memory.image = std::move(left);
    }
    return {};
  }

  backend::Backend& backend_;
  ShapeStores& stores_;
  const ShapeCase& c_;
  std::byte junk_;  // each case's own, so that memory which an earlier one left there is not taken for filled
  std::vector<Memory> memories_;
  std::vector<BufferLocation> locations_;
};

}  // namespace

Result<backend::Pipeline*> ShapeStores::of(backend::Backend& backend, bool words, uint64_t elements) {
  auto& made = made_[{words, elements}];
  if (!made) {
    const auto program = text::parse(
        fmt::format("program store(read from: {0} @0, read_write to: {0} @1) workgroup({1}, 1, 1) {{ "
                    "to[invocation_id.x] = from[invocation_id.x]; }}",
                    words ? "bytes" : "f16", kStored));
    const auto checked = check::check(*program, ops::op_table());  // the text is part of this file
    VYRE_TRY(pipeline, backend.compile(*checked));
    made = std::move(pipeline);
  }
  return made.get();
}

Result<CaseRun> run_shape(backend::Backend& backend, backend::Pipeline& pipeline, ShapeStores& stores,
                          const ShapeCase& c) {
  VYRE_TRY(run, c.interface == ShapeInterface::Host ? run_on_host(pipeline, c)
                                                    : OnDevice(backend, stores, c).run(pipeline));
  const auto sum = std::as_bytes(std::span(&run.sum, 1));
  run.answer.assign(sum.begin(), sum.end());
  return CaseRun(std::move(run));
}

}  // namespace vyre::verify
