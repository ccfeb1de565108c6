// What people read: the report of a certification, and the same as JUnit for machines that collect tests.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "certify/certificate.h"

namespace vyre::certify {

/// What a failure has of values, as text.
struct ValueTexts {
  std::string input, expected, actual;
};

struct ReportOptions {
  std::string backend;                   // as --backend names it, for the replay lines
  std::span<const double> seconds = {};  // a verdict each; empty: no column of times
  double total_seconds = 0;
  /// How values are printed, by a caller that knows their types; empty: as words.
  std::function<ValueTexts(const verify::Failure&)> values = {};
};

/// Tables of operations and families, failures with a line to replay each, totals. Ends with a newline; the
/// line "level: ..." is the caller's.
std::string report(const Certificate& certificate, const ReportOptions& options);

/// One failure, indented: input, expected, actual, as bits and values, and how to replay it.
std::string describe(const verify::Failure& failure, std::string_view subject, const ReportOptions& options);

/// How a verdict's subject is named for people: a family has a verdict on what it has of floats beside that
/// on the rest.
std::string name_of(const verify::Verdict& verdict);

/// JUnit XML: one test case a subject. What is waived is skipped, with the link.
std::string junit(const Certificate& certificate, const ReportOptions& options);

/// "12,345,678"
std::string grouped(uint64_t n);
/// "0: 9,000, 1: 1,000": how many answers were how many ULP off.
std::string distribution(const verify::Deviations& deviations);
/// "29 factors, 130 of 130 levels, 4,000 of 4,000 2-tuples of levels; 310 no case can have".
std::string covered(const verify::Coverage& coverage);
/// What the errors of an approximate subject are counted in: "ULP", of sums "ULP of the sum of magnitudes".
std::string_view error_unit(const verify::Verdict& verdict);
/// One word of a shell's command line, in quotes where it must be.
std::string shell_quoted(std::string_view word);
/// "0x0000001f (31)"
std::string word_and_value(uint32_t bits);

}  // namespace vyre::certify
