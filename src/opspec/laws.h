// Laws of operations over buffers: what relates an operation to others, or to itself.
//
// A law says of any case of an operation what several runs of operations have to do with one another: decode
// of encode gives the items back, sort of what is sorted changes nothing. Its words stand in library/laws.def
// and its check, a function of that name, in laws_*.cpp: it runs operations through a Trial, which are the
// references or the texts on a device, so that one check is evidence on both. Source: semantics, "Laws and
// evidence"; docs/library.md.
#pragma once

#include <functional>
#include <string>

#include "opspec/opspec.h"

namespace vyre::opspec {

/// A case of an operation, and what runs operations.
class Trial {
 public:
  /// Gives what an operation leaves of buffers.
  using Apply = std::function<Buffers(std::string_view id, Buffers buffers)>;

  Trial(std::string_view id, const Buffers& input, const Apply& apply)
      : id_(id), input_(input), apply_(apply) {}
  std::string_view id() const { return id_; }
  /// Contents of all buffers of the operation, as make_case() gives them.
  const Buffers& input() const { return input_; }
  Buffers run(std::string_view id, Buffers buffers) const { return apply_(id, std::move(buffers)); }
  /// The same of another case, which must outlive it.
  Trial with(const Buffers& input) const { return {id_, input, apply_}; }
  /// The operation itself.
  Buffers run(Buffers buffers) const { return run(id_, std::move(buffers)); }

 private:
  std::string_view id_;
  const Buffers& input_;
  const Apply& apply_;
};

/// Whether the law holds of the case. Of what the law says nothing (an output that is too short for it) true.
using Holds = bool (*)(const Trial& trial);
/// By the place of the law in library/laws.def.
std::span<const Holds> law_checks();

}  // namespace vyre::opspec
