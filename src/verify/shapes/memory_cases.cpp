// Memory: buffers of every type and count in any order of bindings, indices in bounds and far outside, and
// tensors. 192 invocations in three workgroups; what is expected is done to arrays of bytes on the host.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verify/shape_case.h"

namespace vyre::verify {
namespace {

using spec::DataType;

constexpr uint32_t kWorkgroup = 64, kGroups = 3, kInvocations = kWorkgroup * kGroups;
constexpr uint32_t kFewer = 77;  // elements of a buffer that has fewer than there are invocations
constexpr uint32_t kFewerResults = 101;
constexpr uint32_t kSmallCount = 133;         // of the buffer that far indices miss
constexpr uint32_t kBehind = 51;              // elements behind the power of two that indices are around
constexpr uint32_t kUniformBytes = 64 << 10;  // the most of a uniform buffer
constexpr uint32_t kInnermost = 67;  // the least stride of tensors that have gaps, so that others pass 255
constexpr uint32_t kMaxRank = 4;
constexpr uint32_t kCoordinates = 6;  // coordinates are below it, dimensions up to it
constexpr uint32_t kSlack = 3;        // elements of a tensor's buffer behind the last
/// By level of ShapeFactor::Buffers.
constexpr uint32_t kStorageBuffers[] = {0, 8, 9, 16, 31};
/// Of the two dispatches of a case that has another one before.
constexpr uint32_t kDims[2][kMaxRank] = {{4, 3, 2, 5}, {3, 5, 4, 2}};
constexpr uint32_t kSteps[kMaxRank] = {3, 5, 7, 11};

class Memory {
 public:
  Memory(const Row& row, ShapeText& text)
      : row_(row),
        text_(text),
        type_(*spec::find_type(level_text(ShapeFactor::Element, at(ShapeFactor::Element)))),
        rank_(at(ShapeFactor::Rank)) {}

  ShapeCase make() {
    write();
    ShapeCase out;
    out.interface = ShapeInterface(at(ShapeFactor::Interface));
    out.text = text_.print({kWorkgroup, 1, 1}, at(ShapeFactor::Numbering));
    const uint8_t again = at(ShapeFactor::Again);
    if (again == 2 || out.interface == ShapeInterface::Changed) out.dispatches.push_back(dispatch(1));
    if (again == 1) out.dispatches.push_back(dispatch(0));
    out.dispatches.push_back(dispatch(0));
    return out;
  }

 private:
  enum class Access : uint8_t { Load, LoadReadWrite, LoadUniform, Store, Atomic };
  enum class Counts : uint8_t { Exact, FewerResults, FewerInputs, EmptyInput };
  enum class Dimensions : uint8_t { None, Fixed, Named, Strides };

  uint8_t at(ShapeFactor factor) const { return level_of(row_, factor); }
  Access access() const { return Access(at(ShapeFactor::Access)); }
  Counts counts() const { return Counts(at(ShapeFactor::Counts)); }
  Dimensions dimensions() const { return Dimensions(at(ShapeFactor::Dimensions)); }
  uint32_t odd(uint32_t name) const { return text_.word(name) | 1; }

  // --- The program

