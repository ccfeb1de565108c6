// Programs as the tests want them: a text, checked, and the programs of whole folders of the project.
//
// Tests of lowered code look at the same programs: those of the file tests, those of test/compare, which
// reach every statement and every shape of control, and the examples.
#pragma once

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/module.h"
#include "float_texts.h"
#include "ops/operation.h"
#include "project_files.h"
#include "text/text.h"

namespace vyre::test {

/// The program of a text, which must be right.
inline check::Checked checked(std::string_view text) {
  auto program = text::parse(text);
  if (!program) throw std::runtime_error(render(program.error(), nullptr));
  auto result = check::check(std::move(*program), ops::op_table());
  if (!result) throw std::runtime_error(render(result.error().front(), nullptr));
  return std::move(*result);
}

struct NamedChecked {
  std::string name;  // "x.vyre", or "x.vyre: scan" where there are several
  std::shared_ptr<const check::Checked> program;
};

/// The programs of a file: of a file of one program that one, of a module all of them.
inline std::vector<NamedChecked> programs_of(const std::string& name, std::string_view text) {
  auto module = text::parse_module(text, &ops::op_table());
  if (!module) throw std::runtime_error(name + ": " + module.error().message);
  const auto checked = check::check(std::move(*module), ops::op_table());
  if (!checked) throw std::runtime_error(name + ": " + checked.error().front().message);
  std::vector<NamedChecked> out;
  for (const auto& program : (*checked)->programs())
    out.push_back(
        {(*checked)->programs().size() == 1 ? name : name + ": " + program->program().name, program});
  return out;
}

/// All programs of the files of these folders; of test/run also those that stand in test/floats.
inline std::vector<NamedChecked> programs_in(std::initializer_list<const char*> folders) {
  std::vector<NamedChecked> out;
  for (const char* folder : folders) {
    for (const auto& file : files_of(folder))
      for (NamedChecked& program : programs_of(file.filename().string(), file_text(file)))
        out.push_back(std::move(program));
    if (std::string_view(folder) != "test/run") continue;
    for (const auto& [file, text] : float_texts())
      for (NamedChecked& program : programs_of(file, text)) out.push_back(std::move(program));
  }
  return out;
}

}  // namespace vyre::test
