#include "lower/whole_accesses.h"

#include "lower/inst_info.h"

namespace vyre::lower {

WholeAccesses find_whole_accesses(const Kernel& kernel, const std::function<uint32_t(uint32_t buffer)>& width,
                                  const std::vector<bool>& skip) {
  WholeAccesses out;
  const auto skipped = [&](Value v) { return !skip.empty() && skip[index(v)]; };
  for (const auto& block : kernel.blocks) {
    for (size_t i = 0; i < block.size(); ++i) {
      const Inst& first = kernel[block[i]];
      const bool is_access = first.kind == InstKind::RawLoad || first.kind == InstKind::RawStore;
      if (!is_access || first.imm != 0 || skipped(block[i]) || width(first.target) == 1) continue;
      std::vector<Value> parts = {block[i]};
      uint32_t words = words_of_access(first);
      for (size_t j = i + 1; j < block.size() && words < width(first.target); ++j) {
        const Inst& next = kernel[block[j]];
        if (next.kind == InstKind::Raw || given_by(next.kind) != BuiltinInput::Nothing || skipped(block[j]))
          continue;
        const bool is_next = next.kind == first.kind && next.target == first.target && next.imm == words &&
                             kernel.arg(next, 0) == kernel.arg(first, 0);
        if (!is_next) break;
        parts.push_back(block[j]);
        words += words_of_access(next);
      }
      if (words != width(first.target)) continue;
      const Value at = first.kind == InstKind::RawLoad ? parts.front() : parts.back();
      for (const Value part : parts) out.joined.insert(index(part));
      out.at[index(at)] = std::move(parts);
    }
  }
  return out;
}

}  // namespace vyre::lower
