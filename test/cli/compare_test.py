"""vyre run --compare with a backend that has a wrong operator: the first element and the first expression.

libswapped.so (test/sweep/rewriting.cpp) is native, but it takes % for /. Oracle: arithmetic by hand, positions counted in the text.
"""
import os
import unittest

from program import BIN, CommandTest

PLUGIN = BIN / "libswapped.so"
KERNEL = """program p(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(4, 1, 1) {
  let i = invocation_id.x;
  let sum = 0;
  for k in 0..3 {
    sum = sum + a[i] % (b[i] + k);
  }
  out[i] = sum * 10;
}
"""
TWICE = """program q(read_write out: u32 @2) workgroup(4, 1, 1) {
  out[invocation_id.x] = out[invocation_id.x] * 2;
}
"""


@unittest.skipIf(os.environ.get("VYRE_SANITIZE") == "ON", "sanitizer builds have no libvyre.so for plugins")
class Compare(CommandTest):
    def differ(self, *arguments):
        done = self.expect(1, "run", *arguments, "--compare", f"reference,{PLUGIN}")
        *digests, verdict = done.stdout.splitlines()
        self.assertEqual(len({line.split()[-1] for line in digests}), 2, done.stdout)
        self.assertEqual(verdict, f"different: {PLUGIN} from reference")
        return done.stderr

    def test_the_first_expression_with_its_place(self):
        kernel = self.write("kernel.vyre", KERNEL)
        said = self.differ(kernel, "--groups", 1, "--set", "a=0,7,0,0", "--set", "b=9,3,9,9", "--set", "out=zeros:4")
        # Invocation 1: 7 % 3 + 7 % 4 + 7 % 5 = 1 + 3 + 2; 7 / 3 + 7 / 4 + 7 / 5 = 2 + 1 + 1.
        self.assertIn("error[X008]: out[1]: reference has 60", said)
        self.assertIn("kernel.vyre:5:17: error[X008]: `a[i] % (b[i] + k)` gives 1 (0x00000001) on reference and "
                      f"2 (0x00000002) on {PLUGIN}, in invocation (1, 0, 0)\n", said)
        self.assertIn(" 5 |     sum = sum + a[i] % (b[i] + k);\n   |                 ^~~~~~~~~~~~~~~~~\n", said)

    def test_rounds_before_are_counted(self):
        kernel = self.write("kernel.vyre", KERNEL)
        # 9 % 8 = 1 = 9 / 8; then 9 % 9 = 0, 9 / 9 = 1.
        said = self.differ(kernel, "--groups", 1, "--set", "a=9,0,0,0", "--set", "b=8,9,9,9", "--set", "out=zeros:4")
        self.assertIn("gives 0 (0x00000000) on reference and 1 (0x00000001)", said)
        self.assertIn("note: this invocation had computed it 1 time before, alike", said)

    def test_the_step_that_differs(self):
        kernel, twice = self.write("kernel.vyre", KERNEL), self.write("twice.vyre", TWICE)
        said = self.differ(twice, "--groups", 1, "--then", kernel, "--groups", 1, "--then", twice, "--groups", 1,
                           "--set", "a=0,7,0,0", "--set", "b=9,3,9,9", "--set", "out=zeros:4")
        self.assertIn("kernel.vyre:5:17: error[X008]", said)

    def test_the_dispatch_of_a_pipeline(self):
        module = self.write("module.vyre", KERNEL + TWICE + """
pipeline main(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) {
  scratch sums: u32[len(out)];
  for i in 0..2 {
    dispatch q(out) groups(1);
  }
  dispatch p(a, b, out = sums) groups(1);
  dispatch p(a, b = sums, out) groups(1);
}
""")
        # 7 % 3 + 7 % 4 + 7 % 5 and 7 / 3 + 7 / 4 + 7 / 5 of invocation 1 as above; it is the third dispatch that differs.
        said = self.differ(module, "--set", "a=0,7,0,0", "--set", "b=9,3,9,9", "--set", "out=zeros:4")
        self.assertIn("module.vyre:5:17: error[X008]: `a[i] % (b[i] + k)` gives 1 (0x00000001) on reference and "
                      f"2 (0x00000002) on {PLUGIN}, in invocation (1, 0, 0)\n", said)
        self.assertIn("dispatch 3 of the run, of p, is the first after which they differ", said)

    def test_a_wire_file_has_no_positions(self):
        kernel = self.write("kernel.vyre", KERNEL)
        self.expect(0, "encode", kernel, "-o", self.folder / "kernel.vyrb")
        said = self.differ(self.folder / "kernel.vyrb", "--groups", 1, "--set", "a=0,7,0,0", "--set", "b=9,3,9,9",
                           "--set", "out=zeros:4")
        self.assertIn("gives 1 (0x00000001) on reference and 2 (0x00000002)", said)


    # Oracle: docs/adding-a-backend.md, section 5: a plugin gets arithmetic on floats composed of integers, whatever the
    # machine has; section 3 names the forms.
    def test_lower_shows_what_a_plugin_is_given(self):
        kernel = self.write("half.vyre", "program half(read a: f32 @0, read_write out: f32 @1) workgroup(8, 1, 1) {\n"
                                         "  out[local_id.x] = a[local_id.x] * 0.5;\n}\n")
        lower = ["lower", kernel, "--backend", PLUGIN, "--to"]
        legal = self.expect(0, *lower, "legal").stdout
        self.assertTrue(legal.startswith("legal half workgroup(8, 1, 1)\n"))
        self.assertNotIn("fmul.raw", legal)
        self.assertNotIn("floats ", legal)
        self.assertIn("long_mul.raw", legal)
        self.assertIn("fmul f32", self.expect(0, *lower, "kernel").stdout)
        self.assertIn("void @vyre_kernel(", self.expect(0, *lower, "llvm").stdout)
        self.assertIn("OpMemoryModel Logical GLSL450", self.expect(0, *lower, "spirv-asm").stdout)
        self.refuse(2, "kernel, legal, llvm, ptx, spirv, wgsl", *lower, "asm")
        self.refuse(1, "P002", "lower", self.write("bad.vyre", "program"[:4] + " x"), "--backend", PLUGIN, "--to", "legal")
        self.refuse(3, "B013", "lower", kernel, "--backend", "./nothing.so", "--to", "legal")
        lane = self.write("lane.vyre", "program lane(read_write out: u32 @0) workgroup(32, 1, 1) {\n"
                                       "  out[local_id.x] = subgroup.lane();\n}\n")
        self.refuse(3, ["B002", "subgroup.lane"], "lower", lane, "--backend", PLUGIN, "--to", "legal")


if __name__ == "__main__":
    unittest.main()
