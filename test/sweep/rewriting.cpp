// A plugin that is native but for one thing: of each program it replaces a text by another before it compiles
// it. Its argument is "THIS=>THAT". A sweep before it has to find what that makes wrong.
#include "plugin/native_plugin.h"

namespace vyre::test {
namespace {

class Rewriting final : public NativeDevice {
 public:
  Rewriting(std::string_view from, std::string_view to) : from_(from), to_(to) {}
  void identity(vyre_plugin_identity& out) const override {
    put(out.name, "rewriting");
    put(out.device, "this CPU");
    put(out.driver, "native, with one text for another");
  }

 private:
  /// None, which is no program, where the text does not occur: that would test nothing.
  std::optional<std::string> replace(const std::string& text) const override {
    const size_t at = text.find(from_);
    if (at == text.npos) return "";
    return std::string(text).replace(at, from_.size(), to_);
  }

  const std::string from_, to_;
};

}  // namespace

Answer open_plugin(std::string_view argument, std::unique_ptr<vyre_plugin_device>& out) {
  const size_t arrow = argument.find("=>");
  if (arrow == argument.npos || arrow == 0)
    return {VYRE_PLUGIN_UNAVAILABLE, "the argument is no THIS=>THAT", ""};
  auto made = std::make_unique<Rewriting>(argument.substr(0, arrow), argument.substr(arrow + 2));
  const Answer opened = made->open();
  out = std::move(made);
  return opened;
}

}  // namespace vyre::test
