#include "layout/dispatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/stack_pool.h"
#include "spec/limits.h"

namespace vyre::layout {
namespace {

using spec::BufferAccess;

Diag error(DiagCode code, Span span, std::string message, std::string help) {
  return make_diag(code, span, std::move(message), std::move(help));
}

/// "1 element", "5 elements".
std::string elements(uint64_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); }

bool on_axis(uint32_t groups) { return groups >= 1 && groups <= spec::kMaxGroupsPerAxis; }

Result<void> check_groups(Groups groups) {
  const std::array<uint32_t, 3> axes = {groups.x, groups.y, groups.z};
  for (uint32_t i = 0; i < 3; ++i) {
    if (on_axis(axes[i])) continue;
    return std::unexpected(error(DiagCode::X005, Span::none(),
                                 fmt::format("{} workgroups on axis {}", axes[i], "xyz"[i]),
                                 fmt::format("give each axis 1 to {} workgroups", spec::kMaxGroupsPerAxis)));
  }
  return {};
}

static_assert(std::ranges::all_of(spec::kTypes, [](const spec::TypeInfo& type) {
  return type.bytes == 0 || std::has_single_bit(type.bytes);
}));

QuickBinding::Slot slot_of(const check::Checked& program, const ir::BufferDecl& decl) {
  const uint32_t element = spec::info(program.program().element(decl)).bytes;
  uint64_t most = uint64_t{UINT32_MAX} * element;
  if (decl.access == BufferAccess::Uniform) most = std::min<uint64_t>(most, spec::kMaxUniformBytes);
  return {most, uint32_t(std::countr_zero(element))};
}

/// How many elements `bytes` are.
Result<uint32_t> count_elements(const check::Checked& program, const ir::BufferDecl& decl, uint64_t bytes) {
  const QuickBinding::Slot slot = slot_of(program, decl);
  if (slot.admits(bytes)) return slot.count(bytes);
  const std::string_view name = program.program().code.name(decl.name);
  const spec::DataType type = program.program().element(decl);
  const uint32_t element = spec::info(type).bytes;
  if (bytes % element != 0) {
    return std::unexpected(
        error(DiagCode::X002, decl.span,
              fmt::format("buffer '{}' has {} bytes, and an element of {} is {}", name, bytes,
                          spec::text(type), element),
              fmt::format("give a multiple of {} bytes; pad the last one with zeros if the rest matters",
                          element)));
  }
  if (bytes / element > UINT32_MAX) {
    return std::unexpected(error(DiagCode::X010, decl.span,
                                 fmt::format("buffer '{}' has {} elements", name, bytes / element),
                                 fmt::format("bind at most {} elements", UINT32_MAX)));
  }
  return std::unexpected(
      error(DiagCode::X004, decl.span, fmt::format("uniform buffer '{}' has {} bytes", name, bytes),
            fmt::format("give at most {} bytes, or declare it `read`", spec::kMaxUniformBytes)));
}

/// Sorts the non-empty extents by space and address: if any two overlap, then some two neighbours do.
Result<void> check_overlap(const check::Checked& program, std::span<const Extent> extents) {
  StackPool<512> pool;
  std::pmr::vector<size_t> order(pool.memory());
  order.reserve(extents.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].bytes != 0) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](size_t i) {
    return std::pair(reinterpret_cast<uintptr_t>(extents[i].space), extents[i].begin);
  });
  for (size_t k = 1; k < order.size(); ++k) {
    const size_t low = order[k - 1], high = order[k];
    if (extents[low].space != extents[high].space) continue;
    const bool same = extents[low].begin == extents[high].begin && extents[low].bytes == extents[high].bytes;
    if (same && (extents[low].shared || extents[high].shared)) continue;
    if (extents[high].begin - extents[low].begin >= extents[low].bytes) continue;
    const auto name = [&](size_t i) {
      return program.program().code.name(program.buffer(program.bound_buffers()[i]).name);
    };
    return std::unexpected(error(DiagCode::X003, Span::none(),
                                 fmt::format("buffers '{}' and '{}' share memory", name(std::min(low, high)),
                                             name(std::max(low, high))),
                                 "bind separate memory, or declare one buffer and use it for both"));
  }
  return {};
}

