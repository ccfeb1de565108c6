"""What can go wrong with a campaign's files, through the command line: each is one diagnostic with its code and a way out,
nothing is lost, and what is intact is kept.

Oracle: docs/campaigns.md, the table of what happens; docs/expectations.md; the exit codes that docs/commands.md fixes.
"""
import glob
import hashlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from conform import PROGRAM, ConformTest, run

SELECTION = ("--backend", "native", "--strength", "quick", "--ops", "primitive.math.negate")
SHARD = ("--shard", "6/64")  # of identity alone, so the shortest


class BadState(ConformTest):
    @classmethod
    def setUpClass(cls):
        cls.at = cls.class_folder()
        cls.at.chmod(0o755)
        cls.judged = cls.at / "judged"
        done = run("certify", *SELECTION, *SHARD, "--state", cls.judged)
        assert done.returncode == 0, done.stdout + done.stderr

    def copy(self, name):
        shutil.copytree(self.judged, self.at / name)
        return self.at / name

    def files(self, state):
        return {file.name: file.read_bytes() for file in state.iterdir()}

    def refuse(self, code, exit_code, done, *words):
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error["), 1, done.stderr)
        self.assertIn(f"error[{code}]", done.stderr)
        self.assertIn("help: ", done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)

    def expect_taken_up(self, state):
        done = run("certify", *SELECTION, *SHARD, "--state", state)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_a_full_disk_loses_nothing(self):
        into = self.at / "full"
        room = (self.judged / "journal").stat().st_size - 50  # for the key, and not for the result
        done = run("merge", self.judged, "--state", into,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
        self.refuse("C018", 2, done, into / "journal", "File too large")
        self.assertEqual(run("merge", self.judged, "--state", into).returncode, 0)
        self.assertEqual((into / "journal").stat().st_size, (self.judged / "journal").stat().st_size)

    def test_a_directory_that_may_not_be_written(self):
        state = self.copy("read-only")
        before = self.files(state)
        other = ()
        if os.geteuid() == 0:  # whom permissions do not stop
            other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        else:
            for path in (*state.iterdir(), state):
                path.chmod(path.stat().st_mode & 0o555)
        self.refuse("C018", 2, run("certify", *SELECTION, *SHARD, "--state", state, prefix=other), state, "ermission denied")
        self.assertEqual(self.files(state), before)

    def test_two_runs_in_one_directory(self):
        state = self.at / "two"
        first = subprocess.Popen([PROGRAM, "certify", *SELECTION, "--state", state], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            end = time.monotonic() + 120
            while not (state / "journal").exists():
                self.assertIsNone(first.poll())
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)  # between two looks
            self.refuse("C021", 2, run("certify", *SELECTION, "--state", state), state, f"process {first.pid} on ")
            self.refuse("C021", 2, run("merge", state), state)
            self.assertIsNone(first.poll())
        finally:
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()

    def forge(self, name, field, value):
        """A state whose campaign has another value, and the sum that fits it."""
        state = self.copy(name)
        lines = (state / "campaign").read_text().splitlines()
        fields = "".join(f"{field} {value}\n" if line.split()[0] == field else line + "\n" for line in lines[:-1])
        (state / "campaign").write_text(fields + f"sha256 {hashlib.sha256(fields.encode()).hexdigest()}\n")
        return state

    def test_another_seed_and_another_registry(self):
        seed = self.forge("seed", "seed", 2)
        self.refuse("C020", 1, run("certify", *SELECTION, *SHARD, "--state", seed), "seed is 2 there and 1 here")
        self.refuse("C020", 1, run("merge", self.judged, seed), "seed is 1 there and 2 here")
        registry = self.forge("registry", "registry", "0" * 64)
        self.refuse("C020", 1, run("certify", *SELECTION, *SHARD, "--state", registry), "registry is 000")
        self.refuse("C020", 1, run("merge", registry), "registry")

    def test_a_truncated_journal(self):
        state = self.copy("cut")
        whole = (state / "journal").read_bytes()
        (state / "journal").write_bytes(whole[:-10])
        self.refuse("C024", 1, run("merge", state), "1 of the 1 units of shard 6/64 have no result", "--state")
        self.assertIn("0 of them from earlier runs", self.expect_taken_up(state).stdout)
        self.assertEqual((state / "journal").read_bytes(), whole)

    def test_a_damaged_journal_is_named_and_mended(self):
        state = self.copy("damaged")
        journal = bytearray((state / "journal").read_bytes())
        journal[-100] ^= 1
        (state / "journal").write_bytes(journal)
        done = self.expect_taken_up(state)
        self.assertEqual(done.stderr.count("error[C022]"), 1, done.stderr)
        self.assertIn("law.twins/integer", done.stderr)
        merged = []
        for name, part in (("mended", state), ("never-damaged", self.judged)):
            self.assertEqual(run("merge", part, "--state", self.at / name).returncode, 0)
            merged.append(self.files(self.at / name)["journal"])
        self.assertEqual(*merged)

    def test_a_file_of_expectations_that_is_none(self):
        known = self.at / "known.toml"
        known.write_text('[[failure]]\nsubject = "ir.loops"\ntag = "t"\nexpires = 2026-12-31\nlink = "#1"\n')
        for verb in (("certify", *SELECTION), ("merge", self.judged)):
            done = run(*verb, "--expect", known)
            self.refuse("C015", 2, done, f"{known}:5:8: error[C015]: 'link' is '#1'")
            self.assertEqual(done.stdout, "")
        gone = run("certify", *SELECTION, "--expect", self.at / "none.toml")
        self.assertEqual(gone.returncode, 2)
        self.assertIn("none.toml", gone.stderr)
        self.assertEqual(run("certify", *SELECTION, *SHARD, "--state", self.judged, "--expect", known).returncode, 2)


class Clock(unittest.TestCase):
    """A clock that jumps, years ahead and back."""

    def test_the_day_is_that_on_which_the_campaign_began(self):
        faketime = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        self.assertTrue(faketime, "Debian's libfaketime is not installed")
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            entry = '[[failure]]\nsubject = "{}"\ntag = "t"\nlink = "https://example.org/1"\nexpires = {}\n'
            (at / "known.toml").write_text(entry.format("ir.loops", "2026-06-01") + entry.format("ir.control", "2025-12-31"))
            first = None
            for clock in ("2026-01-01 12:00:00", "2031-01-01 12:00:00", "2001-01-01 12:00:00"):
                out = at / "certificate.json"
                done = run("certify", *SELECTION, "--families", "ir.?o*", "--state", at / "state", "--expect", at / "known.toml", "--out", out,
                           env={**os.environ, "LD_PRELOAD": faketime[0], "FAKETIME": f"@{clock}",
                                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"})
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                news = [line for line in done.stdout.splitlines() if line.startswith(str(at / "known.toml"))]
                first = first or (news, out.read_bytes())
                self.assertEqual((news, out.read_bytes()), first)
            self.assertEqual(len(first[0]), 2, first[0])
            self.assertIn("ir.loops (t, https://example.org/1) was expected to fail, and passes", first[0][0])
            self.assertIn("ir.control (t, https://example.org/1) expired on 2025-12-31", first[0][1])


if __name__ == "__main__":
    unittest.main()
