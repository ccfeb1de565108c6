#include "certify/envelope.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "certify/canonical_json.h"

namespace vyre::certify {
namespace {

using nlohmann::json;

constexpr int kEnvelopeDepth = 4;  // an envelope has 3
constexpr size_t kSignatureBytes = 64;

Diag wrongly_signed(std::string message, std::string help) {
  return make_diag(DiagCode::C002, Span::none(), std::move(message), std::move(help));
}

bool is_key_id(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// The text of a member; null when it is not there or no text.
const std::string* text_of(const json& object, const char* name) {
  const auto at = object.find(name);
  return at == object.end() ? nullptr : at->get_ptr<const std::string*>();
}

std::optional<Signature> read_signature(const json& j) {
  if (!j.is_object() || j.size() != 2) return std::nullopt;
  const std::string* id = text_of(j, "keyid");
  const std::string* sig = text_of(j, "sig");
  if (id == nullptr || sig == nullptr || !is_key_id(*id)) return std::nullopt;
  auto bytes = from_base64(*sig);
  if (!bytes || bytes->size() != kSignatureBytes) return std::nullopt;
  return Signature{*id, std::move(*bytes)};
}

}  // namespace

Diag unreadable(std::string message) {
  return make_diag(DiagCode::C001, Span::none(), std::move(message),
                   "give the file that `vyre-conform certify --out` wrote");
}

std::string pre_authentication_encoding(std::string_view type, std::string_view body) {
  return fmt::format("DSSEv1 {} {} {} {}", type.size(), type, body.size(), body);
}

Envelope enclose(std::string payload, const PrivateKey* key) {
  Envelope out{std::move(payload), {}};
  if (key != nullptr) {
    out.signature = {key->public_key().id(),
                     key->sign(pre_authentication_encoding(kPayloadType, out.payload))};
  }
  return out;
}

std::string print(const Envelope& envelope) {
  json signatures = json::array();
  if (envelope.signature) {
    signatures.push_back({{"keyid", envelope.signature->key_id}, {"sig", base64(envelope.signature->bytes)}});
  }
  const json out = {{"payload", base64(envelope.payload)},
                    {"payloadType", std::string(kPayloadType)},
                    {"signatures", std::move(signatures)}};
  return print_canonical(out).value() + "\n";
}

Result<Envelope> parse_envelope(std::string_view text) {
  const bool ended = text.ends_with('\n');
  const auto parsed = parse_canonical(text.substr(0, text.size() - (ended ? 1 : 0)), kEnvelopeDepth);
  if (!parsed && !parsed.error().is_json) return std::unexpected(unreadable("the file is not JSON"));
  if (!parsed || !ended) {
    return std::unexpected(
        wrongly_signed(parsed ? "the file does not end with a newline" : parsed.error().message,
                       "the file was changed after it was written; certify again"));
  }
  const std::string* type = parsed->is_object() ? text_of(*parsed, "payloadType") : nullptr;
  const std::string* payload = parsed->is_object() ? text_of(*parsed, "payload") : nullptr;
  const auto signatures = parsed->is_object() ? parsed->find("signatures") : parsed->end();
  if (type == nullptr || payload == nullptr || signatures == parsed->end() || parsed->size() != 3)
    return std::unexpected(unreadable("the file is no DSSE envelope"));
  if (*type != kPayloadType)
    return std::unexpected(
        unreadable(fmt::format("the envelope holds no in-toto statement ({})", kPayloadType)));
  Envelope out;
  auto bytes = from_base64(*payload);
  if (!bytes) return std::unexpected(unreadable("the envelope's payload is not base64"));
  out.payload = std::move(*bytes);
  if (!signatures->is_array() || signatures->size() > 1)
    return std::unexpected(
        unreadable("the envelope has more than the one signature that a certificate may have"));
  if (signatures->size() == 1) {
    out.signature = read_signature((*signatures)[0]);
    if (!out.signature)
      return std::unexpected(
          unreadable("the envelope's signature is not a key's name and 64 bytes in base64"));
  }
  return out;
}

Result<void> check_signature(const Envelope& envelope, const PublicKey& key) {
  if (!envelope.signature) {
    return std::unexpected(wrongly_signed("the certificate is unsigned, and a signature is asked for",
                                          "certify with --key FILE, or verify without --pubkey"));
  }
  if (envelope.signature->key_id != key.id()) {
    return std::unexpected(
        wrongly_signed(fmt::format("the certificate is signed with the key {}, and not with {}",
                                   envelope.signature->key_id, key.id()),
                       "give the public half of the key that signed it, if that is whom you trust"));
  }
  if (!key.verifies(pre_authentication_encoding(kPayloadType, envelope.payload), envelope.signature->bytes)) {
    return std::unexpected(wrongly_signed("the signature is not that of the contents",
                                          "the file was changed after it was signed; certify again"));
  }
  return {};
}

}  // namespace vyre::certify
