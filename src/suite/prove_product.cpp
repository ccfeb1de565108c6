#include "suite/prove_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace vyre::suite {
namespace {

using nlohmann::json;
using symbolic::Collision;
using symbolic::Sentence;
using symbolic::TheoremProof;

/// "add u32"; of an operation its id.
std::string name_of(const Sentence& s) {
  return s.function.contains('.') ? s.function : fmt::format("{} {}", s.function, spec::text(s.type));
}

/// Sentences of one function on one line: "open       mul u32: Associative, DistributiveOver(add)".
std::string grouped(std::string_view what, const std::vector<const Sentence*>& sentences) {
  std::string out, last;
  for (const Sentence* s : sentences) {
    const std::string name = name_of(*s);
    out += name == last ? ", " : fmt::format("{}{:<10} {}: ", out.empty() ? "" : "\n", what, name);
    out += spec::to_string(s->law);
    last = name;
  }
  return out.empty() ? out : out + "\n";
}

std::vector<const Sentence*> pointers(const std::vector<Sentence>& sentences) {
  std::vector<const Sentence*> out;
  for (const Sentence& s : sentences) out.push_back(&s);
  return out;
}

json sentence_json(const Sentence& s) {
  json one = {{"function", s.function},
              {"type", spec::text(s.type)},
              {"law", spec::to_string(s.law)},
              {"verdict", text(s.verdict)},
              {"by", s.by}};
  if (s.verdict == symbolic::Verdict::Refuted) one["witness"] = s.witness, one["smallest"] = s.smallest;
  return one;
}

json sentences_json(const std::vector<const Sentence*>& sentences) {
  json out = json::array();
  for (const Sentence* s : sentences) out.push_back(sentence_json(*s));
  return out;
}

}  // namespace

std::string product_text(const symbolic::Product& product) {
  std::string out = "\ncross product of functions and laws\n" + table(product);
  for (const Sentence& s : product.wrong) {
    out += fmt::format("WRONG      {} is {}: {} ({})\n", name_of(s), s.declared ? "declared" : "denied",
                       spec::to_string(s.law), fmt::join(s.witness, ", "));
  }
  return out + grouped("open", pointers(product.open)) + grouped("suggested", product.suggestions());
}

json product_json(const symbolic::Product& product) {
  json parts = json::array();
  for (const symbolic::ProductPart& p : product.parts) {
    json one = {{"name", p.name}, {"functions", p.functions}, {"seconds", p.seconds}};
    for (size_t v = 0; v < symbolic::kVerdicts; ++v)
      one[std::string(text(symbolic::Verdict(v)))] = p.counts[v];
    parts.push_back(std::move(one));
  }
  return {{"solver", product.solver},
          {"seconds", product.seconds},
          {"parts", std::move(parts)},
          {"wrong", sentences_json(pointers(product.wrong))},
          {"open", sentences_json(pointers(product.open))},
          {"suggestions", sentences_json(product.suggestions())}};
}

std::string collisions_text(std::span<const Collision> collisions) {
  if (collisions.empty()) return "\nno two operations of one signature have the same laws\n";
  std::string out = "\npairs that laws do not tell apart\n";
  size_t width = 0;
  for (const Collision& c : collisions) width = std::max(width, c.first->id.size() + c.second->id.size() + 5);
  for (const Collision& c : collisions) {
    const std::string pair = fmt::format("{} and {}", c.first->id, c.second->id);
    std::string said = c.separated_by.empty() ? "NOTHING DECLARED TELLS THEM APART" : c.separated_by;
    if (c.equal) said = fmt::format("one function ({})", c.by);
    if (!c.input.empty())
      said += fmt::format("; they differ on ({}){}", fmt::join(c.input, ", "),
                          c.smallest ? ", the smallest" : "");
    out += fmt::format("  {:<{}}  {}\n", pair, width, said);
  }
  return out;
}

json collisions_json(std::span<const Collision> collisions) {
  json out = json::array();
  for (const Collision& c : collisions) {
    out.push_back({{"first", c.first->id},
                   {"second", c.second->id},
                   {"separated_by", c.separated_by},
                   {"input", c.input},
                   {"smallest", c.smallest},
                   {"equal", c.equal},
                   {"fault", c.is_fault()},
                   {"by", c.by}});
  }
  return out;
}

std::string theorems_text(std::span<const TheoremProof> proofs) {
  size_t proved = 0;
  double seconds = 0;
  std::string open;
  for (size_t i = 0; i < proofs.size(); ++i) {
    seconds += proofs[i].seconds;
    if (proofs[i].outcome == solver::Outcome::Proved) {
      ++proved;
    } else {
      open += fmt::format("open       {}: {}\n", symbolic::theorems()[i].name, proofs[i].reason);
    }
  }
  const size_t refuted = size_t(std::ranges::count_if(
      symbolic::refutations(), [](const auto& r) { return symbolic::refutes(r.witness, r.statement); }));
  return fmt::format(
      "\ncomposition theorems: {} of {} proved, {} of {} that look alike refuted; {:.1f} s\n{}", proved,
      proofs.size(), refuted, symbolic::refutations().size(), seconds, open);
}

json theorems_json(std::span<const TheoremProof> proofs) {
  json out = json::array();
  for (size_t i = 0; i < proofs.size(); ++i) {
    out.push_back({{"name", symbolic::theorems()[i].name},
                   {"theorem", symbolic::theorems()[i].text},
                   {"outcome", text(proofs[i].outcome)},
                   {"solver", proofs[i].solver},
                   {"confirmed", proofs[i].confirmed},
                   {"digest", proofs[i].statement.hex()}});
  }
  return out;
}

}  // namespace vyre::suite
