// Messages between a worker and its parent: over a socket of packets, each message in as many as it needs.
//
// A packet is the size of the whole message (u32) and the next part of it, at most kPacketBytes. So a message
// of any size passes without a stream's loss of place, and the receiver needs to trust nothing: sizes
// that do not fit one another end the conversation.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "worker/fd.h"

namespace vyre::worker {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
inline constexpr Deadline kForever = Deadline::max();

inline constexpr size_t kPacketBytes = 32 << 10;
/// No message is longer.
inline constexpr size_t kMaxMessageBytes = 256 << 20;

/// What a process prints, of which the end is kept: read from a pipe whenever it is looked at, so that a
/// process that prints much does not wait for its reader.
class OutputTail {
 public:
  OutputTail() = default;
  explicit OutputTail(Fd pipe) : pipe_(std::move(pipe)) {}
  int fd() const { return pipe_.get(); }
  /// Reads what there is; closes the pipe at its end.
  void drain();
  /// The last lines, without control characters: at most `lines`.
  std::string last(size_t lines) const;

 private:
  Fd pipe_;
  std::string kept_;
};

enum class Passage : uint8_t {
  Done,
  Closed,     // the other side is gone
  TimedOut,   // the deadline passed
  Malformed,  // packets that make no message
};

class Channel {
 public:
  Channel() = default;
  explicit Channel(Fd socket) : socket_(std::move(socket)) {}

  /// Sends a message of at most kMaxMessageBytes, and a file descriptor with it unless it is -1. `output`, or
  /// null, is kept flowing meanwhile.
  Passage send(std::span<const std::byte> message, int fd, Deadline deadline, OutputTail* output);
  /// Receives one message. Descriptors that come with it: the last one into `fd`, when that is not null; else
  /// they are dropped.
  Passage receive(Bytes& message, Fd* fd, Deadline deadline, OutputTail* output);
  int fd() const { return socket_.get(); }
  void close() { socket_.reset(); }

 private:
  Passage wait(short events, Deadline deadline, OutputTail* output) const;
  Passage receive_packet(std::span<std::byte> into, size_t& size, Fd* fd, Deadline deadline,
                         OutputTail* output) const;

  Fd socket_;
};

}  // namespace vyre::worker
