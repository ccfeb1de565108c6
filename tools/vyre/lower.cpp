#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "backend/plugin/host.h"
#include "backend/plugin/plugin.h"
#include "backend/registry/registry.h"
#include "host/drawing.h"
#include "host/graphs.h"
#include "lower/codegen/cpu.h"
#include "lower/codegen/float_promises.h"
#include "lower/codegen/ptx.h"
#include "lower/kernel.h"
#include "lower/size.h"
#include "lower/spirv/spirv.h"
#include "lower/ungrouped.h"
#include "lower/unroll.h"
#include "lower/wgsl/wgsl.h"
#include "lower_web.h"
#include "ops/operation.h"
#include "tensor/lower.h"
#include "text/text.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

using lower::Kernel;

Result<Kernel> legal(const Kernel& kernel) { return lower::legalize_bounded(kernel, lower::host_target()); }
Result<Kernel> legal_for_cuda(const Kernel& kernel) {
  return lower::legalize_bounded(kernel, lower::kPtxTarget);
}
/// For a device with what nearly all have.
Result<Kernel> legal_for_vulkan(const Kernel& kernel) {
  const auto floats = lower::vulkan_promises(lower::kUsualDevice.floats);
  return lower::legalize_bounded(kernel, lower::spirv_target(lower::kUsualDevice, floats));
}
Result<Kernel> legal_for_webgpu(const Kernel& kernel) {
  return lower::legalize_bounded(kernel, lower::kWgslTarget);
}

Result<std::string> print_kernel(const Kernel& kernel) { return lower::print(kernel); }
template <Result<Kernel> legal_for(const Kernel&)>
Result<std::string> print_legal(const Kernel& kernel) {
  VYRE_TRY(done, legal_for(kernel));
  return lower::print(done);
}

Result<std::string> llvm(const Kernel& kernel) {
  VYRE_TRY(done, legal(kernel));
  return lower::print_llvm(lower::ungrouped(std::move(done)), /*optimise=*/true);
}
Result<std::string> assembly(const Kernel& kernel) {
  VYRE_TRY(done, legal(kernel));
  return lower::print_asm(lower::ungrouped(std::move(done)));
}

/// For the oldest chip: every GPU runs that.
Result<std::string> ptx(const Kernel& kernel) {
  VYRE_TRY(done, legal_for_cuda(kernel));
  VYRE_TRY(module, lower::emit_ptx(done, lower::ptx_targets().front()));
  return std::move(module.text);
}

