// Grids: the ids of an invocation, in dispatches of up to a million of them, with workgroup memory and
// atomics.
//
// Each invocation finds a slot of its own by its ids and stores there what they are; so an id that is wrong,
// or an invocation that is left out, leaves another word. Expected is the same walk over groups and locals.
#include <fmt/format.h>

#include <algorithm>

#include "verify/shape_case.h"

namespace vyre::verify {
namespace {

using spec::DataType;
using Extent = std::array<uint32_t, 3>;

constexpr uint32_t kIds = 9;  // three of three axes
constexpr std::string_view kIdNames[] = {"invocation_id.x", "invocation_id.y", "invocation_id.z",
                                         "workgroup_id.x",  "workgroup_id.y",  "workgroup_id.z",
                                         "local_id.x",      "local_id.y",      "local_id.z"};
/// By level of ShapeFactor::Id: the first of the ids that are stored, and how many.
constexpr std::pair<uint32_t, uint32_t> kStored[] = {{0, 9}, {0, 1}, {1, 1}, {2, 1}, {3, 3}, {6, 3}};

constexpr uint32_t kFarthest = 8;  // elements behind the word of an atomic
constexpr uint64_t kManyAtomics = (uint64_t{1} << 20) + 3;
constexpr uint32_t kSlack = 3;  // results without a store
constexpr uint32_t kTurns = 9;  // with a barrier each
constexpr uint32_t kSteps = 3;  // that each invocation takes by compare_exchange, on a word of its own

uint32_t volume(const Extent& e) { return e[0] * e[1] * e[2]; }

class Grid {
 public:
  Grid(const Row& row, ShapeText& text, const backend::Limits& limits)
      : row_(row), text_(text), size_(workgroup_of(row)), group_(volume(size_)) {
    const uint8_t level = at(ShapeFactor::Shared);
    if (level != 0) {
      type_ = *spec::find_type(level_text(ShapeFactor::SharedType, at(ShapeFactor::SharedType)));
      const uint64_t bytes = std::min(shared_bytes(level), limits.max_workgroup_bytes);
      elements_ = uint32_t(bytes / std::max(spec::info(type_).bytes, limits.workgroup_element_bytes));
      few_ = std::min(elements_ / 16, group_ / 2) * 2;  // even, so that odd counts stay odd
      elements_ -= few_;
    }
  }

  ShapeCase make() {
    write();
    ShapeCase out;
    out.interface = ShapeInterface(at(ShapeFactor::Interface));
    out.text = text_.print(size_, 0);
    const Extent groups = groups_of(row_), others = {2, 3, 1};
    const uint8_t again = at(ShapeFactor::Again);
    if (again == 2 || out.interface == ShapeInterface::Changed) out.dispatches.push_back(dispatch(others, 1));
    if (again == 1) out.dispatches.push_back(dispatch(groups, 0));
    out.dispatches.push_back(dispatch(groups, 0));
    return out;
  }

 private:
  uint8_t at(ShapeFactor factor) const { return level_of(row_, factor); }
  uint32_t factor_of(uint32_t id) const { return text_.word(10 + id) | 1; }
  std::string word() const { return std::string(level_text(ShapeFactor::Word, at(ShapeFactor::Word))); }
  uint32_t unseen() const { return text_.word(5) | 256; }  // what no compare_exchange writes
  uint32_t rounds() const { return (elements_ + group_ - 1) / group_; }

  // --- The program

  void write() {
    text_.buffer("uniform", "n", "u32");
    text_.buffer("read_write", "out", "u32");
    const bool by_invocation = at(ShapeFactor::Slot) == 0;
    if (!by_invocation || elements_ != 0) {
      text_.line(
          fmt::format("let local = local_id.x + {} * (local_id.y + {} * local_id.z);", size_[0], size_[1]));
    }
    const std::string number = "invocation_id.x + n[0] * (invocation_id.y + n[1] * invocation_id.z)";
    if (by_invocation) {
      text_.line(fmt::format("let slot = {};", number));
    } else {
      text_.line("let group = workgroup_id.x + n[2] * (workgroup_id.y + n[3] * workgroup_id.z);");
      text_.line(fmt::format("let slot = group * {} + local;", group_));
    }
    std::string ids = fmt::format("{}", text_.word(1));
    const auto [first, count] = kStored[at(ShapeFactor::Id)];
    for (uint32_t id = first; id < first + count; ++id)
      ids += fmt::format(" + {} * {}", kIdNames[id], factor_of(id));
    text_.line(fmt::format("let v = {};", ids));
    // Where the slot does not need them, the numbers of invocations are stored.
    if (!by_invocation) text_.line(fmt::format("v = v + ({}) * {};", number, text_.word(8) | 1));
    if (elements_ != 0) write_shared();
    if (at(ShapeFactor::Atomic) != 0) write_atomic();
    text_.line("out[slot] = v;");
  }

