#include "text/directives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/names.h"
#include "text/lexer.h"
#include "text/text.h"

namespace vyre::text {
namespace {

constexpr std::string_view kRunForm =
    "write // run: name=[values] ... groups=[x,y,z] => name=[values] ..., before => also entry=NAME and "
    "constants: W=64";
constexpr std::string_view kOracleForm =
    "write // oracle: specification table, where the values are worked out";
constexpr std::string_view kSubgroupForm = "write // subgroup: 4";
constexpr std::string_view kErrorForm = "write // error: V010, with codes that `vyre explain` knows";

bool is_value_character(char c) { return continues_word(c) || c == '.' || c == '+' || c == '-'; }

/// Reads the directive in one comment.
class DirectiveReader {
 public:
  /// `at` is where the comment's text begins, behind its //; a further // ends the directive.
  DirectiveReader(std::string_view text, size_t at, size_t end, uint32_t line)
      : text_(text), at_(at), end_(std::min(end, text.find("//", at))), line_(line) {}

  Result<void> read(Directives& directives) {
    skip_blanks();
    begin_ = at_;
    if (take_text("run:")) return read_run(directives);
    if (take_text("error:")) return read_errors(directives);
    if (take_text("oracle:")) return read_oracle(directives);
    if (take_text("subgroup:")) return read_subgroup(directives);
    return {};
  }

 private:
  Result<void> read_run(Directives& directives) {
    RunDirective run;
    run.line = line_;
    VYRE_CHECK(read_buffers(run.inputs, &run));
    VYRE_CHECK(take_groups(run));
    if (!take_text("=>")) return fail("`=>` is missing", kRunForm);
    VYRE_CHECK(read_buffers(run.outputs, nullptr));
    if (run.outputs.empty()) return fail("nothing is expected", kRunForm);
    if (at_ != end_) return fail("the directive goes on after the expected values", kRunForm);
    size_t end = end_;
    while (end > begin_ && is_blank(text_[end - 1])) --end;
    run.span = {uint32_t(begin_), uint32_t(end)};
    directives.runs.push_back(std::move(run));
    return {};
  }

  Result<void> read_errors(Directives& directives) {
    bool any = false;
    while (true) {
      skip_blanks();
      if (any && take_text(",")) skip_blanks();
      if (at_ == end_) break;
      const size_t begin = at_;
      const std::string_view word = take_word();
      const auto code = find_diagnostic(word);
      if (!code) return fail(fmt::format("`{}` is no diagnostic code", word), kErrorForm, begin);
      directives.errors.push_back({line_, *code, {uint32_t(begin), uint32_t(at_)}});
      any = true;
    }
    if (!any) return fail("the code is missing", kErrorForm);
    return {};
  }

  Result<void> read_oracle(Directives& directives) {
    if (directives.oracle) return fail("a file has one oracle", kOracleForm, begin_);
    skip_blanks();
    const size_t begin = at_, comma = std::min(text_.find(',', at_), end_);
    const std::string_view name = trimmed(text_.substr(begin, comma - begin));
    const auto oracle = spec::find_oracle(name);
    at_ = comma;
    if (!oracle) return fail(fmt::format("`{}` is no oracle", name), names_of_oracles(), begin);
    if (at_ < end_) ++at_;
    const std::string_view defined = trimmed(text_.substr(at_, end_ - at_));
    at_ = end_;
    if (defined.empty()) return fail("where it is defined is missing", kOracleForm, begin);
    directives.oracle = {line_, *oracle, std::string(defined), {uint32_t(begin_), uint32_t(end_)}};
    return {};
  }

  Result<void> read_subgroup(Directives& directives) {
    skip_blanks();
    const size_t begin = at_;
    const auto size = parse_integer(take_word());
    skip_blanks();
    if (!size || *size == 0 || at_ != end_) return fail("that is no number of lanes", kSubgroupForm, begin);
    if (directives.subgroup_size != 0) return fail("a file has one size of subgroups", kSubgroupForm, begin_);
    directives.subgroup_size = *size;
    return {};
  }

