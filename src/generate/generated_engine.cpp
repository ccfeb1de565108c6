#include "generate/generated_engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <variant>

#include "generate/engine_pieces.h"
#include "opspec/arrays.h"
#include "text/text.h"

namespace vyre::generate {

// Of this file alone, also where several files are compiled as one.
namespace generated_engine {
namespace {

using library::Invariant;
using opspec::Buffer;
using opspec::buffer_of;
using opspec::Buffers;
using opspec::count;
using opspec::elements;
using opspec::get;
using opspec::Words;

/// The buffers of every engine.
enum Parameter : size_t { kKeys, kTags, kOther, kOut, kOutTags, kTotal };
constexpr std::array<std::string_view, 6> kParameterNames = {"keys", "tags",     "other",
                                                             "out",  "out_tags", "total"};

// Host expressions: as text that needs no parentheses, and over the lengths of keys, tags and other.
using InputLengths = std::array<uint32_t, 3>;
struct Host {
  std::string text;
  std::function<uint32_t(const InputLengths&)> value;
};
Host number(uint32_t n) {
  return {std::to_string(n), [n](const InputLengths&) { return n; }};
}
Host length(Parameter of) {
  return {fmt::format("len({})", kParameterNames[of]), [of](const InputLengths& n) { return n[of]; }};
}
/// `form` with the texts of a and b.
template <typename Operator>
Host combined(std::string_view form, const Host& a, const Host& b, Operator op) {
  return {fmt::format(fmt::runtime(form), a.text, b.text),
          [x = a.value, y = b.value, op](const InputLengths& n) { return op(x(n), y(n)); }};
}
Host operator+(const Host& a, const Host& b) { return combined("({} + {})", a, b, std::plus<uint32_t>()); }
Host operator*(const Host& a, const Host& b) {
  return combined("({} * {})", a, b, std::multiplies<uint32_t>());
}
Host operator/(const Host& a, uint32_t by) {
  return combined("({} / {})", a, number(by), std::divides<uint32_t>());
}
Host ceil_div(const Host& a, uint32_t by) {
  return combined("ceil_div({}, {})", a, number(by),
                  [](uint32_t x, uint32_t y) { return x / y + (x % y != 0); });
}
Host least(const Host& a, const Host& b) {
  return combined("primitive.math.min({}, {})", a, b, [](uint32_t x, uint32_t y) { return std::min(x, y); });
}

/// What stands in memory during a run on the host, by name.
using Arrays = std::map<std::string, Buffer, std::less<>>;
using Step = std::function<void(Arrays&, const InputLengths&)>;
/// An array, or a list of words.
using Argument = std::variant<std::string, std::vector<Host>>;

uint64_t number_in(std::string_view text) {
  uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}
/// The sum of sums of products, with equal products once: 4 * n + 8 + 12 * n is 8 + 16 * n.
std::string sum_of(const std::vector<std::string>& sums) {
  uint64_t constant = 0;
  std::vector<std::pair<std::string, uint64_t>> products;  // and how often
  const auto add = [&](std::string_view term) {
    const size_t times = term.find(" * ");
    const bool counted = std::isdigit(uint8_t(term[0])) != 0;
    const uint64_t often = counted && times != term.npos ? number_in(term) : 1;
    if (counted && times != term.npos) term.remove_prefix(times + 3);
    if (std::ranges::all_of(term, [](char c) { return std::isdigit(uint8_t(c)) != 0; })) {
      constant += often * number_in(term);
    } else if (const auto at = std::ranges::find(products, term, &std::pair<std::string, uint64_t>::first);
               at != products.end()) {
      at->second += often;
    } else {
      products.emplace_back(term, often);
    }
  };
  for (const std::string& sum : sums) {
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i < sum.size(); ++i) {
      depth += (sum[i] == '(') - (sum[i] == ')');
      if (depth != 0 || !std::string_view(sum).substr(i).starts_with(" + ")) continue;
      add(std::string_view(sum).substr(begin, i - begin));
      begin = i + 3;
    }
    add(std::string_view(sum).substr(begin));
  }
  std::vector<std::string> terms;
  for (const auto& [product, often] : products)
    terms.push_back(often == 1 ? product : fmt::format("{} * {}", often, product));
  if (constant != 0 || terms.empty()) terms.push_back(std::to_string(constant));
  return fmt::format("{}", fmt::join(terms, " + "));
}

/// The list that stages hand on: names of arrays; no tags, or no count, where there is none.
struct List {
  std::string keys = "keys", tags = "tags", count;
  EngineFacts facts;
};

struct Stage {
  uint32_t kind = 0;
  std::array<uint32_t, 3> draws{};
};

/// Writes a module, and what it does on the host, side by side.
class Builder {
 public:
  explicit Builder(const EngineOptions& options) : options_(options) {
    for (const Parameter p : {kKeys, kTags, kOther}) lengths_.emplace(kParameterNames[p], length(p));
  }

