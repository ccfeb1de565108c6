// Fuzzes the wire format: what decodes is canonical, checks without crashing, and survives a trip through
// text.
//
// No mutation finds the digest of a changed body, so half of the inputs (an odd first byte) are bodies that
// get a correct header here; the other half are whole files.
//
// Oracle: decode(x) == p implies encode(p) == x; a checked program printed as text parses to an equal
// program; a diagnostic has a W code and names a byte.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "check/checked.h"
#include "ops/operation.h"
#include "text/text.h"
#include "wire/seal.h"
#include "wire/wire.h"

namespace {

void require(bool holds, const char* what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, detail.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto input = std::as_bytes(std::span(data, size)).subspan(1);
  const vyre::Bytes file =
      data[0] % 2 == 1 ? vyre::wire::seal(input) : vyre::Bytes(input.begin(), input.end());

  auto program = vyre::wire::decode(file);
  if (!program) {
    const vyre::Diag& diag = program.error();
    require(vyre::diag_info(diag.code).name[0] == 'W', "not a wire diagnostic", diag.message);
    require(diag.message.starts_with("at byte "), "a diagnostic without a place", diag.message);
    return 0;
  }
  require(vyre::wire::encode(*program) == file, "not canonical", program->name);

  const auto checked = vyre::check::check(*program, vyre::ops::op_table());
  if (!checked) {
    for (const vyre::Diag& diag : checked.error()) {
      require(!vyre::render(diag, nullptr, "fuzz.vyrb").empty(), "a diagnostic that cannot be shown",
              diag.message);
    }
    return 0;
  }
  const std::string printed = vyre::text::print(*program);
  const auto reparsed = vyre::text::parse(printed);
  require(reparsed && vyre::ir::equal(*program, *reparsed), "printing changed the program", printed);
  require(vyre::wire::encode(*reparsed) == file, "the text has another encoding", printed);
  return 0;
}
