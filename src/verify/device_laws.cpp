#include "verify/device_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/random.h"

namespace vyre::verify {
namespace {

using algebra::BoundLaw;
using backend::DeviceRange;

constexpr uint64_t kSaltStream = 0x6465766c6177;   // "devlaw": streams of their own
constexpr uint64_t kDeviceLawPoison = 0x64657670;  // "devp"
constexpr uint64_t kWalkStream = 0x77616c6b;       // "walk"

constexpr uint32_t kCanaryOneIn = 64;  // chunks
constexpr uint32_t kRandomFold = 15;

constexpr uint32_t kFirstSlice = 1u << 12;                  // chunks
constexpr uint32_t kLargestSlice = 1u << 22;                // 2^34 instances: milliseconds on a large GPU
constexpr size_t kRemembered = 4;                           // slices, for the search
constexpr uint32_t kMaxSamples = 4096;                      // invocations
constexpr auto kSliceTime = std::chrono::milliseconds(20);  // a longer slice is not doubled
constexpr auto kSliceTimeLimit = std::chrono::milliseconds(80);  // and a slice beyond this is halved

struct Slots {
  std::vector<uint32_t> words = std::vector<uint32_t>(size_t{kSlots} * kCounts);
  uint32_t& at(size_t slot, DeviceCount which) { return words[slot * kCounts + uint32_t(which)]; }
};

/// Chunks first .. first + count - 1 that have canaries.
uint64_t canary_chunks(const Sweep& sweep) {
  if (sweep.canary_value > sweep.canary_mask) return 0;
  uint64_t n = 0;
  for (uint32_t t = 0; t < sweep.threads; ++t)
    n += sweep.is_canary(sweep.first_chunk + t * sweep.chunk_stride);
  return n;
}

Result<std::unique_ptr<backend::DeviceBuffer>> device_words(backend::Backend& backend, uint64_t words) {
  return backend.allocate(4 * std::max<uint64_t>(1, words));
}
DeviceRange whole(backend::DeviceBuffer& buffer) { return {&buffer, 0, buffer.bytes()}; }

std::string list(std::span<const uint32_t> words) {
  std::string out;
  for (const uint32_t w : words) out += fmt::format("{}{:#x}", out.empty() ? "" : ", ", w);
  return out;
}

}  // namespace

Sweep part_of(const Sweep& sweep, uint32_t first, uint32_t count) {
  Sweep out = sweep;
  out.first_chunk += first * sweep.chunk_stride;
  out.start += first * sweep.start_stride;
  out.threads = count;
  return out;
}

Sweep one_by_one(const Sweep& sweep, uint32_t chunk, uint32_t start) {
  Sweep each = sweep;
  each.first_chunk = chunk;
  each.chunk_stride = 0;
  each.start = start;
  each.start_stride = 1;
  each.threads = uint32_t(sweep.chunk_instances()) + (sweep.is_canary(chunk) ? sweep.length : 0);
  each.runs = each.length = 1;
  each.canary_mask = 0;
  each.canary_value = 1;
  return each;
}

uint64_t swept_instances(Strength strength) {
  switch (strength) {
    case Strength::Quick: return 0;
    case Strength::Standard: return uint64_t{1} << 24;
    case Strength::Full: return uint64_t{1} << 36;
  }
  return 0;
}

std::string SweepCounts::doubt() const {
  if (completed != instances + canaries) {
    return fmt::format("{} of {} instances were run", completed, instances + canaries);
  }
  if (canaries_seen != canaries) return fmt::format("{} of {} canaries were seen", canaries_seen, canaries);
  if (samples_wrong == 0) return {};
  return fmt::format("{} of {} samples are wrong: at {} the sides are {}, not {}", samples_wrong, samples,
                     list(wrong_values), list(wrong_sides), list(right_sides));
}

Result<std::unique_ptr<DeviceLaw>> DeviceLaw::make(backend::Backend& backend, const BoundLaw& law,
                                                   const spec::OpTable& table,
                                                   const LawProgramOptions& options) {
  std::unique_ptr<DeviceLaw> out(new DeviceLaw(law));
  out->program_ = law_program(law, options);
  ir::Program program = std::move(out->program_.program);
  auto checked = check::check(std::move(program), table);
  if (!checked) return std::unexpected(checked.error().front());
  out->branches_ = has_branches_of_its_own(*checked);
  VYRE_TRY(pipeline, backend.compile(*checked));
  VYRE_TRY(parameters, device_words(backend, out->program_.parameter_words));
  VYRE_TRY(results, device_words(backend, uint64_t{kSlots} * kCounts));
  VYRE_TRY(samples, device_words(backend, uint64_t{kMaxSamples} * out->program_.sample_words));
  out->pipeline_ = std::move(pipeline);
  out->parameters_ = std::move(parameters);
  out->results_ = std::move(results);
  out->samples_ = std::move(samples);
  out->first_slice_ = kFirstSlice;
  return out;
}

Result<void> DeviceLaw::slice(const Sweep& sweep, uint32_t samples, SweepCounts& counts) {
  const std::vector<uint32_t> parameters = program_.parameters(sweep, samples);
  VYRE_CHECK(parameters_->write(0, std::as_bytes(std::span(parameters))));
  // Counts are added to words that cannot be foreseen: what was not touched cannot look like a count.
  Slots poison;
  const uint64_t dispatch = dispatch_number_++;
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const auto words = philox(sweep.canary_salt, dispatch * kSlots + slot, kDeviceLawPoison);
    for (const DeviceCount c : {DeviceCount::Completed, DeviceCount::Failures, DeviceCount::Canaries})
      poison.at(slot, c) = words[size_t(c)];
    poison.at(slot, DeviceCount::FirstThread) = UINT32_MAX;
  }
  VYRE_CHECK(results_->write(0, std::as_bytes(std::span(poison.words))));
  if (samples > 0) VYRE_CHECK(samples_->fill(0, samples_->bytes(), std::byte{0xa5}));

