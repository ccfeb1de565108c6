"""vyre-conform before a backend that kills its process: the command lines as people type them.

test_faults (faults_test.cpp) has every mode of libfault.so; here are the ones that a tool could die of, with
families around them. Oracle: what the plugin does by its definition (test/faults/faults.h), the documented exit codes.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import envelopes
import operation_files

BIN = pathlib.Path(os.environ["VYRE_BIN"])
PLUGIN = BIN / "libfault.so"
OPERATION = "primitive.math.abs_diff"
TRIGGER = f"{OPERATION}@1:random:1:137"
OPERANDS = [0x34abff3f, 0xe95e8d90]


def left_behind(mark):
    """Processes whose environment has the mark, by command line: what they inherit tells whose they are."""
    out = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                out.append((folder / "cmdline").read_bytes())
        except OSError:
            pass  # it has ended, or is another user's
    return out


class Faults(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def conform(self, *arguments, **environment):
        mark = f"VYRE_FAULTS_TEST={self.folder}"
        name, value = mark.split("=")
        done = subprocess.run([BIN / "vyre-conform", *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              cwd=self.folder, env={**os.environ, name: value, **environment})
        self.assertEqual(left_behind(mark.encode()), [])
        return done

    def certify(self, backend, *arguments, **environment):
        done = self.conform("certify", "--backend", backend, "--ops", OPERATION, "--strength", "quick", "--out", "cert.json",
                            *arguments, **environment)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["cert.json", "cert.report.json"], done.stdout + done.stderr)
        return done, envelopes.predicate(self.folder / "cert.json")

    def listed(self):
        """How many failing cases the run report lists, which has to be as many as the certificate counts."""
        verdicts = envelopes.predicate(self.folder / "cert.json")["verdicts"]
        subjects = json.loads((self.folder / "cert.report.json").read_text())["subjects"]
        total = 0
        for verdict, subject in zip(verdicts, subjects, strict=True):
            runs = [range(int(r["first"]), int(r["last"]) + 1, int(r["stride"])) for r in subject["failing"]]
            failed = sum(int(row["cases"]["failed"]) + int(row["cases"].get("waived", "0")) for row in verdict["parity"])
            self.assertEqual(sum(map(len, runs)), failed, verdict["subject"])
            self.assertEqual("failing_digest" in verdict, failed > 0)
            total += failed
        return total

    def test_without_a_fault_it_is_certified(self):
        done, certificate = self.certify(f"{PLUGIN}?none")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], f"level: integer=L2(1 of {operation_files.INTEGER_SUBJECTS}) float=none")
        self.assertEqual(certificate["levels"]["integer"], "L2")
        self.assertEqual(self.listed(), 0)

    def test_a_crash_is_the_verdict_of_one_case(self):
        done, certificate = self.certify(PLUGIN, "--families", "ir.*l*", VYRE_FAULT="segfault")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(certificate["levels"]["integer"], "none")
        failures = [f for v in certificate["verdicts"] for f in v["failures"]]
        self.assertEqual(len(failures), 1, failures)
        self.assertEqual(failures[0]["fault"], "crashed")
        self.assertEqual([int(word, 0) for word in failures[0]["input"]], OPERANDS)
        self.assertEqual(failures[0]["token"], TRIGGER)
        self.assertEqual(self.listed(), 1)
        self.assertIn("crashed", done.stdout)
        self.assertIn(f"vyre-conform replay {TRIGGER}", done.stdout)

    def test_a_fault_that_is_known_is_waived(self):
        (self.folder / "known.toml").write_text(f"""[[failure]]
subject = "{OPERATION}@1"
fault = "wrong value"
tag = "trigger"
link = "https://example.org/7"
expires = 2099-12-31
""")
        certify = ("certify", "--backend", f"{PLUGIN}?wrong_value", "--ops", OPERATION, "--strength", "quick", "--families",
                   "ir.?o*")
        done = self.conform(*certify, "--state", "state", "--expect", "known.toml", "--out", "cert.json", "--junit", "j.xml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "level: integer=none float=none")
        self.assertIn(f"waived {OPERATION}@1", done.stdout)
        self.assertEqual(envelopes.predicate(self.folder / "cert.json")["waivers"], [
            {"subject": f"{OPERATION}@1", "failures": "1", "tag": "trigger", "link": "https://example.org/7",
             "expires": "2099-12-31"}])
        self.assertIn("https://example.org/7", (self.folder / "j.xml").read_text())
        self.assertEqual(self.listed(), 1)
        self.assertEqual(self.conform("verify", "cert.json").returncode, 0)
        # The results are kept, and the same failure without the file, or with a level that is wanted, is one.
        self.assertEqual(self.conform(*certify, "--state", "state").returncode, 1)
        below = self.conform(*certify, "--state", "state", "--expect", "known.toml", "--require", "L1")
        self.assertEqual(below.returncode, 1)
        self.assertIn("error[C006]", below.stderr)

    def test_replay_survives_what_it_shows(self):
        for mode in ("segfault", "abort"):
            done = self.conform("replay", TRIGGER, "--backend", f"{PLUGIN}?{mode}")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("signal", done.stdout + done.stderr)
        self.assertEqual(self.conform("replay", TRIGGER, "--backend", f"{PLUGIN}?none").returncode, 0)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_unknown_fault_is_refused_with_the_list(self):
        done = self.conform("replay", TRIGGER, "--backend", f"{PLUGIN}?nothing")
        self.assertEqual(done.returncode, 3)
        self.assertIn("segfault", done.stderr)


if __name__ == "__main__":
    unittest.main()
