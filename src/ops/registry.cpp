#include "ops/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "library/library.h"
#include "spec/ops.h"
#include "text/text.h"

namespace vyre::ops {
namespace {

std::string id_of(const WordsFile& file) {
  std::string id(file.path);
  std::ranges::replace(id, '/', '.');
  return id;
}
OperationText text_of(const WordsFile& file) {
  return {id_of(file), file.path, std::string(file.text), file.beside()};
}

/// `type` counts in kFloatTypes.
std::string id_of(const FloatsFile& file, size_t type) {
  return fmt::format("float.{}.{}", spec::text(kFloatTypes[type]),
                     file.path.substr(file.path.rfind('/') + 1));
}
OperationText text_of(const FloatsFile& file, size_t type) {
  return {id_of(file, type), file.path, at_type(file.text, kFloatTypes[type]), {file.references()[type]}};
}

std::vector<OperationText> make_texts() {
  std::vector<OperationText> texts;
  for (const WordsFile& file : words_files()) texts.push_back(text_of(file));
  for (const FloatsFile& file : floats_files())
    for (size_t type = 0; type < kFloatTypes.size(); ++type) texts.push_back(text_of(file, type));
  return texts;
}

/// The text that has the operation of an id: as its own, or as the approximation beside it.
std::optional<OperationText> text_with(std::string_view id) {
  for (const WordsFile& file : words_files())
    if (id_of(file) == id) return text_of(file);
  const std::string beside = fmt::format("// approximation: float.$T.{}: ", id.substr(id.rfind('.') + 1));
  for (const FloatsFile& file : floats_files()) {
    for (size_t type = 0; type < kFloatTypes.size(); ++type) {
      const bool approximate = id.starts_with(fmt::format("float.{}.", spec::text(kFloatTypes[type]))) &&
                               file.text.find(beside) != std::string_view::npos;
      if (approximate || id_of(file, type) == id) return text_of(file, type);
    }
  }
  return std::nullopt;
}

std::vector<Operation> read(const OperationText& text) {
  auto operations = read_operations(text.text, text.beside);
  if (!operations) {  // the build has read it (vyre-admit), so no program that is run has such a text
    fmt::print(stderr, "{}: {}\n", text.id, operations.error().message);
    std::abort();
  }
  return std::move(*operations);
}

std::vector<Operation> make_all() {
  std::vector<Operation> all;
  for (const OperationText& text : operation_texts()) std::ranges::move(read(text), std::back_inserter(all));
  std::ranges::sort(all, [](const Operation& a, const Operation& b) {
    return a.id != b.id ? a.id < b.id : a.version < b.version;
  });
  return all;
}

/// The operations as calls find them, category C included. Reading all texts takes longer than checking and
/// compiling a small program, which calls few: so a text is read when it is asked for.
class Library final : public spec::OpSource {
 public:
  Library() { spec::add_intrinsics(table_); }

  const spec::OpDef* find(std::string_view id, uint32_t version) const override {
    const std::scoped_lock lock(mutex_);
    const spec::OpDef* known = table_.find(id, version);
    if (known != nullptr) return known;
    const auto text = text_with(id);
    if (!text) return nullptr;
    for (const Operation& operation : read(*text)) add(operation);
    return table_.find(id, version);
  }

  const ir::Module* find_module(std::string_view id, uint32_t version) const override {
    const library::Entry* entry = version == 1 ? library::find(id) : nullptr;
    if (entry == nullptr) return nullptr;
    const std::scoped_lock lock(modules_mutex_);
    const auto [known, fresh] = modules_.try_emplace(entry);
    if (fresh) {
      auto module = text::parse_module(entry->file->text, &op_table(),
                                       {entry->constants.begin(), entry->constants.end()});
      if (module) known->second = std::make_unique<const ir::Module>(std::move(*module));
    }
    return known->second.get();
  }

  std::vector<std::string_view> module_ids() const override {
    std::vector<std::string_view> out;
    for (const library::Entry& entry : library::entries()) out.push_back(entry.id);
    return out;
  }

  std::vector<const spec::OpDef*> all() const override {
    const std::scoped_lock lock(mutex_);
    for (const Operation& operation : all_operations()) add(operation);
    return table_.all();
  }

 private:
  void add(const Operation& operation) const {
    if (table_.find(operation.id, operation.version) != nullptr) return;
    const ir::Function* body = nullptr;
    if (operation.category == spec::Category::A) body = &bodies_.emplace_back(body_of(operation));
    table_.add({std::string(operation.id), operation.version, operation.signature, operation.category, body});
  }

  mutable std::mutex modules_mutex_;
  mutable std::map<const library::Entry*, std::unique_ptr<const ir::Module>> modules_;
  mutable std::mutex mutex_;
  mutable std::deque<ir::Function> bodies_;
  mutable spec::OpTable table_;
};

}  // namespace

const std::vector<OperationText>& operation_texts() {
  static const std::vector<OperationText> texts = make_texts();
  return texts;
}

ir::Function body_of(const Operation& operation) {
  ir::FunctionBuilder f{std::string(operation.id)};
  std::vector<ir::Ex> parameters;
  for (size_t i = 0; i < operation.signature.inputs.size(); ++i) {
    parameters.push_back(f.parameter(operation.parameter_names[i], operation.signature.inputs[i]));
  }
  const ir::Ex result = operation.compose(f, parameters);
  return f.finish(result, operation.signature.output);
}

bool loops(const Operation& operation) {
  const ir::Code code = body_of(operation).code;
  for (const ir::Node node : code.nodes) {
    if (node.kind == ir::NodeKind::Loop) return true;
  }
  return std::ranges::any_of(code.exprs, [&](const ir::Expr& e) {
    if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::Call) return false;
    const Operation* callee = find_operation(code.name(e.symbol), e.immediate);
    return callee != nullptr && loops(*callee);
  });
}

const std::vector<Operation>& all_operations() {
  static const std::vector<Operation> all = make_all();
  return all;
}

const Operation* find_operation(std::string_view id, uint32_t version) {
  const std::vector<Operation>& all = all_operations();
  const auto it = std::ranges::find_if(
      all, [&](const Operation& operation) { return operation.id == id && operation.version == version; });
  return it == all.end() ? nullptr : &*it;
}

const spec::OpTable& op_table() {
  static const Library library;
  static const spec::OpTable table(&library);
  return table;
}

}  // namespace vyre::ops