  const Host& length_of(const std::string& array) const { return lengths_.find(array)->second; }
  /// A comment in the text.
  void say(std::string_view what) { body_ += fmt::format("  // {}\n", what); }

  /// A new array of scratch, zero.
  std::string array(std::string_view what, const Host& length) {
    std::string name = fmt::format("{}{}", what, ++names_[std::string(what)]);
    body_ += fmt::format("  scratch {}: u32[{}];\n", name, length.text);
    scratch_.push_back(fmt::format("4 * {}", length.text));
    lengths_.emplace(name, length);
    steps_.push_back([name, value = length.value](Arrays& arrays, const InputLengths& n) {
      arrays[name] = Buffer(size_t{4} * value(n));
    });
    return name;
  }
  /// As long as another one.
  std::string array_like(std::string_view what, const std::string& other) {
    const Host length = length_of(other);
    return array(what, length);
  }

  /// Runs a piece over arguments in the order of its parameters.
  void run(std::string_view name, const std::vector<Argument>& arguments) {
    const Piece& of = piece(name);
    const std::vector<std::string> lengths = lengths_of(arguments);
    dispatches_.push_back(of.dispatches(lengths));
    if (of.scratch_bytes != nullptr) scratch_.push_back(of.scratch_bytes(lengths));
    body_ += "  " + line(of, arguments);
    steps_.push_back(
        [this_step = step(of, arguments)](Arrays& arrays, const InputLengths& n) { this_step(arrays, n); });
  }

  /// The elements of `values` are halved until none is above `limit`.
  void halve(const std::string& values, const std::string& go, uint32_t limit) {
    const Piece& fill = piece("collection.fill");
    const Piece& half = piece("halve");
    const std::vector<Argument> zero = {go, std::vector<Host>{number(0)}};
    const std::vector<Argument> all = {values, go, std::vector<Host>{number(limit)}};
    constexpr uint32_t kTurns = 32;  // as many as a word has bits
    body_ += fmt::format("  repeat {} while ({}[0]) {{\n", kTurns, go);
    body_ += "    " + line(fill, zero);
    body_ += "    " + line(half, all);
    body_ += "  }\n";
    dispatches_.push_back(fmt::format("{} * {}", kTurns, fill.dispatches(lengths_of(zero))));
    dispatches_.push_back(fmt::format("{} * {}", kTurns, half.dispatches(lengths_of(all))));
    turns_.push_back(std::to_string(kTurns));
    steps_.push_back(step(half, all));
  }

  /// A list whose count is in an array.
  std::string count_of(List& list) {
    if (list.count.empty()) {
      list.count = array("count", number(1));
      run("collection.fill", {list.count, std::vector<Host>{length_of(list.keys)}});
    }
    return list.count;
  }

  const EngineOptions& options() const { return options_; }
  const std::vector<std::string>& runs() const { return runs_; }
  std::vector<Step> steps() const { return steps_; }
  void add_outputs() {
    for (const Parameter p : {kOut, kOutTags, kTotal}) {
      const std::string name(kParameterNames[p]);
      lengths_.emplace(name, Host{fmt::format("len({})", name), nullptr});
    }
  }
  std::string dispatches() const { return sum_of(dispatches_); }
  std::string scratch_bytes() const { return sum_of(scratch_); }
  std::string turns() const { return sum_of(turns_); }
  bool has_repeat() const { return !turns_.empty(); }
  std::string module(std::string_view title) const {
    std::string out = fmt::format("// {}\nconst W = 256 in {{64, 128, 256}};\n\n", title);
    for (const Piece& own : pieces())
      if (own.own() && opspec::contains(runs_, std::string(own.name)))
        out += fmt::format("{}\n", own.program);
    out += "pipeline main(";
    for (size_t p = 0; p < kParameterNames.size(); ++p)
      out += fmt::format("{}{} {}: u32 @{}", p == 0 ? "" : ", ", p < kOut ? "read" : "read_write",
                         kParameterNames[p], p);
    return out + ") {\n" + body_ + "}\n";
  }