  void write() {
    const bool uniform = access() == Access::LoadUniform;
    const uint32_t base = 3 + (uniform ? 0 : 1) + (rank_ != 0 ? 1 : 0);  // e0, at, a, s, out
    extras_ = std::max(kStorageBuffers[at(ShapeFactor::Buffers)], base) - base;
    for (uint32_t k = 0; k <= extras_; ++k)
      text_.buffer(is_written(k) ? "read_write" : "read", fmt::format("e{}", k), "u32");
    if (dimensions() == Dimensions::Named) text_.buffer("uniform", "d", "u32");
    text_.buffer("read", "at", "u32");
    const bool writes = access() != Access::Load && !uniform;
    text_.buffer(uniform ? "uniform" : writes ? "read_write" : "read", "a", std::string(spec::text(type_)));
    if (rank_ != 0) text_.buffer("read", "s", tensor());
    text_.buffer("read_write", "out", "u32");

    text_.line("let i = invocation_id.x;");
    text_.line(fmt::format("let v = i * {};", odd(1)));
    for (uint32_t k = 0; k <= extras_; ++k) {
      const std::string length = is_measured(k) ? fmt::format(" + len(e{}) * {}", k, odd(60 + k)) : "";
      text_.line(fmt::format("v = v + e{}[i] * {}{};", k, odd(20 + k), length));
      if (is_written(k)) text_.line(fmt::format("e{0}[i] = e{0}[i] ^ (i + {1});", k, k));
    }
    text_.line("let p = at[i];");
    switch (access()) {
      case Access::Load:
      case Access::LoadReadWrite:
      case Access::LoadUniform:
        text_.line("let x = a[p];");
        text_.line(fmt::format("v = v * 3 + {};", folded_word(type_, std::string_view("x"))));
        break;
      case Access::Store:
        text_.line(fmt::format("let y = i * {} + {};", odd(2), text_.word(3)));
        text_.line(fmt::format("a[p] = {};", made_of(type_, "y")));
        break;
      case Access::Atomic: text_.line("v = v * 3 + atomic_add(a[p], i + 5);"); break;
    }
    text_.line("v = v + len(a) * 7;");
    if (rank_ != 0) {
      std::string indices;
      for (uint32_t k = 0; k < rank_; ++k) {
        indices += fmt::format("{}((i * {} + {}) >> 1) % {}", k == 0 ? "" : ", ", kSteps[k], k, kCoordinates);
      }
      text_.line(fmt::format("v = v * 5 + s[{}];", indices));
    }
    text_.line("out[i] = v;");
  }

  std::string tensor() const {
    std::string dims, strides;
    for (uint32_t k = 0; k < rank_; ++k) {
      const char* separator = k == 0 ? "" : ", ";
      dims += dimensions() == Dimensions::Named ? fmt::format("{}n{} = d[{}]", separator, k, k + 1)
                                                : fmt::format("{}{}", separator, kDims[0][k]);
      strides += fmt::format("{}{}", separator, stride(0, k));
    }
    if (dimensions() != Dimensions::Strides) return fmt::format("tensor<u32, [{}]>", dims);
    return fmt::format("tensor<u32, [{}], strides [{}]>", dims, strides);
  }

  static bool is_written(uint32_t extra) { return extra % 5 == 1; }
  static bool is_measured(uint32_t extra) { return extra % 4 == 0; }

  // --- Its answer

  uint32_t dim(uint32_t salt, uint32_t axis) const {
    return kDims[dimensions() == Dimensions::Named ? salt : 0][axis];
  }
  /// Row-major; or each with a gap.
  uint32_t stride(uint32_t salt, uint32_t axis) const {
    const bool gaps = dimensions() == Dimensions::Strides;
    uint32_t out = gaps ? kInnermost : 1;
    for (uint32_t k = rank_ - 1; k > axis; --k) out = out * dim(salt, k) + (gaps ? 1 : 0);
    return out;
  }
  uint32_t count() const {
    constexpr uint32_t kPowers[] = {0, 8, 16, 18, 20};
    const uint8_t place = at(ShapeFactor::Place);
    if (place == 0) return kInvocations;
    if (place == 7) return kUniformBytes / spec::info(type_).bytes;
    return place < std::size(kPowers) ? (1u << kPowers[place]) + kBehind : kSmallCount;
  }
  uint32_t index(uint32_t i) const {
    switch (at(ShapeFactor::Place)) {
      case 0:
      case 5: return i;
      case 1:
      case 2:
      case 3:
      case 4:
      case 7: return count() - kBehind - kInvocations / 2 + i;
      case 6: return i % 5 == 4 ? UINT32_MAX - i / 5 : (1u << (28 + i % 5)) + i / 5;
    }
    std::unreachable();  // no other level
  }
  Bytes words(uint32_t count, uint32_t salt, uint32_t name) const {
    std::vector<uint32_t> out(count);
    for (uint32_t k = 0; k < count; ++k) out[k] = (k + 1) * 0x9E3779B1u + text_.word(name) * (salt + 1);
    return to_bytes(out);
  }
  uint32_t extra_count(uint32_t k, uint32_t salt) const {
    if (k == 0 && counts() == Counts::EmptyInput) return 0;
    if (counts() == Counts::FewerInputs) return kFewer + k;
    return kInvocations + salt * (k + 2);
  }
  uint32_t out_count(uint32_t salt) const {
    return (counts() == Counts::FewerResults ? kFewerResults : kInvocations) + 2 * salt;
  }

