// Inclusive scans along an axis.
#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "tensor/fold.h"
#include "tensor/kernels.h"

namespace vyre::tensor {
namespace {

/// One invocation a line, from left to right.
void scan_chain(Assembly& assembly, const Fold& fold, const Lines& lines, const Element& element,
                const Sink& sink, Device device) {
  const auto next = [&](Body& body, ir::Ex sum, std::span<const ir::Ex> x) { return fold(body, sum, x[0]); };
  write_chain(assembly, lines,
              {"scan_chain",
               {&element, 1},
               {&fold.type, 1},
               fold.type,
               [&](Body& body, const Coordinates&) { return fold.neutral(body); },
               next,
               true,
               sink,
               device});
}

/// All others: sums and products of floats by the canonical tree, and what has no order by any.
///
/// The tree of the first p elements is made of nodes of aligned blocks whose sizes are the powers of two in
/// p, folded from the right: of 13 it is T(8) op (T(4) op T(1)). So lines are cut into blocks; a pyramid gets
/// the nodes of those, of pairs of them and so on; and each element folds the nodes before its block onto
/// what it has within. Without an order the nodes before a block are folded once.
class Scanner {
 public:
  Scanner(Assembly& assembly, const Fold& fold, const Lines& lines, const Element& element, const Sink& sink,
          Device device)
      : assembly_(assembly), fold_(fold), lines_(lines), element_(element), sink_(sink), device_(device) {}

  void write() {
    const bool columns = lines_.inner >= kSideBySide || lines_.size <= kColumn;
    if (columns) return scan_columns();
    // Of longer lines each element is read twice.
    const bool fits = lines_.size > kLanes * kFour && lines_.size <= kLanes * kFour * kMostFours;
    if (device_ == Device::Gpu && lines_.inner == 1 && fits) return scan_lines();
    scan_rows();
  }

 private:
  /// Nodes of `blocks` blocks of each line and of what they make: level m has blocks >> m, from `begin[m]`.
  struct Pyramid {
    Pyramid(const Lines& lines, uint32_t blocks) : lines(lines) {
      uint32_t size = 0;
      for (; blocks > 0; blocks /= 2) {
        begin.push_back(size);
        size += blocks;
        have.push_back(blocks);
      }
      this->lines.shape[lines.axis] = size;
    }
    Lines lines;  // their shape is that of the array
    std::vector<uint32_t> begin, have;
    Array array;

    ir::Ex load(Body& body, const Coordinates& first, ir::Ex place) const {
      return body.load(array, linear(body, lines.shape, lines.at(first, place)));
    }
    void store(Body& body, const Coordinates& first, ir::Ex place, ir::Ex node) const {
      body.store(array, linear(body, lines.shape, lines.at(first, place)), node);
    }
  };

  Pyramid empty_pyramid(uint32_t blocks) {
    Pyramid out(lines_, blocks);
    out.array = assembly_.scratch(fold_.type, check::elements(out.lines.shape));
    return out;
  }

  /// The levels above the lowest, three at a time. Behind a level its last node is loaded again: what stands
  /// there is written at the same time. What comes of that is not stored.
  void raise(const Pyramid& pyramid) {
    for (uint32_t level = 0; level + 1 < pyramid.begin.size(); level += kRaised) {
      const uint32_t all = ceil_div(pyramid.have[level], 1u << kRaised);
      for_each_line(assembly_, "scan_raise", lines_, all,
                    [&](Body& body, const Coordinates& first, ir::Ex which) {
                      std::vector<ir::Ex> nodes;
                      const ir::Ex from = body.let(plus(which * (1u << kRaised), pyramid.begin[level]));
                      const uint32_t last = pyramid.begin[level] + pyramid.have[level] - 1;
                      for (uint32_t i = 0; i < 1u << kRaised; ++i) {
                        ir::Ex place = i == 0 ? from : from + i;
                        if (pyramid.have[level] % (1u << kRaised) != 0)
                          place = body.let(body.program().select(place < last, place, body.u32(last)));
                        nodes.push_back(body.let(pyramid.load(body, first, place)));
                      }
                      for (uint32_t up = 1; up <= kRaised && level + up < pyramid.begin.size(); ++up) {
                        const uint32_t have = pyramid.have[level + up];
                        for (uint32_t i = 0; i < nodes.size() / 2; ++i) {
                          nodes[i] = body.let(fold_(body, nodes[2 * i], nodes[2 * i + 1]));
                          const ir::Ex place = body.let(plus(times(which, 1u << (kRaised - up)), i));
                          body.program().if_(place < have, [&] {
                            pyramid.store(body, first, plus(place, pyramid.begin[level + up]), nodes[i]);
                          });
                        }
                        nodes.resize(nodes.size() / 2, nodes.front());
                      }
                    });
    }
  }

