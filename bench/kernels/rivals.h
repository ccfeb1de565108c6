// Rivals: kernels as a good engineer writes them by hand, beside the .vyre file of the same name.
//
// A rival has the same exact semantics as that file and works on the same arrays, in C++ (files that end in
// .cpp) or in CUDA C++ (.cu). It registers itself, so that no list names them; the bench looks a rival up by
// the name of the file. This header and what it says are all that the two sides share, so it includes nothing
// of vyre: a shared object that nvcc compiled is opened with dlopen and asked for `vyre_rivals`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vyre::bench {

/// The bound buffers of a kernel, in the order of its entry's parameters: memory of the host for rivals in
/// C++, of the device for those in CUDA C++.
struct Arrays {
  void* const* data;
  const size_t* bytes;
  template <typename T>
  T* at(size_t buffer) const {
    return static_cast<T*>(data[buffer]);
  }
  template <typename T>
  size_t count(size_t buffer) const {
    return bytes[buffer] / sizeof(T);
  }
};

struct Rival {
  const char* kernel;
  /// Null: written by hand. Else the library that is called.
  const char* library;
  /// Whether it must give the same bytes. A library that rounds in another order is compared loosely.
  bool exact;
  /// Whether what it needs is on this machine; null: nothing.
  bool (*available)();
  void (*run)(const Arrays& arrays);
  const Rival* next;
  /// Whether it does the same, so that its bytes are compared. What only moves as many bytes says how fast
  /// memory is.
  bool compared = true;
};

/// What rivals work on. Memory of the host for C++; of the device for CUDA C++.
struct Memory {
  void* (*allocate)(size_t bytes);
  void (*release)(void* at);
  void (*write)(void* to, const void* from, size_t bytes);
  void (*read)(void* to, const void* from, size_t bytes);
  /// Until all that was started is done.
  void (*wait)();
  /// What is wrong, or null.
  const char* (*error)();
};

/// What a shared object of rivals exports as `extern "C" const RivalSet* vyre_rivals()`.
struct RivalSet {
  const Rival* first;
  Memory memory;
};

inline const Rival*& first_rival() {
  static const Rival* first = nullptr;
  return first;
}
struct Register {
  Rival rival;
  explicit Register(const Rival& r) : rival(r) {
    rival.next = first_rival();
    first_rival() = &rival;
  }
  Register(const Register&) = delete;
  Register& operator=(const Register&) = delete;
};

/// Each defines a rival; the body behind it sees `a`, the arrays.
#define VYRE_RIVAL_(name, function, library, exact, available) \
  static void function(const ::vyre::bench::Arrays& a);        \
  static const ::vyre::bench::Register function##_registered(  \
      {#name, library, exact, available, &function, nullptr}); \
  static void function(const ::vyre::bench::Arrays& a)
#define VYRE_HAND(name) VYRE_RIVAL_(name, hand_##name, nullptr, true, nullptr)
#define VYRE_LIBRARY(name, library) VYRE_RIVAL_(name, library_##name, library, true, nullptr)
/// One that rounds differently, and may be missing.
#define VYRE_LIBRARY_CLOSE(name, library, available) \
  VYRE_RIVAL_(name, library_##name, library, false, available)
/// What moves as many bytes and no more: the time that no kernel over them goes below.
#define VYRE_BANDWIDTH(name, library)                                      \
  static void bandwidth_##name(const ::vyre::bench::Arrays& a);            \
  static const ::vyre::bench::Register bandwidth_##name##_registered(      \
      {#name, library, true, nullptr, &bandwidth_##name, nullptr, false}); \
  static void bandwidth_##name(const ::vyre::bench::Arrays& a)

}  // namespace vyre::bench
