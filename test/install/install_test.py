"""The installed tree as its users meet it: `cmake --install` to a folder that is then moved, and projects that know
nothing but that folder build and run against it.

Oracle: the examples' values, worked out by hand (1 ^ 0xff = 254, 2 ^ 0 = 2, 3 ^ 3 = 0); for what is exported, the
declarations in vyre.h.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("VYRE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("VYRE_BUILD", SOURCE / "build/release"))
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
CMAKE = os.environ.get("CMAKE", "cmake")
NM = os.environ.get("NM", "nm")


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
        refused = run(self.prefix / "bin/vyre", "run", SOURCE / "examples/xor.vyre", "--groups", "1", "--backend",
                      f"{plugin}?O3")
        self.assertEqual((refused.returncode, refused.stdout), (3, ""))
        self.assertIn("error[B001]", refused.stderr)
        # The C API takes the path as well.
        self.assertEqual(self.succeed(self.project("c"), plugin), "out: 254 2 0\n")
        # Floats are integers to a plugin that promises nothing of them, some hundred instructions an operator.
        judged = self.succeed(self.prefix / "bin/vyre-conform", "certify", "--backend", plugin, "--strength", "quick",
                              "--ops", "primitive.*")
        self.assertTrue(judged.endswith("\nlevel: integer=L2 float=none\n"), judged)

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
