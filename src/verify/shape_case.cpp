#include "verify/shape_case.h"

#include <fmt/format.h>

#include <utility>

#include "base/random.h"
#include "ops/operation.h"
#include "text/text.h"

namespace vyre::verify {

using spec::DataType;

ShapeText::ShapeText(uint64_t seed, uint64_t number) {
  for (uint32_t name = 0; name < kWords; ++name) words_[name] = philox(seed, number, name)[0];
}

size_t ShapeText::buffer(std::string access, std::string name, std::string type) {
  buffers_.push_back({std::move(access), std::move(name), std::move(type)});
  return buffers_.size() - 1;
}

std::string ShapeText::print(const std::array<uint32_t, 3>& workgroup, uint8_t numbering) const {
  // Any order will do whose numbers differ; 7 and 37 have no common divisor.
  const auto number = [&](uint32_t k) -> uint32_t {
    switch (numbering) {
      case 0: return k;
      case 1: return uint32_t(buffers_.size()) - 1 - k;
      case 2: return 100 * k + 3;
      case 3: return (7 * k + 5) % 37;
    }
    std::unreachable();  // no other level
  };
  std::string out = "program shape(";
  for (uint32_t k = 0; k < buffers_.size(); ++k) {
    const Buffer& b = buffers_[k];
    out += fmt::format("{}{} {}: {} @{}", k == 0 ? "" : ", ", b.access, b.name, b.type, number(k));
  }
  out += shared_;
  return out +
         fmt::format(") workgroup({}, {}, {}) {{\n{}}}\n", workgroup[0], workgroup[1], workgroup[2], body_);
}

ShapeCase shape_case(const Row& row, uint64_t seed, const backend::Limits& limits) {
  ShapeText text(seed, number_of(row));
  ShapeCase out;
  switch (kind_of(row)) {
    case ShapeKind::Grid: out = grid_case(row, text, limits); break;
    case ShapeKind::Memory: out = memory_case(row, text); break;
    case ShapeKind::Code: out = code_case(row, text); break;
  }
  out.row = row;
  auto parsed = text::parse(out.text, &ops::op_table());
  out.program = std::move(*parsed);  // the texts are part of this library; a test parses them all
  return out;
}

generate::ProgramCase program_case(ShapeCase c) {
  ShapeDispatch& last = c.dispatches.back();
  return {.program = std::move(c.program), .buffers = std::move(last.before), .groups = last.groups};
}

namespace {

__extension__ using Wide = unsigned __int128;

constexpr uint64_t kSpread64 = (uint64_t{1} << 32) + 3;
constexpr Wide kSpread128 = (Wide{1} << 96) + (Wide{3} << 64) + (Wide{5} << 32) + 7;

Bytes bytes_of(Wide value, size_t count) {
  Bytes out(count);
  for (size_t k = 0; k < count; ++k) out[k] = std::byte(uint8_t(value >> (8 * k)));
  return out;
}
uint32_t word_at(std::span<const std::byte> bytes, size_t word) { return load_u32(bytes.data() + 4 * word); }

}  // namespace

std::string made_of(DataType type, std::string_view x) {
  switch (type) {
    case DataType::U32:
    case DataType::Bytes: return std::string(x);
    case DataType::I32:
    case DataType::F32:
    case DataType::F16:
    case DataType::BF16: return fmt::format("bitcast<{}>({})", spec::text(type), x);
    case DataType::U64: return fmt::format("cast<u64>({}) * {}u64", x, kSpread64);
    case DataType::U128:
      return fmt::format("cast<u128>({}) * 0x{:x}{:016x}u128", x, uint64_t(kSpread128 >> 64),
                         uint64_t(kSpread128));
    case DataType::Bool: return fmt::format("cast<bool>(({}) & 4)", x);
    case DataType::Vec2U32: return fmt::format("vec2u32({0}, ({0}) ^ 85)", x);
    case DataType::Vec4U32: return fmt::format("vec4u32({0}, ({0}) ^ 85, ({0}) + 3, ~({0}))", x);
    case DataType::I8:
    case DataType::U8:
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1:
    case DataType::Tensor: break;
  }
  std::unreachable();  // no type of elements
}

Bytes bytes_made_of(DataType type, uint32_t x) {
  switch (type) {
    case DataType::U32:
    case DataType::Bytes:
    case DataType::I32:
    case DataType::F32: return bytes_of(x, 4);
    case DataType::F16:
    case DataType::BF16: return bytes_of(x, 2);
    case DataType::U64: return bytes_of(uint64_t(x) * kSpread64, 8);
    case DataType::U128: return bytes_of(x * kSpread128, 16);
    case DataType::Bool: return bytes_of((x & 4) != 0, 4);
    case DataType::Vec2U32: return bytes_of(Wide{x} | Wide{x ^ 85} << 32, 8);
    case DataType::Vec4U32:
      return bytes_of(Wide{x} | Wide{x ^ 85} << 32 | Wide{x + 3} << 64 | Wide{~x} << 96, 16);
    case DataType::I8:
    case DataType::U8:
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1:
    case DataType::Tensor: break;
  }
  std::unreachable();  // no type of elements
}

std::string folded_word(DataType type, std::string_view v) {
  switch (type) {
    case DataType::U32:
    case DataType::Bytes: return std::string(v);
    case DataType::I32:
    case DataType::F32:
    case DataType::F16:
    case DataType::BF16: return fmt::format("bitcast<u32>({})", v);
    case DataType::Bool: return fmt::format("cast<u32>({})", v);
    case DataType::U64: return fmt::format("(cast<u32>({0}) + cast<u32>({0} >> 32) * 3)", v);
    case DataType::U128:
      return fmt::format(
          "(cast<u32>({0}) + cast<u32>({0} >> 32) * 3 + cast<u32>({0} >> 64) * 5 + cast<u32>({0} >> 96) * 7)",
          v);
    case DataType::Vec2U32: return fmt::format("({0}.x + {0}.y * 3)", v);
    case DataType::Vec4U32: return fmt::format("({0}.x + {0}.y * 3 + {0}.z * 5 + {0}.w * 7)", v);
    case DataType::I8:
    case DataType::U8:
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1:
    case DataType::Tensor: break;
  }
  std::unreachable();  // no type of elements
}

uint32_t folded_word(DataType type, std::span<const std::byte> bytes) {
  switch (bytes.size()) {
    case 2: return uint32_t(bytes[0]) | uint32_t(bytes[1]) << 8;
    case 4: return type == DataType::Bool ? word_at(bytes, 0) != 0 : word_at(bytes, 0);
    case 8: return word_at(bytes, 0) + word_at(bytes, 1) * 3;
    case 16: return word_at(bytes, 0) + word_at(bytes, 1) * 3 + word_at(bytes, 2) * 5 + word_at(bytes, 3) * 7;
  }
  std::unreachable();  // no type of elements
}

}  // namespace vyre::verify
