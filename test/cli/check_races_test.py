"""vyre check --races, as people type it.

Oracle: docs/race-analysis.md (the three answers and their exit codes), and programs of which a person knows.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["VYRE_BIN"])
EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"

FREE = """program free(read a: u32 @0, read_write o: u32 @1) workgroup(64, 1, 1) {
  o[invocation_id.x] = a[invocation_id.x];
}
"""
RACY = """program racy(read_write o: u32 @0) workgroup(64, 1, 1) {
  o[invocation_id.x >> 1] = 1;
}
"""
# What a ticket may be is the other invocations' doing; where there is no counter all of them are 0.
TICKETS = """program tickets(read_write t: u32 @0, read_write o: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let ticket = atomic_add(t[0], 1);
  if (len(t) > 0) { o[ticket] = i; }
}
"""


class CheckRaces(unittest.TestCase):
    def check(self, *texts, **environment):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, text in enumerate(texts):
                paths.append(pathlib.Path(folder) / f"p{number}.vyre")
                paths[-1].write_text(text)
            return subprocess.run([BIN / "vyre", "check", "--races", *paths], capture_output=True, text=True,
                                  timeout=120, env={**os.environ, **environment})

    def test_free_is_said_with_the_axes_that_are_taken_for_granted(self):
        done = self.check(FREE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.strip().endswith("p0.vyre: race-free for every number of workgroups along x, one along y and z"), done.stdout)

    def test_a_race_names_two_invocations_of_one_element(self):
        done = self.check(FREE, RACY)
        self.assertEqual(done.returncode, 1, done.stderr)
        line = next(line for line in done.stdout.splitlines() if "p1.vyre" in line)
        self.assertIn(": race: o[0] with groups ", line)
        self.assertIn("invocation 0,0,0 writes, invocation 1,0,0 writes", line)
        self.assertRegex(line, r"\((\S+/p1\.vyre):2:3 and \1:2:3\)$")

    def test_what_is_neither_is_unknown(self):
        done = self.check(TICKETS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("p0.vyre: unknown: ", done.stdout)
        self.assertRegex(done.stdout, r"  not ruled out: (\S+/p0\.vyre):4:21 and \1:4:21\n")
        self.assertIn("neither proved nor excluded", done.stdout)

    def test_every_pair_that_is_given_up_is_named(self):
        """Six stores at unknown places: each with itself and with each other."""
        stores = "".join(f"  if (len(t) > 0) {{ o[atomic_add(t[0], {n})] = {n}; }}\n" for n in range(1, 7))
        done = self.check("program many(read_write t: u32 @0, read_write o: u32 @1) workgroup(64, 1, 1) {\n"
                          "  let i = invocation_id.x;\n" + stores + "}\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        named = {line for line in done.stdout.splitlines() if "not ruled out" in line}
        path = done.stdout.split(": ")[0]
        self.assertTrue(path.endswith("/p0.vyre"), path)
        self.assertEqual(named, {f"  not ruled out: {path}:{a}:21 and {path}:{b}:21" for a in range(3, 9) for b in range(a, 9)})

    def test_a_program_without_a_text_says_so_too(self):
        with tempfile.TemporaryDirectory() as folder:
            text, wire = pathlib.Path(folder) / "t.vyre", pathlib.Path(folder) / "t.vyrb"
            text.write_text(TICKETS)
            subprocess.run([BIN / "vyre", "encode", text, "-o", wire], check=True)
            done = subprocess.run([BIN / "vyre", "check", "--races", wire], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(": unknown: ", done.stdout)
        self.assertIn("not ruled out: ? and ?", done.stdout)

    def test_without_a_solver_less_is_known_and_nothing_else(self):
        hard = FREE.replace("o[invocation_id.x]", "o[invocation_id.x << 7 | invocation_id.x >> 25]")
        self.assertIn(": race-free", self.check(hard).stdout)
        done = self.check(hard, VYRE_Z3="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(": unknown: no solver", done.stdout)

    def test_examples(self):
        done = subprocess.run([BIN / "vyre", "check", "--races", EXAMPLES / "block_sum.vyre", EXAMPLES / "sha256.vyre"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(": race-free"), 2)  # the program of each

    def test_a_program_that_is_no_program_is_refused_as_ever(self):
        done = self.check("program p(")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[P0", done.stderr)


if __name__ == "__main__":
    unittest.main()
