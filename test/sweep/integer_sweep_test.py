"""integer_sweep before a backend that is wrong: it names the first wrong input and what came for it.

Oracle: the faults are planted here, in the text of the program that the sweep sends, so where they strike and what they
give is known by construction; right results are counted by Python.
"""
import os
import pathlib
import re
import subprocess
import unittest

BIN = pathlib.Path(os.environ["VYRE_BIN"])
CHUNK = 4096
SUM = "sum = sum + "
ROW = re.compile(r"\| \S+ +\| .* \| +(\d+) \| +(\d+) \| +\d+ \| ([0-9a-f]+) \|")
FIRST = re.compile(r"  first: operands (0x[0-9a-f]+) (0x[0-9a-f]+), expected (0x[0-9a-f]+), actual (0x[0-9a-f]+)")


def sweep(*arguments):
    return subprocess.run([BIN / "integer_sweep", *map(str, arguments)], capture_output=True, text=True, timeout=100)


def planted(*inputs):
    """A backend whose result is one more than it should be at these inputs."""
    where = " || ".join(f"a == {x}" for x in inputs)
    more = f"if ({where}) {{ sum = sum + (a * 2654435761 | 1); }} {SUM}"
    return f"{BIN.resolve()}/librewriting.so?{SUM}=>{more}"


class IntegerSweep(unittest.TestCase):
    def outcome(self, done):
        """Of one row: cases, wrong chunks, the numbers of the line that names the first wrong input."""
        rows, firsts = ROW.findall(done.stdout), FIRST.findall(done.stdout)
        self.assertEqual(len(rows), 1, done.stdout + done.stderr)
        self.assertLessEqual(len(firsts), 1, done.stdout)
        return int(rows[0][0]), int(rows[0][1]), [int(x, 0) for x in firsts[0]] if firsts else None

    def digest(self, *arguments):
        done = sweep(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return ROW.findall(done.stdout)[0][2]

    def test_without_a_fault_nothing_is_wrong(self):
        done = sweep("popcount.u32", "--count", 5 * CHUNK, "--backend", planted(5 * CHUNK))  # the first that is not run
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.outcome(done), (5 * CHUNK, 0, None))

    def test_one_wrong_input_is_named(self):
        for at in (0, 1, CHUNK - 1, CHUNK, 3 * CHUNK + 77):
            done = sweep("popcount.u32", "--count", 5 * CHUNK, "--backend", planted(at))
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            right = at.bit_count()
            self.assertEqual(self.outcome(done), (5 * CHUNK, 1, [at, 0, right, right + 1]))

    def test_of_several_the_first_is_named(self):
        done = sweep("popcount.u32", "--count", 5 * CHUNK, "--backend", planted(4 * CHUNK + 1, 2 * CHUNK + 6, 2 * CHUNK + 5))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        right = (2 * CHUNK + 5).bit_count()
        self.assertEqual(self.outcome(done), (5 * CHUNK, 2, [2 * CHUNK + 5, 0, right, right + 1]))

    def test_a_wrong_operator_is_found(self):
        # Both are 0 of 0; 1 % 1000 is 1, and 1 / 1000 is 0.
        swapped = f"{BIN.resolve()}/librewriting.so?%=>/"
        done = sweep("mod.u32", "--second", 1000, "--count", CHUNK, "--backend", swapped)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.outcome(done), (CHUNK, 1, [1, 1000, 1, 0]))

    def test_a_slice_anywhere(self):
        first = 0x80000000 + 7 * CHUNK
        at = first + CHUNK + 9
        fault = planted(at)
        done = sweep("popcount.u32", "--first", first, "--count", 2 * CHUNK, "--backend", fault)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        right = at.bit_count()
        self.assertEqual(self.outcome(done), (2 * CHUNK, 1, [at, 0, right, right + 1]))
        for around in (first - CHUNK, first + 2 * CHUNK):
            done = sweep("popcount.u32", "--first", around, "--count", CHUNK, "--backend", fault)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_slices_are_of_different_inputs(self):
        of = lambda *arguments: self.digest("popcount.u32", "--count", CHUNK, *arguments)
        self.assertEqual(of("--first", 0), of())
        self.assertNotEqual(of("--first", CHUNK), of())
        self.assertEqual(of("--first", CHUNK), of("--first", CHUNK, "--expect"))

    def test_to_the_end(self):
        last = 2**32 - 1
        done = sweep("popcount.u32", "--first", 2**32 - 2 * CHUNK, "--backend", planted(last))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.outcome(done), (2 * CHUNK, 1, [last, 0, 32, 33]))

    def test_what_is_no_slice_is_refused(self):
        for wrong in (["--first", 1], ["--first", 2**32], ["--first", -CHUNK],
                      ["--first", 2**32 - CHUNK, "--count", CHUNK + 1]):
            done = sweep("popcount.u32", *wrong)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertNotEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
