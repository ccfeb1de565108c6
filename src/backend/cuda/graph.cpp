// Recordings as CUDA graphs: many launches for the price of one, and repeats that the device drives.
//
// A graph is a chain of kernels and fills, instantiated once. A Repeat is a conditional node: its body ends
// in a kernel of one thread that counts the iteration, loads the condition word, and sets whether the loop
// goes on; so ten thousand iterations need no word from the host. That kernel is PTX written by hand, since
// it calls a function that the driver itself links in. Source: CUDA Driver API reference, "Graph Management",
// "Conditional Graph Nodes".
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "backend/cuda/work.h"
#include "base/bytes.h"

namespace vyre::backend::cuda {
namespace {

/// In a counter of turns: the last one left a word that is not zero. More turns than kMaxStatements are never
/// asked for, so it is no part of a count.
constexpr uint32_t kUnfinished = 1u << 31;
/// What stands at the end of a repeat's body: ++turns; go on while turns < most and the word is not zero, and
/// say kUnfinished where the second alone holds.
constexpr const char* kTurnPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry turn(.param .u64 handle, .param .u64 word, .param .u64 turns, .param .u32 most, .param .u32 looks)
{
  .reg .pred %more, %set, %looks, %over;
  .reg .b32 %turns, %most, %word, %go, %look, %mark;
  .reg .b64 %handle, %at, %count;
  ld.param.u64 %handle, [handle];
  ld.param.u64 %at, [word];
  ld.param.u64 %count, [turns];
  ld.param.u32 %most, [most];
  ld.param.u32 %look, [looks];
  ld.global.u32 %turns, [%count];
  add.u32 %turns, %turns, 1;
  mov.u32 %word, 0;
  setp.ne.u32 %looks, %look, 0;
  @%looks ld.global.u32 %word, [%at];
  setp.lt.u32 %more, %turns, %most;
  setp.ne.and.u32 %set, %word, 0, %more;
  selp.u32 %go, 1, 0, %set;
  setp.ne.and.u32 %over, %word, 0, !%more;
  selp.b32 %mark, 0x80000000, 0, %over;
  or.b32 %mark, %mark, %turns;
  st.global.u32 [%count], %mark;
  {
    .param .b64 first;
    st.param.b64 [first], %handle;
    .param .b32 second;
    st.param.b32 [second], %go;
    call.uni cudaGraphSetConditional, (first, second);
  }
  ret;
}
)";

/// The driver's objects of one recording.
class GraphRecording final : public Recording {
 public:
  GraphRecording(std::shared_ptr<Device> device, std::vector<DeviceCommand> commands)
      : device_(std::move(device)), driver_(device_->driver()), commands_(std::move(commands)) {}

  ~GraphRecording() override {
    // What fails here fails because the device is lost.
    if (const auto turn = device_->enter()) {
      if (exec_ != nullptr) driver_.release_exec(exec_);
      if (graph_ != nullptr) driver_.release_graph(graph_);
    }
  }

  Result<void> build() {
    const std::span<const DeviceCommand> commands = commands_;
    const size_t repeats = size_t(std::ranges::count_if(commands, &is_repeat));
    if (repeats != 0) VYRE_CHECK(prepare_repeats(repeats));
    const auto turn = device_->enter();
    if (!turn) return std::unexpected(turn.error());
    VYRE_CHECK(check(driver_.make_graph(&graph_, 0)));
    if (repeats != 0) VYRE_CHECK(add_memset(graph_, *turns_, repeats * 4, root_));
    size_t number = 0;
    for (size_t i = 0; i < commands.size(); ++i) {
      if (!is_repeat(commands[i])) {
        VYRE_CHECK(add(graph_, commands[i], root_));
        continue;
      }
      VYRE_CHECK(add_repeat(commands[i], commands.subspan(i + 1, commands[i].command.count), number++));
      i += commands[i].command.count;
    }
    return check(driver_.instantiate(&exec_, graph_, 0));
  }

  Result<void> run(std::span<Taken> taken, uint64_t) override {
    VYRE_TRY(turn, device_->enter());
    VYRE_CHECK(device_->launch(turn, exec_));
    if (taken.empty()) return device_->wait(turn);
    std::vector<uint32_t> turns(taken.size());
    const HostPart part = {std::as_writable_bytes(std::span(turns)), 0};
    VYRE_CHECK(device_->copy_out(turn, *turns_, {&part, 1}));
    for (size_t i = 0; i < turns.size(); ++i)
      taken[i] = {turns[i] & ~kUnfinished, uint64_t{(turns[i] & kUnfinished) != 0}};
    return {};
  }

 private:
  /// The last node of a graph, which the next one follows.
  struct Last {
    GraphNode node = nullptr;
    const GraphNode* after() const { return node == nullptr ? nullptr : &node; }
    size_t count() const { return node == nullptr ? 0 : 1; }
  };

