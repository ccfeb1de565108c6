#include "integer_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/builder.h"
#include "ref/eval.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::sweep {
namespace {

using spec::DataType;
using spec::Op;

/// Of every half word, by trying bits: nothing that a compiler knows by name.
struct Halves {
  std::array<uint8_t, 65536> ones{}, leading{}, trailing{};
  std::array<uint16_t, 65536> reversed{};
  Halves() {
    for (uint32_t x = 0; x < 65536; ++x) {
      leading[x] = trailing[x] = 16;
      for (uint32_t k = 0; k < 16; ++k) {
        if ((x >> k & 1) == 0) continue;
        ++ones[x];
        leading[x] = uint8_t(15 - k);
        if (trailing[x] == 16) trailing[x] = uint8_t(k);
        reversed[x] = uint16_t(reversed[x] | 1 << (15 - k));
      }
    }
  }
};
const Halves& halves() {
  static const Halves tables;
  return tables;
}

struct Chunk {
  uint32_t first, n, second;
};

/// The sum over a chunk of f(input) * weight(input).
template <typename F>
uint32_t sum_of(const Chunk& c, F f) {
  uint32_t sum = 0, w = c.first * kWeight;
  for (uint32_t k = 0; k < c.n; ++k, w += kWeight) sum += f(c.first + k) * (w | 1);
  return sum;
}

/// Quotients and remainders by counting: each input is one more (or, of negative ones, one less) than the one
/// before. Numbers are a magnitude and a sign.
template <bool is_signed, bool wants_remainder>
uint32_t divided(const Chunk& c) {
  const bool down = is_signed && int32_t(c.first) < 0, negative = is_signed && int32_t(c.second) < 0;
  const uint32_t divisor = negative ? 0 - c.second : c.second;
  if (divisor == 0) return 0;
  const uint32_t magnitude = down ? 0 - c.first : c.first;
  uint32_t quotient = magnitude / divisor, rest = magnitude - quotient * divisor;
  const bool turns = wants_remainder ? down : down != negative;
  return sum_of(c, [&](uint32_t) {
    const uint32_t value = wants_remainder ? rest : quotient, result = turns ? 0 - value : value;
    if (down) {
      const bool borrows = rest == 0;
      rest = borrows ? divisor - 1 : rest - 1;
      quotient -= borrows ? 1 : 0;
    } else {
      const bool carries = rest + 1 == divisor;
      rest = carries ? 0 : rest + 1;
      quotient += carries ? 1 : 0;
    }
    return result;
  });
}

/// An order as that of unsigned words: signed ones are moved by half of all.
template <bool is_signed, typename F>
uint32_t compared(const Chunk& c, F f) {
  const uint32_t move = is_signed ? 0x80000000 : 0, b = c.second + move;
  return sum_of(c, [=](uint32_t a) { return uint32_t{f(a + move, b)}; });
}

uint32_t shifted_right(const Chunk& c, bool is_signed) {
  const uint32_t amount = c.second % 32;
  const uint32_t fill = is_signed && amount != 0 && int32_t(c.first) < 0 ? ~0u << (32 - amount) : 0;
  return sum_of(c, [=](uint32_t a) { return a >> amount | fill; });
}

using Sum = uint32_t (*)(const Chunk& chunk, bool is_signed);
template <typename F>
constexpr Sum order(F) {
  return [](const Chunk& c, bool is_signed) {
    return is_signed ? compared<true>(c, F{}) : compared<false>(c, F{});
  };
}

constexpr bool is_swept(Op op) { return spec::is_scalar(op) && spec::info(op).types.contains(DataType::U32); }
constexpr spec::Row<Op, Sum> kSumRows[] = {
    {Op::Add, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a + b; }); }},
    {Op::Sub, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a - b; }); }},
    {Op::Mul, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a * b; }); }},
    {Op::Div, [](const Chunk& c, bool s) { return s ? divided<true, false>(c) : divided<false, false>(c); }},
    {Op::Mod, [](const Chunk& c, bool s) { return s ? divided<true, true>(c) : divided<false, true>(c); }},
    {Op::BitAnd,
     [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a & b; }); }},
    {Op::BitOr, [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a | b; }); }},
    {Op::BitXor,
     [](const Chunk& c, bool) { return sum_of(c, [b = c.second](uint32_t a) { return a ^ b; }); }},
    {Op::Shl,
     [](const Chunk& c, bool) { return sum_of(c, [b = c.second % 32](uint32_t a) { return a << b; }); }},
    {Op::Shr, shifted_right},
    {Op::Eq, order([](uint32_t a, uint32_t b) { return a == b; })},
    {Op::Ne, order([](uint32_t a, uint32_t b) { return a != b; })},
    {Op::Lt, order([](uint32_t a, uint32_t b) { return a < b; })},
    {Op::Gt, order([](uint32_t a, uint32_t b) { return a > b; })},
    {Op::Le, order([](uint32_t a, uint32_t b) { return a <= b; })},
    {Op::Ge, order([](uint32_t a, uint32_t b) { return a >= b; })},
    {Op::And,
     [](const Chunk& c, bool) {
       return sum_of(c, [b = c.second](uint32_t a) { return uint32_t{a != 0 && b != 0}; });
     }},
    {Op::Or, [](const Chunk& c,
                bool) { return sum_of(c, [b = c.second](uint32_t a) { return uint32_t{(a | b) != 0}; }); }},
    {Op::Negate, [](const Chunk& c, bool) { return sum_of(c, [](uint32_t a) { return ~a + 1; }); }},
    {Op::BitNot, [](const Chunk& c, bool) { return sum_of(c, [](uint32_t a) { return 0xffffffff - a; }); }},
    {Op::LogicalNot,
     [](const Chunk& c, bool) { return sum_of(c, [](uint32_t a) { return uint32_t{a == 0}; }); }},
    {Op::Popcount,
     [](const Chunk& c, bool) {
       return sum_of(c,
                     [&t = halves()](uint32_t a) { return uint32_t{t.ones[a >> 16]} + t.ones[a & 0xffff]; });
     }},
    {Op::Clz,
     [](const Chunk& c, bool) {
       return sum_of(c, [&t = halves()](uint32_t a) {
         return a >> 16 != 0 ? t.leading[a >> 16] : uint32_t{16} + t.leading[a];
       });
     }},
    {Op::Ctz,
     [](const Chunk& c, bool) {
       return sum_of(c, [&t = halves()](uint32_t a) {
         return (a & 0xffff) != 0 ? t.trailing[a & 0xffff] : uint32_t{16} + t.trailing[a >> 16];
       });
     }},
    {Op::ReverseBits,
     [](const Chunk& c, bool) {
       return sum_of(c, [&t = halves()](uint32_t a) {
         return uint32_t{t.reversed[a & 0xffff]} << 16 | t.reversed[a >> 16];
       });
     }},
};
constexpr spec::TotalTable<kSumRows, is_swept> kSums;

