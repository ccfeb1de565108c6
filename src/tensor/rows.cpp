#include "tensor/rows.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "spec/types.h"

namespace vyre::tensor {
namespace {

constexpr uint32_t kLanes = 256;    // of a workgroup
constexpr uint32_t kFour = 4;       // neighbours, which are loaded at once
constexpr uint32_t kMostFours = 8;  // of an invocation
constexpr uint32_t kUsed = 4;       // fours of an invocation, as long as a line has no more invocations
constexpr uint32_t kEach = 8;       // nodes that an invocation folds in a step, at most
constexpr uint32_t kLast = 4;       // nodes of a line that each invocation folds

/// How lines are divided: `across` invocations have a line, four neighbours each, `used` times, which for the
/// tree are filled up to `fours`; and a workgroup has `some` lines.
struct Division {
  explicit Division(uint32_t size)
      : across(std::min(kLanes, std::bit_ceil(ceil_div(size, kFour * kUsed)))),
        used(ceil_div(size, across * kFour)),
        fours(std::bit_ceil(used)),
        some(kLanes / across) {}
  uint32_t across, used, fours, some;
  uint32_t nodes() const { return across * fours; }  // of a line
};

/// How many of `all` nodes in a workgroup, `have` of a line, an invocation folds in a step: all invocations
/// are used as long as there are more nodes than those, and then a step goes down to so few that each
/// invocation folds them for itself. 1: they are so few.
uint32_t folded_at_once(uint32_t all, uint32_t have) {
  return have <= kLast ? 1 : all > kLanes ? all / kLanes : std::min(kEach, have / kLast);
}

/// Words of workgroup memory for a type: nodes of a step stand behind those of the one before.
uint32_t nodes_of(const Division& d) {
  uint32_t sum = 0;
  for (uint32_t all = d.nodes() * d.some;;) {
    sum += all;
    const uint32_t each = folded_at_once(all, all / d.some);
    if (each == 1) return sum;
    all /= each;
  }
}

class RowWriter {
 public:
  RowWriter(Body& body, const Lines& lines, const RowWork& work, ir::Ex group)
      : body_(body), p_(body.program()), lines_(lines), work_(work), d_(lines.size) {
    place_ = body.let(p_.local_id(0));
    row_ = d_.some == 1 ? body.u32(0) : body.let(p_.local_id(1));
    line_ = d_.some == 1 ? group : body.let(group * d_.some + *row_);
    const uint32_t count = lines.count();
    // What would be behind the end is the last one again, which is in the array.
    first_ = lines.first(body, count % d_.some == 0
                                   ? *line_
                                   : body.let(p_.select(*line_ < count - 1, *line_, body.u32(count - 1))));
  }

  void write() {
    for (uint32_t f = 0; f < d_.used; ++f) place_four(f);
    for (const auto& four : positions_) work_.fetch(body_, four);
    for (size_t fold = 0; fold < work_.folds.size(); ++fold) work_.know(body_, fold, first_, reduced(fold));
    const bool all_lines = lines_.count() % d_.some == 0;
    const auto in_line = [&](const std::function<void()>& then) {
      all_lines ? then() : p_.if_(*line_ < lines_.count(), then);
    };
    in_line([&] {
      for (uint32_t f = 0; f < d_.used; ++f) {
        const auto store = [&] { work_.store(body_, positions_[f]); };
        if (lines_.size % kFour == 0) {
          inside_[f] ? p_.if_(*inside_[f], store) : store();
          continue;
        }
        for (uint32_t j = 0; j < kFour; ++j)
          p_.if_(elements_[f][j] < lines_.size, [&] { work_.store(body_, {&positions_[f][j], 1}); });
      }
      p_.if_(*place_ == 0, [&] { work_.store_line(body_, first_); });
    });
  }

 private:
  void place_four(uint32_t f) {
    const uint32_t fours = ceil_div(lines_.size, kFour);
    const ir::Ex number = f == 0 ? *place_ : body_.let(*place_ + f * d_.across);
    std::vector<uint32_t> positions;
    std::vector<ir::Ex> elements;
    std::optional<ir::Ex> inside;
    if (lines_.size % kFour == 0) {
      ir::Ex read = number;
      if ((f + 1) * d_.across > fours) {
        inside = body_.let(number < fours);
        read = body_.let(p_.select(number < fours, number, body_.u32(0)));
      }
      const ir::Ex base = body_.let(read * kFour);
      for (uint32_t j = 0; j < kFour; ++j)
        positions.push_back(work_.position(body_, lines_.at(first_, work_.neighbour(body_, base, j))));
    } else {
      for (uint32_t j = 0; j < kFour; ++j) {
        const ir::Ex k = body_.let(j == 0 ? number * kFour : number * kFour + j);
        elements.push_back(k);
        const ir::Ex read = body_.let(p_.select(k < lines_.size, k, body_.u32(0)));
        positions.push_back(work_.position(body_, lines_.at(first_, read)));
      }
    }
    positions_.push_back(std::move(positions));
    elements_.push_back(std::move(elements));
    inside_.push_back(inside);
  }

