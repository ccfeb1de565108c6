"""A WebGPU library that is none, or breaks, before the programs as people use them: one diagnostic in the library's own
words and exit code 3, or the verdict of the case that caused it; never a hang, and no process left.

unit.backend_webgpu has every fault of the library. Oracle: what is planted (test/faults/faulty_webgpu.h), the documented
exit codes, and that what counts bits calls countOneBits in WGSL.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import envelopes

BIN = pathlib.Path(os.environ["VYRE_BIN"])
LIBRARIES = pathlib.Path(os.environ["VYRE_FAULTY_WEBGPU_FOLDER"])
PLANTED = "planted by the tests"
COUNTS_BITS = "program p(read a: u32 @0, read_write out: u32 @1) workgroup(4, 1, 1) { out[local_id.x] = popcount(a[local_id.x]); }"
OPERATION = "primitive.bitwise.popcount"
CASE = f"{OPERATION}@1:random:1:5"


def library(variant=""):
    return f"webgpu:{LIBRARIES / f'libfaulty_webgpu{variant}.so'}"


class Programs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "count.vyre").write_text(COUNTS_BITS)

    def call(self, program, *arguments, fault=""):
        environment = {**os.environ, "VYRE_FAULTY_WEBGPU": fault, "VYRE_CACHE_DIR": str(self.folder)}
        return subprocess.run([BIN / program, *map(str, arguments)], env=environment, capture_output=True, text=True,
                              timeout=500, cwd=self.folder)

    def run_program(self, backend, fault=""):
        return self.call("vyre", "run", "count.vyre", "--groups", "1", "--backend", backend, "--set", "a=0,1,3,255", "--set",
                         "out=zeros:4", fault=fault)


class Faults(Programs):
    def test_without_a_fault_it_runs(self):
        for variant in ("", "_polled"):
            done = self.run_program(library(variant))
            self.assertEqual((done.returncode, done.stdout), (0, "out: 0 1 2 8\n"), done.stderr)
        replayed = self.call("vyre-conform", "replay", CASE, "--backend", library())
        self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)

    def test_what_cannot_run_is_one_diagnostic_and_exit_code_3(self):
        for backend, fault, code, words in (
            ("webgpu:/no/such/library.so", "", "B001", "/no/such/library.so"),
            ("webgpu:libm.so.6", "", "B001", "wgpuCreateInstance"),
            (library("_older"), "", "B001", "wgpuSupportedFeaturesFreeMembers"),
            (library("_lacking"), "", "B001", "wgpuQueueSubmit"),
            (library(), "no-adapter=nobody is at home", "B001", "nobody is at home"),
            (library(), "no-device=it is taken", "B001", "it is taken"),
            (library(), "idle=0", "B001", "is 0x0, not 0x"),
            (library(), "refuses=countOneBits", "L003", "this is no WGSL"),
            (library(), "loses=countOneBits", "B011", PLANTED),
            (library(), "unmapped=1", "B012", "maps no memory"),
        ):
            with self.subTest(backend=backend, fault=fault):
                done = self.run_program(backend, fault)
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                errors = [line for line in done.stderr.splitlines() if line.startswith("error[")]
                self.assertEqual(len(errors), 1, done.stderr)
                self.assertTrue(errors[0].startswith(f"error[{code}]"), done.stderr)
                self.assertIn(words, done.stderr)
                self.assertIn("\n  help: ", done.stderr)

    def test_a_broken_case_has_a_verdict(self):
        for fault, words in (("refuses=countOneBits", "this is no WGSL"), ("loses=countOneBits", PLANTED),
                             ("hangs=countOneBits", "budget"), ("aborts=countOneBits", "signal 6")):
            with self.subTest(fault=fault):
                done = self.call("vyre-conform", "replay", CASE, "--backend", library(), "--budget", "2", fault=fault)
                self.assertIn(done.returncode, (1, 3), done.stdout + done.stderr)
                self.assertIn(words, done.stdout + done.stderr)

    def test_certify_without_a_device_says_so(self):
        done = self.call("vyre-conform", "certify", "--backend", library(), "--out", "none.json", fault="no-adapter=nobody")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("nobody", done.stderr)
        self.assertFalse((self.folder / "none.json").exists())


class Certification(Programs):
    def test_a_lost_device_costs_what_loses_it(self):
        done = self.call("vyre-conform", "certify", "--backend", library(), "--ops", OPERATION, "--strength", "quick",
                         "--out", "cert.json", fault="loses=countOneBits")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(PLANTED, done.stdout)
        verdicts = {v["subject"]: v for v in envelopes.predicate(self.folder / "cert.json")["verdicts"]}
        self.assertTrue(verdicts[f"{OPERATION}@1"]["failures"])
        self.assertEqual({f["fault"] for f in verdicts[f"{OPERATION}@1"]["failures"]}, {"lost the device"})
        self.assertEqual(verdicts["ir.barriers"]["failures"], [])


if __name__ == "__main__":
    unittest.main()
