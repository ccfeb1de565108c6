#include "ops/floating.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "spec/float_format.h"
#include "spec/ops.h"
#include "spec/rows.h"
#include "text/text.h"

namespace vyre::ops {
namespace {

/// The pattern of a value that every format has.
std::optional<uint32_t> value_of(std::string_view name, const spec::FloatFormat& format) {
  // 2^k. Domain: a normal number.
  const auto power = [&](int k) { return uint32_t(k + format.bias()) << format.fraction_bits; };
  const uint32_t half_unit = 1u << (format.fraction_bits - 1);  // 0.5 in the fraction of one
  const std::pair<std::string_view, uint32_t> values[] = {
      {"zero", 0},
      {"half", power(-1)},
      {"one", format.one()},
      {"one_and_half", format.one() | half_unit},
      {"two", power(1)},
      {"two_and_half", power(1) | half_unit >> 1},
      {"three", power(1) | half_unit},
      {"four", power(2)},
      {"six", power(2) | half_unit},
      // Half the distance from one to its upper neighbour: a tie when it is added to one.
      {"tie", power(-int(format.precision()))},
      {"tiny", 1},  // the least subnormal
      {"least_normal", format.least_normal()},
      {"greatest", format.greatest()},
      {"infinity", format.infinity()},
      {"nan", format.nan()},                              // the one that arithmetic gives
      {"payload", format.nan() | format.sign_bit() | 1},  // another quiet one
      {"signalling", format.infinity() | 1},              // and a signalling one
  };
  const auto found = std::ranges::find(values, name, &std::pair<std::string_view, uint32_t>::first);
  return found == std::end(values) ? std::nullopt : std::optional(found->second);
}

bool is_special(const spec::FloatFormat& format, uint32_t x) {
  return (x & ~format.sign_bit()) == 0 || format.is_infinite(x) || format.is_nan(x);
}

/// Writes one text at one type.
class AtType {
 public:
  AtType(std::string_view text, spec::DataType type) : rest_(text), text_(text), type_(type) {}

  std::string write() {
    for (size_t at = 0; (at = rest_.find_first_of("$#")) != std::string_view::npos;) {
      out_ += rest_.substr(0, at);
      rest_.remove_prefix(at);
      const bool literal = rest_[0] == '$';
      if (rest_.starts_with("$T")) {
        out_ += spec::text(type_);
        rest_.remove_prefix(2);
      } else if (std::string_view after = rest_.substr(1); const auto bits = value(after)) {
        out_ += literal ? fmt::format("{}({:#x})", spec::text(type_), *bits) : fmt::format("{:#x}", *bits);
        rest_ = after;
      } else {
        out_ += rest_[0];
        rest_.remove_prefix(1);
      }
    }
    return out_ += rest_;
  }

