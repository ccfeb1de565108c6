#include "verify/elementwise.h"

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

constexpr uint64_t kPoisonStream =
    0x706f69736f6e;  // "poison": a stream of its own in the counter's high words

uint32_t canary(size_t position) { return 0xC0FFEE00u ^ uint32_t(position * 0x9E3779B9u); }

}  // namespace

Application application_of(const ops::Operation& operation) {
  const std::string id(operation.id);
  const uint32_t version = operation.version;
  return {id, operation.signature.inputs, operation.signature.output,
          [id, version](ir::ProgramBuilder& p, std::span<const ir::Ex> x) { return p.call(id, x, version); }};
}

ir::Program elementwise_program(const Application& what, uint32_t workgroup) {
  static constexpr const char* kNames[] = {"a", "b", "c"};
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
  out->arity_ = what.inputs.size();
  out->workgroup_ = workgroup;
  out->inputs_.resize(out->arity_);
  auto checked = check::check(std::move(program), table);
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(pipeline, backend.compile(*checked));
  out->pipeline_ = std::move(pipeline);
  return out;
}

Result<void> Elementwise::apply(std::span<const uint32_t* const> columns, std::span<uint32_t> out,
                                uint32_t poison) {
  const size_t n = out.size();
  // One column may stand for several operands, and a dispatch may not bind memory twice, so inputs are
  // copied.
  std::vector<std::span<std::byte>> host;
  host.reserve(arity_ + 1);
  for (size_t k = 0; k < arity_; ++k) {
    inputs_[k].resize(std::max(inputs_[k].size(), n));
    std::memcpy(inputs_[k].data(), columns[k], n * 4);
    host.push_back(std::as_writable_bytes(std::span(inputs_[k].data(), n)));
  }
  // canaries | count words of poison, canaries bound with them | canaries
  output_.resize(std::max(output_.size(), n + 3 * kGuardWords));
  uint32_t* const bound = output_.data() + kGuardWords;
  for (size_t k = 0; k < kGuardWords; ++k) output_[k] = canary(k);
  std::fill_n(bound, n, poison);
  for (size_t k = 0; k < 2 * kGuardWords; ++k) bound[n + k] = canary(kGuardWords + k);
  host.push_back(std::as_writable_bytes(std::span(bound, n + kGuardWords)));

  VYRE_CHECK(pipeline_->dispatch(host, {uint32_t((n + workgroup_ - 1) / workgroup_), 1, 1}));
  ++dispatches_;
  canaries_ += 3 * kGuardWords;
  for (size_t k = 0; k < kGuardWords; ++k) canaries_broken_ += output_[k] != canary(k);
  for (size_t k = 0; k < 2 * kGuardWords; ++k) canaries_broken_ += bound[n + k] != canary(kGuardWords + k);
  std::memcpy(out.data(), bound, n * 4);
  return {};
}

void Elementwise::account(Verdict& verdict) const {
  verdict.dispatches += dispatches_;
  verdict.canaries += canaries_;
  verdict.canaries_broken += canaries_broken_;
}

uint32_t word_not_in(std::span<const uint32_t> values, uint64_t seed, uint64_t index) {
  for (uint64_t attempt = 0;; ++attempt) {
    for (const uint32_t word : philox(seed, attempt, kPoisonStream + index)) {
      if (std::find(values.begin(), values.end(), word) == values.end()) return word;
    }
  }
}

}  // namespace vyre::verify
