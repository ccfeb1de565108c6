// The programs of examples/*.vyre, built with ir::ProgramBuilder. Each is equal to the one that its text
// gives: the same statements, names and types in the same order. Read the two side by side to see how the
// builder says what the text says.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>
#include <vyre/vyre.hpp>

namespace examples {

using vyre::ir::BufferRef;
using vyre::ir::Ex;
using vyre::ir::Program;
using vyre::ir::ProgramBuilder;
using vyre::spec::DataType;
using vyre::spec::Op;

inline constexpr DataType kU32 = DataType::U32;

inline Program xor_program() {
  ProgramBuilder p("xor");
  const auto a = p.read("a", kU32, 0), b = p.read("b", kU32, 1);
  const auto out = p.read_write("out", kU32, 2);
  p.workgroup_size(64, 1, 1);
  const Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(out), [&] { p.store(out, i, p.load(a, i) ^ p.load(b, i)); });
  return p.finish();
}

inline Program block_sum() {
  ProgramBuilder p("block_sum");
  const auto input = p.read("input", kU32, 0), sums = p.read_write("sums", kU32, 1);
  const auto scratch = p.workgroup("scratch", kU32, 256);
  p.workgroup_size(256, 1, 1);
  const Ex local = p.let("local", p.local_id(0));
  p.store(scratch, local, p.load(input, p.invocation_id(0)));  // out of bounds reads give zero
  p.barrier();
  p.loop("step", p.u32(0), p.u32(8), [&](Ex step) {
    const Ex stride = p.let("stride", 128 >> step);
    p.if_(local < stride,
          [&] { p.store(scratch, local, p.load(scratch, local) + p.load(scratch, local + stride)); });
    p.barrier();
  });
  p.if_(local == 0, [&] { p.store(sums, p.workgroup_id(0), p.load(scratch, p.u32(0))); });
  return p.finish();
}

/// Byte `i` of a buffer of words.
inline Ex byte_of(ProgramBuilder& p, BufferRef data, Ex i) {
  return (p.load(data, i >> 2) >> ((i & 3) * 8)) & 0xff;
}

inline Program crc32() {
  ProgramBuilder p("crc32");
  const auto data = p.read("data", DataType::Bytes, 0), params = p.uniform("params", kU32, 1);
  const auto crc = p.read_write("crc", kU32, 2);
  const Ex state = p.let("state", p.u32(0xffffffff));
  p.loop("i", p.u32(0), p.load(params, p.u32(0)), [&](Ex i) {
    const Ex byte = p.let("byte", byte_of(p, data, i));
    p.assign(state, state ^ byte);
    p.loop("bit", p.u32(0), p.u32(8), [&](Ex) {
      const Ex odd = p.let("odd", state & 1);
      p.assign(state, (state >> 1) ^ p.select(odd, p.u32(0xedb88320), p.u32(0)));
    });
  });
  p.store(crc, p.u32(0), ~state);
  return p.finish();
}

inline Program fnv1a() {
  ProgramBuilder p("fnv1a");
  const auto data = p.read("data", DataType::Bytes, 0), params = p.uniform("params", kU32, 1);
  const auto hash = p.read_write("hash", kU32, 2);
  const Ex state = p.let("state", p.u32(0x811c9dc5));
  p.loop("i", p.u32(0), p.load(params, p.u32(0)), [&](Ex i) {
    const Ex byte = p.let("byte", byte_of(p, data, i));
    p.assign(state, (state ^ byte) * 0x01000193);
  });
  p.store(hash, p.u32(0), state);
  return p.finish();
}

inline Program histogram() {
  ProgramBuilder p("histogram");
  const auto data = p.read("data", DataType::Bytes, 0), params = p.uniform("params", kU32, 1);
  const auto bins = p.read_write("bins", kU32, 2);
  p.workgroup_size(64, 1, 1);
  const Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.load(params, p.u32(0)), [&] {
    const Ex byte = p.let("byte", byte_of(p, data, i));
    p.let("old", p.atomic(Op::AtomicAdd, bins, byte, p.u32(1)));
  });
  return p.finish();
}

