#include "lower/spirv/audit.h"

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>
#include <unordered_set>

#include "lower/spirv/builder.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spv::Op;

constexpr size_t kHeader = 5;  // words before the first instruction

/// An instruction: its operation, and its words from the first, which has the length.
struct Instruction {
  Op op;
  std::span<const uint32_t> words;
};

Diag refused(const std::string& why) {
  return make_diag(DiagCode::L003, Span::none(), "SPIR-V: " + why,
                   "report the program; another backend can run it");
}

/// Calls `look` on each instruction, in order, until it gives an error.
template <typename Look>
Result<void> each(std::span<const uint32_t> words, Look&& look) {
  if (words.size() < kHeader || words[0] != spv::MagicNumber) return std::unexpected(refused("no module"));
  for (size_t at = kHeader; at < words.size();) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) return std::unexpected(refused("an instruction is cut"));
    VYRE_CHECK(look(Instruction{Op(words[at] & 0xffff), words.subspan(at, length)}));
    at += length;
  }
  return {};
}

/// Arithmetic in the sense of NoContraction: what a driver could fuse, reorder or factor.
bool is_arithmetic(Op op) {
  constexpr Op kArithmetic[] = {Op::OpFNegate,
                                Op::OpFAdd,
                                Op::OpFSub,
                                Op::OpFMul,
                                Op::OpFDiv,
                                Op::OpFRem,
                                Op::OpFMod,
                                Op::OpVectorTimesScalar,
                                Op::OpMatrixTimesScalar,
                                Op::OpVectorTimesMatrix,
                                Op::OpMatrixTimesVector,
                                Op::OpMatrixTimesMatrix,
                                Op::OpOuterProduct,
                                Op::OpDot};
  for (const Op one : kArithmetic) {
    if (op == one) return true;
  }
  return false;
}
/// What would hand a float on as a float: a NaN's bits may be lost there, and a subnormal.
bool moves(Op op) {
  return op == Op::OpLoad || op == Op::OpSelect || op == Op::OpPhi || op == Op::OpCopyObject ||
         op == Op::OpVariable;
}

class Audit {
 public:
  Result<void> first_pass(const Instruction& i) {
    if (i.op == Op::OpTypeFloat) floats_.insert(i.words[1]);
    if (i.op == Op::OpTypePointer || i.op == Op::OpTypeVector) parts_[i.words[1]] = i.words.back();
    if (i.op == Op::OpTypePointer) parts_[i.words[1]] = i.words[3];
    if (i.op == Op::OpTypeVector) parts_[i.words[1]] = i.words[2];
    if (i.op == Op::OpDecorate && spv::Decoration(i.words[2]) == spv::Decoration::NoContraction) {
      strict_.insert(i.words[1]);
    }
    if (i.op == Op::OpConstant && i.words.size() == 4) words_[i.words[2]] = i.words[3];
    if (i.op == Op::OpExecutionModeId && spv::ExecutionMode(i.words[2]) == kFastMathDefault) {
      defaults_[i.words[3]] = i.words[4];
    }
    return {};
  }
  Result<void> second_pass(const Instruction& i) const {
    const bool function = i.op == Op::OpExtInst && is_float(i.words[1]);
    if (function || is_arithmetic(i.op)) {
      const bool by_default = is_strict_by_default(i.words[1]);
      if (by_default && strict_.contains(i.words[2])) {
        return std::unexpected(
            refused(fmt::format("%{} is decorated NoContraction twice, which is not allowed", i.words[2])));
      }
      if (!by_default && !strict_.contains(i.words[2]))
        return std::unexpected(refused(fmt::format("%{} may be contracted", i.words[2])));
    }
    if (moves(i.op) && is_float(i.words[1])) {
      return std::unexpected(refused(fmt::format("%{} moves a float as a float", i.words[2])));
    }
    return {};
  }

 private:
  /// Whether the entry gives this type no fast-math flag.
  bool is_strict_by_default(uint32_t type) const {
    const auto mask = defaults_.find(type);
    if (mask == defaults_.end()) return false;
    const auto flags = words_.find(mask->second);
    return flags != words_.end() && flags->second == 0;
  }
  /// A float, a vector of them, or a pointer to one.
  bool is_float(uint32_t type) const {
    for (auto part = parts_.find(type); part != parts_.end(); part = parts_.find(type)) type = part->second;
    return floats_.contains(type);
  }

  std::unordered_set<uint32_t> floats_;              // types
  std::unordered_map<uint32_t, uint32_t> parts_;     // of vectors and pointers: what they are made of
  std::unordered_set<uint32_t> strict_;              // results with NoContraction
  std::unordered_map<uint32_t, uint32_t> words_;     // constants of one word
  std::unordered_map<uint32_t, uint32_t> defaults_;  // by type: the constant of its FPFastMathDefault
};

}  // namespace

Result<void> audit_spirv(std::span<const uint32_t> words) {
  Audit audit;
  VYRE_CHECK(each(words, [&](const Instruction& i) { return audit.first_pass(i); }));
  return each(words, [&](const Instruction& i) { return audit.second_pass(i); });
}

}  // namespace vyre::lower
