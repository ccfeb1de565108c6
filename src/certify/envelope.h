// What a certificate is handed over in: a DSSE envelope (Dead Simple Signing Envelope, version 1) around the
// bytes that are signed.
//
// The envelope is canonical JSON of its own and a newline: payload and signature in base64, the type of the
// payload, and at most one signature. The signature covers type and payload, each with its length, so that
// neither can be taken for the other. The key's name and the slack of base64 are not signed; there is still
// only one text an envelope, since parse_envelope() takes nothing but what print() writes and
// check_signature() compares the name. Source: github.com/secure-systems-lab/dsse, protocol.md and
// envelope.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "certify/keys.h"

namespace vyre::certify {

inline constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";

struct Signature {
  std::string key_id;  // PublicKey::id()
  std::string bytes;   // 64 of them
  bool operator==(const Signature&) const = default;
};

struct Envelope {
  std::string payload;  // of kPayloadType
  std::optional<Signature> signature;
  bool operator==(const Envelope&) const = default;
};

/// C001 for a file that is no certificate.
Diag unreadable(std::string message);

/// The bytes that are signed: DSSE's pre-authentication encoding.
std::string pre_authentication_encoding(std::string_view type, std::string_view body);

/// An envelope around a payload; signed when there is a key.
Envelope enclose(std::string payload, const PrivateKey* key);

std::string print(const Envelope& envelope);

/// Errors: C001 for what is no envelope of this kind; C002 when the text is not the canonical one of its
/// contents.
Result<Envelope> parse_envelope(std::string_view text);

/// Whether the envelope is signed, with this key. Errors: C002.
Result<void> check_signature(const Envelope& envelope, const PublicKey& key);

}  // namespace vyre::certify