  /// "-last+1" at the beginning of `text`, which then begins behind it.
  std::optional<uint32_t> value(std::string_view& text) const {
    const uint32_t sign = eat(text, '-') ? format_.sign_bit() : 0;
    std::optional<uint32_t> bits;
    if (text.starts_with('(')) {
      const size_t end = std::min(text.find(')'), text.size() - 1);
      bits = of_type(text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    } else {
      const size_t end = size_t(std::ranges::find_if_not(text, is_letter) - text.begin());
      bits = named(text.substr(0, end));
      text.remove_prefix(end);
    }
    if (!bits) return std::nullopt;
    if (text.size() > 1 && (text[0] == '+' || text[0] == '-') && std::isdigit(text[1]) != 0) {
      const uint32_t steps = uint32_t(text[1] - '0');
      *bits += text[0] == '+' ? steps : 0 - steps;
      text.remove_prefix(2);
    }
    return *bits ^ sign;
  }

 private:
  static bool eat(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

  /// That of the text itself before that of all formats.
  std::optional<uint32_t> named(std::string_view name) const {
    const std::string line = fmt::format("// let {} = ", name);
    if (const size_t at = text_.find(line); at != std::string_view::npos) {
      const std::string_view values = text_.substr(at + line.size());
      return of_type(values.substr(0, values.find_first_of(":\n")));
    }
    return value_of(name, format_);
  }

  /// "1, 2, 3": the one of the type.
  std::optional<uint32_t> of_type(std::string_view values) const {
    std::optional<uint32_t> out;
    for (const spec::DataType type : kFloatTypes) {
      const size_t begin = std::min(values.find_first_not_of(' '), values.size());
      const size_t comma = std::min(values.find(','), values.size());
      const auto bits = text::parse_integer(values.substr(begin, comma - begin));
      if (!bits || (comma == values.size()) != (type == kFloatTypes.back())) return std::nullopt;
      if (type == type_) out = uint32_t(*bits);
      values.remove_prefix(std::min(comma + 1, values.size()));
    }
    return out;
  }

  std::string_view rest_;
  const std::string_view text_;
  const spec::DataType type_;
  const spec::FloatFormat format_ = spec::float_format(type_);
  std::string out_;
};

}  // namespace

std::string at_type(std::string_view text, spec::DataType type) { return AtType(text, type).write(); }

std::vector<EquivalenceClass> operand_classes(spec::DataType type, size_t arity) {
  const spec::FloatFormat format = spec::float_format(type);
  enum Kind : uint8_t { kNaN, kInfinite, kZero, kSubnormal, kNormal };
  const auto kind_of = [format, arity](const uint32_t* x) {
    Kind kind = kNormal;
    for (size_t i = 0; i < arity; ++i) {
      kind = std::min(kind, format.is_nan(x[i])                                ? kNaN
                            : format.is_infinite(x[i])                         ? kInfinite
                            : (x[i] & ~format.sign_bit() & format.mask()) == 0 ? kZero
                            : format.is_subnormal(x[i])                        ? kSubnormal
                                                                               : kNormal);
    }
    return kind;
  };
  std::vector<EquivalenceClass> out;
  const auto add = [&](Kind kind, std::string_view name, std::string_view first) {
    std::vector<uint32_t> representative(arity, format.one());
    representative[0] = *AtType({}, type).value(first);
    out.push_back({name, [kind_of, kind](const uint32_t* x) { return kind_of(x) == kind; }, representative});
  };
  add(kNaN, "an operand is NaN", "payload");
  add(kInfinite, "an operand is infinite, none is NaN", "infinity");
  add(kZero, "an operand is a zero, all are numbers", "-zero");
  add(kSubnormal, "an operand is subnormal, none is zero", "tiny");
  add(kNormal, "all operands are normal", "two");
  return out;
}

std::vector<BoundaryValue> operand_boundaries(spec::DataType type, size_t arity) {
  const auto v = [type](std::string_view name) { return *AtType({}, type).value(name); };
  if (arity == 1) {
    return {
        {{v("zero")}, "zero"},
        {{v("-zero")}, "minus zero"},
        {{v("tiny")}, "the least subnormal"},
        {{v("least_normal-1")}, "the greatest subnormal"},
        {{v("least_normal")}, "the least normal number"},
        {{v("greatest")}, "the greatest number"},
        {{v("infinity")}, "infinity"},
        {{v("-infinity")}, "minus infinity"},
        {{v("payload")}, "a quiet NaN with a payload"},
        {{v("signalling")}, "a signalling NaN"},
    };
  }
  if (arity != 2) return {};
  return {
      {{v("zero"), v("-zero")}, "the two zeros"},
      {{v("-zero"), v("zero")}, "the two zeros, the other way"},
      {{v("tiny"), v("tiny")}, "the least subnormal, twice"},
      {{v("least_normal"), v("-tiny")}, "across the border of the subnormals"},
      {{v("greatest"), v("greatest")}, "the greatest number, twice"},
      {{v("one"), v("tie")}, "one, and half a unit in its last place"},
      {{v("infinity"), v("-infinity")}, "the two infinities"},
      {{v("infinity"), v("zero")}, "infinity and zero"},
      {{v("payload"), v("one")}, "a quiet NaN with a payload"},
      {{v("one"), v("signalling")}, "a signalling NaN"},
  };
}

void add_operator_rows(Operation& o, spec::Op op) {
  for (const spec::OperatorRow& row : spec::operator_rows()) {
    if (row.op != op || row.type != o.signature.inputs[0]) continue;
    std::vector<uint32_t> operands;
    for (const spec::RowValue& value : row.operands()) operands.push_back(value.words[0]);
    if (std::ranges::find(o.rows, operands, &SpecRow::operands) != o.rows.end()) continue;
    o.rows.push_back({operands, row.expected.words[0], row.rationale, row.source});
  }
}

Operation approximation(Operation strict, spec::Op op, std::string_view id, std::string_view summary) {
  const spec::DataType type = strict.signature.inputs[0];
  const spec::FloatFormat format = spec::float_format(type);
  strict.id = id;
  strict.summary = summary;
  strict.compose = [op](ir::FunctionBuilder& f, std::span<const ir::Ex> p) { return f.apply(op, p); };
  strict.laws.clear();
  strict.denied.clear();
  strict.bound = spec::bound_of(op, type);
  std::erase_if(strict.rows, [&](const SpecRow& row) {
    return std::ranges::none_of(row.operands, [&](uint32_t x) { return is_special(format, x); });
  });
  if (strict.signature.inputs.size() == 1) {
    const uint32_t sign = format.sign_bit();
    for (const uint32_t x : {format.nan(), format.nan() | sign, format.infinity() | 1 | sign})
      strict.rows.push_back({{x}, format.nan(), "of any NaN the one NaN", "semantics: Floats (one NaN)"});
  }
  return strict;
}

}  // namespace vyre::ops
