#include "tensor/lines_cpu.h"

#include <algorithm>
#include <vector>

namespace vyre::tensor {
namespace {

constexpr uint32_t kLeastLanes = 64;  // of a workgroup
constexpr uint32_t kStreams = 4;      // blocks that are read at once: one after the other is a stream too few
constexpr uint32_t kLastNodes = 16;   // of a line, which one invocation folds
constexpr uint32_t kChains = 8;       // lines that are folded side by side

}  // namespace

void fold_pairs(Assembly& assembly, const Fold& fold, const Lines& lines, uint32_t block,
                const Element& element, const Sink& keep) {
  const uint32_t across = block / 2, lanes = std::max(kLeastLanes, across), beside = lanes / across;
  const uint32_t some = kStreams * beside;  // blocks of a workgroup
  const uint32_t blocks = ceil_div(lines.size, block), all = lines.count() * blocks;
  const bool whole = lines.size % block == 0;
  for_each_group(assembly, "fold_pairs", {lanes, 1, 1}, ceil_div(all, some), [&](Body& body, ir::Ex group) {
    ir::ProgramBuilder& p = body.program();
    const ir::BufferRef nodes = p.workgroup("nodes", fold.type, 2 * kStreams * lanes);
    const ir::Ex lane = body.let(p.local_id(0));
    const ir::Ex x = beside == 1 ? lane : body.let(lane % across);
    for (uint32_t j = 0; j < kStreams; ++j) {
      const ir::Ex of = beside == 1 ? group * kStreams + j : (group * kStreams + j) * beside + lane / across;
      const ir::Ex which = body.let(of);
      const Coordinates first = lines.first(body, blocks == 1 ? which : body.let(which / blocks));
      const ir::Ex from = body.let(blocks == 1 ? x * 2 : which % blocks * block + x * 2);
      // What is behind the end of a line, or of all lines, is loaded as well, and is not used.
      const auto at = [&](ir::Ex k) {
        const ir::Ex value = element(body, lines.at(first, k));
        return whole ? value : p.select(k < lines.size, value, fold.neutral(body));
      };
      const ir::Ex left = body.let(at(from)), right = body.let(at(from + 1));
      p.store(nodes, j == 0 ? lane : lane + j * lanes, fold(body, left, right));
    }
    // Nodes of a step lie behind those of the one before, so that a step wants one barrier.
    uint32_t begin = 0, have = kStreams * lanes;
    const auto step = [&](uint32_t each) {
      const uint32_t made = have / each;
      p.barrier();
      const auto one = [&](ir::Ex n) {
        const ir::Ex base = body.let(begin == 0 ? n * each : n * each + begin);
        p.store(nodes, n + (begin + have), small_tree(body, fold, each, [&](uint32_t j) {
                  return body.let(p.load(nodes, j == 0 ? base : base + j));
                }));
      };
      for (uint32_t n = 0; n + lanes <= made; n += lanes) one(n == 0 ? lane : body.let(lane + n));
      if (made < lanes) p.if_(lane < made, [&] { one(lane); });
      begin += have, have = made;
    };
    while (have > kLastNodes * some) step(2);
    step(have / some);
    p.barrier();
    const ir::Ex done = body.let(group * some + lane);
    p.if_(all % some == 0 ? lane < some : (lane < some) & (done < all), [&] {
      const Coordinates at = lines.first(body, blocks == 1 ? done : body.let(done / blocks));
      keep(body, blocks == 1 ? at : lines.at(at, body.let(done % blocks)),
           body.let(p.load(nodes, lane + begin)));
    });
  });
}

void write_chains(Assembly& assembly, const Lines& lines, const Chain& chain) {
  if (lines.count() == 0) return;
  const uint32_t some = std::min(kChains, lines.count());
  for_each_group(assembly, chain.what, {1, 1, 1}, ceil_div(lines.count(), some),
                 [&](Body& body, ir::Ex group) {
                   ir::ProgramBuilder& p = body.program();
                   std::vector<ir::Ex> line, value;
                   std::vector<Coordinates> first;
                   for (uint32_t j = 0; j < some; ++j) {
                     line.push_back(body.let(group * some + j));
                     first.push_back(lines.first(body, line[j]));
                     value.push_back(body.let(chain.start(body, first[j])));
                   }
                   const auto give = [&](uint32_t j, const Coordinates& at) {
                     const auto one = [&] { chain.sink(body, at, value[j]); };
                     lines.count() % some == 0 || j == 0 ? one() : p.if_(line[j] < lines.count(), one);
                   };
                   p.loop(body.fresh("i"), body.u32(0), body.u32(lines.size), [&](ir::Ex i) {
                     for (uint32_t j = 0; j < some; ++j) {
                       const Coordinates at = lines.at(first[j], i);
                       std::vector<ir::Ex> elements;
                       for (const Element& input : chain.inputs)
                         elements.push_back(body.let(input(body, at)));
                       p.assign(value[j], chain.next(body, value[j], elements));
                       if (chain.each) give(j, at);
                     }
                   });
                   if (chain.each) return;
                   for (uint32_t j = 0; j < some; ++j) give(j, first[j]);
                 });
}

}  // namespace vyre::tensor
