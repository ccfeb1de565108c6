#include "backend/backend.h"

namespace vyre::backend {

std::vector<Result<std::unique_ptr<Pipeline>>> Backend::compile_batch(
    std::span<const check::Checked* const> programs) {
  std::vector<Result<std::unique_ptr<Pipeline>>> out;
  out.reserve(programs.size());
  for (const check::Checked* program : programs) out.push_back(compile(*program));
  return out;
}

}  // namespace vyre::backend
