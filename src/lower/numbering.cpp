#include "lower/numbering.h"

namespace vyre::lower {
namespace {

struct Open {
  KBlock block;
  size_t next = 0;
  KBlock orelse = kNoKBlock;  // to be opened after this one
};

}  // namespace

bool has_number(InstKind kind) {
  switch (kind) {
    case InstKind::Len:
    case InstKind::InvocationId:
    case InstKind::WorkgroupId:
    case InstKind::LocalId:
    case InstKind::Get:
    case InstKind::Loop:
    case InstKind::Apply:
    case InstKind::Load:
    case InstKind::Atomic:
    case InstKind::Raw:
    case InstKind::RawLoad:
    case InstKind::RawAtomic:
    case InstKind::Intrinsic: return true;
    case InstKind::Const:
    case InstKind::Set:
    case InstKind::If:
    case InstKind::Return:
    case InstKind::Barrier:
    case InstKind::Store:
    case InstKind::RawStore: return false;
  }
  return false;
}

std::vector<uint32_t> value_numbers(const Kernel& kernel) {
  std::vector<uint32_t> numbers(kernel.insts.size(), kUnnumbered);
  uint32_t next = 0;
  std::vector<Open> open = {{kernel.entry}};
  while (!open.empty()) {
    const auto& block = kernel.block(open.back().block);
    if (open.back().next == block.size()) {
      const KBlock orelse = open.back().orelse;
      open.pop_back();
      if (orelse != kNoKBlock) open.push_back({orelse});
      continue;
    }
    const Value v = block[open.back().next++];
    if (has_number(kernel[v].kind)) numbers[index(v)] = next++;
    if (kernel[v].body != kNoKBlock) open.push_back({kernel[v].body, 0, kernel[v].orelse});
  }
  return numbers;
}

}  // namespace vyre::lower
