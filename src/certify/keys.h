// Keys that certificates are signed with: Ed25519 (RFC 8032), in PEM files as `openssl` reads and
// writes them.
//
// The private half is PKCS#8, the public one SubjectPublicKeyInfo (RFC 8410). A key is named by the SHA-256
// of the DER bytes of its public half. The name is for people and for messages: whom it belongs to is not
// said anywhere here, so a reader gets the public half from a trusted source.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace vyre::certify {

class PublicKey {
 public:
  /// Errors: what is wrong with the text, in words that end "… is no public key".
  static std::expected<PublicKey, std::string> from_pem(std::string_view pem);
  std::string pem() const;
  /// 64 hexadecimal digits.
  std::string id() const;
  /// Whether the 64 bytes are this key's signature of the message.
  bool verifies(std::string_view message, std::string_view signature) const;

 private:
  friend class PrivateKey;
  explicit PublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

class PrivateKey {
 public:
  static PrivateKey generate();
  /// Errors: what is wrong with the text. One that is encrypted is refused: no password is asked for.
  static std::expected<PrivateKey, std::string> from_pem(std::string_view pem);
  std::string pem() const;
  PublicKey public_key() const { return PublicKey(key_); }
  /// 64 bytes, the same each time.
  std::string sign(std::string_view message) const;

 private:
  explicit PrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

/// Reads a key file. Errors: a message for exit code 2.
std::expected<PublicKey, std::string> read_public_key(const std::filesystem::path& path);
std::expected<PrivateKey, std::string> read_private_key(const std::filesystem::path& path);

/// Writes `folder`/vyre.key, which its owner alone may read, and `folder`/vyre.pub; makes the folder when
/// only that is missing. Nothing is overwritten: errors (a message for exit code 2) leave what was there.
std::expected<void, std::string> write_key_pair(const PrivateKey& key, const std::filesystem::path& folder);

}  // namespace vyre::certify
