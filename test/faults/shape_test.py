"""vyre-conform certify before a backend that is wrong about one shape: the command line as people type it.

    VYRE_BIN=build/release/bin python3 test/faults/shape_test.py                # every fault is refused
    VYRE_BIN=build/release/bin python3 test/faults/shape_test.py Cheats         # those that want to deceive
    VYRE_BIN=build/release/bin python3 test/faults/shape_test.py --table        # docs/shape-faults.md, anew, or from
                                                                                # reports of test_shape_faults

Oracle: shape_faults.def, which says what each fault is and which factor the failure names. test_shape_faults has those
of shape in one process; here they are a plugin's.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import envelopes

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BIN = pathlib.Path(os.environ["VYRE_BIN"]).resolve()
PLUGIN = BIN / "libshapefault.so"
STRENGTHS = ["quick", "standard"]


class Fault:
    def __init__(self, text, meaning, factor):
        self.text, self.meaning, self.factor = text, meaning, factor


def string(row):
    """A C++ literal, maybe in pieces."""
    return "".join(re.findall(r'"([^"]*)"', row))


FAULTS = [Fault(*map(string, row)) for row in re.findall(
    r'^VYRE_SHAPE_FAULT\(\w+,\s*("[^"]*"),\s*("[^"]*"(?:\s*"[^"]*")*),\s*("[^"]*")\)', (HERE / "shape_faults.def").read_text(),
    re.MULTILINE)]


def conform(folder, *arguments):
    return subprocess.run([BIN / "vyre-conform", *map(str, arguments)], capture_output=True, text=True, timeout=1800, cwd=folder)


class Judged:
    """A certification of the plugin with a fault; the failures that name its factor where it has one."""

    def __init__(self, fault, strength):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            done = conform(folder, "certify", "--backend", f"{PLUGIN}?{fault}", "--ops", "primitive.math.add", "--strength", strength,
                           "--out", "cert.json")
            path = pathlib.Path(folder) / "cert.json"
            self.certificate = envelopes.predicate(path) if path.exists() else None
        self.seconds = time.monotonic() - begin
        self.exit, self.words = done.returncode, done.stdout + done.stderr
        verdicts = self.certificate["verdicts"] if self.certificate else []
        self.failures = [(v["subject"], f) for v in verdicts for f in v["failures"]]

    def named(self, factor):
        """The failures of which the factor is the cause: (subject, what is said of the factor, token)."""
        out = []
        for subject, failure in self.failures:
            said = re.search(rf"factor {re.escape(factor)} = ([^;\n]*)" if factor else r"()", failure.get("note", ""))
            if said:
                out.append((subject, f"{factor} = {said[1]}" if factor else subject, failure["token"].split()[0]))
        return out


def refuse(fault):
    """The first strength at which a fault is refused with its factor named, and that certification."""
    for strength in STRENGTHS:
        judged = Judged(fault.text, strength)
        if judged.exit == 1 and judged.named(fault.factor):
            return strength, judged
    return None, judged


class Refused(unittest.TestCase):
    faults = [f for f in FAULTS if f.factor]

    def test_each(self):
        for fault in self.faults:
            with self.subTest(fault.text):
                strength, judged = refuse(fault)
                self.assertIsNotNone(strength, f"{fault.meaning}: {judged.words}")
                if fault.factor:
                    self.assertEqual(judged.certificate["levels"]["integer"], "none")
                    token = judged.named(fault.factor)[0][2]
                    with tempfile.TemporaryDirectory() as folder:
                        self.assertEqual(conform(folder, "replay", token, "--backend", f"{PLUGIN}?{fault.text}").returncode, 1)
                        self.assertEqual(conform(folder, "replay", token, "--backend", f"{PLUGIN}?none").returncode, 0)


class Cheats(Refused):
    faults = [f for f in FAULTS if not f.factor]


class Ledger(unittest.TestCase):
    def test_it_is_read_whole(self):
        rows = re.findall(r"^VYRE_SHAPE_FAULT\(", (HERE / "shape_faults.def").read_text(), re.MULTILINE)
        self.assertEqual(len(FAULTS), len(rows))
        self.assertEqual(len({f.text for f in FAULTS}), len(rows))

    def test_without_a_fault_it_is_certified(self):
        judged = Judged("none", "quick")
        self.assertEqual(judged.exit, 0, judged.words)
        self.assertTrue(judged.certificate["levels"]["integer"].startswith("L2"))

    def test_the_table_has_each(self):
        table = (ROOT / "docs" / "shape-faults.md").read_text()
        self.assertEqual(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE), [f.text for f in FAULTS])


HEAD = """# Faults of shape that are refused

Each row is `native` but for one thing (`test/faults/shape_faults.def`). Those with a factor were judged by `ir.shapes` in one
process (`test_shape_faults`), at the strength in the third column; the next one says which levels the failure names, and the last
how many seconds of one core it took until it did. Those that want to deceive were judged behind the plugin interface, by
`vyre-conform certify --backend build/release/bin/libshapefault.so?FAULT --ops primitive.math.add --strength quick`, and the
seconds are of all of that. Written by `VYRE_BIN=build/release/bin python3 test/faults/shape_test.py --table`.

| fault | what it does | refused at | named | seconds |
|---|---|---|---|--:|
"""


def in_one_process(reports):
    """What test_shape_faults found: {fault: (levels, seconds)}. Reports are those of its shards; none: it is run."""
    with tempfile.TemporaryDirectory() as folder:
        if not reports:
            reports = [pathlib.Path(folder) / "report.xml"]
            subprocess.run([BIN / "test_shape_faults", f"--gtest_output=xml:{reports[0]}"], stdout=subprocess.DEVNULL)
        out = {}
        for report in reports:
            for case in xml.etree.ElementTree.parse(report).iter("testcase"):
                said = {p.get("name"): p.get("value") for p in case.iter("property")}
                if "note" in said and case.find("failure") is None:
                    out[said["fault"]] = ", ".join(re.findall(r"factor ([^=]+ = [^\n&]*)", said["note"])), said["seconds"], said["strength"]
        return out


def write_table(reports):
    found = in_one_process(reports)
    with open(ROOT / "docs" / "shape-faults.md", "w") as out:
        out.write(HEAD)
        for fault in FAULTS:
            strength, said, seconds = "-", "**not refused**", ""
            if fault.text in found:
                said, seconds, strength = found[fault.text]
            elif not fault.factor:
                judged = Judged(fault.text, "quick")
                seconds = f"{judged.seconds:.0f}"
                if judged.exit != 0:
                    strength = "quick"
                    said = judged.failures[0][0] if judged.failures else "the worker does not open it"
            out.write(f"| `{fault.text}` | {fault.meaning} | {strength} | {said} | {seconds} |\n")
            out.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        write_table(sys.argv[2:])
    else:
        unittest.main()
