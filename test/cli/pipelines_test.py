"""vyre run -v and vyre lower --to dot of pipelines. Oracle: docs/commands.md, counts and places by hand."""
import re
import shutil
import subprocess
import unittest

from program import EXAMPLES, SOURCE, CommandTest

COUNTED = """program step(read_write n: u32 @0) workgroup(1, 1, 1) {
  n[0] = n[0] - 1;
}
program twice(read n: u32 @0, read_write out: u32 @1) workgroup(2, 1, 1) {
  out[invocation_id.x] = n[0] * 2;
}
pipeline main(read_write n: u32 @0, read_write out: u32 @1, uniform turns: u32 @2) {
  repeat turns[0] while (n[0]) {
    dispatch step(n) groups(1);
  }
  for i in 0..3 {
    dispatch twice(n, out) groups(2);
  }
}
"""


class Pipelines(CommandTest):
    def verbose(self, turns):
        path = self.write("counted.vyre", COUNTED)
        done = self.expect(0, "run", path, "--set", "n=5", "--set", "out=zeros:4", "--set", f"turns={turns}", "-v")
        self.assertEqual(done.stdout, f"n: {max(0, 5 - turns)}\nout: {' '.join([str(2 * max(0, 5 - turns))] * 4)}\n")
        return done.stderr

    def test_a_table_of_dispatches(self):
        said = self.verbose(9)
        self.assertIn(f"counted.vyre: 8 dispatches over 24 bytes; compiled in ", said)
        self.assertRegex(said, r"    before the first dispatch: read [\d.]+ ms, check [\d.]+ ms, compile step [\d.]+ ms, "
                               r"compile twice [\d.]+ ms, copy [\d.]+ ms; after the last: copy back [\d.]+ ms\n")
        table = said[said.index("    dispatch"):].splitlines()
        self.assertRegex(table[0], r"^    dispatch +groups +count +time +bytes +GB/s$")
        self.assertRegex(table[1], r"^    step +1x1x1 +5 +[\d.]+ ms +20 +[\d.]+$")
        self.assertRegex(table[2], r"^    twice +2x1x1 +3 +[\d.]+ ms +60 +[\d.]+$")
        self.assertEqual(len({len(line) for line in table[:3]}), 1, "columns are aligned")
        self.assertNotIn("note:", said)

    def test_a_repeat_that_ended_with_its_last_turn(self):
        self.assertIn("    note: the `repeat` at 8:3 of main ended with its last turn, and its word in n was not zero\n",
                      self.verbose(2))
        self.assertNotIn("note:", self.verbose(5))

    def test_a_drawing(self):
        drawn = self.expect(0, "lower", EXAMPLES / "life.vyre", "--to", "dot").stdout
        self.assertEqual(drawn, (SOURCE / "test/golden/dot/life.dot").read_text())
        self.refuse(2, "is a program", "lower", EXAMPLES / "xor.vyre", "--to", "dot")
        self.refuse(2, "--backend", "lower", EXAMPLES / "life.vyre", "--to", "dot", "--backend", "native")

    # Graphviz takes what is drawn, of every kind of command.
    @unittest.skipIf(shutil.which("dot") is None, "no Graphviz here")
    def test_graphviz_reads_it(self):
        path = self.write("all.vyre", COUNTED.replace("pipeline main", "pipeline inner") + """
pipeline main(read_write n: u32 @0, uniform turns: u32 @1) {
  let size = len(n);
  scratch out: u32[ceil_div(size, 2) * 4];
  if (size > 1) {
    run inner(n, out, turns);
  } else if (size == 1) {
  } else {
    run inner(n, out, turns = [1]);
  }
}
""")
        for file in [path, EXAMPLES / "prefix_sum.vyre", EXAMPLES / "reduce.vyre", EXAMPLES / "sha256.vyre"]:
            drawn = self.expect(0, "lower", file, "--to", "dot").stdout
            done = subprocess.run(["dot", "-Tplain"], input=drawn, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), file)
        encoded = self.folder / "all.vyrb"
        self.expect(0, "encode", path, "-o", encoded)
        self.assertEqual(self.expect(0, "lower", encoded, "--to", "dot").stdout,
                         self.expect(0, "lower", path, "--to", "dot").stdout)


if __name__ == "__main__":
    unittest.main()
