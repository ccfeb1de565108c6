// Operations: named, versioned compositions that programs call, and the table that resolves a call.
//
// spec/ knows only what a caller needs: id, version, signature, and a body it does not look into. The
// operation library (ops/) fills an OpTable; check, lower and ref take it as an argument, so none of them
// depends on what is in the library. Source: ir-types, "OpSignature"; vyre-conform-spec, "The Category A+C
// rule".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/convention.h"
#include "spec/intrinsics.h"
#include "spec/types.h"

namespace vyre::ir {
struct Function;
struct Module;
}  // namespace vyre::ir

namespace vyre::spec {

struct OpSignature {
  std::vector<DataType> inputs;
  DataType output = DataType::U32;
  bool operator==(const OpSignature&) const = default;
  /// The fewest bytes that one application reads: a value of each input.
  uint64_t min_input_bytes() const {
    uint64_t bytes = 0;
    for (const DataType input : inputs) bytes += min_bytes(input);
    return bytes;
  }
};

/// A: composed of other operations, inlined, no overhead. C: one hardware instruction, no software fallback.
/// There is no B (run-time abstraction).
enum class Category : uint8_t { A, C };

struct OpDef {
  std::string id;  // "primitive.bitwise.rotl"; has a dot
  uint32_t version = 1;
  OpSignature signature;
  Category category = Category::A;
  const ir::Function* body = nullptr;                 // category A; outlives the table
  std::optional<Intrinsic> intrinsic = std::nullopt;  // category C: what has to do it
  Convention convention = Convention::v1();           // of the pipeline that applies it to buffers
};

/// Operations that are made when they are asked for. What it gives stays where it is as long as it lives.
/// Thread  any.
class OpSource {
 public:
  virtual ~OpSource() = default;
  /// nullptr when there is none.
  virtual const OpDef* find(std::string_view id, uint32_t version) const = 0;
  /// By id, then version.
  virtual std::vector<const OpDef*> all() const = 0;
  /// The text of an operation over buffers, whose entry is its pipeline `main`; nullptr when there is none.
  virtual const ir::Module* find_module(std::string_view id, uint32_t version) const = 0;
  /// The ids of those.
  virtual std::vector<std::string_view> module_ids() const = 0;
};

class OpTable : public OpSource {
 public:
  OpTable() = default;
  /// A table that has what `base` has, which must outlive it, and what is added to it.
  explicit OpTable(const OpSource* base) : base_(base) {}
  /// False when the id and version are taken.
  bool add(OpDef def);
  const OpDef* find(std::string_view id, uint32_t version) const override;
  std::vector<const OpDef*> all() const override;
  const ir::Module* find_module(std::string_view id, uint32_t version) const override {
    return base_ == nullptr ? nullptr : base_->find_module(id, version);
  }
  std::vector<std::string_view> module_ids() const override {
    return base_ == nullptr ? std::vector<std::string_view>() : base_->module_ids();
  }

 private:
  const OpSource* base_ = nullptr;
  std::map<std::pair<std::string, uint32_t>, OpDef, std::less<>> defs_;
};

/// Adds every operation of category C (intrinsics.def).
void add_intrinsics(OpTable& table);

}  // namespace vyre::spec
