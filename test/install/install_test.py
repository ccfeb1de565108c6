"""The installed tree as its users meet it: `cmake --install` to a folder that is then moved, and projects that know
nothing but that folder build and run against it.

Oracle: the examples' values, worked out by hand (1 ^ 0xff = 254, 2 ^ 0 = 2, 3 ^ 3 = 0); for what is exported, the
declarations in vyre.h.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import operation_files

SOURCE = pathlib.Path(os.environ.get("VYRE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("VYRE_BUILD", SOURCE / "build/release"))
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
CMAKE = os.environ.get("CMAKE", "cmake")
NM = os.environ.get("NM", "nm")

# An operation, constants, scratch, lists, a buffer bound twice, a pipeline in a pipeline, a repeat, a loop with an if.
GROW = """
const W = 64;
operation my.twice(a: u32) -> u32 { return a * 2; }
program grow(uniform least: u32 @0, read_write data: u32 @1, read_write go: u32 @2) workgroup(W, 1, 1) {
  let i = invocation_id.x;
  if (i < len(data)) { data[i] = my.twice(data[i]); }
  if (i == 0) { go[0] = data[0] < least[0]; go[1] = go[1] + 1; }
}
program add(uniform by: u32 @0, read a: u32 @1, read b: u32 @2, read_write to: u32 @3) workgroup(W, 1, 1) {
  let i = invocation_id.x;
  if (i < len(to)) { to[i] = a[i] + select(i >= by[0], b[i - by[0]], 0); }
}
program take(read from: u32 @0, uniform which: u32 @1, read_write to: u32 @2) workgroup(1, 1, 1) { to[0] = from[which[0]]; }
pipeline sum_up(read data: u32 @0, read_write sums: u32 @1) {
  scratch other: u32[len(data)];
  let all = ceil_div(len(data), W);
  dispatch add(by = [1], a = data, b = data, to = other) groups(all);
  dispatch add(by = [len(data)], a = other, b = other, to = sums) groups(all);
  for i in 0..2 {
    if (i == 1) {
      dispatch add(by = [2], a = other, b = data, to = sums) groups(all);
    }
  }
}
pipeline main(uniform least: u32 @0, read_write data: u32 @1, read_write sums: u32 @2, read_write turns: u32 @4,
              read table: u32 @3) {
  scratch flags: u32[2];
  repeat 100 while (flags[0]) {
    dispatch grow(least, data, go = flags) groups(ceil_div(len(data), W));
  }
  dispatch take(from = flags, which = [1], to = turns) groups(1);
  run sum_up(data, sums);
}
"""


def run(*command):
    """The finished process, with text output. Nothing of this build may leak in through the environment."""
    clean = {k: v for k, v in os.environ.items() if k not in {"LD_LIBRARY_PATH", "CPATH", "CMAKE_PREFIX_PATH"}}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=900, env=clean)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        first, cls.prefix = cls.folder / "first", cls.folder / "moved"
        done = run(CMAKE, "--install", BUILD, "--prefix", first)
        if done.returncode != 0:
            raise AssertionError(f"cmake --install failed\n{done.stdout}\n{done.stderr}")
        first.rename(cls.prefix)  # an installed tree names no place of its own
        (cls.library,) = cls.prefix.glob("lib*/**/libvyre.so")
        cls.header = (cls.prefix / "include/vyre/vyre.h").read_text()

    def succeed(self, *command):
        done = run(*command)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def project(self, name):
        """The example of this language, configured against the installed tree and built."""
        build = self.folder / f"build-{name}"
        language, compiler = {"c": ("C", CC), "cpp": ("CXX", CXX), "backend-plugin": ("CXX", CXX)}[name]
        self.succeed(CMAKE, "-G", "Ninja", "-S", SOURCE / "examples" / name, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DCMAKE_{language}_COMPILER={compiler}",
                     f"-DCMAKE_{language}_FLAGS=-Wall -Wextra -Wpedantic -Werror")
        self.succeed(CMAKE, "--build", build)
        return build / {"backend-plugin": "libonecore.so"}.get(name, f"run_xor_{name}")

    def test_examples_build_and_run_on_each_backend(self):
        for name in ["c", "cpp"]:
            program = self.project(name)
            for arguments in [[], ["native"], ["reference"]]:
                self.assertEqual(self.succeed(program, *arguments), "out: 254 2 0\n", (name, arguments))
                if name == "c":  # 1 2 3 4 5 summed up twice: 1 3 6 10 15, then this
                    self.assertEqual(self.succeed(program.with_name("run_pipeline_c"), *arguments), "data: 1 4 10 20 35\n")
            refused = run(program, "gpu")
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn("error[B004]: unknown backend 'gpu'", refused.stderr)

    def test_a_backend_of_ones_own_runs_and_is_certified(self):
        source = SOURCE / "examples/backend-plugin"
        lines = sum(len(file.read_text().splitlines()) for file in source.iterdir())
        self.assertLessEqual(lines, 300, "a whole backend in 300 lines")
        plugin = self.project("backend-plugin")
        # Sums of 0 to 255, 256 to 511, ...: 256 * (first + last) / 2.
        for spec in [plugin, f"{plugin}?O2"]:
            self.assertEqual(self.succeed(self.prefix / "bin/vyre", "run", SOURCE / "examples/block_sum.vyre", "--groups",
                                          "4", "--set", "input=iota:1024", "--set", "sums=zeros:4", "--backend", spec),
                             "sums: 32640 98176 163712 229248\n")
        # Pipelines reach it as their dispatches. 3, 5 and 6 are doubled until the first is 20 or more, in 3 turns, and
        # summed up: 24, 24 + 40, 24 + 40 + 48.
        module = self.folder / "grow.vyre"
        module.write_text(GROW)
        self.assertEqual(self.succeed(self.prefix / "bin/vyre", "run", module, "--backend", plugin, "--set", "least=20",
                                      "--set", "data=3,5,6", "--set", "sums=zeros:3", "--set", "turns=zeros:1",
                                      "--convention", "V2:3"),
                         "data: 24 40 48\nsums: 24 64 112\nturns: 3\n")
        refused = run(self.prefix / "bin/vyre", "run", SOURCE / "examples/xor.vyre", "--groups", "1", "--backend",
                      f"{plugin}?O3")
        self.assertEqual((refused.returncode, refused.stdout), (3, ""))
        self.assertIn("error[B001]", refused.stderr)
        # The C API takes the path as well.
        program = self.project("c")
        self.assertEqual(self.succeed(program, plugin), "out: 254 2 0\n")
        self.assertEqual(self.succeed(program.with_name("run_pipeline_c"), plugin), "data: 1 4 10 20 35\n")
        # Floats are integers to a plugin that promises nothing of them, some hundred instructions an operator.
        judged = self.succeed(self.prefix / "bin/vyre-conform", "certify", "--backend", plugin, "--strength", "quick",
                              "--ops", "primitive.*")
        level = f"integer=L2({operation_files.PRIMITIVES} of {operation_files.INTEGER_SUBJECTS}) float=none"
        self.assertTrue(judged.endswith(f"\nlevel: {level}\n"), judged)

    def test_programs_run_from_where_they_are(self):
        self.assertRegex(self.succeed(self.prefix / "bin/vyre", "--version"), r"^vyre \d+\.\d+\.\d+\n$")
        self.assertEqual(self.succeed(self.prefix / "bin/vyre", "run", SOURCE / "examples/xor.vyre", "--groups", "1",
                                      "--set", "a=1,2,3", "--set", "b=0xff,0,3", "--set", "out=zeros:3"),
                         "out: 254 2 0\n")
        self.succeed(self.prefix / "bin/vyre-conform", "--version")

    def test_the_c_header_is_strict_c99_and_cpp(self):
        for compiler, language, standard in [(CC, "c", "c99"), (CC, "c", "c11"), (CXX, "c++", "c++11")]:
            file = self.folder / f"header.{standard}"
            file.write_text("#include <vyre/backend.h>\n#include <vyre/vyre.h>\n"
                            "int main(void) { return (int)vyre_api_version() - VYRE_BACKEND_ABI; }\n")
            self.succeed(compiler, "-x", language, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra",
                         "-Wpedantic", "-Wstrict-prototypes" if language == "c" else "-Wshadow", "-Werror",
                         f"-I{self.prefix / 'include'}", file)

    def test_installed_headers_need_the_standard_library_and_one_another_alone(self):
        roots = [self.prefix / "include", self.prefix / "include/vyre-cpp"]
        headers = [p for p in roots[0].rglob("*") if p.is_file()]
        self.assertGreater(len(headers), 20)
        for header in headers:
            for quoted, angled in re.findall(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', header.read_text(), re.M):
                if quoted:
                    self.assertTrue(any((root / quoted).is_file() for root in roots), f"{header.name}: {quoted}")
                else:
                    self.assertRegex(angled, r"^[a-z_0-9]+$|^std(def|int)\.h$", header.name)

    def test_the_library_exports_the_header_and_namespace_vyre(self):
        symbols = {line.split()[2].split("@")[0] for line in
                   self.succeed(NM, "-D", "--defined-only", self.library).splitlines()}
        declared = set(re.findall(r"^VYRE_API\b[^;(]*\b(vyre_\w+)\(", self.header, re.M))
        self.assertGreater(len(declared), 20)
        self.assertEqual({s for s in symbols if s.startswith("vyre_")}, declared)
        for symbol in symbols - declared:
            self.assertRegex(symbol, r"^_Z(T[VIS]N|N|NK)4vyre")

    def test_the_documentation_is_there_and_its_links_lead_somewhere(self):
        readme = self.prefix / "share/doc/vyre/README.md"
        pages = [readme, *(readme.parent / "docs").rglob("*.md")]
        self.assertGreater(len(pages), 80)
        for page in pages:
            text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", text):
                self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def test_another_minor_version_is_not_taken(self):
        project = self.folder / "wrong"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES NONE)\n"
            "find_package(vyre 99.0 CONFIG REQUIRED)\n")
        done = run(CMAKE, "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("99.0", done.stderr)


if __name__ == "__main__":
    unittest.main()