  /// The trees of the first 1, 2, ... elements.
  std::vector<ir::Ex> prefixes(Body& body, const std::vector<ir::Ex>& elements) {
    std::map<std::pair<uint32_t, uint32_t>, ir::Ex> known;
    const std::function<ir::Ex(uint32_t, uint32_t)> tree = [&](uint32_t from, uint32_t count) -> ir::Ex {
      if (count == 1) return elements[from];
      const auto at = known.find({from, count});
      if (at != known.end()) return at->second;
      const uint32_t left = std::bit_floor(count - 1);
      const ir::Ex first = tree(from, left);
      const ir::Ex made = body.let(fold_(body, first, tree(from + left, count - left)));
      known.emplace(std::pair(from, count), made);
      return made;
    };
    std::vector<ir::Ex> out = {body.let(fold_(body, fold_.neutral(body), elements[0]))};
    for (uint32_t count = 2; count <= elements.size(); ++count) {
      out.push_back(fold_.has_order() ? tree(0, count)
                                      : body.let(fold_(body, out.back(), elements[count - 1])));
    }
    return out;
  }

  /// What an invocation has: `own` for each of its elements, and what all of them fold onto theirs.
  struct Folded {
    std::vector<ir::Ex> own;
    ir::Ex before;  // everything before the elements of this invocation
  };
  /// Onto all of them a node that stands before them.
  void fold_node(Body& body, Folded& folded, ir::Ex condition, ir::Ex node) {
    ir::ProgramBuilder& p = body.program();
    const ir::Ex here = body.let(condition), left = body.let(node);
    const auto onto = [&](ir::Ex x) { p.assign(x, p.select(here, fold_(body, left, x), x)); };
    onto(folded.before);
    if (fold_.has_order()) std::ranges::for_each(folded.own, onto);
  }
  void finish(Body& body, Folded& folded) {
    if (fold_.has_order()) return;
    for (const ir::Ex& x : folded.own) body.program().assign(x, fold_(body, folded.before, x));
  }
  /// The nodes of a pyramid before a block.
  void fold_blocks(Body& body, Folded& folded, const Pyramid& pyramid, const Coordinates& first,
                   ir::Ex block) {
    for (uint32_t level = 0; level < pyramid.begin.size(); ++level) {
      fold_node(body, folded, (block >> level) & 1,
                pyramid.load(body, first, body.let((block >> level) + (pyramid.begin[level] - 1))));
    }
  }

  std::vector<ir::Ex> load(Body& body, const Coordinates& first, ir::Ex from, uint32_t count) {
    std::vector<ir::Ex> out;
    for (uint32_t j = 0; j < count; ++j)
      out.push_back(body.let(element_(body, lines_.at(first, j == 0 ? from : from + j))));
    return out;
  }
  void give(Body& body, const Coordinates& first, ir::Ex from, const std::vector<ir::Ex>& values) {
    ir::ProgramBuilder& p = body.program();
    const uint32_t each = uint32_t(values.size());
    const auto one = [&](uint32_t j) { sink_(body, lines_.at(first, body.let(plus(from, j))), values[j]); };
    const auto all = [&] {
      for (uint32_t j = 0; j < each; ++j) one(j);
    };
    if (lines_.size % each == 0) return all();
    p.if_(from + (each - 1) < lines_.size, all, [&] {
      for (uint32_t j = 0; j + 1 < each; ++j) p.if_(plus(from, j) < lines_.size, [&] { one(j); });
    });
  }

  /// An invocation has a block, and its neighbours have neighbouring lines.
  void scan_columns() {
    const uint32_t each = std::min(lines_.size, kColumn), blocks = ceil_div(lines_.size, each);
    std::optional<Pyramid> pyramid;
    if (blocks > 1) {
      pyramid = empty_pyramid(lines_.size / each);
      for_each_line(assembly_, "scan_nodes", lines_, lines_.size / each,
                    [&](Body& body, const Coordinates& first, ir::Ex block) {
                      const ir::Ex from = body.let(times(block, each));
                      pyramid->store(body, first, block, small_tree(body, fold_, each, [&](uint32_t j) {
                                       return element_(body, lines_.at(first, j == 0 ? from : from + j));
                                     }));
                    });
      raise(*pyramid);
    }
    for_each_line(
        assembly_, "scan_columns", lines_, blocks, [&](Body& body, const Coordinates& first, ir::Ex block) {
          const ir::Ex from = body.let(times(block, each));
          Folded folded{prefixes(body, load(body, first, from, each)), body.let(fold_.neutral(body))};
          if (pyramid) {
            // The last prefix ends with a block: it is made of nodes alone.
            Folded last{{}, body.let(fold_.neutral(body))};
            fold_blocks(body, folded, *pyramid, first, block);
            if (fold_.has_order()) {
              fold_blocks(body, last, *pyramid, first, body.let(block + 1));
              folded.own.back() = last.before;
            }
          }
          finish(body, folded);
          give(body, first, from, folded.own);
        });
  }

