#include "worker/protocol.h"

#include "spec/intrinsics.h"

namespace vyre::worker {
namespace {

constexpr std::string_view kNotThis = "vyre worker";

}  // namespace

Greeting greeting_of(const backend::Backend& backend) {
  Greeting out{
      .identity = backend.identity(), .limits = backend.limits(), .convention = backend.convention()};
  static_assert(spec::kIntrinsicCount <= 64);
  for (size_t i = 0; i < spec::kIntrinsicCount; ++i) {
    if (backend.has(static_cast<spec::Intrinsic>(i))) out.intrinsics |= uint64_t{1} << i;
  }
  return out;
}

void write(Writer& out, const Greeting& greeting) {
  out.text(kNotThis);
  out.number(greeting.version);
  out.text(greeting.identity.name);
  out.text(greeting.identity.device);
  out.text(greeting.identity.driver);
  out.text(greeting.identity.version);
  out.number(uint8_t(greeting.identity.kind));
  out.number(greeting.limits.max_invocations_per_group);
  out.number(greeting.limits.max_workgroup_bytes);
  out.number(greeting.limits.workgroup_element_bytes);
  out.number(greeting.limits.max_buffer_bytes);
  out.number(greeting.limits.subgroup_size);
  out.number(greeting.intrinsics);
  out.number(greeting.convention);
  out.number(uint32_t(greeting.open_routes.size()));
  for (const Route route : greeting.open_routes) out.number(uint8_t(route));
}

std::optional<Greeting> read_greeting(Reader& in) {
  if (in.text() != kNotThis) return std::nullopt;
  Greeting out;
  out.version = in.number<uint32_t>();
  if (out.version != kProtocolVersion) return std::nullopt;
  out.identity.name = in.text();
  out.identity.device = in.text();
  out.identity.driver = in.text();
  out.identity.version = in.text();
  const auto kind = in.number<uint8_t>();
  if (kind > uint8_t(spec::DeviceKind::Cpu)) return std::nullopt;
  out.identity.kind = static_cast<spec::DeviceKind>(kind);
  out.limits.max_invocations_per_group = in.number<uint32_t>();
  out.limits.max_workgroup_bytes = in.number<uint64_t>();
  out.limits.workgroup_element_bytes = in.number<uint32_t>();
  out.limits.max_buffer_bytes = in.number<uint64_t>();
  out.limits.subgroup_size = in.number<uint32_t>();
  out.intrinsics = in.number<uint64_t>();
  out.convention = in.number<uint32_t>();
  for (uint32_t n = in.count(1); n > 0; --n) {
    const auto route = in.number<uint8_t>();
    if (route >= kRouteCount) return std::nullopt;
    out.open_routes.push_back(static_cast<Route>(route));
  }
  if (!in.done()) return std::nullopt;
  return out;
}

void write(Writer& out, const backend::FloatUse& floats) {
  out.text(floats.form);
  for (const auto* list : {&floats.native, &floats.composed, &floats.findings}) {
    out.number(uint32_t(list->size()));
    for (const std::string& text : *list) out.text(text);
  }
}

std::optional<backend::FloatUse> read_floats(Reader& in) {
  backend::FloatUse out{.form = in.text()};
  for (auto* list : {&out.native, &out.composed, &out.findings}) {
    for (uint32_t n = in.count(4); n > 0; --n) list->push_back(in.text());
  }
  if (!in.done()) return std::nullopt;
  return out;
}

void write(Writer& out, const Diag& diag) {
  out.text(diag_info(diag.code).name);
  out.text(diag.message);
  out.text(diag.help);
}

std::optional<Diag> read_diag(Reader& in) {
  const auto code = find_diagnostic(in.text());
  std::string message = in.text();
  std::string help = in.text();
  if (!in.ok() || !code) return std::nullopt;
  return make_diag(*code, Span::none(), std::move(message), std::move(help));
}

}  // namespace vyre::worker
