// A plan as the key of a campaign, and back: what a state directory says of the runs that filled it.
//
// The key has what was asked and of which class of backends; which device and driver answered belongs to the
// parts, since those of one class may differ. A certificate of several devices names them all.
#pragma once

#include <span>
#include <string>

#include "certify/certificate.h"
#include "state/state.h"
#include "suite/suite.h"

namespace vyre::suite {

/// `identity`: of the backend that answers; its verdicts, registry and plan are not looked at.
state::CampaignKey key_of(const Plan& plan, const certify::Certificate& identity);
/// The plan of a campaign, without a state and in one piece. Errors: C020 when the key is not one of this
/// build: another version, another registry.
Result<Plan> plan_of(const state::CampaignKey& key);

/// "AMD EPYC with driver LLVM 19.1.7".
std::string device_text(const certify::Certificate& identity);
/// What answered, by the key and the parts: several devices or drivers stand side by side.
certify::Certificate identity_of(const state::CampaignKey& key, std::span<const state::Part> parts);

}  // namespace vyre::suite
