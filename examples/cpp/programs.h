// The programs of those examples/*.vyre that are one program, built with ir::ProgramBuilder. Each is equal to
// the one that its text gives: the same statements, names and types in the same order. Read the two side by
// side to see how the builder says what the text says.
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
  p.workgroup_size(256, 1, 1);
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
  p.unrolled_loop("step", p.u32(0), p.u32(4), [&](Ex step) {  // four sums to one
    const Ex width = p.let("width", 64 >> (step * 2));
    const auto sum = [&](Ex at) { return p.load(scratch, at); };
    p.if_(local < width, [&] {
      p.store(scratch, local,
              (sum(local) + sum(local + width)) + (sum(local + width * 2) + sum(local + width * 3)));
    });
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
  const Ex length = p.let("length", p.load(params, p.u32(0)));
  const auto add = [&](Ex word, Ex b) { p.assign(state, (state ^ ((word >> (b * 8)) & 0xff)) * 0x01000193); };
  p.loop("i", p.u32(0), length / 4, [&](Ex i) {
    const Ex word = p.let("word", p.load(data, i));
    p.unrolled_loop("b", p.u32(0), p.u32(4), [&](Ex b) { add(word, b); });
  });
  const Ex rest = p.let("rest", p.load(data, length / 4));
  p.loop("b", p.u32(0), length % 4, [&](Ex b) { add(rest, b); });
  p.store(hash, p.u32(0), state);
  return p.finish();
}

inline Program histogram() {
  ProgramBuilder p("histogram");
  const auto data = p.read("data", DataType::Bytes, 0), params = p.uniform("params", kU32, 1);
  const auto bins = p.read_write("bins", kU32, 2);
  const auto counts = p.workgroup("counts", kU32, 4096);
  p.workgroup_size(64, 1, 1);
  const Ex lane = p.let("lane", p.local_id(0));
  const Ex length = p.let("length", p.load(params, p.u32(0)));
  const Ex words = p.let("words", length / 4 + (length % 4 != 0));
  const Ex stride = p.let("stride", p.num_workgroups(0) * 64);
  // Of at most 63 words a round, so that no count leaves its 8 bits.
  const Ex turns = p.let("turns", words / stride + (words % stride != 0));
  const Ex rounds = p.let("rounds", (turns + 62) / 63);
  p.loop("round", p.u32(0), rounds, [&](Ex round) {
    const Ex end = p.call("primitive.math.min", {round * 63 + 63, turns});
    p.loop("turn", round * 63, end, [&](Ex turn) {
      const Ex i = p.let("i", turn * stride + p.invocation_id(0));
      const Ex word = p.let("word", p.load(data, i));
      p.unrolled_loop("b", p.u32(0), p.u32(4), [&](Ex b) {
        p.if_(i * 4 + b < length, [&] {
          // Values v, v + 64, v + 128 and v + 192 are counted in row v.
          const Ex value = p.let("value", (word >> (b * 8)) & 0xff);
          const Ex at = p.let("at", ((value & 63) << 6) | lane);
          p.store(counts, at, p.load(counts, at) + (1 << ((value >> 6) * 8)));
        });
      });
    });
    p.barrier();
    const Ex even = p.let("even", p.u32(0)), odd = p.let("odd", p.u32(0));
    p.loop("k", p.u32(0), p.u32(64), [&](Ex k) {
      const Ex at = p.let("at", (lane << 6) | ((lane + k) & 63));
      const Ex four = p.let("four", p.load(counts, at));
      p.assign(even, even + (four & 0xff00ff));
      p.assign(odd, odd + ((four >> 8) & 0xff00ff));
      p.store(counts, at, p.u32(0));
    });
    const auto add = [&](Ex bin, Ex count) { return p.atomic(Op::AtomicAdd, bins, bin, count); };
    p.let("old0", add(lane, even & 0xffff));
    p.let("old1", add(lane + 64, odd & 0xffff));
    p.let("old2", add(lane + 128, even >> 16));
    p.let("old3", add(lane + 192, odd >> 16));
    p.barrier();
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

inline Program transpose() {
  ProgramBuilder p("transpose");
  const auto input = p.read("input", kU32, 0), output = p.read_write("output", kU32, 1);
  const auto params = p.uniform("params", kU32, 2);
  const auto tile = p.workgroup("tile", kU32, 1056);
  p.workgroup_size(32, 8, 1);
  const Ex rows = p.let("rows", p.load(params, p.u32(0)));
  const Ex columns = p.let("columns", p.load(params, p.u32(1)));
  const Ex x = p.let("x", p.local_id(0)), y = p.let("y", p.local_id(1));
  const Ex column = p.let("column", p.workgroup_id(0) * 32 + x);
  p.unrolled_loop("k", p.u32(0), p.u32(4), [&](Ex k) {
    const Ex row = p.let("row", p.workgroup_id(1) * 32 + y + k * 8);
    p.store(tile, (y + k * 8) * 33 + x, p.load(input, row * columns + column));
  });
  p.barrier();
  const Ex new_column = p.let("new_column", p.workgroup_id(1) * 32 + x);
  p.unrolled_loop("k", p.u32(0), p.u32(4), [&](Ex k) {
    const Ex new_row = p.let("new_row", p.workgroup_id(0) * 32 + y + k * 8);
    p.if_(new_row < columns && new_column < rows,
          [&] { p.store(output, new_row * rows + new_column, p.load(tile, x * 33 + y + k * 8)); });
  });
  return p.finish();
}

struct Example {
  std::string_view name;  // of the file, without .vyre
  Program (*build)();
};
inline constexpr std::array kExamples = {
    Example{"block_sum", block_sum}, Example{"crc32", crc32},         Example{"dot", dot},
    Example{"fnv1a", fnv1a},         Example{"histogram", histogram}, Example{"mandelbrot", mandelbrot},
    Example{"transpose", transpose}, Example{"xor", xor_program},
};

}  // namespace examples
