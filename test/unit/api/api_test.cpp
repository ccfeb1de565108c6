#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "oracle.h"
#include "vyre/vyre.h"

VYRE_ORACLE(
    SpecificationTable,
    "vyre.h, diag.def, docs/text-format.md, docs/wire-format.md and the texts themselves; values by hand");

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Free {
  void operator()(vyre_diagnostics* p) const { vyre_diagnostics_free(p); }
  void operator()(vyre_blob* p) const { vyre_blob_free(p); }
  void operator()(vyre_program* p) const { vyre_program_free(p); }
  void operator()(vyre_checked* p) const { vyre_checked_free(p); }
  void operator()(vyre_backend* p) const { vyre_backend_free(p); }
  void operator()(vyre_pipeline* p) const { vyre_pipeline_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

/// A place that a call fills in, garbage before it.
template <typename T>
class Out {
 public:
  T** operator&() { return &raw_; }
  T* get() const { return raw_; }
  Owned<T> own() { return Owned<T>(raw_); }

 private:
  T* raw_ = reinterpret_cast<T*>(uintptr_t{1});
};

std::string_view view(vyre_string text) { return {text.data, text.size}; }

constexpr std::string_view kXor =
    "program xor(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {\n"
    "  let i = invocation_id.x;\n"
    "  if (i < len(out)) {\n"
    "    out[i] = a[i] ^ b[i];\n"
    "  }\n"
    "}\n";

Owned<vyre_program> parse(std::string_view text) {
  Out<vyre_program> program;
  EXPECT_EQ(vyre_parse(text.data(), text.size(), &program, nullptr), VYRE_OK);
  return program.own();
}
Owned<vyre_checked> check(const vyre_program* program) {
  Out<vyre_checked> checked;
  EXPECT_EQ(vyre_check(program, &checked, nullptr), VYRE_OK);
  return checked.own();
}
Owned<vyre_backend> open(std::string_view name) {
  Out<vyre_backend> backend;
  EXPECT_EQ(vyre_backend_open(name.data(), name.size(), &backend, nullptr), VYRE_OK);
  return backend.own();
}
Owned<vyre_pipeline> compile(std::string_view text, std::string_view backend_name = "reference") {
  const auto program = parse(text);
  const auto checked = check(program.get());
  const auto backend = open(backend_name);
  Out<vyre_pipeline> pipeline;
  EXPECT_EQ(vyre_compile(backend.get(), checked.get(), &pipeline, nullptr), VYRE_OK);
  return pipeline.own();  // everything that it was made from is freed here
}
Owned<vyre_blob> encode(const vyre_program* program) {
  Out<vyre_blob> wire;
  EXPECT_EQ(vyre_encode(program, &wire), VYRE_OK);
  return wire.own();
}

vyre_diagnostic get(const vyre_diagnostics* list, size_t index) {
  vyre_diagnostic d = {};
  d.struct_size = sizeof d;
  EXPECT_EQ(vyre_diagnostics_get(list, index, &d), VYRE_OK);
  return d;
}
/// The code of the only diagnostic; frees the list.
std::string only_code(Out<vyre_diagnostics>& diagnostics) {
  const auto list = diagnostics.own();
  EXPECT_EQ(vyre_diagnostics_count(list.get()), 1u);
  const vyre_diagnostic d = get(list.get(), 0);
  EXPECT_GT(d.title.size, 0u);
  EXPECT_GT(d.explanation.size, 0u);
  EXPECT_GT(d.message.size, 0u);
  EXPECT_EQ(std::strlen(d.message.data), d.message.size);
  return std::string(view(d.code));
}

TEST(Parse, ABadTextGivesACodeWithItsPlace) {
  const std::string text = "program p() workgroup(1, 1, 1) {\n  let x = 1 + ;\n}\n";
  Out<vyre_program> program;
  Out<vyre_diagnostics> diagnostics;
  ASSERT_EQ(vyre_parse(text.data(), text.size(), &program, &diagnostics), VYRE_REFUSED);
  EXPECT_EQ(program.get(), nullptr);
  const auto list = diagnostics.own();
  ASSERT_EQ(vyre_diagnostics_count(list.get()), 1u);
  const vyre_diagnostic d = get(list.get(), 0);
  EXPECT_EQ(view(d.code), "P002");
  EXPECT_EQ(d.place.begin, text.find(';'));
  EXPECT_EQ(d.place.end, text.find(';') + 1);
  EXPECT_EQ(d.place.line, 2u);
  EXPECT_EQ(d.place.column, 15u);
  EXPECT_EQ(d.note_count, 0u);
}

TEST(Parse, AnEmptyTextMayBeNull) {
  Out<vyre_program> program;
  Out<vyre_diagnostics> diagnostics;
  ASSERT_EQ(vyre_parse(nullptr, 0, &program, &diagnostics), VYRE_REFUSED);
  EXPECT_EQ(only_code(diagnostics), "P015");
}

TEST(Program, SaysWhatItDeclares) {
  const auto program = parse(
      "program many(read a: i32 @3, workgroup w: bool[16], uniform u: bytes @1, read_write out: u32 @0)\n"
      "    workgroup(8, 4, 2) {\n  out[0] = u[0];\n}\n");
  vyre_program_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(vyre_program_get_info(program.get(), &info), VYRE_OK);
  EXPECT_EQ(view(info.name), "many");
  EXPECT_THAT(info.workgroup_size, ElementsAre(8, 4, 2));
  EXPECT_EQ(info.buffer_count, 4u);
  EXPECT_EQ(info.bound_count, 3u);

  struct Row {
    std::string_view name;
    vyre_access access;
    vyre_type type;
    std::string_view type_name;
    uint32_t binding, count, bound_index;
  };
  const Row rows[] = {
      {"a", VYRE_ACCESS_READ, VYRE_TYPE_I32, "i32", 3, 0, 0},
      {"w", VYRE_ACCESS_WORKGROUP, VYRE_TYPE_BOOL, "bool", 0, 16, VYRE_NOT_BOUND},
      {"u", VYRE_ACCESS_UNIFORM, VYRE_TYPE_BYTES, "bytes", 1, 0, 1},
      {"out", VYRE_ACCESS_READ_WRITE, VYRE_TYPE_U32, "u32", 0, 0, 2},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    vyre_buffer_info buffer = {};
    buffer.struct_size = sizeof buffer;
    ASSERT_EQ(vyre_program_get_buffer(program.get(), i, &buffer), VYRE_OK);
    EXPECT_EQ(view(buffer.name), rows[i].name);
    EXPECT_EQ(buffer.access, rows[i].access) << rows[i].name;
    EXPECT_EQ(buffer.type, rows[i].type) << rows[i].name;
    EXPECT_EQ(view(buffer.type_name), rows[i].type_name);
    EXPECT_EQ(buffer.element_bytes, 4u) << rows[i].name;
    EXPECT_EQ(buffer.binding, rows[i].binding) << rows[i].name;
    EXPECT_EQ(buffer.count, rows[i].count) << rows[i].name;
    EXPECT_EQ(buffer.bound_index, rows[i].bound_index) << rows[i].name;
  }
  vyre_buffer_info past = {};
  past.struct_size = sizeof past;
  EXPECT_EQ(vyre_program_get_buffer(program.get(), 4, &past), VYRE_INVALID_ARGUMENT);
}

TEST(Wire, EncodesDecodesAndDigests) {
  const auto program = parse(kXor);
  const auto blob = encode(program.get());
  const std::string wire(view(vyre_blob_view(blob.get())));
  ASSERT_GT(wire.size(), 40u);
  EXPECT_EQ(wire.substr(0, 8), std::string_view("VYRE\1\0\0\0", 8));
  const vyre::Digest digest = vyre::sha256(wire.substr(0, 8) + wire.substr(40));
  EXPECT_EQ(std::memcmp(wire.data() + 8, digest.bytes.data(), 32), 0);
  std::array<uint8_t, 32> given;
  ASSERT_EQ(vyre_digest(program.get(), given.data()), VYRE_OK);
  EXPECT_EQ(given, digest.bytes);

  Out<vyre_program> decoded;
  ASSERT_EQ(vyre_decode(wire.data(), wire.size(), &decoded, nullptr), VYRE_OK);
  const auto again = encode(decoded.own().get());
  EXPECT_EQ(view(vyre_blob_view(again.get())), wire);
}

std::string decode_code(std::string_view wire) {
  Out<vyre_program> program;
  Out<vyre_diagnostics> diagnostics;
  EXPECT_EQ(vyre_decode(wire.data(), wire.size(), &program, &diagnostics), VYRE_REFUSED);
  EXPECT_EQ(program.get(), nullptr);
  const vyre_diagnostic d = get(diagnostics.get(), 0);
  EXPECT_EQ(d.place.begin, VYRE_NO_OFFSET);
  EXPECT_EQ(d.place.line, 0u);
  EXPECT_EQ(d.place.column, 0u);
  return only_code(diagnostics);
}

TEST(Wire, BadBytesGiveACode) {
  const auto blob = encode(parse(kXor).get());
  const std::string wire(view(vyre_blob_view(blob.get())));
  EXPECT_EQ(decode_code("program"), "W001");
  std::string other_version = wire;
  other_version[4] = 77;
  EXPECT_EQ(decode_code(other_version), "W002");
  std::string damaged = wire;
  damaged.back() ^= 1;
  EXPECT_EQ(decode_code(damaged), "W004");
  for (size_t size = 0; size < wire.size(); ++size) {
    EXPECT_EQ(decode_code(wire.substr(0, size))[0], 'W') << size;
  }
}

TEST(Text, FormatsAndPrints) {
  const std::string_view text = "program p(read_write out:u32@0) workgroup(1,1,1){out[0]=0x10; // kept\n}\n";
  Out<vyre_blob> formatted;
  ASSERT_EQ(vyre_format(text.data(), text.size(), &formatted, nullptr), VYRE_OK);
  EXPECT_EQ(view(vyre_blob_view(formatted.own().get())),
            "program p(read_write out: u32 @0) workgroup(1, 1, 1) {\n  out[0] = 0x10;  // kept\n}\n");
  Out<vyre_blob> printed;
  ASSERT_EQ(vyre_print(check(parse(text).get()).get(), &printed), VYRE_OK);
  EXPECT_EQ(view(vyre_blob_view(printed.own().get())),
            "program p(read_write out: u32 @0) workgroup(1, 1, 1) {\n  out[0] = 16;\n}\n");

  Out<vyre_blob> none;
  Out<vyre_diagnostics> diagnostics;
  ASSERT_EQ(vyre_format("program", 7, &none, &diagnostics), VYRE_REFUSED);
  EXPECT_EQ(none.get(), nullptr);
  EXPECT_EQ(only_code(diagnostics), "P003");
}

TEST(Check, ReportsAllBrokenRulesAtOnceWithNotes) {
  // diag.def, V006, V003 and V001: one broken rule a line, and where the names stand in the text.
  const std::string text =
      "program p(read a: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {\n"
      "  a[0] = 1;\n"
      "  out[0] = nothing;\n"
      "  let out = 2;\n"
      "}\n";
  const auto program = parse(text);
  Out<vyre_checked> checked;
  Out<vyre_diagnostics> diagnostics;
  ASSERT_EQ(vyre_check(program.get(), &checked, &diagnostics), VYRE_REFUSED);
  EXPECT_EQ(checked.get(), nullptr);
  const auto list = diagnostics.own();
  ASSERT_EQ(vyre_diagnostics_count(list.get()), 3u);
  struct Row {
    std::string_view code;
    size_t begin;
    uint32_t line, column;
    std::string_view word;
  };
  const Row rows[] = {{"V006", text.find("a[0]"), 2, 3, "`a`"},
                      {"V003", text.find("nothing"), 3, 12, "`nothing`"},
                      {"V001", text.find("let out"), 4, 3, "`out`"}};
  for (size_t i = 0; i < 3; ++i) {
    const vyre_diagnostic d = get(list.get(), i);
    EXPECT_EQ(view(d.code), rows[i].code);
    EXPECT_EQ(d.place.begin, rows[i].begin) << i;
    EXPECT_EQ(d.place.line, rows[i].line) << i;
    EXPECT_EQ(d.place.column, rows[i].column) << i;
    EXPECT_THAT(view(d.message), HasSubstr(rows[i].word));
    EXPECT_GT(d.help.size, 0u);
  }
  ASSERT_EQ(get(list.get(), 2).note_count, 1u);
  vyre_note note = {};
  note.struct_size = sizeof note;
  ASSERT_EQ(vyre_diagnostics_note(list.get(), 2, 0, &note), VYRE_OK);
  EXPECT_EQ(note.place.begin, text.find("read_write"));
  EXPECT_EQ(note.place.line, 1u);
  EXPECT_EQ(vyre_diagnostics_note(list.get(), 2, 1, &note), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_diagnostics_note(list.get(), 3, 0, &note), VYRE_INVALID_ARGUMENT);

  Out<vyre_blob> rendered;
  ASSERT_EQ(vyre_diagnostics_render(list.get(), "p.vyre", 6, &rendered), VYRE_OK);
  EXPECT_THAT(std::string(view(vyre_blob_view(rendered.own().get()))),
              AllOf(HasSubstr("p.vyre:2:3: error[V006]: "), HasSubstr("p.vyre:3:12: error[V003]: "),
                    HasSubstr("p.vyre:4:3: error[V001]: "), HasSubstr(" 3 |   out[0] = nothing;\n")));
}

TEST(Check, CallsResolveToTheLibrary) {
  // primitive.bitwise.rotl by hand: 0x80000001 rotated left by 4 is 0x00000018.
  const auto pipeline = compile(
      "program p(read_write out: u32 @0) workgroup(1, 1, 1) {\n"
      "  out[0] = primitive.bitwise.rotl(out[0], 4);\n}\n");
  uint32_t out = 0x80000001;
  const vyre_buffer buffer = {&out, sizeof out};
  ASSERT_EQ(vyre_dispatch(pipeline.get(), &buffer, 1, 1, 1, 1, nullptr), VYRE_OK);
  EXPECT_EQ(out, 0x00000018u);
}

// That the pipeline needs nothing it was made from is compile()'s doing.
TEST(Dispatch, RunsOverTheCallersMemoryOnEveryBackend) {
  ASSERT_GE(vyre_backend_count(), 2u);
  for (size_t i = 0; i < vyre_backend_count(); ++i) {
    const std::string_view name = view(vyre_backend_name(i));
    Out<vyre_backend> opened;
    Out<vyre_diagnostics> diagnostics;
    const vyre_status status = vyre_backend_open(name.data(), name.size(), &opened, &diagnostics);
    if (status != VYRE_OK && name != "reference" && name != "native") {
      // A device that is not here says so; what runs on any host is always here.
      EXPECT_EQ(only_code(diagnostics), "B001");
      continue;
    }
    ASSERT_EQ(status, VYRE_OK);
    const auto backend = opened.own();
    vyre_backend_info info = {};
    info.struct_size = sizeof info;
    ASSERT_EQ(vyre_backend_get_info(backend.get(), &info), VYRE_OK);
    EXPECT_EQ(view(info.name), name);
    EXPECT_EQ(view(info.version), view(vyre_version()));
    EXPECT_GT(info.device.size, 0u);
    EXPECT_GE(info.max_invocations_per_group, 1u);

    const auto pipeline = compile(kXor, name);
    uint32_t a[] = {1, 2, 3}, b[] = {0xff, 0, 3}, out[3] = {};
    const vyre_buffer buffers[] = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}};
    for (int times = 0; times < 2; ++times) {
      ASSERT_EQ(vyre_dispatch(pipeline.get(), buffers, 3, 1, 1, 1, nullptr), VYRE_OK);
      EXPECT_THAT(out, ElementsAre(254, 2, 0)) << name;
    }
  }
  EXPECT_EQ(view(vyre_backend_name(vyre_backend_count())), "");
}