  static std::string names_of_oracles() {
    return fmt::format("there are {}", fmt::join(spec::kOracleNames, ", "));
  }
  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
  }

  /// name=[values] as often as there is one; with a run also name=word, which says how that is run.
  Result<void> read_buffers(std::vector<BufferValues>& buffers, RunDirective* run) {
    while (true) {
      skip_blanks();
      const size_t begin = at_;
      const std::string_view name = take_word();
      if (name.empty()) return {};
      BufferValues buffer = {std::string(name), {}, {}};
      skip_blanks();
      if (!take_text("=")) return fail(fmt::format("`=` is missing after `{}`", name), kRunForm);
      skip_blanks();
      if (run != nullptr && at_ < end_ && continues_word(text_[at_])) {
        VYRE_CHECK(read_choice(name, begin, *run));
        continue;
      }
      VYRE_CHECK(read_values(buffer.values));
      buffer.span = {uint32_t(begin), uint32_t(at_)};
      const bool twice = std::ranges::find(buffers, buffer.name, &BufferValues::name) != buffers.end();
      if (twice) return fail(fmt::format("`{}` stands there twice", name), kRunForm, begin);
      buffers.push_back(std::move(buffer));
    }
  }

  /// The word behind `name=`: the entry, or the value of a constant.
  Result<void> read_choice(std::string_view name, size_t begin, RunDirective& run) {
    const size_t at = at_;
    const std::string_view word = take_word();
    const auto twice = [&] { return fail(fmt::format("`{}` stands there twice", name), kRunForm, begin); };
    if (name == "entry") {
      if (run.entry) return twice();
      run.entry = word;
      return {};
    }
    const auto value = parse_integer(word);
    if (!value) return fail(fmt::format("`{}` is no value of a constant", word), kRunForm, at);
    if (!run.constants.emplace(name, *value).second) return twice();
    return {};
  }

  Result<void> read_values(std::vector<std::string>& values) {
    if (!take_text("[")) return fail("`[` and the values are missing", kRunForm);
    skip_blanks();
    if (take_text("]")) return {};
    while (true) {
      VYRE_CHECK(read_value(values.emplace_back()));
      skip_blanks();
      if (take_text("]")) return {};
      if (!take_text(",")) return fail("`,` or `]` is missing", kRunForm);
    }
  }

  /// A value, or a vector of some in parentheses: kept without blanks.
  Result<void> read_value(std::string& value) {
    skip_blanks();
    if (!take_text("(")) return read_number(value);
    value = "(";
    while (true) {
      skip_blanks();
      VYRE_CHECK(read_number(value));
      skip_blanks();
      if (take_text(")")) break;
      if (!take_text(",")) return fail("`,` or `)` is missing", kRunForm);
      value += ',';
    }
    value += ')';
    return {};
  }

  Result<void> read_number(std::string& value) {
    const size_t begin = at_;
    while (at_ < end_ && is_value_character(text_[at_])) ++at_;
    if (at_ == begin) return fail("a value is missing", kRunForm);
    value += text_.substr(begin, at_ - begin);
    return {};
  }

