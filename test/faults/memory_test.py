"""vyre-conform certify before a backend that is wrong about memory: the command line as people type it.

Oracle: memory_faults.def, which says what each fault is and which family is there for it. test_memory_faults has them in
one process; here they are a plugin's.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import envelopes

BIN = pathlib.Path(os.environ["VYRE_BIN"])
PLUGIN = BIN / "libforgetful.so"
LEDGER = (pathlib.Path(__file__).parent / "memory_faults.def").read_text()
FAMILIES = {"Synchronization": "ir.synchronization", "Litmus": "ir.litmus"}
FAULTS = {name: FAMILIES[family] for name, family in re.findall(r"^VYRE_MEMORY_FAULT\((\w+), +(\w+),", LEDGER, re.MULTILINE)}


class Memory(unittest.TestCase):
    def conform(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([BIN / "vyre-conform", *map(str, arguments)], capture_output=True, text=True, timeout=900,
                                  cwd=folder)
            path = pathlib.Path(folder) / "cert.json"
            return done, envelopes.predicate(path) if path.exists() else None

    def certify(self, fault):
        return self.conform("certify", "--backend", f"{PLUGIN}?{fault}", "--ops", "primitive.bitwise.not", "--strength",
                            "quick", "--out", "cert.json")

    def refused(self, fault):
        done, certificate = self.certify(fault)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(certificate["levels"]["integer"], "none")
        failing = {v["subject"]: v["failures"] for v in certificate["verdicts"] if v["failures"]}
        self.assertIn(FAULTS[fault], failing, done.stdout)
        token = failing[FAULTS[fault]][0]["token"]
        self.assertIn(f"vyre-conform replay {token.split()[0]}", done.stdout)
        self.assertEqual(self.conform("replay", token, "--backend", f"{PLUGIN}?{fault}")[0].returncode, 1)
        self.assertEqual(self.conform("replay", token, "--backend", f"{PLUGIN}?None")[0].returncode, 0)

    def test_each(self):
        self.assertGreaterEqual(len(FAULTS), 10)
        for fault in FAULTS:
            with self.subTest(fault):
                self.refused(fault)

    def test_without_a_fault_it_is_certified(self):
        done, certificate = self.certify("None")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(certificate["levels"]["integer"].startswith("L2"))


if __name__ == "__main__":
    unittest.main()
