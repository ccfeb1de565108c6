"""docs/adding-an-op.md as its reader meets it: the files that its blocks make, and what the page says is said of them.

Oracle: the page. Its first block of text is src/ops/primitive/math/avg_floor.vyre, the second one the claims that it then
has; its blocks of C++, one after the other, are avg_floor.cpp beside it; the two under "Operations on floats" are
src/ops/floating/abs_diff.vyre and abs_diff.cpp; and its other blocks are what a tool prints.

Nothing is built anew: the C++, and the registry's list with two more rows, are compiled by the commands of the build and
linked before its static libraries, so that the linker takes these for the list; some files and links, 15 s. What
looks at folders sees a copy of src/ that has the files.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("VYRE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("VYRE_BUILD", SOURCE / "build/release"))
PAGE = (SOURCE / "docs/adding-an-op.md").read_text()
INTEGERS, FLOATS = PAGE.split("## Operations on floats\n")
NAME, PATH, TEXT_PATH = "primitive_math_avg_floor", "src/ops/primitive/math/avg_floor.cpp", "src/ops/primitive/math/avg_floor.vyre"
FLOATS_PATH, FLOATS_TEXT_PATH = "src/ops/floating/abs_diff.cpp", "src/ops/floating/abs_diff.vyre"

sys.path.insert(0, str(SOURCE / "test"))
import operation_files


def blocks(language, page=PAGE):
    return [text for of, text in re.findall(r"^```(\w*)\n(.*?)^```$", page, re.S | re.M) if of == language]


def the_text(forgetful=False):
    """The operation; forgetful: with the claims that the page gives first."""
    text, claims = blocks("vyre", INTEGERS)
    (first,) = re.findall(r"^ +claims .*\n", text, re.M)
    return text if forgetful else once(text, first, claims)


def once(text, old, new):
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def words(text):
    """Lines are broken where the page is full."""
    return " ".join(text.split())


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        shutil.copytree(SOURCE / "src", cls.folder / "src")
        commands = {pathlib.Path(c["file"]).name: c for c in json.loads((BUILD / "compile_commands.json").read_text())
                    if "vyre_ops.dir" in c["command"]}
        cls.command_of = {name: command["command"].split(" -o ")[0] for name, command in commands.items()}
        cls.listed = pathlib.Path(commands["operation_files.cpp"]["file"]).read_text()
        file, text = "".join(blocks("cpp", INTEGERS)), the_text()
        (wrong,) = re.findall(r"Had the composition been `(.*?)`", PAGE)
        (other_row,) = re.findall(r"With `(.*?)`:", PAGE)
        row = re.search(r"^ +\(0, 1\) => 0,.*\n", text, re.M)[0]
        formula = re.search(r"^ +\.define =\n.*?^ +\},\n", file, re.S | re.M)[0]
        (floats,), (cls.floats_text,) = blocks("cpp", FLOATS), blocks("vyre", FLOATS)
        cls.floats = cls.compile("float_operators.cpp", cls.write(cls.folder / FLOATS_PATH, floats))
        cls.write(cls.folder / FLOATS_TEXT_PATH, cls.floats_text)
        composition = re.search(r"return (.*);", text)[1]
        cls.objects = {
            "right": cls.variant("right", file, text),
            "wrong": cls.variant("wrong", file, once(text, composition, wrong)),
            "less": cls.variant("less", once(file, formula, ""), once(the_text(True), row, "")),
            "other_row": cls.variant("other_row", file, once(text, other_row.split(" => ")[0] + " => 3", other_row)),
        }
        cls.objects["missing"] = cls.objects["right"][1:]
        cls.write(cls.folder / PATH, file)
        cls.write(cls.folder / TEXT_PATH, text)

    @staticmethod
    def write(path, text):
        path.write_text(text)
        return path

    @classmethod
    def variant(cls, name, file, text):
        """Its two objects: of the C++, and of the registry's list, which has the text."""
        listed = once(cls.listed, "namespace {\n",
                      f"Beside {NAME}();\nFloatReferences floating_abs_diff();\nnamespace {{\n")
        row = f'{{"primitive/math/avg_floor", R"vyre({text})vyre", {NAME}}}'
        listed = once(listed, "kWords[] = {\n", f"kWords[] = {{\n    {row},\n")
        row = f'{{"floating/abs_diff", R"vyre({cls.floats_text})vyre", floating_abs_diff}}'
        listed = once(listed, "kFloats[] = {\n", f"kFloats[] = {{\n    {row},\n")
        return [cls.compile("gcd.cpp", cls.write(cls.folder / f"{name}.cpp", file)),
                cls.compile("operation_files.cpp", cls.write(cls.folder / f"{name}_list.cpp", listed))]

    @classmethod
    def compile(cls, like, path):
        """Compiled as the build compiles the file of that name."""
        object_file = path.with_suffix(".o")
        cls.shell(f"{cls.command_of[like]} -o {object_file} -c {path}")
        return object_file

    @classmethod
    def shell(cls, command, code=0):
        done = subprocess.run(command, shell=True, cwd=BUILD, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "VYRE_SOURCE_DIR": str(cls.folder)})
        if done.returncode != code:
            raise AssertionError(f"{command}\n{done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def link(self, program, name, code=0):
        """(the program with this variant besides, what the linker said)."""
        out = self.folder / f"{program}-{name}"
        command = self.shell(f"ninja -t commands bin/{program}").splitlines()[-1]
        objects = " ".join(str(o) for o in [*self.objects[name], self.floats])
        return out, self.shell(once(command, f"-o bin/{program} ", f"{objects} -o {out} "), code)

    def admit(self, name, code=0):
        program, _ = self.link("vyre-admit", name)
        stamp, admitted = self.folder / f"{name}.txt", BUILD / "admitted.txt"
        if admitted.exists():  # what the build admitted is not judged again
            shutil.copy(admitted, stamp)
        return self.shell(f"{program} {self.folder} {stamp}", code)

    def shown(self, words_of):
        """The block of the page that has these words."""
        (block,) = [b for b in blocks("") if words_of in b]
        return block

    def test_a_file_without_its_function_is_named_by_the_linker(self):
        _, output = self.link("vyre-admit", "missing", code=1)
        self.assertIn(f"vyre::ops::{NAME}()", output)
        self.assertIn(f"undefined symbol: vyre::ops::{NAME}()", PAGE)

    def test_the_reference_function_sees_no_ir(self):
        file = self.folder / PATH
        text = file.read_text()
        self.addCleanup(file.write_text, text)
        lines = text.split("\n")
        lines[2] = '#include "ir/builder.h"'
        file.write_text("\n".join(lines))
        layers = [sys.executable, str(SOURCE / "test/layers.py"), "--root", str(self.folder)]
        done = subprocess.run(layers, capture_output=True, text=True)
        shown = self.shown("the reference function may not see")
        self.assertIn(words(shown), words(done.stdout))
        file.write_text(text)
        self.assertNotIn(PATH, subprocess.run(layers, capture_output=True, text=True).stdout)

    def test_the_page_is_admitted(self):
        self.assertIn("operations judged, 0 refusals", self.admit("right"))
        admitted = (self.folder / "right.txt").read_text()
        for operation in "primitive.math.avg_floor", "float.f16.abs_diff", "float.bf16.abs_diff", "float.f32.abs_diff":
            self.assertIn(f"{operation} ", admitted)
        self.assertEqual(len(re.findall(r"^primitive\.", admitted, re.M)), operation_files.PRIMITIVES + 1)

    def test_too_little_is_refused(self):
        self.assertIn(words(self.shown("it has 7 rows")), words(self.admit("less", 1)))

    def test_a_row_that_is_not_so_ends_the_build(self):
        shown = self.shown("error[V050]")
        self.assertIn(shown.strip(), self.admit("other_row", 1))

    def test_every_test_of_the_page_passes(self):
        runs = re.findall(r"^build/dev/bin/(test_\w+) --gtest_filter='(.*)'$", PAGE, re.M)
        ran = ""
        for program, names in runs:
            own, _ = self.link(program, "right")
            ran += self.shell(f"{own} --gtest_filter='{names}'")
        suites = re.findall(r"`(\w+)\.\*`", re.search(r"^\| test \|.*?\n\n", PAGE, re.S | re.M)[0])
        self.assertGreater(len(suites), 5)
        for suite in suites:
            self.assertRegex(ran, rf"\[       OK \] (Library/)?{suite}\.")

    def test_the_operation_on_floats_passes_as_well(self):
        own, _ = self.link("test_ops", "right")
        output = self.shell(f"{own} --gtest_filter='*abs_diff*'")
        self.assertRegex(output, r"\[  PASSED  \] [1-9]\d+ tests")

    def test_a_wrong_composition_is_found(self):
        own, _ = self.link("test_ops", "wrong")
        output = self.shell(f"{own} --gtest_filter='*avg_floor*'", 1)
        shown = self.shown("Expected equality")
        self.assertIn(words(shown.rsplit("[", 1)[0]), words(output))
        self.assertIn(shown.splitlines()[-1], output)

    def test_forgotten_laws_are_suggested(self):
        own, _ = self.link("test_ops", "less")
        output = self.shell(f"{own} --gtest_filter='*Laws*avg_floor*'", 1)
        suggested = sorted(line for line in output.splitlines() if "seems to hold" in line)
        shown = self.shown("seems to hold")
        self.assertEqual(suggested, sorted(shown.splitlines()))


if __name__ == "__main__":
    unittest.main()