/// Whether the bits of the result depend on the sign: then i32 is swept beside u32.
constexpr spec::Row<Op, bool> kSignRows[] = {
    {Op::Add, false},         {Op::Sub, false},      {Op::Mul, false},    {Op::Div, true},
    {Op::Mod, true},          {Op::BitAnd, false},   {Op::BitOr, false},  {Op::BitXor, false},
    {Op::Shl, false},         {Op::Shr, true},       {Op::Eq, false},     {Op::Ne, false},
    {Op::Lt, true},           {Op::Gt, true},        {Op::Le, true},      {Op::Ge, true},
    {Op::And, false},         {Op::Or, false},       {Op::Negate, false}, {Op::BitNot, false},
    {Op::LogicalNot, false},  {Op::Popcount, false}, {Op::Clz, false},    {Op::Ctz, false},
    {Op::ReverseBits, false},
};
constexpr spec::TotalTable<kSignRows, is_swept> kHasSign;

/// The type of the operand number k.
DataType type_of(const IntegerOperation& o, size_t k) {
  return k == 1 && o.shifts() ? DataType::U32 : o.type;
}

bool is_of_words(const ops::Operation& o) {
  return o.signature.output == DataType::U32 && o.signature.inputs.size() <= 2 &&
         std::ranges::all_of(o.signature.inputs, [](DataType t) { return t == DataType::U32; });
}

}  // namespace

uint32_t IntegerOperation::arity() const {
  return primitive != nullptr ? uint32_t(primitive->signature.inputs.size()) : *spec::operand_count(op);
}
bool IntegerOperation::shifts() const {
  if (primitive == nullptr) return op == Op::Shl || op == Op::Shr;
  constexpr std::string_view kAmounts[] = {"primitive.bitwise.shl", "primitive.bitwise.shr",
                                           "primitive.bitwise.rotl", "primitive.bitwise.rotr"};
  return std::ranges::find(kAmounts, primitive->id) != std::end(kAmounts);
}
std::string IntegerOperation::name() const {
  return primitive != nullptr ? std::string(primitive->id)
                              : fmt::format("{}.{}", spec::mnemonic(op), spec::text(type));
}

