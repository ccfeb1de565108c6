#!/usr/bin/env python3
"""A graph of many operations, for times to compile: prints its text.

    large_graph.py [OPERATIONS] [--equal]

Blocks follow one another: a product with its bias, a softmax, a normalisation, a view that is moved and
joined, a scan, a gated sum. Each block has a width of its own, and its weights are a slice of one array, so
that no program serves two of them; with --equal all have one width and the same weights, as the layers of a
network have one shape.
"""
import sys

PER_BLOCK = 25
ROWS = 64


def block(i, before, width, weights, bias):
    return f"""
  let h{i} = matmul(x{i}, {weights}) + {bias};
  let e{i} = float.f32.exp(h{i} - reduce(fmax, tree, h{i}, 1));
  let p{i} = e{i} / reduce(fadd, tree, e{i}, 1);
  let d{i} = h{i} - reduce(fadd, tree, h{i}, 1) / {width}.0;
  let n{i} = d{i} / fsqrt(reduce(fadd, tree, d{i} * d{i}, 1) / {width}.0 + 0.00001);
  let t{i} = transpose(slice(n{i}, [0..{ROWS}, 0..{width // 2}]), [1, 0]);
  let c{i} = transpose(concat(0, t{i}, pad(t{i}, [0..{width - 2 * (width // 2)}, 0..0], 0.5)), [1, 0]);
  let s{i} = scan(fadd, tree, p{i} * c{i}, 0);
  let x{i + 1} = fmax(s{i} * 0.5 + n{i}, 0.0) + p{i};"""


def main():
    arguments = [a for a in sys.argv[1:] if a != "--equal"]
    equal = "--equal" in sys.argv
    operations = int(arguments[0]) if arguments else 500
    blocks = (operations + PER_BLOCK - 1) // PER_BLOCK
    widths = [64 if equal else 64 + i % 61 for i in range(blocks + 1)]
    text = ""
    for i in range(blocks):
        before, width = widths[i], widths[i + 1]
        if equal:
            text += block(i, before, width, "w", "b")
        else:
            text += block(i, before, width,
                          f"reshape(slice(w, [{i}..{i + 1}, 0..{before}, 0..{width}]), [{before}, {width}])",
                          f"slice(b, [{i}..{i + 1}, 0..{width}])")
    w, b = ("64, 64", "64") if equal else (f"{blocks}, 128, 128", f"{blocks}, 128")
    print(f"""graph large(x0: f32[{ROWS}, {widths[0]}], w: f32[{w}], b: f32[{b}]) -> (y: f32[{ROWS}, {widths[-1]}]) {{{text}
  y = x{blocks};
}}""")


main()