inline Program life() {
  ProgramBuilder p("life");
  const auto cells = p.read("cells", kU32, 0), next = p.read_write("next", kU32, 1);
  const auto params = p.uniform("params", kU32, 2);
  p.workgroup_size(8, 8, 1);
  const Ex width = p.let("width", p.load(params, p.u32(0)));
  const Ex height = p.let("height", p.load(params, p.u32(1)));
  const Ex x = p.let("x", p.invocation_id(0));
  const Ex y = p.let("y", p.invocation_id(1));
  p.if_(x < width && y < height, [&] {
    const Ex left = p.let("left", (x + width - 1) % width);
    const Ex right = p.let("right", (x + 1) % width);
    const Ex above = p.let("above", ((y + height - 1) % height) * width);
    const Ex here = p.let("here", y * width);
    const Ex below = p.let("below", ((y + 1) % height) * width);
    const auto cell = [&](Ex row, Ex column) { return p.load(cells, row + column); };
    const Ex around =
        p.let("around", cell(above, left) + cell(above, x) + cell(above, right) + cell(here, left) +
                            cell(here, right) + cell(below, left) + cell(below, x) + cell(below, right));
    p.store(next, here + x, (around == 3) || ((cell(here, x) == 1) && (around == 2)));
  });
  return p.finish();
}

inline Program mandelbrot() {
  ProgramBuilder p("mandelbrot");
  const auto params = p.uniform("params", kU32, 0), view = p.uniform("view", DataType::F32, 1);
  const auto steps = p.read_write("steps", kU32, 2);
  p.workgroup_size(8, 8, 1);
  const Ex width = p.let("width", p.load(params, p.u32(0)));
  const Ex height = p.let("height", p.load(params, p.u32(1)));
  const Ex limit = p.let("limit", p.load(params, p.u32(2)));
  const Ex column = p.let("column", p.invocation_id(0));
  const Ex row = p.let("row", p.invocation_id(1));
  p.if_(column < width && row < height, [&] {
    const auto seen = [&](uint32_t k) { return p.load(view, p.u32(k)); };
    const auto add = [&](Ex a, Ex b) { return p.apply(Op::FAdd, {a, b}); };
    const auto sub = [&](Ex a, Ex b) { return p.apply(Op::FSub, {a, b}); };
    const auto mul = [&](Ex a, Ex b) { return p.apply(Op::FMul, {a, b}); };
    const Ex cx = p.let("cx", add(seen(0), mul(p.cast(DataType::F32, column), seen(2))));
    const Ex cy = p.let("cy", sub(seen(1), mul(p.cast(DataType::F32, row), seen(2))));
    const Ex here = p.let("here", row * width + column);
    const Ex x = p.let("x", p.f32(0)), y = p.let("y", p.f32(0));
    p.loop("step", p.u32(0), limit, [&](Ex step) {
      const Ex xx = p.let("xx", mul(x, x)), yy = p.let("yy", mul(y, y));
      p.if_(p.apply(Op::FGt, {add(xx, yy), p.f32(4)}), [&] {
        p.store(steps, here, step);
        p.return_();
      });
      p.assign(y, add(mul(add(x, x), y), cy));
      p.assign(x, add(sub(xx, yy), cx));
    });
    p.store(steps, here, limit);
  });
  return p.finish();
}

inline Program prefix_sum_blocks() {
  ProgramBuilder p("prefix_sum_blocks");
  const auto input = p.read("input", kU32, 0);
  const auto sums = p.read_write("sums", kU32, 1), totals = p.read_write("totals", kU32, 2);
  const auto scratch = p.workgroup("scratch", kU32, 256);
  p.workgroup_size(256, 1, 1);
  const Ex local = p.let("local", p.local_id(0));
  const Ex i = p.let("i", p.invocation_id(0));
  const Ex sum = p.let("sum", p.load(input, i));
  p.store(scratch, local, sum);
  p.barrier();
  p.loop("step", p.u32(0), p.u32(8), [&](Ex step) {
    const Ex stride = p.let("stride", 1 << step);
    p.if_(local >= stride, [&] { p.assign(sum, sum + p.load(scratch, local - stride)); });
    p.barrier();  // everyone has read before anyone writes
    p.store(scratch, local, sum);
    p.barrier();
  });
  p.store(sums, i, sum);
  p.if_(local == 255, [&] { p.store(totals, p.workgroup_id(0), sum); });
  return p.finish();
}

inline Program prefix_sum_carry() {
  ProgramBuilder p("prefix_sum_carry");
  const auto sums = p.read_write("sums", kU32, 0), totals = p.read("totals", kU32, 1);
  p.workgroup_size(256, 1, 1);
  const Ex carry = p.let("carry", p.u32(0));
  p.loop("before", p.u32(0), p.workgroup_id(0),
         [&](Ex before) { p.assign(carry, carry + p.load(totals, before)); });
  const Ex i = p.let("i", p.invocation_id(0));
  p.store(sums, i, p.load(sums, i) + carry);
  return p.finish();
}

