// Arrays of numbers on the host: what operations on collections and graphs have in common.
#pragma once

#include <algorithm>

#include "opspec/items.h"

namespace vyre::opspec {

using Words = std::vector<uint32_t>;

/// n words of one kind: any, few different ones, ascending, all ones, single bits, runs, ...
Words any_words(RandomStream& random, size_t n);
template <typename T>
bool contains(const std::vector<T>& values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}
/// Floats as integers of the same order, which is that of their bits.
std::vector<int32_t> ordered_floats(const Buffer& floats);
/// n, or often some less or more.
size_t about(RandomStream& random, size_t n);
/// An output for n elements of so many bytes: room for about as many.
Buffer room(RandomStream& random, size_t n, size_t element = sizeof(uint32_t));
/// An output of one element, or of none or two.
Buffer one_or_so(RandomStream& random, size_t element = sizeof(uint32_t));

/// What an operation leaves: as many of the values as there is room for.
template <typename T>
void leave(Buffer& buffer, const std::vector<T>& values) {
  for (size_t i = 0; i < values.size(); ++i) put(buffer, i, values[i]);
}

/// Appends offsets and targets of a graph of at most 2,000 vertices: random, a chain, a star, without cycles.
/// One time in five they are malformed.
void put_any_graph(Buffers& buffers, RandomStream& random, uint32_t size);

/// Cases with one buffer cut: in half at either end, or by an element.
std::vector<Buffers> with_less(const Buffers& buffers);

}  // namespace vyre::opspec
