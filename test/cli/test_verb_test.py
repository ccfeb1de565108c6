"""vyre test: the run and error lines of files. Oracle: docs/commands.md, "Tests"; values by hand."""
import unittest

from program import EXAMPLES, CommandTest

MODULE = """const W = 4 in {2, 4, 8};
operation my.twice(x: u32) -> u32 rows (3) => 6 { return x + x; }
program double(read a: u32 @0, read_write out: u32 @1) workgroup(W, 1, 1) {
  let i = invocation_id.x;
  out[i] = my.twice(a[i]) + W;
}
pipeline main(read a: u32 @0, read_write out: u32 @1) {
  dispatch double(a, out) groups(ceil_div(len(out), W));
}
"""
GOOD = MODULE + """// run: a=[1, 2] out=[0, 0] => out=[6, 8]
// run: W=8 a=[1, 2] out=[0, 0] => out=[10, 12]
// run: entry=double W=2 a=[5, 6, 7] out=[9, 9, 9] groups=[1] => out=[12, 14, 9]
"""


class Test(CommandTest):
    def test_files_count_once_a_backend(self):
        good = self.write("good.vyre", GOOD)
        done = self.expect(0, "test", good)
        self.assertEqual((done.stdout, done.stderr), ("3 passed, 0 failed\n", ""))
        done = self.expect(0, "test", good, "--backend", "reference,native")
        self.assertEqual(done.stdout, "6 passed, 0 failed\n")

    def test_a_folder_is_all_below_it_and_an_error_file_counts_once(self):
        (self.folder / "a/b").mkdir(parents=True)
        self.write("a/good.vyre", GOOD)
        self.write("a/b/bad.vyre", "program p(read a: u32 @0) workgroup(1, 1, 1) {\n  a[0] = 1;  // error: V006\n  b = 2;  // error: V003\n}\n")
        self.write("a/b/no.txt", "nothing of vyre")
        self.write("a/silent.vyre", "program p(read a: u32 @0) workgroup(1, 1, 1) { }\n")
        done = self.expect(0, "test", self.folder / "a", "--backend", "reference,native")
        self.assertEqual(done.stdout, "7 passed, 0 failed\n")

    def test_the_first_element_that_differs(self):
        wrong = self.write("wrong.vyre", MODULE + "// run: a=[1, 2, 3] out=[0, 0, 0] => out=[6, 9, 7]\n"
                                                  "// run: a=[1] out=[0] => out=[6, 1]\n// run: a=[1] out=[0] => out=[6]\n")
        done = self.expect(1, "test", wrong, "--backend", "reference,native")
        self.assertEqual(done.stdout, "2 passed, 4 failed\n")
        for name in ("reference", "native"):
            self.assertIn(f"{wrong}:10: out[1]: expected 9 (0x00000009), and {name} gives 8 (0x00000008)\n", done.stderr)
            self.assertIn(f"{wrong}:11: out[1]: expected 1 (0x00000001), and {name} gives no such element\n", done.stderr)

    def test_diagnostics_are_exactly_those_of_the_lines(self):
        bad = self.write("bad.vyre", "program p(read a: u32 @0) workgroup(1, 1, 1) {\n  a[0] = 1;\n  let c = 2; // error: V004\n}\n")
        done = self.expect(1, "test", bad)
        self.assertEqual(done.stdout, "0 passed, 1 failed\n")
        self.assertIn(f"{bad}:3: expected V004 here, and it does not come\n", done.stderr)
        self.assertIn(f"{bad}:2:3: error[V006]", done.stderr)
        # One line twice is two of them.
        twice = self.write("twice.vyre", "program p(read a: u32 @0) workgroup(1, 1, 1) {\n  a[0] = 1; // error: V006 V006\n}\n")
        self.assertIn("twice.vyre:2: expected V006 here", self.expect(1, "test", twice).stderr)
        # A file without error lines must be valid, and then its run lines say nothing.
        invalid = self.write("invalid.vyre", GOOD + "pipeline other() { dispatch nowhere() groups(1); }\n")
        done = self.expect(1, "test", invalid, "--backend", "reference,native")
        self.assertEqual(done.stdout, "0 passed, 1 failed\n")
        self.assertIn("error[V053]", done.stderr)

    def test_rows_are_run(self):
        row = self.write("row.vyre", GOOD.replace("=> 6 {", "=> 7 {"))
        self.assertIn("row.vyre:2:", self.expect(1, "test", row).stderr)
        declared = self.write("said.vyre", MODULE.replace("=> 6 {", "=> 7 {  // error: V050\n"))
        self.assertEqual(self.expect(0, "test", declared).stdout, "1 passed, 0 failed\n")

    def test_run_lines_that_do_not_fit(self):
        for line, words in [("V=4 a=[1] => out=[1]", "no constant 'V'"), ("W=3 a=[1] => out=[1]", "V046"),
                            ("entry=none a=[1] => out=[1]", "no such program, pipeline or graph"),
                            ("groups=[1] a=[1] => out=[1]", "pipeline"), ("b=[1] => out=[1]", "no buffer b"),
                            ("a=[x] => out=[1]", "'x' is not a number"), ("a=[1] => b=[1]", "no buffer b")]:
            with self.subTest(line):
                path = self.write("line.vyre", MODULE + f"// run: {line}\n// run: a=[0] out=[0] => out=[4]\n")
                done = self.expect(1, "test", path)
                self.assertEqual(done.stdout, "1 passed, 1 failed\n")
                self.assertIn(words, done.stderr)
                self.assertIn("line.vyre:10", done.stderr)
        malformed = self.write("malformed.vyre", MODULE + "// run: a=[1]\n")
        self.assertIn("error[P017]", self.expect(1, "test", malformed).stderr)

    def test_usage(self):
        self.refuse(2, "cannot read", "test", self.folder / "nowhere.vyre")
        self.refuse(2, "no .vyre files", "test", self.folder)
        self.refuse(3, "B004", "test", self.write("good.vyre", GOOD), "--backend", "nosuch")
        self.expect(0, "encode", EXAMPLES / "xor.vyre", "-o", self.folder / "xor.vyre")
        self.refuse(2, "wire form", "test", self.folder / "xor.vyre")

    def test_what_is_no_test_is_said(self):
        none = self.write("none.vyre", MODULE)
        done = self.expect(0, "test", none, self.write("good.vyre", GOOD))
        self.assertEqual(done.stdout, "3 passed, 0 failed\n")
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn(f"note: no tests in {none}: ", done.stderr)
        near = self.write("near.vyre", MODULE + "// runs: a=[1, 2] out=[0, 0] => out=[7, 8]\n")
        done = self.expect(0, "test", near)
        self.assertEqual(done.stdout, "0 passed, 0 failed\n")
        self.assertIn(f"{near}:10:4: warning[P017]: this begins with `runs` and so is no directive\n", done.stderr)
        self.assertIn("write // run: if it is meant as one", done.stderr)
        self.assertIn(f"note: no tests in {near}: ", done.stderr)
        # Of a folder the files without tests are its own affair.
        (self.folder / "a").mkdir()
        self.write("a/none.vyre", MODULE)
        self.assertIn("no tests in", self.expect(0, "test", self.folder / "a").stderr)
        self.write("a/good.vyre", GOOD)
        self.assertEqual(self.expect(0, "test", self.folder / "a").stderr, "")

    def test_the_subgroups_that_a_file_declares(self):
        lanes = self.write("lanes.vyre", "program p(read_write out: u32 @0) workgroup(8, 1, 1) {\n"
                                         "  out[local_id.x] = subgroup.lane();\n}\n// subgroup: 4\n"
                                         "// run: out=[9,9,9,9,9,9,9,9] => out=[0,1,2,3,0,1,2,3]\n")
        self.assertEqual(self.expect(0, "test", lanes, "--backend", "reference").stdout, "1 passed, 0 failed\n")


if __name__ == "__main__":
    unittest.main()
