"""Pipelines that are refused when they run, and constants that are chosen: what run lines of files cannot say.

Oracle: docs/spec/pipelines.md, docs/commands.md.
"""
import unittest

from program import CommandTest

PUT = """program put(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = out[0] + 1; }
"""


class Modules(CommandTest):
    def run_file(self, code, words, text, *arguments):
        path = self.write("file.vyre", text)
        done = self.expect(code, "run", path, "--backend", "reference", *arguments)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def test_more_groups_than_an_axis_has(self):
        for groups, axis in [("65536", "x"), ("1, 65536", "y"), ("2, 2, 4294967295", "z")]:
            text = PUT + f"pipeline main(read_write out: u32 @0) {{\n  dispatch put(out) groups({groups});\n}}"
            self.run_file(1, ["error[X005]", f"axis {axis}", ":3:"], text, "--set", "out=zeros:1")

    def test_what_stands_before_an_error_is_no_result(self):
        text = PUT + "pipeline main(read_write out: u32 @0) { dispatch put(out) groups(1); dispatch put(out) groups(65536); }"
        self.assertEqual(self.run_file(1, ["error[X005]"], text, "--set", "out=zeros:1").stdout, "")

    def test_shapes_of_tensors(self):
        parameter = "pipeline main(read t: tensor<u32, [2, 2]> @0, read_write out: u32 @1) {}"
        self.run_file(1, ["error[X007]"], parameter, "--set", "t=iota:3", "--set", "out=zeros:1")
        self.run_file(0, [], parameter, "--set", "t=iota:4", "--set", "out=zeros:1")
        dispatched = ("program look(read t: tensor<u32, [2, 2]> @0) workgroup(1, 1, 1) {}\n"
                      "pipeline main(read a: u32 @0) {\n  dispatch look(t = a) groups(len(a) != 3);\n}")
        self.run_file(1, ["error[X007]"], dispatched, "--set", "a=iota:2")
        self.run_file(0, [], dispatched, "--set", "a=iota:3")  # no groups: the shape does not matter

    def test_scratch_of_the_reference(self):
        text = "pipeline main(uniform n: u32 @0) {\n  scratch s: u32[n[0]];\n}"
        self.run_file(0, [], text, "--set", "n=16777216")  # 64 MiB
        self.run_file(3, ["error[B003]", "'s'", ":2:"], text, "--set", "n=16777217")

    def test_statements(self):
        # Each turn is one more: a loop of n turns of nothing takes n + 1.
        text = "pipeline main(uniform n: u32 @0) {\n  for i in 0..n[0] {}\n}"
        self.run_file(0, [], text, "--set", "n=16777215")
        self.run_file(3, ["error[B005]"], text, "--set", "n=16777216")

    def test_constants(self):
        text = "const W = 2 in {2, 3};\nprogram main(read_write out: u32 @0) workgroup(W, 1, 1) { out[0] = W; }"
        given = ["--groups", "1", "--set", "out=zeros:1"]
        self.assertEqual(self.run_file(0, [], text, *given).stdout, "out: 2\n")
        self.assertEqual(self.run_file(0, [], text, *given, "--const", "W=0x3").stdout, "out: 3\n")
        self.run_file(1, ["error[V046]", ":1:7"], text, *given, "--const", "W=4")
        for wrong in ["V=2", "W=2u32", "W=-2", "W=4294967296", "W=", "W", "=2", "W=1.5"]:
            self.run_file(2, ["vyre: "], text, *given, "--const", wrong)

    # covers: CC-05
    def test_conventions(self):
        # ir-types, "Convention": V2 is V1 and a read buffer at a binding; B006 and B007 are of the backend (exit 3).
        program = ("program main(read t: u32 @3, read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = t[1]; }",
                   "--groups", "1", "--set", "t=5,7", "--set", "out=zeros:1")
        pipeline = ("program get(read t: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) { out[0] = t[1]; }\n"
                    "pipeline main(read t: u32 @3, read_write out: u32 @0) { dispatch get(t, out) groups(1); }",
                    "--set", "t=5,7", "--set", "out=zeros:1")
        for text, *given in program, pipeline:
            for good in ["V1", "V2:3", "V2:0x3"]:
                self.assertEqual(self.run_file(0, [], text, *given, "--convention", good).stdout, "out: 7\n")
            for code, bad in [("B006", "V3"), ("B006", "V0"), ("B006", "V3:3"), ("B007", "V2"), ("B007", "V2:0"),
                              ("B007", "V2:1"), ("B007", "V1:3")]:
                self.run_file(3, [f"error[{code}]"], text, *given, "--convention", bad)
            for wrong in ["", "2", "v1", "V", "V2:", "V2:x", "V2:3:4", "V-1"]:
                self.run_file(2, ["vyre: --convention"], text, *given, "--convention", wrong)
            self.run_file(2, ["takes one --convention"], text, *given, "--convention", "V1", "--convention", "V1")


if __name__ == "__main__":
    unittest.main()
