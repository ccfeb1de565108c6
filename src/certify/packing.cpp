#include "certify/packing.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "certify/canonical_json.h"

namespace vyre::certify {
namespace {

using nlohmann::json;

constexpr int kDepth = 32;  // of a packed value; each reference counts

class Packer {
 public:
  json pack(const json& value) {
    meet(value);
    json root = packed(value);
    json shared = json::array();
    for (size_t k = 0; k < order_.size(); ++k) shared.push_back(whole(*order_[k]));
    return {{"keys", std::move(keys_)}, {"root", std::move(root)}, {"shared", std::move(shared)}};
  }

 private:
  static bool may_be_shared(const json& value) {
    return value.is_object() || value.is_array() || value.is_string();
  }
  const std::string& text(const json& value) {
    const auto [at, is_new] = texts_.try_emplace(&value);
    if (is_new) at->second = print_canonical(value).value();
    return at->second;
  }
  void meet(const json& value) {
    if (!may_be_shared(value)) return;
    if (++met_[text(value)] > 1) return;
    if (!value.is_structured()) return;
    for (const json& part : value) meet(part);
  }
  /// A reference, or the value itself; numbers are given as a walk from the front needs them.
  json packed(const json& value) {
    if (!may_be_shared(value)) return value;
    const std::string& mine = text(value);
    if (met_.at(mine) < 2 || mine.size() <= kUnsharedLength) return whole(value);
    const auto [at, is_new] = numbers_.try_emplace(mine, int64_t(order_.size()));
    if (is_new) order_.push_back(&value);
    return -1 - at->second;
  }
  json whole(const json& value) {
    if (!value.is_structured()) return value;
    json out = json::array({value.is_object() ? number_of_keys(value) : 0});
    for (const json& part : value) out.push_back(packed(part));
    return out;
  }
  uint64_t number_of_keys(const json& object) {
    json keys = json::array();
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    const auto [at, is_new] = shapes_.try_emplace(keys.dump(), uint64_t(keys_.size() + 1));
    if (is_new) keys_.push_back(std::move(keys));
    return at->second;
  }

  std::map<const json*, std::string> texts_;
  std::map<std::string, size_t> met_;
  std::map<std::string, int64_t> numbers_;
  std::vector<const json*> order_;  // of the shared values
  std::map<std::string, uint64_t> shapes_;
  json keys_ = json::array();
};

class Unpacker {
 public:
  Unpacker(const json& keys, const json& shared, size_t most) : keys_(keys), shared_(shared), left_(most) {}

  json value(const json& packed, int depth) {
    if (depth > kDepth) return fail("nests too deep");
    if (left_ == 0) return fail("stands for more than a certificate has");
    --left_;
    if (packed.is_number_integer() && !packed.is_number_unsigned()) return reference(packed, depth);
    if (!packed.is_array()) return packed.is_object() ? fail("has an object that is not packed") : packed;
    if (packed.empty() || !packed[0].is_number_unsigned()) return fail("has a list without a kind");
    const uint64_t kind = packed[0].get<uint64_t>();
    if (kind > keys_.size()) return fail("has an object of which there are no keys");
    return kind == 0 ? list(packed, depth + 1) : object(packed, keys_[kind - 1], depth + 1);
  }
  const std::string& fault() const { return fault_; }

 private:
  json fail(std::string_view what) {
    if (fault_.empty()) fault_ = what;
    left_ = 0;
    return nullptr;
  }
  // What refers to itself nests too deep.
  json reference(const json& packed, int depth) {
    const uint64_t k = uint64_t(-(packed.get<int64_t>() + 1));
    if (k >= shared_.size()) return fail("refers to a shared value that is not there");
    return value(shared_[k], depth + 1);
  }
  json list(const json& packed, int depth) {
    json out = json::array();
    for (size_t k = 1; k < packed.size() && fault_.empty(); ++k) out.push_back(value(packed[k], depth));
    return out;
  }
  json object(const json& packed, const json& keys, int depth) {
    if (!keys.is_array() || keys.size() + 1 != packed.size()) return fail("has an object with other keys");
    json out = json::object();
    for (size_t k = 1; k < packed.size() && fault_.empty(); ++k) {
      const std::string* key = keys[k - 1].get_ptr<const std::string*>();
      if (key == nullptr) return fail("has a key that is no string");
      out[*key] = value(packed[k], depth);
    }
    return out;
  }

  const json& keys_;
  const json& shared_;
  size_t left_;
  std::string fault_;
};

}  // namespace

json pack(const json& value) { return Packer().pack(value); }

std::expected<json, std::string> unpack(const json& packed, size_t most) {
  const auto part = [&](const char* name) -> const json* {
    const auto at = packed.is_object() ? packed.find(name) : packed.end();
    return packed.is_object() && at != packed.end() ? &*at : nullptr;
  };
  const json *keys = part("keys"), *shared = part("shared"), *root = part("root");
  if (keys == nullptr || shared == nullptr || root == nullptr || !keys->is_array() || !shared->is_array())
    return std::unexpected("lacks keys, shared values or a root");
  Unpacker unpacker(*keys, *shared, most);
  json out = unpacker.value(*root, 0);
  if (!unpacker.fault().empty()) return std::unexpected(unpacker.fault());
  return out;
}

}  // namespace vyre::certify