/// Fills in and checks the tensors among the bindings, when every binding has its count.
class Tensors {
 public:
  Tensors(const check::Checked& program, std::span<const Extent> extents, std::span<Binding> bindings)
      : checked_(program), program_(program.program()), extents_(extents), bindings_(bindings) {}

  Result<void> bind(const ir::BufferDecl& decl, const ir::TensorType& tensor, Binding& binding) const {
    for (const ir::Dim& dim : tensor.dims) {
      VYRE_TRY(size, dim.dynamic() ? read(decl, dim) : Result<uint32_t>(dim.size));
      binding.dims.push_back(size);
    }
    binding.strides = tensor.strides.empty() ? row_major(binding.dims) : tensor.strides;
    if (std::ranges::find(binding.dims, 0u) != binding.dims.end())
      return {};  // no element, hence no last one
    return check_last(decl, tensor, binding);
  }

 private:
  Result<uint32_t> read(const ir::BufferDecl& decl, const ir::Dim& dim) const {
    const auto& bound = checked_.bound_buffers();
    const auto found =
        std::ranges::find(bound, dim.buffer, [&](check::BufferId id) { return checked_.buffer(id).name; });
    const auto named = size_t(found - bound.begin());
    const Binding& source = bindings_[named];
    if (dim.element < source.count) return load_u32(extents_[named].uniform.data() + size_t(dim.element) * 4);
    const ir::Code& code = program_.code;
    return std::unexpected(error(
        DiagCode::X012, decl.span,
        fmt::format("dimension '{}' of tensor '{}' is element {} of '{}', which has {}", code.name(dim.name),
                    code.name(decl.name), dim.element, code.name(dim.buffer), source.count),
        fmt::format("give '{}' at least {}", code.name(dim.buffer), elements(uint64_t(dim.element) + 1))));
  }

  /// A stride that is no u32 stays 0: then the dimension has one element, or the last index is past 2^32, or
  /// there is no element at all.
  static std::vector<uint32_t> row_major(std::span<const uint32_t> dims) {
    std::vector<uint32_t> strides(dims.size());
    uint64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0 && stride <= UINT32_MAX;) {
      strides[i] = uint32_t(stride);
      stride *= dims[i];
    }
    return strides;
  }

  static std::string shown(std::span<const uint32_t> numbers) {
    constexpr size_t kShown = 8;
    const auto first = numbers.first(std::min(kShown, numbers.size()));
    return fmt::format("[{}{}]", fmt::join(first, ", "), numbers.size() > kShown ? ", ..." : "");
  }

  Result<void> check_last(const ir::BufferDecl& decl, const ir::TensorType& tensor,
                          const Binding& binding) const {
    // Each step adds at most (2^32 - 2) * 2^32 to at most 2^32 - 1, so no sum passes 2^64. Row-major strides
    // are taken as they are built, since one that is no u32 is not in the binding; the last index is then at
    // least stride - 1, so no stride past 2^32 is ever used.
    uint64_t last = 0, stride = 1;
    for (size_t i = binding.dims.size(); i-- > 0 && last <= UINT32_MAX;) {
      if (!tensor.strides.empty()) stride = binding.strides[i];
      last += (binding.dims[i] - 1) * stride;
      if (tensor.strides.empty()) stride *= binding.dims[i];
    }
    std::string shape = shown(binding.dims);
    if (!tensor.strides.empty()) shape += " with strides " + shown(binding.strides);
    const std::string_view name = program_.code.name(decl.name);
    if (last > UINT32_MAX) {
      return std::unexpected(
          error(DiagCode::X011, decl.span,
                fmt::format("the last element of tensor '{}' {} has an index past 2^32 - 1", name, shape),
                "pass smaller dimensions"));
    }
    if (last < binding.count) return {};
    return std::unexpected(
        error(DiagCode::X007, decl.span,
              fmt::format("the last element of tensor '{}' {} has index {}, and {} {} bound", name, shape,
                          last, elements(binding.count), binding.count == 1 ? "is" : "are"),
              fmt::format("bind at least {}, or pass smaller dimensions", elements(last + 1))));
  }

  const check::Checked& checked_;
  const ir::Program& program_;
  std::span<const Extent> extents_;
  std::span<Binding> bindings_;
};

}  // namespace

