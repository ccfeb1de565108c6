"""vyre run --detect-races and --schedule, over the corpus of kernels that race or nearly do.

Oracle: the verdict in each kernel's head, worked out by hand from the semantics, "Memory"; what a kernel computes.
"""
import pathlib
import re
import shlex
import statistics
import subprocess
import time
import unittest

from program import BIN, CommandTest

CORPUS = sorted((pathlib.Path(__file__).parent.parent / "races").glob("*.vyre"))


def head(path, word):
    return re.search(rf"^// {word}: (.*)$", path.read_text(), re.MULTILINE)[1]


class Corpus(CommandTest):
    def test_verdicts(self):
        """The detector is exact: it finds a race in each kernel that has one, and none in the others."""
        self.assertGreaterEqual(len(CORPUS), 100)
        seconds = []
        for path in CORPUS:
            with self.subTest(path.name):
                begin = time.monotonic()
                done = subprocess.run([BIN / "vyre", "run", path, "--detect-races", *shlex.split(head(path, "dispatch"))],
                                      capture_output=True, text=True, timeout=60)
                seconds.append(time.monotonic() - begin)
                races = head(path, "race")
                self.assertEqual(done.returncode, {"yes": 1, "no": 0}[races], done.stderr)
                self.assertEqual("error[X013]: data race on " in done.stderr, races == "yes", done.stderr)
                if races == "yes":  # both places in the text, and both invocations
                    self.assertGreaterEqual(done.stderr.count(f"{path.name}:"), 2, done.stderr)
                    self.assertGreaterEqual(len(set(re.findall(r"invocation (\d+,\d+,\d+ of workgroup \d+)", done.stderr))), 2,
                                            done.stderr)
        print(f"\n{len(CORPUS)} kernels, median {statistics.median(seconds) * 1000:.0f} ms, "
              f"longest {max(seconds) * 1000:.0f} ms")

    def test_schedules_change_nothing_where_nothing_races(self):
        for path in CORPUS:
            if head(path, "race") == "yes" or path.name.startswith(("atomic", "last-block", "flag", "ticket")):
                continue  # what atomics give back depends on their order
            with self.subTest(path.name):
                run = ["run", path, "--backend", "reference", *shlex.split(head(path, "dispatch"))]
                outputs = {self.expect(0, *run, *schedule).stdout
                           for schedule in ((), ("--schedule", "1"), ("--schedule", "2"), ("--schedule", "99"))}
                self.assertEqual(len(outputs), 1)


