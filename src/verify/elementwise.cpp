#include "verify/elementwise.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/random.h"
#include "verify/guard_words.h"
#include "wire/wire.h"
#include "worker/worker.h"

namespace vyre::verify {
namespace {

constexpr uint64_t kElementPoison =
    0x706f69736f6e;  // "poison": a stream of its own in the counter's high words

/// How many bytes of word k of a value there are in a buffer: 4, but 2 for a 16-bit float.
size_t word_bytes(ir::DataType type, size_t k) { return std::min<size_t>(4, spec::info(type).bytes - 4 * k); }

/// From where, or to where, and how far it is from one to the next; 0: the same again and again.
template <typename Byte>
struct Strided {
  Byte* at;
  size_t step;
};

template <size_t bytes>
void copy_each(Strided<const std::byte> from, Strided<std::byte> to, size_t n) {
  if (from.step == 0 && to.step == bytes) {  // a loop of its own is vectors
    for (size_t i = 0; i < n; ++i) std::memcpy(to.at + i * bytes, from.at, bytes);
    return;
  }
  for (size_t i = 0; i < n; ++i) std::memcpy(to.at + i * to.step, from.at + i * from.step, bytes);
}
/// n words, of 4 bytes or of 2. The size is known to the compiler: copying word for word by calls takes
/// longer than what most kernels do with them.
void copy_words(Strided<const std::byte> from, Strided<std::byte> to, size_t bytes, size_t n) {
  if (from.step == bytes && to.step == bytes) {
    std::memcpy(to.at, from.at, n * bytes);
    return;
  }
  if (bytes == 4) return copy_each<4>(from, to, n);
  copy_each<2>(from, to, n);
}

/// Columns into the elements of a buffer.
void pack(ir::DataType type, std::span<const uint32_t* const> columns, size_t n, std::byte* out) {
  const size_t element = spec::info(type).bytes;
  for (size_t k = 0; k < columns.size(); ++k) {
    copy_words({std::as_bytes(std::span(columns[k], n)).data(), 4}, {out + 4 * k, element},
               word_bytes(type, k), n);
  }
}

}  // namespace

size_t input_words(const Application& what) {
  size_t words = 0;
  for (const ir::DataType type : what.inputs) words += spec::value_words(type);
  return words;
}
size_t output_words(const Application& what) { return spec::value_words(what.output); }

Application application_of(const ops::Operation& operation) {
  const std::string id(operation.id);
  const uint32_t version = operation.version;
  return {id, operation.signature.inputs, operation.signature.output,
          [id, version](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.call(id, x, version); }};
}

ir::Program elementwise_program(const Application& what, uint32_t workgroup) {
  static constexpr std::array<const char*, kMaxInputs> kNames = {"a", "b", "c", "d"};
  ir::ProgramBuilder p("elementwise");
  p.workgroup_size(workgroup, 1, 1);
  std::vector<ir::BufferRef> inputs;
  for (size_t k = 0; k < what.inputs.size(); ++k) {
    inputs.push_back(p.read(kNames[k], what.inputs[k], uint32_t(k)));
  }
  const ir::BufferRef out = p.read_write("out", what.output, uint32_t(inputs.size()));
  const ir::Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(inputs[0]), [&] {
    std::vector<ir::Ex> operands;
    for (const ir::BufferRef& input : inputs) operands.push_back(p.load(input, i));
    p.store(out, i, what.body(p, operands));
  });
  return p.finish();
}

Result<std::unique_ptr<Elementwise>> Elementwise::make(backend::Backend& backend, const Application& what,
                                                       const spec::OpTable& table, uint32_t workgroup) {
  ir::Program program = elementwise_program(what, workgroup);
  std::unique_ptr<Elementwise> out(new Elementwise);
  out->digest_ = wire::digest(program);
  out->types_ = what.inputs;
  out->output_type_ = what.output;
  out->workgroup_ = workgroup;
  out->canary_bytes_ = kGuardBytes;
  out->inputs_.resize(what.inputs.size());
  auto checked = check::check(std::move(program), table);
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(pipeline, backend.compile(*checked));
  out->pipeline_ = std::move(pipeline);
  out->in_place_ = dynamic_cast<worker::InPlacePipeline*>(out->pipeline_.get());
  return out;
}

std::unique_ptr<Elementwise> Elementwise::without_canaries() const {
  std::unique_ptr<Elementwise> out(new Elementwise);
  out->pipeline_ = pipeline_;
  out->in_place_ = in_place_;
  out->digest_ = digest_;
  out->types_ = types_;
  out->output_type_ = output_type_;
  out->workgroup_ = workgroup_;
  out->inputs_.resize(inputs_.size());
  return out;
}

