#include "spec/operation.h"

#include <algorithm>
#include <tuple>

namespace vyre::spec {

bool OpTable::add(OpDef def) {
  if (base_ != nullptr && base_->find(def.id, def.version) != nullptr) return false;
  auto key = std::make_pair(def.id, def.version);
  return defs_.emplace(std::move(key), std::move(def)).second;
}

const OpDef* OpTable::find(std::string_view id, uint32_t version) const {
  const auto it = defs_.find(std::make_pair(std::string(id), version));
  if (it != defs_.end()) return &it->second;
  return base_ == nullptr ? nullptr : base_->find(id, version);
}

std::vector<const OpDef*> OpTable::all() const {
  std::vector<const OpDef*> out;
  for (const auto& [key, def] : defs_) out.push_back(&def);
  if (base_ == nullptr) return out;
  const auto known = base_->all();
  out.insert(out.end(), known.begin(), known.end());
  std::ranges::sort(out, {}, [](const OpDef* def) { return std::tie(def->id, def->version); });
  return out;
}

void add_intrinsics(OpTable& table) {
  for (const IntrinsicInfo& info : kIntrinsics) {
    table.add({.id = std::string(info.id),
               .version = info.version,
               .signature = {{info.inputs().begin(), info.inputs().end()}, info.output},
               .category = Category::C,
               .intrinsic = info.intrinsic});
  }
}

}  // namespace vyre::spec
