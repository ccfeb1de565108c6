#include "backend/compile.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "backend/resources.h"
#include "lower/size.h"

namespace vyre::backend {
namespace {

unsigned threads_of(const CompileOptions& options) {
  return options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

CompilingBackend::CompilingBackend(CompileOptions options)
    : arena_(std::make_shared<tbb::task_arena>(int(threads_of(options)), 1)),
      module_programs_(options.module_programs),
      floats_(options.floats, options.promised, std::move(options.machine), std::move(options.verdicts)) {}

Result<void> CompilingBackend::accept(const check::Checked& program) const {
  return check_resources(*this, program);
}
bool CompilingBackend::shares_module(const lower::Kernel&) const { return true; }
std::unique_ptr<Pipeline> CompilingBackend::find_kept(const check::Checked&, const lower::FloatPromises&) {
  return nullptr;
}

Result<FloatUse> CompilingBackend::floats() {
  VYRE_TRY(profile, float_profile());
  return profile->use();
}

Result<const FloatProfile*> CompilingBackend::float_profile() {
  return floats_.profile([&](Programs programs, const lower::FloatPromises& promises) {
    return compile_all(programs, &promises);
  });
}

Result<lower::FloatPromises> CompilingBackend::promises_for(const lower::Kernel& kernel) {
  if (!has_float_arithmetic(kernel)) return lower::kNoFloats;
  VYRE_TRY(profile, float_profile());
  return profile->used;
}

Result<std::unique_ptr<Pipeline>> CompilingBackend::compile(const check::Checked& program) {
  VYRE_CHECK(accept(program));
  const lower::Kernel kernel = lower::build(program);
  VYRE_TRY(floats, promises_for(kernel));
  if (auto kept = find_kept(program, floats)) return kept;
  VYRE_TRY(legal, lower::legalize_bounded(kernel, target(floats)));
  const check::Checked* const one = &program;
  return std::move(make({&legal, 1}, {&one, 1}, true).front());
}

std::vector<Result<std::unique_ptr<Pipeline>>> CompilingBackend::compile_batch(Programs programs) {
  return compile_all(programs, nullptr);
}

void CompilingBackend::for_each(size_t count, const std::function<void(size_t)>& do_one) const {
  if (arena_->max_concurrency() == 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) do_one(i);
  } else {
    arena_->execute([&] { tbb::parallel_for(size_t{0}, count, do_one); });
  }
}

std::vector<Result<std::unique_ptr<Pipeline>>> CompilingBackend::compile_all(
    Programs programs, const lower::FloatPromises* promises) {
  std::vector<Compiled> out(programs.size());
  const auto threads = size_t(arena_->max_concurrency());
  const size_t share = (programs.size() + threads - 1) / threads;
  const size_t size = std::clamp(share, size_t{1}, module_programs_);
  for_each((programs.size() + size - 1) / size, [&](size_t module) {
    const size_t first = module * size;
    const size_t count = std::min(size, programs.size() - first);
    compile_module(programs.subspan(first, count), promises, std::span(out).subspan(first, count));
  });
  return out;
}

void CompilingBackend::compile_module(Programs programs, const lower::FloatPromises* promises,
                                      std::span<Compiled> out) {
  std::vector<lower::Kernel> kernels;
  std::vector<const check::Checked*> of;
  std::vector<size_t> positions;
  for (size_t i = 0; i < programs.size(); ++i) {
    auto legal = lower_one(*programs[i], promises);
    if (!legal) {
      out[i] = std::unexpected(std::move(legal).error());
    } else if (!shares_module(*legal)) {
      out[i] = std::move(make({&*legal, 1}, programs.subspan(i, 1), false).front());
    } else {
      kernels.push_back(std::move(*legal));
      of.push_back(programs[i]);
      positions.push_back(i);
    }
  }
  if (kernels.empty()) return;
  auto made = make(kernels, of, false);
  for (size_t k = 0; k < positions.size(); ++k) out[positions[k]] = std::move(made[k]);
}

Result<lower::Kernel> CompilingBackend::lower_one(const check::Checked& program,
                                                  const lower::FloatPromises* promises) {
  VYRE_CHECK(accept(program));
  const lower::Kernel kernel = lower::build(program);
  if (promises != nullptr) return lower::legalize_bounded(kernel, target(*promises));
  VYRE_TRY(floats, promises_for(kernel));
  return lower::legalize_bounded(kernel, target(floats));
}

}  // namespace vyre::backend
