// A plugin that is native but for one thing: it takes % for /. It shows what `vyre run --compare` says of a
// backend with a wrong operator.
#include <algorithm>

#include "plugin/native_plugin.h"

namespace vyre::test {
namespace {

class Swapped final : public NativeDevice {
 public:
  void identity(vyre_plugin_identity& out) const override {
    put(out.name, "swapped");
    put(out.device, "this CPU");
    put(out.driver, "native, with / for %");
  }

 private:
  std::optional<std::string> replace(const std::string& text) const override {
    std::string out = text;
    std::ranges::replace(out, '%', '/');
    return out;
  }
};

}  // namespace

Answer open_plugin(std::string_view, std::unique_ptr<vyre_plugin_device>& out) {
  auto made = std::make_unique<Swapped>();
  const Answer opened = made->open();
  out = std::move(made);
  return opened;
}

}  // namespace vyre::test