Result<std::string> spirv(const Kernel& kernel) {
  VYRE_TRY(done, legal_for_vulkan(kernel));
  VYRE_TRY(module, lower::emit_spirv(done, lower::kUsualDevice));
  const auto bytes = std::as_bytes(std::span(module.words));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
Result<std::string> spirv_assembly(const Kernel& kernel) {
  VYRE_TRY(done, legal_for_vulkan(kernel));
  VYRE_TRY(module, lower::emit_spirv(done, lower::kUsualDevice));
  return lower::disassemble(module.words);
}

Result<std::string> wgsl(const Kernel& kernel) {
  VYRE_TRY(done, legal_for_webgpu(kernel));
  VYRE_TRY(module, lower::emit_wgsl(done));
  return std::move(module.text);
}

/// What a program can be printed as, each the work of one backend. No device is asked: lowering is the same
/// without it.
struct Form {
  std::string_view backend;
  std::string_view name;
  Result<std::string> (*print)(const Kernel& kernel);
  bool binary = false;
};
constexpr std::array kForms = {
    Form{"native", "kernel", &print_kernel},
    Form{"native", "legal", &print_legal<legal>},
    Form{"native", "llvm", &llvm},
    Form{"native", "asm", &assembly},
    Form{"cuda", "kernel", &print_kernel},
    Form{"cuda", "legal", &print_legal<legal_for_cuda>},
    Form{"cuda", "ptx", &ptx},
    Form{"vulkan", "kernel", &print_kernel},
    Form{"vulkan", "legal", &print_legal<legal_for_vulkan>},
    Form{"vulkan", "spirv", &spirv, /*binary=*/true},
    Form{"vulkan", "spirv-asm", &spirv_assembly},
    Form{"webgpu", "kernel", &print_kernel},
    Form{"webgpu", "legal", &print_legal<legal_for_webgpu>},
    Form{"webgpu", "wgsl", &wgsl},
};

/// A pipeline or a graph drawn, and the module that a graph becomes; no backend's work.
constexpr std::string_view kDrawing = "dot", kText = "vyre";

/// The forms of a backend, or of all: "kernel, legal, llvm, asm".
std::string names(std::string_view Form::* part, std::string_view backend) {
  std::vector<std::string_view> known;
  for (const Form& form : kForms) {
    const bool wanted = backend.empty() || form.backend == backend;
    if (wanted && std::ranges::find(known, form.*part) == known.end()) known.push_back(form.*part);
  }
  return fmt::format("{}", fmt::join(known, ", "));
}

/// What --to may be, for a backend, or for all.
std::string forms(std::string_view backend) {
  std::string out = names(&Form::name, backend);
  if (backend.empty() || backend == kWebBackend) out += fmt::format(", {}", kWebForm);
  if (backend.empty()) out += fmt::format(", {}, {}", kDrawing, kText);
  return out;
}

struct LowerOptions {
  std::vector<std::string> paths, constants, dimensions;
  std::optional<std::string> entry;
  std::string to, backend, out;
  bool conformance = false;
};

/// Whether a terminal would get a binary form.
int refuse_terminal(const LowerOptions& options) {
  if (!options.out.empty() || isatty(STDOUT_FILENO) == 0) return 0;
  return usage_error(fmt::format("--to {0} is binary: name a file with -o, or ask for {0}-asm", options.to));
}

/// Says which loops cannot be unrolled as they ask for, in this form.
void note_hints(const host::CheckedFile& file, const std::string& path, const Kernel& kernel,
                std::string_view form) {
  for (const Diag& diag : lower::unfollowed_hints(kernel, /*target_has_hint=*/form != "wgsl"))
    note(diag, path, file.source.get());
}

/// What a plugin is given for a program that it may run.
int lower_for_plugin(const LowerOptions& options, const std::string& path) {
  const auto plugin = backend::open(options.backend);
  if (!plugin) return report(plugin.error());
  const bool as_text = options.to == "spirv-asm";
  if (options.to == "spirv")
    if (const int refused = refuse_terminal(options)) return refused;
  const auto file = load_program(path, options.constants, options.entry);
  if (!file) return file.error();
  note_hints(*file, path, lower::build(*file->checked), options.to);
  auto lowered = backend::lowered_for_plugins(as_text ? "spirv" : options.to, *file->checked,
                                              (*plugin)->limits().subgroup_size);
  if (!lowered) {
    return usage_error(
        fmt::format("--to {}: a plugin is given {} (or spirv-asm)", options.to, backend::plugin_forms()));
  }
  if (const auto has_all = backend::check_intrinsics(**plugin, *file->checked); !has_all)
    lowered = std::unexpected(has_all.error());
  if (!*lowered) {
    const Diag& diag = lowered->error();
    return report(host::ProgramError{render(diag, file->source.get(), path), exit_code(diag.code)});
  }
  if (!as_text) return write_output(options.out, **lowered);
  std::vector<uint32_t> words((*lowered)->size() / 4);
  std::memcpy(words.data(), (*lowered)->data(), 4 * words.size());
  const auto text = lower::disassemble(words);
  return text ? write_output(options.out, *text) : report(text.error());
}

/// A graph drawn, or the module that it becomes.
int lower_graph(const LowerOptions& options, const host::ModuleFile& file, uint32_t number) {
  const check::TensorGraph& graph = file.module->graphs()[number];
  const auto dimensions = read_dimensions(options.dimensions, graph);
  if (!dimensions) return dimensions.error();
  if (options.to == kDrawing && dimensions->empty() && host::first_without_size(graph, *dimensions))
    return write_output(options.out, host::draw_graph(graph));
  if (const auto name = host::first_without_size(graph, *dimensions))
    return usage_error(
        fmt::format("--dim {}=5 is missing: the size of a dimension of {}", *name, graph.name));
  const auto sized = check::sized(graph, *dimensions);
  if (!sized) {
    const Diag& diag = sized.error();
    return report(host::ProgramError{render(diag, file.source.get(), file.path), exit_code(diag.code)});
  }
  if (options.to == kDrawing) return write_output(options.out, host::draw_graph(*sized, *dimensions));
  if (const auto countable = tensor::check_countable(*sized); !countable) {
    const Diag& diag = countable.error();
    return report(host::ProgramError{render(diag, file.source.get(), file.path), exit_code(diag.code)});
  }
  // Each device has kernels of its own; with none, or where it is not here, they are a GPU's.
  auto device = tensor::Device::Gpu;
  if (!options.backend.empty()) {
    if (const auto backend = backend::open(options.backend, {})) device = (*backend)->identity().kind;
  }
  return write_output(
      options.out, text::print(tensor::lower(*sized, file.module->module().operations, {.device = device})));
}

/// What is lowered without a backend: a pipeline or a graph.
int lower_item(const LowerOptions& options, const std::string& path) {
  if (!options.backend.empty() && options.to == kDrawing)
    return usage_error(fmt::format("--to {} goes with no --backend: it is the same on each", options.to));
  const auto file = load_module(path, options.constants);
  if (!file) return file.error();
  const auto entry = host::find_entry(*file->module, options.entry);
  if (!entry) return usage_error(fmt::format("{}: {}", path, entry.error().message));
  if (entry->kind == host::ItemKind::Graph) return lower_graph(options, *file, entry->number);
  const std::string_view name = host::name_of(*file->module, *entry);
  if (options.to == kText)
    return usage_error(fmt::format("--to {}: {} is a {}, and graphs become modules: --entry names one", kText,
                                   name, host::text(entry->kind)));
  if (!options.dimensions.empty())
    return usage_error(
        fmt::format("--dim {}: {} is a {}", options.dimensions[0], name, host::text(entry->kind)));
  if (entry->kind == host::ItemKind::Program) {
    return usage_error(fmt::format(
        "--to {}: {} is a program, and pipelines and graphs are drawn: --entry names one", kDrawing, name));
  }
  return write_output(options.out, host::draw(*file->module, entry->number));
}

int run_lower(const LowerOptions& options) {
  if (options.to == kWebForm && (options.backend.empty() || options.backend == kWebBackend)) {
    if (!options.constants.empty())
      return usage_error("--to web runs a program as it is written: no --const");
    return lower_to_web(options.paths, options.conformance, options.out, options.entry);
  }
  if (options.conformance) return usage_error("--conformance goes with --to web");
  if (options.paths.size() != 1) return usage_error(fmt::format("--to {} takes one FILE", options.to));
  const std::string& path = options.paths[0];
  if (options.to == kDrawing || options.to == kText) return lower_item(options, path);
  if (!options.dimensions.empty())
    return usage_error(fmt::format("--dim goes with --to {} and --to {} of a graph", kDrawing, kText));
  if (backend::is_plugin(options.backend)) return lower_for_plugin(options, path);
  if (!options.backend.empty() &&
      std::ranges::find(kForms, options.backend, &Form::backend) == kForms.end()) {
    if (const auto backend = backend::open(options.backend); !backend) return report(backend.error());
    return usage_error(fmt::format("--backend {}: this build lowers for {} and plugins", options.backend,
                                   names(&Form::backend, "")));
  }
  const auto form = std::ranges::find_if(kForms, [&](const Form& f) {
    return f.name == options.to && (options.backend.empty() || f.backend == options.backend);
  });
  if (form == kForms.end()) {
    const std::string who = options.backend.empty() ? "this build" : options.backend;
    return usage_error(fmt::format("--to {}: {} lowers to {}", options.to, who, forms(options.backend)));
  }
  if (form->binary)
    if (const int refused = refuse_terminal(options)) return refused;
  const auto file = load_program(path, options.constants, options.entry);
  if (!file) return file.error();
  const Kernel kernel = lower::build(*file->checked);
  note_hints(*file, path, kernel, form->name);
  const auto printed = form->print(kernel);
  if (printed) return write_output(options.out, *printed);
  return report(
      host::ProgramError{render(printed.error(), file->source.get(), path), exit_code(printed.error().code)});
}

}  // namespace

