// The writer of random programs: it draws decisions from a Choices and builds a program that keeps every
// rule.
//
// programs.h says what comes out and how races are kept out. Here are the books that this needs: which
// variables are visible and uniform, what phase each shared buffer is in, whether control is uniform, and how
// many steps the program may still take.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "generate/programs.h"
#include "ir/builder.h"

namespace vyre::generate {

class ProgramWriter {
 public:
  ProgramWriter(Choices& choices, const ProgramOptions& options);
  ProgramCase write();

 private:
  using Ex = ir::Ex;
  using DataType = spec::DataType;
  using Op = spec::Op;

  /// Who may touch which elements; see programs.h.
  enum class Discipline : uint8_t { Read, Uniform, Own, Sum, Shared };
  enum class Mode : uint8_t { ReadAll, Slots, Sum };
  struct Phase {
    Mode mode = Mode::ReadAll;
    uint32_t permutation = 0;  // Slots
    uint32_t shift = 0;        // Slots: of the rotation
    Op op = Op::AtomicAdd;     // Sum
    bool operator==(const Phase&) const = default;
  };
  struct Buffer {
    ir::BufferRef ref;
    Discipline discipline;
    DataType element;
    bool workgroup = false;
    Op op = Op::AtomicAdd;  // Sum
    Phase phase;            // Shared
  };
  struct Variable {
    std::string name;
    DataType type;
    bool uniform;
    bool assignable;
    bool usable = true;  // false: a value that shows the order of atomics, so that only its name is taken
  };

  // Shape of the dispatch and buffers.
  void choose_shape();
  void declare_buffers();
  void declare(Discipline discipline, uint32_t count);
  void declare_identity();
  DataType any_type();
  DataType any_element(bool with_bytes);

  // Expressions.
  Ex expr(DataType type, uint32_t depth, bool uniform);
  Ex leaf(DataType type, bool uniform);
  Ex literal(DataType type);
  Ex scalar(DataType type, uint32_t depth, bool uniform);
  Ex call(DataType type, uint32_t depth);
  Ex condition(uint32_t depth, bool uniform);
  bool readable(const Buffer& buffer, DataType type, bool uniform) const;
  Ex load(const Buffer& buffer, uint32_t depth, bool uniform);
  Ex index_anywhere(uint32_t depth, bool uniform);
  Ex index_own();
  Ex index_shared(const Buffer& buffer, uint32_t depth);
  Ex index_slot(const Buffer& buffer);
  Ex identity(const char* name) { return builder_.var(name); }

  // Statements.
  void block(uint32_t statements);
  void statement();
  void scope(const std::function<void()>& body);
  void let();
  void assign();
  void store();
  void atomic();
  void branch();
  void loop();
  void early_return();
  void barrier();
  void read_neighbour(const Buffer& buffer);
  void add_shared(const Buffer& buffer);
  /// Mixes the variables from number `first` on into the digest, so that what they hold shows.
  void absorb(size_t first);
  void store_digest();
  struct Bounds {
    Ex from, to;
    uint32_t trips;
  };
  Bounds bounds(bool uniform);
  bool may_store(const Buffer& buffer) const;
  std::string fresh_name();
  Phase any_phase(const Buffer& buffer);
  std::vector<Phase> phases() const;
  /// Back to phases that an outer construct relies on, through a barrier where they differ.
  void restore(const std::vector<Phase>& saved);

  // Input.
  Bytes contents(const Buffer& buffer);

  void spend(uint64_t steps) { spent_ += steps * trips_; }
  bool can_afford(uint64_t steps) const { return spent_ + steps * trips_ <= budget_; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[choices_.below(uint32_t(from.size()))];
  }

  Choices& choices_;
  const ProgramOptions& options_;
  ir::ProgramBuilder builder_;
  std::vector<std::vector<const spec::OpDef*>> callable_;  // by result type

  std::array<uint32_t, 3> size_ = {1, 1, 1};
  layout::Groups groups_;
  uint32_t group_size_ = 1;
  uint32_t total_ = 1;

  std::vector<Buffer> buffers_;
  std::vector<Variable> variables_;
  std::vector<std::string> retired_;  // names whose scope has ended
  uint32_t names_ = 0;
  uint32_t statements_left_ = 0;
  uint32_t nesting_ = 0;
  bool uniform_control_ = true;
  bool tail_ = false;      // no barrier comes any more, so divergent returns may
  bool returned_ = false;  // the innermost scope has ended in a return
  uint64_t trips_ = 1;
  uint64_t spent_ = 0;
  uint64_t budget_ = 0;
};

}  // namespace vyre::generate
