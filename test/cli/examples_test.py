"""The examples on real data, on both backends.

Oracle: other programs: Python's zlib and hashlib, and arithmetic done here.
"""
import collections
import hashlib
import random
import struct
import sys
import unittest
import zlib

from program import BIN, EXAMPLES, SOURCE, CommandTest

BACKENDS = ["reference", "native"]
sys.path.insert(0, str(EXAMPLES))


def to_bytes(values):
    return b"".join((v & 0xFFFFFFFF).to_bytes(4, "little") for v in values)


class Examples(CommandTest):
    def words(self, example, groups, buffers, get, *more):
        """The words of one buffer after a run, the same on every backend."""
        sets = []
        for name, value in buffers.items():
            if isinstance(value, bytes):
                value = f"@{self.write(name, value)}"
            sets += ["--set", f"{name}={value}"]
        results = []
        for backend in BACKENDS:
            out = self.folder / "result"
            self.expect(0, "run", EXAMPLES / f"{example}.vyre", "--groups", groups, *more, *sets, "--backend", backend,
                        "--get", f"{get}=@{out}")
            data = out.read_bytes()
            results.append([int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)])
        self.assertEqual(results[0], results[1])
        return results[0]

    def setUp(self):
        super().setUp()
        self.random = random.Random(2026)
        self.licence = (SOURCE / "LICENSE").read_bytes()

    def test_crc32(self):
        for data in [b"", b"a", self.licence, self.random.randbytes(5001)]:
            got = self.words("crc32", 1, {"data": data, "params": len(data), "crc": "zeros:1"}, "crc")
            self.assertEqual(got, [zlib.crc32(data)])

    def test_fnv1a(self):
        state = 0x811C9DC5
        for byte in self.licence:
            state = (state ^ byte) * 0x01000193 % 2**32
        got = self.words("fnv1a", 1, {"data": self.licence, "params": len(self.licence), "hash": "zeros:1"}, "hash")
        self.assertEqual(got, [state])

    def test_histogram(self):
        counts = collections.Counter(self.licence)
        got = self.words("histogram", (len(self.licence) + 63) // 64,
                         {"data": self.licence, "params": len(self.licence), "bins": "zeros:256"}, "bins")
        self.assertEqual(got, [counts[b] for b in range(256)])

    def test_block_sum(self):
        values = [self.random.getrandbits(32) for _ in range(1000)]
        got = self.words("block_sum", 4, {"input": to_bytes(values), "sums": "zeros:4"}, "sums")
        self.assertEqual(got, [sum(values[i:i + 256]) % 2**32 for i in range(0, 1000, 256)])

    # covers: EX-31
    def test_prefix_sum(self):
        values = [self.random.getrandbits(32) for _ in range(1500)]
        sums, total = [], 0
        for value in values:
            total = (total + value) % 2**32
            sums.append(total)
        got = self.words("prefix_sum_blocks", 6, {"input": to_bytes(values), "sums": "zeros:1500", "totals": "zeros:6"},
                         "sums", "--then", EXAMPLES / "prefix_sum_carry.vyre", "--groups", 6)
        self.assertEqual(got, sums)

    def test_transpose(self):
        rows, columns = 37, 50
        values = [self.random.getrandbits(32) for _ in range(rows * columns)]
        got = self.words("transpose", "4,3", {"input": to_bytes(values), "output": f"zeros:{rows * columns}",
                                               "params": f"{rows},{columns}"}, "output")
        self.assertEqual(got, [values[r * columns + c] for c in range(columns) for r in range(rows)])

    def test_tree_pass(self):
        def rounded(x):
            return struct.unpack("<f", struct.pack("<f", x))[0]

        def tree(x):  # a sum of two f32 is rounded once more from f64, which changes nothing
            if len(x) < 2:
                return x[0] if x else 0.0
            half = 1 << (len(x) - 1).bit_length() - 1
            return rounded(tree(x[:half]) + tree(x[half:]))

        for count in [0, 1, 7, 8, 9, 511, 512, 513, 1300, 5000]:
            values = [rounded(self.random.gauss(0, 1) * 10.0 ** self.random.randrange(-3, 4)) for _ in range(count)]
            data = struct.pack(f"<{count}f", *values)
            while True:
                groups = max(1, (len(data) // 4 + 511) // 512)
                words = self.words("tree_pass", groups, {"data": data, "sums": f"zeros:{groups}"}, "sums")
                data = to_bytes(words)
                if groups == 1:
                    break
            self.assertEqual(data, struct.pack("<f", tree(values)))

    def test_life(self):
        import life
        width, height = 20, 12
        cells = [int(self.random.random() < 0.35) for _ in range(width * height)]
        for _ in range(3):
            expected = []
            for y in range(height):
                for x in range(width):
                    around = sum(cells[(y + dy) % height * width + (x + dx) % width]
                                 for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
                    expected.append(int(around == 3 or (around == 2 and cells[y * width + x] == 1)))
            for backend in BACKENDS:
                self.assertEqual(life.step(str(BIN / "vyre"), backend, cells, width, height), expected)
            cells = expected
        # Two rows of cells a line: upper half, lower half, both.
        self.assertEqual(life.draw([1, 0, 1, 0, 1, 1], 3, 2), "▀▄█")

    # Oracle: the same steps in Python. A product, sum or difference of two f32 in doubles is exact enough that rounding
    # it to f32 rounds once (Figueroa, "When is double rounding innocuous?").
    def test_mandelbrot(self):
        import mandelbrot
        f32 = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
        size, at, width, limit = (22, 13), (-0.75, 0.1), 3.0, 60
        step = width / size[0]
        left, top = at[0] - width / 2, at[1] + step * size[1] / 2
        expected = []
        for row in range(size[1]):
            for column in range(size[0]):
                cx = f32(f32(left) + f32(column * f32(step)))
                cy = f32(f32(top) - f32(row * f32(step)))
                x = y = 0.0
                count = 0
                while count < limit and f32(f32(x * x) + f32(y * y)) <= 4.0:
                    xx, yy = f32(x * x), f32(y * y)
                    y = f32(f32(f32(x + x) * y) + cy)
                    x = f32(f32(xx - yy) + cx)
                    count += 1
                expected.append(count)
        for backend in BACKENDS:
            self.assertEqual(list(mandelbrot.steps(str(BIN / "vyre"), backend, size, at, width, limit)), expected)
        self.assertEqual(len(mandelbrot.draw(expected, size, limit).splitlines()), size[1] // 2)
        # A picture of two points: what the PNG specification says of signature, header and rows.
        data = mandelbrot.png([limit, 0], (2, 1), limit)
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (2, 1))
        length = struct.unpack(">I", data[33:37])[0]
        self.assertEqual(zlib.decompress(data[41:41 + length]), b"\0" + bytes([0, 0, 0]) + bytes(mandelbrot.color(0, limit)))

    def test_sha256_of_many_messages(self):
        import sha256
        messages = [b"", b"abc", b"a" * 55, b"b" * 56, b"c" * 63, b"d" * 64, b"e" * 65, self.licence]
        messages += [self.random.randbytes(self.random.randrange(300)) for _ in range(120)]
        for backend in BACKENDS:
            self.assertEqual(sha256.digests(str(BIN / "vyre"), backend, messages),
                             [hashlib.sha256(m).hexdigest() for m in messages])


if __name__ == "__main__":
    unittest.main()
