#include "ops/floating.h"

#include <fmt/format.h>

#include <mutex>
#include <set>

namespace vyre::ops {

std::string_view float_id(spec::DataType type, std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> ids;
  const std::lock_guard lock(mutex);
  return *ids.insert(fmt::format("float.{}.{}", spec::text(type), name)).first;
}

}  // namespace vyre::ops