  /// A workgroup has a block of a line, or of several lines one each; an invocation has neighbouring
  /// elements.
  void scan_rows() {
    const uint32_t block = std::bit_ceil(std::min(kLanes * kEach, lines_.size)), across = block / kEach;
    const uint32_t some = across < kLeastLanes ? kLeastLanes / across : 1, lanes = across * some;
    const uint32_t blocks = ceil_div(lines_.size, block), all = lines_.count() * blocks;
    const uint32_t levels = uint32_t(std::bit_width(across));
    std::optional<Pyramid> pyramid;
    if (blocks > 1) {
      pyramid = empty_pyramid(lines_.size / block);
      block_nodes(assembly_, fold_, lines_, block, lines_.size / block, element_,
                  [&](Body& body, const Coordinates& at, ir::Ex node) {
                    body.store(pyramid->array, linear(body, pyramid->lines.shape, at), node);
                  });
      raise(*pyramid);
    }
    for_each_group(
        assembly_, "scan_rows", {across, some, 1}, ceil_div(all, some), [&](Body& body, ir::Ex group) {
          ir::ProgramBuilder& p = body.program();
          const ir::BufferRef nodes = p.workgroup("nodes", fold_.type, 2 * lanes);
          const ir::BufferRef edges = p.workgroup("edges", fold_.type, lanes);
          const ir::Ex place = body.let(p.local_id(0));
          const ir::Ex which = some == 1 ? group : body.let(group * some + p.local_id(1));
          const Coordinates first = lines_.first(body, blocks == 1 ? which : body.let(which / blocks));
          const ir::Ex number = blocks == 1 ? body.u32(0) : body.let(which % blocks);
          const ir::Ex from = body.let(blocks == 1 ? place * kEach : number * block + place * kEach);
          const ir::Ex lane = some == 1 ? place : body.let(p.local_id(1) * across + place);
          Folded folded{prefixes(body, load(body, first, from, kEach)), body.let(fold_.neutral(body))};
          p.store(nodes, lane, folded.own.back());
          std::vector<uint32_t> begin = {0};
          for (uint32_t level = 1; level < levels; ++level) {
            begin.push_back(begin.back() + (lanes >> (level - 1)));
            p.barrier();
            p.if_(lane < lanes >> level, [&] {
              const ir::Ex below = body.let(plus(lane * 2, begin[level - 1]));
              p.store(nodes, plus(lane, begin[level]),
                      fold_(body, p.load(nodes, below), p.load(nodes, below + 1)));
            });
          }
          p.barrier();
          for (uint32_t level = 0; level + 1 < levels; ++level) {
            fold_node(body, folded, (place >> level) & 1,
                      p.load(nodes, (lane >> level) + (begin[level] - 1)));
          }
          // What is behind the block's last element: the node of the block, or those of all until there.
          Folded last{{}, body.let(p.load(nodes, (lane >> (levels - 1)) + begin[levels - 1]))};
          if (pyramid) {
            fold_blocks(body, folded, *pyramid, first, number);
            if (fold_.has_order()) {
              p.assign(last.before, fold_.neutral(body));
              fold_blocks(body, last, *pyramid, first, body.let(number + 1));
            }
          }
          finish(body, folded);
          if (fold_.has_order()) {
            // The last prefix of an invocation is what the next one has before its own.
            p.store(edges, lane, folded.before);
            p.barrier();
            folded.own.back() = body.let(p.select(place == across - 1, last.before, p.load(edges, lane + 1)));
          }
          const auto give_all = [&] {
            if (lines_.size % block == 0 || lines_.size % kEach != 0)
              return give(body, first, from, folded.own);
            p.if_(from < lines_.size, [&] { give(body, first, from, folded.own); });
          };
          if (all % some == 0)
            give_all();
          else
            p.if_(which < all, give_all);
        });
  }

