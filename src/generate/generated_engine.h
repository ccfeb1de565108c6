// Engines made by chance: chains of library pieces between inputs and a list of records.
//
// Engine (seed, number) is a whole module: a pipeline `main` that runs two to eight stages, each an operation
// of the library with what it needs around it, over a list of keys, with tags or without. Every stage can
// follow every other: one that wants ascending keys has them sorted first, one that cannot look at a count
// gets the list padded. So stages can be left out, which is how a failing engine is made smaller. What each
// stage does to the order, the distinctness and the tags of the list is a row of a table, and what an engine
// promises follows from these. The reference puts together the references of the pieces
// (generate/engine_pieces.h); no text is run for it.
//
// All engines have the same buffers, used or not, so a case of one is a case of each:
//   read keys, tags      the list; tags ascend, so that they tell where a record came from
//   read other           a second list of keys
//   read_write out, out_tags, total   the keys of the records, their tags, how many there are
//
// Source: docs/engines.md, "Generated engines".
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "library/library.h"
#include "opspec/engine.h"

namespace vyre::generate {

/// What is known of the list of records.
struct EngineFacts {
  bool sorted = false;      // keys do not decrease
  bool distinct = false;    // no key twice
  bool permutation = true;  // the keys are those of the input
  bool ascending = true;    // tags do not decrease
  bool stable = true;       // of equal keys tags do not decrease
  bool unique_tags = true;  // no tag twice, where the input has none twice
  bool operator==(const EngineFacts&) const = default;
};

struct EngineOptions {
  uint32_t fewest_stages = 2, most_stages = 8;
  /// These stages, of engine_stages(), and not any; seed and number say all else about them. They are no part
  /// of a token.
  std::vector<std::string_view> stages = {};
  /// Which reference an operation of the library has; null: opspec's.
  std::function<void (*(std::string_view id))(opspec::Buffers&)> reference = nullptr;
};

struct GeneratedEngine {
  uint64_t seed = 0, number = 0;
  EngineOptions options;
  std::vector<uint32_t> kept;       // stages, by their place in the whole chain
  std::vector<std::string> stages;  // what each kept one is: "compact"
  std::vector<std::string> pieces;  // that run, in their order; of the body of a repeat once
  std::string text;                 // in canonical layout
  bool has_tags = false;            // records are a key and a tag, else a key
  EngineFacts facts;

  // As of a row of library/engines.def; host expressions over keys, tags and other.
  library::Promises promises = library::Invariant::Deterministic;
  std::string dispatches, scratch_bytes, turns;

  // As of opspec::OperationSpec and opspec::EngineSpec.
  std::function<opspec::Buffers(RandomStream& random, uint32_t size)> generate;
  /// Null: a record may be there twice.
  std::function<opspec::Buffers(RandomStream& random, uint32_t size)> tagged;
  std::function<void(opspec::Buffers& buffers)> reference;
  std::function<std::vector<opspec::Record>(const opspec::Buffers& buffers)> records;
  std::function<uint64_t(const opspec::Buffers& buffers)> needed;
  std::function<void(opspec::Buffers& buffers)> shorten;
  std::function<std::vector<uint64_t>(const opspec::Buffers& buffers)> written;

  /// "chain-0.2.3": the stages that are kept. With seed and number it names the engine.
  std::string strategy() const;
};

/// What stages there are: "compact", "sort", ...
std::vector<std::string_view> engine_stages();

/// A pure function of its arguments.
GeneratedEngine make_generated_engine(uint64_t seed, uint64_t number, const EngineOptions& options = {});
/// The engine of "chain-0.2.3", or of "chain", all stages. None for another word, and for stages that are not
/// there.
std::optional<GeneratedEngine> find_generated_engine(std::string_view strategy, uint64_t seed,
                                                     uint64_t number, const EngineOptions& options = {});
/// The engine without the k-th of its kept stages. Domain: it keeps two or more.
GeneratedEngine without_stage(const GeneratedEngine& engine, size_t k);

/// Cases with fewer elements than this one, the fewest first; then with elements that are 0.
std::vector<opspec::Buffers> smaller_engine_cases(const opspec::Buffers& buffers);

struct ShrunkEngine {
  GeneratedEngine engine;
  opspec::Buffers input;
};
/// From an engine and a case that fail to the end of a descent: first fewer stages, then a smaller case.
/// Cost: `fails` is asked once a stage for each that goes, and once a case that is tried.
ShrunkEngine shrink_engine(
    GeneratedEngine engine, opspec::Buffers input,
    const std::function<bool(const GeneratedEngine& engine, const opspec::Buffers& input)>& fails);

}  // namespace vyre::generate
