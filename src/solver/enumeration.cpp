#include "solver/enumeration.h"

#include <algorithm>
#include <chrono>

namespace vyre::solver {
namespace {

using smt::Bits;
using smt::Term;
using Clock = std::chrono::steady_clock;

/// By the number of variables: so many values of each come to some thousand tuples at most.
constexpr uint32_t kSmall[] = {1, 2048, 48, 12, 6, 4, 3, 3, 2, 2, 2, 2};
constexpr uint64_t kBetweenLooks = 1024;  // tuples tried between two looks at the clock

}  // namespace

Enumeration::Enumeration(const smt::Pool& pool, Term claim, std::span<const Term> variables)
    : evaluation_(pool, claim), tuple_(variables.size()) {
  for (const Term v : evaluation_.variables())
    place_.push_back(size_t(std::ranges::find(variables, v) - variables.begin()));
  values_.resize(place_.size());
  for (const Term v : variables) {
    const uint32_t width = std::max(1u, pool.width(v));
    highest_.push_back(~Bits{0} >> (smt::kMaxWidth - width));
    greatest_ = std::max(greatest_, highest_.back());
    bits_ += width;
  }
}

Bits Enumeration::small() const {
  if (bits_ <= 16) return greatest_;
  const size_t n = tuple_.size();
  return std::min(greatest_, Bits{n < std::size(kSmall) ? kSmall[n] - 1 : 0});
}

Enumeration::Found Enumeration::up_to(Bits most, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (uint64_t tried = 0; shell_ <= std::min(most, greatest_); ++tried) {
    if (tried % kBetweenLooks == kBetweenLooks - 1 && Clock::now() >= end) return Found::OutOfTime;
    if (fails()) return Found::Counterexample;
    advance();
  }
  return Found::None;
}

bool Enumeration::fails() {
  for (size_t i = 0; i < place_.size(); ++i) values_[i] = tuple_[place_[i]];
  return evaluation_(values_) == 0;
}

/// Zeros, and the shell's value as far right as a variable can have it.
void Enumeration::first_of_shell() {
  std::ranges::fill(tuple_, Bits{0});
  for (size_t i = tuple_.size(); i-- > 0;) {
    if (highest_[i] < shell_) continue;
    tuple_[i] = shell_;
    return;
  }
}

/// To the next tuple from left to right whose largest value is the shell's, or to the next shell.
void Enumeration::advance() {
  size_t last = tuple_.size();  // the last behind i that can have the shell's value; the size: none
  for (size_t i = tuple_.size(); i-- > 0;) {
    const bool can = highest_[i] >= shell_;
    if (tuple_[i] < std::min(shell_, highest_[i])) {
      ++tuple_[i];
      std::fill(tuple_.begin() + ptrdiff_t(i) + 1, tuple_.end(), Bits{0});
      const auto upto = tuple_.begin() + ptrdiff_t(i) + 1;
      if (std::find(tuple_.begin(), upto, shell_) != upto) return;
      if (last < tuple_.size()) return void(tuple_[last] = shell_);
      if (can) return void(tuple_[i] = shell_);
    }
    if (can && last == tuple_.size()) last = i;
  }
  ++shell_;
  first_of_shell();
}

}  // namespace vyre::solver
