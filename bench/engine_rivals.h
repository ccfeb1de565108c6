// Rivals of engines that are whole libraries: Hyperscan, SuiteSparse:GraphBLAS, DuckDB.
//
// Each is optional. The first two are found when the bench is built (Debian: libhyperscan-dev,
// libgraphblas-dev), DuckDB when it runs (npm: @duckdb/node-bindings-linux-x64). A rival that is not there
// says which package it wants. What is made once for many inputs (a database of literals, a matrix, tables)
// is made before the clock runs, as an engine is compiled before; what depends on the question is not. All
// outputs of the engine are filled in, so that bytes can be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::bench {

struct LibraryRival {
  std::string name;           // "GraphBLAS, 2 threads"
  std::string missing;        // the package that it wants; empty: it is there
  std::function<void()> run;  // what is timed: fills the outputs
};

/// Levels of a breadth-first search from vertex `source` of the graph in CSR form; ~0: not reached.
LibraryRival graphblas_bfs(std::span<const uint32_t> offsets, std::span<const uint32_t> targets,
                           uint32_t source, std::span<uint32_t> levels, unsigned threads);

/// Where literals end in the text, in the order of the ends: calls `found` with the literal and the end.
LibraryRival hyperscan_literals(std::span<const std::string_view> literals, std::string_view text,
                                std::function<void(uint32_t literal, uint64_t end)> found);

/// Pairs of places of equal keys, in ascending order: calls `pairs` with columns of them.
LibraryRival duckdb_join(
    std::span<const uint32_t> left, std::span<const uint32_t> right, unsigned threads,
    std::function<void(std::span<const uint32_t> left, std::span<const uint32_t> right)> pairs);

}  // namespace vyre::bench
