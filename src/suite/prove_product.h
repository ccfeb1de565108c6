// The cross product, collisions and composition theorems, as text for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "symbolic/cross_product.h"
#include "symbolic/theorems.h"

namespace vyre::suite {

/// The counts, a line a part; what is wrong, open and suggested, by function.
std::string product_text(const symbolic::Product& product);
nlohmann::json product_json(const symbolic::Product& product);

/// A line a pair that laws do not tell apart, with what does.
std::string collisions_text(std::span<const symbolic::Collision> collisions);
nlohmann::json collisions_json(std::span<const symbolic::Collision> collisions);

/// How many theorems are proved and how many alike are refuted; those that are neither, by name.
/// Shape  proofs: one a theorem, in the order of theorems().
std::string theorems_text(std::span<const symbolic::TheoremProof> proofs);
nlohmann::json theorems_json(std::span<const symbolic::TheoremProof> proofs);

}  // namespace vyre::suite
