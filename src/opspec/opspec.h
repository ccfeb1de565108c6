// Operations over buffers and what judges them: structured cases, and a reference on the host.
//
// An operation over buffers is a text (library/library.h). It is judged by cases: contents of its buffers,
// made by a generator that knows what they mean (items and offsets, sorted keys, graphs; valid, almost valid
// and malformed), and what these hold afterwards by a reference that shares nothing with the text: a
// well-kept library, named in its comment, or another algorithm. A case is a pure function of seed and
// number. Source: oracles, "Host references"; docs/library.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace vyre::opspec {

/// The contents of a buffer: the memory of its elements, little-endian. Of `bytes` whole words.
using Buffer = std::vector<std::byte>;
/// One a parameter of the pipeline, in their order. Outputs hold something before a run: what an operation
/// must not write keeps it.
using Buffers = std::vector<Buffer>;

struct OperationSpec {
  std::string_view id;
  /// Contents of all buffers. `size` says how large: items, elements or vertices. Of equal streams equal
  /// ones.
  Buffers (*generate)(RandomStream& random, uint32_t size) = nullptr;
  /// Makes of them what a run leaves. Domain: anything; what LIBRARY calls malformed has its status.
  void (*reference)(Buffers& buffers) = nullptr;
  /// Cases that are simpler than one, the simplest first. Without it as of items.
  std::vector<Buffers> (*smaller)(const Buffers& buffers) = nullptr;
};

/// By category; each in a file of its own name.
std::span<const OperationSpec> hash_operations();
std::span<const OperationSpec> recode_operations();  // decode and encode
std::span<const OperationSpec> string_operations();
std::span<const OperationSpec> match_operations();
std::span<const OperationSpec> match_table_operations();  // globs and expressions
std::span<const OperationSpec> collection_operations();
std::span<const OperationSpec> graph_operations();

/// All, by id.
const std::vector<OperationSpec>& all_operations();
const OperationSpec* find_operation(std::string_view id);

/// Case `number` of a seed. Small sizes and those around block limits come often. Cost: up to about
/// 20,000 elements. With a size those of that size.
Buffers make_case(const OperationSpec& operation, uint64_t seed, uint64_t number,
                  std::optional<uint32_t> size = std::nullopt);

/// Simpler cases than this: by the operation's own rule, else as of items in buffers 0 and 1: each of them
/// alone, then with less of its bytes.
std::vector<Buffers> smaller_cases(const OperationSpec& operation, const Buffers& buffers);

}  // namespace vyre::opspec
