// Fuzzes the wire format: what decodes is canonical, checks without crashing, and survives a trip through
// text.
//
// Inputs are whole files. Mutations change the program in the file or the bytes of its body, and mend the
// digest (program_mutator.h); a few change any byte.
//
// Modules are mutated as bytes alone.
//
// Oracle: decode_module(x) == m implies encode(m) == x; a checked module printed as text parses to an equal
// module; a diagnostic has a W code and names a byte.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "check/module.h"
#include "ops/operation.h"
#include "program_mutator.h"
#include "text/text.h"
#include "wire/wire.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

void require(bool holds, const char* what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, detail.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  const vyre::Bytes file(input.begin(), input.end());

  auto module = vyre::wire::decode_module(file);
  if (!module) {
    const vyre::Diag& diag = module.error();
    require(vyre::diag_info(diag.code).name[0] == 'W', "not a wire diagnostic", diag.message);
    require(diag.message.starts_with("at byte "), "a diagnostic without a place", diag.message);
    return 0;
  }
  require(vyre::wire::encode(*module) == file, "not canonical", vyre::wire::digest(*module).hex());

  const auto checked = vyre::check::check(*module, vyre::ops::op_table());
  if (!checked) {
    for (const vyre::Diag& diag : checked.error()) {
      require(!vyre::render(diag, nullptr, "fuzz.vyrb").empty(), "a diagnostic that cannot be shown",
              diag.message);
    }
    return 0;
  }
  const std::string printed = vyre::text::print(*module);
  if (printed.empty()) return 0;  // no items: no text is empty
  const auto reparsed = vyre::text::parse_module(printed, &vyre::ops::op_table());
  require(reparsed && vyre::ir::equal(*module, *reparsed), "printing changed the module", printed);
  require(vyre::wire::encode(*reparsed) == file, "the text has another encoding", printed);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return vyre::fuzz::mutate_file(data, size, max_size, seed, LLVMFuzzerMutate);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_out, unsigned int seed) {
  return vyre::fuzz::cross_files({a, a_size}, {b, b_size}, {out, max_out}, seed);
}