  const std::array ranges = {whole(*parameters_), whole(*results_), whole(*samples_)};
  VYRE_CHECK(
      pipeline_->dispatch_resident(ranges, {(sweep.threads + kLawWorkgroup - 1) / kLawWorkgroup, 1, 1}));
  ++counts.dispatches;

  Slots found;
  VYRE_CHECK(results_->read(0, std::as_writable_bytes(std::span(found.words))));
  const uint64_t canaries = canary_chunks(sweep) * sweep.length;
  uint32_t first = UINT32_MAX;
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const auto counted = [&](DeviceCount c) { return found.at(slot, c) - poison.at(slot, c); };
    counts.completed += counted(DeviceCount::Completed);
    counts.failures += counted(DeviceCount::Failures);
    counts.canaries_seen += counted(DeviceCount::Canaries);
    first = std::min(first, found.at(slot, DeviceCount::FirstThread));
  }
  counts.instances += sweep.threads * sweep.chunk_instances();
  counts.canaries += canaries;
  if (first != UINT32_MAX && !counts.first_chunk) {
    counts.first_chunk = sweep.first_chunk + first * sweep.chunk_stride;
    counts.first_start = sweep.start + first * sweep.start_stride;
  }
  return samples > 0 ? take_samples(sweep, samples, counts) : Result<void>{};
}

Result<void> DeviceLaw::take_samples(const Sweep& sweep, uint32_t samples, SweepCounts& counts) {
  const size_t width = program_.sample_words, variables = law_.variables.size();
  std::vector<uint32_t> words(samples * width), values(variables);
  VYRE_CHECK(samples_->read(0, std::as_writable_bytes(std::span(words))));
  for (uint32_t t = 0; t < samples; ++t) {
    const std::span<const uint32_t> sample = std::span(words).subspan(t * width, width);
    const uint32_t chunk = sweep.first_chunk + t * sweep.chunk_stride;
    const uint32_t runs = sweep.runs + (sweep.is_canary(chunk) ? 1 : 0);
    const uint32_t number = sweep.start + t * sweep.start_stride + runs * sweep.length - 1;
    sweep.values(chunk, number, law_.variables, values);
    const LawAt right = law_at(law_, values);
    ++counts.samples;
    if (std::ranges::equal(sample.first(variables), values) &&
        std::ranges::equal(sample.subspan(variables), right.sides)) {
      continue;
    }
    if (counts.samples_wrong++ > 0) continue;
    counts.wrong_values.assign(values.begin(), values.end());
    counts.wrong_sides.assign(sample.begin() + ptrdiff_t(variables), sample.end());
    counts.right_sides = right.sides;
  }
  return {};
}

Result<SweepCounts> DeviceLaw::run(const Sweep& sweep, const Monitor& monitor) {
  SweepCounts counts;
  uint64_t number = 0;
  interrupted_ = Interrupted{};
  for (uint32_t first = 0; first < sweep.threads && !monitor.stopped(); ++number) {
    const uint32_t count = std::min(first_slice_, sweep.threads - first);
    const uint32_t samples = number % kSampledSlices == 0 ? std::min(count, kMaxSamples) : 0;
    interrupted_->first = first;
    interrupted_->count = count;
    const auto start = std::chrono::steady_clock::now();
    VYRE_CHECK(slice(part_of(sweep, first, count), samples, counts));
    interrupted_->before.push_back(count);
    if (interrupted_->before.size() > kRemembered) interrupted_->before.erase(interrupted_->before.begin());
    const auto took = std::chrono::steady_clock::now() - start;
    if (took < kSliceTime && count == first_slice_) first_slice_ = std::min(2 * first_slice_, kLargestSlice);
    if (took > kSliceTimeLimit) first_slice_ = std::max(first_slice_ / 2, kLawWorkgroup);
    monitor.done(count * sweep.chunk_instances());
    first += count;
  }
  interrupted_.reset();
  return counts;
}

