#include "hostile.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

#include "base/random.h"
#include "faulty.h"
#include "oracle.h"
#include "support.h"
#include "worker/channel.h"
#include "worker/protocol.h"

VYRE_ORACLE(SpecificationTable, "worker.h: B009 or B010 or B012, whatever the other side says");

namespace vyre::worker {
namespace {

/// An answer to a request, with this behind its number.
Bytes answer_to(const Bytes& request, std::span<const std::byte> rest) {
  Writer out;
  out.number(load_u32(request.data()));
  out.append(rest);
  return {out.written().begin(), out.written().end()};
}
Bytes greeting(const Bytes& request, uint32_t version, std::vector<Route> open = {}) {
  Greeting hello = greeting_of(*backend::make_reference());
  hello.version = version;
  hello.open_routes = std::move(open);
  Writer out;
  out.number(uint8_t(0));
  write(out, hello);
  return answer_to(request, out.written());
}

void send_packet(int socket, const Bytes& packet) {
  ::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL);
}

/// Random bytes in the place of an answer: some as packets, some with a number and an outcome that fit.
void send_random(Channel& channel, const Bytes& request, RandomStream& random) {
  for (uint32_t packets = random.below(3) + 1; packets > 0; --packets) {
    Bytes bytes(random.below(4) == 0 ? random.below(40'000) : random.below(64));
    for (std::byte& b : bytes) b = std::byte(random.next());
    if (bytes.size() >= 4 && random.chance(2)) store_u32(bytes.data(), uint32_t(bytes.size() - 4));
    if (bytes.size() >= 9 && random.chance(2)) {
      std::copy_n(request.data(), 4, bytes.data() + 4);
      bytes[8] = std::byte(random.below(3));
    }
    send_packet(channel.fd(), bytes);
  }
}

[[noreturn]] void live_on() {
  for (;;) ::pause();
}

void do_hostile(std::string_view what, Channel& channel, const Bytes& request, Fd& fd) {
  const Bytes done = answer_to(request, std::array{std::byte(0)});
  if (what == "close") {
    channel.close();
    live_on();
  }
  if (what == "wrong-number") {
    Bytes other = done;
    other[0] ^= std::byte(1);
    (void)channel.send(other, -1, kForever, nullptr);
  }
  if (what == "twice") {
    (void)channel.send(done, -1, kForever, nullptr);
    (void)channel.send(done, -1, kForever, nullptr);
  }
  if (what == "long-packet") send_packet(channel.fd(), Bytes(kPacketBytes + 1));
  if (what == "huge-message") send_packet(channel.fd(), Bytes(100, std::byte(0xff)));
  if (what == "shrink") {
    // The compile has to be answered, so that memory comes.
    Writer compiled;
    compiled.number(uint8_t(0));
    compiled.number(uint32_t(1));
    compiled.number(uint8_t(0));
    const bool is_compile = request[4] == std::byte(Call::Compile);
    if (fd && (::ftruncate(fd.get(), 0) == 0 ||
               ::fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20) == 0)) {
      // A hole is memory too: zeros, and so no poison any more.
    }
    (void)channel.send(is_compile ? answer_to(request, compiled.written()) : done, -1, kForever, nullptr);
  }
}

}  // namespace

int be_hostile(const std::string& backend, int socket) {
  const std::string_view what = std::string_view(backend).substr(std::string_view("hostile:").size());
  uint64_t seed = 0;
  const bool numbered = std::from_chars(what.data(), what.data() + what.size(), seed).ec == std::errc{};
  RandomStream random(seed, 0);
  Channel channel{Fd(socket)};
  Bytes request;
  Fd fd;
  if (channel.receive(request, &fd, kForever, nullptr) != Passage::Done) return 1;
  if (what == "silent-close") {
    channel.close();
    live_on();
  }
  if (what == "no-greeting")
    send_packet(socket, Bytes(4));
  else if (what == "old-version")
    (void)channel.send(greeting(request, 0), -1, kForever, nullptr);
  else if (what == "open-memory")
    (void)channel.send(greeting(request, kProtocolVersion, {Route::Files, Route::Memory}), -1, kForever,
                       nullptr);
  else if (what == "open-files")
    (void)channel.send(greeting(request, kProtocolVersion, {Route::Files}), -1, kForever, nullptr);
  else if (numbered && random.chance(4))
    send_random(channel, request, random);
  else
    (void)channel.send(greeting(request, kProtocolVersion), -1, kForever, nullptr);
  while (channel.receive(request, &fd, kForever, nullptr) == Passage::Done) {
    const bool honest = numbered && random.chance(3);
    if (honest)
      (void)channel.send(answer_to(request, std::array{std::byte(0)}), -1, kForever, nullptr);
    else if (numbered)
      send_random(channel, request, random);
    else
      do_hostile(what, channel, request, fd);
    fd.reset();
  }
  return 0;
}

namespace {

/// Opens, compiles and dispatches until something is refused; what was, or nothing.
std::optional<Diag> use(const std::string& backend) {
  Options options = options_for(backend);
  options.open_seconds = options.compile_seconds = options.dispatch_seconds = 0.5;
  auto worker = make_worker(options);
  if (!worker) return worker.error();
  for (int round = 0; round < 2; ++round) {
    auto pipeline = (*worker)->compile(doubling());
    if (!pipeline) return pipeline.error();
    if (auto done = run_doubling(**pipeline, 7).outcome; !done) return done.error();
    auto buffer = (*worker)->allocate(1000);
    if (!buffer) return buffer.error();
    Bytes bytes(1000);
    if (auto done = (*buffer)->read(0, bytes); !done) return done.error();
    if (auto code = (*pipeline)->code(); !code) return code.error();
    if (auto done = (*worker)->drain(); !done) return done.error();
  }
  return std::nullopt;
}

TEST(Worker, RefusesWhatIsNoProtocol) {
  for (const std::string_view what : kHostilities) {
    const auto refused = use("hostile:" + std::string(what));
    ASSERT_TRUE(refused) << what;
    if (what.ends_with("close")) {
      EXPECT_EQ(refused->code, DiagCode::B009) << what;
      EXPECT_THAT(refused->message, ::testing::HasSubstr("closed its socket"));
    } else {
      EXPECT_EQ(refused->code, DiagCode::B012) << what << ": " << refused->message;
    }
  }
}

TEST(Worker, SurvivesRandomAnswers) {
  VYRE_ORACLE(Property, "whatever the other side says, the caller goes on");
  size_t breaches = 0;
  for (int seed = 0; seed < 150; ++seed) {
    const auto refused = use("hostile:" + std::to_string(seed));
    ASSERT_TRUE(refused) << seed;
    breaches += breach_of(*refused) == Breach::Protocol;
    EXPECT_TRUE(refused->code == DiagCode::B009 || refused->code == DiagCode::B010 ||
                refused->code == DiagCode::B012)
        << seed << ": " << refused->message;
  }
  EXPECT_GT(breaches, 75u);
}

}  // namespace
}  // namespace vyre::worker
