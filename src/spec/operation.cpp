#include "spec/operation.h"

namespace vyre::spec {

bool OpTable::add(OpDef def) {
  auto key = std::make_pair(def.id, def.version);
  return defs_.emplace(std::move(key), std::move(def)).second;
}

const OpDef* OpTable::find(std::string_view id, uint32_t version) const {
  const auto it = defs_.find(std::make_pair(std::string(id), version));
  return it == defs_.end() ? nullptr : &it->second;
}

std::vector<const OpDef*> OpTable::all() const {
  std::vector<const OpDef*> out;
  for (const auto& [key, def] : defs_) out.push_back(&def);
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
