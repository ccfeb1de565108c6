// The worker's side: a loop that reads calls, makes them on the backend, and answers.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <deque>
#include <map>
#include <new>
#include <thread>

#include "spec/table.h"
#include "wire/wire.h"
#include "worker/channel.h"
#include "worker/protocol.h"
#include "worker/region.h"
#include "worker/worker.h"

namespace vyre::worker {
namespace {

Diag malformed(std::string_view what) {
  return make_diag(DiagCode::B012, Span::none(), fmt::format("the worker was asked amiss: {}", what));
}

// A write to an input ends the process, but first it is distinguished from other crashes. A signal handler
// finds what it needs in these; they change only between the calls of a backend.
struct Watched {
  int socket = -1;
  std::atomic<uint32_t> call = 0;
  std::atomic<uintptr_t> begin = 0, end = 0;
};
Watched watched;
static_assert(std::atomic<uintptr_t>::is_always_lock_free);

void on_fault(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  const uintptr_t begin = watched.begin;
  if (at >= begin && at < watched.end) {
    // The packet of an answer, without the allocation that Writer and Channel would make.
    struct [[gnu::packed]] {
      uint32_t size = 13;
      uint32_t call = watched.call;
      Outcome outcome = Outcome::WroteInput;
      uint64_t offset = 0;
    } packet;
    packet.offset = at - begin;
    (void)!::send(watched.socket, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  std::signal(signal, SIG_DFL);  // returning makes the same access again
}

void protect_inputs(std::span<const std::byte> memory) {
  watched.begin = reinterpret_cast<uintptr_t>(memory.data());
  watched.end = reinterpret_cast<uintptr_t>(memory.data() + memory.size());
}

void watch_faults(int socket) {
  watched.socket = socket;
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, nullptr);
}

class Server {
 public:
  Server(backend::Backend& backend, const spec::OpTable& table, std::span<const Route> open_routes)
      : backend_(backend), table_(table), open_routes_(open_routes) {}

  /// One call: reads what it needs, writes what it gives. Errors: what the backend answers.
  Result<void> answer(Call call, Reader& in, Fd fd, Writer& out);
  void forget(Reader& in) {
    const auto forget_in = [&](auto& all) {
      for (uint32_t n = in.count(4); n > 0; --n) {
        engine_.reset();  // which may have it
        all.erase(in.number<uint32_t>());
      }
    };
    forget_in(pipelines_);
    forget_in(buffers_);
  }

 private:
  Result<void> hello(Reader& in, Writer& out);
  Result<void> map(Reader& in, Fd fd);
  Result<void> compile(Reader& in, Writer& out);
  Result<void> code(Reader& in, Writer& out);
  Result<void> dispatch(Reader& in);
  Result<void> allocate(Reader& in);
  Result<void> transfer(Reader& in, bool to_device);
  Result<void> fill(Reader& in);
  Result<void> dispatch_resident(Reader& in);
  Result<backend::DeviceRange> range(Reader& in);
  /// What a dispatch is, without its ranges.
  Result<backend::Step> step(Reader& in, std::vector<backend::DeviceRange>& ranges);
  Result<void> engine(Reader& in, Writer& out);

  Result<backend::Pipeline*> pipeline(uint32_t id) {
    const auto found = pipelines_.find(id);
    if (found == pipelines_.end()) return std::unexpected(malformed("there is no such pipeline"));
    return found->second.get();
  }
  Result<backend::DeviceBuffer*> buffer(uint32_t id) {
    const auto found = buffers_.find(id);
    if (found == buffers_.end()) return std::unexpected(malformed("there is no such buffer"));
    return found->second.get();
  }
  /// The region that the next number names.
  Result<Region*> region(uint8_t turn, Access& access, Reader& in) {
    const auto number = in.number<uint8_t>();
    if (turn >= kTurns || number >= kAccessCount)
      return std::unexpected(malformed("there is no such region"));
    access = static_cast<Access>(number);
    return access == Access::Read ? &inputs_ : &results_[turn];
  }
  /// The part of a region that the next three numbers name.
  Result<std::span<std::byte>> part(uint8_t turn, Reader& in) {
    Access access{};
    VYRE_TRY(found, region(turn, access, in));
    const auto offset = in.number<uint64_t>();
    const auto bytes = in.number<uint64_t>();
    const std::span<std::byte> memory = found->memory();
    if (offset > memory.size() || bytes > memory.size() - offset)
      return std::unexpected(malformed("a buffer that is not in its region"));
    return memory.subspan(size_t(offset), size_t(bytes));
  }

  backend::Backend& backend_;
  const spec::OpTable& table_;
  const std::span<const Route> open_routes_;
  Region inputs_;
  std::array<Region, kTurns> results_;
  std::map<uint32_t, std::unique_ptr<backend::Pipeline>> pipelines_;
  std::map<uint32_t, std::unique_ptr<backend::DeviceBuffer>> buffers_;
  /// The last engine, for when it is asked for again.
  std::unique_ptr<backend::Recording> engine_;
  uint32_t engine_id_ = 0;
};

Result<void> Server::hello(Reader& in, Writer& out) {
  if (const auto version = in.number<uint32_t>(); version != kProtocolVersion)
    return std::unexpected(malformed(fmt::format("version {} of the protocol", version)));
  Greeting greeting = greeting_of(backend_);
  greeting.open_routes.assign(open_routes_.begin(), open_routes_.end());
  write(out, greeting);
  return {};
}

Result<void> Server::map(Reader& in, Fd fd) {
  const auto turn = in.number<uint8_t>();
  Access access{};
  VYRE_TRY(slot, region(turn, access, in));
  const auto bytes = in.number<uint64_t>();
  *slot = Region();
  VYRE_TRY(opened, Region::open(std::move(fd), bytes, access));
  *slot = std::move(opened);
  if (access == Access::Read) protect_inputs(slot->memory());
  return {};
}

/// Programs that are of no use have their diagnostics; the others go to the backend together.
Result<void> Server::compile(Reader& in, Writer& out) {
  struct Item {
    uint32_t id;
    std::optional<check::Checked> program;
    Diag why;
  };
  std::vector<Item> items;
  for (uint32_t n = in.count(8); n > 0; --n) {
    Item item{in.number<uint32_t>(), std::nullopt, malformed("no program")};
    auto program = wire::decode(in.bytes());
    if (!program) {
      item.why = std::move(program).error();
    } else if (auto checked = check::check(std::move(*program), table_); !checked) {
      item.why = std::move(checked).error().front();
    } else {
      item.program = std::move(*checked);
    }
    items.push_back(std::move(item));
  }
  std::vector<const check::Checked*> programs;
  for (const Item& item : items) {
    if (item.program) programs.push_back(&*item.program);
  }
  auto compiled = programs.size() == 1 ? std::vector<Result<std::unique_ptr<backend::Pipeline>>>{}
                                       : backend_.compile_batch(programs);
  if (programs.size() == 1) compiled.push_back(backend_.compile(*programs.front()));
  size_t next = 0;
  out.number(uint32_t(items.size()));
  for (Item& item : items) {
    if (item.program) {
      auto& made = compiled[next++];
      if (made)
        pipelines_[item.id] = std::move(*made);
      else
        item.why = std::move(made).error();
    }
    const bool failed = !pipelines_.contains(item.id);
    out.number(uint8_t(failed));
    if (failed) write(out, item.why);
  }
  return {};
}

Result<void> Server::code(Reader& in, Writer& out) {
  VYRE_TRY(made, pipeline(in.number<uint32_t>()));
  VYRE_TRY(code, made->code());
  if (code.text.size() > kMaxMessageBytes / 2) {
    return std::unexpected(make_diag(DiagCode::B003, Span::none(),
                                     fmt::format("the code has {} bytes", code.text.size()),
                                     "ask with --in-process"));
  }
  out.text(code.form);
  out.text(code.text);
  return {};
}

layout::Groups read_groups(Reader& in) {
  layout::Groups groups;
  groups.x = in.number<uint32_t>();
  groups.y = in.number<uint32_t>();
  groups.z = in.number<uint32_t>();
  return groups;
}

Result<void> Server::dispatch(Reader& in) {
  VYRE_TRY(made, pipeline(in.number<uint32_t>()));
  const layout::Groups groups = read_groups(in);
  const auto turn = in.number<uint8_t>();
  std::vector<std::span<std::byte>> host;
  for (uint32_t n = in.count(17); n > 0; --n) {
    VYRE_TRY(memory, part(turn, in));
    host.push_back(memory);
  }
  return made->dispatch(host, groups);
}

Result<void> Server::allocate(Reader& in) {
  const auto id = in.number<uint32_t>();
  VYRE_TRY(made, backend_.allocate(in.number<uint64_t>()));
  buffers_[id] = std::move(made);
  return {};
}

Result<void> Server::transfer(Reader& in, bool to_device) {
  VYRE_TRY(device, buffer(in.number<uint32_t>()));
  const auto offset = in.number<uint64_t>();
  const auto turn = in.number<uint8_t>();
  VYRE_TRY(memory, part(turn, in));
  return to_device ? device->write(offset, memory) : device->read(offset, memory);
}

Result<void> Server::fill(Reader& in) {
  VYRE_TRY(device, buffer(in.number<uint32_t>()));
  const auto offset = in.number<uint64_t>();
  const auto count = in.number<uint64_t>();
  return device->fill(offset, count, std::byte(in.number<uint8_t>()));
}

Result<backend::DeviceRange> Server::range(Reader& in) {
  VYRE_TRY(device, buffer(in.number<uint32_t>()));
  backend::DeviceRange out{.buffer = device};
  out.offset = in.number<uint64_t>();
  out.bytes = in.number<uint64_t>();
  out.shared = in.number<uint8_t>() != 0;
  return out;
}

Result<backend::Step> Server::step(Reader& in, std::vector<backend::DeviceRange>& ranges) {
  VYRE_TRY(made, pipeline(in.number<uint32_t>()));
  const layout::Groups groups = read_groups(in);
  for (uint32_t n = in.count(21); n > 0; --n) {
    VYRE_TRY(one, range(in));
    ranges.push_back(one);
  }
  return backend::Step{made, ranges, groups};
}

Result<void> Server::dispatch_resident(Reader& in) {
  std::vector<backend::DeviceRange> ranges;
  VYRE_TRY(made, step(in, ranges));
  return made.pipeline->dispatch_resident(made.ranges, made.groups);
}

Result<void> Server::engine(Reader& in, Writer& out) {
  using Kind = backend::Command::Kind;
  const auto id = in.number<uint32_t>();
  const auto statements = in.number<uint64_t>();
  const auto count = in.count(2);
  std::vector<backend::Command> commands;
  std::deque<std::vector<backend::DeviceRange>> ranges;
  std::vector<size_t> ends = {count};  // of the bodies that this command is in
  size_t repeats = 0;
  for (size_t i = 0; i < count; ++i) {
    while (ends.back() == i) ends.pop_back();
    backend::Command& command = commands.emplace_back();
    command.kind = static_cast<Kind>(in.number<uint8_t>());
    if (command.kind > Kind::Lane) return std::unexpected(malformed("there is no such command"));
    const bool in_lanes = commands.front().kind == Kind::Lane, outermost = ends.size() == 1;
    if ((command.kind == Kind::Lane) != (in_lanes && outermost))
      return std::unexpected(malformed("a lane in the wrong place"));
    if (command.kind == Kind::Dispatch) {
      VYRE_TRY(made, step(in, ranges.emplace_back()));
      command.step = made;
      continue;
    }
    if (command.kind == Kind::Lane) {
      command.count = in.number<uint32_t>();
      if (command.count > count - i - 1) return std::unexpected(malformed("a lane without an end"));
      ends.push_back(i + 1 + command.count);
      continue;
    }
    VYRE_TRY(one, range(in));
    command.range = one;
    if (command.kind == Kind::Zero) continue;
    command.turns = in.number<uint32_t>();
    command.word = in.number<uint64_t>();
    command.looks = in.number<uint8_t>() != 0;
    command.count = in.number<uint32_t>();
    command.statements = in.number<uint64_t>();
    if (command.count > ends.back() - i - 1) return std::unexpected(malformed("a body without an end"));
    ends.push_back(i + 1 + command.count);
    ++repeats;
  }
  if (!in.done()) return std::unexpected(malformed("commands of another size"));
  if (engine_ == nullptr || engine_id_ != id) {
    engine_.reset();
    VYRE_TRY(recording, backend_.record(commands));
    engine_ = std::move(recording);
    engine_id_ = id;
  }
  std::vector<backend::Taken> taken(repeats);
  VYRE_CHECK(engine_->run(taken, statements));
  out.number(uint32_t(taken.size()));
  for (const backend::Taken& one : taken) {
    out.number(one.turns);
    out.number(one.unfinished);
  }
  return {};
}

Result<void> Server::answer(Call call, Reader& in, Fd fd, Writer& out) {
  switch (call) {
    case Call::Hello: return hello(in, out);
    case Call::Map: return map(in, std::move(fd));
    case Call::Compile: return compile(in, out);
    case Call::Code: return code(in, out);
    case Call::Dispatch: return dispatch(in);
    case Call::Allocate: return allocate(in);
    case Call::Write: return transfer(in, true);
    case Call::Read: return transfer(in, false);
    case Call::Fill: return fill(in);
    case Call::DispatchResident: return dispatch_resident(in);
    case Call::Engine: return engine(in, out);
    case Call::Settle: return backend_.drain();
    case Call::Floats: {
      VYRE_TRY(floats, backend_.floats());
      write(out, floats);
      return {};
    }
  }
  return std::unexpected(malformed("there is no such call"));
}

/// Ends the process when the parent is gone, whatever a driver is at. PR_SET_PDEATHSIG would do it when the
/// thread that started the worker ends, which is too early.
void watch_parent(int socket) {
  std::thread([socket] {
    pollfd poll = {socket, POLLRDHUP, 0};
    while (::poll(&poll, 1, -1) <= 0 || (poll.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) {
    }
    ::_exit(0);
  }).detach();
}

constexpr int kExitNotOpened = 3;
constexpr int kExitAskedAmiss = 2;

}  // namespace

int serve(const Open& open, int socket, const spec::OpTable& table, const LimitCores& limit,
          const Isolation& isolation) {
  isolate(isolation);
  const std::vector<Route> open_routes = find_open_routes(::getppid());
  const rlimit no_core = {};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  watch_parent(socket);
  watch_faults(socket);
  Channel channel{Fd(socket)};
  std::unique_ptr<backend::Backend> backend;
  std::optional<Server> server;
  Bytes message;
  Writer out, body;
  std::optional<uint32_t> cores;
  for (;;) {
    Fd fd;
    // A parent that is gone wants no tidying up: the process ends here and now, as the watcher would end it.
    const Passage passed = channel.receive(message, &fd, kForever, nullptr);
    if (passed == Passage::Malformed) return kExitAskedAmiss;
    if (passed != Passage::Done) ::_exit(0);
    Reader in(message);
    const auto number = in.number<uint32_t>();
    const auto call = static_cast<Call>(in.number<uint8_t>());
    const auto allowed = in.number<uint32_t>();
    watched.call = number;
    body.clear();
    Result<void> done;
    try {
      if (limit && in.ok() && cores != allowed) limit(allowed);
      cores = allowed;
      if (!server) {
        auto opened = open();
        if (opened) {
          backend = std::move(*opened);
          server.emplace(*backend, table, open_routes);
        } else {
          done = std::unexpected(std::move(opened).error());
        }
      }
      if (server) {
        server->forget(in);
        done = server->answer(call, in, std::move(fd), body);
      }
    } catch (const std::bad_alloc&) {
      done = std::unexpected(make_diag(DiagCode::B003, Span::none(),
                                       "the memory of the backend's process does not suffice for this call",
                                       "use smaller buffers, or split the work"));
    }
    out.clear();
    out.number(number);
    out.number(uint8_t(done ? Outcome::Done : Outcome::Failed));
    if (done)
      out.append(body.written());
    else
      write(out, done.error());
    if (channel.send(out.written(), -1, kForever, nullptr) != Passage::Done) ::_exit(0);
    if (!server) return kExitNotOpened;
  }
}

}  // namespace vyre::worker