inline Program dot() {
  ProgramBuilder p("dot");
  const auto a = p.read("a", DataType::F32, 0), b = p.read("b", DataType::F32, 1);
  const auto result = p.read_write("result", DataType::F32, 2);
  const auto partial = p.workgroup("partial", DataType::F32, 64);
  p.workgroup_size(64, 1, 1);
  const Ex lane = p.let("lane", p.local_id(0));
  const Ex sum = p.let("sum", p.f32(0));
  p.loop("step", p.u32(0), (p.len(a) + 63) / 64, [&](Ex step) {
    const Ex i = p.let("i", step * 64 + lane);
    // The signs of C++ are the operators on integers; those on floats are named.
    p.assign(sum, p.apply(Op::FMulAdd, {p.load(a, i), p.load(b, i), sum}));
  });
  p.store(partial, lane, sum);
  p.barrier();
  p.if_(lane == 0 && p.workgroup_id(0) == 0,
        [&] { p.store(result, p.u32(0), p.reduce(Op::FReduceTreeBinary, Op::FAdd, partial)); });
  return p.finish();
}

inline Program tree_pass() {
  ProgramBuilder p("tree_pass");
  const auto data = p.read("data", DataType::F32, 0), sums = p.read_write("sums", DataType::F32, 1);
  const auto node = p.workgroup("node", DataType::F32, 64);
  p.workgroup_size(64, 1, 1);
  const Ex lane = p.let("lane", p.local_id(0));
  const Ex base = p.let("base", p.invocation_id(0) * 8);
  p.store(node, lane, p.reduce(Op::FReduceTreeBinary, Op::FAdd, data, base, base + 8));
  p.loop("level", p.u32(0), p.u32(6), [&](Ex level) {
    p.barrier();
    const Ex right = p.let("right", p.u32(1) << level);
    p.if_((lane & (right * 2 - 1)) == 0 && base + right * 8 < p.len(data),
          [&] { p.store(node, lane, p.apply(Op::FAdd, {p.load(node, lane), p.load(node, lane + right)})); });
  });
  p.if_(lane == 0, [&] { p.store(sums, p.workgroup_id(0), p.load(node, p.u32(0))); });
  return p.finish();
}

inline Program transpose() {
  ProgramBuilder p("transpose");
  const auto input = p.read("input", kU32, 0), output = p.read_write("output", kU32, 1);
  const auto params = p.uniform("params", kU32, 2);
  const auto tile = p.workgroup("tile", kU32, 256);
  p.workgroup_size(16, 16, 1);
  const Ex rows = p.let("rows", p.load(params, p.u32(0)));
  const Ex columns = p.let("columns", p.load(params, p.u32(1)));
  const Ex row = p.let("row", p.workgroup_id(1) * 16 + p.local_id(1));
  const Ex column = p.let("column", p.workgroup_id(0) * 16 + p.local_id(0));
  p.if_(row < rows && column < columns,
        [&] { p.store(tile, p.local_id(1) * 16 + p.local_id(0), p.load(input, row * columns + column)); });
  p.barrier();
  const Ex new_row = p.let("new_row", p.workgroup_id(0) * 16 + p.local_id(1));
  const Ex new_column = p.let("new_column", p.workgroup_id(1) * 16 + p.local_id(0));
  p.if_(new_row < columns && new_column < rows, [&] {
    p.store(output, new_row * rows + new_column, p.load(tile, p.local_id(0) * 16 + p.local_id(1)));
  });
  return p.finish();
}

/// The buffers and state of sha256 that its parts share.
class Sha256 {
 public:
  Program build() {
    p_.workgroup_size(64, 1, 1);
    const Ex m = p_.let("m", p_.invocation_id(0));
    p_.if_(m + 1 < p_.len(offsets_), [&] { message(m); });
    return p_.finish();
  }

 private:
  Ex rotr(Ex x, uint32_t count) { return p_.call("primitive.bitwise.rotr", {x, p_.u32(count)}); }
  Ex word(Ex ring, Ex t) { return p_.load(w_, ring + t); }

