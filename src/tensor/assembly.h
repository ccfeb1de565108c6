// Assembly: the module that a graph becomes, under construction.
//
// The result is one pipeline whose parameters are the graph's parameters and outputs, flat and row-major, and
// a program for each of its dispatches. Arrays are those parameters and scratch between dispatches. A
// dispatch is written by a function that gets a Body: it loads from and stores to arrays by a linear index,
// and the Body declares a buffer for each array that is used. Sizes are numbers here, so a program has them
// as literals. Two dispatches whose programs are equal share one.
//
// What computes is written against two kinds of functions: an Element gives the value of a tensor at some
// coordinates, wherever that comes from (an array, or an expression of others), and a Sink takes the value of
// a result at some coordinates, and stores it or computes on with it. So what stands before and behind a
// kernel is part of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/tensors.h"
#include "ir/builder.h"
#include "ir/module.h"
#include "ir/module_builder.h"
#include "spec/device_kind.h"

namespace vyre::tensor {

/// What a choice between kernels of equal bits is made for.
using Device = spec::DeviceKind;

constexpr uint32_t ceil_div(uint32_t a, uint32_t b) { return a / b + (a % b == 0 ? 0 : 1); }

/// Of workgroup memory every device has so much.
inline constexpr uint32_t kMostWorkgroupBytes = 16'384;

/// A buffer of the pipeline.
struct Array {
  uint32_t number = 0;
};

/// The program of a dispatch, under construction.
class Body {
 public:
  explicit Body(std::array<uint32_t, 3> workgroup);

  /// Of the dispatch: two bodies of an assembly never have the same.
  uint32_t number() const { return number_; }
  /// For all that a program has beside its arrays: ids, workgroup memory, loops, barriers.
  ir::ProgramBuilder& program() { return program_; }
  ir::Ex u32(uint32_t value) { return program_.u32(value); }
  /// A variable with this value and a name of its own.
  ir::Ex let(ir::Ex value);
  std::string fresh(std::string_view what);
  ir::Ex load(Array array, ir::Ex index);
  void store(Array array, ir::Ex index, ir::Ex value);

 private:
  friend class Assembly;
  struct Use {
    Array array;
    ir::BufferRef buffer;
    bool written = false;
  };
  Use& use(Array array);

  class Assembly* assembly_ = nullptr;
  ir::ProgramBuilder program_;
  std::vector<Use> uses_;  // in the order of their bindings
  uint32_t names_ = 0, number_ = 0;
};

/// u32 values, one an axis; none of a scalar. Variables that are never assigned, or literals, so that using
/// one twice costs nothing, and what was computed at some coordinates is known to be the same later.
using Coordinates = std::vector<ir::Ex>;
using Element = std::function<ir::Ex(Body&, const Coordinates&)>;
using Sink = std::function<void(Body&, const Coordinates&, ir::Ex value)>;

class Assembly {
 public:
  explicit Assembly(std::string name, Device device = Device::Gpu)
      : name_(std::move(name)), device_(device) {}

  /// `count`: its elements, where that is known.
  Array parameter(std::string_view name, spec::DataType element, std::optional<uint32_t> count = {});
  Array output(std::string_view name, spec::DataType element, std::optional<uint32_t> count = {});
  /// What it holds is anything, until it is written, and what lies behind its end as well: arrays of one type
  /// that are not needed at the same time share their memory.
  Array scratch(spec::DataType element, uint32_t count);

  /// `what`: the beginning of the program's name, for people. `write` is called twice, and writes the same:
  /// first to see which arrays there are, and then where a condition has said how long these are and how many
  /// workgroups, so that a compiler need not ask at each access.
  void dispatch(std::string_view what, std::array<uint32_t, 3> workgroup, std::array<uint32_t, 3> groups,
                const std::function<void(Body&)>& write);
  /// A dispatch of one invocation for each number below `count`, which `write` gets.
  void for_each(std::string_view what, uint32_t count, const std::function<void(Body&, ir::Ex)>& write);

  /// How many dispatches there are.
  size_t dispatches() const { return dispatches_.size(); }
  /// The module; the assembly is spent.
  ir::Module finish();

 private:
  friend class Body;
  /// By array: the scratch whose memory it has, itself or another one, whose count becomes what all of them
  /// need. None: of arrays that are no scratch, or that nothing uses.
  std::vector<uint32_t> share_memory();
  enum class Place : uint8_t { Parameter, Output, Scratch };
  struct Known {
    Place place;
    std::string name;
    spec::DataType element;
    std::optional<uint32_t> count;  // always of Scratch
  };
  struct Dispatch {
    uint32_t program = 0;
    std::array<uint32_t, 3> groups;
    std::vector<Array> arrays;  // of the program's buffers, in their order
  };

  std::string name_;
  Device device_;
  std::vector<Known> arrays_;
  std::vector<ir::Program> programs_;
  std::map<std::array<uint8_t, 32>, uint32_t> by_wire_;  // by digest of programs without their names
  std::vector<Dispatch> dispatches_;
  uint32_t bodies_ = 0;
};

/// An index and a number: what is known where it is written stands there as a number, and where the number
/// changes nothing, nothing is written.
std::optional<uint32_t> number(ir::Ex index);
ir::Ex plus(ir::Ex index, uint32_t by);
ir::Ex minus(ir::Ex index, uint32_t by);
ir::Ex times(ir::Ex index, uint32_t by);
ir::Ex quotient(ir::Ex index, uint32_t by);
ir::Ex rest(ir::Ex index, uint32_t by);
ir::Ex sum(ir::Ex a, ir::Ex b);

/// The linear index of coordinates in a row-major tensor.
ir::Ex linear(Body& body, std::span<const uint32_t> shape, const Coordinates& at);
/// The coordinates of a linear index below the product of the shape.
Coordinates coordinates(Body& body, std::span<const uint32_t> shape, ir::Ex index);

}  // namespace vyre::tensor