  /// Takes the entry `groups` out of the inputs.
  Result<void> take_groups(RunDirective& run) {
    const auto groups = std::ranges::find(run.inputs, "groups", &BufferValues::name);
    if (groups == run.inputs.end()) return {};
    run.groups_given = true;
    if (groups->values.empty() || groups->values.size() > 3) {
      return fail("groups has one to three numbers", kRunForm, groups->span.begin);
    }
    for (size_t axis = 0; axis < groups->values.size(); ++axis) {
      const std::string& value = groups->values[axis];
      const char* const end = value.data() + value.size();
      const auto [rest, error] = std::from_chars(value.data(), end, run.groups[axis]);
      if (error != std::errc{} || rest != end) {
        return fail(fmt::format("`{}` is no number of groups", value), kRunForm, groups->span.begin);
      }
    }
    run.inputs.erase(groups);
    return {};
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (at_ < end_ && is_blank(text_[at_])) ++at_;
  }
  bool take_text(std::string_view expected) {
    if (!text_.substr(at_, end_ - at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  std::string_view take_word() {
    const size_t begin = at_;
    while (at_ < end_ && continues_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::unexpected<Diag> fail(std::string message, std::string_view help) {
    return fail(std::move(message), help, at_);
  }
  std::unexpected<Diag> fail(std::string message, std::string_view help, size_t begin) {
    const size_t end = std::max(begin, std::min(at_, end_));
    return std::unexpected(
        make_diag(DiagCode::P017, {uint32_t(begin), uint32_t(end)}, std::move(message), std::string(help)));
  }

  std::string_view text_;
  size_t at_;
  size_t end_;
  uint32_t line_;
  size_t begin_ = 0;
};

}  // namespace

namespace {

/// Whether what stands behind the word of a directive is of its form.
bool is_of_form(std::string_view directive, std::string_view rest) {
  const size_t begin = std::min(rest.find_first_not_of(" \t:"), rest.size());
  rest.remove_prefix(begin);
  const std::string_view word = rest.substr(0, rest.find_first_of(", \t\r"));
  if (directive == "run") return rest.contains("=[") && rest.contains("=>");
  if (directive == "error") return find_diagnostic(word).has_value();
  if (directive == "subgroup") return parse_integer(word).has_value();
  return std::ranges::any_of(spec::kOracleNames,
                             [&](std::string_view name) { return rest.starts_with(name); });
}

/// The directive that this was meant as, which begins with a word and is none; empty where that is prose.
std::string_view meant_directive(std::string_view word, std::string_view rest) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  for (const std::string_view directive : {"run", "error", "oracle", "subgroup"}) {
    if (word == directive && rest.starts_with(':')) return {};
    NearestName nearest(lower);
    nearest.consider(directive);
    if ((lower == directive || nearest.found()) && is_of_form(directive, rest)) return directive;
  }
  return {};
}

}  // namespace

Diagnostics near_directives(std::string_view text) {
  Diagnostics out;
  for (size_t begin = 0, next = 0; begin < text.size(); begin = next) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    next = end + 1;
    const size_t comment = text.substr(0, end).find("//", begin);
    if (comment == text.npos) continue;
    const size_t at = std::min(text.find_first_not_of(" \t", comment + 2), end);
    size_t behind = at;
    while (behind < end && continues_word(text[behind])) ++behind;
    const std::string_view word = text.substr(at, behind - at);
    const std::string_view meant = meant_directive(word, text.substr(behind, end - behind));
    if (meant.empty()) continue;
    out.push_back(make_diag(DiagCode::P017, {uint32_t(at), uint32_t(behind)},
                            fmt::format("this begins with {} and so is no directive", quoted(word)),
                            fmt::format("write // {}: if it is meant as one", meant)));
  }
  return out;
}

Result<Directives> parse_directives(std::string_view text) {
  Directives directives;
  uint32_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    // The language has no strings, so // is a comment wherever it stands.
    const size_t comment = text.substr(begin, end - begin).find("//");
    if (comment != std::string_view::npos) {
      VYRE_CHECK(DirectiveReader(text, begin + comment + 2, end, line).read(directives));
    }
    begin = end + 1;
  }
  return directives;
}

Result<void> check_oracle(const Directives& directives) {
  constexpr std::string_view kWays =
      "say `specification table` and where the values follow from, or `external corpus` and who published "
      "them";
  const auto refuse = [&](Span span, std::string message) {
    return std::unexpected(make_diag(DiagCode::C017, span, std::move(message), std::string(kWays)));
  };
  if (!directives.oracle) {
    if (directives.runs.empty()) return {};
    return refuse(directives.runs[0].span, "the file does not say where its expected values come from");
  }
  const spec::Oracle oracle = directives.oracle->oracle;
  if (oracle == spec::Oracle::SpecificationTable || oracle == spec::Oracle::ExternalCorpus) return {};
  return refuse(directives.oracle->span,
                fmt::format("the values stand in the file, so they are no {}", spec::text(oracle)));
}

}  // namespace vyre::text