  /// A workgroup has a line; an invocation has four neighbours, and others kLanes fours behind, so that all
  /// accesses are of neighbours.
  void scan_lines() {
    const uint32_t fours = std::bit_ceil(ceil_div(lines_.size, kLanes * kFour)), all = kLanes * fours;
    const uint32_t levels = uint32_t(std::bit_width(all)) - 1;
    std::vector<uint32_t> begin = {1};  // a word is before the first node, which is loaded but not used
    for (uint32_t level = 0; level + 1 < levels; ++level) begin.push_back(begin.back() + (all >> level));
    for_each_group(assembly_, "scan_lines", {kLanes, 1, 1}, lines_.count(), [&](Body& body, ir::Ex group) {
      ir::ProgramBuilder& p = body.program();
      const ir::BufferRef nodes = p.workgroup("nodes", fold_.type, 2 * all);
      const ir::Ex lane = body.let(p.local_id(0));
      const Coordinates first = lines_.first(body, group);
      std::vector<ir::Ex> from;
      std::vector<std::vector<ir::Ex>> elements;
      for (uint32_t f = 0; f < fours; ++f) {
        from.push_back(body.let(f == 0 ? lane * kFour : lane * kFour + f * kLanes * kFour));
        elements.push_back(load(body, first, from[f], kFour));
      }
      std::vector<Folded> folded;
      for (uint32_t f = 0; f < fours; ++f) {
        folded.push_back({prefixes(body, elements[f]), body.let(fold_.neutral(body))});
        p.store(nodes, lane + (begin[0] + f * kLanes), folded[f].own.back());
      }
      for (uint32_t level = 0; level + 1 < levels;) level = raise_nodes(body, nodes, begin, level, all, lane);
      p.barrier();
      for (uint32_t level = 0; level < levels; ++level) {
        // Above as many levels as the lanes have, it is a matter of which four it is.
        const uint32_t of_lanes = uint32_t(std::bit_width(kLanes)) - 1;
        for (uint32_t f = 0; f < fours; ++f) {
          const uint32_t before = f * kLanes >> level;
          if (level >= of_lanes) {
            if ((before & 1) == 0) continue;
            fold_node(body, folded[f], p.boolean(true), p.load(nodes, body.u32(begin[level] + before - 1)));
          } else {
            fold_node(body, folded[f], ((lane >> level) & 1) != 0,
                      p.load(nodes, (lane >> level) + (begin[level] + before - 1)));
          }
        }
      }
      for (uint32_t f = 0; f < fours; ++f) {
        finish(body, folded[f]);
        const auto give_four = [&] { give(body, first, from[f], folded[f].own); };
        const bool whole = lines_.size % kFour != 0 || (f + 1) * kLanes * kFour <= lines_.size;
        whole ? give_four() : p.if_(from[f] < lines_.size, give_four);
      }
    });
  }

  /// Up to three more levels, and the level that is the highest now.
  uint32_t raise_nodes(Body& body, ir::BufferRef nodes, const std::vector<uint32_t>& begin, uint32_t level,
                       uint32_t all, ir::Ex lane) {
    ir::ProgramBuilder& p = body.program();
    const uint32_t have = all >> level, above = uint32_t(begin.size()) - 1 - level;
    const uint32_t up =
        std::min({kRaised, above, have > kLanes ? uint32_t(std::bit_width(have / kLanes)) - 1 : kRaised});
    const uint32_t lanes = have >> up;
    p.barrier();
    const auto step = [&] {
      std::vector<ir::Ex> some;
      const ir::Ex base = body.let(lane * (1u << up) + begin[level]);
      for (uint32_t i = 0; i < 1u << up; ++i)
        some.push_back(body.let(p.load(nodes, i == 0 ? base : base + i)));
      for (uint32_t u = 1; u <= up; ++u) {
        for (uint32_t i = 0; i < some.size() / 2; ++i) {
          some[i] = body.let(fold_(body, some[2 * i], some[2 * i + 1]));
          p.store(nodes, lane * (1u << (up - u)) + (begin[level + u] + i), some[i]);
        }
        some.resize(some.size() / 2, some.front());
      }
    };
    lanes == kLanes ? step() : p.if_(lane < lanes, step);
    return level + up;
  }

  static constexpr uint32_t kFour = 4, kMostFours = 4;       // of a workgroup that has lines
  static constexpr uint32_t kLanes = 256, kLeastLanes = 32;  // of a workgroup that has rows
  static constexpr uint32_t kEach = 8;                       // elements of an invocation of it
  static constexpr uint32_t kColumn =
      16;  // of one that has a block of a line; lines up to this have one block
  static constexpr uint32_t kRaised = 3;  // levels of a pyramid that a dispatch makes

  Assembly& assembly_;
  const Fold& fold_;
  const Lines& lines_;
  const Element& element_;
  const Sink& sink_;
  const Device device_;
};

}  // namespace

void write_scan(Assembly& assembly, const KernelWork& work) {
  const Fold fold{work.node.scalar, work.node.type};
  const Lines lines(work.node.shape, work.node.axis);
  if (lines.size == 0) return;
  if (fold.has_order() && work.node.order == ir::Order::Strict)
    scan_chain(assembly, fold, lines, work.elements[0], work.sink, work.device);
  else
    Scanner(assembly, fold, lines, work.elements[0], work.sink, work.device).write();
}

}  // namespace vyre::tensor