  void write_shared() {
    text_.shared(fmt::format("workgroup w: {}[{}]", spec::text(type_), elements_));
    const std::string each = fmt::format("for r in 0..{} {{ let e = ", rounds());
    const std::string mine = fmt::format("local + r * {}", group_);
    const std::string folded = folded_word(type_, std::string_view("x"));
    text_.line("let found = 0;");
    text_.line(fmt::format("{}{}; let x = w[e]; found = found + ({} != 0); }}", each, mine, folded));
    text_.line("barrier;");
    text_.line(fmt::format("{}{}; let y = e * {} + {}; w[e] = {}; }}", each, mine, text_.word(2) | 1,
                           text_.word(3), made_of(type_, "y")));
    text_.line("barrier;");
    if (few_ != 0) write_turns();
    text_.line("let sum = 0;");
    text_.line(
        fmt::format("{}{} - ({}); let x = w[e]; sum = sum * 3 + {}; }}", each, elements_ - 1, mine, folded));
    text_.line("v = v + found * 65537 + sum;");
  }

  /// A second array, in which invocations hand words on in rounds with barriers, while the first keeps its
  /// own.
  void write_turns() {
    text_.shared(fmt::format("workgroup w2: {}[{}]", spec::text(type_), few_));
    text_.line("let turns = 0;");
    text_.line(fmt::format(
        "for r in 0..{} {{ let y = local * 5 + r * 3 + {}; w2[local] = {}; barrier; "
        "let x = w2[{} - local]; turns = turns * 3 + {}; barrier; }}",
        kTurns, text_.word(9), made_of(type_, "y"), few_ - 1, folded_word(type_, std::string_view("x"))));
    text_.line("v = v + turns * 7;");
  }

  void write_atomic() {
    text_.buffer("read_write", "t", "u32");
    const std::string p = word();
    switch (at(ShapeFactor::Atomic)) {
      case 0: break;
      case 1:
        text_.line(fmt::format("for r in 0..n[4] {{ let a = atomic_add(t[{}], slot * 2 + 1); }}", p));
        text_.line(fmt::format("let b = atomic_add(t[{0} + 2], atomic_add(t[{0} + 1], 1));", p));
        break;
      case 2:
        text_.line(fmt::format("let a = atomic_or(t[{}], 1 << (slot & 31));", p));
        text_.line(fmt::format("let b = atomic_and(t[{} + 1], ~(1 << (slot % 29)));", p));
        text_.line(fmt::format("let c = atomic_xor(t[{} + 2], slot * {});", p, text_.word(4) | 1));
        break;
      case 3:
        text_.line(fmt::format("let a = atomic_min(t[{}], (slot + 1) * {});", p, text_.word(4) | 1));
        text_.line(fmt::format("let b = atomic_max(t[{} + 1], (slot + 1) * {});", p, text_.word(4) | 1));
        break;
      case 4:  // the sum of all that was taken out, so that none is lost or seen twice
        text_.line(fmt::format("let a = atomic_add(t[{0} + 1], atomic_exchange(t[{0}], 77));", p));
        break;
      case 5:  // one of them sees what was there
        text_.line(fmt::format("let seen = atomic_compare_exchange(t[{}], {}, 99);", p, unseen()));
        text_.line(fmt::format("let a = atomic_add(t[{} + 1], seen == {});", p, unseen()));
        text_.line(fmt::format("let b = atomic_add(t[{} + 2], seen == 99);", p));
        text_.line("let own = atomic_exchange(out[slot], 0);");
        text_.line(fmt::format(
            "for r in 0..{} {{ let step = atomic_compare_exchange(out[slot], r, r + 1); }}", kSteps));
        text_.line("v = v + atomic_add(out[slot], 0) * 9;");
        break;
    }
  }

  // --- Its answer

  /// What an invocation adds for workgroup memory, by its local number.
  std::vector<uint32_t> shared_sums() const {
    std::vector<uint32_t> folded(elements_), out(group_);
    for (uint32_t e = 0; e < elements_; ++e)
      folded[e] = folded_word(type_, bytes_made_of(type_, e * (text_.word(2) | 1) + text_.word(3)));
    for (uint32_t local = 0; local < group_ && elements_ != 0; ++local) {
      for (uint32_t r = 0; r < rounds(); ++r) {
        const uint64_t mine = local + uint64_t(r) * group_;
        out[local] = out[local] * 3 + (mine < elements_ ? folded[elements_ - 1 - mine] : 0);
      }
      uint32_t turns = 0;
      for (uint32_t r = 0; r < kTurns && local < few_; ++r)
        turns = turns * 3 +
                folded_word(type_, bytes_made_of(type_, (few_ - 1 - local) * 5 + r * 3 + text_.word(9)));
      out[local] += turns * 7;
    }
    return out;
  }

