// Files that stay readable for ever: test/wire/v1 holds bytes of version 1 beside the text of their programs,
// and test/wire/v2 bytes of version 2 beside the text of their modules.
#include "corpus.h"
#include "oracle.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

VYRE_ORACLE(Regression,
            "files encoded by this project when each version was frozen, with the text beside each, and the "
            "recorded digest of the names and bytes of each folder");

namespace vyre::wire {
namespace {

// The .vyrb files are frozen: they must never be made anew. When this test fails, the codec is wrong, or a
// new version of the format needs a folder of its own.
template <auto kDecode, auto kParse>
void expect_texts(const std::string& folder, size_t least) {
  const auto paths = files(folder, ".vyrb");
  ASSERT_GE(paths.size(), least);
  for (const auto& path : paths) {
    SCOPED_TRACE(path);
    const Bytes bytes = read_bytes(path);
    const auto decoded = kDecode(bytes);
    ASSERT_TRUE(decoded) << render(decoded.error(), nullptr);
    const auto text = std::filesystem::path(path).replace_extension(".vyre");
    EXPECT_TRUE(ir::equal(*decoded, kParse(read_text(text))));
    EXPECT_EQ(encode(*decoded), bytes);
  }
}
TEST(Frozen, DecodesToTheTextBesideItAndBack) { expect_texts<decode, parse>("test/wire/v1", 14); }
TEST(Frozen, ModulesDecodeToTheTextBesideThemAndBack) {
  expect_texts<decode_module, parse_module>("test/wire/v2", 15);
}

std::string digest_of(const std::string& folder) {
  Hasher hasher;
  for (const auto& path : files(folder, ".vyrb")) {
    hasher.update(path.filename().string());
    hasher.update(read_bytes(path));
  }
  return hasher.finish().hex();
}

TEST(Frozen, IsTheSameAsEver) {
  EXPECT_EQ(digest_of("test/wire/v1"), "bdc3fbea62e84f88f5f50c97eb3547e9d409a8559af97ce304102c6a537d9899");
  EXPECT_EQ(digest_of("test/wire/v2"), "58cfaaf4c5d1867c9fc5b5a0edc38b3f0c994e3cc37b69b5d9dff55c46535542");
}

/// A file with this beginning of 8 bytes, the digest that is its own, and this body.
Bytes file_of(const char* begin, const std::vector<uint8_t>& content) {
  const auto body = std::as_bytes(std::span(content));
  Bytes file(40);
  std::memcpy(file.data(), begin, 8);
  Bytes hashed(file.begin(), file.begin() + 8);
  hashed.insert(hashed.end(), body.begin(), body.end());
  std::memcpy(file.data() + 8, sha256(std::span<const std::byte>(hashed)).bytes.data(), 32);
  file.insert(file.end(), body.begin(), body.end());
  return file;
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
  const Bytes file = file_of("VYRE\1\0\0\0", expected);
  EXPECT_EQ(encode(parse(text)), file);
  const auto program = decode(file);
  ASSERT_TRUE(program) << render(program.error(), nullptr);
  EXPECT_TRUE(ir::equal(*program, parse(text)));
}

TEST(Frozen, AModuleIsWhatTheDocumentSays) {
  VYRE_ORACLE(SpecificationTable, "docs/wire-format.md, \"Modules\", byte by byte");
  const std::string text = R"(
operation my.f@2(x: u32, y: u64) -> u32
  claims Bounded(1, 0x200000000), DistributiveOver(a.b@3)
  denies Odd(a.b) by (7)
  rows (1, 2u64) => 0xffffffff
{
  let z = x;
  return z - my.f@2(x, y);
}
program p(read_write a: u32 @0) workgroup(1, 1, 1) { a[0] = 1; }
pipeline q(read_write a: u32 @0, uniform u: u32 @1) {
  scratch s: f32[u[2]];
  let n = 3;
  dispatch p(a) groups(n, 4);
  run lib.r@5(u, v = [n, 1], w = s);
  run q();
  for i in 0..n {
    repeat i while (a[n]) { }
  }
  if (n) { } else { if (0) { run q(); } }
})";
  const std::vector<uint8_t> expected = {
      1,                                        // operations
      4, 4, 'm', 'y', '.', 'f',                 // strings: "my.f"
      1, 'x', 1, 'y', 1, 'z',                   //   "x", "y", "z"
      2,                                        // version
      2, 1, 0x01, 2, 0x03,                      // parameters: x of u32, y of u64
      0x01,                                     // the result: u32
      2,                                        // claims
      7, 'B', 'o', 'u', 'n', 'd', 'e', 'd', 2,  //   Bounded, two arguments:
      0, 1, 0, 0, 0,                            //     a constant 1
      0, 0, 2, 0, 0,                            //     a constant 2 * 2^32
      16, 'D', 'i', 's', 't', 'r', 'i', 'b', 'u', 't', 'i', 'v', 'e', 'O', 'v', 'e', 'r', 1, 3, 'a', '.', 'b',
      3,                                   //     a.b, version 3
      1,                                   // denials
      3, 'O', 'd', 'd', 1,                 //   Odd, one argument:
      3, 'a', '.', 'b', 1,                 //     a.b, version 1
      1, 0x01, 7,                          //   one value: u32 7
      1,                                   // rows
      2, 0x01, 1, 0x03, 2, 0,              //   two values: u32 1, u64 2
      0x01, 0xff, 0xff, 0xff, 0xff, 0x0f,  //   the result: u32 0xffffffff
      6, 1,                                // expressions, statements
      1, 1, 3, 2, 1,                       // one statement: let z = variable x
      8, 0x02, 2, 3,                       // the result: Sub of variable z
      8, 0x1d, 0, 2, 2, 2, 1, 2, 2,        //   and a call of my.f, version 2, two arguments:
                                           //   x, y
      1,                                   // programs
      2, 1, 'p', 1, 'a',                   // strings
      1, 1, 2, 0x01, 0,                    // one buffer: a, read_write, u32, binding 0
      1, 1, 1, 2, 1,                       // workgroup size, expressions, statements
      1, 3, 1, 0, 1, 0x01, 0, 1, 0x01, 1,  // store a[0] = 1
      1,                                   // pipelines
      10, 1, 'q', 1, 'a', 1, 'u', 1, 's',  // strings
      1, 'n', 1, 'p', 5, 'l', 'i', 'b', '.', 'r', 1, 'v', 1, 'w', 1, 'i', 2, 1, 2, 0x01, 0, 2, 3, 0x01,
      1,                                // buffers: a, read_write, u32, 0;
                                        // u, uniform, u32, 1
      13, 10, 4,                        // expressions, commands, arguments
      7,                                // commands of the body
      1, 3, 0x0b, 3, 2, 0, 1, 0x01, 2,  // scratch s of f32: load u, no further index: u32 2
      2, 4, 1, 0x01, 3,                 // let n = u32 3
      3, 5, 1,                          // dispatch p, one argument:
      1, 0, 1,                          //   a is buffer a
      2, 2, 4, 1, 0x01, 4,              //   on two axes: variable n, u32 4
      4, 6, 5, 3,                       // run lib.r, version 5, three arguments:
      2, 0, 2,                          //   u is buffer u
      7, 1, 1, 2, 4, 1, 0x01, 1,        //   v is a list, one word beyond the first: n, u32 1
      8, 0, 3,                          //   w is buffer s
      4, 0, 0, 0,                       // run q of this file, no arguments
      5, 9, 1, 0x01, 0, 2, 4,           // for i from u32 0 to variable n
      1,                                //   one command
      6, 1, 2, 9, 2, 4,                 //   repeat: look at a, count variable i, index variable n
      0,                                //     no commands
      7, 2, 4, 1,                       // if variable n, with an else
      0,                                //   then: no commands
      1, 7, 1, 0x01, 0, 0,              //   else: one command: if u32 0, without an else
      1, 4, 0, 0, 0,                    //     one command: run q
  };
  const Bytes file = file_of("VYRE\2\0\0\0", expected);
  EXPECT_EQ(encode(parse_module(text)), file);
  const auto module = decode_module(file);
  ASSERT_TRUE(module) << render(module.error(), nullptr);
  EXPECT_TRUE(ir::equal(*module, parse_module(text)));
}

}  // namespace
}  // namespace vyre::wire
