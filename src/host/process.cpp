#include "host/process.h"

#include <fmt/format.h>

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

}  // namespace

int run_process(std::string_view program, const std::function<int()>& body) {
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

}  // namespace vyre::host
