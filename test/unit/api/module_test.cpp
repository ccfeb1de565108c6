// Modules in the C API: what a file declares, and its pipelines over memory of the device and of the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "oracle.h"
#include "vyre/vyre.h"

VYRE_ORACLE(SpecificationTable,
            "vyre.h, diag.def, docs/commands.md, ir-types and the texts themselves; values by hand");

namespace {

using testing::ElementsAre;

struct Free {
  void operator()(vyre_diagnostics* p) const { vyre_diagnostics_free(p); }
  void operator()(vyre_blob* p) const { vyre_blob_free(p); }
  void operator()(vyre_module* p) const { vyre_module_free(p); }
  void operator()(vyre_program* p) const { vyre_program_free(p); }
  void operator()(vyre_checked* p) const { vyre_checked_free(p); }
  void operator()(vyre_checked_module* p) const { vyre_checked_module_free(p); }
  void operator()(vyre_backend* p) const { vyre_backend_free(p); }
  void operator()(vyre_pipeline* p) const { vyre_pipeline_free(p); }
  void operator()(vyre_executable* p) const { vyre_executable_free(p); }
  void operator()(vyre_device_buffer* p) const { vyre_device_buffer_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

/// What a call makes, which must give `status`; null for another status than VYRE_OK.
template <typename T, typename Call>
Owned<T> made(Call call, vyre_status status = VYRE_OK) {
  T* raw = reinterpret_cast<T*>(uintptr_t{1});
  EXPECT_EQ(call(&raw), status);
  if (status != VYRE_OK) {
    EXPECT_EQ(raw, nullptr);
  }
  return Owned<T>(raw);
}

std::string_view view(vyre_string text) { return {text.data, text.size}; }

/// The code and the line of the only diagnostic of a call that is refused.
template <typename Call>
std::pair<std::string, uint32_t> refusal(Call call) {
  vyre_diagnostics* raw = nullptr;
  EXPECT_EQ(call(&raw), VYRE_REFUSED);
  const Owned<vyre_diagnostics> list(raw);
  EXPECT_EQ(vyre_diagnostics_count(list.get()), 1u);
  vyre_diagnostic d = {};
  d.struct_size = sizeof d;
  EXPECT_EQ(vyre_diagnostics_get(list.get(), 0, &d), VYRE_OK);
  return {std::string(view(d.code)), d.place.line};
}

// Doubles `data` until its first element is `size[0]` or more, `most` times at most, and counts the times.
constexpr std::string_view kText =
    "const ADDEND = 1 in {1, 2};\n"
    "operation my.twice(a: u32) -> u32 {\n"
    "  return a * 2;\n"
    "}\n"
    "program grow(uniform size: u32 @0, read_write data: u32 @1, read_write go: u32 @2, workgroup w: u32[4])"
    " workgroup(4, 1, 1) {\n"
    "  let i = invocation_id.x;\n"
    "  data[i] = my.twice(data[i]);\n"
    "  if (i == 0) {\n"
    "    go[0] = data[0] < size[0];\n"
    "    go[1] = go[1] + ADDEND;\n"
    "  }\n"
    "}\n"
    "pipeline grow_all(uniform most: u32 @0, read_write data: u32 @1, read_write turns: u32 @2) {\n"
    "  repeat most[0] while (turns[0]) {\n"
    "    dispatch grow(size = [most[1]], data, go = turns) groups(ceil_div(len(data), 4));\n"
    "  }\n"
    "}\n";

Owned<vyre_module> parse(std::string_view text, const vyre_constant* constants = nullptr, size_t count = 0,
                         vyre_status status = VYRE_OK) {
  return made<vyre_module>(
      [&](vyre_module** out) {
        return vyre_module_parse(text.data(), text.size(), constants, count, out, nullptr);
      },
      status);
}
Owned<vyre_checked_module> check(const vyre_module* module) {
  return made<vyre_checked_module>(
      [&](vyre_checked_module** out) { return vyre_module_check(module, out, nullptr); });
}
Owned<vyre_backend> open(std::string_view name = "reference") {
  return made<vyre_backend>(
      [&](vyre_backend** out) { return vyre_backend_open(name.data(), name.size(), out, nullptr); });
}
Owned<vyre_executable> compile(vyre_backend* backend, std::string_view text = kText,
                               const vyre_constant* constants = nullptr, size_t count = 0) {
  const auto module = parse(text, constants, count);
  const auto checked = check(module.get());
  size_t item = 99;
  EXPECT_EQ(vyre_module_find_entry(checked.get(), nullptr, 0, &item), VYRE_OK);
  return made<vyre_executable>(
      [&](vyre_executable** out) { return vyre_module_compile(backend, checked.get(), item, out, nullptr); });
}
Owned<vyre_device_buffer> device(vyre_backend* backend, uint64_t size) {
  return made<vyre_device_buffer>(
      [&](vyre_device_buffer** out) { return vyre_device_buffer_allocate(backend, size, out, nullptr); });
}

TEST(Module, SaysWhatItDeclares) {
  const auto module = parse(kText);
  ASSERT_EQ(vyre_module_item_count(module.get()), 3u);
  const auto item = [&](size_t index) {
    vyre_item_info info = {};
    info.struct_size = sizeof info;
    EXPECT_EQ(vyre_module_get_item(module.get(), index, &info), VYRE_OK);
    return std::tuple(info.kind, std::string(view(info.name)), info.version, info.buffer_count,
                      info.bound_count);
  };
  EXPECT_EQ(item(0), std::tuple(VYRE_ITEM_OPERATION, "my.twice", 1u, 0u, 0u));
  EXPECT_EQ(item(1), std::tuple(VYRE_ITEM_PROGRAM, "grow", 0u, 4u, 3u));
  EXPECT_EQ(item(2), std::tuple(VYRE_ITEM_PIPELINE, "grow_all", 0u, 3u, 3u));
  const auto buffer = [&](size_t of, size_t index) {
    vyre_buffer_info info = {};
    info.struct_size = sizeof info;
    EXPECT_EQ(vyre_module_get_buffer(module.get(), of, index, &info), VYRE_OK);
    return std::tuple(std::string(view(info.name)), info.access, info.binding, info.bound_index);
  };
  EXPECT_EQ(buffer(1, 3), std::tuple("w", VYRE_ACCESS_WORKGROUP, 0u, VYRE_NOT_BOUND));
  EXPECT_EQ(buffer(2, 0), std::tuple("most", VYRE_ACCESS_UNIFORM, 0u, 0u));
  EXPECT_EQ(buffer(2, 2), std::tuple("turns", VYRE_ACCESS_READ_WRITE, 2u, 2u));
}

TEST(Module, ConstantsAreChosen) {
  // ADDEND is 1 in the text and may be 1 or 2 (V045 to V061: diag.def).
  const auto value = [](const vyre_module* module) {
    vyre_constant_info info = {};
    info.struct_size = sizeof info;
    EXPECT_EQ(vyre_module_constant_count(module), 1u);
    EXPECT_EQ(vyre_module_get_constant(module, 0, &info), VYRE_OK);
    EXPECT_EQ(view(info.name), "ADDEND");
    return std::pair(info.value, info.written);
  };
  EXPECT_EQ(value(parse(kText).get()), std::pair(1u, 1u));
  const vyre_constant two = {"ADDEND", 6, 2}, twice[] = {two, two}, three = {"ADDEND", 6, 3},
                      other = {"OTHER", 5, 2};
  EXPECT_EQ(value(parse(kText, &two, 1).get()), std::pair(2u, 1u));
  parse(kText, &other, 1, VYRE_INVALID_ARGUMENT);
  parse(kText, twice, 2, VYRE_INVALID_ARGUMENT);
  const auto wrong = parse(kText, &three, 1);
  vyre_checked_module* none = nullptr;
  const auto [code, line] =
      refusal([&](vyre_diagnostics** out) { return vyre_module_check(wrong.get(), &none, out); });
  EXPECT_EQ(code.front(), 'V');
  EXPECT_EQ(line, 1u);
}

TEST(Module, WhatIsWrongIsSaidWithItsPlace) {
  vyre_module* none = nullptr;
  const std::string_view text = "pipeline p() {\n  dispatch q() groups();\n}\n";
  EXPECT_EQ(refusal([&](vyre_diagnostics** out) {
              return vyre_module_parse(text.data(), text.size(), nullptr, 0, &none, out);
            }).second,
            2u);
  const auto module = parse("pipeline p() {\n\n  dispatch q() groups(1);\n}\n");
  vyre_checked_module* checked = nullptr;
  const auto [code, line] =
      refusal([&](vyre_diagnostics** out) { return vyre_module_check(module.get(), &checked, out); });
  EXPECT_EQ(code, "V053");
  EXPECT_EQ(line, 3u);
  EXPECT_EQ(
      refusal([&](vyre_diagnostics** out) { return vyre_module_decode("x", 1, &none, out); }).first.front(),
      'W');
}

TEST(Module, OneProgramIsTheProgramOnTheWire) {
  VYRE_ORACLE(Property, "vyre_encode and vyre_digest of the same text as a program");
  const std::string_view text = "program p(read_write out: u32 @0) workgroup(1, 1, 1) {\n  out[0] = 7;\n}\n";
  const auto program = made<vyre_program>(
      [&](vyre_program** out) { return vyre_parse(text.data(), text.size(), out, nullptr); });
  const auto plain = made<vyre_blob>([&](vyre_blob** out) { return vyre_encode(program.get(), out); });
  const auto module = parse(text);
  const auto wire = made<vyre_blob>([&](vyre_blob** out) { return vyre_module_encode(module.get(), out); });
  EXPECT_EQ(view(vyre_blob_view(wire.get())), view(vyre_blob_view(plain.get())));
  std::array<uint8_t, 32> a = {}, b = {1};
  ASSERT_EQ(vyre_digest(program.get(), a.data()), VYRE_OK);
  ASSERT_EQ(vyre_module_digest(module.get(), b.data()), VYRE_OK);
  EXPECT_EQ(a, b);
  const vyre_string bytes = vyre_blob_view(wire.get());
  const auto decoded = made<vyre_module>(
      [&](vyre_module** out) { return vyre_module_decode(bytes.data, bytes.size, out, nullptr); });
  const auto printed =
      made<vyre_blob>([&](vyre_blob** out) { return vyre_module_print(check(decoded.get()).get(), out); });
  EXPECT_EQ(view(vyre_blob_view(printed.get())), text);
}

TEST(Module, TheEntryIsFoundByTheRule) {
  const auto found = [](std::string_view text, std::string_view name) -> size_t {
    size_t item = 99;
    const auto checked = check(parse(text).get());
    const vyre_status status = vyre_module_find_entry(checked.get(), name.data(), name.size(), &item);
    EXPECT_EQ(status, item == 99 ? VYRE_INVALID_ARGUMENT : VYRE_OK);
    return item;
  };
  EXPECT_EQ(found(kText, ""), 2u);
  EXPECT_EQ(found(kText, "grow"), 1u);
  EXPECT_EQ(found(kText, "my.twice"), 99u);
  EXPECT_EQ(found("pipeline a() { }\npipeline main() { }\n", ""), 1u);
  EXPECT_EQ(found("pipeline a() { }\npipeline b() { }\n", ""), 99u);
}

TEST(Executable, RunsOverMemoryOfTheHost) {
  // 3, 5 doubled until the first is 20 or more: 24, 40 after 3 turns.
  for (const uint32_t addend : {1u, 2u}) {
    const auto backend = open();
    const vyre_constant chosen = {"ADDEND", 6, addend};
    const auto executable = compile(backend.get(), kText, &chosen, 1);
    uint32_t most[] = {100, 20}, data[] = {3, 5}, turns[2] = {};
    const vyre_buffer buffers[] = {{most, sizeof most}, {data, sizeof data}, {turns, sizeof turns}};
    ASSERT_EQ(vyre_executable_run_host(executable.get(), buffers, 3, nullptr), VYRE_OK);
    EXPECT_THAT(data, ElementsAre(24, 40));
    EXPECT_THAT(turns, ElementsAre(0, 3 * addend));
    EXPECT_EQ(most[1], 20u);
  }
}

TEST(Engine, SaysWhatItDid) {
  // As above: 3, 5 doubled until the first is 20 or more, in 3 turns; then in at most 2, so it does not end.
  const auto backend = open();
  const auto executable = compile(backend.get());
  for (const uint32_t at_most : {100u, 2u}) {
    uint32_t most[] = {at_most, 20}, data[] = {3, 5}, turns[2] = {};
    const vyre_buffer buffers[] = {{most, sizeof most}, {data, sizeof data}, {turns, sizeof turns}};
    vyre_run_counts counts = {};
    counts.struct_size = sizeof counts;
    ASSERT_EQ(vyre_dispatch_engine(executable.get(), buffers, 3, &counts, nullptr), VYRE_OK);
    EXPECT_EQ(data[0], at_most == 2 ? 12u : 24u);
    EXPECT_EQ(counts.turns, at_most == 2 ? 2u : 3u);
    EXPECT_EQ(counts.dispatches, counts.turns);
    EXPECT_EQ(counts.scratch_bytes, 0u);
    EXPECT_EQ(counts.unfinished, at_most == 2 ? 1u : 0u);
    // Nothing runs where there is no room for the counts, and none are needed.
    counts.struct_size = sizeof counts - 1;
    EXPECT_EQ(vyre_dispatch_engine(executable.get(), buffers, 3, &counts, nullptr), VYRE_INVALID_ARGUMENT);
    EXPECT_EQ(data[0], at_most == 2 ? 12u : 24u);
    EXPECT_EQ(vyre_dispatch_engine(executable.get(), buffers, 3, nullptr, nullptr), VYRE_OK);
    EXPECT_EQ(data[0], at_most == 2 ? 24u : 48u);  // in one turn more
  }
  EXPECT_EQ(vyre_dispatch_engine(nullptr, nullptr, 0, nullptr, nullptr), VYRE_INVALID_ARGUMENT);
}

TEST(Library, AnOperationIsAModule) {
  ASSERT_GT(vyre_library_count(), 0u);
  std::string before;
  bool listed = false;
  for (size_t i = 0; i < vyre_library_count(); ++i) {
    const std::string id(view(vyre_library_get_id(i)));
    EXPECT_LT(before, id);
    before = id;
    listed |= id == "hash.crc32";
  }
  EXPECT_TRUE(listed);
  EXPECT_EQ(vyre_library_get_id(vyre_library_count()).size, 0u);

  const std::string_view id = "hash.crc32";
  const auto module =
      made<vyre_module>([&](vyre_module** out) { return vyre_module_of_library(id.data(), id.size(), out); });
  made<vyre_module>([&](vyre_module** out) { return vyre_module_of_library(id.data(), id.size() - 1, out); },
                    VYRE_INVALID_ARGUMENT);
  made<vyre_module>([&](vyre_module** out) { return vyre_module_of_library(nullptr, 3, out); },
                    VYRE_INVALID_ARGUMENT);
  const auto checked = made<vyre_checked_module>(
      [&](vyre_checked_module** out) { return vyre_module_check(module.get(), out, nullptr); });
  size_t item = 0;
  ASSERT_EQ(vyre_module_find_entry(checked.get(), nullptr, 0, &item), VYRE_OK);
  const auto backend = open();
  const auto executable = made<vyre_executable>([&](vyre_executable** out) {
    return vyre_module_compile(backend.get(), checked.get(), item, out, nullptr);
  });
  // The check value of CRC-32/ISO-HDLC.
  std::array<char, 12> data = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  std::array<uint32_t, 2> offsets = {0, 9};
  std::array<uint32_t, 1> digests = {};
  const std::array<vyre_buffer, 3> buffers = {
      {{data.data(), data.size()}, {offsets.data(), sizeof offsets}, {digests.data(), sizeof digests}}};
  ASSERT_EQ(vyre_executable_run_host(executable.get(), buffers.data(), buffers.size(), nullptr), VYRE_OK);
  EXPECT_EQ(digests[0], 0xcbf43926);
}

TEST(Executable, RunsOverMemoryThatStaysOnTheDevice) {
  // 3, 5 doubled twice a run, and its words of the uniform buffer.
  const auto backend = open();
  const auto executable = compile(backend.get());
  auto most = device(backend.get(), 8), data = device(backend.get(), 264), turns = device(backend.get(), 8);
  const uint32_t two_turns[] = {2, 1000}, numbers[] = {3, 5}, zeros[] = {0, 0};
  ASSERT_EQ(vyre_device_buffer_write(most.get(), 0, two_turns, 8, nullptr), VYRE_OK);
  ASSERT_EQ(vyre_device_buffer_write(data.get(), 256, numbers, 8, nullptr), VYRE_OK);
  ASSERT_EQ(vyre_device_buffer_write(turns.get(), 0, zeros, 8, nullptr), VYRE_OK);
  const vyre_range ranges[] = {{most.get(), 0, 8}, {data.get(), 256, 8}, {turns.get(), 0, 8}};
  uint32_t out[2] = {};
  const auto run = [&] {
    EXPECT_EQ(vyre_executable_run(executable.get(), ranges, 3, nullptr), VYRE_OK);
    EXPECT_EQ(vyre_device_buffer_read(data.get(), 256, out, 8, nullptr), VYRE_OK);
  };
  run();
  EXPECT_THAT(out, ElementsAre(12, 20));
  run();  // the same run again
  EXPECT_THAT(out, ElementsAre(48, 80));
  const uint32_t one_turn[] = {1, 1000};
  ASSERT_EQ(vyre_device_buffer_write(most.get(), 0, one_turn, 8, nullptr), VYRE_OK);
  run();
  EXPECT_THAT(out, ElementsAre(96, 160));
  ASSERT_EQ(vyre_device_buffer_read(turns.get(), 4, out, 4, nullptr), VYRE_OK);
  EXPECT_EQ(out[0], 5u);  // turns in all
  most.reset();           // in any order
  data.reset();
}

TEST(Executable, RefusesWhatDoesNotFit) {
  const auto backend = open(), another = open();
  const auto executable = compile(backend.get());
  uint32_t words[4] = {};
  const auto host = [&](const vyre_buffer& most, const vyre_buffer& data, size_t count = 3) {
    const vyre_buffer buffers[] = {most, data, {words + 2, 8}};
    return refusal([&](vyre_diagnostics** out) {
             return vyre_executable_run_host(executable.get(), buffers, count, out);
           })
        .first;
  };
  uint32_t most[2] = {1, 1};
  EXPECT_EQ(host({most, 8}, {words, 6}), "X002");
  EXPECT_EQ(host({most, 8}, {words, 12}), "X003");
  EXPECT_EQ(host({most, 8}, {words, 8}, 2), "X009");
  const auto a = device(backend.get(), 512), b = device(backend.get(), 8), foreign = device(another.get(), 8);
  const uint32_t zeros[] = {0, 0};
  ASSERT_EQ(vyre_device_buffer_write(b.get(), 0, zeros, 8, nullptr), VYRE_OK);
  const auto on_device = [&](const vyre_range& data, const vyre_range& turns) {
    const vyre_range ranges[] = {{b.get(), 0, 8}, data, turns};
    return refusal(
               [&](vyre_diagnostics** out) { return vyre_executable_run(executable.get(), ranges, 3, out); })
        .first;
  };
  EXPECT_EQ(on_device({a.get(), 0, 260}, {a.get(), 256, 8}), "X003");
  EXPECT_EQ(on_device({a.get(), 0, 8}, {a.get(), 4, 8}), "B012");
  EXPECT_EQ(on_device({a.get(), 0, 8}, {a.get(), 256, 260}), "B012");
  const vyre_range of_another[] = {{b.get(), 0, 8}, {a.get(), 0, 8}, {foreign.get(), 0, 8}};
  EXPECT_EQ(vyre_executable_run(executable.get(), of_another, 3, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(refusal([&](vyre_diagnostics** out) {
              return vyre_device_buffer_write(b.get(), 4, zeros, 8, out);
            }).first,
            "B012");
}

TEST(Executable, ProgramsOfAModuleAreDispatchedAsEver) {
  const auto backend = open();
  const auto checked = check(parse(kText).get());
  const auto none = made<vyre_executable>(
      [&](vyre_executable** out) {
        return vyre_module_compile(backend.get(), checked.get(), 1, out, nullptr);
      },
      VYRE_INVALID_ARGUMENT);
  made<vyre_checked>([&](vyre_checked** out) { return vyre_module_program(checked.get(), 2, out); },
                     VYRE_INVALID_ARGUMENT);
  const auto program =
      made<vyre_checked>([&](vyre_checked** out) { return vyre_module_program(checked.get(), 1, out); });
  const auto pipeline = made<vyre_pipeline>(
      [&](vyre_pipeline** out) { return vyre_compile(backend.get(), program.get(), out, nullptr); });
  uint32_t size[] = {1}, data[] = {3, 5}, go[2] = {};
  const vyre_buffer buffers[] = {{size, 4}, {data, 8}, {go, 8}};
  ASSERT_EQ(vyre_dispatch(pipeline.get(), buffers, 3, 1, 1, 1, nullptr), VYRE_OK);
  EXPECT_THAT(data, ElementsAre(6, 10));
}

TEST(Module, NullIsRefused) {
  vyre_module* module = nullptr;
  vyre_item_info item = {};
  vyre_constant_info constant = {};
  uint8_t digest[32];
  size_t entry = 0;
  EXPECT_EQ(vyre_module_parse("", 0, nullptr, 0, nullptr, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_module_parse("", 0, nullptr, 1, &module, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_module_parse(nullptr, 1, nullptr, 0, &module, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_module_item_count(nullptr), 0u);
  EXPECT_EQ(vyre_module_constant_count(nullptr), 0u);
  EXPECT_EQ(vyre_module_get_item(nullptr, 0, &item), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_module_get_constant(nullptr, 0, &constant), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_module_digest(nullptr, digest), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_module_find_entry(nullptr, nullptr, 0, &entry), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_executable_run(nullptr, nullptr, 0, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_executable_run_host(nullptr, nullptr, 0, nullptr), VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_device_buffer_read(nullptr, 0, nullptr, 0, nullptr), VYRE_INVALID_ARGUMENT);
  made<vyre_blob>([](vyre_blob** out) { return vyre_module_encode(nullptr, out); }, VYRE_INVALID_ARGUMENT);
  made<vyre_blob>([](vyre_blob** out) { return vyre_module_print(nullptr, out); }, VYRE_INVALID_ARGUMENT);
  made<vyre_checked_module>(
      [](vyre_checked_module** out) { return vyre_module_check(nullptr, out, nullptr); },
      VYRE_INVALID_ARGUMENT);
  made<vyre_device_buffer>(
      [](vyre_device_buffer** out) { return vyre_device_buffer_allocate(nullptr, 4, out, nullptr); },
      VYRE_INVALID_ARGUMENT);
  vyre_module_free(nullptr);
  vyre_checked_module_free(nullptr);
  vyre_executable_free(nullptr);
  vyre_device_buffer_free(nullptr);
}

// covers: CC-05
TEST(Convention, IsNegotiatedWhenAPipelineIsMade) {
  // ir-types, "Convention": V2 is V1 and a read buffer at a binding; B006, B007.
  const auto backend = open();
  vyre_backend_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(vyre_backend_get_info(backend.get(), &info), VYRE_OK);
  EXPECT_EQ(info.convention, 2u);
  const auto checked =
      check(parse("program p(read t: u32 @3, read_write out: u32 @0) workgroup(1, 1, 1) { }").get());
  const auto program =
      made<vyre_checked>([&](vyre_checked** out) { return vyre_module_program(checked.get(), 0, out); });
  const auto compile_for = [&](uint32_t version, uint32_t binding) -> std::string {
    vyre_convention convention = {sizeof(vyre_convention), version, binding};
    vyre_pipeline* pipeline = nullptr;
    vyre_diagnostics* wrong = nullptr;
    const vyre_status status =
        vyre_compile_convention(backend.get(), program.get(), &convention, &pipeline, &wrong);
    EXPECT_EQ(status == VYRE_OK, pipeline != nullptr);
    vyre_pipeline_free(pipeline);
    if (status == VYRE_OK) return "";
    return refusal([&](vyre_diagnostics** out) {
             *out = wrong;
             return status;
           })
        .first;
  };
  EXPECT_EQ(compile_for(1, 0), "");
  EXPECT_EQ(compile_for(2, 3), "");
  EXPECT_EQ(compile_for(2, 0), "B007");
  EXPECT_EQ(compile_for(2, 1), "B007");
  EXPECT_EQ(compile_for(3, 3), "B006");
  EXPECT_EQ(compile_for(0, 3), "B006");
  vyre_pipeline* pipeline = nullptr;
  const vyre_convention unsized = {0, 1, 0};
  EXPECT_EQ(vyre_compile_convention(backend.get(), program.get(), &unsized, &pipeline, nullptr),
            VYRE_INVALID_ARGUMENT);
  EXPECT_EQ(vyre_compile_convention(backend.get(), program.get(), nullptr, &pipeline, nullptr),
            VYRE_INVALID_ARGUMENT);
}

}  // namespace
