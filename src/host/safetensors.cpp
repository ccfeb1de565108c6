#include "host/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/names.h"
#include "base/printable.h"
#include "spec/table.h"

namespace vyre::host {
namespace {

using spec::DataType;

std::unexpected<UsageError> no_tensor(std::string message) {
  return std::unexpected(UsageError{std::move(message)});
}

/// The types of elements of a file. A bool has one byte there.
struct Form {
  std::string_view type;
  uint32_t bytes = 0;
};
constexpr spec::Row<DataType, Form> kTensorFormRows[] = {
    {DataType::U32, {"U32", 4}},
    {DataType::I32, {"I32", 4}},
    {DataType::U64, {"U64", 8}},
    {DataType::F16, {"F16", 2}},
    {DataType::BF16, {"BF16", 2}},
    {DataType::F32, {"F32", 4}},
    {DataType::Bool, {"BOOL", 1}},
    {DataType::U128, {}},
    {DataType::Vec2U32, {}},
    {DataType::Vec4U32, {}},
    {DataType::Bytes, {}},
    {DataType::Tensor, {}},
    {DataType::I8, {"I8", 1}},
    {DataType::U8, {"U8", 1}},
    {DataType::FP8E4M3, {"F8_E4M3", 1}},
    {DataType::FP8E5M2, {"F8_E5M2", 1}},
    {DataType::FP4E2M1, {}},
};
constexpr spec::TotalTable<kTensorFormRows> kTensorForms;

/// Bytes of an element of any type that a file may have; none of a type that is not known.
std::optional<uint32_t> bytes_of(std::string_view type) {
  constexpr auto kSizes = std::to_array<std::pair<std::string_view, uint32_t>>({{"BOOL", 1},
                                                                                {"U8", 1},
                                                                                {"I8", 1},
                                                                                {"F8_E5M2", 1},
                                                                                {"F8_E4M3", 1},
                                                                                {"F8_E8M0", 1},
                                                                                {"I16", 2},
                                                                                {"U16", 2},
                                                                                {"F16", 2},
                                                                                {"BF16", 2},
                                                                                {"I32", 4},
                                                                                {"U32", 4},
                                                                                {"F32", 4},
                                                                                {"F64", 8},
                                                                                {"I64", 8},
                                                                                {"U64", 8},
                                                                                {"C64", 8}});
  const auto* const found = std::ranges::find(kSizes, type, &std::pair<std::string_view, uint32_t>::first);
  return found == kSizes.end() ? std::nullopt : std::optional(found->second);
}

/// As much of JSON as a header has: objects of objects of strings and lists of numbers.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::expected<StoredTensors, UsageError> read() {
    StoredTensors out;
    const bool whole = object([&](std::string name) {
      if (name == "__metadata__") return object([&](const std::string&) { return string().has_value(); });
      StoredTensor tensor;
      bool placed = false, shaped = false;
      const bool good = object([&](const std::string& key) {
        if (key == "dtype") {
          const auto type = string();
          tensor.type = type.value_or("");
          return type.has_value();
        }
        std::vector<uint64_t> numbers;
        if ((key != "shape" && key != "data_offsets") || !list(numbers)) return false;
        if (key == "shape") {
          shaped = true;
          tensor.shape = std::move(numbers);
          return true;
        }
        placed = numbers.size() == 2;
        if (placed) tensor.begin = numbers[0], tensor.end = numbers[1];
        return placed;
      });
      if (!good || !placed || !shaped || tensor.type.empty()) return false;
      if (!out.try_emplace(name, std::move(tensor)).second) twice_ = name;
      return true;
    });
    skip();
    if (!twice_.empty())
      return no_tensor(fmt::format("its header has the tensor '{}' twice", printable(twice_)));
    if (!whole || !text_.empty()) return no_tensor("its header is malformed");
    return out;
  }

