#include "certify/run_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "certify/fields.h"
#include "certify/waiver.h"
#include "verify/leaves.h"

namespace vyre::certify {
namespace {

using nlohmann::json;

constexpr uint32_t kReportFormat = 1;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

std::string now() {
  const auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", seconds);
}

json listed(std::span<const verify::FailingCases> failing) {
  json out = json::array();
  for (const verify::FailingCases& cases : failing) {
    out.push_back({{"generator", cases.generator},
                   {"first", std::to_string(cases.first)},
                   {"last", std::to_string(cases.last)},
                   {"stride", std::to_string(cases.stride)}});
  }
  return out;
}

uint64_t cases_of(const verify::Verdict& verdict) {
  uint64_t sum = verdict.determinism.completed;
  for (const verify::OracleCases& oracle : verdict.parity) sum += oracle.tally.completed;
  for (const verify::LawVerdict& law : verdict.laws) {
    for (const verify::Evidence& evidence : law.evidence) sum += evidence.cases;
  }
  return sum;
}

json subject_of(const Certificate& certificate, size_t k, const RunFacts& facts) {
  const verify::Verdict& verdict = certificate.verdicts[k];
  json out = to_json(verdict);  // with the failures that it keeps, and its leaves
  out["standing"] = std::string(text(standing_of(certificate, verdict)));
  const double seconds = k < facts.seconds.size() ? facts.seconds[k] : 0;
  out["seconds"] = seconds;
  out["cases_a_second"] = seconds > 0 ? double(cases_of(verdict)) / seconds : 0.0;
  if (k < facts.failing.size()) out["failing"] = listed(facts.failing[k]);
  return out;
}

}  // namespace

std::string run_report(const Certificate& certificate, const RunFacts& facts) {
  json out = {{"format", kReportFormat},
              {"certificate", digest(certificate).hex()},
              {"level", certificate.level_line()},
              {"backend", facts.backend},
              {"device", certificate.device},
              {"driver", certificate.driver},
              {"host", host_name()},
              {"ended", now()},
              {"seconds", facts.total_seconds},
              {"units", facts.units},
              {"units_kept", facts.kept},
              {"totals", to_json(totals(certificate))},
              {"subjects", json::array()}};
  for (size_t k = 0; k < certificate.verdicts.size(); ++k)
    out["subjects"].push_back(subject_of(certificate, k, facts));
  for (const std::string& device : facts.devices) out["devices"].push_back(device);
  for (const Diag& lost : facts.damage) out["lost"].push_back(lost.message);
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::filesystem::path report_path(const std::filesystem::path& certificate) {
  std::filesystem::path out = certificate;
  return out.replace_extension(".report.json");
}

std::string digest_of(std::span<const verify::FailingCases> failing) {
  if (failing.empty()) return {};
  return sha256(listed(failing).dump()).hex().substr(0, verify::kDigestDigits);
}

}  // namespace vyre::certify