  ShapeDispatch dispatch(uint32_t salt) const {
    // One group fewer before: results of those that do not run stay as they were.
    ShapeDispatch out{{kGroups - salt, 1, 1}, {}, {}};
    std::vector<Bytes>& all = out.before;
    for (uint32_t k = 0; k <= extras_; ++k) all.push_back(words(extra_count(k, salt), salt, 100 + k));
    if (dimensions() == Dimensions::Named) {
      std::vector<uint32_t> dims = {text_.word(8)};
      for (uint32_t k = 0; k < rank_; ++k) dims.push_back(dim(salt, k));
      all.push_back(to_bytes(dims));
    }
    std::vector<uint32_t> indices(kInvocations);
    for (uint32_t i = 0; i < kInvocations; ++i) indices[i] = index((i + salt) % kInvocations);
    all.push_back(to_bytes(indices));
    const size_t a = all.size();
    const size_t bytes = spec::info(type_).bytes;
    Bytes contents = words(uint32_t((count() * bytes + 3) / 4), salt, 140);
    contents.resize(count() * bytes);
    // Some truths are false.
    for (size_t k = 0; type_ == DataType::Bool && k < contents.size(); k += 12) store_u32(&contents[k], 0);
    all.push_back(std::move(contents));
    if (rank_ != 0) {
      uint32_t last = 0;
      for (uint32_t k = 0; k < rank_; ++k) last += (dim(salt, k) - 1) * stride(salt, k);
      all.push_back(words(last + 1 + kSlack, salt, 141));
    }
    all.push_back(words(out_count(salt), salt, 142));
    out.after = all;
    for (uint32_t i = 0; i < (kGroups - salt) * kWorkgroup; ++i) invoke(i, salt, a, out);
    return out;
  }

  static uint32_t word_of(const Bytes& buffer, uint64_t index) {
    return 4 * index < buffer.size() ? load_u32(&buffer[4 * index]) : 0;
  }
  static void set_word(Bytes& buffer, uint64_t index, uint32_t value) {
    if (4 * index < buffer.size()) store_u32(&buffer[4 * index], value);
  }

  /// What one invocation does. a: which buffer is the one accessed.
  void invoke(uint32_t i, uint32_t salt, size_t a, ShapeDispatch& out) const {
    uint32_t v = i * odd(1);
    for (uint32_t k = 0; k <= extras_; ++k) {
      const uint32_t read = word_of(out.before[k], i);
      v += read * odd(20 + k);
      if (is_measured(k)) v += uint32_t(out.before[k].size() / 4) * odd(60 + k);
      if (is_written(k)) set_word(out.after[k], i, read ^ (i + k));
    }
    const size_t bytes = spec::info(type_).bytes;
    const uint64_t place = uint64_t(word_of(out.before[a - 1], i)) * bytes;
    Bytes& elements = out.after[a];
    const bool within = place < elements.size();
    switch (access()) {
      case Access::Load:
      case Access::LoadReadWrite:
      case Access::LoadUniform: {
        const std::span<const std::byte> before(out.before[a]);
        v = v * 3 + (within ? folded_word(type_, before.subspan(place, bytes)) : 0);
        break;
      }
      case Access::Store:
        if (within) std::ranges::copy(bytes_made_of(type_, i * odd(2) + text_.word(3)), &elements[place]);
        break;
      case Access::Atomic:
        v = v * 3 + (within ? load_u32(&elements[place]) : 0);
        if (within) store_u32(&elements[place], load_u32(&elements[place]) + i + 5);
        break;
    }
    v += uint32_t(elements.size() / bytes) * 7;
    if (rank_ != 0) {
      uint32_t linear = 0;
      bool inside = true;
      for (uint32_t k = 0; k < rank_; ++k) {
        const uint32_t coordinate = ((i * kSteps[k] + k) >> 1) % kCoordinates;
        inside = inside && coordinate < dim(salt, k);
        linear += coordinate * stride(salt, k);
      }
      v = v * 5 + (inside ? word_of(out.before[a + 1], linear) : 0);
    }
    set_word(out.after.back(), i, v);
  }

  const Row& row_;
  ShapeText& text_;
  const DataType type_;
  const uint32_t rank_;
  uint32_t extras_ = 0;  // buffers beside e0 that are there to be many
};

}  // namespace

ShapeCase memory_case(const Row& row, ShapeText& text) { return Memory(row, text).make(); }

}  // namespace vyre::verify
