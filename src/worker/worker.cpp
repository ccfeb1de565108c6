#include "worker/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "lower/lift.h"
#include "spec/intrinsics.h"
#include "wire/wire.h"
#include "worker/connection.h"

namespace vyre::worker {
namespace {

/// Programs of a batch go to the worker in messages of about this size.
constexpr size_t kBatchBytes = 16 << 20;
/// Large buffers are copied in parts, so that shared memory need not hold them.
constexpr uint64_t kCopyBytes = 64 << 20;

using Lock = Connection::Lock;
using Shared = std::shared_ptr<Connection>;

/// Compiles what is not yet compiled in this process. The outcomes, in order.
struct Wanted {
  uint32_t id;
  const check::Checked* program;
};
Result<std::vector<Result<void>>> compile_in(Connection& connection, const Lock& lock,
                                             std::span<const Wanted> wanted) {
  VYRE_TRY(generation, connection.ensure(lock));
  std::vector<Result<void>> out;
  Writer programs;
  size_t first = 0;
  const auto flush = [&](size_t end) -> Result<void> {
    Writer body;
    body.number(uint32_t(end - first));
    body.append(programs.written());
    VYRE_TRY(answer, connection.call(lock, Call::Compile, body.written(),
                                     connection.options().compile_seconds * double(end - first)));
    Reader in = answer.reader();
    bool well = in.count(1) == end - first;
    for (size_t i = first; well && i < end; ++i) {
      if (in.number<uint8_t>() == 0) {
        generation->pipelines.insert(wanted[i].id);
        out.emplace_back();
        continue;
      }
      std::optional<Diag> diag = read_diag(in);
      well = diag.has_value();
      if (well) out.push_back(std::unexpected(std::move(*diag)));
    }
    if (!well || !in.done())
      return std::unexpected(
          connection.breach(lock, Breach::Protocol, "an answer that is none to compiling"));
    first = end;
    programs.clear();
    return {};
  };
  for (size_t i = 0; i < wanted.size(); ++i) {
    programs.number(wanted[i].id);
    const std::optional<ir::Program> lifted = lower::lift_calls_outside_library(*wanted[i].program);
    programs.bytes(wire::encode(lifted ? *lifted : wanted[i].program->program()));
    if (programs.size() >= kBatchBytes || i + 1 == wanted.size()) VYRE_CHECK(flush(i + 1));
  }
  return out;
}

/// Bytes of two spans of one size.
void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

class WorkerBuffer final : public backend::DeviceBuffer {
 public:
  WorkerBuffer(Shared connection, uint64_t bytes)
      : connection_(std::move(connection)), id_(connection_->new_id()), bytes_(bytes) {}
  WorkerBuffer(const WorkerBuffer&) = delete;
  ~WorkerBuffer() override { connection_->drop_buffer(id_); }

  uint64_t bytes() const override { return bytes_; }
  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    VYRE_CHECK(backend::check_within(bytes_, offset, from.size()));
    // Nothing is copied back to what is not writable.
    const std::span<std::byte> memory(const_cast<std::byte*>(from.data()), from.size());
    return transfer(Call::Write, offset, memory);
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override {
    VYRE_CHECK(backend::check_within(bytes_, offset, to.size()));
    return transfer(Call::Read, offset, to);
  }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    VYRE_CHECK(backend::check_within(bytes_, offset, count));
    const Lock lock = connection_->lock();
    VYRE_CHECK(allocate(lock));
    Writer body;
    body.number(id_);
    body.number(offset);
    body.number(count);
    body.number(uint8_t(value));
    return connection_->command(lock, Call::Fill, body.written(), connection_->options().dispatch_seconds);
  }

  /// Makes sure that the buffer is there in the process that is now.
  Result<void> allocate(const Lock& lock) {
    VYRE_TRY(generation, connection_->ensure(lock));
    if (generation->buffers.contains(id_)) return {};
    Writer body;
    body.number(id_);
    body.number(bytes_);
    VYRE_CHECK(
        connection_->command(lock, Call::Allocate, body.written(), connection_->options().dispatch_seconds));
    generation->buffers.insert(id_);
    return {};
  }
  uint32_t id() const { return id_; }
  bool is_of(const Connection& connection) const { return connection_.get() == &connection; }

