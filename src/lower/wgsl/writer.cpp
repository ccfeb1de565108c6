#include "lower/wgsl/writer.h"

#include <algorithm>
#include <utility>

namespace vyre::lower {
namespace {

std::string_view type_of(WgslParameter::Kind kind) {
  switch (kind) {
    case WgslParameter::Kind::Word: return "u32";
    case WgslParameter::Kind::Truth: return "bool";
    case WgslParameter::Kind::Variable: return "ptr<function, u32>";
  }
  return "";
}

}  // namespace

std::string wgsl_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!kept) c = '_';
  }
  return out;
}

std::string WgslFunction::body() const {
  std::string out;
  const auto to = std::back_inserter(out);
  for (const auto& [bits, name] : numbers) {
    fmt::format_to(to, "  let {} = {};\n", name, c_like_literal(bits));
  }
  for (const auto& [argument, name] : counts) {
    fmt::format_to(to, "  let {} = counts[{}].{};\n", name, argument / 4, "xyzw"[argument % 4]);
  }
  return out + text;
}

std::string WgslFunction::parameter_list() const {
  std::string out;
  for (const WgslParameter& p : parameters) {
    if (!out.empty()) out += ", ";
    fmt::format_to(std::back_inserter(out), "{}: {}", p.name, type_of(p.kind));
  }
  return out;
}

WgslFunction WgslWriter::leave() {
  WgslFunction out = std::move(functions_.back());
  functions_.pop_back();
  return out;
}

std::string WgslWriter::here(std::string name, uint32_t declared_at, WgslParameter::Kind kind) {
  if (declared_at == level()) return name;
  std::vector<WgslParameter>& known = top().parameters;
  const auto found = std::ranges::find(known, name, &WgslParameter::name);
  if (found != known.end()) return name;
  known.push_back({name, declared_at, kind});
  return name;
}

const std::string& WgslWriter::number(uint32_t bits) {
  const auto [at, fresh] = top().numbers.try_emplace(bits);
  if (fresh) at->second = bits < kHexadecimalFrom ? fmt::format("n{}", bits) : fmt::format("h{:x}", bits);
  return at->second;
}

const std::string& WgslWriter::count(uint32_t argument, const std::string& name) {
  return top().counts.try_emplace(argument, name).first->second;
}

}  // namespace vyre::lower