 private:
  void skip() {
    while (!text_.empty() && std::string_view(" \n\r\t").contains(text_[0])) text_.remove_prefix(1);
  }
  bool take(char c) {
    skip();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// `member` reads a value.
  template <typename F>
  bool object(const F& member) {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      auto key = string();
      if (!key || !take(':') || !member(*std::move(key))) return false;
    } while (take(','));
    return take('}');
  }
  bool list(std::vector<uint64_t>& out) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      skip();
      const auto [end, error] =
          std::from_chars(text_.data(), text_.data() + text_.size(), out.emplace_back());
      if (error != std::errc()) return false;
      text_.remove_prefix(size_t(end - text_.data()));
    } while (take(','));
    return take(']');
  }
  std::optional<std::string> string() {
    if (!take('"')) return std::nullopt;
    std::string out;
    while (!text_.empty()) {
      const char c = text_[0];
      text_.remove_prefix(1);
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
      } else if (!escaped(out)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }
  bool escaped(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (text_.empty()) return false;
    const size_t at = kNames.find(text_[0]);
    const bool code = text_[0] == 'u';
    text_.remove_prefix(1);
    if (at != kNames.npos) out += kMeant[at];
    if (!code) return at != kNames.npos;
    auto unit = hexadecimal();
    if (unit && *unit >= 0xd800 && *unit < 0xdc00 && text_.starts_with("\\u")) {  // half of a pair
      text_.remove_prefix(2);
      const auto low = hexadecimal();
      if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
      unit = 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00);
    }
    if (!unit || (*unit >= 0xd800 && *unit <= 0xdfff)) return false;
    append_utf8(out, *unit);
    return true;
  }
  std::optional<uint32_t> hexadecimal() {
    uint32_t out = 0;
    if (text_.size() < 4) return std::nullopt;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + 4, out, 16);
    if (error != std::errc() || end != text_.data() + 4) return std::nullopt;
    text_.remove_prefix(4);
    return out;
  }
  static void append_utf8(std::string& out, uint32_t code) {
    if (code < 0x80) {
      out += char(code);
      return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr std::array<uint32_t, 4> kFirst = {0, 0xc0, 0xe0, 0xf0};
    out += char(kFirst[size_t(more)] | code >> (6 * more));
    for (int i = more; i-- > 0;) out += char(0x80 | (code >> (6 * i) & 0x3f));
  }

  std::string_view text_;
  std::string twice_;
};

std::optional<uint64_t> product(std::span<const uint64_t> shape) {
  uint64_t out = 1;
  for (const uint64_t size : shape)
    if (__builtin_mul_overflow(out, size, &out)) return std::nullopt;
  return out;
}