 private:
  static std::vector<std::string> names_of(const Piece& of) {
    std::vector<std::string> out;
    for (size_t at = 0; at <= of.parameters.size();) {
      const size_t end = std::min(of.parameters.find(' ', at), of.parameters.size());
      out.emplace_back(of.parameters.substr(at, end - at));
      at = end + 1;
    }
    return out;
  }
  std::vector<std::string> lengths_of(const std::vector<Argument>& arguments) const {
    std::vector<std::string> out;
    for (const Argument& argument : arguments) {
      const auto* array = std::get_if<std::string>(&argument);
      out.push_back(array != nullptr ? length_of(*array).text
                                     : std::get<std::vector<Host>>(argument).back().text);
    }
    return out;
  }
  std::string line(const Piece& of, const std::vector<Argument>& arguments) {
    runs_.emplace_back(of.name);
    const std::vector<std::string> names = names_of(of);
    std::vector<std::string> bound;
    for (size_t i = 0; i < names.size(); ++i) {
      if (const auto* array = std::get_if<std::string>(&arguments[i])) {
        bound.push_back(names[i] == *array ? *array : fmt::format("{} = {}", names[i], *array));
      } else {
        std::vector<std::string> words;
        for (const Host& word : std::get<std::vector<Host>>(arguments[i])) words.push_back(word.text);
        bound.push_back(fmt::format("{} = [{}]", names[i], fmt::join(words, ", ")));
      }
    }
    if (!of.own()) return fmt::format("run {}({});\n", of.name, fmt::join(bound, ", "));
    const std::string each = fmt::format("len({})", std::get<std::string>(arguments[of.over]));
    return fmt::format("dispatch {}({}) groups({});\n", of.name, fmt::join(bound, ", "),
                       of.over == 0 ? fmt::format("ceil_div({}, W)", each) : "1");
  }
  Step step(const Piece& of, const std::vector<Argument>& arguments) const {
    PieceReference reference = of.reference;
    if (!of.own() && options_.reference) reference = options_.reference(of.name);
    if (reference == nullptr) reference = opspec::find_operation(of.name)->reference;
    return [reference, arguments](Arrays& arrays, const InputLengths& n) {
      Buffers buffers;
      for (const Argument& argument : arguments) {
        if (const auto* array = std::get_if<std::string>(&argument)) {
          buffers.push_back(arrays.find(*array)->second);
        } else {
          Words words;
          for (const Host& word : std::get<std::vector<Host>>(argument)) words.push_back(word.value(n));
          buffers.push_back(buffer_of(words));
        }
      }
      reference(buffers);
      for (size_t i = 0; i < arguments.size(); ++i)
        if (const auto* array = std::get_if<std::string>(&arguments[i]))
          arrays.find(*array)->second = std::move(buffers[i]);
    };
  }