 private:
  Result<void> transfer(Call call, uint64_t offset, std::span<std::byte> memory) {
    const Lock lock = connection_->lock();
    VYRE_CHECK(allocate(lock));
    for (size_t done = 0; done < memory.size();) {
      const size_t part = std::min<size_t>(kCopyBytes, memory.size() - done);
      Writer body;
      body.number(id_);
      body.number(offset + done);
      const BufferShape shape{part, call == Call::Read ? Access::ReadWrite : Access::Read};
      const std::span<std::byte> mine = memory.subspan(done, part);
      VYRE_CHECK(connection_->call_with_memory(
          lock, call, std::move(body), {}, {&shape, 1},
          [&](auto shared) -> Result<void> {
            if (call == Call::Write) copy(mine, shared[0]);
            return {};
          },
          [&](auto shared) {
            if (call == Call::Read) copy(shared[0], mine);
          }));
      done += part;
    }
    return {};
  }

  const Shared connection_;
  const uint32_t id_;
  const uint64_t bytes_;
};

Result<void> write_range(Writer& out, const Lock& lock, const Connection& connection,
                         const backend::DeviceRange& range) {
  auto* const buffer = dynamic_cast<WorkerBuffer*>(range.buffer);
  if (buffer == nullptr || !buffer->is_of(connection)) {
    return std::unexpected(make_diag(DiagCode::B012, Span::none(), "a buffer of another backend was bound",
                                     "bind buffers of the backend that compiled the program"));
  }
  VYRE_CHECK(backend::check_range(range));
  VYRE_CHECK(buffer->allocate(lock));
  out.number(buffer->id());
  out.number(range.offset);
  out.number(range.bytes);
  out.number(uint8_t(range.shared));
  return {};
}

void write_groups(Writer& out, layout::Groups groups) {
  out.number(groups.x);
  out.number(groups.y);
  out.number(groups.z);
}

class WorkerPipeline final : public InPlacePipeline {
 public:
  WorkerPipeline(Shared connection, uint32_t id, const check::Checked& program)
      : connection_(std::move(connection)), id_(id), program_(program) {}
  WorkerPipeline(const WorkerPipeline&) = delete;
  ~WorkerPipeline() override { connection_->drop_pipeline(id_); }

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    // Here, where positions in the text are known; the backend has the same checks.
    VYRE_CHECK(layout::bind(program_, host, groups));
    std::vector<uint64_t> sizes;
    for (const std::span<std::byte> buffer : host) sizes.push_back(buffer.size());
    return call(
        sizes, groups,
        [&](auto shared) -> Result<void> {
          for (size_t i = 0; i < host.size(); ++i) copy(host[i], shared[i]);
          return {};
        },
        [&](auto shared) {
          for (size_t i = 0; i < host.size(); ++i) {
            if (access(i) == Access::ReadWrite) copy(shared[i], host[i]);
          }
        });
  }

  Result<void> dispatch_in_place(std::span<const uint64_t> sizes, layout::Groups groups,
                                 const UseMemory& fill, const UseMemory& copy_out) override {
    const auto fill_and_check = [&](auto shared) -> Result<void> {
      fill(shared);
      VYRE_CHECK(layout::bind(program_, shared, groups));
      return {};
    };
    return call(sizes, groups, fill_and_check, copy_out);
  }

  Result<void> dispatch_resident(std::span<const backend::DeviceRange> ranges,
                                 layout::Groups groups) override {
    const Lock lock = connection_->lock();
    Writer body;
    VYRE_CHECK(write(body, lock, ranges, groups));
    return connection_->command(lock, Call::DispatchResident, body.written(),
                                connection_->options().dispatch_seconds);
  }

  bool is_of(const Connection& connection) const { return connection_.get() == &connection; }
  /// A dispatch of it, as calls name it; then it is compiled in the process that is now.
  Result<void> write(Writer& out, const Lock& lock, std::span<const backend::DeviceRange> ranges,
                     layout::Groups groups) {
    VYRE_CHECK(compile(lock));
    out.number(id_);
    write_groups(out, groups);
    out.number(uint32_t(ranges.size()));
    for (const backend::DeviceRange& range : ranges) VYRE_CHECK(write_range(out, lock, *connection_, range));
    return {};
  }

  Result<backend::EmittedCode> code() override {
    const Lock lock = connection_->lock();
    VYRE_CHECK(compile(lock));
    Writer body;
    body.number(id_);
    VYRE_TRY(answer,
             connection_->call(lock, Call::Code, body.written(), connection_->options().compile_seconds));
    Reader in = answer.reader();
    form_ = in.text();
    backend::EmittedCode out{form_, in.text()};
    if (!in.done())
      return std::unexpected(connection_->breach(lock, Breach::Protocol, "an answer that is no code"));
    return out;
  }

