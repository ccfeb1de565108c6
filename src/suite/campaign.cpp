#include "suite/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace vyre::suite {
namespace {

constexpr std::string_view kFormat = "2";
constexpr std::string_view kWithDriver = " with driver ";

std::string value_of(const state::CampaignKey& key, std::string_view name) {
  const auto found = std::ranges::find(key, name, &state::Field::name);
  return found == key.end() ? std::string() : found->value;
}

/// The distinct ones in their order, one after the other.
void add_distinct(std::string& all, std::vector<std::string>& known, std::string one) {
  if (std::ranges::find(known, one) != known.end()) return;
  all += (known.empty() ? "" : "; ") + one;
  known.push_back(std::move(one));
}

Diag not_ours(std::string what) {
  return make_diag(DiagCode::C020, Span::none(), std::move(what),
                   "use the build that made it, or certify again with this one");
}

}  // namespace

state::CampaignKey key_of(const Plan& plan, const certify::Certificate& identity) {
  state::CampaignKey out = {{"format", std::string(kFormat)},
                            {"vyre", identity.vyre},
                            {"registry", certify::this_registry(plan.approximate).digest},
                            {"backend", identity.backend},
                            {"floats", identity.floats},
                            {"strength", std::string(text(plan.strength))},
                            {"seed", std::to_string(plan.seed)},
                            {"selection", plan.selection}};
  if (plan.approximate) out.push_back({"track", std::string(text(verify::Track::Approximate))});
  if (plan.family_selection != certify::kAllFamilies) out.push_back({"families", plan.family_selection});
  return out;
}

Result<Plan> plan_of(const state::CampaignKey& key) {
  Plan plan;
  if (value_of(key, "format") != kFormat)
    return std::unexpected(not_ours("the campaign is kept in a form that this build does not know"));
  plan.approximate = value_of(key, "track") == text(verify::Track::Approximate);
  if (value_of(key, "registry") != certify::this_registry(plan.approximate).digest)
    return std::unexpected(not_ours("the registry of the campaign is not that of this build"));
  const auto strength = std::ranges::find(verify::kStrengthNames, value_of(key, "strength"));
  const std::string seed = value_of(key, "seed");
  const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), plan.seed);
  if (strength == verify::kStrengthNames.end() || error != std::errc{} || end != seed.data() + seed.size())
    return std::unexpected(not_ours("the campaign has a strength or a seed that is none"));
  plan.strength = verify::Strength(strength - verify::kStrengthNames.begin());
  plan.selection = value_of(key, "selection");
  if (std::string families = value_of(key, "families"); !families.empty())
    plan.family_selection = std::move(families);
  return plan;
}

std::string device_text(const certify::Certificate& identity) {
  return fmt::format("{}{}{}", identity.device, kWithDriver, identity.driver);
}

certify::Certificate identity_of(const state::CampaignKey& key, std::span<const state::Part> parts) {
  certify::Certificate out;
  out.vyre = value_of(key, "vyre");
  out.backend = value_of(key, "backend");
  out.floats = value_of(key, "floats");
  std::vector<std::string> devices, drivers;
  for (const state::Part& part : parts) {
    const size_t at = part.device.rfind(kWithDriver);
    add_distinct(out.device, devices, part.device.substr(0, at));
    if (at != std::string::npos)
      add_distinct(out.driver, drivers, part.device.substr(at + kWithDriver.size()));
  }
  return out;
}

}  // namespace vyre::suite