  EngineOptions options_;
  std::map<std::string, Host, std::less<>> lengths_;
  std::map<std::string, uint32_t, std::less<>> names_;
  std::string body_;
  std::vector<std::string> dispatches_, scratch_, turns_, runs_;
  std::vector<Step> steps_;
};

// What a stage does to a fact of the list.
enum class Effect : uint8_t {
  Keeps,
  Establishes,
  Destroys,
  IfSorted,     // establishes it where keys ascend, else keeps it
  IfAscending,  // holds afterwards where tags ascend: keys may have become equal
};

using Draws = std::array<uint32_t, 3>;
constexpr uint32_t kOnes = 0xffff'ffff;

// What stages share.

/// Has what is behind the count replaced, for a stage that looks at all of the array; the count stays.
void pad_keys(Builder& b, List& list, uint32_t value) {
  if (list.count.empty()) return;
  const std::string keys = b.array_like("keys", list.keys);
  b.run("pad", {list.keys, list.count, keys, std::vector<Host>{number(value)}});
  list.keys = keys;
}
/// Has what is behind the count become elements, after all others in any order, so that there is no count.
void settle(Builder& b, List& list) {
  if (list.count.empty()) return;
  pad_keys(b, list, kOnes);
  if (!list.tags.empty()) {
    const std::string tags = b.array_like("tags", list.tags);
    b.run("pad", {list.tags, list.count, tags, std::vector<Host>{number(kOnes)}});
    list.tags = tags;
  }
  list.count.clear();
  list.facts.distinct = list.facts.permutation = list.facts.unique_tags = false;
}
void sort(Builder& b, List& list) {
  pad_keys(b, list, kOnes);
  const std::string keys = b.array_like("keys", list.keys);
  if (list.tags.empty()) {
    b.run("collection.sort_u32", {list.keys, keys});
  } else {
    const std::string tags = b.array_like("tags", list.keys);
    b.run("collection.sort_pairs_u32", {list.keys, list.tags, keys, tags});
    list.tags = tags;
    list.facts.ascending = false;
  }
  list.keys = keys;
  list.facts.sorted = true;
}
/// Flags of one in some elements.
std::string marks(Builder& b, List& list, const Draws& draws) {
  const std::string flags = b.array_like("flags", list.keys);
  b.run("marks", {list.keys, b.count_of(list), flags,
                  std::vector<Host>{number(1 + draws[0] % 28), number(2 + draws[1] % 4)}});
  return flags;
}
std::string sorted_other(Builder& b) {
  const std::string other = b.array_like("sorted", "other");
  b.run("collection.sort_u32", {"other", other});
  return other;
}
/// The keys, and the tags if there are any, each by themselves through a piece of one input and one output,
/// and what stands between and behind them.
void through(Builder& b, List& list, std::string_view name, const std::vector<Argument>& between,
             const std::vector<Argument>& behind) {
  const auto one = [&](std::string& array, std::string_view what) {
    const std::string out = b.array_like(what, array);
    std::vector<Argument> arguments = {array};
    arguments.insert(arguments.end(), between.begin(), between.end());
    arguments.emplace_back(out);
    arguments.insert(arguments.end(), behind.begin(), behind.end());
    b.run(name, arguments);
    array = out;
  };
  one(list.keys, "keys");
  if (!list.tags.empty()) one(list.tags, "tags");
}
/// New keys, whatever the number of the old ones was.
void replace(List& list, std::string keys) {
  list.keys = std::move(keys);
  list.tags.clear();
  list.count.clear();
}
std::string folded(std::string_view what, std::initializer_list<std::string_view> folds, uint32_t draw) {
  return fmt::format("collection.{}_{}", what, folds.begin()[draw % folds.size()]);
}
void scan_by(Builder& b, List& list, std::initializer_list<std::string_view> folds, const Draws& draws) {
  const std::string keys = b.array_like("keys", list.keys);
  b.run(folded(draws[1] % 2 == 0 ? "scan_inclusive" : "scan_exclusive", folds, draws[0]), {list.keys, keys});
  list.keys = keys;
}

// The stages.

void compact(Builder& b, List& list, const Draws& draws) {
  const std::string flags = marks(b, list, draws);
  const std::string count = b.array("count", number(1));
  through(b, list, "collection.compact", {flags}, {count});
  list.count = count;
}
void partition(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const std::string flags = marks(b, list, draws);
  const std::string first = b.array("first", number(1));
  through(b, list, "collection.partition", {flags}, {first});
}
void sort_stage(Builder& b, List& list, const Draws&) { sort(b, list); }
void unique(Builder& b, List& list, const Draws&) {
  settle(b, list);
  const std::string keys = b.array_like("keys", list.keys);
  const std::string count = b.array("count", number(1));
  b.run("collection.unique", {list.keys, keys, count});
  replace(list, keys);
  list.count = count;
}
void run_length(Builder& b, List& list, const Draws&) {
  settle(b, list);
  const std::string keys = b.array_like("keys", list.keys);
  const std::string lengths = b.array_like("tags", list.keys);
  const std::string count = b.array("count", number(1));
  b.run("collection.run_length", {list.keys, keys, lengths, count});
  list = {keys, lengths, count, list.facts};
}
void reverse(Builder& b, List& list, const Draws&) {
  settle(b, list);
  through(b, list, "collection.reverse", {}, {});
}
void scan_rising(Builder& b, List& list, const Draws& draws) {
  scan_by(b, list, {"max", "or", "add_sat"}, draws);
}
void scan(Builder& b, List& list, const Draws& draws) {
  scan_by(b, list, {"add", "min", "and", "xor"}, draws);
}
void segmented_scan(Builder& b, List& list, const Draws& draws) {
  const std::string heads = marks(b, list, draws);
  const std::string keys = b.array_like("keys", list.keys);
  b.run(folded("segmented_scan", {"add", "min", "max", "and", "or", "xor"}, draws[2]),
        {list.keys, heads, keys});
  list.keys = keys;
}
/// Segments of one length.
void segmented_reduce(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const uint32_t each = 1 + draws[0] % 9;
  const Host segments = ceil_div(b.length_of(list.keys), each);
  const std::string offsets = b.array("offsets", segments + number(1));
  b.run("collection.iota", {offsets, std::vector<Host>{number(0), number(each)}});
  const std::string keys = b.array("keys", segments);
  b.run(folded("segmented_reduce", {"add", "min", "max", "and", "or", "xor"}, draws[1]),
        {list.keys, offsets, keys});
  replace(list, keys);
}
/// Each key becomes its place in the other list.
void bound(Builder& b, List& list, const Draws& draws) {
  const std::string other = sorted_other(b);
  const std::string keys = b.array_like("keys", list.keys);
  b.run(draws[0] % 2 == 0 ? "collection.lower_bound" : "collection.upper_bound", {other, list.keys, keys});
  list.keys = keys;
}
void find(Builder& b, List& list, const Draws&) {
  const Host slots = b.length_of("other") * number(2) + number(1);
  const std::string table = b.array("table", slots);
  const std::string places = b.array("places", slots);
  const std::string status = b.array("status", number(1));
  b.run("collection.hash_build", {"other", table, places, status});
  const std::string keys = b.array_like("keys", list.keys);
  b.run("collection.hash_find", {table, places, list.keys, keys});
  list.keys = keys;
}
void rotate(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const std::string indices = b.array_like("indices", list.keys);
  b.run("turned", {indices, std::vector<Host>{number(draws[0])}});
  through(b, list, "collection.gather", {indices}, {});
}
/// What is beyond the end is 0.
void shift(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const std::string indices = b.array_like("indices", list.keys);
  b.run("collection.iota", {indices, std::vector<Host>{number(draws[0] % 4), number(1 + draws[1] % 2)}});
  through(b, list, "collection.gather", {indices}, {});
}
/// To slots by key, of which the first one there has it.
void scatter(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const std::string indices = b.array_like("indices", list.keys);
  b.run("slots", {list.keys, indices, std::vector<Host>{number(draws[0] | 1)}});
  const std::string status = b.array("status", number(2));
  through(b, list, "collection.scatter", {indices}, {status});
}
void merge(Builder& b, List& list, const Draws&) {
  settle(b, list);
  list.tags.clear();
  if (!list.facts.sorted) sort(b, list);
  const std::string other = sorted_other(b);
  const Host length = b.length_of(list.keys) + b.length_of("other");
  const std::string keys = b.array("keys", length);
  b.run("collection.merge", {list.keys, other, keys});
  replace(list, keys);
}
void join(Builder& b, List& list, const Draws&) {
  settle(b, list);
  const Host room = b.length_of(list.keys) + b.length_of("other");
  const std::string left = b.array("keys", room);
  const std::string right = b.array("tags", room);
  const std::string count = b.array("count", number(1));
  b.run("collection.join", {list.keys, "other", left, right, count});
  list = {left, right, count, list.facts};
}
std::string rests(Builder& b, const List& list, uint32_t bins) {
  const std::string out = b.array_like("rests", list.keys);
  b.run("rests", {list.keys, out, std::vector<Host>{number(bins)}});
  return out;
}
void histogram(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const uint32_t by = 1 + draws[0] % 80;
  const std::string in = rests(b, list, by + draws[1] % 3);  // some in no bin
  const std::string bins = b.array("keys", number(by));
  b.run("collection.histogram", {in, bins});
  replace(list, bins);
}
void tally(Builder& b, List& list, const Draws& draws) {
  const std::string bins = b.array("keys", number(1 + draws[0] % 80));
  b.run("tally", {list.keys, b.count_of(list), bins});
  replace(list, bins);
}
void top_k(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const Host k = least(b.length_of(list.keys), number(1 + draws[0] % 40));
  const std::string keys = b.array("keys", k);
  const std::string places = b.array("tags", k);
  b.run("collection.top_k", {list.keys, keys, places});
  list = {keys, places, "", list.facts};
}
/// What is behind the last whole row becomes 0.
void transpose(Builder& b, List& list, const Draws& draws) {
  settle(b, list);
  const uint32_t rows = 1 + draws[0] % 40;
  const auto one = [&](std::string& array, std::string_view what) {
    const std::string out = b.array_like(what, array);
    b.run("collection.transpose", {array, out, std::vector<Host>{number(rows), b.length_of(array) / rows}});
    array = out;
  };
  one(list.keys, "keys");
  if (!list.tags.empty()) one(list.tags, "tags");
}
void number_them(Builder& b, List& list, const Draws& draws) {
  list.tags = b.array_like("tags", list.keys);
  b.run("collection.iota", {list.tags, std::vector<Host>{number(draws[0] % 9), number(1 + draws[1] % 3)}});
}
void tag_all(Builder& b, List& list, const Draws& draws) {
  list.tags = b.array_like("tags", list.keys);
  b.run("collection.fill", {list.tags, std::vector<Host>{number(draws[0])}});
}
/// The least key becomes 0.
void from_least(Builder& b, List& list, const Draws&) {
  pad_keys(b, list, kOnes);
  const std::string by = b.array("fold", number(1));
  b.run("collection.reduce_min", {list.keys, by});
  const std::string keys = b.array_like("keys", list.keys);
  b.run("less", {list.keys, by, keys});
  list.keys = keys;
}
void reduce(Builder& b, List& list, const Draws& draws) {
  const std::string by = b.array("fold", number(1));
  b.run(folded("reduce", {"add", "max", "and", "or", "xor", "add_sat"}, draws[0]), {list.keys, by});
  const std::string keys = b.array_like("keys", list.keys);
  b.run("differ", {list.keys, by, keys});
  list.keys = keys;
}
void mix(Builder& b, List& list, const Draws& draws) {
  const std::string keys = b.array_like("keys", list.keys);
  b.run("mix", {list.keys, keys, std::vector<Host>{number(draws[0] | 1), number(draws[1])}});
  list.keys = keys;
}
void halve(Builder& b, List& list, const Draws& draws) {
  const std::string keys = b.array_like("keys", list.keys);
  b.run("mix", {list.keys, keys, std::vector<Host>{number(1), number(0)}});  // a copy
  const std::string go = b.array("go", number(1));
  b.halve(keys, go, draws[0] >> (1 + draws[1] % 31));
  list.keys = keys;
}

/// What a stage does, and what to the facts, in the order of EngineFacts.
struct StageKind {
  std::string_view name;
  void (*add)(Builder& builder, List& list, const Draws& draws);
  Effect sorted, distinct, permutation, ascending, stable, unique_tags;
};
constexpr Effect K = Effect::Keeps, E = Effect::Establishes, D = Effect::Destroys, S = Effect::IfSorted,
                 A = Effect::IfAscending;
// `chain` draws from these rows: with one more, or in another order, a token would name another engine. More
// stages would be a table of their own, under another word.
constexpr StageKind kStages[] = {
    // name, add, sorted, distinct, permutation, ascending, stable, unique_tags
    {"compact", compact, K, K, D, K, K, K},
    {"partition", partition, D, K, K, D, K, K},  // flags are by key, so equal keys stay together
    {"sort", sort_stage, E, K, K, K, K, K},
    {"unique", unique, K, S, D, D, D, D},
    {"run_length", run_length, K, S, D, D, D, D},
    {"reverse", reverse, D, K, K, D, D, K},
    {"scan_rising", scan_rising, E, D, D, K, A, K},
    {"scan", scan, D, D, D, K, A, K},
    {"segmented_scan", segmented_scan, D, D, D, K, A, K},
    {"segmented_reduce", segmented_reduce, D, D, D, D, D, D},
    {"bound", bound, K, D, D, K, A, K},
    {"find", find, D, D, D, K, A, K},
    {"rotate", rotate, D, K, K, D, D, K},
    {"shift", shift, D, D, D, D, D, D},
    {"scatter", scatter, D, D, D, D, D, D},
    {"merge", merge, E, D, D, D, D, D},
    {"join", join, E, D, D, D, E, D},  // pairs ascend
    {"histogram", histogram, D, D, D, D, D, D},
    {"tally", tally, D, D, D, D, D, D},
    {"top_k", top_k, D, K, D, D, E, E},
    {"transpose", transpose, D, D, D, D, D, D},
    {"number", number_them, K, K, K, E, E, E},
    {"tag", tag_all, K, K, K, E, E, D},
    {"from_least", from_least, K, K, D, K, K, K},
    {"reduce", reduce, D, K, D, K, K, K},
    {"mix", mix, D, K, D, K, K, K},
    {"halve", halve, D, D, D, K, A, K},
};
constexpr uint32_t kSort = 2;

/// `before`: as the stage found it, once what it needs was done.
bool after(Effect effect, bool fact, const EngineFacts& before) {
  switch (effect) {
    case Effect::Keeps: return fact;
    case Effect::Establishes: return true;
    case Effect::Destroys: return false;
    case Effect::IfSorted: return fact || before.sorted;
    case Effect::IfAscending: return before.ascending;
  }
  std::unreachable();
}
void add(Builder& b, List& list, const Stage& stage) {
  const StageKind& kind = kStages[stage.kind];
  kind.add(b, list, stage.draws);
  const EngineFacts before = list.facts;  // what the stage did to get what it needs is in it
  EngineFacts& f = list.facts;
  f.sorted = after(kind.sorted, before.sorted, before);
  f.distinct = after(kind.distinct, before.distinct, before);
  f.permutation = after(kind.permutation, before.permutation, before);
  f.ascending = after(kind.ascending, before.ascending, before);
  f.stable = after(kind.stable, before.stable, before) || f.ascending || f.distinct;
  f.unique_tags = after(kind.unique_tags, before.unique_tags, before);
}

struct Chain {
  bool tags = false;  // begins with them
  std::vector<Stage> stages;
};
Chain draw(uint64_t seed, uint64_t number, const EngineOptions& options) {
  RandomStream random(seed, number);
  Chain out;
  out.tags = random.chance(2);
  const bool any = options.stages.empty();
  out.stages.resize(any ? options.fewest_stages +
                              random.below(options.most_stages - options.fewest_stages + 1)
                        : options.stages.size());
  for (size_t k = 0; k < out.stages.size(); ++k) {
    Stage& stage = out.stages[k];
    if (any)
      stage.kind = random.chance(8) ? kSort : random.below(uint32_t(std::size(kStages)));
    else
      stage.kind = uint32_t(std::ranges::find(kStages, options.stages[k], &StageKind::name) - kStages);
    for (uint32_t& word : stage.draws) word = random.next();
  }
  return out;
}

InputLengths lengths_in(const Buffers& buffers) {
  InputLengths out{};
  for (const Parameter p : {kKeys, kTags, kOther}) out[p] = uint32_t(count<uint32_t>(buffers[p]));
  return out;
}

/// Keys of any kind, tags that say where each stands, and another list that often has the same keys.
Buffers a_case(RandomStream& random, uint32_t size,
               const std::function<uint32_t(const InputLengths&)>& most) {
  Buffers out(kParameterNames.size());
  const Words keys = opspec::any_words(random, size);
  Words tags(size);
  std::iota(tags.begin(), tags.end(), 0);
  Words other = opspec::any_words(random, random.below(size + 2));
  if (size > 0 && !random.chance(4))
    for (uint32_t& key : other) key = random.chance(3) ? key : keys[random.below(size)];
  out[kKeys] = buffer_of(keys);
  out[kTags] = buffer_of(tags);
  out[kOther] = buffer_of(other);
  out[kOut] = opspec::room(random, most(lengths_in(out)));
  out[kOutTags] = opspec::noise(random, out[kOut].size());
  out[kTotal] = opspec::noise(random, 4);
  return out;
}

GeneratedEngine make(uint64_t seed, uint64_t number, const EngineOptions& options, const Chain& chain,
                     std::vector<uint32_t> kept) {
  GeneratedEngine out;
  out.seed = seed;
  out.number = number;
  out.options = options;
  out.kept = std::move(kept);
  Builder b(options);
  List list;
  if (!chain.tags) list.tags.clear();
  for (const uint32_t k : out.kept) {
    out.stages.emplace_back(kStages[chain.stages[k].kind].name);
    b.say(fmt::format("{}: {}", k, out.stages.back()));
    add(b, list, chain.stages[k]);
  }
  b.say("What there is.");
  b.add_outputs();
  const std::string count_array = b.count_of(list);
  b.run("hand_over", {list.keys, count_array, "out"});
  if (!list.tags.empty()) b.run("hand_over", {list.tags, count_array, "out_tags"});
  b.run("say_how_many", {list.keys, count_array, "total"});

  out.pieces = b.runs();
  out.has_tags = !list.tags.empty();
  out.facts = list.facts;
  out.dispatches = b.dispatches();
  out.scratch_bytes = b.scratch_bytes();
  out.turns = b.turns();
  out.text = *text::format(b.module(fmt::format("Generated engine {} of seed {}, number {}: {}.",
                                                out.strategy(), seed, number, fmt::join(out.stages, ", "))));
  out.promises = Invariant::Deterministic | Invariant::NoOutputLost | Invariant::NoDuplicate |
                 Invariant::Bounded | Invariant::WorkgroupInvariant;
  if (out.facts.sorted && (!out.has_tags || out.facts.stable))
    out.promises = out.promises | Invariant::Ordered;
  if (b.has_repeat()) out.promises = out.promises | Invariant::Termination;
  if (std::ranges::any_of(pieces(), [&](const Piece& of) {
        return of.program.contains("atomic_") && opspec::contains(out.pieces, std::string(of.name));
      }))
    out.promises = out.promises | Invariant::AtomicLinearizable;

  const bool tagged = out.has_tags;
  out.generate = [most = b.length_of(list.keys).value](RandomStream& random, uint32_t size) {
    return a_case(random, size, most);
  };
  if (out.facts.distinct || (tagged && out.facts.unique_tags)) out.tagged = out.generate;
  out.reference = [steps = b.steps()](Buffers& buffers) {
    const InputLengths n = lengths_in(buffers);
    Arrays arrays;
    for (size_t p = 0; p < kParameterNames.size(); ++p) arrays.emplace(kParameterNames[p], buffers[p]);
    for (const Step& step : steps) step(arrays, n);
    for (size_t p = 0; p < kParameterNames.size(); ++p)
      buffers[p] = std::move(arrays.find(kParameterNames[p])->second);
  };
  out.needed = [](const Buffers& buffers) -> uint64_t { return get<uint32_t>(buffers[kTotal], 0); };
  out.records = [tagged](const Buffers& buffers) {
    size_t n = std::min<size_t>(get<uint32_t>(buffers[kTotal], 0), count<uint32_t>(buffers[kOut]));
    if (tagged) n = std::min(n, count<uint32_t>(buffers[kOutTags]));
    std::vector<opspec::Record> records(n);
    for (size_t i = 0; i < n; ++i) {
      records[i].push_back(get<uint32_t>(buffers[kOut], i));
      if (tagged) records[i].push_back(get<uint32_t>(buffers[kOutTags], i));
    }
    return records;
  };
  out.shorten = [reference = out.reference, needed = out.needed](Buffers& buffers) {
    Buffers after = buffers;
    reference(after);
    for (const Parameter p : {kOut, kOutTags})
      buffers[p].resize(std::min(buffers[p].size(), size_t{4} * (needed(after) / 2)));
  };
  out.written = [tagged](const Buffers& buffers) {
    const size_t bytes = size_t{4} * get<uint32_t>(buffers[kTotal], 0);
    std::vector<uint64_t> written(buffers.size());
    written[kOut] = std::min(bytes, buffers[kOut].size());
    if (tagged) written[kOutTags] = std::min(bytes, buffers[kOutTags].size());
    written[kTotal] = std::min<size_t>(4, buffers[kTotal].size());
    return written;
  };
  return out;
}

std::vector<Buffers> smaller_cases(const Buffers& buffers) {
  std::vector<Buffers> out;
  // Keys and tags are cut together. A half, or all but one, at either end.
  const auto cut = [&](std::initializer_list<Parameter> those) {
    const size_t n = count<uint32_t>(buffers[*those.begin()]);
    const auto keep = [&](size_t from, size_t to) {
      Buffers& smaller = out.emplace_back(buffers);
      for (const Parameter p : those) {
        const Buffer& whole = buffers[p];
        smaller[p].assign(whole.begin() + ptrdiff_t(std::min(whole.size(), 4 * from)),
                          whole.begin() + ptrdiff_t(std::min(whole.size(), 4 * to)));
      }
    };
    if (n == 0) return;
    if (n > 1) keep(0, 0);
    keep(0, n / 2);
    if (n > 1) keep(n / 2, n);
    if (n > 2) keep(0, n - 1);
    if (n > 2) keep(1, n);
  };
  cut({kOther});
  cut({kKeys, kTags});
  for (const Parameter p : {kKeys, kOther}) {
    if (!std::ranges::any_of(elements<uint32_t>(buffers[p]), [](uint32_t x) { return x != 0; })) continue;
    out.emplace_back(buffers)[p].assign(buffers[p].size(), std::byte{0});
  }
  return out;
}

/// The case with outputs that hold all records.
Buffers with_room(const GeneratedEngine& engine, Buffers input) {
  Buffers after = input;
  engine.reference(after);
  for (const Parameter p : {kOut, kOutTags})
    input[p].resize(std::max(input[p].size(), size_t{4} * engine.needed(after)));
  return input;
}

}  // namespace
}  // namespace generated_engine