/// The buffers of n elements as a dispatch binds them. The result's may be longer by canaries, which are
/// elements that no case has: poison like those that none has written yet.
void Elementwise::fill(std::span<const uint32_t* const> columns, size_t n, uint32_t poison,
                       Memory bound) const {
  for (size_t k = 0, column = 0; k < types_.size(); ++k) {
    const size_t words = spec::value_words(types_[k]);
    pack(types_[k], columns.subspan(column, words), n, bound[k].data());
    column += words;
  }
  const size_t element = spec::info(output_type_).bytes;
  std::byte* const out = bound.back().data();
  const std::byte* const poisons = std::as_bytes(std::span(&poison, 1)).data();
  for (size_t k = 0; k < spec::value_words(output_type_); ++k) {
    copy_words({poisons, 0}, {out + 4 * k, element}, word_bytes(output_type_, k),
               bound.back().size() / element);
  }
}

/// How many of the canaries behind the results are no poison any more.
uint64_t Elementwise::broken_canaries(std::span<const std::byte> canaries, uint32_t poison) const {
  const uint32_t word = spec::value_bits(output_type_) == 16 ? poison * 0x10001 : poison;
  uint64_t broken = 0;
  for (size_t at = 0; at < canaries.size(); at += 4) broken += load_u32(canaries.data() + at) != word;
  return broken;
}

/// Where the backend is in a process of its own, buffers are made in the memory that it shares; else here.
Result<void> Elementwise::dispatch(std::span<const uint64_t> sizes, uint32_t groups,
                                   const std::function<void(Memory)>& fill,
                                   const std::function<void(Memory)>& copy_out) {
  // guard words | what is bound | guard words
  const size_t bound = in_place_ != nullptr ? 0 : size_t(sizes.back());
  output_.resize(std::max(output_.size(), bound + 2 * kGuardBytes));
  std::byte* const behind = output_.data() + kGuardBytes + bound;
  put_guard(output_.data(), 0);
  put_guard(behind, kGuardWords);
  if (in_place_ != nullptr) {
    VYRE_CHECK(in_place_->dispatch_in_place(sizes, {groups, 1, 1}, fill, copy_out));
  } else {
    // One column may stand for several operands, and a dispatch may not bind memory twice, so inputs are
    // copied.
    std::vector<std::span<std::byte>> host;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      inputs_[k].resize(std::max(inputs_[k].size(), size_t(sizes[k])));
      host.push_back(std::span(inputs_[k]).first(size_t(sizes[k])));
    }
    host.push_back(std::span(output_).subspan(kGuardBytes, bound));
    fill(host);
    VYRE_CHECK(pipeline_->dispatch(host, {groups, 1, 1}));
    copy_out(host);
  }
  broken_last_ += broken_guard(output_.data(), 0) + broken_guard(behind, kGuardWords);
  return {};
}

Result<void> Elementwise::apply(std::span<const uint32_t* const> columns, std::span<uint32_t> out,
                                uint32_t poison) {
  const size_t words = spec::value_words(output_type_), element = spec::info(output_type_).bytes;
  const size_t n = out.size() / words;
  std::vector<uint64_t> sizes;
  sizes.reserve(types_.size() + 1);
  for (const ir::DataType type : types_) sizes.push_back(n * spec::info(type).bytes);
  sizes.push_back(n * element + canary_bytes_);

  std::array<std::byte, kGuardBytes> guard;  // behind the results, in the binding
  const auto copy_out = [&](Memory bound) {
    const std::byte* const from = bound.back().data();
    if (element % 4 != 0) std::ranges::fill(out, 0u);  // the upper half of a word that has two bytes
    std::byte* const results = std::as_writable_bytes(out).data();
    for (size_t k = 0; k < words; ++k) {
      copy_words({from + 4 * k, element}, {results + 4 * k, 4 * words}, word_bytes(output_type_, k), n);
    }
    std::memcpy(guard.data(), from + n * element, canary_bytes_);
  };
  broken_last_ = 0;
  VYRE_CHECK(dispatch(
      sizes, uint32_t((n + workgroup_ - 1) / workgroup_),
      [&](Memory bound) { fill(columns, n, poison, bound); }, copy_out));
  broken_last_ += broken_canaries(std::span(guard).first(canary_bytes_), poison);
  ++dispatches_;
  canaries_ += 2 * kGuardWords + canary_bytes_ / 4;
  canaries_broken_ += broken_last_;
  return {};
}

void Elementwise::account(Verdict& verdict) const {
  verdict.dispatches += dispatches_;
  verdict.canaries += canaries_;
  verdict.canaries_broken += canaries_broken_;
}

uint32_t poison_for(ir::DataType type, std::span<const uint32_t> results, uint64_t seed, uint64_t index) {
  const uint32_t mask = spec::value_bits(type) == 16 ? 0xffff : UINT32_MAX;
  for (uint64_t attempt = 0;; ++attempt) {
    for (const uint32_t word : philox(seed, attempt, kElementPoison + index)) {
      if (std::find(results.begin(), results.end(), word & mask) == results.end()) return word & mask;
    }
  }
}

}  // namespace vyre::verify
