// Files that stay readable for ever: test/wire/v1 holds bytes of version 1 beside the text of their programs.
#include "corpus.h"
#include "oracle.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace vyre::wire {
namespace {

// The .vyrb files are frozen: they must never be made anew. When this test fails, the codec is wrong, or a
// new version of the format needs a folder of its own.
TEST(Frozen, DecodesToTheTextBesideItAndBack) {
  VYRE_ORACLE(Regression,
              "test/wire/v1: encoded by this project when the format was frozen, and the text beside each");
  const auto paths = files("test/wire/v1", ".vyrb");
  ASSERT_GE(paths.size(), 13u);
  for (const auto& path : paths) {
    SCOPED_TRACE(path);
    const Bytes bytes = read_bytes(path);
    const auto program = decode(bytes);
    ASSERT_TRUE(program) << render(program.error(), nullptr);
    const auto text = std::filesystem::path(path).replace_extension(".vyre");
    EXPECT_TRUE(ir::equal(*program, parse(read_text(text))));
    EXPECT_EQ(encode(*program), bytes);
  }
}

TEST(Frozen, IsTheSameAsEver) {
  VYRE_ORACLE(Regression,
              "the digest of the names and bytes of test/wire/v1, recorded when the format was frozen");
  Hasher hasher;
  for (const auto& path : files("test/wire/v1", ".vyrb")) {
    hasher.update(path.filename().string());
    hasher.update(read_bytes(path));
  }
  EXPECT_EQ(hasher.finish().hex(), "d990805ad712321d86a2fdfa6dd1b8693cd2061d70943e89a8ebd416d1b8c907");
}

TEST(Frozen, IsWhatTheDocumentSays) {
  VYRE_ORACLE(SpecificationTable, "docs/wire-format.md, byte by byte");
  const std::string text = R"(
program f(read_write out: i32 @200, workgroup w: u32[3]) workgroup(4, 5, 6) {
  let a = 300;
  out[a] = -2i32;
  if (true) { barrier; } else { w[a] = other.op@2(cast<u32>(w[1])); }
  for i in 0..atomic_add(out[a], 1) { return; }
})";
  const std::vector<uint8_t> expected = {
      6,  // strings: count, then length and bytes
      1,  'f',  3,    'o',  'u',  't',  1,    'w', 1, 'a', 8, 'o', 't', 'h', 'e', 'r', '.', 'o', 'p', 1, 'i',
      2,                                          // buffers
      1,  2,    0x02, 0xc8, 0x01,                 // out: read_write, i32, binding 200
      2,  4,    0x01, 3,                          // w: workgroup, u32, 3 elements
      4,  5,    6,                                // workgroup size
      13, 7,                                      // expressions, statements
      4,                                          // the body's statements
      1,  3,    1,    0x01, 0xac, 0x02,           // let a = literal u32 300
      3,  1,    0,    2,    3,                    // store out, no further index: variable a,
      1,  0x02, 0xfe, 0xff, 0xff, 0xff, 0x0f,     //   literal i32 0xfffffffe
      4,  1,    0x07, 1,    1,                    // if literal bool 1, with an else
      1,  8,                                      //   one statement: barrier
      1,  3,    2,    0,    2,    3,              //   one statement: store w, no further index: variable a,
      8,  0x1d, 4,    2,    1,                    //     call other.op, version 2, one argument:
      8,  0x1b, 0x01, 0,                          //     cast to u32, no rounding mode
      3,  2,    0,    1,    0x01, 1,              //     load w, no further index: literal u32 1
      5,  5,    1,    0x01, 0,                    // loop i from literal u32 0
      8,  0x1e, 1,    2,    3,    1,    0x01, 1,  //   to atomic_add out: variable a, literal u32 1
      1,  6,                                      //   one statement: return
  };
  const auto body = std::as_bytes(std::span(expected));
  Bytes file(40);
  std::memcpy(file.data(), "VYRE\1\0\0\0", 8);
  Bytes hashed(file.begin(), file.begin() + 8);
  hashed.insert(hashed.end(), body.begin(), body.end());
  std::memcpy(file.data() + 8, sha256(std::span<const std::byte>(hashed)).bytes.data(), 32);
  file.insert(file.end(), body.begin(), body.end());

  EXPECT_EQ(encode(parse(text)), file);
  const auto program = decode(file);
  ASSERT_TRUE(program) << render(program.error(), nullptr);
  EXPECT_TRUE(ir::equal(*program, parse(text)));
}

}  // namespace
}  // namespace vyre::wire
