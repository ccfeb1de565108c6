// The members of a certificate as JSON, both ways: what is recorded, without what follows from it.
//
// Each struct lists its fields once, in fields.cpp; writer and reader are two walks over that list, so that
// none is written and not read. What is derived, and how the whole is enclosed, is certificate.cpp's.
#pragma once

#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "certify/certificate.h"

namespace vyre::certify {

nlohmann::json to_json(const Certificate& certificate);
nlohmann::json to_json(const Coverage& coverage);
nlohmann::json to_json(const Totals& totals);
nlohmann::json to_json(const verify::Verdict& verdict);

/// One verdict as canonical JSON, for what is kept of a campaign; and back. Errors: as of from_json.
std::string print_verdict(const verify::Verdict& verdict);
std::expected<verify::Verdict, std::string> parse_verdict(std::string_view text);

/// Members that it does not know are passed over. Errors: the path of the first fault, and what it is.
std::expected<Certificate, std::string> from_json(const nlohmann::json& in);

}  // namespace vyre::certify
