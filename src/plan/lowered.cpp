#include "plan/lowered.h"

#include <fmt/format.h>

#include <string>

#include "backend/cache_files.h"
#include "lower/codegen/generator.h"
#include "wire/wire.h"

namespace vyre::plan {
namespace {

constexpr std::string_view kLoweredFormat = "vyre-lowered-graph/1";
constexpr std::string_view kLoweredSuffix = ".graph";

Digest lowered_key(const check::CheckedModule& module, uint32_t number, const check::Dimensions& dimensions,
                   const tensor::Options& options) {
  std::string sizes;
  for (const auto& [name, size] : dimensions) sizes += fmt::format("{}={} ", name, size);
  return backend::cache_key({kLoweredFormat, lower::generator_stamp(), wire::digest(module.module()).hex(),
                             std::to_string(number), sizes, tensor::key_of(options)});
}

}  // namespace

std::filesystem::path lowered_folder() { return backend::cache_folder("graphs"); }

Result<std::shared_ptr<const check::CheckedModule>> lowered(
    const check::CheckedModule& module, uint32_t number, const check::Dimensions& dimensions,
    const check::SizedGraph& sized, const spec::OpTable& ops, const tensor::Options& options,
    const std::filesystem::path& cache) {
  const backend::CacheFiles files(cache, kLoweredSuffix);
  const Digest key = cache.empty() ? Digest{} : lowered_key(module, number, dimensions, options);
  if (const auto kept = files.find(key)) {
    if (auto decoded = wire::decode_module(*kept)) {
      if (auto checked = check::check(*std::move(decoded), ops)) return *checked;
    }
  }
  VYRE_CHECK(tensor::check_countable(sized));
  auto checked = check::check(tensor::lower(sized, module.module().operations, options), ops);
  if (!checked) return std::unexpected(checked.error().front());
  if (!cache.empty()) files.keep(key, wire::encode((*checked)->module()));
  return *checked;
}

}  // namespace vyre::plan
