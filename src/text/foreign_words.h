// What programmers of other languages write, and what to write here: the help of diagnostics that stand at
// such a word or sign. Nothing here is reserved, and no program is refused for it.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace vyre::text {

struct ForeignWord {
  std::string_view text;
  std::string_view help;
  std::string_view in_pipeline{};  // the help in the body of a pipeline, where it is another one
};

namespace foreign {
inline constexpr std::string_view kLoop =
    "a loop has its bounds, evaluated once: for i in 0..n { }, with an `if` inside";
inline constexpr std::string_view kRepeat =
    "a loop that looks at a buffer is written repeat 100 while (flag[0]) { }, and one that counts for i in "
    "0..8 { }";
inline constexpr std::string_view kElseIf = "write if (a) { } else if (b) { } else { }";
inline constexpr std::string_view kFunction =
    "a function is an operation, an item beside the program: operation my.foo(a: u32) -> u32 { return a; }";
inline constexpr std::string_view kKernel =
    "a kernel is an item of the file: program name(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, "
    "1) { }";
inline constexpr std::string_view kLet = "declare with let name = value; and convert with cast<f32>(value)";
inline constexpr std::string_view kConst =
    "declare with let name = value; a number for the whole file is an item of it: const N = 3;";
inline constexpr std::string_view kMutable =
    "each variable can be set again: let name = value; and then name = other;";
inline constexpr std::string_view kCast = "convert with cast<f32>(x)";
inline constexpr std::string_view kMin =
    "on u32 primitive.math.min(a, b), on floats fmin(a, b), on others select(a < b, a, b)";
inline constexpr std::string_view kMax =
    "on u32 primitive.math.max(a, b), on floats fmax(a, b), on others select(a > b, a, b)";
inline constexpr std::string_view kAbs = "on floats fabs(a), on i32 select(a < 0i32, -a, a)";
inline constexpr std::string_view kMulAdd = "write fmul_add(a, b, c), which rounds once";
inline constexpr std::string_view kPower = "there is no ** here: write x * x, or fpow(a, b) on floats";
inline constexpr std::string_view kPopcount = "write popcount(a)";
inline constexpr std::string_view kClz = "write clz(a)";
inline constexpr std::string_view kCtz = "write ctz(a)";
inline constexpr std::string_view kReverse = "write reverse_bits(a)";
inline constexpr std::string_view kCompareExchange =
    "write atomic_compare_exchange(buffer[i], expected, value)";
inline constexpr std::string_view kExchange = "write atomic_exchange(buffer[i], value)";
inline constexpr std::string_view kAtomicSub = "add the negation: atomic_add(buffer[i], -x)";
inline constexpr std::string_view kVectors =
    "the vectors are vec2u32 and vec4u32, of u32 alone: elements of other types, floats among them, stand in "
    "a variable each";
inline constexpr std::string_view kLength = "write len(buffer), which counts elements";
inline constexpr std::string_view kRange = "a range is two numbers: for i in 0..4 { }";
inline constexpr std::string_view kText =
    "there is no text: a value is a number, or true or false; a constant is const N = 3;";
inline constexpr std::string_view kBarrier = "write barrier;";
inline constexpr std::string_view kInvocation = "write invocation_id.x, with .y and .z for the other axes";
inline constexpr std::string_view kLocal = "write local_id.x, with .y and .z for the other axes";
inline constexpr std::string_view kWorkgroup = "write workgroup_id.x, with .y and .z for the other axes";
inline constexpr std::string_view kIncrement = "there is no ++ or --: write name = name + 1;";
inline constexpr std::string_view kCompound = "there is no compound assignment: write name = name + value;";
}  // namespace foreign

