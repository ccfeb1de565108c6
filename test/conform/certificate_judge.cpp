// vyre's own judgement of many certificates in one process, for verifiers_test.py.
//
// certificate_judge [PUBKEY] reads certificates from its input, each behind its length in decimal and a line
// feed, and answers a line each: what `vyre-conform verify` would, short of comparing with the registry of
// its build.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <string>

#include "certify/certificate.h"

namespace {

using namespace vyre;

std::string judge(const std::string& text, const std::optional<certify::PublicKey>& key) {
  const auto opened = certify::open(text);
  if (!opened) return fmt::format("refused {}", opened.error().message);
  if (key) {
    const auto right = certify::check_signature(opened->envelope, *key);
    if (!right) return fmt::format("refused {}", right.error().message);
  }
  const certify::Certificate& c = opened->certificate;
  return fmt::format("{} {} {}", c.conforms() ? "passed" : "failed", certify::digest(c).hex(),
                     c.level_line());
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<certify::PublicKey> key;
  if (argc > 1) {
    auto read = certify::read_public_key(argv[1]);
    if (!read) {
      fmt::print(stderr, "{}\n", read.error());
      return 2;
    }
    key = std::move(*read);
  }
  for (std::string length; std::getline(std::cin, length);) {
    std::string text(std::stoul(length), '\0');
    if (!std::cin.read(text.data(), std::streamsize(text.size()))) return 2;
    std::string answer = judge(text, key);
    for (char& c : answer) {
      if (c == '\n') c = ' ';
    }
    fmt::print("{}\n", answer);
  }
}
