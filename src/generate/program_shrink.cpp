#include <algorithm>
#include <cstring>

#include "check/checked.h"
#include "generate/program_edits.h"
#include "generate/programs.h"

namespace vyre::generate {
namespace {

using ir::Program;

class ProgramShrinker {
 public:
  ProgramShrinker(const spec::OpTable& ops, const ProgramFails& fails, size_t budget)
      : ops_(ops), fails_(fails), left_(budget) {}

  /// What is in the buffers comes last: most of it does not matter any more then, and it is the most to try.
  ProgramCase run(ProgramCase best) {
    for (bool changed = true; changed && left_ > 0;) {
      changed = shrink_groups(best);
      changed |= shrink_code(best);
      changed |= drop_buffers(best);
      if (!changed) changed = shrink_contents(best);
    }
    return best;
  }

 private:
  bool accepts(ProgramCase candidate, ProgramCase& best) {
    if (left_ == 0) return false;
    const auto checked = check::check(candidate.program, ops_);
    if (!checked || !fits(*checked, candidate)) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best = std::move(candidate);
    return true;
  }

  /// Whether what is bound is enough for the tensors and their dimensions.
  static bool fits(const check::Checked& checked, ProgramCase& candidate) {
    const std::vector<std::span<std::byte>> host(candidate.buffers.begin(), candidate.buffers.end());
    return layout::bind(checked, host, candidate.groups).has_value();
  }

  static bool is_alone(const ProgramCase& c) {
    const auto& size = c.program.workgroup_size;
    return uint64_t{size[0]} * size[1] * size[2] * c.groups.total() == 1;
  }

  /// One pass over the edits; after an accepted one the list is made anew and the pass goes on where it was.
  bool shrink_code(ProgramCase& best) {
    bool any = false;
    size_t at = 0;
    while (left_ > 0) {
      const auto checked = check::check(best.program, ops_);
      if (!checked) return any;
      const std::vector<Edit> edits = edits_of(*checked, is_alone(best));
      bool accepted = false;
      while (at < edits.size() && !accepted && left_ > 0) {
        ProgramCase candidate = best;
        candidate.program = apply(*checked, edits[at]);
        accepted = accepts(std::move(candidate), best);
        if (!accepted) ++at;
      }
      any |= accepted;
      if (!accepted) return any;
    }
    return any;
  }

  bool shrink_groups(ProgramCase& best) {
    bool any = false;
    for (uint32_t layout::Groups::* axis : {&layout::Groups::x, &layout::Groups::y, &layout::Groups::z}) {
      for (uint32_t count : {1u, best.groups.*axis / 2, best.groups.*axis - 1}) {
        if (count == 0 || count >= best.groups.*axis) continue;
        ProgramCase candidate = best;
        candidate.groups.*axis = count;
        any |= accepts(std::move(candidate), best);
      }
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      for (uint32_t size :
           {1u, best.program.workgroup_size[axis] / 2, best.program.workgroup_size[axis] - 1}) {
        if (size == 0 || size >= best.program.workgroup_size[axis]) continue;
        ProgramCase candidate = best;
        candidate.program.workgroup_size[axis] = size;
        any |= accepts(std::move(candidate), best);
      }
    }
    return any;
  }

  bool drop_buffers(ProgramCase& best) {
    bool any = false;
    for (size_t i = best.program.buffers.size(); i-- > 0;) {
      ProgramCase candidate = best;
      const bool bound = spec::is_bound(best.program.buffers[i].access);
      if (bound) candidate.buffers.erase(candidate.buffers.begin() + long(bound_index(best.program, i)));
      drop_tensor(candidate.program, i);
      candidate.program.buffers.erase(candidate.program.buffers.begin() + long(i));
      any |= accepts(std::move(candidate), best);
    }
    return any;
  }
  static size_t bound_index(const Program& program, size_t buffer) {
    return size_t(std::count_if(program.buffers.begin(), program.buffers.begin() + long(buffer),
                                [](const auto& b) { return spec::is_bound(b.access); }));
  }

  /// Takes a buffer's tensor type out of the list, in which each has a place of its own.
  static void drop_tensor(Program& program, size_t buffer) {
    if (program.buffers[buffer].element != ir::DataType::Tensor) return;
    const uint32_t place = program.buffers[buffer].tensor;
    program.tensors.erase(program.tensors.begin() + place);
    for (ir::BufferDecl& other : program.buffers) {
      if (other.element == ir::DataType::Tensor && other.tensor > place) --other.tensor;
    }
  }

  bool shrink_contents(ProgramCase& best) {
    bool any = false;
    size_t bound = 0;
    for (size_t i = 0; i < best.program.buffers.size(); ++i) {
      const ir::BufferDecl& decl = best.program.buffers[i];
      if (!spec::is_bound(decl.access)) continue;
      any |= shrink_buffer(best, bound++, spec::info(best.program.element(decl)).bytes);
    }
    return any;
  }
  bool shrink_buffer(ProgramCase& best, size_t b, size_t element_bytes) {
    bool any = false;
    const size_t elements = best.buffers[b].size() / element_bytes;
    for (size_t count : {size_t{0}, size_t{1}, elements / 2, elements - 1}) {
      if (count >= best.buffers[b].size() / element_bytes) continue;
      ProgramCase candidate = best;
      candidate.buffers[b].resize(count * element_bytes);
      any |= accepts(std::move(candidate), best);
    }
    // Zeros in the place of all, of halves, of quarters, then word by word; of 16-bit elements one by one.
    const size_t unit = std::min<size_t>(4, element_bytes);
    for (size_t run = best.buffers[b].size() / unit; run > 1; run /= 2) {
      for (size_t at = 0; at < best.buffers[b].size(); at += run * unit)
        any |= clear(best, b, at, std::min(run * unit, best.buffers[b].size() - at));
    }
    for (size_t at = 0; at + unit <= best.buffers[b].size(); at += unit) {
      const auto value = [&] {
        uint32_t out = 0;
        std::memcpy(&out, best.buffers[b].data() + at, unit);
        return out;
      };
      for (uint32_t smaller : {0u, 1u, value() & 0xff}) {
        if (smaller >= value()) continue;
        ProgramCase candidate = best;
        std::memcpy(candidate.buffers[b].data() + at, &smaller, unit);
        any |= accepts(std::move(candidate), best);
      }
    }
    return any;
  }
  bool clear(ProgramCase& best, size_t b, size_t at, size_t bytes) {
    const std::span<const std::byte> range = std::span(best.buffers[b]).subspan(at, bytes);
    if (std::ranges::all_of(range, [](std::byte one) { return one == std::byte{0}; })) return false;
    ProgramCase candidate = best;
    std::ranges::fill(std::span(candidate.buffers[b]).subspan(at, bytes), std::byte{0});
    return accepts(std::move(candidate), best);
  }

  const spec::OpTable& ops_;
  const ProgramFails& fails_;
  size_t left_;
};

}  // namespace

ProgramCase shrink_program(ProgramCase failing, const spec::OpTable& ops, const ProgramFails& fails,
                           size_t max_evaluations) {
  return ProgramShrinker(ops, fails, max_evaluations).run(std::move(failing));
}

}  // namespace vyre::generate