inline constexpr auto kForeignWords = std::to_array<ForeignWord>({
    {"while", foreign::kLoop, foreign::kRepeat},
    {"do", foreign::kLoop, foreign::kRepeat},
    {"loop", foreign::kLoop, foreign::kRepeat},
    {"break",
     "there is no break: put the rest of the body under an `if`, or bound the loop by what it needs"},
    {"continue", "there is no continue: put the rest of the body under an `if`"},
    {"elif", foreign::kElseIf},
    {"elsif", foreign::kElseIf},
    {"elseif", foreign::kElseIf},
    {"switch", foreign::kElseIf},
    {"match", foreign::kElseIf},
    {"goto", "there is no goto: put what is skipped under an `if`"},
    {"pass", "a block may be empty: { }"},
    {"fn", foreign::kFunction},
    {"func", foreign::kFunction},
    {"function", foreign::kFunction},
    {"def", foreign::kFunction},
    {"void", foreign::kFunction},
    {"kernel", foreign::kKernel},
    {"__global__", foreign::kKernel},
    {"var", foreign::kLet},
    {"auto", foreign::kLet},
    {"const", foreign::kConst},
    {"mut", foreign::kMutable},
    {"as", foreign::kCast},
    {"and", "write a && b, or a & b on bits"},
    {"or", "write a || b, or a | b on bits"},
    {"not", "write !a, or ~a on bits"},
    {"min", foreign::kMin},
    {"umin", foreign::kMin},
    {"max", foreign::kMax},
    {"umax", foreign::kMax},
    {"abs", foreign::kAbs},
    {"fma", foreign::kMulAdd},
    {"fmaf", foreign::kMulAdd},
    {"mad", foreign::kMulAdd},
    {"pow", "write fpow(a, b) on floats"},
    {"popc", foreign::kPopcount},
    {"__popc", foreign::kPopcount},
    {"__popcll", foreign::kPopcount},
    {"countOneBits", foreign::kPopcount},
    {"bitCount", foreign::kPopcount},
    {"__clz", foreign::kClz},
    {"countLeadingZeros", foreign::kClz},
    {"countTrailingZeros", foreign::kCtz},
    {"__brev", foreign::kReverse},
    {"reverseBits", foreign::kReverse},
    {"atomicSub", foreign::kAtomicSub},
    {"atomic_sub", foreign::kAtomicSub},
    {"atomicCAS", foreign::kCompareExchange},
    {"atomic_cas", foreign::kCompareExchange},
    {"atomicCompareExchangeWeak", foreign::kCompareExchange},
    {"atomicExch", foreign::kExchange},
    {"sizeof", foreign::kLength},
    {"length", foreign::kLength},
    {"size", foreign::kLength},
    {"range", foreign::kRange},
    {"__syncthreads", foreign::kBarrier},
    {"workgroupBarrier", foreign::kBarrier},
    {"global_id", foreign::kInvocation},
    {"global_invocation_id", foreign::kInvocation},
    {"gl_GlobalInvocationID", foreign::kInvocation},
    {"get_global_id", foreign::kInvocation},
    {"thread_id", foreign::kInvocation},
    {"threadIdx", foreign::kLocal},
    {"get_local_id", foreign::kLocal},
    {"blockIdx", foreign::kWorkgroup},
    {"get_group_id", foreign::kWorkgroup},
    {"arrayLength", foreign::kLength},
    {"#", "a comment begins with //, and a constant is an item of the file: const N = 3;"},
    {"\"", foreign::kText},
    {"'", foreign::kText},
    {"?", "there is no ?: here: write select(condition, a, b), which evaluates both a and b"},
    {"**", foreign::kPower},
    {">>>", "write >>, which moves zeros in on unsigned types; an i32 is cast<u32>(x) before it"},
    {"^^", "write a != b on bools, or a ^ b on bits"},
    {"..=", "a range leaves its end out: 0..5 ends with 4"},
    {"++", foreign::kIncrement},
    {"--", foreign::kIncrement},
    {"+=", foreign::kCompound},
    {"-=", foreign::kCompound},
    {"*=", foreign::kCompound},
    {"/=", foreign::kCompound},
    {"%=", foreign::kCompound},
    {"&=", foreign::kCompound},
    {"|=", foreign::kCompound},
    {"^=", foreign::kCompound},
    {"<<=", foreign::kCompound},
    {">>=", foreign::kCompound},
});

/// Types of other languages, and what to write for them.
inline constexpr auto kForeignTypes = std::to_array<ForeignWord>({
    {"int", "write i32"},           {"int32_t", "write i32"},       {"uint", "write u32"},
    {"unsigned", "write u32"},      {"uint32_t", "write u32"},      {"size_t", "write u32"},
    {"uint64_t", "write u64"},      {"float", "write f32"},         {"float32", "write f32"},
    {"double", "write f32"},        {"half", "write f16"},          {"float16", "write f16"},
    {"bfloat16", "write bf16"},     {"vec2", foreign::kVectors},    {"vec3", foreign::kVectors},
    {"vec4", foreign::kVectors},    {"vec2f", foreign::kVectors},   {"vec3f", foreign::kVectors},
    {"vec4f", foreign::kVectors},   {"vec2f32", foreign::kVectors}, {"vec3f32", foreign::kVectors},
    {"vec4f32", foreign::kVectors}, {"vec2i32", foreign::kVectors}, {"vec4i32", foreign::kVectors},
    {"vec3u32", foreign::kVectors}, {"float2", foreign::kVectors},  {"float3", foreign::kVectors},
    {"float4", foreign::kVectors},  {"uint2", foreign::kVectors},   {"uint4", foreign::kVectors},
    {"int2", foreign::kVectors},    {"int4", foreign::kVectors},    {"uvec2", foreign::kVectors},
    {"uvec4", foreign::kVectors},
});

/// Suffixes of numbers in other languages, in lower case, and what stands behind the digits here.
struct ForeignSuffix {
  std::string_view text;
  std::string_view here;
};
inline constexpr auto kForeignSuffixes = std::to_array<ForeignSuffix>({
    {"u", ""},
    {"l", ""},
    {"ul", ""},
    {"lu", ""},
    {"ll", ""},
    {"ull", "u64"},
    {"i", "i32"},
    {"f", ".0"},
    {"h", "f16"},
});

/// The help where a type should stand, or nothing.
constexpr std::string_view foreign_type_help(std::string_view text) {
  const auto* const found = std::ranges::find(kForeignTypes, text, &ForeignWord::text);
  return found == kForeignTypes.end() ? std::string_view{} : found->help;
}

/// The help for a word or sign, or nothing. A type, where none should stand, begins a declaration.
constexpr std::string_view foreign_help(std::string_view text, bool in_pipeline = false) {
  const auto* const found = std::ranges::find(kForeignWords, text, &ForeignWord::text);
  if (found == kForeignWords.end()) {
    const std::string_view type = foreign_type_help(text);
    return type.empty() || type == foreign::kVectors ? type : foreign::kLet;
  }
  return in_pipeline && !found->in_pipeline.empty() ? found->in_pipeline : found->help;
}

}  // namespace vyre::text