TEST(Dispatch, RefusesWhatDoesNotFit) {
  for (const std::string_view backend : {"reference", "native"}) {
    const auto pipeline = compile(kXor, backend);
    uint32_t a[] = {1, 2, 3}, b[] = {4, 5, 6}, out[] = {7, 7, 7};
    const auto code = [&](std::vector<vyre_buffer> buffers, uint32_t groups) {
      Out<vyre_diagnostics> diagnostics;
      EXPECT_EQ(vyre_dispatch(pipeline.get(), buffers.data(), buffers.size(), groups, 1, 1, &diagnostics),
                VYRE_REFUSED);
      EXPECT_THAT(out, ElementsAre(7, 7, 7));
      return only_code(diagnostics);
    };
    EXPECT_EQ(code({{a, 12}, {out, 12}}, 1), "X009");
    EXPECT_EQ(code({{a, 12}, {b, 12}, {out, 12}, {nullptr, 0}}, 1), "X009");
    EXPECT_EQ(code({}, 1), "X009");
    EXPECT_EQ(code({{a, 12}, {b, 7}, {out, 12}}, 1), "X002");
    EXPECT_EQ(code({{a, 12}, {out + 1, 8}, {out, 12}}, 1), "X003");
    EXPECT_EQ(code({{a, 12}, {b, 12}, {out, 12}}, 0), "X005");
    EXPECT_EQ(code({{a, 12}, {b, 12}, {out, 12}}, 65536), "X005");
  }
}

