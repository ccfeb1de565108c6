#include "worker/breach.h"

#include <fmt/format.h>

#include <array>

namespace vyre::worker {
namespace {

struct Wording {
  Breach breach;
  std::string_view title;  // how its messages begin
  std::string_view help;
};
constexpr std::array<Wording, 4> kWordings = {{
    {Breach::Outside, "a write outside the buffers", "a dispatch writes nothing but its read_write buffers"},
    {Breach::ReadOnly, "a write to memory that is only read",
     "a dispatch writes nothing but its read_write buffers"},
    {Breach::Late, "a late write", "a dispatch is answered when everything that it writes is written"},
    {Breach::Protocol, "a message that the protocol does not allow",
     "something in the worker's process writes where it must not, or it is of another build"},
}};
constexpr bool in_order() {
  for (size_t i = 0; i < kWordings.size(); ++i) {
    if (kWordings[i].breach != static_cast<Breach>(i)) return false;
  }
  return true;
}
static_assert(in_order() && kWordings.back().breach == Breach::Protocol);

}  // namespace

Diag make_breach(Breach breach, std::string_view what) {
  const Wording& wording = kWordings[static_cast<size_t>(breach)];
  return make_diag(DiagCode::B012, Span::none(), fmt::format("{}: {}", wording.title, what),
                   std::string(wording.help));
}

std::optional<Breach> breach_of(const Diag& diag) {
  if (diag.code != DiagCode::B012) return std::nullopt;
  for (const Wording& wording : kWordings) {
    const std::string_view message = diag.message;
    if (message.starts_with(wording.title) && message.substr(wording.title.size()).starts_with(": "))
      return wording.breach;
  }
  return std::nullopt;
}

}  // namespace vyre::worker
