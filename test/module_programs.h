// The programs of a file, checked: of a file of one program that one, of a module all of them.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/module.h"
#include "ops/operation.h"
#include "text/text.h"

namespace vyre::test {

struct NamedChecked {
  std::string name;  // "x.vyre", or "x.vyre: scan" where there are several
  std::shared_ptr<const check::Checked> program;
};

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

}  // namespace vyre::test
