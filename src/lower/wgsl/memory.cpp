#include "lower/wgsl/memory.h"

#include <algorithm>

#include "lower/c_like_operators.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::BufferAccess;

std::string element_type(bool atomic, uint32_t width = 1) {
  if (width > 1) return fmt::format("vec{}<u32>", width);
  return atomic ? "atomic<u32>" : "u32";
}

}  // namespace

WgslMemory::WgslMemory(const Kernel& kernel, const std::vector<bool>& live, const WgslOptions& options,
                       WgslWriter& writer)
    : k_(kernel), options_(options), w_(writer), views_(kernel.buffers.size()) {
  for (size_t i = 0; i < k_.insts.size(); ++i) {
    if (live[i]) note(k_.insts[i]);
  }
  for (size_t i = 0; i < views_.size(); ++i) {
    const KernelBuffer& buffer = k_.buffers[i];
    views_[i].name = "b_" + wgsl_name(buffer.name);
    if (spec::is_bound(buffer.access)) {
      ++bound_;
      continue;
    }
    // Elements of 16 bits are two to a word, as legalization sees them.
    const uint64_t bytes = uint64_t{buffer.count} * spec::info(buffer.element).bytes;
    views_[i].own_words = uint32_t(std::max<uint64_t>((bytes + 3) / 4, 1));
    if (buffer.access == BufferAccess::Private) {
      private_words_ += views_[i].own_words;
    } else {
      shared_words_ += views_[i].own_words;
      ++arrays_;
    }
  }
  find_vectors(live);
}

void WgslMemory::find_vectors(const std::vector<bool>& live) {
  std::vector<bool> dead = live;
  dead.flip();
  for (size_t i = 0; i < views_.size(); ++i) {
    const KernelBuffer& buffer = k_.buffers[i];
    if (is_bound(uint32_t(i)) && !views_[i].atomic)
      views_[i].width = std::max(spec::info(buffer.element).bytes / 4, 1u);
  }
  for (size_t i = 0; i < k_.insts.size(); ++i) {
    const Inst& inst = k_.insts[i];
    const bool is_access = inst.kind == InstKind::RawLoad || inst.kind == InstKind::RawStore;
    if (live[i] && is_access && inst.access == Access::Words) views_[inst.target].width = 1;
  }
  const auto width = [this](uint32_t buffer) { return views_[buffer].width; };
  whole_ = find_whole_accesses(k_, width, dead);
  for (size_t i = 0; i < k_.insts.size(); ++i) {
    const Inst& inst = k_.insts[i];
    if (live[i] && inst.kind == InstKind::RawStore && !whole_.joined.contains(uint32_t(i)))
      views_[inst.target].width = 1;
  }
  whole_ = find_whole_accesses(k_, width, dead);
}

void WgslMemory::note(const Inst& inst) {
  const bool atomic = inst.kind == InstKind::RawAtomic;
  const bool written = atomic || inst.kind == InstKind::RawStore;
  const bool touched = written || inst.kind == InstKind::RawLoad;
  if (touched) {
    View& view = views_[inst.target];
    view.atomic |= atomic, view.written |= written, view.touched = true;
  }
  if (inst.kind == InstKind::Len) views_[inst.target].counted = true;
}

