// Memory that runs out: this test program's operator new fails on demand, and every call of the C API must
// turn that into a status, whichever allocation it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>

#include "oracle.h"
#include "vyre/vyre.h"

VYRE_ORACLE(SpecificationTable, "vyre.h, VYRE_OUT_OF_MEMORY");

namespace {
/// How many allocations of this thread still succeed; negative: all of them.
thread_local long allowed = -1;
}  // namespace

void* operator new(size_t size) {
  if (allowed == 0) throw std::bad_alloc();
  if (allowed > 0) --allowed;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace {

constexpr std::string_view kText =
    "program p(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[64]) workgroup(64, 1, 1) {\n"
    "  let i = invocation_id.x;\n"
    "  w[local_id.x] = primitive.bitwise.rotl(a[i], 7);\n"
    "  barrier;\n"
    "  for k in 0..4 {\n"
    "    if (i < len(out)) {\n"
    "      out[i] = out[i] + w[k];\n"
    "    }\n"
    "  }\n"
    "}\n";

/// Calls with ever more memory until the answer is `wanted`; before that it must be VYRE_OUT_OF_MEMORY with
/// nothing made.
template <typename Handle, typename Call>
Handle* survive(vyre_status wanted, void (*release)(Handle*), Call call) {
  long failures = 0;
  for (;; ++failures) {
    Handle* handle = nullptr;
    allowed = failures;
    const vyre_status status = call(&handle);
    allowed = -1;
    if (status == wanted) {
      EXPECT_GT(failures, 0);
      return handle;
    }
    EXPECT_EQ(status, VYRE_OUT_OF_MEMORY) << failures;
    EXPECT_EQ(handle, nullptr) << failures;
    if (failures > 100'000 || testing::Test::HasFailure()) {
      ADD_FAILURE() << "no end";
      release(handle);
      return nullptr;
    }
  }
}

// Tables that live for ever are made by the first round, with memory.
TEST(OutOfMemory, IsAStatusWhereverItHappens) {
  for (const bool failing : {false, true}) {
    vyre_program* program = nullptr;
    vyre_checked* checked = nullptr;
    vyre_backend* backend = nullptr;
    vyre_pipeline* pipeline = nullptr;
    vyre_blob* blob = nullptr;
    uint32_t a[64] = {1, 2, 3}, out[4] = {};
    const vyre_buffer buffers[] = {{a, sizeof a}, {out, sizeof out}};
    const auto parse = [](vyre_program** o) { return vyre_parse(kText.data(), kText.size(), o, nullptr); };
    const auto check = [&](vyre_checked** o) { return vyre_check(program, o, nullptr); };
    const auto open = [](vyre_backend** o) { return vyre_backend_open("reference", 9, o, nullptr); };
    const auto compile = [&](vyre_pipeline** o) { return vyre_compile(backend, checked, o, nullptr); };
    const auto encode = [&](vyre_blob** o) { return vyre_encode(program, o); };
    const auto print = [&](vyre_blob** o) { return vyre_print(checked, o); };
    const auto format = [](vyre_blob** o) { return vyre_format(kText.data(), kText.size(), o, nullptr); };
    const auto decode = [&](vyre_program** o) {
      const vyre_string wire = vyre_blob_view(blob);
      return vyre_decode(wire.data, wire.size, o, nullptr);
    };
    const auto dispatch = [&](vyre_diagnostics**) {
      std::ranges::fill(out, 0u);  // a dispatch that ends early may have written
      return vyre_dispatch(pipeline, buffers, 2, 1, 1, 1, nullptr);
    };
    const auto refused = [](vyre_diagnostics** o) {
      vyre_program* none = nullptr;
      return vyre_parse("program p(", 10, &none, o);
    };
    if (!failing) {
      ASSERT_EQ(parse(&program), VYRE_OK);
      ASSERT_EQ(check(&checked), VYRE_OK);
      ASSERT_EQ(open(&backend), VYRE_OK);
      ASSERT_EQ(compile(&pipeline), VYRE_OK);
      ASSERT_EQ(dispatch(nullptr), VYRE_OK);
    } else {
      ASSERT_TRUE(program = survive(VYRE_OK, vyre_program_free, parse));
      ASSERT_TRUE(checked = survive(VYRE_OK, vyre_checked_free, check));
      ASSERT_TRUE(backend = survive(VYRE_OK, vyre_backend_free, open));
      ASSERT_TRUE(pipeline = survive(VYRE_OK, vyre_pipeline_free, compile));
      survive(VYRE_OK, vyre_diagnostics_free, dispatch);
      // out[i] gains rotl(a[k], 7) for k in 0..4: (1 + 2 + 3) * 128.
      EXPECT_EQ(out[0], 768u);
      vyre_diagnostics* list = survive(VYRE_REFUSED, vyre_diagnostics_free, refused);
      ASSERT_EQ(vyre_diagnostics_count(list), 1u);
      vyre_diagnostics_free(list);
      vyre_blob_free(survive(VYRE_OK, vyre_blob_free, print));
      vyre_blob_free(survive(VYRE_OK, vyre_blob_free, format));
      ASSERT_TRUE(blob = survive(VYRE_OK, vyre_blob_free, encode));
      vyre_program_free(survive(VYRE_OK, vyre_program_free, decode));
    }
    vyre_pipeline_free(pipeline);
    vyre_backend_free(backend);
    vyre_checked_free(checked);
    vyre_program_free(program);
    vyre_blob_free(blob);
  }
}

}  // namespace