  std::vector<uint32_t> results(const Extent& groups, uint32_t total) const {
    std::vector<uint32_t> out(total);
    const std::vector<uint32_t> shared = shared_sums();
    std::array<uint32_t, kIds> factor{};
    const auto [first, count] = kStored[at(ShapeFactor::Id)];
    for (uint32_t id = first; id < first + count; ++id) factor[id] = factor_of(id);
    const bool by_invocation = at(ShapeFactor::Slot) == 0;
    const uint32_t stored = text_.word(8) | 1;
    const uint32_t across = groups[0] * size_[0], up = groups[1] * size_[1];
    const uint32_t steps = at(ShapeFactor::Atomic) == 5 ? kSteps * 9 : 0;
    uint32_t group = 0;
    Extent g{}, l{};
    for (g[2] = 0; g[2] < groups[2]; ++g[2]) {
      for (g[1] = 0; g[1] < groups[1]; ++g[1]) {
        for (g[0] = 0; g[0] < groups[0]; ++g[0], ++group) {
          uint32_t local = 0;
          for (l[2] = 0; l[2] < size_[2]; ++l[2]) {
            for (l[1] = 0; l[1] < size_[1]; ++l[1]) {
              for (l[0] = 0; l[0] < size_[0]; ++l[0], ++local) {
                uint32_t v = text_.word(1) + shared[local] + steps;
                Extent i{};
                for (uint32_t axis = 0; axis < 3; ++axis) {
                  i[axis] = g[axis] * size_[axis] + l[axis];
                  v += i[axis] * factor[axis] + g[axis] * factor[3 + axis] + l[axis] * factor[6 + axis];
                }
                const uint32_t number = i[0] + across * (i[1] + up * i[2]);
                if (!by_invocation) v += number * stored;
                out[by_invocation ? number : group * group_ + local] = v;
              }
            }
          }
        }
      }
    }
    return out;
  }

  void do_atomics(std::vector<uint32_t>& t, uint32_t total, uint32_t rounds) const {
    uint32_t* const word = &t[t.size() - kFarthest];
    const uint32_t k = text_.word(4) | 1;
    switch (at(ShapeFactor::Atomic)) {
      case 0: break;
      case 1:  // the sum of the first n odd numbers is n * n; of numbers from c on, a triangle
        word[0] += rounds * total * total;
        word[2] += uint32_t(uint64_t(total) * (total - 1) / 2) + total * word[1];
        word[1] += total;
        break;
      case 2:
        for (uint32_t s = 0; s < total; ++s) {
          word[0] |= 1u << s % 32;
          word[1] &= ~(1u << s % 29);
          word[2] ^= s * k;
        }
        break;
      case 3:
        for (uint32_t s = 1; s <= total; ++s) {
          word[0] = std::min(word[0], s * k);
          word[1] = std::max(word[1], s * k);
        }
        break;
      case 4:
        word[1] += word[0] + 77 * (total - 1);
        word[0] = 77;
        break;
      case 5:
        word[0] = 99;
        word[1] += 1;
        word[2] += total - 1;
        break;
    }
  }

  ShapeDispatch dispatch(const Extent& groups, uint32_t salt) const {
    const uint32_t total = volume(groups) * group_;
    const bool many = at(ShapeFactor::Additions) == 2;
    const uint32_t rounds = many ? uint32_t((kManyAtomics + total - 1) / total) : 1;
    ShapeDispatch out{{groups[0], groups[1], groups[2]}, {}, {}};
    const uint32_t n[] = {groups[0] * size_[0], groups[1] * size_[1], groups[0], groups[1], rounds};
    out.before.push_back(to_bytes(n));
    std::vector<uint32_t> after = results(groups, total), before(total + kSlack);
    for (uint32_t k = 0; k < before.size(); ++k) before[k] = (k + salt) * 0x9E3779B1u ^ text_.word(6);
    after.insert(after.end(), before.end() - kSlack, before.end());
    out.before.push_back(to_bytes(before));
    out.after = {out.before[0], to_bytes(after)};
    if (at(ShapeFactor::Atomic) == 0) return out;
    uint32_t words = 0;
    for (const char c : word()) words = words * 10 + uint32_t(c - '0');
    std::vector<uint32_t> t(words + kFarthest);
    for (size_t k = t.size() - kFarthest; k < t.size(); ++k)
      t[k] = uint32_t(k + salt) * 0x85EBCA6Bu + text_.word(7);
    if (at(ShapeFactor::Atomic) == 5) t[words] = unseen();
    out.before.push_back(to_bytes(t));
    do_atomics(t, total, rounds);
    out.after.push_back(to_bytes(t));
    return out;
  }

  const Row& row_;
  ShapeText& text_;
  const Extent size_;
  const uint32_t group_;  // invocations of a workgroup
  DataType type_ = DataType::U32;
  uint32_t elements_ = 0;  // of workgroup memory
  uint32_t few_ = 0;       // of the second array there
};

}  // namespace

ShapeCase grid_case(const Row& row, ShapeText& text, const backend::Limits& limits) {
  return Grid(row, text, limits).make();
}

}  // namespace vyre::verify