 private:
  /// What the worker may do with bound buffer i.
  Access access(size_t i) const {
    const bool written = program_.buffer(program_.bound_buffers()[i]).access == spec::BufferAccess::ReadWrite;
    return written ? Access::ReadWrite : Access::Read;
  }

  Result<void> call(std::span<const uint64_t> sizes, layout::Groups groups, const FillMemory& fill,
                    const UseMemory& copy_out) {
    const Lock lock = connection_->lock();
    VYRE_CHECK(compile(lock));
    std::vector<BufferShape> buffers;
    buffers.reserve(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) buffers.push_back({sizes[i], access(i)});
    Writer body, size;
    body.number(id_);
    write_groups(body, groups);
    size.number(uint32_t(sizes.size()));
    return connection_->call_with_memory(lock, Call::Dispatch, std::move(body), size.written(), buffers, fill,
                                         copy_out);
  }

  /// Makes sure that the program is compiled in the process that is now.
  Result<void> compile(const Lock& lock) {
    VYRE_TRY(generation, connection_->ensure(lock));
    if (generation->pipelines.contains(id_)) return {};
    const Wanted wanted{id_, &program_};
    VYRE_TRY(compiled, compile_in(*connection_, lock, {&wanted, 1}));
    return std::move(compiled.front());
  }

  const Shared connection_;
  const uint32_t id_;
  const check::Checked program_;
  std::string form_;  // what code() points to
};

/// The commands of an engine, which the worker's backend is given whole.
class WorkerRecording final : public backend::Recording {
 public:
  WorkerRecording(Shared connection, std::span<const backend::Command> commands)
      : connection_(std::move(connection)),
        id_(connection_->new_id()),
        commands_(commands.begin(), commands.end()) {
    for (backend::Command& command : commands_) {
      command.step.ranges = ranges_.emplace_back(command.step.ranges.begin(), command.step.ranges.end());
      repeats_ += command.kind == backend::Command::Kind::Repeat ? 1 : 0;
      dispatches_ += command.kind == backend::Command::Kind::Dispatch ? 1 : 0;
    }
  }

  /// Errors: B012 for what is another backend's.
  Result<void> check() const {
    const Lock lock = connection_->lock();
    Writer ignored;
    return write(ignored, lock);
  }

  Result<void> run(std::span<backend::Taken> taken, uint64_t statements) override {
    const Lock lock = connection_->lock();
    Writer body;
    body.number(id_);
    body.number(statements);
    VYRE_CHECK(write(body, lock));
    const double seconds = connection_->options().dispatch_seconds * std::clamp(dispatches_, 1.0, kMostTimes);
    VYRE_TRY(answer, connection_->call(lock, Call::Engine, body.written(), seconds));
    Reader in = answer.reader();
    std::vector<backend::Taken> found(in.count(16));
    for (backend::Taken& one : found) {
      one.turns = in.number<uint64_t>();
      one.unfinished = in.number<uint64_t>();
    }
    if (!in.done() || found.size() != repeats_)
      return std::unexpected(connection_->breach(lock, Breach::Protocol, "an answer of another size"));
    if (!taken.empty()) std::ranges::copy(found, taken.begin());
    return {};
  }

 private:
  /// An engine has so many times as long as a dispatch, at most.
  static constexpr double kMostTimes = 10;

  Result<void> write(Writer& out, const Lock& lock) const {
    out.number(uint32_t(commands_.size()));
    for (const backend::Command& command : commands_) {
      out.number(uint8_t(command.kind));
      if (command.kind == backend::Command::Kind::Dispatch) {
        auto* const pipeline = dynamic_cast<WorkerPipeline*>(command.step.pipeline);
        if (pipeline == nullptr || !pipeline->is_of(*connection_)) {
          return std::unexpected(make_diag(DiagCode::B012, Span::none(),
                                           "a program of another backend was given",
                                           "give a program that this backend compiled"));
        }
        VYRE_CHECK(pipeline->write(out, lock, command.step.ranges, command.step.groups));
        continue;
      }
      if (command.kind == backend::Command::Kind::Lane) {
        out.number(command.count);
        continue;
      }
      VYRE_CHECK(write_range(out, lock, *connection_, command.range));
      if (command.kind == backend::Command::Kind::Zero) continue;
      out.number(command.turns);
      out.number(command.word);
      out.number(uint8_t(command.looks));
      out.number(command.count);
      out.number(command.statements);
    }
    return {};
  }

