#include "check/link.h"

#include <algorithm>

namespace vyre::check {

std::optional<uint32_t> Linker::find(std::string_view id, uint32_t version) {
  const ir::Module* text = ops_.find_module(id, version);
  if (text == nullptr) return std::nullopt;
  if (const auto known = entries_.find(text); known != entries_.end()) return known->second;
  const auto entry = std::ranges::find(text->pipelines, "main", &ir::Pipeline::name);
  const std::shared_ptr<const CheckedModule> library =
      entry == text->pipelines.end() ? nullptr : check_(*text);
  if (library == nullptr) return std::nullopt;
  libraries.push_back(library);
  return entries_[text] = add(*library, uint32_t(entry - text->pipelines.begin()));
}

uint32_t Linker::add(const CheckedModule& library, uint32_t pipeline) {
  const CheckedPipeline& of = library.pipelines()[pipeline];
  const auto [known, fresh] =
      numbers_.try_emplace(of.pipeline, uint32_t(pipelines_before_ + pipelines.size()));
  const uint32_t number = known->second;
  if (!fresh) return number;
  pipelines.push_back(of);
  for (size_t i = 0; i < of.target.size(); ++i) {
    uint32_t target = of.target[i];
    switch (of.pipeline->commands[i].kind) {
      case ir::CommandKind::Dispatch: {
        const std::shared_ptr<const Checked>& program = library.programs()[target];
        const auto [at, first] =
            numbers_.try_emplace(program.get(), uint32_t(programs_before_ + programs.size()));
        if (first) programs.push_back(program);
        target = at->second;
        break;
      }
      case ir::CommandKind::Run: target = add(library, target); break;
      case ir::CommandKind::Scratch:
      case ir::CommandKind::Let:
      case ir::CommandKind::Loop:
      case ir::CommandKind::Repeat:
      case ir::CommandKind::If: break;
    }
    pipelines[number - pipelines_before_].target[i] = target;
  }
  return number;
}

}  // namespace vyre::check