void add_lower(CLI::App& app, int& exit) {
  auto options = std::make_shared<LowerOptions>();
  CLI::App* verb = app.add_subcommand("lower", "Print what a program becomes on its way to a backend");
  verb->add_option("FILE", options->paths, "a program, text or wire; several with --to web");
  verb->add_option("--to", options->to, forms(""))->required()->type_name("FORM");
  verb->add_option(
          "--backend", options->backend,
          fmt::format("the backend to lower for: {}, or a plugin; by itself the first that has the form",
                      names(&Form::backend, "")))
      ->type_name("B");
  verb->add_option("--entry", options->entry,
                   "the program, or the pipeline or graph to draw, where the file has several")
      ->type_name("NAME");
  add_constants(*verb, options->constants);
  add_repeated(*verb, "--dim", options->dimensions, "NAME=SIZE",
               "the size of a dimension of a graph: with all of them, its kernels are drawn");
  verb->add_option("-o", options->out, "the file to write, stdout without it; with --to web the folder")
      ->type_name("OUT");
  verb->add_flag("--conformance", options->conformance,
                 "with --to web, instead of FILE: all operations and operators");
  verb->footer(
      "Example: vyre lower examples/block_sum.vyre --to ptx\n"
      "kernel is the program in linear form, legal the same in raw operators, llvm and asm are the native\n"
      "backend's, ptx is for every NVIDIA GPU from sm_70 on, spirv the binary module for Vulkan 1.2 and\n"
      "spirv-asm its text: for a device that has Vulkan's memory model, subgroups of 32 and f32 rounded to\n"
      "even without subnormals, as nearly all are; the vulkan backend uses what its device has. wgsl is the\n"
      "module for WebGPU, with nothing optional and no floats in it; web, a folder with a page that runs\n"
      "programs in a browser. None of them needs a device.\n"
      "dot draws a pipeline or a graph, for Graphviz: vyre lower FILE --to dot | dot -Tsvg. vyre is the "
      "module\n"
      "that a graph becomes at the sizes of --dim, with --backend B of that device.");
  verb->callback([options, &exit] { exit = run_lower(*options); });
}

}  // namespace vyre::tool