std::string GeneratedEngine::strategy() const { return fmt::format("chain-{}", fmt::join(kept, ".")); }

std::vector<std::string_view> engine_stages() {
  std::vector<std::string_view> out;
  for (const generated_engine::StageKind& kind : generated_engine::kStages) out.push_back(kind.name);
  return out;
}

GeneratedEngine make_generated_engine(uint64_t seed, uint64_t number, const EngineOptions& options) {
  const generated_engine::Chain chain = generated_engine::draw(seed, number, options);
  std::vector<uint32_t> all(chain.stages.size());
  std::iota(all.begin(), all.end(), 0);
  return generated_engine::make(seed, number, options, chain, std::move(all));
}

std::optional<GeneratedEngine> find_generated_engine(std::string_view strategy, uint64_t seed,
                                                     uint64_t number, const EngineOptions& options) {
  constexpr std::string_view kChain = "chain";
  if (strategy == kChain) return make_generated_engine(seed, number, options);
  if (!strategy.starts_with(kChain)) return std::nullopt;
  strategy.remove_prefix(kChain.size());
  const generated_engine::Chain chain = generated_engine::draw(seed, number, options);
  std::vector<uint32_t> kept;
  for (char before = '-'; !strategy.empty(); before = '.') {
    uint32_t stage = 0;
    if (strategy.front() != before) return std::nullopt;
    const auto [end, error] = std::from_chars(strategy.data() + 1, strategy.data() + strategy.size(), stage);
    if (error != std::errc() || stage >= chain.stages.size()) return std::nullopt;
    if (!kept.empty() && stage <= kept.back()) return std::nullopt;
    kept.push_back(stage);
    strategy.remove_prefix(size_t(end - strategy.data()));
  }
  if (kept.empty()) return std::nullopt;
  return generated_engine::make(seed, number, options, chain, std::move(kept));
}

