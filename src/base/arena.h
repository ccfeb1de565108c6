// Arenas: vectors of plain data that may become very large.
//
// What a program of millions of nodes costs is mostly memory that is touched for the first time: the system
// zeroes it page by page and a constructor fills it once more, before anything is written. So an arena asks
// for large pages where its block is large, and resize() leaves new elements as they are: a caller that
// resizes an arena without a value writes each new element before it is read. Everything else is as in
// std::vector.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace vyre {

/// Memory by operator new, in large pages where it covers some and the system has them: it is asked, and its
/// answer does not matter.
void* allocate_arena(size_t bytes);

template <typename T>
class ArenaAllocator {
 public:
  using value_type = T;

  ArenaAllocator() = default;
  template <typename U>
  explicit(false) ArenaAllocator(const ArenaAllocator<U>&) {}

  T* allocate(size_t n) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    if (n > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_arena(n * sizeof(T)));
  }
  void deallocate(T* at, size_t) { ::operator delete(at); }

  /// Without a value: nothing is written.
  template <typename U>
  void construct(U*) {}
  template <typename U, typename... Args>
    requires(sizeof...(Args) > 0)
  void construct(U* at, Args&&... args) {
    std::construct_at(at, std::forward<Args>(args)...);
  }

  template <typename U>
  bool operator==(const ArenaAllocator<U>&) const {
    return true;
  }
};

template <typename T>
using Arena = std::vector<T, ArenaAllocator<T>>;

}  // namespace vyre