std::optional<IntegerOperation> find_integer_operation(std::string_view name) {
  if (const ops::Operation* found = ops::find_operation(name))
    return is_of_words(*found) ? std::optional(IntegerOperation{{}, DataType::U32, found}) : std::nullopt;
  const size_t dot = std::min(name.find('.'), name.size());
  const auto op = spec::find_op(name.substr(0, dot));
  const auto type = spec::find_type(name.substr(std::min(dot + 1, name.size())));
  if (!op || !is_swept(*op) || (type != DataType::U32 && type != DataType::I32)) return std::nullopt;
  return IntegerOperation{*op, *type, nullptr};
}

std::vector<std::string> integer_operations(uint32_t arity, bool with_primitives) {
  std::vector<std::string> out;
  for (const spec::OpInfo& info : spec::kOps) {
    if (!is_swept(info.op) || spec::operand_count(info.op) != arity) continue;
    out.push_back(IntegerOperation{info.op, DataType::U32, nullptr}.name());
    if (kHasSign[info.op]) out.push_back(IntegerOperation{info.op, DataType::I32, nullptr}.name());
  }
  for (const ops::Operation& o : with_primitives ? ops::all_operations() : std::vector<ops::Operation>{}) {
    if (is_of_words(o) && o.signature.inputs.size() == arity) out.emplace_back(o.id);
  }
  return out;
}

std::vector<uint32_t> structured_operands(const IntegerOperation& operation) {
  std::vector<uint32_t> out;
  if (operation.arity() == 1) return {0};
  for (uint32_t b = 0; b < (operation.shifts() ? 34 : 257); ++b) out.push_back(b);
  for (uint32_t k = 9; k < 32 && !operation.shifts(); ++k) out.push_back(1u << k);
  out.push_back(0xffffffff);
  return out;
}

ir::Program program_of(const IntegerOperation& o) {
  ir::ProgramBuilder p("integer_sweep");
  p.workgroup_size(256, 1, 1);
  const ir::BufferRef parameters = p.read("parameters", DataType::U32, 0);
  const ir::BufferRef out = p.read_write("out", DataType::U32, 1);
  const auto typed = [&](ir::Ex word, size_t k) {
    return type_of(o, k) == DataType::U32 ? word : p.bitcast(type_of(o, k), word);
  };
  const ir::Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(out), [&] {
    const ir::Ex length = p.let("length", p.load(parameters, p.u32(1)));
    const ir::Ex first = p.let("first", p.load(parameters, p.u32(0)) + i * length);
    const ir::Ex second = p.let("second", p.load(parameters, p.u32(2)));
    // Zero, which no compiler knows: what it could prove of consecutive words is not what is asked.
    const ir::Ex zero = p.let("zero", p.load(parameters, p.u32(3)));
    const ir::Ex sum = p.let("sum", p.u32(0));
    p.loop("k", p.u32(0), length, [&](ir::Ex k) {
      const ir::Ex a = p.let("a", (first + k) ^ zero);
      std::vector<ir::Ex> x = {typed(a, 0)};
      if (o.arity() == 2) x.push_back(typed(second, 1));
      const ir::Ex result = o.primitive != nullptr ? p.call(o.primitive->id, x) : p.apply(o.op, x);
      const bool is_word = o.primitive != nullptr || spec::result_type(o.op, o.type) == DataType::U32;
      p.assign(sum, sum + (is_word ? result : p.bitcast(DataType::U32, result)) * ((a * kWeight) | 1));
    });
    p.store(out, i, sum);
  });
  return p.finish();
}

uint32_t expected_sum(const IntegerOperation& o, uint32_t first, uint32_t n, uint32_t second) {
  const Chunk chunk{first, n, second};
  if (o.primitive == nullptr) return kSums[o.op](chunk, o.type == DataType::I32);
  return sum_of(chunk, [&](uint32_t a) {
    const uint32_t operands[] = {a, second};
    return o.primitive->reference(operands);
  });
}

uint32_t defined(const IntegerOperation& o, uint32_t input, uint32_t second) {
  if (o.primitive != nullptr) {
    const uint32_t operands[] = {input, second};
    return o.primitive->reference(operands);
  }
  const std::array<ref::Bits, 2> operands = {input, second};
  return uint32_t(ref::eval(o.op, o.type, std::span(operands).first(o.arity())));
}

}  // namespace vyre::sweep