TEST(Backend, UnknownOrAbsentOnesAreRefused) {
  const auto code = [](std::string_view name) {
    Out<vyre_backend> backend;
    Out<vyre_diagnostics> diagnostics;
    EXPECT_EQ(vyre_backend_open(name.data(), name.size(), &backend, &diagnostics), VYRE_REFUSED);
    EXPECT_EQ(backend.get(), nullptr);
    return only_code(diagnostics);
  };
  EXPECT_EQ(code("gpu"), "B004");
  EXPECT_EQ(code(""), "B004");
  EXPECT_EQ(code("webgpu"), "B001");
  EXPECT_EQ(code("./mine.so"), "B013");
}

TEST(Arguments, NullIsRefused) {
  // vyre.h: null handles, null out parameters and null data with a size are VYRE_INVALID_ARGUMENT, out
  // parameters are null then, and freeing null does nothing.
  const auto program = parse(kXor);
  const auto checked = check(program.get());
  const auto backend = open("reference");
  const auto pipeline = compile(kXor);

  const auto refused = [](const auto& call) {
    auto out = Out<std::remove_pointer_t<std::remove_pointer_t<decltype(call.handle)>>>();
    Out<vyre_diagnostics> diagnostics;
    EXPECT_EQ(call.run(&out, &diagnostics), VYRE_INVALID_ARGUMENT);
    EXPECT_EQ(out.get(), nullptr);
    EXPECT_EQ(diagnostics.get(), nullptr);
  };
  const auto making = [&]<typename Handle>(Handle*, auto run) {
    struct Call {
      Handle* handle;
      decltype(run) run;
    };
    refused(Call{nullptr, run});
  };
  vyre_diagnostics** const no_list = nullptr;
  making((vyre_program*)nullptr, [](auto o, auto d) { return vyre_parse(nullptr, 1, o, d); });
  making((vyre_program*)nullptr, [](auto o, auto d) { return vyre_decode(nullptr, 1, o, d); });
  making((vyre_program*)nullptr, [](auto o, auto d) { return vyre_parse("", SIZE_MAX, o, d); });
  making((vyre_blob*)nullptr, [](auto o, auto d) { return vyre_format(nullptr, 1, o, d); });
  making((vyre_checked*)nullptr, [](auto o, auto d) { return vyre_check(nullptr, o, d); });
  making((vyre_backend*)nullptr, [](auto o, auto d) { return vyre_backend_open(nullptr, 1, o, d); });
  making((vyre_pipeline*)nullptr, [&](auto o, auto d) { return vyre_compile(nullptr, checked.get(), o, d); });
  making((vyre_pipeline*)nullptr, [&](auto o, auto d) { return vyre_compile(backend.get(), nullptr, o, d); });
  const auto blob_only = [&](auto run) {
    Out<vyre_blob> out;
    EXPECT_EQ(run(&out), VYRE_INVALID_ARGUMENT);
    EXPECT_EQ(out.get(), nullptr);
  };
  blob_only([](vyre_blob** o) { return vyre_encode(nullptr, o); });
  blob_only([](vyre_blob** o) { return vyre_print(nullptr, o); });
  blob_only([](vyre_blob** o) { return vyre_diagnostics_render(nullptr, "x", 1, o); });

  EXPECT_EQ(vyre_parse(kXor.data(), kXor.size(), nullptr, no_list), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_decode("VYRE", 4, nullptr, no_list), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_format(kXor.data(), kXor.size(), nullptr, no_list), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_encode(program.get(), nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_print(checked.get(), nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_check(program.get(), nullptr, no_list), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_backend_open("native", 6, nullptr, no_list), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_compile(backend.get(), checked.get(), nullptr, no_list), VYRE_INVALID_ARGUMENT);
  std::array<uint8_t, 32> digest = {};
  EXPECT_EQ(vyre_digest(nullptr, digest.data()), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_digest(program.get(), nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_program_get_info(program.get(), nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_program_get_buffer(program.get(), 0, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_backend_get_info(backend.get(), nullptr), VYRE_INVALID_ARGUMENT);
  vyre_program_info program_info = {.struct_size = sizeof program_info};
  EXPECT_EQ(vyre_program_get_info(nullptr, &program_info), VYRE_INVALID_ARGUMENT);
  vyre_buffer_info buffer_info = {.struct_size = sizeof buffer_info};
  EXPECT_EQ(vyre_program_get_buffer(nullptr, 0, &buffer_info), VYRE_INVALID_ARGUMENT);
  vyre_backend_info backend_info = {.struct_size = sizeof backend_info};
  EXPECT_EQ(vyre_backend_get_info(nullptr, &backend_info), VYRE_INVALID_ARGUMENT);
  vyre_diagnostic diagnostic = {.struct_size = sizeof diagnostic};
  EXPECT_EQ(vyre_diagnostics_get(nullptr, 0, &diagnostic), VYRE_INVALID_ARGUMENT);
  vyre_note note = {.struct_size = sizeof note};
  EXPECT_EQ(vyre_diagnostics_note(nullptr, 0, 0, &note), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_diagnostics_count(nullptr), 0u);
  EXPECT_EQ(view(vyre_blob_view(nullptr)), "");

  Out<vyre_diagnostics> diagnostics;
  EXPECT_EQ(vyre_dispatch(nullptr, nullptr, 0, 1, 1, 1, &diagnostics), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(diagnostics.get(), nullptr);
  EXPECT_EQ(vyre_dispatch(pipeline.get(), nullptr, 3, 1, 1, 1, nullptr), VYRE_INVALID_ARGUMENT);
  const vyre_buffer null_data[] = {{nullptr, 4}, {nullptr, 0}, {nullptr, 0}};
  EXPECT_EQ(vyre_dispatch(pipeline.get(), null_data, 3, 1, 1, 1, nullptr), VYRE_INVALID_ARGUMENT);

  vyre_diagnostics_free(nullptr);
  vyre_blob_free(nullptr);
  vyre_program_free(nullptr);
  vyre_checked_free(nullptr);
  vyre_backend_free(nullptr);
  vyre_pipeline_free(nullptr);
}

TEST(Arguments, DiagnosticsAreOptionalAndNullOnSuccess) {
  Out<vyre_program> program;
  EXPECT_EQ(vyre_parse("program", 7, &program, nullptr), VYRE_REFUSED);
  Out<vyre_diagnostics> diagnostics;
  EXPECT_EQ(vyre_parse(kXor.data(), kXor.size(), &program, &diagnostics), VYRE_OK);
  EXPECT_EQ(diagnostics.get(), nullptr);
  program.own();
}

TEST(Arguments, StructsMayGrow) {
  // vyre.h: the library writes no more than the caller has room for, and knows no smaller struct.
  const auto program = parse(kXor);
  struct Later {
    vyre_program_info info;
    uint64_t added = 0x1234;
  } later = {};
  later.info.struct_size = sizeof later;
  ASSERT_EQ(vyre_program_get_info(program.get(), &later.info), VYRE_OK);
  EXPECT_EQ(later.info.bound_count, 3u);
  EXPECT_EQ(later.info.struct_size, sizeof later);
  EXPECT_EQ(later.added, 0x1234u);

  vyre_program_info small = {};
  small.struct_size = sizeof small - 8;
  small.buffer_count = 99;
  EXPECT_EQ(vyre_program_get_info(program.get(), &small), VYRE_INVALID_ARGUMENT);
  small.struct_size = 0;
  EXPECT_EQ(vyre_program_get_info(program.get(), &small), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(small.buffer_count, 99u);
}

TEST(Version, IsThatOfTheHeader) {
  EXPECT_EQ(vyre_api_version(), uint32_t(VYRE_API_VERSION));
  EXPECT_EQ(view(vyre_version()), VYRE_VERSION);
  EXPECT_EQ(view(vyre_status_text(VYRE_OK)), "ok");
  EXPECT_EQ(view(vyre_status_text(VYRE_OUT_OF_MEMORY)), "out of memory");
  EXPECT_GT(vyre_status_text(-7).size, 0u);
}

}  // namespace