/// A string of JSON.
std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (uint8_t(c) < 0x20) {
      out += fmt::format("\\u{:04x}", uint8_t(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// `count` bytes from a place; none: the file ends before.
std::optional<Bytes> read_range(std::FILE* file, uint64_t from, uint64_t count) {
  Bytes out(count);
  if (fseeko(file, off_t(from), SEEK_SET) != 0) return std::nullopt;
  if (std::fread(out.data(), 1, out.size(), file) != out.size()) return std::nullopt;
  return out;
}

uint64_t load_u64(const std::byte* at) { return load_u32(at) | uint64_t(load_u32(at + 4)) << 32; }

std::string names_of(const StoredTensors& tensors) {
  constexpr size_t kMost = 8;
  std::string out;
  size_t count = 0;
  for (const auto& [name, tensor] : tensors) {
    if (count++ == kMost) break;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", printable(name));
  }
  if (tensors.size() > kMost) out += fmt::format(", ... {} in all", tensors.size());
  return tensors.empty() ? "it has none" : "it has " + out;
}

}  // namespace

bool is_storable(DataType element) { return kTensorForms[element].bytes != 0; }

std::optional<TensorPlace> tensor_place(std::string_view text) {
  constexpr std::string_view kEnd = ".safetensors";
  if (text.ends_with(kEnd)) return TensorPlace{std::string(text), ""};
  const size_t at = text.find(".safetensors:");
  if (at == text.npos) return std::nullopt;
  return TensorPlace{std::string(text.substr(0, at + kEnd.size())),
                     std::string(text.substr(at + kEnd.size() + 1))};
}

std::expected<StoredTensors, UsageError> parse_tensor_header(std::string_view header, uint64_t size) {
  auto tensors = HeaderReader(header).read();
  if (!tensors) return tensors;
  std::vector<std::pair<const std::string*, const StoredTensor*>> in_order;
  for (const auto& [name, tensor] : *tensors) {
    in_order.emplace_back(&name, &tensor);
    const auto item = bytes_of(tensor.type);
    if (!item)
      return no_tensor(
          fmt::format("its tensor '{}' has an unknown type '{}'", printable(name), printable(tensor.type)));
    const auto count = product(tensor.shape);
    uint64_t bytes = 0;
    if (!count || __builtin_mul_overflow(*count, uint64_t(*item), &bytes) || tensor.end < tensor.begin ||
        tensor.end - tensor.begin != bytes) {
      return no_tensor(fmt::format("its tensor '{}' is {}[{}], and lies from {} to {}", printable(name),
                                   tensor.type, fmt::join(tensor.shape, ", "), tensor.begin, tensor.end));
    }
    if (tensor.end > size) {
      return no_tensor(
          fmt::format("it is cut off: its tensor '{}' ends at {}, and {} bytes follow the header",
                      printable(name), tensor.end, size));
    }
  }
  std::ranges::sort(in_order, {},
                    [](const auto& entry) { return std::pair(entry.second->begin, entry.second->end); });
  uint64_t end = 0;
  for (const auto& [name, tensor] : in_order) {
    if (tensor->begin != end) {
      return no_tensor(fmt::format("its tensor '{}' begins at {}, {} what stands before it, which ends at {}",
                                   printable(*name), tensor->begin,
                                   tensor->begin < end ? "within" : "with a hole behind", end));
    }
    end = tensor->end;
  }
  if (end != size)
    return no_tensor(fmt::format("its tensors end at {}, and {} bytes follow the header", end, size));
  return tensors;
}

std::expected<Array, UsageError> read_tensor(const TensorPlace& place, DataType element) {
  const auto fail = [&](std::string_view why) {
    return no_tensor(fmt::format("'{}': {}", printable(place.path), why));
  };
  std::error_code error;
  if (const std::filesystem::path path = place.path;
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return fail("it is no regular file");
  const File file(std::fopen(place.path.c_str(), "rb"));
  if (file == nullptr)
    return no_tensor(fmt::format("cannot read '{}': {}", printable(place.path), std::strerror(errno)));
  if (fseeko(file.get(), 0, SEEK_END) != 0) return fail("it is no file");
  const uint64_t size = uint64_t(ftello(file.get()));
  const auto length = read_range(file.get(), 0, 8);
  if (!length) return fail("it is cut off in its header");
  const uint64_t header_bytes = load_u64(length->data());
  if (header_bytes > kMaxTensorHeader) return fail("it does not begin as a .safetensors file");
  const auto header = header_bytes > size - 8 ? std::nullopt : read_range(file.get(), 8, header_bytes);
  if (!header) return fail("it is cut off in its header");
  const auto tensors = parse_tensor_header({reinterpret_cast<const char*>(header->data()), header->size()},
                                           size - 8 - header_bytes);
  if (!tensors) return fail(tensors.error().message);

  const auto found = tensors->find(place.name);
  if (found == tensors->end()) {
    if (place.name.empty())
      return fail(
          fmt::format("which tensor is meant? {}:NAME; {}", printable(place.path), names_of(*tensors)));
    NearestName nearest(place.name);
    for (const auto& [name, tensor] : *tensors) nearest.consider(name);
    return fail(fmt::format("there is no tensor '{}'; {}", printable(place.name),
                            nearest.help_or(names_of(*tensors))));
  }
  const StoredTensor& tensor = found->second;
  const Form& form = kTensorForms[element];
  if (tensor.type != form.type) {
    return fail(fmt::format("the tensor '{}' has the type {}, and {}", printable(place.name), tensor.type,
                            form.bytes == 0 ? fmt::format("a file has no {}", spec::text(element))
                                            : fmt::format("{} takes {}", spec::text(element), form.type)));
  }
  Array out;
  out.shape.emplace();
  for (const uint64_t axis : tensor.shape) {
    if (axis > UINT32_MAX) return fail(fmt::format("an axis of {} elements is too large", axis));
    out.shape->push_back(uint32_t(axis));
  }
  if ((tensor.end - tensor.begin) / form.bytes > UINT32_MAX)
    return fail(fmt::format("the tensor '{}' has too many elements", printable(place.name)));
  auto bytes = read_range(file.get(), 8 + header_bytes + tensor.begin, tensor.end - tensor.begin);
  if (!bytes) return fail("it cannot be read");
  out.bytes = element == DataType::Bool ? words_of_bools(*bytes) : *std::move(bytes);
  return out;
}

Bytes format_tensors(std::span<const TensorToStore> tensors) {
  Bytes data;
  std::string header;
  for (const TensorToStore& tensor : tensors) {
    const size_t begin = data.size();
    const Bytes items = tensor.element == DataType::Bool ? bools_of_words(tensor.bytes)
                                                         : Bytes(tensor.bytes.begin(), tensor.bytes.end());
    data.insert(data.end(), items.begin(), items.end());
    header +=
        fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                    header.empty() ? "{" : ",", quoted_json(tensor.name), kTensorForms[tensor.element].type,
                    fmt::join(tensor.shape, ","), begin, data.size());
  }
  header += tensors.empty() ? "{}" : "}";
  while (header.size() % 8 != 0) header += ' ';  // so that elements are aligned
  Bytes file(8 + header.size());
  store_u32(file.data(), uint32_t(header.size()));
  std::memcpy(file.data() + 8, header.data(), header.size());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

}  // namespace vyre::host
