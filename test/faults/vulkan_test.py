"""A Vulkan driver that dies while it compiles costs the programs that it dies of, and nothing else.

Oracle: the loader of the tests aborts at modules that have SPIR-V's instruction 205, OpBitCount, so what counts bits
fails, and what does not passes.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import envelopes

PROGRAM = pathlib.Path(os.environ["VYRE_BIN"]) / "vyre-conform"


class DriverThatDies(unittest.TestCase):
    def test_costs_one_case(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate = pathlib.Path(folder) / "cert.json"
            environment = {**os.environ, "VYRE_VULKAN_LIB": os.environ["VYRE_FAULTY_VULKAN"],
                           "VYRE_FAULTY_VULKAN_ABORTS": "205", "VYRE_CACHE_DIR": folder}
            done = subprocess.run([PROGRAM, "certify", "--backend", "vulkan", "--ops", "primitive.bitwise.popcount",
                                   "--families", "ir.atomics", "--strength", "quick", "--out", certificate], env=environment, capture_output=True,
                                  text=True, timeout=500)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("in the middle of compiling the backend's process ended by signal 6", done.stdout)
            verdicts = {v["subject"]: v for v in envelopes.predicate(certificate)["verdicts"]}
        failures = {name: v["failures"] for name, v in verdicts.items()}
        self.assertTrue(failures["primitive.bitwise.popcount@1"])
        self.assertEqual({f["fault"] for f in failures["primitive.bitwise.popcount@1"]}, {"crashed"})
        self.assertEqual(failures["ir.atomics"], [])


if __name__ == "__main__":
    unittest.main()