Result<SweepCounts> DeviceLaw::dispatch(const Sweep& sweep) {
  SweepCounts counts;
  VYRE_CHECK(slice(sweep, 0, counts));
  return counts;
}

Result<std::optional<std::vector<uint32_t>>> DeviceLaw::find(const Sweep& sweep, uint32_t chunk,
                                                             uint32_t start) {
  const Sweep each = one_by_one(sweep, chunk, start);
  SweepCounts counts;
  VYRE_CHECK(slice(each, 0, counts));
  if (!counts.first_start) return std::nullopt;
  std::vector<uint32_t> values(law_.variables.size());
  sweep.values(chunk, *counts.first_start, law_.variables, values);
  return values;
}

Result<SweepCounts> DeviceLaw::at(std::span<const uint32_t> values) {
  Sweep one;
  one.start = 1;
  one.length = 1;
  one.threads = 1;
  // x ^ (x >> 31) is its own inverse.
  for (const uint32_t value : values) one.variables.push_back({.least_step = value ^ (value >> 31)});
  SweepCounts counts;
  VYRE_CHECK(slice(one, 1, counts));
  return counts;
}

Sweep random_sweep(const BoundLaw& law, uint64_t instances, uint64_t seed, ChunkSize chunk) {
  Sweep out;
  const std::string name = spec::to_string(*law.law) + std::string(law.f->id);
  // A stream for each law: FNV-1a of its name.
  uint64_t stream = 0xcbf29ce484222325;
  for (const char c : name) stream = (stream ^ uint8_t(c)) * 0x100000001b3;
  for (size_t v = 0; v < law.variables.size(); ++v) {
    const auto salts = philox(seed, v, kSaltStream ^ stream);
    out.variables.push_back(
        {.base_salt = salts[0], .step_salt = salts[1], .random = UINT32_MAX, .least_step = 1});
  }
  const auto salts = philox(seed, law.variables.size(), kSaltStream ^ stream);
  out.fold = kRandomFold;
  out.runs = chunk.runs;
  out.length = chunk.length;
  out.threads = uint32_t((instances + out.chunk_instances() - 1) / out.chunk_instances());
  out.canary_mask = kCanaryOneIn - 1;
  out.canary_value = salts[0] & out.canary_mask;
  out.canary_salt = salts[1];
  return out;
}

Sweep random_sweep(const DeviceLaw& law, uint64_t instances, uint64_t seed) {
  return random_sweep(law.law(), instances, seed, law.branches() ? kShortChunk : kUsualChunk);
}

Sweep grid_sweep(size_t variables, uint32_t repetitions) {
  Sweep out;
  out.variables.push_back({.least_step = 1});
  out.threads = repetitions;
  for (size_t v = 1; v < variables; ++v) {
    out.variables.push_back({.grid_shift = uint32_t(8 * (v - 1)), .grid_mask = 255});
    out.threads *= 256;
  }
  return out;
}

Sweep u16_sweep() {
  Sweep out;
  // A chunk is one word of the second variable, and in it the first walks.
  out.variables = {{.least_step = 1}, {.grid_mask = 0xffff}};
  out.runs = out.length = 256;
  out.threads = 65536;
  return out;
}

Sweep walking_sweep(size_t variables, size_t walker, uint32_t chunk, uint64_t seed) {
  Sweep out;
  const auto salts = philox(seed, chunk, kWalkStream);
  for (size_t v = 0; v < variables; ++v) {
    // An odd step visits every word once, and x ^ (x >> fold) takes no word twice. The others take no step:
    // the hash of 0 is 0.
    VariableFormula f{.base_salt = salts[v], .step_salt = chunk, .random = UINT32_MAX};
    if (v == walker) f = {.least_step = salts[3] | 1};
    out.variables.push_back(f);
  }
  out.fold = kRandomFold;
  out.first_chunk = chunk;
  out.chunk_stride = 0;
  out.runs = kUsualChunk.runs;
  out.length = kUsualChunk.length;
  out.start_stride = uint32_t(out.chunk_instances());
  out.threads = uint32_t((uint64_t{1} << 32) / out.chunk_instances());
  return out;
}

}  // namespace vyre::verify
