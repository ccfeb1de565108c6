// Envelopes and keys: the vectors of DSSE, RFC 8032, RFC 8410 and RFC 4648.
#include "certify/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/base64.h"
#include "base/read_file.h"
#include "certify/certificate.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/certificate.md, and DSSE's envelope.md: the members");

namespace vyre::certify {
namespace {

using testing::HasSubstr;

std::string bytes_of(std::string_view hex) {
  std::string out;
  for (size_t k = 0; k < hex.size(); k += 2)
    out.push_back(char(std::stoi(std::string(hex.substr(k, 2)), nullptr, 16)));
  return out;
}

/// RFC 8410: an Ed25519 private key of 32 bytes is PKCS#8 with this before it.
PrivateKey key_of_seed(std::string_view hex) {
  const std::string der = bytes_of("302e020100300506032b657004220420") + bytes_of(hex);
  return PrivateKey::from_pem("-----BEGIN PRIVATE KEY-----\n" + base64(der) + "\n-----END PRIVATE KEY-----\n")
      .value();
}
PublicKey public_key_of(std::string_view hex) {
  const std::string der = bytes_of("302a300506032b6570032100") + bytes_of(hex);
  return PublicKey::from_pem("-----BEGIN PUBLIC KEY-----\n" + base64(der) + "\n-----END PUBLIC KEY-----\n")
      .value();
}

struct Rfc8032 {
  const char *secret, *open, *message, *signature;
};
constexpr Rfc8032 kRfc8032[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f"
     "0595bbe"
     "24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2ea"
     "eb4302a"
     "eeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e"
     "9716ed2"
     "8dc027beceea1ec40a"},
};

TEST(Keys, SignAsTheRfcDoes) {
  VYRE_ORACLE(ExternalCorpus, "RFC 8032, section 7.1: tests 1 to 3");
  for (const Rfc8032& row : kRfc8032) {
    const PrivateKey key = key_of_seed(row.secret);
    const PublicKey open = public_key_of(row.open);
    const std::string message = bytes_of(row.message), signature = bytes_of(row.signature);
    EXPECT_EQ(key.public_key().pem(), open.pem());
    EXPECT_EQ(key.sign(message), signature);
    EXPECT_TRUE(open.verifies(message, signature));
    EXPECT_FALSE(open.verifies(message + "x", signature));
    EXPECT_FALSE(open.verifies(message, signature.substr(0, 63)));
    EXPECT_FALSE(open.verifies(message, ""));
  }
}

TEST(Keys, AreNamedByTheirPublicHalf) {
  VYRE_ORACLE(
      ExternalCorpus,
      "RFC 8410, section 10.1: the public key of its example, and `openssl pkey -pubin -outform DER | "
      "sha256sum` of that");
  const char* pem =
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
      "-----END PUBLIC KEY-----\n";
  const auto key = PublicKey::from_pem(pem);
  ASSERT_TRUE(key.has_value()) << key.error();
  EXPECT_EQ(key->pem(), pem);
  EXPECT_EQ(key->id(), "a1e9156054e04fac899ae9f275132cdc07a5dbc4ea2c2ad3a1ffc6e0d253681f");
  const auto secret = PrivateKey::from_pem(
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END PRIVATE KEY-----\n");
  ASSERT_TRUE(secret.has_value()) << secret.error();
  EXPECT_EQ(secret->public_key().pem(), pem);
}

TEST(Keys, OfOtherKindsAreRefused) {
  const PrivateKey key = PrivateKey::generate();
  EXPECT_THAT(PublicKey::from_pem(key.pem()).error(), HasSubstr("the other half"));
  EXPECT_THAT(PrivateKey::from_pem(key.public_key().pem()).error(), HasSubstr("the other half"));
  for (const std::string text : {"", "key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"}) {
    EXPECT_THAT(PublicKey::from_pem(text).error(), HasSubstr("it is no public key")) << text;
    EXPECT_THAT(PrivateKey::from_pem(text).error(), HasSubstr("it is no private key")) << text;
  }
  // `openssl ecparam -name prime256v1 -genkey | openssl pkey -pubout`
  EXPECT_THAT(PublicKey::from_pem("-----BEGIN PUBLIC KEY-----\n"
                                  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYEY34lxkRI8jSDUoLaEnpj3iZNCr\n"
                                  "0Nbvi0agWEdTo40DmyAxLNmRiOxJqAp+wdckxhhiQO4jIOdsK4EDWP6yog==\n"
                                  "-----END PUBLIC KEY-----\n")
                  .error(),
              HasSubstr("another kind"));
  // `openssl genpkey -algorithm ed25519 -aes256 -pass pass:x`
  EXPECT_THAT(PrivateKey::from_pem("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                                   "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj+EUHxXOq6KgICCAAw\n"
                                   "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEOfOypT3tqeOysV4Agj8KX4EQDN+\n"
                                   "4VXz+lfhxVp2IorTb2RNVu8X/ZA3YeTvGUMYrO0CmmhSrI4YRhd3YwCmIQtYaYke\n"
                                   "r7CUsOvyFE4qWvb18+Y=\n"
                                   "-----END ENCRYPTED PRIVATE KEY-----\n")
                  .error(),
              HasSubstr("wants a password"));
}

TEST(Keys, AreWrittenOnce) {
  // docs/certificate.md: vyre.key is its owner's alone; nothing is overwritten.
  const auto folder = std::filesystem::path(testing::TempDir()) / "vyre-keys";
  std::filesystem::remove_all(folder);
  const PrivateKey key = PrivateKey::generate();
  ASSERT_TRUE(write_key_pair(key, folder).has_value());
  struct stat secret{};
  ASSERT_EQ(::stat((folder / "vyre.key").c_str(), &secret), 0);
  EXPECT_EQ(secret.st_mode & 0777, 0600u);
  const auto read = read_private_key(folder / "vyre.key");
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(read->sign("x"), key.sign("x"));
  EXPECT_EQ(read_public_key(folder / "vyre.pub").value().id(), key.public_key().id());

  const std::string before = *read_file_text(folder / "vyre.key", kMaxKeyBytes);
  const auto again = write_key_pair(PrivateKey::generate(), folder);
  ASSERT_FALSE(again.has_value());
  EXPECT_THAT(again.error(), HasSubstr("never overwritten"));
  EXPECT_EQ(*read_file_text(folder / "vyre.key", kMaxKeyBytes), before);
  // With one of the two there, the other is not written either.
  std::filesystem::remove(folder / "vyre.key");
  EXPECT_FALSE(write_key_pair(key, folder).has_value());
  EXPECT_FALSE(std::filesystem::exists(folder / "vyre.key"));
  std::filesystem::remove(folder / "vyre.pub");
  std::ofstream(folder / "vyre.key") << "mine";
  EXPECT_FALSE(write_key_pair(key, folder).has_value());
  EXPECT_FALSE(std::filesystem::exists(folder / "vyre.pub"));
  EXPECT_EQ(*read_file_text(folder / "vyre.key", kMaxKeyBytes), "mine");
  EXPECT_FALSE(write_key_pair(key, folder / "none" / "none").has_value());
  EXPECT_FALSE(write_key_pair(key, folder / "vyre.key").has_value());
}

TEST(Base64, IsThatOfTheRfc) {
  VYRE_ORACLE(ExternalCorpus, "RFC 4648, section 10: the test vectors");
  const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                      {"f", "Zg=="},
                                                      {"fo", "Zm8="},
                                                      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg=="},
                                                      {"fooba", "Zm9vYmE="},
                                                      {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : rows) {
    EXPECT_EQ(base64(plain), encoded);
    EXPECT_EQ(from_base64(encoded), plain);
  }
  // Slack that is not zero, padding that is missing, too long or inside, the other alphabet, white space.
  for (const char* none : {"Zh==", "Zm9=", "Zg", "Zg=", "Zg===", "Z===", "====", "Zg==Zm9v", "Zm9v\n", "Zm9_",
                           "Zm9-", "Zm 9", "=m9v"})
    EXPECT_EQ(from_base64(none), std::nullopt) << none;
}

TEST(Envelope, EncodesWhatIsSignedAsDsse) {
  VYRE_ORACLE(ExternalCorpus, "github.com/secure-systems-lab/dsse, protocol.md, \"Test Vectors\"");
  EXPECT_EQ(pre_authentication_encoding("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  EXPECT_EQ(base64("hello world"), "aGVsbG8gd29ybGQ=");
}

TEST(Envelope, HasOneText) {
  const PrivateKey key = key_of_seed(kRfc8032[0].secret);
  const std::string id = key.public_key().id();
  const std::string sig = base64(key.sign("DSSEv1 28 application/vnd.in-toto+json 11 hello world"));
  const auto text = [](const std::string& signatures) {
    return "{\"payload\":\"aGVsbG8gd29ybGQ=\",\"payloadType\":\"application/"
           "vnd.in-toto+json\",\"signatures\":[" +
           signatures + "]}\n";
  };
  const std::string one = "{\"keyid\":\"" + id + "\",\"sig\":\"" + sig + "\"}";
  EXPECT_EQ(print(enclose("hello world", &key)), text(one));
  EXPECT_EQ(print(enclose("hello world", nullptr)), text(""));
  EXPECT_EQ(parse_envelope(text(one)).value(), enclose("hello world", &key));
  EXPECT_EQ(parse_envelope(text("")).value(), enclose("hello world", nullptr));

  const std::string zeros(64, '0'), short_sig = base64(std::string(63, 'x'));
  for (const std::string& other :
       {text(one + "," + one), text("7"), text("{}"), text("{\"sig\":\"" + sig + "\"}"),
        text("{\"keyid\":\"" + id + "\",\"more\":1,\"sig\":\"" + sig + "\"}"),
        text("{\"keyid\":\"A" + zeros.substr(1) + "\",\"sig\":\"" + sig + "\"}"),
        text("{\"keyid\":\"" + id + "\",\"sig\":\"" + short_sig + "\"}"),
        text("").substr(0, text("").size() - 1), " " + text(""), text("") + "\n",
        std::string("{\"payload\":\"\",\"payloadType\":\"\",\"signatures\":[]}\n"),
        std::string("{\"payload\":\"\",\"payloadType\":\"application/vnd.in-toto+json\"}\n"),
        std::string(
            "{\"payload\":\"\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":{}}\n"),
        std::string(
            "{\"payload\":\"Zh==\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":[]}\n"),
        std::string("[[]]\n")}) {
    EXPECT_FALSE(parse_envelope(other).has_value()) << other;
  }
}

TEST(Envelope, IsHeldToTheKeyThatIsTrusted) {
  const PrivateKey key = key_of_seed(kRfc8032[0].secret), other = key_of_seed(kRfc8032[1].secret);
  const Envelope envelope = enclose("hello world", &key);
  EXPECT_TRUE(check_signature(envelope, public_key_of(kRfc8032[0].open)).has_value());
  const auto refused = [](const Envelope& e, const PublicKey& by) {
    const auto checked = check_signature(e, by);
    return checked ? "taken" : checked.error().message;
  };
  EXPECT_THAT(refused(envelope, other.public_key()), HasSubstr("and not with " + other.public_key().id()));
  EXPECT_THAT(refused(enclose("hello world", nullptr), key.public_key()), HasSubstr("unsigned"));
  Envelope forged = envelope;
  forged.payload = "hello worle";
  EXPECT_THAT(refused(forged, key.public_key()), HasSubstr("not that of the contents"));
  // A name that is not the signer's, over the right signature, and the right name over another's.
  forged = envelope;
  forged.signature->key_id = other.public_key().id();
  EXPECT_THAT(refused(forged, key.public_key()), HasSubstr("and not with"));
  EXPECT_THAT(refused(forged, other.public_key()), HasSubstr("not that of the contents"));
}

}  // namespace
}  // namespace vyre::certify