class Words(CommandTest):
    def test_both_places(self):
        path = self.write("racy.vyre", """program racy(read_write out: u32 @0) workgroup(4, 1, 1) {
  let i = invocation_id.x;
  out[i] = i;
  let x = out[(i + 1) & 3];
  out[i + 4] = x;
}
""")
        said = self.expect(1, "run", path, "--groups", "1", "--set", "out=zeros:8", "--detect-races").stderr
        self.assertIn("error[X013]: data race on out[", said)
        self.assertIn("racy.vyre:3:3", said)
        self.assertIn("racy.vyre:4:11", said)

    def test_a_schedule_is_repeatable_and_another_may_differ(self):
        path = self.write("ticket.vyre", """program ticket(read_write c: u32 @0, read_write out: u32 @1) workgroup(8, 1, 1) {
  out[invocation_id.x] = atomic_add(c[0], 1);
}
""")
        run = ("run", path, "--groups", "1", "--set", "c=zeros:1", "--set", "out=zeros:8", "--get", "out")
        seen = {seed: self.expect(0, *run, "--schedule", seed).stdout for seed in ("1", "2", "3", "4")}
        for seed, text in seen.items():
            self.assertEqual(self.expect(0, *run, "--schedule", seed).stdout, text)
            self.assertEqual(sorted(text.split()[1:]), list("01234567"))
        self.assertGreater(len(set(seen.values())), 1)

    def test_an_order_of_atomics_that_matters_is_a_warning(self):
        path = self.write("ticket.vyre", """program ticket(read_write c: u32 @0, read_write out: u32 @1) workgroup(8, 1, 1) {
  out[invocation_id.x] = atomic_add(c[0], 1);
}
""")
        done = self.expect(0, "run", path, "--groups", "1", "--set", "c=zeros:1", "--set", "out=zeros:8", "--detect-races")
        self.assertIn("warning[X014]: out[", done.stderr)
        sums = self.write("sum.vyre", """program total(read_write c: u32 @0) workgroup(8, 1, 1) {
  let old = atomic_add(c[0], invocation_id.x);
}
""")
        done = self.expect(0, "run", sums, "--groups", "2", "--set", "c=zeros:1", "--detect-races")
        self.assertEqual(done.stdout, "c: 120\n")
        self.assertNotIn("warning", done.stderr)

    def test_what_was_covered_is_said_where_nothing_is_found(self):
        sums = self.write("sum.vyre", """program total(read_write c: u32 @0) workgroup(8, 1, 1) {
  let old = atomic_add(c[0], invocation_id.x);
}
""")
        # 2 workgroups of 8 are few enough to try, but 16! orders of their sums are not; 9 are too many from the start.
        done = self.expect(0, "run", sums, "--groups", "2", "--set", "c=zeros:1", "--detect-races")
        self.assertIn("no race found: 5 schedules were run; exploring all was given up: more than", done.stderr)
        done = self.expect(0, "run", sums, "--groups", "9", "--set", "c=zeros:1", "--detect-races")
        self.assertIn("no race found: 5 schedules were run; 72 invocations are too many to explore all", done.stderr)
        one = self.write("one.vyre", "program one(read_write c: u32 @0) workgroup(2, 1, 1) {\n  c[local_id.x] = 1;\n}\n")
        done = self.expect(0, "run", one, "--groups", "1", "--set", "c=zeros:2", "--detect-races")
        self.assertIn("no race found: 5 schedules were run, and all there are explored (1 execution)\n", done.stderr)

    def test_each_dispatch_of_a_pipeline_is_named(self):
        path = self.write("two.vyre", """program first(read_write c: u32 @0) workgroup(2, 1, 1) {
  c[local_id.x] = 1;
}
program second(read_write c: u32 @0) workgroup(1, 1, 1) {
  c[invocation_id.x] = 2;
}
pipeline main(read_write c: u32 @0) {
  dispatch first(c) groups(1);
  dispatch second(c) groups(2);
}
""")
        done = self.expect(0, "run", path, "--set", "c=zeros:2", "--detect-races")
        self.assertEqual([line.split(": no race found")[0] for line in done.stderr.splitlines()],
                         [f"{path}: dispatch 1: first, groups 1,1,1", f"{path}: dispatch 2: second, groups 2,1,1"])
        alone = self.expect(0, "run", path, "--entry", "second", "--groups", "2", "--set", "c=zeros:2", "--detect-races")
        self.assertTrue(alone.stderr.startswith(f"{path}: second, groups 2,1,1: no race found: 5 schedules"), alone.stderr)

    def test_barriers_that_diverge(self):
        path = self.write("diverging.vyre", """program diverging(read a: u32 @0, read_write out: u32 @1) workgroup(4, 1, 1) {
  let x = a[local_id.x];
  if (x > 1) {
    barrier;
  }
  out[local_id.x] = x;
}
""")
        run = ("run", path, "--groups", "1", "--set", "out=zeros:4")
        # Nothing else than the watching reference takes such a program.
        for backend in ("reference", "native"):
            self.refuse(1, "error[V010]", *run, "--set", "a=iota:4", "--backend", backend)
        self.refuse(1, "error[V010]", *run, "--set", "a=iota:4", "--schedule", "1")
        done = self.expect(1, *run, "--set", "a=iota:4", "--detect-races")
        self.assertIn("diverging.vyre:4:5: warning[V010]", done.stderr)
        self.assertIn("diverging.vyre:4:5: error[X016]: invocation 2,0,0 of workgroup 0 waits at this barrier, and "
                      "invocation 0,0,0 of workgroup 0 has ended", done.stderr)
        self.assertEqual(done.stdout, "")
        done = self.expect(0, *run, "--set", "a=7,7,7,7", "--detect-races")
        self.assertIn("warning[V010]", done.stderr)
        self.assertEqual(done.stdout, "out: 7 7 7 7\n")
        other = self.write("two.vyre", """program two(read_write out: u32 @0) workgroup(2, 1, 1) {
  if (local_id.x == 0) {
    barrier;
  } else {
    barrier;
  }
}
""")
        done = self.expect(1, "run", other, "--groups", "1", "--set", "out=zeros:1", "--detect-races")
        self.assertIn("two.vyre:3:5: error[X016]", done.stderr)
        self.assertIn("two.vyre:5:5: note: invocation 1,0,0 of workgroup 0 waits here", done.stderr)

    def test_memory_that_nobody_wrote_is_a_warning(self):
        path = self.write("unwritten.vyre", """program unwritten(read_write out: u32 @0, workgroup s: u32[8]) workgroup(4, 1, 1) {
  s[local_id.x] = 1;
  barrier;
  out[local_id.x] = s[local_id.x + 4];
}
""")
        done = self.expect(0, "run", path, "--groups", "1", "--set", "out=zeros:4", "--detect-races")
        self.assertIn("warning[X015]: s[4] is read before any write", done.stderr)
        self.assertIn("unwritten.vyre:4:21", done.stderr)

    def test_they_are_of_the_reference(self):
        path = self.write("p.vyre", "program p(read_write o: u32 @0) workgroup(1, 1, 1) {\n  o[0] = 1;\n}\n")
        for other in (("--backend", "native"), ("--compare", "reference,native")):
            self.refuse(2, "--schedule and --detect-races are of the reference", "run", path, "--groups", "1", "--set",
                        "o=zeros:1", "--detect-races", *other)
        self.expect(0, "run", path, "--groups", "1", "--set", "o=zeros:1", "--schedule", "3", "--backend", "reference")


if __name__ == "__main__":
    unittest.main()
