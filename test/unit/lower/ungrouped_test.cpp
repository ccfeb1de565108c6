// Which kernels see nothing of their workgroups, and which have the same code.
#include "lower/ungrouped.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "oracle.h"
#include "text/text.h"
#include "three_ways.h"

VYRE_ORACLE(SpecificationTable, "by hand: what each text says of its workgroup");

namespace vyre::lower {
namespace {

Kernel kernel(const std::string& buffers, const std::string& size, const std::string& body) {
  const std::string written = "program p(read a: u32 @0, read_write out: u32 @1" + buffers + ") workgroup(" +
                              size + ") { let i = invocation_id.x; " + body + " }";
  auto parsed = text::parse(written);
  if (!parsed) throw std::logic_error("a test program is not valid: " + parsed.error().message);
  return legalize(build(checked(std::move(*parsed))), kLlvmTarget);
}

TEST(Ungrouped, KernelsThatSeeNothingOfWorkgroups) {
  for (const char* body :
       {"out[i] = a[i];", "if (i < len(out)) { out[i] = a[i] + invocation_id.y; }",
        "for k in 0..9 { let before = atomic_add(out[k], a[i]); }", "if (i == 3) { return; } out[i] = 1;"}) {
    const Kernel at_64 = kernel("", "64, 1, 1", body);
    EXPECT_EQ(ungrouped_width(at_64), 64u) << body;
    EXPECT_EQ(ungrouped(at_64).invocations(), 1u) << body;
    EXPECT_EQ(ungrouped_width(ungrouped(at_64)), 1u) << body;
  }
}

TEST(Ungrouped, KernelsThatSeeTheirWorkgroup) {
  for (const char* body : {"out[i] = local_id.x;", "out[i] = workgroup_id.x;", "out[i] = workgroup_id.z;",
                           "out[i] = num_workgroups.y;", "barrier; out[i] = 1;"}) {
    EXPECT_EQ(ungrouped_width(kernel("", "64, 1, 1", body)), 1u) << body;
  }
  EXPECT_EQ(ungrouped_width(kernel(", workgroup w: u32[4]", "64, 1, 1", "w[1] = i; out[i] = w[1];")), 1u);
  for (const char* size : {"8, 8, 1", "8, 1, 8"}) {
    const Kernel rows = kernel("", size, "out[i] = a[i];");
    EXPECT_EQ(ungrouped_width(rows), 1u) << size;
    EXPECT_EQ(ungrouped(rows).invocations(), 64u) << size;
  }
}

TEST(Ungrouped, KernelsOfOneCode) {
  const Kernel one = kernel("", "64, 1, 1", "out[i] = a[i] + 3;");
  const auto same = [&](const Kernel& other) {
    return code_digest(ungrouped(one)) == code_digest(ungrouped(other));
  };
  EXPECT_TRUE(same(kernel("", "256, 1, 1", "out[i] = a[i] + 3;")));
  Kernel renamed = one;
  renamed.name = "another";
  renamed.buffers[0].name = "b";
  EXPECT_TRUE(same(renamed));
  for (const char* body :
       {"out[i] = a[i] + 4;", "out[i] = a[i] - 3;", "out[i] = a[i + 3];", "out[i] = a[i] + 3; out[0] = 1;"}) {
    EXPECT_FALSE(same(kernel("", "64, 1, 1", body))) << body;
  }
  EXPECT_FALSE(same(kernel("", "64, 2, 1", "out[i] = a[i] + 3;")));
  EXPECT_FALSE(same(kernel(", read c: u32 @2", "64, 1, 1", "out[i] = a[i] + 3;")));
  Kernel other = one;
  other.floats = kNoFloats;
  EXPECT_FALSE(same(other));
  other = one;
  other.buffers[1].element = spec::DataType::I32;
  EXPECT_FALSE(same(other));
}

}  // namespace
}  // namespace vyre::lower
