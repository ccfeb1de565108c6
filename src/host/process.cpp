#include "host/process.h"

#include <fmt/format.h>
#include <pthread.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "base/diag.h"

namespace vyre::host {
namespace {

int cannot_write(std::string_view program, std::string_view why) {
  std::fputs(fmt::format("{}: cannot write the output: {}\n", program, why).c_str(), stderr);
  return 2;
}

/// For the body of main: LLVM and a parser of hostile JSON are the deepest that runs there.
constexpr size_t kStackBytes = size_t{64} << 20;
/// For threads that libraries start without saying how large, as Linux has it unless a person changes it.
constexpr size_t kThreadStackBytes = size_t{8} << 20;

void widen_stacks_of_threads() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  size_t bytes = 0;
  if (pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < kThreadStackBytes &&
      pthread_attr_setstacksize(&attributes, kThreadStackBytes) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/// Runs it on a thread of its own; on this one where the system gives no memory for that.
void run_on_large_stack(const std::function<void()>& body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  const auto start = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  const int error = pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&body));
  pthread_attr_destroy(&attributes);
  if (error != 0) return body();
  pthread_join(thread, nullptr);
}

int run_here(std::string_view program, const std::function<int()>& body) {
  int exit = 0;
  try {
    exit = body();
  } catch (const std::bad_alloc&) {
    const Diag diag =
        make_diag(DiagCode::B003, Span::none(), "the host's memory does not suffice for this run",
                  "use smaller buffers, or split the work");
    std::fputs(render(diag, nullptr).c_str(), stderr);
    exit = exit_code(DiagCode::B003);
  } catch (const std::system_error& error) {  // fmt::print, when stdout refuses
    return cannot_write(program, std::strerror(error.code().value()));
  }
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    // What failed before this flush has said its reason already.
    return cannot_write(program, errno != 0 ? std::strerror(errno) : "stdout refused it");
  }
  return exit;
}

}  // namespace

int run_process(std::string_view program, const std::function<int()>& body) {
  widen_stacks_of_threads();
  int exit = 0;
  run_on_large_stack([&] { exit = run_here(program, body); });
  return exit;
}

}  // namespace vyre::host
