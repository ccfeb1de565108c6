#include "solver/solver.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "worker/fd.h"
#include "worker/spawn.h"

namespace vyre::solver {
namespace {

using Clock = std::chrono::steady_clock;
using smt::Bits;

/// Beyond the limit that a solver gets, before it is ended: it looks at its clock when it likes.
constexpr double kGraceSeconds = 1;
constexpr double kStartSeconds = 10;

struct Known {
  std::string_view name, variable;
  std::vector<std::string> arguments;
};
Known known(Which which) {
  switch (which) {
    case Which::Z3: return {"z3", "VYRE_Z3", {"-in", "-smt2"}};
    case Which::Cvc5:
      return {"cvc5", "VYRE_CVC5", {"--lang=smt2", "--incremental", "--produce-models", "--quiet"}};
  }
  std::unreachable();
}

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// A program that answers lines with lines.
class Conversation {
 public:
  ~Conversation() { end(); }

  /// 0 or an errno.
  int start(const std::string& program, const std::vector<std::string>& arguments) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    ours_ = worker::Fd(ends[0]);
    const worker::Fd theirs(ends[1]);
    const std::array<worker::Inherited, 3> descriptors = {
        {{STDIN_FILENO, theirs.get()}, {STDOUT_FILENO, theirs.get()}, {STDERR_FILENO}}};
    pid_t pid = -1;
    const int error = worker::spawn(program, arguments, descriptors, pid);
    if (error != 0) return error;
    pid_ = pid;
    read_.clear();
    return 0;
  }
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  /// Ends it at once; how it had ended, when it had by itself.
  std::string end() {
    if (pid_ <= 0) return {};
    ours_.reset();
    int status = 0;
    std::string how;
    // What has just died may not be known as dead yet.
    if (dying_) ::usleep(20'000);
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      how = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                : fmt::format("exited with status {}", WEXITSTATUS(status));
    } else {
      ::kill(pid_, SIGKILL);
      while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    pid_ = -1;
    dying_ = false;
    return how;
  }

  enum class Got : uint8_t { Line, Late, Gone };
  /// Sends and receives at once, since either side may wait for the other: what is left of `out` goes when
  /// there is room. The next line, without its end.
  Got line(std::string& out, Clock::time_point deadline, std::string& into) {
    for (;;) {
      if (const size_t end = read_.find('\n'); end != std::string::npos) {
        into = read_.substr(0, end);
        read_.erase(0, end + 1);
        return Got::Line;
      }
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return Got::Late;
      pollfd poll = {ours_.get(), short(out.empty() ? POLLIN : POLLIN | POLLOUT), 0};
      const int ready = ::poll(&poll, 1, int(std::min<long>(left, 1000)));
      if (ready < 0 && errno != EINTR) return gone();
      if (ready <= 0) continue;
      if ((poll.revents & POLLOUT) != 0 && !out.empty()) {
        const ssize_t sent = ::send(ours_.get(), out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return gone();
        if (sent > 0) out.erase(0, size_t(sent));
      }
      if ((poll.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
        std::array<char, 1 << 16> buffer;
        const ssize_t got = ::recv(ours_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return gone();
        if (got > 0) read_.append(buffer.data(), size_t(got));
      }
    }
  }

 private:
  Got gone() {
    dying_ = true;
    return Got::Gone;
  }

  worker::Fd ours_;
  pid_t pid_ = -1;
  bool dying_ = false;
  std::string read_;
};

/// "#x0f", "#b101", "true" or "false".
std::optional<Bits> value_of(std::string_view text) {
  if (text == "true") return Bits{1};
  if (text == "false") return Bits{0};
  if (text.size() < 3 || text[0] != '#' || (text[1] != 'x' && text[1] != 'b')) return std::nullopt;
  const uint32_t shift = text[1] == 'x' ? 4 : 1;
  Bits out = 0;
  for (const char c : text.substr(2)) {
    uint32_t digit = 0;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc() || digit >> shift != 0) return std::nullopt;
    out = (out << shift) | digit;
  }
  return out;
}

/// "((a #x00) (b true))" as answers to get-value, in whatever lines.
bool read_model(const smt::Pool& pool, std::string_view text, std::span<const smt::Term> variables,
                std::vector<smt::Assigned>& out) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < text.size();) {
    if (std::string_view("() \n\t\r").contains(text[i])) {
      ++i;
      continue;
    }
    const size_t end = text.find_first_of("() \n\t\r", i);
    words.push_back(text.substr(i, end - i));
    i = end == std::string_view::npos ? text.size() : end;
  }
  if (words.size() != 2 * variables.size()) return false;
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto value = value_of(words[2 * i + 1]);
    if (!value || words[2 * i] != pool.name(variables[i])) return false;
    out.push_back({variables[i], *value});
  }
  return true;
}

class Program final : public Solver {
 public:
  explicit Program(Which which) : which_(which), known_(known(which)), name_(known_.name) {
    const char* const other = std::getenv(std::string(known_.variable).c_str());
    path_ = other == nullptr ? name_ : other;
  }

  /// Asks who it is, which also shows that it speaks the language. What went wrong, or "".
  std::string introduce() {
    if (path_.empty()) return fmt::format("{} is empty", known_.variable);
    if (const int error = start({}); error != 0) return std::strerror(error);
    std::string out = "(get-info :version)\n";
    std::string line;
    const auto deadline = Clock::now() + std::chrono::seconds(int(kStartSeconds));
    if (talk_.line(out, deadline, line) != Conversation::Got::Line) {
      const std::string how = talk_.end();
      return how.empty() ? "it does not answer" : how;
    }
    const size_t begin = line.find('"'), end = line.rfind('"');
    if (!line.starts_with("(:version") || begin == end)
      return fmt::format("it answers (get-info :version) with '{}'", line.substr(0, 60));
    version_ = line.substr(begin + 1, end - begin - 1);
    version_ = version_.substr(0, version_.find(' '));
    return {};
  }

