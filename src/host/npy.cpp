#include "host/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "spec/table.h"
#include "text/lexer.h"

namespace vyre::host {
namespace {

using spec::DataType;

constexpr std::string_view kMagic = "\x93NUMPY";

std::unexpected<UsageError> no_array(std::string message) {
  return std::unexpected(UsageError{std::move(message)});
}

/// How an element stands in a file.
struct Form {
  std::string_view type;  // as the header has it
  uint32_t item = 0;      // bytes of an item of the array
  uint32_t last = 0;      // items of an element, on an axis of their own; 0: the element is an item
};

constexpr spec::Row<DataType, Form> kNpyFormRows[] = {
    {DataType::U32, {"<u4", 4}},        {DataType::I32, {"<i4", 4}},        {DataType::U64, {"<u8", 8}},
    {DataType::F16, {"<f2", 2}},        {DataType::F32, {"<f4", 4}},        {DataType::BF16, {"<u2", 2}},
    {DataType::Bool, {"|b1", 1}},       {DataType::Bytes, {"|u1", 1}},      {DataType::U128, {"<u8", 8, 2}},
    {DataType::Vec2U32, {"<u4", 4, 2}}, {DataType::Vec4U32, {"<u4", 4, 4}}, {DataType::Tensor, {}},
    {DataType::I8, {"|i1", 1}},         {DataType::U8, {"|u1", 1}},         {DataType::FP8E4M3, {"|u1", 1}},
    {DataType::FP8E5M2, {"|u1", 1}},    {DataType::FP4E2M1, {"|u1", 1}},
};  // a tensor's elements have another type
constexpr spec::TotalTable<kNpyFormRows> kNpyForms;

struct Header {
  std::string type, order;
  std::optional<std::vector<uint64_t>> shape;
};

/// Reads the dictionary of a header.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::optional<Header> read() {
    Header out;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = quoted();
      if (!key || !take(':')) return std::nullopt;
      if (*key == "descr") {
        const auto type = quoted();
        out.type = type ? *type : "a structure";
        if (!type) return out;  // a list of fields, which no buffer is
      } else if (*key == "fortran_order") {
        out.order = word();
      } else if (*key == "shape") {
        out.shape = numbers();
        if (!out.shape) return std::nullopt;
      } else {
        return std::nullopt;
      }
      if (!take(',') && !at('}')) return std::nullopt;
    }
    if (out.type.empty() || out.order.empty() || !out.shape) return std::nullopt;
    return out;
  }

 private:
  void skip() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t'))
      text_.remove_prefix(1);
  }
  bool at(char c) {
    skip();
    return text_.starts_with(c);
  }
  bool take(char c) {
    if (!at(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::optional<std::string> quoted() {
    skip();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const size_t end = text_.find(text_[0], 1);
    if (end == text_.npos) return std::nullopt;
    std::string out(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return out;
  }
  std::string word() {
    skip();
    size_t end = 0;
    while (end < text_.size() && text::continues_word(text_[end])) ++end;
    std::string out(text_.substr(0, end));
    text_.remove_prefix(end);
    return out;
  }
  /// (2, 3), (2,), (); Python 2 wrote 2L.
  std::optional<std::vector<uint64_t>> numbers() {
    std::vector<uint64_t> out;
    if (!take('(')) return std::nullopt;
    while (!take(')')) {
      std::string digits = word();
      if (digits.ends_with('L')) digits.pop_back();
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), out.emplace_back());
      if (error != std::errc() || digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
      if (!take(',') && !at(')')) return std::nullopt;
    }
    return out;
  }

  std::string_view text_;
};

/// The product, or none when it is more than any buffer.
std::optional<uint64_t> product(std::span<const uint64_t> shape) {
  if (std::ranges::find(shape, 0u) != shape.end()) return 0;
  uint64_t out = 1;
  for (const uint64_t size : shape) {
    if (size > UINT64_MAX / 32 / out) return std::nullopt;
    out *= size;
  }
  return out;
}

std::string shown(std::span<const uint64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

bool is_npy(std::string_view path) { return path.ends_with(".npy"); }

std::expected<Array, UsageError> parse_npy(std::span<const std::byte> file, DataType element) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (!bytes.starts_with(kMagic) || bytes.size() < 10)
    return no_array("it is no .npy file: it does not begin as one");
  const uint32_t version = uint8_t(bytes[6]);
  if (version < 1 || version > 3)
    return no_array(fmt::format("version {} of .npy is none of 1, 2 and 3", version));
  const size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) return no_array("the .npy file is cut off in its header");
  uint64_t length = 0;
  for (size_t i = begin; i-- > 8;) length = length << 8 | uint8_t(bytes[i]);
  if (length > kMaxNpyHeader || length > bytes.size() - begin)
    return no_array("the .npy file is cut off in its header");
  const auto header = HeaderReader(bytes.substr(begin, size_t(length))).read();
  if (!header) return no_array("the header of the .npy file is malformed");

  const Form& form = kNpyForms[element];
  if (header->type != form.type) {
    return no_array(fmt::format("the array has the type '{}', and a buffer of {} takes '{}'", header->type,
                                spec::text(element), form.type));
  }
  if (header->order != "False")
    return no_array("the array is in Fortran order; numpy.ascontiguousarray makes it one in C order");
  const auto& shape = *header->shape;
  if (form.last != 0 && (shape.empty() || shape.back() != form.last)) {
    return no_array(fmt::format("the array has the shape {}, and for {} its last axis has {} items",
                                shown(shape), spec::text(element), form.last));
  }
  const std::string_view items = bytes.substr(begin + size_t(length));
  const auto count = product(shape);
  if (!count || *count * form.item != items.size()) {
    return no_array(fmt::format("the array has the shape {} of items of {} bytes, and {} bytes follow",
                                shown(shape), form.item, items.size()));
  }
  if (items.size() / std::max(form.item * std::max(form.last, 1u), 1u) > UINT32_MAX)
    return no_array(fmt::format("a buffer of {} elements is too large", *count));
  Array out;
  out.shape.emplace();
  for (size_t axis = 0; axis < shape.size() - (form.last != 0 ? 1 : 0); ++axis) {
    if (shape[axis] > UINT32_MAX)
      return no_array(fmt::format("an axis of {} items is too large", shape[axis]));
    out.shape->push_back(uint32_t(shape[axis]));
  }
  const std::span elements = std::as_bytes(std::span(items));
  if (element == DataType::Bool) {
    out.bytes = words_of_bools(elements);
    return out;
  }
  out.bytes.assign(elements.begin(), elements.end());
  if (has_more_bits(out.bytes, element))
    return no_array(
        fmt::format("the array has a byte above 15, and each is a {}, in its low half", spec::text(element)));
  if (element == DataType::Bytes) out.bytes.resize((items.size() + 3) / 4 * 4);
  return out;
}

bool has_more_bits(std::span<const std::byte> bytes, DataType element) {
  const uint32_t bits = spec::packed_bits(element);
  return bits < 8 && std::ranges::any_of(bytes, [&](std::byte b) { return uint32_t(b) >> bits != 0; });
}

Bytes words_of_bools(std::span<const std::byte> bools) {
  Bytes out(bools.size() * 4);
  for (size_t i = 0; i < bools.size(); ++i) store_u32(out.data() + 4 * i, bools[i] != std::byte{} ? 1 : 0);
  return out;
}
Bytes bools_of_words(std::span<const std::byte> words) {
  Bytes out(words.size() / 4);
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::byte(load_u32(words.data() + 4 * i) != 0 ? 1 : 0);
  return out;
}

Bytes format_npy(std::span<const std::byte> buffer, DataType element,
                 const std::optional<std::vector<uint32_t>>& shape) {
  const Form& form = kNpyForms[element];
  const Bytes items =
      element == DataType::Bool ? bools_of_words(buffer) : Bytes(buffer.begin(), buffer.end());
  std::vector<uint64_t> axes;
  if (shape) {
    axes.assign(shape->begin(), shape->end());
  } else {
    axes.push_back(items.size() / (form.item * std::max(form.last, 1u)));
  }
  if (form.last != 0) axes.push_back(form.last);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", form.type, shown(axes));
  // The elements begin at a multiple of 64 bytes, behind a line's end.
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += char(header.size() & 0xff);
  out += char(header.size() >> 8);
  out += header;
  Bytes file(out.size() + items.size());
  std::memcpy(file.data(), out.data(), out.size());
  if (!items.empty()) std::memcpy(file.data() + out.size(), items.data(), items.size());
  return file;
}

}  // namespace vyre::host
