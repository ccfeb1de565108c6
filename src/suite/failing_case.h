// Failing cases as text: a program that runs by itself, with what is known of it in comments before it.
//
// The text is what is kept of a failure for ever, so it is for people, for git and for every later build at
// once: a program in the text format, its input and what it must give as a `// run:` directive
// (text/directives.h), and above it the story, a line an entry, its key first. Nothing in it tells a time,
// and the name of a file follows from what is run alone, so that one case found twice is one file. A case
// that is no program (planted-false laws, claims of category C) has its story alone and is run by its token.
// docs/failures.md has an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "generate/programs.h"
#include "verify/verdict.h"

namespace vyre::suite {

/// What was found, where and by whom; empty where it was not said.
struct Story {
  std::string subject;   // "primitive.math.min@1"
  std::string fault;     // "wrong value": as verify::Fault has them
  std::string found_by;  // "parity, by cpu reference function"
  std::string vyre;      // version
  std::string backend, device, driver;
  std::string token;
  std::vector<std::string> history;     // tokens: verify::Failure::history
  std::string input, expected, actual;  // where it was found, before it was made smaller
  std::string size;                     // "shrunk", "smallest", "as found"
  uint32_t subgroup = 0;                // lanes that the expected values are for; 0: of no matter
  std::string note;
  bool operator==(const Story&) const = default;
};

struct FailingCase {
  Story story;
  std::optional<generate::ProgramCase> program;
  std::vector<Bytes> expected;  // of each bound buffer of the program
};

/// The whole text. Domain: what the program and the expected bytes are fits check::check and layout::bind.
std::string print(const FailingCase& failing);
/// Reads what print() writes, and any program with one `run` directive.
/// Errors  P: no program, or no directive; V: a program that check refuses; X001, X002: buffers that are not
/// the
///         program's, or values that are not of its types; C003: neither a program nor a token.
Result<FailingCase> parse_failing_case(std::string_view text);

/// "primitive.math.min-1-3fa9c0d21b7e.vyre": subject, then the digest of what is run.
std::string file_name(const FailingCase& failing);
/// The same without what follows the last dot.
std::string base_name(const FailingCase& failing);

/// One element or all of a buffer for people: "0x3f800000 (1)", at most `most` of them.
std::string describe_elements(std::span<const std::byte> bytes, spec::DataType element, size_t most = 16);
/// Operands by their words, of the types they have.
std::string describe_words(std::span<const uint32_t> words, std::span<const spec::DataType> types);

}  // namespace vyre::suite
