// How diagnostics name operators, types and ways from one type to another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "spec/op.h"
#include "spec/types.h"

namespace vyre::check {

/// The sign that people write, or else the mnemonic: "`+`", "prefix `-`", "`popcount`".
std::string written(spec::Op op);

/// The same for a message that the operator does not take operands of this type. A sign that floats have too
/// would say the contrary, so it is the mnemonic of an operator that has one.
std::string named_for(spec::Op op, spec::DataType type);

/// What to write instead of an operator that does not take operands of this type, where there is anything
/// better than to convert them.
std::optional<std::string> other_way(spec::Op op, spec::DataType type);

/// What to write in place of a word of another language; nothing for other words.
std::string in_place_of(std::string_view word);

/// "u32, i32, bool"
std::string types_in(spec::TypeSet set);

/// What to write to make a value of one type of a value "..." of another: "cast<u32>(...)",
/// "bitcast<u64>(...)", or two steps where there is no single one.
std::string way_to(spec::DataType from, spec::DataType to);

/// What to do where a small type stands outside of graphs.
inline constexpr std::string_view kSmallHelp =
    "small types are types of tensors in graphs; in programs keep several in a u32, and shift and mask";

}  // namespace vyre::check
