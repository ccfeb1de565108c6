// libshapefault.so: native with a fault of shape, as a plugin. The argument is a text of shape_faults.def, or
// none.
#include "backend/native/native.h"
#include "plugin_entry.h"
#include "shape_faults.h"

namespace vyre::faults {
namespace {

/// The honest backend and the one that is not.
class Pair final : public backend::Backend {
 public:
  Pair(std::unique_ptr<backend::Backend> honest, ShapeFault fault)
      : honest_(std::move(honest)), wrong_(make_misshapen(*honest_, fault)) {}
  backend::Identity identity() const override { return wrong_->identity(); }
  backend::Limits limits() const override { return wrong_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    return wrong_->compile(program);
  }
  Result<std::unique_ptr<backend::DeviceBuffer>> allocate(uint64_t bytes) override {
    return wrong_->allocate(bytes);
  }

 private:
  const std::unique_ptr<backend::Backend> honest_;
  const std::unique_ptr<backend::Backend> wrong_;
};

}  // namespace

Result<std::unique_ptr<backend::Backend>> open_faulty(std::string_view argument) {
  std::optional<ShapeFault> fault;
  if (argument.empty() || argument == "none") fault = ShapeFault::None;
  std::string texts = "none";
  for (const ShapeFaultInfo& info : kShapeFaults) {
    if (info.text == argument) fault = info.fault;
    texts += " " + std::string(info.text);
  }
  if (!fault) {
    return std::unexpected(
        make_diag(DiagCode::B001, Span::none(), "there is no such fault of shape", "one of: " + texts));
  }
  VYRE_TRY(native, backend::make_native({.optimisation = 0}));
  return std::make_unique<Pair>(std::move(native), *fault);
}

}  // namespace vyre::faults
