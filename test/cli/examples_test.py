"""The examples on real data, on both backends.

Oracle: other programs: Python's zlib and hashlib, and arithmetic done here.
"""
import argparse
import array
import collections
import hashlib
import itertools
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest
import zlib

from program import BIN, EXAMPLES, SOURCE, CommandTest

BACKENDS = ["reference", "native"]
sys.path.insert(0, str(EXAMPLES))


def to_bytes(values):
    return b"".join((v & 0xFFFFFFFF).to_bytes(4, "little") for v in values)


class Examples(CommandTest):
    def words(self, example, groups, buffers, get, *more, backends=BACKENDS):
        """The words of one buffer after a run, the same on every backend; a pipeline has no groups."""
        sets = []
        for name, value in buffers.items():
            if isinstance(value, bytes):
                value = f"@{self.write(name, value)}"
            sets += ["--set", f"{name}={value}"]
        results = []
        groups = [] if groups is None else ["--groups", groups]
        for backend in backends:
            out = self.folder / "result"
            self.expect(0, "run", EXAMPLES / f"{example}.vyre", *groups, *more, *sets, "--backend", backend,
                        "--get", f"{get}=@{out}")
            data = out.read_bytes()
            results.append(list(struct.unpack(f"<{len(data) // 4}I", data)))
        self.assertTrue(all(result == results[0] for result in results))
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

    def prefix_sum(self, count, *more, **options):
        values = [self.random.getrandbits(32) for _ in range(count)]
        sums = list(itertools.accumulate(values, lambda total, value: (total + value) % 2**32))
        got = self.words("prefix_sum", None, {"input": to_bytes(values), "output": f"zeros:{count}"}, "output", *more,
                         **options)
        self.assertTrue(got == sums, f"{count} elements, {more}")

    # A block is 4 * W elements, and there are at most 4,096 parts, so at W = 64 parts of two blocks begin at 1,048,577.
    # covers: EX-31
    def test_prefix_sum(self):
        for count in [0, 1, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025]:
            self.prefix_sum(count)
        for count in [255, 256, 257, 1500]:
            self.prefix_sum(count, "--const", "W=64")
        self.prefix_sum(1_048_577, "--const", "W=64", backends=["native"])
        self.prefix_sum(10_000_000, backends=["native"])

    def test_transpose(self):
        rows, columns = 37, 50
        values = [self.random.getrandbits(32) for _ in range(rows * columns)]
        got = self.words("transpose", "4,3", {"input": to_bytes(values), "output": f"zeros:{rows * columns}",
                                               "params": f"{rows},{columns}"}, "output")
        self.assertEqual(got, [values[r * columns + c] for c in range(columns) for r in range(rows)])

    def test_reduce(self):
        def rounded(x):
            return struct.unpack("<f", struct.pack("<f", x))[0]

        def tree(x):  # a sum of two f32 is rounded once more from f64, which changes nothing
            if len(x) < 2:
                return x[0] if x else 0.0
            half = 1 << (len(x) - 1).bit_length() - 1
            return rounded(tree(x[:half]) + tree(x[half:]))

        for count, width in [(0, 256), (1, 256), (7, 256), (8, 256), (9, 256), (255, 32), (256, 32), (257, 32), (1300, 32),
                             (2049, 256), (70_000, 32)]:
            values = [rounded(self.random.gauss(0, 1) * 10.0 ** self.random.randrange(-3, 4)) for _ in range(count)]
            backends = BACKENDS if count < 10_000 else ["native"]
            got = self.words("reduce", None, {"data": struct.pack(f"<{count}f", *values), "sum": "zeros:1"}, "sum",
                             "--const", f"W={width}", backends=backends)
            self.assertEqual(struct.pack("<I", *got), struct.pack("<f", tree(values)), count)

    def test_life(self):
        import life
        width, height = 20, 12
        cells = [int(self.random.random() < 0.35) for _ in range(width * height)]
        first, after = cells, []
        for _ in range(3):
            expected = []
            for y in range(height):
                for x in range(width):
                    around = sum(cells[(y + dy) % height * width + (x + dx) % width]
                                 for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
                    expected.append(int(around == 3 or (around == 2 and cells[y * width + x] == 1)))
            cells = expected
            after.append(expected)
        for backend in BACKENDS:
            for count, expected in enumerate(after, 1):
                self.assertEqual(life.step(str(BIN / "vyre"), backend, first, width, height, count), expected)
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


    def test_operations_of_the_library(self):
        """Oracles: hashlib and zlib, grep, wc, sorted(), and distances worked out by hand."""
        import checksums, count_words, find_lines, shortest_ways
        texts = [b"", b"one line", b"a\n\nb a\tb\n", self.licence, self.random.randbytes(5_000)]
        for backend in BACKENDS:
            options = argparse.Namespace(vyre=str(BIN / "vyre"), backend=backend, hash="crc32")
            self.assertEqual(checksums.checksums(options, texts), [f"{zlib.crc32(text):08x}" for text in texts])
            for options.hash in ("md5", "sha512"):
                self.assertEqual(checksums.checksums(options, texts), [hashlib.new(options.hash, t).hexdigest() for t in texts])
            for text in texts:
                self.assertEqual(count_words.counts(options, text), [text.count(b"\n"), len(text.split()), len(text)])
                lines = text.split(b"\n")
                for needle in (b"a", b"the", b"b a"):
                    self.assertEqual(find_lines.find_lines(options, needle, text),
                                     [(i, line) for i, line in enumerate(lines, 1) if needle in line])
            roads = [("a", "b", 3), ("b", "c", 4), ("a", "c", 9), ("d", "e", 1)]
            self.assertEqual(shortest_ways.ways(options, roads, "a"), {"a": 0, "b": 3, "c": 7})

    def test_sort_keys(self):
        keys = array.array("I", (self.random.getrandbits(32) >> self.random.randrange(32) for _ in range(5_000)))
        source, out = self.folder / "keys", self.folder / "sorted"
        source.write_bytes(keys.tobytes())
        subprocess.run([sys.executable, EXAMPLES / "sort_keys.py", "--vyre", BIN / "vyre", "--keys", source, "--out", out],
                       check=True, capture_output=True)
        self.assertEqual(out.read_bytes(), array.array("I", sorted(keys)).tobytes())


SCRIPTS = ["checksums.py", "count_words.py", "find_lines.py", "life.py", "mandelbrot.py", "sha256.py", "shortest_ways.py",
           "sort_keys.py"]


class Scripts(CommandTest):
    """The scripts as they are called, from a copy that has no build beside it. Oracle: what argparse and README.md say."""

    def setUp(self):
        super().setUp()
        self.copy = self.folder / "share/doc/vyre/examples"
        shutil.copytree(EXAMPLES, self.copy, ignore=shutil.ignore_patterns("__pycache__"))

    def call(self, script, *arguments, path="/usr/bin:/bin"):
        environment = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, self.copy / script, *map(str, arguments)], capture_output=True, text=True,
                              timeout=300, env=environment)

    def test_the_program_is_found_or_asked_for(self):
        for script in SCRIPTS:
            arguments = {"life.py": ["--size", "8x4", "--generations", 2], "sha256.py": [SOURCE / "LICENSE"],
                         "checksums.py": [SOURCE / "docs/images"], "count_words.py": [SOURCE / "LICENSE"],
                         "find_lines.py": ["the", SOURCE / "LICENSE"], "shortest_ways.py": ["Bern"],
                         "sort_keys.py": ["--count", 100],
                         "mandelbrot.py": ["--size", "8x4", "--limit", 5]}[script]
            with self.subTest(script):
                lost = self.call(script, *arguments)
                self.assertEqual((lost.returncode, lost.stdout, lost.stderr.count("\n")), (1, "", 1), lost.stderr)
                self.assertIn("--vyre PROGRAM", lost.stderr)
                named = self.call(script, *arguments, "--vyre", self.folder / "none")
                self.assertEqual((named.returncode, named.stderr), (1, f"{self.folder}/none is no program\n"))
                found = self.call(script, *arguments, path=f"{BIN}:/usr/bin:/bin")
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertNotEqual(found.stdout, "")
        (self.folder / "bin").mkdir()  # of the prefix that the copy is in
        (self.folder / "bin/vyre").symlink_to(BIN / "vyre")
        done = self.call("sha256.py", SOURCE / "LICENSE")
        self.assertEqual(done.stdout, f"{hashlib.sha256((SOURCE / 'LICENSE').read_bytes()).hexdigest()}  {SOURCE}/LICENSE\n")

    def test_wrong_arguments_are_a_line_and_no_traceback(self):
        here = ["--vyre", BIN / "vyre"]
        for script, arguments, words in [
                ("life.py", ["--size", "40"], "'40' is not columns and rows"), ("life.py", ["--size", "0x4"], "'0x4'"),
                ("life.py", ["--generations", "-1"], "--generations"), ("life.py", ["--backend", "nosuch"], "B004"),
                ("mandelbrot.py", ["--size", "40"], "'40' is not columns and rows"), ("mandelbrot.py", ["--at", "1"], "'1'"),
                ("mandelbrot.py", ["--size", "2x2", "--out", self.folder / "none/set.png"], "none/set.png"),
                ("sha256.py", [self.folder / "none"], "none: No such file"), ("sha256.py", [], "FILE")]:
            with self.subTest([script, *arguments]):
                done = self.call(script, *here, *arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def test_help_says_what_each_option_is(self):
        for script in SCRIPTS:
            text = self.call(script, "--help").stdout
            usage, options = text[:text.index("options:")], text[text.index("options:"):]
            named = set(re.findall(r"--\w+", usage))
            self.assertGreater(len(named), 1)
            for option in named:
                self.assertRegex(options, rf"(?m)^  {option}\b.*(\s{{2,}}|\n {{10,}})\w", script)


if __name__ == "__main__":
    unittest.main()
