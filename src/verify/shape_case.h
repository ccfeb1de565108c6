// Cases of ir.shapes: a program, what it is dispatched with, and what must then be in its buffers.
//
// A row of levels (verify/shape_factors.h) is made into a program as text, and beside each piece of text
// stands host code that says in plain C++ what the piece does: sums over indices, loops, arithmetic of 128
// bits. That is the expected answer; neither the interpreter nor a lowering has a part in it, so a million
// invocations cost milliseconds. Contents follow from the seed and the case's number.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/bytes.h"
#include "generate/programs.h"
#include "layout/dispatch.h"
#include "verify/shape_factors.h"

namespace vyre::verify {

/// Levels of ShapeFactor::Interface.
enum class ShapeInterface : uint8_t { Host, Device, Ranges, Pieces, Changed, Large, Stored };

/// One dispatch: what its buffers hold before and after, in the order of their declarations.
struct ShapeDispatch {
  layout::Groups groups;
  std::vector<Bytes> before, after;
};

struct ShapeCase {
  Row row;
  std::string text;  // of the program
  ir::Program program;
  std::vector<ShapeDispatch> dispatches;  // of one pipeline, one after the other
  ShapeInterface interface = ShapeInterface::Host;
};

/// A pure function of its arguments. limits: of the device.
/// Domain: the row is allowed.
ShapeCase shape_case(const Row& row, uint64_t seed, const backend::Limits& limits);

/// The last dispatch of a case as programs are shrunk, written and emitted; its answer is the reference's.
generate::ProgramCase program_case(ShapeCase c);

/// A program under way: its buffers, the statements of its body, and a word that the seed gives it.
class ShapeText {
 public:
  ShapeText(uint64_t seed, uint64_t number);

  /// A word of the case: another one for each name, of which there are kWords.
  uint32_t word(uint32_t name) const { return words_[name]; }
  /// Declares a buffer and gives its place among those of a dispatch.
  size_t buffer(std::string access, std::string name, std::string type);
  void shared(std::string declaration) { shared_ += ", " + std::move(declaration); }
  void line(std::string text) { body_ += "  " + std::move(text) + "\n"; }
  /// numbering: a level of ShapeFactor::Numbering.
  std::string print(const std::array<uint32_t, 3>& workgroup, uint8_t numbering) const;
  size_t buffers() const { return buffers_.size(); }

 private:
  struct Buffer {
    std::string access, name, type;
  };
  static constexpr uint32_t kWords = 256;
  std::array<uint32_t, kWords> words_;
  std::vector<Buffer> buffers_;
  std::string shared_, body_;
};

/// The three kinds; each in a file of its own in verify/shapes.
ShapeCase grid_case(const Row& row, ShapeText& text, const backend::Limits& limits);
ShapeCase memory_case(const Row& row, ShapeText& text);
ShapeCase code_case(const Row& row, ShapeText& text);

// Values of the types of elements, as words of memory.

/// How a value of type `type` is made of the u32 expression x, and the bytes of it for the number x.
std::string made_of(spec::DataType type, std::string_view x);
Bytes bytes_made_of(spec::DataType type, uint32_t x);
/// A u32 expression that tells values of the type apart, and what it is of these bytes.
std::string folded_word(spec::DataType type, std::string_view value);
uint32_t folded_word(spec::DataType type, std::span<const std::byte> bytes);

}  // namespace vyre::verify
