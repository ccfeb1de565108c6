"""The table of runs in docs/floats.md: what it says is what float_sweep says.

Runs of minutes to hours cannot be repeated here. Whole domains of 2^16 inputs can: their digests are computed again by
the oracle. Of the other rows what can be known is checked: that nothing mismatched, that everything of a domain was
run, that all backends and forms of an operation have one digest, and that no operation is missing beside others of its
kind. `page_test.py --write ROWS...` puts rows that float_sweep printed (files) into the page, in order.
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("VYRE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PAGE = SOURCE / "docs/floats.md"
BEGIN, END = "<!-- Rows of float_sweep. -->\n", "<!-- End of rows. -->\n"
HEAD = "| operation | backend | form | cases | mismatches | 10^6 a second | digest |\n|---|---|---|--:|--:|--:|---|\n"
BITS = {"f16": 16, "bf16": 16, "f32": 32, "u32": 32, "i32": 32, "u64": 64}
# Inputs of each operation whose domain cannot be run, on a CPU.
DIRECTED = 10**10
DIRECTED_CASTS = 10**9  # from u64


def rows(text):
    out = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 7 and re.fullmatch(r"[a-z_0-9]+(\.[a-z0-9]+)+", cells[0]):
            out.append(cells)
    return out


def sweep(*arguments):
    done = subprocess.run([pathlib.Path(os.environ["VYRE_BIN"]) / "float_sweep", *arguments], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return rows(done.stdout)


def names(preset):
    return [row[0] for row in sweep("--preset", preset, "--count", "1", "--expect")]


def domain(operation):
    """How many inputs there are: one operand, or two of 16 bits; none where they cannot be run."""
    name, first = operation.split(".")[:2]
    unary = name == "cast" or operation in UNARY
    operands = 1 if unary else 3 if name == "fmul_add" else 2
    bits = BITS[first] * operands
    return 2**bits if bits <= 32 else None


class Page(unittest.TestCase):
    def setUp(self):
        self.rows = rows(PAGE.read_text().split(BEGIN)[1].split(END)[0])

    def test_small_domains_are_there_and_current(self):
        small = [name for name in names("unary") if domain(name) <= 2**16]
        ledger = (SOURCE / "src/spec/ops.def").read_text()
        operators = re.findall(r"^VYRE_OP\(\w+, +\w+, +\"(?!\w+_approx\")\w+\", +T_[TU], +kFloats,", ledger, re.M)
        casts = 2 + 2 * 4  # to the two other types, and in four modes to i32 and u32
        self.assertEqual(len(small), 2 * (len(operators) + casts))
        digests = {row[0]: row[6] for row in sweep("--expect", *small)}
        said = {(row[0], row[1], row[2]): row for row in self.rows}
        for name in small:
            for form in ("auto", "composed"):
                self.assertIn((name, "native", form), said, "float_sweep says what the row should be")
                self.assertEqual(said[name, "native", form][6], digests[name], name)

    def test_every_row_is_a_whole_run_without_mismatch(self):
        for name, backend, form, cases, mismatches, _, digest in self.rows:
            with self.subTest(f"{name} on {backend}, {form}"):
                self.assertEqual(mismatches, "0")
                self.assertRegex(digest, r"^[0-9a-f]{16,}$")
                if domain(name) is None:
                    self.assertGreaterEqual(int(cases), DIRECTED_CASTS if "u64" in name else DIRECTED)
                else:
                    self.assertEqual(int(cases), domain(name))

    def test_an_operation_has_one_digest(self):
        digests = {}
        for name, backend, form, cases, _, _, digest in self.rows:
            self.assertEqual(digests.setdefault((name, cases), digest), digest, f"{name} on {backend}, {form}")

    def test_no_operation_is_missing_beside_its_kind(self):
        functions = names("functions")  # which were run on more backends than the rest
        for preset in ("f16", "bf16", "directed", "functions", "unary"):
            all_of_it = names(preset)
            if preset == "unary":
                all_of_it = [name for name in all_of_it if domain(name) > 2**16 and name not in functions]
            for backend, form in {(row[1], row[2]) for row in self.rows}:
                there = {row[0] for row in self.rows if (row[1], row[2]) == (backend, form)}
                if there.intersection(all_of_it):
                    self.assertEqual([n for n in all_of_it if n not in there], [], f"{preset} on {backend}, {form}")


def write(files):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    known = {(r[0], r[1], r[2], r[3]): r for r in rows(rest.split(END)[0])}
    for file in files:
        known.update({(r[0], r[1], r[2], r[3]): r for r in rows(pathlib.Path(file).read_text())})
    body = "".join("| " + " | ".join(row) + " |\n" for row in known.values())
    PAGE.write_text(before + BEGIN + HEAD + body + END + rest.split(END)[1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2:])
    else:
        UNARY = set(names("unary"))
        unittest.main()
