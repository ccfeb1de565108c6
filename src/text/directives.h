// Test directives: comments of a .vyre file that say what the file shows.
//
//   // run: a=[1] b=[32] groups=[1,1,1] => out=[1]     // why
//   // run: entry=main W=64 a=[1] => out=[1]
//   // oracle: specification table, semantics, "Operators"
//   // error: V010
//   // subgroup: 4
//
// A `run` directive is one dispatch, or one run of a pipeline, and what it must give; a file may have many.
// An `oracle` directive says where the expected values of all of them come from, in the words of
// spec/oracle.h and of their author. An `error` directive stands in the line where the diagnostic
// must point. A `subgroup` directive says how many lanes a subgroup of the reference has in the runs. To the
// parser they are comments; the file tests read them with parse_directives(). Source: text-format, "Tests in
// files"; oracles, "The oracle declaration".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spec/oracle.h"

namespace vyre::text {

/// The elements of a buffer, as they are written: "42", "0xff", "-3", "1.5", "true", "(1,2)" (without its
/// blanks). What they may be depends on the element type of the buffer, which is known to the runner of the
/// test.
struct BufferValues {
  std::string name;
  std::vector<std::string> values;
  Span span;
};

struct RunDirective {
  uint32_t line = 0;                 // from 1
  Span span;                         // of the directive, without // and what follows it
  std::optional<std::string> entry;  // the program or pipeline; without it what `vyre run` takes
  std::map<std::string, uint32_t, std::less<>> constants;  // chosen for this run
  std::vector<BufferValues> inputs;
  std::array<uint32_t, 3> groups = {1, 1, 1};
  bool groups_given = false;  // which belong to programs
  /// Whether it runs the file as it stands: no entry chosen and no constant.
  bool as_written() const { return !entry && constants.empty(); }
  std::vector<BufferValues> outputs;  // at least one
};

struct ErrorDirective {
  uint32_t line = 0;  // from 1
  DiagCode code{};
  Span span;
};

struct OracleDirective {
  uint32_t line = 0;  // from 1
  spec::Oracle oracle{};
  std::string defined;  // where
  Span span;
};

struct Directives {
  std::vector<RunDirective> runs;  // in the order of the file
  std::optional<OracleDirective> oracle;
  std::vector<ErrorDirective> errors;  // several codes of one line are several
  uint32_t subgroup_size = 0;          // 0: the file declares none
};

/// All directives of a text, which need not be a program.
/// Errors  P017 at the first comment that begins as a directive and is none.
Result<Directives> parse_directives(std::string_view text);

/// Comments that look like directives under another word, and so are none: `// runs: a=[1] => out=[2]`,
/// `// Error: V010`. One P017 each, a warning; a comment that is only near in its word is prose.
Diagnostics near_directives(std::string_view text);

/// Whether the runs of a file have the strongest oracle that applies. Values that stand in a file are rows:
/// they were decided (a specification table) or published (an external corpus); what any evaluator
/// gave, copied into a file, would only show that it is what it was. Errors  C017: there is none, or it is
/// another.
Result<void> check_oracle(const Directives& directives);

}  // namespace vyre::text
