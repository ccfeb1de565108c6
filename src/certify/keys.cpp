#include "certify/keys.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/digest.h"
#include "base/read_file.h"
#include "certify/certificate.h"

namespace vyre::certify {
namespace {

using Key = std::shared_ptr<EVP_PKEY>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

constexpr size_t kSignatureBytes = 64;
constexpr size_t kLargestKeyFile = 1 << 16;

/// What OpenSSL cannot fail at but for want of memory or of Ed25519 itself.
void must(bool done) {
  if (!done) std::abort();
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// OpenSSL would ask the terminal.
int no_password(char*, int, int, void*) { return -1; }

std::string contents(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, size_t(size)};
}

template <typename Read>
std::expected<Key, std::string> read_pem(std::string_view pem, std::string_view what, Read read) {
  if (pem.size() > kLargestKeyFile) return std::unexpected(fmt::format("it is no {} key", what));
  const Bio bio(BIO_new_mem_buf(pem.data(), int(pem.size())), BIO_free_all);
  Key key(read(bio.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  ERR_clear_error();
  if (!key) {
    const bool other = pem.find(what == "public" ? "PRIVATE KEY-----" : "PUBLIC KEY-----") != pem.npos;
    const bool encrypted = pem.find("ENCRYPTED") != pem.npos;
    return std::unexpected(fmt::format("it is no {} key in PEM{}", what,
                                       encrypted ? " but an encrypted one, which wants a password"
                                       : other   ? ", but the other half of a pair"
                                                 : ""));
  }
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519)
    return std::unexpected("it is a key of another kind; certificates are signed with Ed25519");
  return key;
}

template <typename T>
std::expected<T, std::string> read_key(const std::filesystem::path& path) {
  auto text = read_file_text(path, kMaxKeyBytes);
  if (!text) return std::unexpected(text.error());
  auto key = T::from_pem(*text);
  OPENSSL_cleanse(text->data(), text->size());
  if (!key) return std::unexpected(fmt::format("cannot use the key {}: {}", path.string(), key.error()));
  return key;
}

std::unexpected<std::string> cannot_write(const std::filesystem::path& path, int reason) {
  return std::unexpected(fmt::format("cannot write {}: {}{}", path.string(), std::strerror(reason),
                                     reason == EEXIST ? "; keys are never overwritten" : ""));
}

std::expected<void, std::string> write_new(const std::filesystem::path& path, std::string_view text,
                                           mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return cannot_write(path, errno);
  int reason = write_all(file, text);
  if (reason == 0 && ::fsync(file) != 0) reason = errno;
  if (::close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0) return {};
  ::unlink(path.c_str());
  return cannot_write(path, reason);
}

}  // namespace

std::expected<PublicKey, std::string> PublicKey::from_pem(std::string_view pem) {
  auto key = read_pem(pem, "public", PEM_read_bio_PUBKEY);
  if (!key) return std::unexpected(key.error());
  return PublicKey(std::move(*key));
}

std::string PublicKey::pem() const {
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free_all);
  must(PEM_write_bio_PUBKEY(bio.get(), key_.get()) == 1);
  return contents(bio);
}

std::string PublicKey::id() const {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key_.get(), &der);
  must(size > 0);
  const Digest digest = sha256(std::string_view(reinterpret_cast<const char*>(der), size_t(size)));
  OPENSSL_free(der);
  return digest.hex();
}

bool PublicKey::verifies(std::string_view message, std::string_view signature) const {
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  must(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  const bool right = EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message),
                                      message.size()) == 1;
  ERR_clear_error();
  return right;
}

PrivateKey PrivateKey::generate() {
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  must(key != nullptr);
  return PrivateKey(Key(key, EVP_PKEY_free));
}

std::expected<PrivateKey, std::string> PrivateKey::from_pem(std::string_view pem) {
  auto key = read_pem(pem, "private", PEM_read_bio_PrivateKey);
  if (!key) return std::unexpected(key.error());
  return PrivateKey(std::move(*key));
}

std::string PrivateKey::pem() const {
  const Bio bio(BIO_new(BIO_s_secmem()), BIO_free_all);
  must(PEM_write_bio_PKCS8PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return contents(bio);
}

std::string PrivateKey::sign(std::string_view message) const {
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  must(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  std::string signature(kSignatureBytes, '\0');
  size_t size = signature.size();
  must(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                      bytes(message), message.size()) == 1 &&
       size == kSignatureBytes);
  return signature;
}

std::expected<PublicKey, std::string> read_public_key(const std::filesystem::path& path) {
  return read_key<PublicKey>(path);
}

std::expected<PrivateKey, std::string> read_private_key(const std::filesystem::path& path) {
  return read_key<PrivateKey>(path);
}

std::expected<void, std::string> write_key_pair(const PrivateKey& key, const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return cannot_write(folder, errno);
  const std::filesystem::path secret = folder / "vyre.key", open = folder / "vyre.pub";
  // The public half first: alone, it is of no use and does no harm.
  if (::access(secret.c_str(), F_OK) == 0) return cannot_write(secret, EEXIST);
  if (const auto done = write_new(open, key.public_key().pem(), 0666); !done) return done;
  std::string pem = key.pem();
  const auto done = write_new(secret, pem, 0600);
  OPENSSL_cleanse(pem.data(), pem.size());
  if (!done) ::unlink(open.c_str());
  return done;
}

}  // namespace vyre::certify
