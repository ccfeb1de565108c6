// A graph at some sizes as the module that it becomes, from disk where an earlier run left it.
//
// Lowering a graph of 500 operations takes longer than starting a process, so users of graphs keep what comes
// of it: the module in its wire form, in a cache file (backend/cache_files.h) under all that it depends on,
// the file's items, the graph, the sizes, the options, and the sources of vyre. What is read is decoded and
// checked as any module is, so a file that is damaged, or of another time, is at worst made again. Code of
// its programs is kept by backends, as that of any program.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "check/module.h"
#include "check/tensors.h"
#include "tensor/lower.h"

namespace vyre::plan {

/// Where users keep them. No worker may write there.
std::filesystem::path lowered_folder();

/// What tensor::lower() makes of graph `number` of a module, checked. `sized`: that graph at these sizes.
/// `cache`: where it is kept; empty: nowhere, for those who judge what lowering makes. `ops` must outlive it.
/// Errors  L005: tensor::check_countable().
Result<std::shared_ptr<const check::CheckedModule>> lowered(
    const check::CheckedModule& module, uint32_t number, const check::Dimensions& dimensions,
    const check::SizedGraph& sized, const spec::OpTable& ops, const tensor::Options& options,
    const std::filesystem::path& cache = {});

}  // namespace vyre::plan
