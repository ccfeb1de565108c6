// Test directives: comments of a .vyre file that say what the file shows.
//
//   // run: a=[1] b=[32] groups=[1,1,1] => out=[1]     // why
//   // oracle: specification table, semantics, "Operators"
//   // error: V010
//
// A `run` directive is one dispatch and what it must give; a file may have many. An `oracle` directive says
// where the expected values of all of them come from, in the words of spec/oracle.h and of whoever worked
// them out. An `error` directive stands in the line where the diagnostic must point. To the parser they are
// comments; the file tests read them with parse_directives(). Source: text-format, "Tests in files"; oracles,
// "The oracle declaration".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spec/oracle.h"

namespace vyre::text {

/// The elements of a buffer, as they are written: "42", "0xff", "-3", "1.5", "true", "(1,2)" (without its
/// blanks). What they may be depends on the element type of the buffer, which is known to whoever runs the
/// test.
struct BufferValues {
  std::string name;
  std::vector<std::string> values;
  Span span;
};

struct RunDirective {
  uint32_t line = 0;  // from 1
  Span span;          // of the directive, without // and what follows it
  std::vector<BufferValues> inputs;
  std::array<uint32_t, 3> groups = {1, 1, 1};
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
};

/// All directives of a text, which need not be a program.
/// Errors  P017 at the first comment that begins as a directive and is none.
Result<Directives> parse_directives(std::string_view text);

/// Whether the runs of a file have the strongest oracle that applies. Values that stand in a file are rows:
/// somebody decided them (a specification table) or published them (an external corpus); what any evaluator
/// gave, copied into a file, would only show that it is what it was. Errors  C017: there is none, or it is
/// another.
Result<void> check_oracle(const Directives& directives);

}  // namespace vyre::text
