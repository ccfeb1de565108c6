// Thompson's construction: an edge a leaf, and empty edges for what holds them together.
#include "tables/automaton.h"
#include "tables/tables.h"

namespace vyre::tables {
namespace {

class Builder {
 public:
  /// Adds what leads from one state through a tree. Return: where it leads to, a state without edges, so that
  /// no part leads back into what stands before it. Beyond the limit nothing is added: counts in counts end.
  uint32_t add(const Node& node, uint32_t from) {
    using enum Nfa::EdgeKind;
    switch (node.kind) {
      case NodeKind::Bytes: return edge(from, fresh(), Bytes, node.bytes);
      case NodeKind::Begin: return edge(from, fresh(), Begin);
      case NodeKind::End: return edge(from, fresh(), End);
      case NodeKind::Sequence:
        // The empty text has an edge too: what is repeated adds something.
        if (node.parts.empty()) return edge(from, fresh(), Empty);
        for (const Node& part : node.parts) from = add(part, from);
        return from;
      case NodeKind::Either: {
        const uint32_t end = fresh();
        for (const Node& part : node.parts) edge(add(part, edge(from, fresh(), Empty)), end, Empty);
        return end;
      }
      case NodeKind::Repeat: {
        for (uint32_t i = 0; i < node.least && !full(); ++i) from = add(node.parts[0], from);
        const uint32_t end = fresh();
        if (!node.most) {
          const uint32_t loop = edge(from, fresh(), Empty);
          edge(add(node.parts[0], loop), loop, Empty);
          return edge(loop, end, Empty);
        }
        for (uint32_t i = node.least; i < *node.most && !full(); ++i) {
          edge(from, end, Empty);
          from = add(node.parts[0], from);
        }
        return edge(from, end, Empty);
      }
    }
    return from;
  }

  bool full() const { return nfa.edges.size() >= kMostSteps; }

  Nfa nfa;

 private:
  uint32_t fresh() { return full() ? 0 : nfa.states++; }

  uint32_t edge(uint32_t from, uint32_t to, Nfa::EdgeKind kind, const ByteSet& bytes = {}) {
    if (!full()) nfa.edges.push_back({from, to, kind, bytes});
    return to;
  }
};

}  // namespace

std::optional<Nfa> nfa_of(std::span<const Node> patterns) {
  Builder builder;
  for (const Node& pattern : patterns) {
    builder.nfa.accepting.push_back(builder.add(pattern, 0));
    if (builder.full()) return {};
  }
  return std::move(builder.nfa);
}

}  // namespace vyre::tables
