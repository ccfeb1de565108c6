#include "worker/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <thread>

#include "spec/table.h"
#include "worker/breach.h"

namespace vyre::worker {
namespace {

/// A worker that closed its socket is about to end; so long it may take.
constexpr double kGraceSeconds = 2;
/// A process that has answered no more was asked for nothing but its greeting, and is as good as new.
constexpr uint32_t kCallsOfOpening = 1;
constexpr uint64_t kSmallestRegion = 1 << 20;
/// Up to here regions grow by doubling; larger ones are as large as they must be.
constexpr uint64_t kLargestDoubled = 256 << 20;

constexpr std::string_view what_is_done(Call call) {
  switch (call) {
    case Call::Hello: return "opening the backend";
    case Call::Map: return "mapping memory";
    case Call::Compile: return "compiling";
    case Call::Code: return "showing its code";
    case Call::Dispatch:
    case Call::DispatchResident: return "a dispatch";
    case Call::Engine: return "an engine";
    case Call::Allocate: return "allocating a buffer";
    case Call::Write:
    case Call::Read:
    case Call::Fill: return "a copy";
    case Call::Settle: return "settling";
    case Call::Floats: return "asking for its floats";
  }
  std::unreachable();
}

Deadline deadline_in(double seconds) {
  constexpr double kYear = 365.0 * 24 * 3600;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, kYear)));
}

bool same(const Greeting& a, const Greeting& b) {
  Writer left, right;
  write(left, a);
  write(right, b);
  return std::ranges::equal(left.written(), right.written());
}

/// What only a parent can say of its worker.
bool is_parents_word(const Diag& diag) {
  return diag.code == DiagCode::B009 || diag.code == DiagCode::B010 || breach_of(diag).has_value();
}

}  // namespace

Connection::~Connection() = default;

Diag Connection::breach(const Lock&, Breach breach, std::string_view what) {
  generation_.reset();
  return make_breach(breach, what);
}

Diag Connection::trouble(const Lock& lock, Passage passage, Call call, double seconds) {
  if (passage == Passage::TimedOut) {
    Diag diag = make_diag(DiagCode::B010, Span::none(),
                          fmt::format("{} took more than its budget of {} s; the process was ended",
                                      what_is_done(call), seconds),
                          "the backend hangs, or the work is too much for one call");
    generation_.reset();
    return diag;
  }
  if (passage == Passage::Malformed) return breach(lock, Breach::Protocol, "packets that make no message");
  const std::string how = generation_->process->end(kGraceSeconds);
  generation_.reset();
  return make_diag(DiagCode::B009, Span::none(),
                   fmt::format("in the middle of {} the backend's process {}", what_is_done(call), how),
                   "run the same with --in-process under a debugger to see where");
}

Result<Answer> Connection::call(const Lock& lock, Call call, std::span<const std::byte> body, double seconds,
                                int fd) {
  Generation& g = *generation_;
  Writer out;
  out.number(++g.calls);
  out.number(uint8_t(call));
  out.number(uint32_t(options_.cores ? options_.cores() : 0));
  for (std::vector<uint32_t>* dropped : {&g.dropped_pipelines, &g.dropped_buffers}) {
    out.number(uint32_t(dropped->size()));
    for (const uint32_t id : *dropped) out.number(id);
    dropped->clear();
  }
  out.append(body);
  const Deadline deadline = deadline_in(seconds);
  Channel& channel = g.process->channel();
  OutputTail& output = g.process->output();
  if (const Passage sent = channel.send(out.written(), fd, deadline, &output); sent != Passage::Done)
    return std::unexpected(trouble(lock, sent, call, seconds));
  Answer answer;
  const Passage received = channel.receive(answer.message, nullptr, deadline, &output);
  if (received != Passage::Done) return std::unexpected(trouble(lock, received, call, seconds));
  Reader in(answer.message);
  const auto number = in.number<uint32_t>();
  const auto outcome = in.number<uint8_t>();
  if (!in.ok() || number != g.calls || outcome > uint8_t(Outcome::WroteInput))
    return std::unexpected(breach(lock, Breach::Protocol, "it answers no call that was made"));
  answer.at = answer.message.size() - in.rest().size();
  if (outcome == uint8_t(Outcome::Done)) return answer;
  if (outcome == uint8_t(Outcome::WroteInput))
    return std::unexpected(input_written(lock, in.number<uint64_t>()));
  std::optional<Diag> diag = read_diag(in);
  if (!diag || !in.done() || is_parents_word(*diag))
    return std::unexpected(breach(lock, Breach::Protocol, "an answer that is no diagnostic"));
  if (diag->code == DiagCode::B011) generation_.reset();
  return std::unexpected(std::move(*diag));
}

Result<void> Connection::command(const Lock& lock, Call call, std::span<const std::byte> body, double seconds,
                                 int fd) {
  VYRE_TRY(answer, this->call(lock, call, body, seconds, fd));
  if (!answer.reader().done())
    return std::unexpected(breach(lock, Breach::Protocol, "an answer of another size"));
  return {};
}

Result<void> Connection::greet(const Lock& lock) {
  Writer body;
  body.number(kProtocolVersion);
  VYRE_TRY(answer, call(lock, Call::Hello, body.written(), options_.open_seconds));
  Reader in = answer.reader();
  std::optional<Greeting> greeting = read_greeting(in);
  if (!greeting) return std::unexpected(breach(lock, Breach::Protocol, "it is no worker of this version"));
  VYRE_CHECK(tolerate(lock, greeting->open_routes));
  if (greeted_ && !same(*greeting, greeting_))
    return std::unexpected(breach(lock, Breach::Protocol, "a new process has another backend or device"));
  greeting_ = std::move(*greeting);
  greeted_ = true;
  return {};
}