  void message(Ex m) {
    constexpr std::array<uint32_t, 8> kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const Ex begin = p_.let("begin", p_.load(offsets_, m));
    const Ex length = p_.let("length", p_.load(offsets_, m + 1) - begin);
    const Ex ring = p_.let("ring", p_.local_id(0) * 16);
    std::vector<Ex> state;
    for (uint32_t i = 0; i < 8; ++i) state.push_back(p_.let("h" + std::to_string(i), p_.u32(kStart[i])));
    const Ex blocks = p_.let("blocks", (length + 9 + 63) / 64);
    p_.loop("block", p_.u32(0), blocks, [&](Ex block) {
      p_.loop("t", p_.u32(0), p_.u32(16), [&](Ex t) { read_word(begin, length, ring, block, t); });
      p_.if_(block + 1 == blocks, [&] {
        p_.store(w_, ring + 14, length >> 29);
        p_.store(w_, ring + 15, length << 3);
      });
      compress(ring, state);
    });
    const Ex out = p_.let("out", m * 8);
    p_.store(digests_, out, state[0]);
    for (uint32_t i = 1; i < 8; ++i) p_.store(digests_, out + i, state[i]);
  }

  void read_word(Ex begin, Ex length, Ex ring, Ex block, Ex t) {
    const Ex value = p_.let("word", p_.u32(0));
    p_.loop("b", p_.u32(0), p_.u32(4), [&](Ex b) {
      const Ex at = p_.let("at", block * 64 + t * 4 + b);
      const Ex i = p_.let("i", begin + at);
      const Ex byte = p_.let("byte", byte_of(p_, data_, i));
      p_.assign(value, (value << 8) |
                           p_.select(at < length, byte, p_.select(at == length, p_.u32(0x80), p_.u32(0))));
    });
    p_.store(w_, ring + t, value);
  }

  void extend(Ex ring, Ex t) {
    const Ex w15 = p_.let("w15", word(ring, (t + 1) & 15));
    const Ex w2 = p_.let("w2", word(ring, (t + 14) & 15));
    const Ex s0 = p_.let("s0", (rotr(w15, 7) ^ rotr(w15, 18)) ^ (w15 >> 3));
    const Ex s1 = p_.let("s1", (rotr(w2, 17) ^ rotr(w2, 19)) ^ (w2 >> 10));
    p_.store(w_, ring + (t & 15), word(ring, t & 15) + s0 + word(ring, (t + 9) & 15) + s1);
  }

  void compress(Ex ring, const std::vector<Ex>& state) {
    std::vector<Ex> v;  // a to h
    for (uint32_t i = 0; i < 8; ++i) v.push_back(p_.let(std::string(1, char('a' + i)), state[i]));
    const Ex a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
    p_.loop("t", p_.u32(0), p_.u32(64), [&](Ex t) {
      p_.if_(t >= 16, [&] { extend(ring, t); });
      const Ex big1 = p_.let("big1", (rotr(e, 6) ^ rotr(e, 11)) ^ rotr(e, 25));
      const Ex choose = p_.let("choose", (e & f) ^ (~e & g));
      const Ex t1 = p_.let("t1", h + big1 + choose + p_.load(k_, t) + word(ring, t & 15));
      const Ex big0 = p_.let("big0", (rotr(a, 2) ^ rotr(a, 13)) ^ rotr(a, 22));
      const Ex majority = p_.let("majority", ((a & b) ^ (a & c)) ^ (b & c));
      const Ex t2 = p_.let("t2", big0 + majority);
      p_.assign(h, g);
      p_.assign(g, f);
      p_.assign(f, e);
      p_.assign(e, d + t1);
      p_.assign(d, c);
      p_.assign(c, b);
      p_.assign(b, a);
      p_.assign(a, t1 + t2);
    });
    for (uint32_t i = 0; i < 8; ++i) p_.assign(state[i], state[i] + v[i]);
  }

  ProgramBuilder p_{"sha256"};
  const BufferRef data_ = p_.read("data", DataType::Bytes, 0), offsets_ = p_.read("offsets", kU32, 1),
                  k_ = p_.read("k", kU32, 2), digests_ = p_.read_write("digests", kU32, 3),
                  w_ = p_.workgroup("w", kU32, 1024);
};

struct Example {
  std::string_view name;  // of the file, without .vyre
  Program (*build)();
};
inline constexpr std::array kExamples = {
    Example{"block_sum", block_sum},
    Example{"crc32", crc32},
    Example{"dot", dot},
    Example{"fnv1a", fnv1a},
    Example{"histogram", histogram},
    Example{"life", life},
    Example{"mandelbrot", mandelbrot},
    Example{"prefix_sum_blocks", prefix_sum_blocks},
    Example{"prefix_sum_carry", prefix_sum_carry},
    Example{"sha256", [] { return Sha256().build(); }},
    Example{"transpose", transpose},
    Example{"tree_pass", tree_pass},
    Example{"xor", xor_program},
};

}  // namespace examples
