// libfault.so: the backend ABI around native, with one fault (faults.h).
//
// The mode is the plugin's argument, or, when that is empty, the environment variable VYRE_FAULT. All right
// answers come from native through the C API of libvyre, so what remains is the fault.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "faults.h"
#include "plugin/native_plugin.h"

using vyre::faults::Mode;
namespace faults = vyre::faults;

namespace vyre::test {
namespace {

Answer lost() { return {VYRE_PLUGIN_DEVICE_LOST, "the device is lost", "open it again"}; }

/// What the parts of one device share.
struct State {
  Mode mode = Mode::None;
  bool lost = false;
  faults::Memory memory;
  faults::LateWriter late;
};

class FaultMemory final : public HostMemory {
 public:
  FaultMemory(State& state, uint64_t bytes) : HostMemory(bytes), state_(state) {}

  Answer write(uint64_t offset, std::span<const std::byte> from) override {
    trigger_.reset();
    return state_.lost ? lost() : HostMemory::write(offset, from);
  }
  Answer read(uint64_t offset, std::span<std::byte> to, uint64_t& count) override {
    if (state_.lost) return lost();
    Answer answer = HostMemory::read(offset, to, count);
    if (!trigger_ || *trigger_ < offset || *trigger_ + 4 > offset + to.size()) return answer;
    if (state_.mode == Mode::WrongSize) count = to.size() / 2;
    if (state_.mode == Mode::LateWrite)
      state_.late.write(reinterpret_cast<uint32_t*>(to.data() + (*trigger_ - offset)), 0xbadbad00);
    return answer;
  }
  Answer fill(uint64_t offset, uint64_t bytes, std::byte value) override {
    trigger_.reset();
    return state_.lost ? lost() : HostMemory::fill(offset, bytes, value);
  }

  void set_trigger(uint64_t at) { trigger_ = at; }

 private:
  State& state_;
  /// Where the trigger's result lies: what reading it does wrong.
  std::optional<uint64_t> trigger_;
};

std::span<uint32_t> words_of(const vyre_plugin_range& range) {
  std::byte* const data = static_cast<FaultMemory*>(range.buffer)->data() + range.offset;
  return {reinterpret_cast<uint32_t*>(data), size_t(range.bytes / 4)};
}

class FaultPipeline final : public NativePipeline {
 public:
  /// `chosen`: it applies the chosen operation, element by element.
  FaultPipeline(State& state, vyre_pipeline* native, bool chosen)
      : NativePipeline(native), state_(state), chosen_(chosen) {}

  Answer dispatch(std::span<const vyre_plugin_range> ranges, const uint32_t groups[3]) override {
    if (state_.lost) return lost();
    faults::Cases cases;
    std::vector<uint32_t> before;
    if (chosen_) {
      cases = {words_of(ranges[0]), words_of(ranges[1]), words_of(ranges[2])};
      // A dispatch over columns of different lengths is not one of cases.
      if (cases.b.size() != cases.a.size() || cases.out.size() < cases.a.size()) cases = {};
      before.assign(cases.out.begin(), cases.out.end());
      switch (faults::before_dispatch(state_.mode, cases)) {
        case faults::Before::Run: break;
        case faults::Before::LoseDevice: state_.lost = true; return lost();
        case faults::Before::RefuseMemory:
          return {VYRE_PLUGIN_RESOURCE_EXCEEDED,
                  "a dispatch over " + std::to_string(cases.a.size()) + " elements wants more than there is",
                  "dispatch fewer at a time"};
      }
    }
    const Answer answer = NativePipeline::dispatch(ranges, groups);
    if (!answer.done() || cases.a.empty()) return answer;
    faults::after_dispatch(state_.mode, state_.memory, cases, before);
    if (const auto trigger = faults::find_trigger(cases))
      static_cast<FaultMemory*>(ranges[2].buffer)->set_trigger(ranges[2].offset + *trigger * 4);
    return answer;
  }

 private:
  State& state_;
  const bool chosen_;
};

/// Whether the program reads two buffers of u32, writes a third and calls the chosen operation: the shape in
/// which operations are judged.
bool applies_chosen(const vyre_plugin_program& program, const std::string& text) {
  if (program.binding_count != 3) return false;
  constexpr uint32_t kAccess[] = {VYRE_PLUGIN_READ, VYRE_PLUGIN_READ, VYRE_PLUGIN_READ_WRITE};
  for (size_t k = 0; k < 3; ++k) {
    const vyre_plugin_binding& binding = program.bindings[k];
    if (binding.access != kAccess[k] || binding.element_bytes != 4) return false;
  }
  return text.find(std::string(faults::kOperation) + "(") != text.npos;
}

class FaultDevice final : public NativeDevice {
 public:
  explicit FaultDevice(Mode mode) { state_.mode = mode; }

  void identity(vyre_plugin_identity& out) const override {
    const vyre_string driver = info().driver;
    put(out.name, "fault");
    put(out.device,
        "native with the fault \"" + std::string(faults::kModes[size_t(state_.mode)].text) + "\"");
    put(out.driver, {driver.data, driver.size});
  }
  void limits(vyre_plugin_limits& out) const override {
    NativeDevice::limits(out);
    out.subgroup_size = state_.mode == Mode::FalseClaim ? 32 : 0;
  }
  bool has(std::string_view id) const override {
    return state_.mode == Mode::FalseClaim && id.starts_with("subgroup.");
  }

  Answer compile(const vyre_plugin_program& program, std::unique_ptr<vyre_plugin_pipeline>& out) override {
    if (state_.lost) return lost();
    const uint64_t invocations =
        uint64_t{program.workgroup_size[0]} * program.workgroup_size[1] * program.workgroup_size[2];
    const uint32_t claimed = info().max_invocations_per_group;
    const uint32_t allowed = state_.mode == Mode::FalseWorkgroup ? claimed / 2 : claimed;
    if (invocations > allowed) {
      return {VYRE_PLUGIN_RESOURCE_EXCEEDED,
              "the workgroup has " + std::to_string(invocations) + " invocations, and " +
                  std::to_string(allowed) + " are allowed",
              "make the workgroup smaller"};
    }
    return NativeDevice::compile(program, out);
  }
  Answer allocate(uint64_t bytes, std::unique_ptr<vyre_plugin_buffer>& out) override {
    return state_.lost ? lost() : NativeDevice::allocate(bytes, out);
  }

 private:
  std::unique_ptr<vyre_plugin_pipeline> make_pipeline(const vyre_plugin_program& program,
                                                      const std::string& text,
                                                      vyre_pipeline* native) override {
    return std::make_unique<FaultPipeline>(state_, native, applies_chosen(program, text));
  }
  std::unique_ptr<HostMemory> make_memory(uint64_t bytes) override {
    return std::make_unique<FaultMemory>(state_, bytes);
  }

  State state_;
};

}  // namespace

Answer open_plugin(std::string_view argument, std::unique_ptr<vyre_plugin_device>& out) {
  const char* const variable = std::getenv("VYRE_FAULT");
  if (argument.empty()) argument = variable != nullptr ? variable : "none";
  const auto mode = faults::find_mode(argument);
  if (!mode) {
    std::string modes;
    for (const faults::ModeInfo& m : faults::kModes)
      modes += (modes.empty() ? "" : " ") + std::string(m.text);
    return {VYRE_PLUGIN_UNAVAILABLE, "there is no fault \"" + std::string(argument) + "\"",
            "one of: " + modes};
  }
  auto made = std::make_unique<FaultDevice>(*mode);
  const Answer opened = made->open();
  out = std::move(made);
  return opened;
}

}  // namespace vyre::test
