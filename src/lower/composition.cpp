#include "lower/composition.h"

#include <array>
#include <memory>
#include <mutex>

#include "ops/float/soft.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

/// Built on first use.
class Entry {
 public:
  template <typename Find>
  const Composition& get(const Find& function) {
    std::call_once(once_,
                   [&] { built_ = std::make_unique<const Composition>(build_composition(function())); });
    return *built_;
  }

 private:
  std::once_flag once_;
  std::unique_ptr<const Composition> built_;
};

}  // namespace

const Composition& composition(spec::Op op, spec::DataType type) {
  static std::array<std::array<Entry, spec::kTypeCount>, spec::kOpCount> entries;
  return entries[size_t(op)][size_t(type)].get([&] -> const auto& { return ops::soft(op, type); });
}

const Composition& second_composition(spec::Op op, spec::DataType type) {
  static std::array<std::array<Entry, spec::kTypeCount>, spec::kOpCount> entries;
  return entries[size_t(op)][size_t(type)].get([&] -> const auto& { return ops::soft_second(op, type); });
}

const Composition& cast_composition(spec::DataType from, spec::DataType to, spec::RoundingMode mode) {
  using ByMode = std::array<Entry, spec::kRoundingModeCount>;
  static std::array<std::array<ByMode, spec::kTypeCount>, spec::kTypeCount> entries;
  return entries[size_t(from)][size_t(to)][size_t(mode)].get(
      [&] -> const auto& { return ops::soft_cast(from, to, mode); });
}

}  // namespace vyre::lower
