#include "backend/probe_contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "text/text.h"

namespace vyre::backend::probe {
namespace {

constexpr Context kContexts[] = {
    // One operator.
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "fmin(a, b)",
    "fmax(a, b)",
    "a == b",
    "a < b",
    "a > b",
    "a <= b",
    "a >= b",
    "fsqrt(a)",
    "ffloor(a)",
    "fceil(a)",
    "fround(a)",
    "ftrunc(a)",
    "fmul_add(a, b, c)",
    // Equal operands, and what seems to be undone.
    "a / a",
    "a - a",
    "a + a",
    "a * a",
    "a + b - b",
    "a - b + b",
    "a * b / b",
    "a / b * b",
    "fsqrt(a) * fsqrt(a)",
    "fsqrt(a * a)",
    "fmul_add(a, a, a)",
    "fmul_add(a, b, -(a * b))",
    "a == a",
    // Chains.
    "a * b + c",
    "a * b - c",
    "c - a * b",
    "-(a * b) + c",
    "a * b + a",
    "(a + b) * c",
    "a + b + c",
    "a + (b + c)",
    "a * b * c",
    "a * (b * c)",
    "a * b + a * c",
    "a * (b + c)",
    "a * b + c * a",
    "a / b + c",
    "a / b / c",
    "a / (b / c)",
    "a / (b * c)",
    "a / fsqrt(b)",
    "fsqrt(a * b + c)",
    "fmul_add(a, b, c) + c",
    "fmul_add(a, b, fmul_add(a, c, b))",
    "fround(a * b)",
    "ffloor(a + b)",
    "a * b < c",
    "fmin(a * b, a + c)",
    // Constants that invite shortcuts: zeros, units, powers of two, inexact reciprocals, both ends of the
    // range.
    "a + 0.0",
    "a + -0.0",
    "a + 1.0",
    "a + 0x1.0p-149",
    "a + 0x1.0p24",
    "0.0 - a",
    "-0.0 - a",
    "1.0 - a",
    "a * 0.0",
    "a * 1.0",
    "a * -1.0",
    "a * 2.0",
    "a * 0.5",
    "a * 0x1.0p-126",
    "a * 0x1.0p-149",
    "a * 0x1.fffffep127",
    "a / 1.0",
    "a / 2.0",
    "a / 3.0",
    "a / 0.1",
    "a / 0x1.0p-149",
    "a / 0x1.fffffep127",
    "0.0 / a",
    "1.0 / a",
    "-1.0 / a",
    "3.0 / a",
    "fmul_add(a, 1.0, b)",
    "fmul_add(a, b, 0.0)",
    "fmul_add(a, b, -0.0)",
    "1.0 / fsqrt(a)",
    "1.0 / (1.0 / a)",
    "a * 3.0 / 3.0",
    // Conversions, and the types of 16 bits.
    "cast<u32, trunc>(a)",
    "cast<i32, trunc>(a)",
    "cast<u32, nearest>(a)",
    "cast<i32, floor>(a * b)",
    "cast<f32>(bitcast<u32>(a))",
    "cast<f32>(bitcast<u32>(a)) * b",
    "cast<f32>(bitcast<i32>(a))",
    "cast<f16>(a)",
    "cast<f16>(a) + cast<f16>(b)",
    "cast<f16>(a) * cast<f16>(b) + cast<f16>(c)",
    "cast<f16>(a) / cast<f16>(b)",
    "fsqrt(cast<f16>(a))",
    "cast<f16>(a * b)",
    "cast<f32>(cast<f16>(a) * cast<f16>(b)) + c",
    "cast<bf16>(a) + cast<bf16>(b)",
    "cast<bf16>(a * b)",
    // Operands from elsewhere.
    "neighbour * b + c",
    "a * neighbour - a",
    "neighbour / a",
    "fsqrt(neighbour) + a",
    "a * same + b",
    "a / same",
    "same / a",
    "same * same + a",
    "fmul_add(a, same, b)",
    "a + same - same",
    "carried * b + c",
    "fmul_add(carried, b, c)",
    "carried + b",
    "(carried - b) * c",
    "carried / b + a",
    "fsqrt(carried * b)",
    "shared * a + c",
    "shared / b",
    "shared + a - shared",
};

/// Functions, which are floats of 64 bits where those are promised.
constexpr Context kFunctionContexts[] = {
    "fsin(a)",     "fcos(a)",     "ftan(a)",     "fasin(a)",   "facos(a)",   "fatan(a)",
    "fexp(a)",     "flog(a)",     "fexp2(a)",    "flog2(a)",   "fexp10(a)",  "flog10(a)",
    "fsin(a * b)", "fexp(a * b)", "flog(a * b)", "fsin(same)", "fexp(same)", "flog(same)",
};

constexpr uint32_t kTurns = 3;         // of a loop
constexpr uint32_t kAnother = 21;      // shared values come from the row whose local id differs by this
constexpr uint32_t kMix = 0x9e3779b1;  // odd, so that no step of mixing loses a bit

bool has(Context context, std::string_view variable) { return context.find(variable) != context.npos; }

}  // namespace

std::span<const Context> contexts() { return kContexts; }
std::span<const Context> function_contexts() { return kFunctionContexts; }

check::Checked make_program(std::span<const Context> contexts) {
  const bool shares = std::ranges::any_of(contexts, [](Context one) { return has(one, "shared"); });
  std::string body;
  for (const Context context : contexts) {
    std::string result(context);
    if (has(context, "carried")) {
      body += fmt::format("  carried = a;\n  for turn in 0..{} {{ carried = {}; }}\n", kTurns, context);
      result = "carried";
    }
    // Stored each time: operators of two contexts are not one line (lower/speculation.h), so that a hard
    // operand of one does not keep the device's quick form of another from being seen.
    body += fmt::format("  mix = (mix ^ bitcast<u32>({})) * {};\n  results[row] = mix;\n", result, kMix);
  }
  const std::string text = fmt::format(
      R"(program probe(read column_a: f32 @0, read column_b: f32 @1, read column_c: f32 @2, uniform value: f32 @3,
              read_write results: u32 @4{0}) workgroup({1}, 1, 1) {{
  let row = invocation_id.x;
  let a = column_a[row];
  let b = column_b[row];
  let c = column_c[row];
  let neighbour = column_a[row ^ 1];
  let same = value[0];
  let carried = a;
{2}  let mix = 0;
{3}}}
)",
      shares ? fmt::format(", workgroup scratch: f32[{}]", kWorkgroup) : "", kWorkgroup,
      shares
          ? fmt::format("  scratch[local_id.x] = b;\n  barrier;\n  let shared = scratch[local_id.x ^ {}];\n",
                        kAnother)
          : "",
      body);
  static const spec::OpTable no_operations;
  auto parsed = text::parse(text);
  if (!parsed) throw std::logic_error("the probe's own program: " + parsed.error().message);
  auto checked = check::check(std::move(*parsed), no_operations);
  if (!checked) throw std::logic_error("the probe's own program: " + checked.error().front().message);
  return std::move(*checked);
}

}  // namespace vyre::backend::probe
