#include "token_mutator.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "spec/intrinsics.h"
#include "spec/ops.h"
#include "spec/types.h"
#include "text/lexer.h"

namespace vyre::fuzz {
namespace {

/// Everything that the ledgers have a text for, and numbers at the edges of their types.
const std::vector<std::string>& words() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = {
#define VYRE_KEYWORD(Name, text, begins) text,
#include "text/keywords.def"
#undef VYRE_KEYWORD
#define VYRE_PUNCTUATION(Name, text) text,
#include "text/punctuation.def"
#undef VYRE_PUNCTUATION
        "0",
        "1",
        "31",
        "65536",
        "0xffffffff",
        "4294967296",
        "2147483648i32",
        "1i32",
        "1u64",
        "1u128",
        "1.5",
        "1e38",
        "1e39",
        "0.1f16",
        "65520.0f16",
        "1.0bf16",
        "0x1.8p3",
        "f32(0x7fc00001)",
        "f16(0x7e01)",
        "1_000",
        "0b101",
        "x",
        "y",
        ".x",
        ".w",
        "tensor<f32, [4, n = u[0]], strides[1, 2]>",
        "// comment\n",
        "let x = 1;",
        "freduce_strict(fadd, x)",
        "freduce_tree_binary(fmax, x, 0, 3)",
        "if (x) { } else { }",
        "for i in 0..4 { }",
        "graph",
        "strict",
        "tree",
        "step",
        "graph g(x: f32[n, 4]) -> (y: f32[n]) { y = reshape(slice(x, [0..n, 1..2]), [n]); }",
        "reduce(fadd, tree, x, 0)",
        "reduce(add, x, 0)",
        "recur(my.op, x, x, 0)",
        "matmul(x, y, f32, 64)",
        "pad(x, [1..1, 0..2], 0.0)",
        "let (x, y) = g(x);"};
    for (const ir::TensorOpInfo& op : ir::kTensorOps) out.emplace_back(op.text);
    for (const spec::TypeInfo& type : spec::kTypes) out.emplace_back(type.text);
    for (const spec::OpInfo& op : spec::kOps) out.emplace_back(op.mnemonic);
    for (const spec::IntrinsicInfo& intrinsic : spec::kIntrinsics) out.emplace_back(intrinsic.id);
    for (size_t mode = 1; mode < spec::kRoundingModeCount; ++mode)
      out.emplace_back(spec::text(static_cast<spec::RoundingMode>(mode)));
    return out;
  }();
  return all;
}

/// The text in pieces: each is a token and what stands before it. What the lexer refuses is one piece.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> out;
  text::Lexer lexer(text);
  size_t begin = 0;
  for (text::Token token = lexer.next();
       token.kind != text::TokenKind::End && token.kind != text::TokenKind::Invalid; token = lexer.next()) {
    out.emplace_back(text.substr(begin, token.end - begin));
    begin = token.end;
  }
  if (begin < text.size() || out.empty()) out.emplace_back(text.substr(begin));
  return out;
}

}  // namespace

std::string mutate_tokens(std::string_view text, RandomStream& random) {
  std::vector<std::string> pieces = pieces_of(text);
  const auto any = [&](size_t count) { return random.below(uint32_t(count)); };
  const auto insert = [&](std::string piece) {
    pieces.insert(pieces.begin() + ptrdiff_t(any(pieces.size() + 1)), std::move(piece));
  };
  for (uint32_t changes = 1 + random.below(4); changes != 0; --changes) {
    if (pieces.empty()) pieces.emplace_back();
    const uint32_t at = any(pieces.size());
    switch (random.below(6)) {
      case 0: std::swap(pieces[at], pieces[any(pieces.size())]); break;
      case 1: insert(pieces[at]); break;
      case 2: pieces.erase(pieces.begin() + ptrdiff_t(at)); break;
      case 3: pieces[at] = " " + words()[any(words().size())]; break;
      case 4: insert(" " + words()[any(words().size())]); break;
      case 5: {  // a run of tokens once more, elsewhere
        const size_t end = std::min<size_t>(pieces.size(), at + 1 + random.below(12));
        std::string run;
        for (size_t i = at; i < end; ++i) run += pieces[i];
        insert(std::move(run));
        break;
      }
    }
  }
  std::string out;
  for (const std::string& piece : pieces) out += piece;
  return out;
}

}  // namespace vyre::fuzz
