// How a backend does arithmetic on floats: by the device's instructions or by integers.
//
// The choice never changes a result, only what it costs. An operator is native where the target's
// specification promises it and, unless the caller chooses otherwise, the probe has not found the promise
// broken; every other one is composed of integers. The probe runs when the first program with float
// arithmetic is compiled, so that others pay nothing, and its verdict is kept on disk for the next process:
// under the chip, the driver and everything else that it depends on.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "backend/cache_files.h"
#include "backend/float_form.h"
#include "backend/probe.h"
#include "lower/kernel.h"

namespace vyre::backend {

/// Whether a kernel, as lower::build() makes it, does arithmetic on floats; loads, stores, selects and
/// bitcasts are none.
bool has_float_arithmetic(const lower::Kernel& kernel);

/// What came of a target's promises.
struct FloatProfile {
  FloatForm form = FloatForm::Auto;
  lower::FloatPromises used = lower::kNoFloats;  // programs are legalized by these
  std::vector<std::string> findings;             // of the probe
  bool steady = true;

  FloatUse use() const;
};

/// What compiled code depends on of a profile: two that use the same instructions give the same code.
std::string float_key(const lower::FloatPromises& used);

class FloatSupport {
 public:
  /// `machine` names all that a verdict depends on but the promises and the probe: chip, driver, compilers.
  /// `cache`: the folder of verdicts; empty: nowhere.
  FloatSupport(FloatForm form, const lower::FloatPromises& promised, std::string machine,
               std::filesystem::path cache);

  /// Asks the probe at the first call, if the form is Auto and anything is promised. Errors: those of
  /// probe::probe(), each time anew. Thread  any; others wait for a probe that runs.
  Result<const FloatProfile*> profile(const probe::Compile& compile);

 private:
  std::optional<FloatProfile> stored() const;
  void store(const FloatProfile& profile) const;

  const FloatForm form_;
  const lower::FloatPromises promised_;
  const CacheFiles files_;
  const Digest key_;
  std::mutex mutex_;
  std::optional<FloatProfile> profile_;
};

}  // namespace vyre::backend