/// Errors: B001.
Result<void> Connection::tolerate(const Lock&, std::span<const Route> routes) {
  for (const Route route : routes) {
    Diag diag = make_diag(DiagCode::B001, Span::none(),
                          fmt::format("on this machine the backend's process can {}", text(route)),
                          "use a Linux kernel with Landlock (5.13 or newer; 6.12 for signals too), in "
                          "containers too: docs/workers.md");
    if (!is_tolerable(route)) return std::unexpected(std::move(diag));
    if (options_.warn) options_.warn(diag);
  }
  return {};
}

Result<Generation*> Connection::ensure(const Lock& lock) {
  if (generation_) return generation_.get();
  auto fresh = std::make_unique<Generation>();
  fresh->number = ++generations_;
  close_to_others();
  VYRE_TRY(process, Process::start(options_.program.empty() ? "/proc/self/exe" : options_.program,
                                   worker_arguments(options_, fresh->scratch.path())));
  fresh->process = std::move(process);
  generation_ = std::move(fresh);
  if (auto greeted = greet(lock); !greeted) {
    generation_.reset();
    return std::unexpected(std::move(greeted).error());
  }
  return generation_.get();
}

Result<void> Connection::make_room(const Lock& lock, Lane& lane, size_t turn, Access access, uint64_t bytes) {
  if (bytes <= lane.capacity()) return {};
  const uint64_t wanted = bytes > kLargestDoubled ? (bytes + 4095) / 4096 * 4096
                                                  : std::max(kSmallestRegion, std::bit_ceil(bytes));
  lane = Lane();
  VYRE_TRY(region, Region::make(wanted, access));
  Writer body;
  body.number(uint8_t(turn));
  body.number(uint8_t(access));
  body.number(wanted);
  VYRE_CHECK(command(lock, Call::Map, body.written(), options_.dispatch_seconds, region.fd()));
  region.drop_fd();
  lane = Lane(std::move(region));
  return {};
}

Result<Area*> Connection::area_for(const Lock& lock, std::span<const BufferShape> buffers) {
  Generation& g = *generation_;
  const size_t turn = size_t(g.placements % kTurns);
  Area& area = g.areas[turn];
  if (auto rests = area.check_rest(g.placements); !rests) {
    generation_.reset();
    return std::unexpected(std::move(rests).error());
  }
  area.abandon();
  VYRE_CHECK(make_room(lock, g.inputs, turn, Access::Read, Lane::room_for(buffers, Access::Read)));
  VYRE_CHECK(
      make_room(lock, area.results(), turn, Access::ReadWrite, Lane::room_for(buffers, Access::ReadWrite)));
  return &area;
}

Diag Connection::input_written(const Lock& lock, uint64_t at) {
  return breach(lock, Breach::ReadOnly, generation_->inputs.describe(at) + " was written to");
}

Result<void> Connection::call_with_memory(const Lock& lock, Call call, Writer body,
                                          std::span<const std::byte> count,
                                          std::span<const BufferShape> buffers, const FillMemory& fill,
                                          const UseMemory& copy_out) {
  VYRE_TRY(area, area_for(lock, buffers));
  Generation& g = *generation_;
  body.number(uint8_t(g.placements % kTurns));
  area->place(buffers, g.inputs, g.number, g.placements++);
  if (auto filled = fill(area->memory()); !filled) {
    area->abandon();
    return filled;
  }
  body.append(count);
  for (size_t i = 0; i < buffers.size(); ++i) {
    body.number(uint8_t(buffers[i].access));
    body.number(area->offset(i));
    body.number(buffers[i].bytes);
  }
  if (auto done = command(lock, call, body.written(), options_.dispatch_seconds); !done) {
    if (generation_) area->abandon();
    return done;
  }
  auto collected = area->collect(copy_out);
  if (!collected) generation_.reset();
  return collected;
}

Result<void> Connection::drain(const Lock& lock) {
  if (!generation_) return {};
  VYRE_CHECK(command(lock, Call::Settle, {}, options_.dispatch_seconds));
  // Nothing says when a write that must not come will come, so this is a time and not a condition. What was
  // written stays, so one look at the end sees all.
  std::this_thread::sleep_until(deadline_in(options_.drain_seconds));
  return check_rest(lock);
}

Result<void> Connection::restart(const Lock& lock) {
  if (!generation_ || generation_->calls == kCallsOfOpening) return {};
  auto rests = check_rest(lock);
  generation_.reset();
  return rests;
}

Result<void> Connection::check_rest(const Lock&) {
  if (!generation_) return {};
  for (const Area& area : generation_->areas) {
    if (auto rests = area.check_rest(generation_->placements); !rests) {
      generation_.reset();
      return rests;
    }
  }
  return {};
}

void Connection::drop_pipeline(uint32_t id) {
  const Lock held = lock();
  if (generation_ && generation_->pipelines.erase(id) != 0) generation_->dropped_pipelines.push_back(id);
}

void Connection::drop_buffer(uint32_t id) {
  const Lock held = lock();
  if (generation_ && generation_->buffers.erase(id) != 0) generation_->dropped_buffers.push_back(id);
}

}  // namespace vyre::worker
