// The text format: parse, print, format. docs/text-format.md is its specification.
//
// parse() makes a Program with positions; print() writes a Program canonically, so that parsing it gives an
// equal Program; format() works on the syntax of a file and keeps comments and the radix of literals.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/module.h"

namespace vyre::spec {
class OpTable;
}

namespace vyre::text {

/// One program, with constants if it has any. The spans of its parts are what diagnostics point at: an
/// expression's whole text (without parentheses around it); of a statement `let x`, `x`, `out[i]`, `if`, `for
/// i`, `return`, `barrier` or `{`; of a buffer its declaration.
///
/// A sign such as `+` is the operator of integers or of floats by the type of its operands. Where that hangs
/// on the result of an operation of the library, its table is needed; without one such a sign is the
/// integers'.
///
/// Errors  the first P diagnostic, at its position; V024 as soon as there are more nodes than a program may
/// have. Cost    linear; no recursion on input depth.
Result<ir::Program> parse(std::string_view text, const spec::OpTable* ops = nullptr);

/// Values of constants that are chosen from outside, by name.
using Constants = std::map<std::string, uint32_t, std::less<>>;

/// A whole file: one item or more. Constants stand in it as their values, those of `chosen` where it names
/// them; a name of `chosen` that the file does not have is ignored here. The rest is as of parse().
Result<ir::Module> parse_module(std::string_view text, const spec::OpTable* ops = nullptr,
                                const Constants& chosen = {});

/// Canonical text, in the layout that format() gives; it reads the same with a table of operations and
/// without. Domain: names are well-formed (what parse and decode make always is).
std::string print(const ir::Program& program);

/// The same: operations, programs, pipelines, each kind in its order. Constants are gone.
std::string print(const ir::Module& module);

/// The file in canonical layout, comments and radix kept; formatting twice changes nothing. Errors: as parse.
Result<std::string> format(std::string_view text);

/// A value as the printer writes it: "42", "-7i32", "true", "vec2u32(1, 2)".
std::string print_literal(spec::DataType type, const std::array<uint32_t, 4>& bits);

/// A plain number of 32 bits as it stands in a text: 42, 0x2a, 0b1010, 1_000; none for everything else.
std::optional<uint32_t> parse_integer(std::string_view text);

/// Whether a buffer, a variable or a program can have this name: [A-Za-z_][A-Za-z0-9_]* and not reserved.
bool is_name(std::string_view text);

/// Whether this can be the id of an operation: words joined by at least one dot, the first of them a name.
bool is_operation_id(std::string_view text);

}  // namespace vyre::text
