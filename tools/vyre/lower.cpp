#include <fmt/format.h>

#include <array>
#include <memory>

#include "backend/registry/registry.h"
#include "lower/kernel.h"
#include "lower/llvm/llvm.h"
#include "ops/operation.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct Form {
  std::string_view name;
  Result<std::string> (*print)(const lower::Kernel& kernel);
};

lower::Kernel legal(const lower::Kernel& kernel) { return lower::legalize(kernel, lower::kLlvmTarget); }

constexpr std::array kForms = {
    Form{"kernel", [](const lower::Kernel& k) -> Result<std::string> { return lower::print(k); }},
    Form{"legal", [](const lower::Kernel& k) -> Result<std::string> { return lower::print(legal(k)); }},
    Form{"llvm", [](const lower::Kernel& k) { return lower::print_llvm(legal(k), /*optimise=*/true); }},
    Form{"asm", [](const lower::Kernel& k) { return lower::print_asm(legal(k)); }},
};

int run_lower(const std::string& path, const std::string& to, const std::string& out) {
  const Form* form = nullptr;
  std::string names;
  for (const Form& f : kForms) {
    if (f.name == to) form = &f;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", f.name);
  }
  if (form == nullptr) return usage_error(fmt::format("--to {}: this build lowers to {}", to, names));
  const auto file = host::load_checked(path, ops::op_table());
  if (!file) return report(file.error());
  const auto printed = form->print(lower::build(*file->checked));
  return printed ? write_output(out, *printed) : report(printed.error(), path);
}

}  // namespace

void add_lower(CLI::App& app, int& exit) {
  struct Options {
    std::string path, to, backend = "native", out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("lower", "Print what a program becomes on its way to a backend");
  verb->add_option("FILE", options->path, "a program, text or wire")->required();
  verb->add_option("--to", options->to, "kernel, legal, llvm or asm")->required()->type_name("FORM");
  verb->add_option("--backend", options->backend, "the backend to lower for")->type_name("B");
  verb->add_option("-o", options->out, "the file to write; stdout without it")->type_name("OUT");
  verb->footer(
      "Example: vyre lower examples/block_sum.vyre --to legal\n"
      "kernel is the program in linear form, legal the same in raw operators, llvm and asm are the native "
      "backend's.");
  verb->callback([options, &exit] {
    if (const auto backend = backend::open(options->backend); !backend) {
      exit = report(backend.error());
    } else if (options->backend != "native") {
      exit = usage_error(fmt::format("--backend {}: only native lowers in this build", options->backend));
    } else {
      exit = run_lower(options->path, options->to, options->out);
    }
  });
}

}  // namespace vyre::tool
