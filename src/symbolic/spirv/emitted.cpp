#include "symbolic/spirv/emitted.h"

#include <fmt/format.h>

#include <algorithm>

#include "lower/spirv/spirv.h"
#include "spec/ops.h"

namespace vyre::symbolic {

using smt::Pool;
using solver::open_proof;
using solver::Proof;

namespace {

/// Words alone: what every device has.
constexpr lower::SpirvTarget kDevice = lower::kUsualDevice;

std::expected<std::vector<uint32_t>, std::string> words_of(const lower::Kernel& legal) {
  auto module = lower::emit_spirv(legal, kDevice);
  if (!module) return std::unexpected(module.error().message);
  return std::move(module->words);
}

Proof prove_row(CodeProver& prover, lower::RawOp op) {
  const lower::Kernel kernel = raw_program(op);
  const auto words = words_of(kernel);
  if (!words) return open_proof(words.error());
  Pool pool;
  Memory memory(pool, buffers_of(kernel));
  const RawReading meaning = meaning_of(pool, memory, op);
  const auto code = read(pool, memory, *words);
  if (!code) return open_proof(code.error());
  return prover.prove(pool, memory, *code, meaning);
}

}  // namespace

std::expected<std::vector<uint32_t>, std::string> emit_spirv(const ScalarProgram& program) {
  return words_of(lower::legalize(program.kernel, lower::spirv_target(kDevice, lower::kNoFloats)));
}

Proof prove_emitted(CodeProver& prover, const ScalarProgram& program, std::span<const uint32_t> words) {
  Pool pool;
  Memory memory(pool, buffers_of(program.kernel));
  const auto meaning = meaning_of(pool, memory, program);
  if (!meaning) return open_proof(meaning.error());
  const auto code = read(pool, memory, words);
  if (!code) return open_proof(code.error());
  return prover.prove(pool, memory, *code, *meaning);
}

std::vector<LoweringProof> prove_emitted_spirv(CodeProver& prover, const LoweringRequest& request) {
  std::vector<LoweringProof> out;
  for (const ScalarProgram& program : programs_of_words(request)) {
    const auto words = emit_spirv(program);
    out.push_back({program.name, "emitted(spirv)",
                   words ? prove_emitted(prover, program, *words) : open_proof(words.error())});
    request.done(out.back());
  }
  return out;
}

std::vector<LoweringProof> prove_raw_spirv(CodeProver& prover, const LoweringRequest& request) {
  std::vector<LoweringProof> out;
  for (const lower::RawOpInfo& op : lower::kRawOps) {
    const std::string name = fmt::format("{}.raw", op.mnemonic);
    if (op.is_float || op.is_long || !request.wanted(name)) continue;
    out.push_back({name, "raw(spirv)", prove_row(prover, op.op)});
    request.done(out.back());
  }
  return out;
}

}  // namespace vyre::symbolic