  const Shared connection_;
  const uint32_t id_;
  std::vector<backend::Command> commands_;
  std::deque<std::vector<backend::DeviceRange>> ranges_;
  size_t repeats_ = 0;
  double dispatches_ = 0;
};

class WorkerBackend final : public backend::Backend {
 public:
  explicit WorkerBackend(Shared connection) : connection_(std::move(connection)) {}

  // What a worker said when it was opened holds of all that follow: another answer is a breach.
  backend::Identity identity() const override { return connection_->greeting().identity; }
  backend::Limits limits() const override { return connection_->greeting().limits; }
  bool has(spec::Intrinsic intrinsic) const override {
    return (connection_->greeting().intrinsics >> static_cast<size_t>(intrinsic) & 1) != 0;
  }
  uint32_t convention() const override { return connection_->greeting().convention; }
  bool isolated() const override { return true; }
  Result<backend::FloatUse> floats() override {
    const Lock lock = connection_->lock();
    VYRE_CHECK(connection_->ensure(lock));
    VYRE_TRY(answer, connection_->call(lock, Call::Floats, {}, connection_->options().compile_seconds));
    Reader in = answer.reader();
    if (auto floats = read_floats(in)) return std::move(*floats);
    return std::unexpected(
        connection_->breach(lock, Breach::Protocol, "an answer that tells no use of floats"));
  }

  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    const check::Checked* const one = &program;
    return std::move(compile_batch({&one, 1}).front());
  }

  std::vector<Result<std::unique_ptr<backend::Pipeline>>> compile_batch(
      std::span<const check::Checked* const> programs) override {
    std::vector<Result<std::unique_ptr<backend::Pipeline>>> out(programs.size());
    std::vector<Wanted> wanted;
    std::vector<size_t> positions;
    const Lock lock = connection_->lock();
    for (size_t i = 0; i < programs.size(); ++i) {
      // Here, where positions in the text are known.
      if (auto has = backend::check_intrinsics(*this, *programs[i]); !has) {
        out[i] = std::unexpected(std::move(has).error());
        continue;
      }
      wanted.push_back({connection_->new_id(), programs[i]});
      positions.push_back(i);
    }
    const auto compiled = compile_in(*connection_, lock, wanted);
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (!compiled)
        out[positions[k]] = std::unexpected(compiled.error());
      else if (const Result<void>& one = (*compiled)[k]; !one)
        out[positions[k]] = std::unexpected(one.error());
      else
        out[positions[k]] = std::make_unique<WorkerPipeline>(connection_, wanted[k].id, *wanted[k].program);
    }
    return out;
  }

  Result<std::unique_ptr<backend::DeviceBuffer>> allocate(uint64_t bytes) override {
    auto buffer = std::make_unique<WorkerBuffer>(connection_, bytes);
    Result<void> allocated;
    {
      const Lock lock = connection_->lock();
      allocated = buffer->allocate(lock);
    }
    if (!allocated) return std::unexpected(std::move(allocated).error());
    return buffer;
  }

  Result<std::unique_ptr<backend::Recording>> record(std::span<const backend::Command> commands) override {
    auto recording = std::make_unique<WorkerRecording>(connection_, commands);
    VYRE_CHECK(recording->check());
    return recording;
  }

  Result<void> restart() override {
    const Lock lock = connection_->lock();
    return connection_->restart(lock);
  }

  Result<void> drain() override {
    const Lock lock = connection_->lock();
    return connection_->drain(lock);
  }

 private:
  const Shared connection_;
};

}  // namespace

std::vector<std::string> worker_arguments(const Options& options, const std::string& scratch) {
  std::vector<std::string> out = {"worker",
                                  "--backend",
                                  options.backend,
                                  "--fd",
                                  std::to_string(kWorkerSocket),
                                  "--threads",
                                  std::to_string(options.backend_options.threads),
                                  "--subgroup-size",
                                  std::to_string(options.backend_options.reference.subgroup_size),
                                  "--float",
                                  std::string(backend::text(options.backend_options.floats))};
  if (!scratch.empty()) out.insert(out.end(), {"--scratch", scratch});
  for (const std::string& path : options.hidden) out.insert(out.end(), {"--hide", path});
  return out;
}

Result<std::unique_ptr<backend::Backend>> make_worker(const Options& options) {
  auto connection = std::make_shared<Connection>(options);
  {
    const Lock lock = connection->lock();
    VYRE_CHECK(connection->ensure(lock));
  }
  return std::make_unique<WorkerBackend>(std::move(connection));
}

}  // namespace vyre::worker
