// Engines and what judges their promises.
//
// An engine is an operation over buffers of several dispatches (src/library/engine) that promises invariants
// (library/engines.def): its cases, reference and smaller cases are those of any operation over buffers
// (opspec/opspec.h). Here is what the invariants need besides: what the outputs list, as records that compare
// as the declared order says. The checkers (verify/engine.h) look at records alone and know no engine.
// Source: vyre-conform-spec, "Engine"; docs/engines.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "opspec/opspec.h"

namespace vyre::opspec {

/// One thing that an engine lists: its keys, then what breaks ties. Records stand in the declared order where
/// no one is lexicographically less than the one before.
using Record = std::vector<uint32_t>;

struct EngineSpec {
  std::string_view id;
  /// A case whose payload says where it came from: every record of the reference is there once. Of a size;
  /// null: the operation's own cases have that already.
  Buffers (*tagged)(RandomStream& random, uint32_t size) = nullptr;
  /// The records that a run left, as many as the outputs hold, in the order in which they stand there.
  /// Domain: any contents, also of a run that went wrong.
  std::vector<Record> (*records)(const Buffers& buffers) = nullptr;
  /// How many records a run says that there are: more than the outputs hold where these are too short.
  uint64_t (*needed)(const Buffers& buffers) = nullptr;
  /// Makes the outputs that have records shorter, to hold about half of them.
  void (*shorten)(Buffers& buffers) = nullptr;
  /// Of each buffer, how many bytes from its begin a run may have changed; what is behind keeps its contents.
  /// Of buffers after a run; 0 of inputs.
  std::vector<uint64_t> (*written)(const Buffers& buffers) = nullptr;
};

/// All, by id: of every row of library/engines.def one.
std::span<const EngineSpec> engine_specs();
const EngineSpec* find_engine_spec(std::string_view id);

/// The operations of category engine, with their cases and references.
std::span<const OperationSpec> array_engines();   // prefix, sort, scatter_gather, bfs
std::span<const OperationSpec> record_engines();  // scan_rules, tokens, join, dataflow
std::span<const EngineSpec> array_engine_specs();
std::span<const EngineSpec> record_engine_specs();

}  // namespace vyre::opspec
