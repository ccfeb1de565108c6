// A backend that is right but for one thing that it does to floats, for tests of what judges backends.
//
// A fault has a victim: an operator at a type ("fdiv.f32"), a cast ("cast.f32.i32.trunc"), an operator on the
// result of another ("fadd.f32 of fmul.f32": the first operand is one), a reduction. Before a program is
// compiled each application of the victim in it, and in the operations that it calls, becomes a call of a
// function with the fault, itself made of right operators; so the wrong answers come out of real pipelines.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "ir/ir.h"
#include "spec/table.h"

namespace vyre::faults {

enum class FloatFault : uint8_t {
#define VYRE_FLOAT_FAULT(Name, victim, subject, meaning) Name,
#include "float_faults.def"
#undef VYRE_FLOAT_FAULT
};
struct FloatFaultInfo {
  FloatFault fault;
  std::string_view name;
  std::string_view victim;
  std::string_view subject;  // a family, and of an elementwise one the member: who must be attributed
  std::string_view meaning;
};
inline constexpr auto kFloatFaults = std::to_array<FloatFaultInfo>({
#define VYRE_FLOAT_FAULT(Name, victim, subject, meaning) {FloatFault::Name, #Name, victim, subject, meaning},
#include "float_faults.def"
#undef VYRE_FLOAT_FAULT
});
constexpr const FloatFaultInfo& info(FloatFault fault) { return kFloatFaults[static_cast<size_t>(fault)]; }

class Liar final : public backend::Backend {
 public:
  /// The honest backend must outlive it.
  Liar(backend::Backend& honest, FloatFault fault);

  backend::Identity identity() const override;
  backend::Limits limits() const override { return honest_.limits(); }
  bool has(spec::Intrinsic intrinsic) const override { return honest_.has(intrinsic); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override;

  /// How many applications of the victim have been replaced in programs (not in operations) so far.
  uint64_t planted() const { return planted_; }

 private:
  void add_operations(const spec::OpTable& table);

  backend::Backend& honest_;
  FloatFault fault_;
  spec::OpTable table_;  // the library's operations, faulty, and the fault's function
  std::vector<std::unique_ptr<ir::Function>> functions_;
  std::atomic<uint64_t> planted_ = 0;
};

}  // namespace vyre::faults

template <>
struct vyre::spec::KeyCount<vyre::faults::FloatFault> {
  static constexpr size_t value = vyre::faults::kFloatFaults.size();
};
