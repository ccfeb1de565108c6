"""What a run that fails leaves behind: the first screen, the directory of failing cases, replay and what it writes.

libswapped.so (test/sweep/rewriting.cpp) is native, but it takes % for /. Oracle: that fault, so every case that fails has
a % in it and there is one cause; arithmetic by hand; docs/failures.md.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from conform import BIN, ConformTest, run

BROKEN = BIN / "libswapped.so"
SCREEN = 24  # lines
# Programs of all kinds have a `%` in them; by night all families are judged.
FAMILIES = os.environ.get("VYRE_FAMILIES", "ir.programs")
# 7 % 4 = 3, 7 / 4 = 1
KNOWN = """program known(read_write out: u32 @0) workgroup(1, 1, 1) {
  out[0] = 7 % 4;
}
// run: out=[0] groups=[1, 1, 1] => out=[3]
"""


@unittest.skipIf(os.environ.get("VYRE_SANITIZE") == "ON", "sanitizer builds have no libvyre.so for plugins")
class Failures(ConformTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.class_folder()
        cls.cases = cls.folder / "cases"
        cls.cases.mkdir()
        (cls.cases / "known.vyre").write_text(KNOWN)
        cls.done = run("certify", "--backend", BROKEN, "--strength", "quick", "--ops", "primitive.bitwise.not",
                       "--families", FAMILIES, "--regressions", cls.cases)

    def kept(self):
        return sorted(p for p in self.cases.iterdir() if p.name != "known.vyre")

    def screen(self):
        lines = self.done.stdout.splitlines()
        start = next(k for k, line in enumerate(lines) if line.startswith("FAILED: "))
        return lines[start:lines.index("", start)]

    # covers: SC-06
    def test_it_fails_and_says_so_first(self):
        self.assertEqual(self.done.returncode, 1, self.done.stdout + self.done.stderr)
        self.assertTrue(self.done.stdout.startswith(f"FAILED {self.cases}/known.vyre\n"), self.done.stdout[:500])
        self.assertIn("regressions: 1 failing, 0 passing\n", self.done.stdout)
        self.assertRegex(self.done.stdout.splitlines()[-1], "^level: ")

    def test_one_fault_is_one_cause_on_one_screen(self):
        screen = self.screen()
        self.assertLessEqual(len(screen), SCREEN)
        self.assertRegex(screen[0], "^FAILED: [0-9,]+ failures?, 1 cause$")
        self.assertIn("`%`", screen[1])

    def test_fail_fast_ends_at_the_first_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "cert.json"
            done = self.expect(1, "certify", "--backend", BROKEN, "--strength", "quick", "--ops", "primitive.bitwise.*",
                               "--families", "ir.programs", "--workers", 1, "--fail-fast", "--out", out)
            self.assertFalse(out.exists())
        self.assertRegex(done.stdout, r"(?m)^FAILED: [0-9,]+ failures?, 1 cause$")
        self.assertRegex(done.stdout, r"(?m)^   vyre-conform replay ir\.programs:\S+ --backend ")
        said = done.stdout.splitlines()[-2:]
        self.assertRegex(said[0], r"^--fail-fast: \d+ of \d+ units were judged, [1-9]\d* were not run; there is no certificate$")
        self.assertEqual(said[1], "level: none")

    def test_the_line_to_replay_works_as_it_stands(self):
        lines = [line.strip() for line in self.screen() if line.strip().startswith("vyre-conform replay ")]
        self.assertEqual(len(lines), 1)
        done = subprocess.run(lines[0], shell=True, capture_output=True, text=True, timeout=100,
                              env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("error[C005]", done.stderr)

    def test_every_case_is_kept_small_and_with_its_story(self):
        self.assertTrue(self.kept())
        for path in self.kept():
            text = path.read_text()
            body = [line for line in text.splitlines() if not line.startswith("//")]
            self.assertIn(" % ", "\n".join(body))
            self.assertLessEqual(sum(line.endswith((";", "{")) for line in body[1:]), 5, text)
            for key in ("subject", "fault", "found by", "vyre", "backend", "device", "driver", "token", "expected", "actual",
                        "size"):
                self.assertRegex(text, f"(?m)^// {key} +\\S")
            self.assertRegex(path.name, r"^ir\.[a-z]+-[0-9a-f]{12}\.vyre$")
            self.assertEqual(subprocess.run([BIN / "vyre", "check", path], capture_output=True).returncode, 0, text)
            self.assertNotRegex(text, r"\d\d:\d\d|20\d\d-\d\d")  # no time

    def test_a_directory_is_replayed(self):
        done = self.expect(1, "replay", self.cases, "--backend", BROKEN)
        count = len(self.kept()) + 1
        self.assertIn(f"regressions: {count} failing, 0 passing\n", done.stdout)
        self.assertEqual(self.expect(0, "replay", self.cases).stdout, f"regressions: 0 failing, {count} passing\n")
        self.assertEqual(len(self.kept()) + 1, count)  # what passes stays

    def test_a_file_is_replayed_with_bits_and_values(self):
        done = self.expect(1, "replay", self.cases / "known.vyre", "--backend", BROKEN)
        self.assertIn("expected  out = 0x00000003 (3)\n", done.stdout)
        self.assertIn("actual    out = 0x00000001 (1)\n", done.stdout)

    # The same input as the file has that is made of the token.
    def test_a_token_is_replayed_with_its_input(self):
        path = self.folder / "token.vyre"
        done = self.expect(1, "replay", "ir.control:program:1:24", "--backend", BROKEN, "--emit", "vyre", "-o", path)
        (line,) = re.findall(r"^// run: (.*) groups=", path.read_text(), re.M)
        inputs = re.findall(r"(\w+)=\[(.*?)\]", line)
        shown = re.findall(r"^  (?:input    |         ) (\w+) = (.*)$", done.stdout, re.M)
        self.assertEqual([name for name, _ in shown], [name for name, _ in inputs])
        for (name, values), (_, said) in zip(inputs, shown):
            # Bits and values; the file has either.
            elements = re.findall(r"(\w+)(?: \(([^)]*)\))?(?:, |$)", said)
            self.assertEqual([bits if bits in values else value for bits, value in elements], values.split(", "), name)

    def test_what_it_writes_stands_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            for form in ("vyre", "wgsl", "spirv", "cu", "cpp"):
                self.expect(0, "replay", self.cases / "known.vyre", "--emit", form, "-o", path / f"case.{form}")
            self.expect(0, "replay", path / "case.vyre")
            self.assertEqual(struct.unpack("<I", (path / "case.spirv").read_bytes()[:4])[0], 0x07230203)
            self.assertIn("@compute", (path / "case.wgsl").read_text())
            self.assertIn("__global__", (path / "case.cu").read_text())
            subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "case.cpp", "-o", "case"], cwd=path, check=True)
            done = subprocess.run([path / "case"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, "out: 0x00000003\n"))
            # Without -o the file is named after the case, in the folder at hand.
            done = self.expect(0, "replay", "primitive.math.mod@1:operands:0:0x7,0x4", "--emit", "cpp", cwd=path)
            self.assertRegex(done.stdout, r"^wrote primitive\.math\.mod-1-[0-9a-f]{12}\.cpp\n")
            self.assertTrue((path / done.stdout.splitlines()[0].removeprefix("wrote ")).exists())

    def test_what_is_waived_fails_no_run_when_it_fails_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            cases = path / "cases"
            cases.mkdir()
            for case in self.kept():
                shutil.copy(case, cases)
            count = len(self.kept())
            entry = ('[[failure]]\nsubject = "ir.*"\ntag = "swapped"\nlink = "https://example.org/1"\n'
                     "expires = 9999-12-31\n")
            (path / "known.toml").write_text(entry)
            certify = ("certify", "--backend", BROKEN, "--strength", "quick", "--ops", "primitive.bitwise.not",
                       "--families", "ir.programs", "--regressions", cases, "--expect", path / "known.toml")
            done = self.expect(0, *certify)
            self.assertIn(f"regressions: {count} failing, 0 passing\n", done.stdout)
            self.assertIn(f"regressions: {count} of {count} failing are waived by {path}/known.toml\n", done.stdout)
            # What a case without an explanation is was never said, so nothing waives it.
            (cases / "known.vyre").write_text(KNOWN)
            done = self.expect(1, *certify)
            self.assertIn(f"regressions: {count} of {count + 1} failing are waived by ", done.stdout)

    def test_bad_input(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.vyre"
            self.expect(2, "replay", path)
            self.expect(2, "replay", folder)  # nothing in it
            self.expect(2, "replay", self.cases, "--emit", "cpp")
            self.expect(2, "replay", self.cases / "known.vyre", "-o", "x")
            self.expect(2, "replay", self.cases / "known.vyre", "--emit", "rust")
            path.write_text(KNOWN.replace("out=[3]", "out=[4]"))
            self.assertIn("error[C017]", self.expect(1, "replay", path).stderr)
            path.write_text(KNOWN.replace("% 4", "% b"))
            self.assertIn("x.vyre:2:16: error[V", self.expect(1, "replay", path).stderr)
            path.write_text(KNOWN.replace("out=[0]", "out=[x]"))
            self.assertIn("error[X002]", self.expect(1, "replay", path).stderr)
            path.write_text("")
            self.assertIn("error[C003]", self.expect(1, "replay", path).stderr)
            # Nothing is judged while what was kept cannot be read.
            done = self.expect(2, "certify", "--regressions", folder)
            self.assertIn("x.vyre: ", done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
