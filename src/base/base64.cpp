#include "base/base64.h"

#include <openssl/evp.h>

namespace vyre {
namespace {

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '\0');  // OpenSSL's end of string falls on the string's own
  EVP_EncodeBlock(bytes_of(out), bytes_of(bytes), int(bytes.size()));
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(bytes_of(out), bytes_of(text), int(text.size())) < 0) return std::nullopt;
  out.resize(out.size() - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));  // OpenSSL keeps padding
  if (base64(out) != text) return std::nullopt;  // white space, and bits beside the last byte
  return out;
}

}  // namespace vyre
