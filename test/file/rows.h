// The specification rows of the operators as test files, so that a row is written down once.
//
// The rows of src/spec/rows of one operator at one type are two files in the form of test/run: a program that
// applies the operator to its operands from buffers, an element an invocation, and one with the operands as
// literals. What a row says is in the ledger alone; test/run has what is no row.
#pragma once

#include <string>
#include <vector>

namespace vyre::file_test {

/// Their names, in the order of the operators: "rows/add_u32.vyre", "rows/add_u32_literals.vyre".
const std::vector<std::string>& row_files();

/// The names of the texts of test/floats at each type: "test/run/fadd-f16.vyre".
const std::vector<std::string>& float_files();

/// The text of one of these, or of a file of the project.
std::string text_of(const std::string& file);

}  // namespace vyre::file_test