  ir::Ex reduced(size_t number) {
    const Fold& fold = work_.folds[number];
    std::vector<ir::Ex> nodes;
    for (uint32_t f = 0; f < d_.used; ++f) {
      const ir::Ex node = body_.let(small_tree(body_, fold, kFour, [&](uint32_t j) {
        const ir::Ex value = work_.element(body_, number, positions_[f][j]);
        if (lines_.size % kFour == 0) return value;
        return body_.let(p_.select(elements_[f][j] < lines_.size, value, fold.neutral(body_)));
      }));
      nodes.push_back(inside_[f] ? body_.let(p_.select(*inside_[f], node, fold.neutral(body_))) : node);
    }
    nodes.resize(d_.fours, fold.neutral(body_));
    uint32_t have = d_.nodes();
    if (d_.across == 1) {
      return body_.let(small_tree(body_, fold, have, [&](uint32_t f) { return nodes[f]; }));
    }
    const ir::BufferRef memory = memory_of(fold.type);
    // Without steps the nodes of the fold before are where those of this one go.
    if (number != 0 && have <= kLast) p_.barrier();
    for (uint32_t f = 0; f < d_.fours; ++f)
      p_.store(memory, *row_ * d_.nodes() + (*place_ + f * d_.across), nodes[f]);
    const ir::Ex lane = d_.some == 1 ? *place_ : body_.let(*row_ * d_.across + *place_);
    const auto folded = [&](ir::Ex base, uint32_t count) {
      return small_tree(body_, fold, count,
                        [&](uint32_t j) { return body_.let(p_.load(memory, j == 0 ? base : base + j)); });
    };
    uint32_t from = 0;
    while (have > kLast) {
      p_.barrier();
      const uint32_t all = have * d_.some, each = folded_at_once(all, have), to = from + all;
      have /= each;
      const auto step = [&] { p_.store(memory, lane + to, folded(body_.let(lane * each + from), each)); };
      all / each == kLanes ? step() : p_.if_(lane < all / each, step);
      from = to;
    }
    p_.barrier();
    return body_.let(folded(body_.let(*row_ * have + from), have));
  }

  ir::BufferRef memory_of(spec::DataType type) {
    const auto known = memory_.find(type);
    if (known != memory_.end()) return known->second;
    const ir::BufferRef made = p_.workgroup(body_.fresh("nodes"), type, nodes_of(d_));
    memory_.emplace(type, made);
    return made;
  }

  Body& body_;
  ir::ProgramBuilder& p_;
  const Lines& lines_;
  const RowWork& work_;
  const Division d_;
  std::optional<ir::Ex> place_, row_, line_;
  Coordinates first_;
  std::vector<std::vector<uint32_t>> positions_;  // by four and neighbour
  std::vector<std::vector<ir::Ex>> elements_;     // the same, where fours are not whole
  std::vector<std::optional<ir::Ex>> inside_;     // by four, where it could be behind the end
  std::map<spec::DataType, ir::BufferRef> memory_;
};

}  // namespace

bool fits_rows(uint32_t size, std::span<const spec::DataType> types) {
  if (size < 2 || size > kLanes * kFour * kMostFours) return false;
  const Division d(size);
  uint32_t bytes = 0;
  for (const spec::DataType type : types) bytes += std::max(spec::info(type).bytes, 4u) * nodes_of(d);
  return bytes <= kMostWorkgroupBytes;
}

uint32_t elements_of_invocation(uint32_t size) { return Division(size).used * kFour; }

void write_rows(Assembly& assembly, const Lines& lines, const RowWork& work) {
  const Division d(lines.size);
  for_each_group(assembly, "rows", {d.across, d.some, 1}, ceil_div(lines.count(), d.some),
                 [&](Body& body, ir::Ex group) { RowWriter(body, lines, work, group).write(); });
}

}  // namespace vyre::tensor
