#include "worker/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

namespace vyre::worker {
namespace {

constexpr size_t kHeadBytes = 4;
constexpr size_t kPartBytes = kPacketBytes - kHeadBytes;
constexpr size_t kKeptOutput = 4096;
constexpr size_t kReads = 32;  // of 4 KiB: twice what a pipe holds

/// How long to wait, or null for ever; false when the deadline has passed.
bool time_left(Deadline deadline, timespec& storage, const timespec*& out) {
  out = nullptr;
  if (deadline == kForever) return true;
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
  if (left <= 0) return false;
  storage = {.tv_sec = time_t(left / 1'000'000'000), .tv_nsec = long(left % 1'000'000'000)};
  out = &storage;
  return true;
}

bool again(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

/// Room for one descriptor in a message's control data.
union Control {
  cmsghdr aligned;
  char bytes[CMSG_SPACE(sizeof(int))];
};

void attach(msghdr& message, Control& control, int fd) {
  control = {};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
}

void detach(const msghdr& message, Fd& out) {
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(const_cast<msghdr*>(&message), head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
    out = Fd(fd);
  }
}

bool printable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

}  // namespace

void OutputTail::drain() {
  std::array<char, 4096> buffer;
  // Not for ever: one who prints without end must not keep us here.
  for (size_t reads = 0; pipe_ && reads < kReads;) {
    const ssize_t n = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && again(errno)) return;
    if (n <= 0) {
      pipe_.reset();
      return;
    }
    kept_.append(buffer.data(), size_t(n));
    if (kept_.size() > kKeptOutput) kept_.erase(0, kept_.size() - kKeptOutput);
    ++reads;
  }
}

std::string OutputTail::last(size_t lines) const {
  std::vector<std::string> all(1);
  for (const char c : kept_) {
    if (c == '\n') {
      if (!all.back().empty()) all.emplace_back();
    } else if (printable(c)) {
      all.back() += c;
    }
  }
  if (all.back().empty()) all.pop_back();
  std::string out;
  for (size_t i = all.size() - std::min(lines, all.size()); i < all.size(); ++i) {
    if (!out.empty()) out += " / ";
    out += all[i];
  }
  return out;
}

Passage Channel::wait(short events, Deadline deadline, OutputTail* output) const {
  for (;;) {
    timespec storage;
    const timespec* left = nullptr;
    if (!time_left(deadline, storage, left)) return Passage::TimedOut;
    std::array<pollfd, 2> fds = {
        {{socket_.get(), events, 0}, {output != nullptr ? output->fd() : -1, POLLIN, 0}}};
    const int ready = ::ppoll(fds.data(), fds.size(), left, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return Passage::Closed;
    if (fds[1].revents != 0) output->drain();
    if ((fds[0].revents & events) != 0) return Passage::Done;
    if (fds[0].revents != 0) return Passage::Closed;
  }
}

Passage Channel::send(std::span<const std::byte> message, int fd, Deadline deadline, OutputTail* output) {
  auto total = uint32_t(message.size());
  for (size_t at = 0; at < message.size();) {
    const size_t part = std::min(kPartBytes, message.size() - at);
    std::array<iovec, 2> pieces = {
        {{&total, sizeof total}, {const_cast<std::byte*>(message.data()) + at, part}}};
    msghdr packet = {};
    packet.msg_iov = pieces.data();
    packet.msg_iovlen = pieces.size();
    Control control;
    if (fd >= 0 && at == 0) attach(packet, control, fd);
    const ssize_t sent = ::sendmsg(socket_.get(), &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      at += part;
      continue;
    }
    if (!again(errno)) return Passage::Closed;
    if (const Passage waited = wait(POLLOUT, deadline, output); waited != Passage::Done) return waited;
  }
  return Passage::Done;
}

Passage Channel::receive_packet(std::span<std::byte> into, size_t& size, Fd* fd, Deadline deadline,
                                OutputTail* output) const {
  // A worker waits for as long as it lives, and has nothing to look at meanwhile: one system call.
  const bool patient = deadline == kForever && output == nullptr;
  for (;;) {
    if (!patient) {
      if (const Passage waited = wait(POLLIN, deadline, output); waited != Passage::Done) return waited;
    }
    iovec piece = {into.data(), into.size()};
    msghdr packet = {};
    packet.msg_iov = &piece;
    packet.msg_iovlen = 1;
    Control control;
    if (fd != nullptr) {
      packet.msg_control = control.bytes;
      packet.msg_controllen = sizeof control.bytes;
    }
    const ssize_t n = ::recvmsg(socket_.get(), &packet, MSG_CMSG_CLOEXEC | (patient ? 0 : MSG_DONTWAIT));
    if (n < 0 && again(errno)) continue;
    if (n <= 0) return Passage::Closed;
    if (fd != nullptr) detach(packet, *fd);
    if ((packet.msg_flags & MSG_TRUNC) != 0) return Passage::Malformed;
    size = size_t(n);
    return Passage::Done;
  }
}

Passage Channel::receive(Bytes& message, Fd* fd, Deadline deadline, OutputTail* output) {
  std::array<std::byte, kPacketBytes> packet;
  message.clear();
  for (size_t total = SIZE_MAX; message.size() < total;) {
    size_t size = 0;
    const Passage passed = receive_packet(packet, size, fd, deadline, output);
    if (passed != Passage::Done) return passed;
    if (size <= kHeadBytes) return Passage::Malformed;
    const size_t claimed = load_u32(packet.data());
    if (total != SIZE_MAX && claimed != total) return Passage::Malformed;
    total = claimed;
    if (total > kMaxMessageBytes || size - kHeadBytes > total - message.size()) return Passage::Malformed;
    message.insert(message.end(), packet.begin() + kHeadBytes, packet.begin() + ptrdiff_t(size));
  }
  return Passage::Done;
}

}  // namespace vyre::worker
