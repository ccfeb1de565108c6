"""vyre-admit, the step of the build that lets no operation in which the gates refuse.

Oracle: docs/admission.md, "At build". That a bad operation is refused is for test/unit/admit: the gates are the same.
"""
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import operation_files
from conform import FolderTest, run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ALL = operation_files.PRIMITIVES + operation_files.FLOATS + operation_files.APPROXIMATE


class Admit(FolderTest):
    def setUp(self):
        super().setUp()
        self.stamp = self.folder / "admitted.txt"
        for layer in ("admit", "ops", "spec"):
            shutil.copytree(SOURCE / "src" / layer, self.folder / "src" / layer)

    def judged(self):
        return self.expect(0, self.folder, self.stamp, program="vyre-admit").stdout

    # covers: AG-01 AG-08
    def test_judges_what_changed(self):
        self.assertEqual(self.judged(), f"{ALL} of {ALL} operations judged, 0 refusals\n")
        self.assertEqual(len(self.stamp.read_text().splitlines()), ALL)
        self.assertEqual(self.judged(), f"0 of {ALL} operations judged, 0 refusals\n")
        with open(self.folder / "src/ops/primitive/math/gcd.cpp", "a") as file:
            file.write("// another text\n")
        self.assertEqual(self.judged(), f"1 of {ALL} operations judged, 0 refusals\n")
        with open(self.folder / "src/ops/floating/add.vyre", "a") as file:
            file.write("// another text, of three operations\n")
        self.assertEqual(self.judged(), f"3 of {ALL} operations judged, 0 refusals\n")
        with open(self.folder / "src/admit/rules.cpp", "a") as file:
            file.write("// another gate\n")
        self.assertEqual(self.judged(), f"{ALL} of {ALL} operations judged, 0 refusals\n")

    def test_a_file_that_is_not_there(self):
        (self.folder / "src/ops/primitive/math/gcd.cpp").unlink()
        done = run(self.folder, self.stamp, program="vyre-admit")
        self.assertEqual(done.returncode, 2)
        self.assertIn("gcd.cpp", done.stderr)


if __name__ == "__main__":
    unittest.main()