Result<std::vector<Binding>> bind(const check::Checked& program, std::span<const Extent> extents,
                                  Groups groups) {
  const auto& bound = program.bound_buffers();
  if (extents.size() != bound.size()) {
    return std::unexpected(
        error(DiagCode::X009, Span::none(),
              fmt::format("{} buffers given, and the program declares {}", extents.size(), bound.size()),
              "give one for each buffer that is not workgroup memory, in the order of their declaration"));
  }
  VYRE_CHECK(check_groups(groups));
  Result<std::vector<Binding>> bindings(std::in_place, bound.size());  // filled in place: moves of it show
  for (size_t i = 0; i < bound.size(); ++i) {
    VYRE_TRY(count, count_elements(program, program.buffer(bound[i]), extents[i].bytes));
    (*bindings)[i].count = count;
  }
  VYRE_CHECK(check_overlap(program, extents));
  const Tensors tensors(program, extents, *bindings);
  for (size_t i = 0; i < bound.size(); ++i) {
    const ir::BufferDecl& decl = program.buffer(bound[i]);
    if (const ir::TensorType* tensor = program.program().tensor(decl))
      VYRE_CHECK(tensors.bind(decl, *tensor, (*bindings)[i]));
  }
  return bindings;
}

Result<std::vector<Binding>> bind(const check::Checked& program, std::span<const std::span<std::byte>> host,
                                  Groups groups) {
  StackPool<1024> pool;
  std::pmr::vector<Extent> extents(pool.memory());
  extents.reserve(host.size());
  for (const std::span<std::byte> bytes : host)
    extents.push_back({nullptr, reinterpret_cast<uintptr_t>(bytes.data()), bytes.size(), bytes});
  auto bindings = bind(program, extents, groups);
  if (!bindings) return bindings;
  for (size_t i = 0; i < host.size(); ++i) (*bindings)[i].bytes = host[i];
  return bindings;
}

QuickBinding::QuickBinding(const check::Checked& program) {
  const auto& bound = program.bound_buffers();
  if (bound.size() > kMost) return;
  for (const check::BufferId id : bound) {
    const ir::BufferDecl& decl = program.buffer(id);
    if (program.program().tensor(decl) != nullptr) return;
    slots_[size_++] = slot_of(program, decl);
  }
  quick_ = true;
}

bool QuickBinding::accept(std::span<const std::span<std::byte>> host, Groups groups, Counts& counts) const {
  if (!quick_ || host.size() != size_ || !on_axis(groups.x) || !on_axis(groups.y) || !on_axis(groups.z))
    return false;
  for (size_t i = 0; i < size_; ++i) {
    const auto begin = reinterpret_cast<uintptr_t>(host[i].data());
    const uint64_t bytes = host[i].size();
    if (!slots_[i].admits(bytes)) return false;
    counts[i] = slots_[i].count(bytes);
    for (size_t k = 0; k < i; ++k) {
      // Where both are empty too: bind() looks closer.
      const auto other = reinterpret_cast<uintptr_t>(host[k].data());
      if (begin < other + host[k].size() && other < begin + bytes) return false;
    }
  }
  return true;
}

}  // namespace vyre::layout