GeneratedEngine without_stage(const GeneratedEngine& engine, size_t k) {
  std::vector<uint32_t> kept = engine.kept;
  kept.erase(kept.begin() + ptrdiff_t(k));
  return generated_engine::make(engine.seed, engine.number, engine.options,
                                generated_engine::draw(engine.seed, engine.number, engine.options),
                                std::move(kept));
}

std::vector<opspec::Buffers> smaller_engine_cases(const opspec::Buffers& buffers) {
  return generated_engine::smaller_cases(buffers);
}

ShrunkEngine shrink_engine(
    GeneratedEngine engine, opspec::Buffers input,
    const std::function<bool(const GeneratedEngine& engine, const opspec::Buffers& input)>& fails) {
  ShrunkEngine out = {std::move(engine), std::move(input)};
  for (bool fewer = true; fewer && out.engine.kept.size() > 1;) {
    fewer = false;
    for (size_t k = out.engine.kept.size(); k-- > 0 && !fewer && out.engine.kept.size() > 1;) {
      GeneratedEngine candidate = without_stage(out.engine, k);
      // What goes wrong may now be behind the end of outputs that were long enough before.
      for (const opspec::Buffers& tried : {out.input, generated_engine::with_room(candidate, out.input)}) {
        fewer = fails(candidate, tried);
        if (!fewer) continue;
        out = {std::move(candidate), tried};
        break;
      }
    }
  }
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (opspec::Buffers& candidate : smaller_engine_cases(out.input)) {
      if (!fails(out.engine, candidate)) continue;
      out.input = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return out;
}

}  // namespace vyre::generate
