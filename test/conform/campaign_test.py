"""Campaigns: `--state`, `--shard` and `merge`. A run that is killed, taken up and shared out ends with the
certificate of one that is not, byte for byte.

Oracle: the certificate of an undisturbed run; docs/campaigns.md.
"""
import concurrent.futures
import math
import os
import random
import signal
import subprocess
import time
import unittest

from conform import PROGRAM, ConformTest, run

NIGHT = os.environ.get("VYRE_CAMPAIGN_NIGHT") == "1"  # conform.campaign.night, minutes
# By day two families, since what is looked at is how parts make a whole: all of them take minutes.
SELECTION = ("--backend", "native", "--strength", "quick", "--ops", "primitive.bitwise.*r" if NIGHT else "primitive.math.negate",
             "--families", "*" if NIGHT else "ir.?o*")
KILLS = 200 if NIGHT else 5
SHARDS = (1, 2, 3, 7, 16, 64) if NIGHT else (1, 3)


class Campaign(ConformTest):
    @classmethod
    def setUpClass(cls):
        cls.at = cls.class_folder()
        begin = time.monotonic()
        done = run("certify", *SELECTION, "--out", cls.at / "whole.json")
        cls.seconds = time.monotonic() - begin
        assert done.returncode == 0, done.stdout + done.stderr
        cls.whole = (cls.at / "whole.json").read_bytes()

    # covers: SC-05
    def test_kills_change_nothing(self):
        chance, state, kills, went_on = random.Random(1), self.at / "killed", 0, 0
        # Of what a whole run takes here and now: on a busy machine the first result comes late as well.
        out, longest = self.at / "killed.json", self.seconds / 4
        while True:
            journal = state / "journal"
            went_on += journal.exists() and journal.stat().st_size > 1000  # a result at least, and not a part alone
            # As many moments between 20 and 40 ms, where it begins, as between 2 and 4 s, where it judges.
            moment = math.exp(chance.uniform(math.log(0.02), math.log(longest)))
            process = subprocess.Popen([PROGRAM, "certify", *SELECTION, "--state", state, "--out", out],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                status = process.wait(timeout=None if kills == KILLS else moment)
            except subprocess.TimeoutExpired:
                # All at once, as when power is lost, or it alone, and its workers find out.
                (os.killpg if kills % 2 == 0 else os.kill)(process.pid, signal.SIGKILL)
                process.wait()
                kills += 1
                continue
            self.assertEqual(status, 0)
            self.assertEqual(out.read_bytes(), self.whole)
            if kills == KILLS:
                print(f"{kills} kills; {went_on} runs found results", flush=True)
                self.assertTrue(went_on > KILLS // 4 or not NIGHT, went_on)
                return
            out.unlink()  # it ended before it was killed: from the beginning
            for file in state.iterdir():
                file.unlink()
            state.rmdir()

    def test_shards_in_any_order_and_nesting(self):
        chance = random.Random(2)
        for count in SHARDS:
            parts = [self.at / f"part-{index}-of-{count}" for index in range(count)]
            one = ("--workers", "1")  # as many side by side as there are cores
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                results = list(pool.map(lambda part: run("certify", *SELECTION, *one, "--state", part, "--shard",
                                                         f"{parts.index(part)}/{count}"), list(parts)))
            for done in results:
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                if count > 1:
                    self.assertEqual(done.stdout.splitlines()[-1], "level: partial")
            chance.shuffle(parts)
            while len(parts) > 2:  # two or three become one
                taken = chance.choice((2, 3))
                some, parts = parts[:taken], parts[taken:]
                into = self.at / f"merged-{count}-with-{len(parts)}-left"
                done = run("merge", *some, "--state", into)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                parts.append(into)
                chance.shuffle(parts)
            out = self.at / f"merged-{count}.json"
            done = run("merge", *parts, "--out", out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(out.read_bytes(), self.whole, count)

    def test_one_worker_or_two(self):
        for workers in ("1", "2"):
            out = self.at / f"workers-{workers}.json"
            done = run("certify", *SELECTION, "--workers", workers, "--out", out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(out.read_bytes(), self.whole)

    def test_what_does_not_belong_together_is_refused(self):
        state = self.at / "seed-1"
        done = run("certify", *SELECTION, "--state", state, "--shard", "1/2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        other = run("certify", *SELECTION, "--seed", "2", "--state", state)
        self.assertEqual(other.returncode, 1)
        self.assertIn("error[C020]", other.stderr)
        self.assertIn("seed is 1 there and 2 here", other.stderr)
        missing = run("merge", state, "--out", self.at / "none.json")
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn("error[C024]", missing.stderr)
        self.assertFalse((self.at / "none.json").exists())
        foreign = self.at / "foreign"
        foreign.mkdir()
        (foreign / "letter.txt").write_text("hello")
        refused = run("certify", *SELECTION, "--state", foreign)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("error[C019]", refused.stderr)
        self.assertEqual((foreign / "letter.txt").read_text(), "hello")
        alone = run("certify", *SELECTION, "--shard", "0/2")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("--state", alone.stderr)
        none = run("certify", *SELECTION, "--state", state, "--shard", "2/2")
        self.assertEqual(none.returncode, 2)
        self.assertIn("error[C023]", none.stderr)


if __name__ == "__main__":
    unittest.main()
