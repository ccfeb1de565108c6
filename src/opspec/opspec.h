// Operations over buffers and what judges them: structured cases, and a reference on the host.
//
// An operation over buffers is a text (library/library.h). It is judged by cases: contents of its buffers,
// made by a generator that knows what they mean (items and offsets, sorted keys, graphs; valid, almost valid
// and malformed), and what these hold afterwards by a reference that shares nothing with the text: a
// well-kept library, named in its comment, or another algorithm. A case is a pure function of seed and
// number. Source: oracles, "Host references"; docs/library.md.
#pragma once

#include <array>
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
  /// Makes of malformed contents some that the operation has a meaning for, where it has not one for all:
  /// `whole` is what they were before. Without it all have one.
  void (*mend)(Buffers& buffers, const Buffers& whole) = nullptr;
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

/// Sizes at which operations are run besides: around the blocks of workgroups and of passes.
inline constexpr std::array<uint32_t, 29> kBoundarySizes = {
    0,   1,   2,   3,   4,   31,   32,   33,   63,   64,   65,   127,  128,  129, 255,
    256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097};

/// A case of which some words are others, or with buffers that are shorter or longer: offsets that decrease,
/// targets outside, tables of another size.
Buffers make_malformed_case(const OperationSpec& operation, uint64_t seed, uint64_t number);

/// A kind of cases, of which some must have been run.
struct CaseClass {
  std::string_view operations;  // whose it is: is_among(id, operations)
  std::string_view name;
  bool (*has)(const Buffers& buffers) = nullptr;
};
std::span<const CaseClass> array_classes();  // of collection
std::span<const CaseClass> graph_classes();
std::vector<const CaseClass*> classes_of(std::string_view id);

/// Simpler cases than this: by the operation's own rule, else as of items in buffers 0 and 1: parts of them,
/// down to one alone where there are few, and of a single item less of its bytes.
std::vector<Buffers> smaller_cases(const OperationSpec& operation, const Buffers& buffers);

}  // namespace vyre::opspec
