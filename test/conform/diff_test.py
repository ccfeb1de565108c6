"""vyre-conform diff on certificates of real runs.

Oracle: docs/certificate.md, "Differences", and what the runs were asked for, which is written here.
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import envelopes
import operation_files
from conform import BIN, ConformTest, run

FAULTS = BIN / "libfault.so"  # not in sanitizer builds
FAMILIES = "ir.*l*"
PRIMITIVE = (f"integer=L2(1 of {operation_files.INTEGER_SUBJECTS}, {operation_files.families('Integer', FAMILIES)} of "
             f"{operation_files.families('Integer')} families) float=none")
FLOAT = (f"integer=none float=L2f(1 of {operation_files.FLOAT_SUBJECTS}, {operation_files.families('Float', FAMILIES)} of "
         f"{operation_files.families('Float')} families)")


class Diff(ConformTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.class_folder()
        run("keygen", cls.folder)
        cls.signed = cls.certificate("signed.json", "primitive.math.negate", 1, "--key", cls.folder / "vyre.key")
        cls.one = cls.folder / "one.json"
        envelope = json.loads(cls.signed.read_text()) | {"signatures": []}
        cls.one.write_text(json.dumps(envelope, separators=(",", ":")) + "\n")
        cls.other = cls.certificate("other.json", "float.f16.neg", 2)

    @classmethod
    def certificate(cls, name, operation, seed, *arguments):
        path = cls.folder / name
        done = run("certify", "--ops", operation, "--families", FAMILIES, "--strength", "quick", "--seed", seed, "--out", path,
                   *arguments)
        if not path.exists():
            raise RuntimeError(done.stdout + done.stderr)
        return path

    def diff(self, exit_code, *arguments):
        done = run("diff", *arguments)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        self.assertLessEqual(len(done.stdout.splitlines()), 10)
        return done

    def test_a_signature_is_no_difference(self):
        self.assertEqual(self.diff(0, self.one, self.signed).stdout, f"level: {PRIMITIVE} in both\n")

    def test_another_selection_loses_one_level_and_reaches_another(self):
        lines = self.diff(1, self.one, self.other).stdout.splitlines()
        self.assertEqual(lines[:2], [f"level: {PRIMITIVE} -> {FLOAT}",
                                     "what was asked: seed 1 -> 2, selection primitive.math.negate -> float.f16.neg"])
        self.assertRegex(lines[2], r"^no longer judged: primitive\.math\.negate@1, ir\.\w+, ir\.\w+ and \d+ more$")
        self.assertRegex(lines[3], r"^newly judged: float\.f16\.neg@1, ir\.\w+ \(floats\)$")
        self.assertEqual(len(lines), 4)

    @unittest.skipUnless(FAULTS.exists(), "sanitizer builds have no plugins")
    def test_a_backend_that_crashes_loses_its_level_by_a_case(self):
        right = self.certificate("right.json", "primitive.math.abs_diff", 1, "--backend", f"{FAULTS}?none")
        wrong = self.certificate("wrong.json", "primitive.math.abs_diff", 1, "--backend", f"{FAULTS}?segfault")
        failure = [f for v in envelopes.predicate(wrong)["verdicts"] for f in v["failures"]][0]
        lines = self.diff(1, right, wrong).stdout.splitlines()
        self.assertEqual(lines[0], f"level: {PRIMITIVE} -> integer=none float=none")
        lost = next(line for line in lines if line.startswith("lost: "))
        self.assertIn("primitive.math.abs_diff@1 L2 -> none (", lost)
        self.assertIn(f"first failing case: {failure['token']} (crashed): input {failure['input'][0]}", lines[-1])

    def test_bad_input(self):
        self.diff(2)
        self.diff(2, self.one)
        self.diff(2, self.one, self.folder / "none")
        self.assertIn("error[C001]", self.diff(1, self.one, __file__).stderr)
        self.assertIn("Example:\n  vyre-conform diff", run("diff", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