  static bool is_repeat(const DeviceCommand& command) {
    return command.command.kind == Command::Kind::Repeat;
  }

  Result<void> check(Status status) { return device_->check(status, "recording a graph"); }

  Result<void> prepare_repeats(size_t repeats) {
    VYRE_TRY(memory, device_->allocate(repeats * 4));
    turns_memory_.emplace(std::move(memory));
    turns_ = turns_memory_->allocation().handle;
    VYRE_TRY(kernel, device_->turn_kernel());
    turn_kernel_ = kernel;
    return {};
  }

  Result<void> add(Graph graph, const DeviceCommand& command, Last& last) {
    if (command.command.kind == Command::Kind::Zero)
      return add_memset(graph, address_of(command.range), command.range.bytes, last);
    Arguments arguments(command.launch);
    return add_kernel(graph, kernel_of(command.launch), command.launch.groups, arguments.pointers(), last);
  }

  Result<void> add_kernel(Graph graph, const LoadedKernel& kernel, layout::Groups groups,
                          std::span<void*> arguments, Last& last) {
    const KernelNode node = {.function = kernel.function,
                             .grid_x = groups.x,
                             .grid_y = groups.y,
                             .grid_z = groups.z,
                             .block_x = kernel.block[0],
                             .block_y = kernel.block[1],
                             .block_z = kernel.block[2],
                             .shared_bytes = kernel.shared_bytes,
                             .arguments = arguments.data()};
    GraphNode added = nullptr;
    VYRE_CHECK(check(driver_.add_kernel(&added, graph, last.after(), last.count(), &node)));
    last.node = added;
    return {};
  }

  Result<void> add_memset(Graph graph, DevicePointer at, uint64_t bytes, Last& last) {
    if (bytes == 0) return {};
    const unsigned element = bytes % 4 == 0 ? 4 : 1;
    const MemsetNode node = {
        .to = at, .pitch = 0, .value = 0, .element_bytes = element, .width = size_t(bytes / element)};
    GraphNode added = nullptr;
    VYRE_CHECK(
        check(driver_.add_memset(&added, graph, last.after(), last.count(), &node, device_->context())));
    last.node = added;
    return {};
  }

  Result<void> add_repeat(const DeviceCommand& repeat, std::span<const DeviceCommand> body, size_t number) {
    ConditionalNode node;
    VYRE_CHECK(check(driver_.make_conditional(&node.handle, graph_, device_->context(), 1, kAssignDefault)));
    node.context = device_->context();
    GraphNode added = nullptr;
    VYRE_CHECK(check(driver_.add_conditional(&added, graph_, root_.after(), root_.count(), &node)));
    root_.node = added;
    const Graph inside = node.bodies[0];
    Last last;
    for (const DeviceCommand& command : body) VYRE_CHECK(add(inside, command, last));
    ConditionalHandle handle = node.handle;
    DevicePointer word = address_of(repeat.range) + repeat.command.word, turns = *turns_ + number * 4;
    uint32_t most = repeat.command.turns, looks = repeat.command.looks ? 1 : 0;
    std::array<void*, 5> arguments = {&handle, &word, &turns, &most, &looks};
    return add_kernel(inside, *turn_kernel_, {}, arguments, last);
  }

  const std::shared_ptr<Device> device_;
  const Driver& driver_;
  const std::vector<DeviceCommand> commands_;  // whose modules stay as long
  Graph graph_ = nullptr;
  GraphExec exec_ = nullptr;
  Last root_;
  std::optional<DeviceMemory> turns_memory_;
  std::optional<DevicePointer> turns_;         // of the counters, one a repeat
  const LoadedKernel* turn_kernel_ = nullptr;  // the device's
};

}  // namespace

Result<const LoadedKernel*> Device::turn_kernel() {
  const std::lock_guard lock(turn_kernel_mutex_);
  if (!turn_kernel_) {
    // The driver takes text that ends in a zero, too.
    Code code = {.entries = {{.name = "turn"}}, .binary = Bytes(std::strlen(kTurnPtx) + 1)};
    std::memcpy(code.binary.data(), kTurnPtx, code.binary.size());
    VYRE_CHECK(attach());
    Module loaded = nullptr;
    VYRE_CHECK(check(driver_.load_module(&loaded, code.binary.data()), "loading the end of a repeat"));
    // It goes with the context: its owner is the device, which must not own itself.
    const std::shared_ptr<ModuleTag> module(loaded, [](Module) {});
    VYRE_TRY(kernel, find(module, code.entries.front()));
    turn_kernel_ = std::move(kernel);
  }
  return &*turn_kernel_;
}

Result<std::unique_ptr<Recording>> Device::record(std::vector<DeviceCommand> commands) {
  auto out = std::make_unique<GraphRecording>(shared_device(), std::move(commands));
  VYRE_CHECK(out->build());
  return out;
}

}  // namespace vyre::backend::cuda
