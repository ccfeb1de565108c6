"""vyre run --compare with a backend that has a wrong operator: the first element and the first expression.

libswapped.so (swapped.cpp) is native, but it takes % for /. Oracle: arithmetic by hand, positions counted in the text.
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
        digests = [line.split()[-1] for line in done.stdout.splitlines()]
        self.assertEqual(len(set(digests)), 2, done.stdout)
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

    def test_a_wire_file_has_no_positions(self):
        kernel = self.write("kernel.vyre", KERNEL)
        self.expect(0, "encode", kernel, "-o", self.folder / "kernel.vyrb")
        said = self.differ(self.folder / "kernel.vyrb", "--groups", 1, "--set", "a=0,7,0,0", "--set", "b=9,3,9,9",
                           "--set", "out=zeros:4")
        self.assertIn("gives 1 (0x00000001) on reference and 2 (0x00000002)", said)


if __name__ == "__main__":
    unittest.main()
