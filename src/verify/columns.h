// Columns: the inputs of a slice of cases, one array of words for each word of an operand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vyre::verify {

/// Owns them, and gives spans over them in the forms that others take.
class Columns {
 public:
  Columns(size_t arity, size_t capacity) : words_(arity) {
    for (auto& w : words_) {
      w.resize(capacity);
      mutable_.push_back(w.data());
      const_.push_back(w.data());
    }
  }
  Columns(const Columns&) = delete;  // the spans point into it
  Columns& operator=(const Columns&) = delete;

  std::span<uint32_t* const> writable() { return mutable_; }
  std::span<const uint32_t* const> readable() const { return const_; }
  std::vector<uint32_t> tuple(size_t i) const {
    std::vector<uint32_t> out;
    for (const auto& w : words_) out.push_back(w[i]);
    return out;
  }
  void set(size_t i, std::span<const uint32_t> operands) {
    for (size_t k = 0; k < words_.size(); ++k) words_[k][i] = operands[k];
  }

 private:
  std::vector<std::vector<uint32_t>> words_;
  std::vector<uint32_t*> mutable_;
  std::vector<const uint32_t*> const_;
};

}  // namespace vyre::verify