std::string WgslMemory::declarations() const {
  std::string out;
  const auto to = std::back_inserter(out);
  for (size_t i = 0; i < views_.size(); ++i) {
    const KernelBuffer& buffer = k_.buffers[i];
    const View& view = views_[i];
    if (!spec::is_bound(buffer.access)) continue;
    fmt::format_to(to, "@group(0) @binding({}) var<storage, {}> {}: array<{}>;  // {} @{}: {}\n",
                   buffer.argument, view.written ? "read_write" : "read", view.name,
                   element_type(view.atomic, view.width), spec::text(buffer.access), buffer.binding,
                   spec::text(buffer.element));
  }
  fmt::format_to(to,
                 "@group(0) @binding({}) var<uniform> counts: array<vec4<u32>, {}>;  // elements of each\n",
                 bound_, std::max((bound_ + 3) / 4, 1u));
  for (size_t i = 0; i < views_.size(); ++i) {
    const KernelBuffer& buffer = k_.buffers[i];
    if (buffer.access != BufferAccess::Private) continue;
    fmt::format_to(to, "var<private> {}: array<u32, {}>;  // {} of {}\n", views_[i].name, views_[i].own_words,
                   buffer.count, spec::text(buffer.element));
  }
  if (is_structure()) fmt::format_to(to, "struct GroupMemory {{\n");
  for (size_t i = 0; i < views_.size(); ++i) {
    const View& view = views_[i];
    if (k_.buffers[i].access != BufferAccess::Workgroup) continue;
    fmt::format_to(to, "{}{}: array<{}, {}>{}  // {} of {}\n", is_structure() ? "  " : "var<workgroup> ",
                   view.name, element_type(view.atomic), view.own_words, is_structure() ? ',' : ';',
                   k_.buffers[i].count, spec::text(k_.buffers[i].element));
  }
  if (is_structure()) fmt::format_to(to, "}}\nvar<workgroup> group_memory: GroupMemory;\n");
  return out;
}

void WgslMemory::begin() {
  bool counted = false;
  for (const View& view : views_) {
    counted |= view.counted && view.own_words == 0;
    if (!view.touched && view.own_words == 0) w_.top().line("_ = {}[0];", view.name);
  }
  if (!counted) w_.top().line("_ = counts[0].x;");
}

std::string WgslMemory::length(uint32_t buffer) {
  const KernelBuffer& declared = k_.buffers[buffer];
  if (!is_bound(buffer)) return w_.number(declared.count);
  return w_.count(declared.argument, "len_" + wgsl_name(declared.name));
}

std::string WgslMemory::array(uint32_t buffer) const {
  const bool member = k_.buffers[buffer].access == BufferAccess::Workgroup && is_structure();
  return (member ? "group_memory." : "") + views_[buffer].name;
}

void WgslMemory::atomic(spec::Op op, const std::string& name, const std::string& to,
                        const std::string& expected, const std::string& value) {
  Lines& out = w_.top();
  const bool is_minimum = op == spec::Op::AtomicMin, is_maximum = op == spec::Op::AtomicMax;
  if (options_.bounds_by_exchange && (is_minimum || is_maximum)) {
    if (!name.empty()) out.line("var {}: u32;", name);
    out.open("loop");
    out.line("let seen = atomicLoad(&{});", to);
    out.line("let turn = atomicCompareExchangeWeak(&{}, seen, {}(seen, {}));", to, is_minimum ? "min" : "max",
             value);
    if (!name.empty()) out.line("{} = seen;", name);
    out.line("if (turn.exchanged) {{ break; }}");
    out.close();
    return;
  }
  if (op != spec::Op::AtomicCompareExchange) {
    const std::string result = name.empty() ? "" : fmt::format("let {} = ", name);
    out.line("{}{}(&{}, {});", result, c_like_atomic(op, CLikeDialect::Wgsl), to, value);
    return;
  }
  // WGSL's own may fail for no reason. It has failed for a reason when the word was another one.
  const std::string found = name.empty() ? "turn.old_value" : name;
  if (!name.empty()) out.line("var {}: u32;", name);
  out.open("loop");
  out.line("let turn = atomicCompareExchangeWeak(&{}, {}, {});", to, expected, value);
  if (!name.empty()) out.line("{} = turn.old_value;", name);
  out.line("if (turn.exchanged || ({} != {})) {{ break; }}", found, expected);
  out.close();
}

// WebGPU, "maxComputeWorkgroupStorageSize": each variable counts in whole units of 16 bytes. There is one.
uint32_t WgslMemory::shared_bytes() const { return (shared_words_ * 4 + 15) / 16 * 16; }

std::vector<bool> WgslMemory::writable() const {
  std::vector<bool> out(bound_);
  for (size_t i = 0; i < views_.size(); ++i) {
    if (views_[i].own_words == 0) out[k_.buffers[i].argument] = views_[i].written;
  }
  return out;
}

}  // namespace vyre::lower