  const std::string& name() const override { return name_; }
  const std::string& version() const override { return version_; }

  Reply check(const smt::Pool& pool, smt::Term assertion, const Limits& limits) override {
    const auto variables = pool.variables_of(assertion);
    return ask(smt::script(pool, assertion), limits,
               [&](Reply& reply, std::string& out, Clock::time_point deadline) {
                 if (variables.empty()) return true;
                 out = "(get-value (";
                 for (const smt::Term v : variables) out += pool.name(v) + " ";
                 out += "))\n(echo \"vyre\")\n";
                 std::string text, line;
                 while (true) {
                   if (talk_.line(out, deadline, line) != Conversation::Got::Line) return false;
                   if (is_echo(line)) break;
                   text += line + "\n";
                 }
                 return read_model(pool, text, variables, reply.model);
               });
  }
  Reply check(std::string_view script, const Limits& limits) override {
    return ask(script, limits, [](Reply&, std::string&, Clock::time_point) { return true; });
  }

 private:
  static bool is_echo(std::string_view line) { return line == "vyre" || line == "\"vyre\""; }

  int start(const Limits& limits) {
    std::vector<std::string> arguments = known_.arguments;
    if (which_ == Which::Z3) arguments.push_back(fmt::format("-memory:{}", limits.megabytes));
    megabytes_ = limits.megabytes;
    const int error = talk_.start(path_, arguments);
    if (error == 0) {
      // Z3 gets a limit; this holds for all, with room for what a program is before it does anything.
      const rlim_t bytes = (limits.megabytes + 256) << 20;
      const rlimit limit = {bytes, bytes};
      ::prlimit(talk_.pid(), RLIMIT_AS, &limit, nullptr);
    }
    return error;
  }

  template <typename ReadModel>
  Reply ask(std::string_view script, const Limits& limits, const ReadModel& read) {
    const auto begin = Clock::now();
    Reply reply;
    if (talk_.running() && megabytes_ != limits.megabytes) talk_.end();
    if (!talk_.running()) {
      if (const int error = start(limits); error != 0) {
        reply.reason = std::strerror(error);
        return reply;
      }
    }
    const auto milliseconds = uint64_t(limits.seconds * 1000);
    std::string out = "(reset)\n(set-option :produce-models true)\n";
    out += which_ == Which::Z3 ? fmt::format("(set-option :timeout {})\n(set-option :rlimit {})\n",
                                             milliseconds, limits.steps)
                               : fmt::format("(set-option :tlimit-per {})\n", milliseconds);
    out += script;
    out += "(check-sat)\n";
    const auto deadline = begin + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(limits.seconds + kGraceSeconds));
    std::string line;
    const Conversation::Got got = talk_.line(out, deadline, line);
    const auto late = [&] { return fmt::format("no answer within {:g} s", limits.seconds); };
    if (got == Conversation::Got::Late) {
      talk_.end();
      reply.reason = late();
    } else if (got == Conversation::Got::Gone) {
      const std::string how = talk_.end();
      reply.reason = how.empty() ? "its process closed the connection" : "its process " + how;
    } else if (line == "unsat") {
      reply.answer = Answer::Unsatisfiable;
    } else if (line == "sat") {
      reply.answer = Answer::Satisfiable;
      if (!read(reply, out, deadline)) {
        talk_.end();
        reply = {};
        reply.reason = "it answered sat and gave no model that can be read";
      }
    } else if (line == "unknown" || line == "timeout") {
      reply.reason = since(begin) >= limits.seconds * 0.9 ? late() : "it does not know";
    } else {
      reply.reason = line.contains("memory") ? fmt::format("no more memory than {} MB", limits.megabytes)
                                             : fmt::format("it said '{}'", line.substr(0, 200));
      talk_.end();  // an error leaves more lines behind
    }
    if (limits.steps != 0 && which_ == Which::Z3 && talk_.running()) {
      // "(:rlimit 4711)"
      constexpr std::string_view kBefore = "(:rlimit ";
      std::string ask_steps = "(get-info :rlimit)\n";
      if (talk_.line(ask_steps, deadline, line) == Conversation::Got::Line && line.starts_with(kBefore)) {
        reply.steps = std::strtoull(line.c_str() + kBefore.size(), nullptr, 10);
        if (reply.answer == Answer::Unknown && reply.steps >= limits.steps)
          reply.reason = fmt::format("no answer within {} steps", limits.steps);
      } else {
        talk_.end();
      }
    }
    reply.seconds = since(begin);
    return reply;
  }

  Which which_;
  Known known_;
  std::string name_, path_, version_;
  Conversation talk_;
  uint64_t megabytes_ = 0;
};

}  // namespace

std::string_view text(Answer answer) {
  switch (answer) {
    case Answer::Unsatisfiable: return "unsat";
    case Answer::Satisfiable: return "sat";
    case Answer::Unknown: return "unknown";
  }
  std::unreachable();
}

std::expected<std::unique_ptr<Solver>, std::string> open(Which which) {
  auto out = std::make_unique<Program>(which);
  if (const std::string fault = out->introduce(); !fault.empty())
    return std::unexpected(fmt::format("{}: {}", out->name(), fault));
  return out;
}

}  // namespace vyre::solver
