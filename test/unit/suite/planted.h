// Backends with planted faults in what they make of programs: the reference, given another text.
//
// A fault is a rewriting of the program's canonical text. So it is known by construction where it strikes,
// and what it takes: the text that it replaces, and no more.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "check/checked.h"
#include "ops/operation.h"
#include "text/text.h"

namespace vyre::test {

struct Planted {
  std::string name;
  std::string what, by;          // a regular expression, and what comes in its place, everywhere
  std::string only_beside = {};  // a text that the program must have as well
};

/// Compilers that are wrong about one thing. Those with two texts are wrong about two that meet.
inline const std::vector<Planted>& planted_faults() {
  static const std::vector<Planted> faults = {
      {"remainders are quotients", " % ", " / "},
      {"shifts to the left go to the right", " << ", " >> "},
      {"the largest is the smallest", "atomic_max\\(", "atomic_min("},
      {"leading zeros are trailing ones", "\\bclz\\(", "ctz("},
      {"loops begin one late", " in 0\\.\\.", " in 1.."},
      {"lengths are one more", "\\blen\\(", "1 + len("},
      {"conditions are turned around", "\\bif \\(", "if (!("},  // mended below: a second parenthesis
      {"barriers are forgotten", "\\n *barrier;", ""},
      {"and is or", " & (?![37]\\b)",
       " | "},  // a mask of 3 or 7 is what bounds a loop: without it, 2^32 rounds
      {"an exchange of atomics is lost", "atomic_exchange\\(", "atomic_or("},
      {"the local number is that of the workgroup", "local_id", "workgroup_id"},
      {"remainders beside a loop", " % ", " / ", "for "},
      {"sums beside a store to shared memory", " \\+ ", " - ", "barrier;"},
  };
  return faults;
}

class PlantedBackend final : public backend::Backend {
 public:
  explicit PlantedBackend(Planted fault)
      : fault_(std::move(fault)), inner_(backend::make_reference()), pattern_(fault_.what) {}
  backend::Identity identity() const override { return {"planted", "1", "this CPU", fault_.name}; }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    const std::string text = text::print(program.program());
    if (!fault_.only_beside.empty() && text.find(fault_.only_beside) == text.npos)
      return inner_->compile(program);
    std::string other = std::regex_replace(text, pattern_, fault_.by);
    if (fault_.by == "if (!(")
      other = std::regex_replace(other, std::regex("(if \\(!\\(.*)\\) \\{"), "$1)) {");
    auto parsed = text::parse(other, &ops::op_table());
    if (!parsed) return inner_->compile(program);  // a fault that makes no program does not strike
    auto checked = check::check(std::move(*parsed), ops::op_table());
    if (!checked) return inner_->compile(program);
    return inner_->compile(*checked);
  }

 private:
  Planted fault_;
  std::unique_ptr<backend::Backend> inner_;
  std::regex pattern_;
};

}  // namespace vyre::test
