#include <fmt/format.h>

#include <map>
#include <mutex>

#include "algebra/law.h"
#include "base/bytes.h"
#include "check/checked.h"
#include "ir/builder.h"
#include "ref/ref.h"

namespace vyre::algebra {

Result<void> SpecEvaluator::apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs,
                                  uint32_t* out, size_t n) {
  operation.reference(inputs, out, n);
  return {};
}

namespace {

constexpr uint32_t kGroup = 64;

/// A column of words as the elements of a buffer: 2 bytes each for a 16-bit float, else 4.
Bytes packed(std::span<const uint32_t> words, spec::DataType type) {
  if (spec::value_bits(type) == 32) return to_bytes(words);
  Bytes out(2 * words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    out[2 * i] = std::byte(words[i]);
    out[2 * i + 1] = std::byte(words[i] >> 8);
  }
  return out;
}

void unpack(std::span<const std::byte> bytes, spec::DataType type, uint32_t* out) {
  const size_t element = spec::info(type).bytes;
  for (size_t i = 0; i < bytes.size() / element; ++i) {
    out[i] = 0;
    for (size_t k = 0; k < element; ++k) out[i] |= uint32_t(bytes[i * element + k]) << (8 * k);
  }
}

/// out[i] = operation(a[i], b[i], c[i])
ir::Program columns_program(const ops::Operation& operation) {
  ir::ProgramBuilder p("columns");
  std::vector<ir::BufferRef> operands;
  for (const spec::DataType type : operation.signature.inputs) {
    const uint32_t binding = uint32_t(operands.size());
    operands.push_back(p.read(std::string(1, char('a' + binding)), type, binding));
  }
  const ir::BufferRef out = p.read_write("out", operation.signature.output, uint32_t(operands.size()));
  p.workgroup_size(kGroup, 1, 1);
  const ir::Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(out), [&] {
    std::vector<ir::Ex> values;
    for (const ir::BufferRef operand : operands) values.push_back(p.load(operand, i));
    p.store(out, i, p.call(operation.id, values, operation.version));
  });
  return p.finish();
}

}  // namespace

struct CompositionEvaluator::Programs {
  const spec::OpTable* table;
  std::map<const ops::Operation*, check::Checked> checked;
};

CompositionEvaluator::CompositionEvaluator(const spec::OpTable& table)
    : programs_(std::make_unique<Programs>(Programs{&table, {}})) {}
CompositionEvaluator::~CompositionEvaluator() = default;

Result<void> CompositionEvaluator::apply(const ops::Operation& operation,
                                         std::span<const uint32_t* const> inputs, uint32_t* out, size_t n) {
  auto found = programs_->checked.find(&operation);
  if (found == programs_->checked.end()) {
    auto checked = check::check(columns_program(operation), *programs_->table);
    if (!checked) return std::unexpected(std::move(checked.error().front()));
    found = programs_->checked.emplace(&operation, std::move(*checked)).first;
  }
  // A dispatch has at most 65,535 groups; `out` carries its poison in, so that a missing store shows.
  constexpr size_t kMost = size_t{kGroup} * 65'535;
  for (size_t first = 0; first < n; first += kMost) {
    const size_t count = std::min(kMost, n - first);
    std::vector<Bytes> buffers;
    for (size_t k = 0; k < inputs.size(); ++k) {
      buffers.push_back(packed({inputs[k] + first, count}, operation.signature.inputs[k]));
    }
    buffers.push_back(packed({out + first, count}, operation.signature.output));
    std::vector<std::span<std::byte>> host;
    for (Bytes& buffer : buffers) host.emplace_back(buffer);
    VYRE_CHECK(ref::run(found->second, host, {uint32_t((count + kGroup - 1) / kGroup), 1, 1}));
    unpack(buffers.back(), operation.signature.output, out + first);
  }
  return {};
}

}  // namespace vyre::algebra
