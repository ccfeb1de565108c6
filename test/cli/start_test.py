"""What starts without LLVM: everything but compiling. A copy of vyre stands where libvyre-llvm.so is not to be found.

Oracle: the values worked out by hand in README.md (sums of 0 to 255, 256 to 511, ...); docs/adr/0069-llvm-is-opened-late.md.
"""
import os
import shutil
import subprocess
import unittest

from program import BIN, SOURCE, CommandTest

RUN = ["run", SOURCE / "examples/block_sum.vyre", "--groups", "4", "--set", "input=iota:1024", "--set", "sums=zeros:4"]
SUMS = "sums: 32640 98176 163712 229248\n"


@unittest.skipIf(os.environ.get("VYRE_SANITIZE") == "ON", "sanitizer builds start LLVM with the program")
class Start(CommandTest):
    def alone(self, *words):
        """vyre without the library, with a cache of this test's own."""
        program = self.folder / "alone" / "vyre"
        if not program.exists():
            program.parent.mkdir()
            shutil.copy2(BIN / "vyre", program)
        return self.process(program, *words)

    def process(self, program, *words):
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        environment["VYRE_CACHE_DIR"] = str(self.folder / "cache")
        return subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, timeout=120, env=environment)

    def test_what_compiles_nothing_runs_without_the_library(self):
        block_sum = SOURCE / "examples/block_sum.vyre"
        for words in [["--version"], ["check", block_sum], ["fmt", block_sum], ["lower", "--to", "legal", block_sum],
                      [*RUN, "--backend", "reference"], ["ops"]]:
            done = self.alone(*words)
            self.assertEqual(done.returncode, 0, (words, done.stderr))

    def test_compiling_says_what_is_missing(self):
        done = self.alone(*RUN)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("error[B001]: code cannot be generated: libvyre-llvm.so.", done.stderr)
        self.assertIn("--backend reference", done.stderr)

    def test_code_from_the_cache_runs_without_the_library(self):
        first = self.process(BIN / "vyre", *RUN)
        self.assertEqual((first.returncode, first.stdout), (0, SUMS), first.stderr)
        (kept,) = (self.folder / "cache" / "native").iterdir()
        done = self.alone(*RUN)
        self.assertEqual((done.returncode, done.stdout), (0, SUMS), done.stderr)
        # Another program is none of these; a damaged file is none either, and said to be so by -v.
        self.assertEqual(self.alone(*RUN, "--float", "composed").returncode, 0, "there are no floats in it")
        damaged = bytearray(kept.read_bytes())
        damaged[-1] ^= 1
        kept.write_bytes(damaged)
        self.assertEqual(self.alone(*RUN).returncode, 3)
        again = self.process(BIN / "vyre", *RUN, "-v")
        self.assertEqual((again.returncode, again.stdout), (0, SUMS))
        self.assertIn(f"the cache file {kept} was damaged, so it was made again", again.stderr)
        self.assertEqual(self.alone(*RUN).stdout, SUMS)

    def test_a_graph_from_the_cache_is_neither_lowered_nor_compiled(self):
        graph = self.write("graph.vyre", "graph more(x: u32[n]) -> (y: u32[n]) {\n  y = x * 3 + reduce(add, x, 0);\n}\n")
        run = ["run", graph, "--set", "x=1,2,3,4"]
        first = self.process(BIN / "vyre", *run)
        self.assertEqual((first.returncode, first.stdout), (0, "y[4]: 13 16 19 22\n"), first.stderr)
        (kept,) = (self.folder / "cache" / "graphs").iterdir()
        written = kept.stat().st_mtime_ns
        done = self.alone(*run)
        self.assertEqual((done.returncode, done.stdout), (0, "y[4]: 13 16 19 22\n"), done.stderr)
        self.assertEqual(kept.stat().st_mtime_ns, written)
        # Damaged, it is made again, and its programs are those whose code is kept.
        kept.write_bytes(kept.read_bytes()[:-1] + b"?")
        self.assertEqual(self.alone(*run).stdout, "y[4]: 13 16 19 22\n")
        self.assertGreater(kept.stat().st_mtime_ns, written)
        # Other sizes are another module, which has to be compiled.
        self.assertEqual(self.alone("run", graph, "--set", "x=1,2,3").returncode, 3)

    def test_a_measured_choice_is_kept_and_changes_nothing(self):
        graph = self.write("product.vyre", "graph product(a: u32[n, 2], b: u32[2, n]) -> (c: u32[n, n]) {\n  c = matmul(a, b);\n}\n")
        bench = self.process(BIN / "vyre", "bench", graph, "--dim", "n=2", "--tune", "--runs", "2")
        self.assertEqual(bench.returncode, 0, bench.stderr)
        self.assertRegex(bench.stdout, r"matmul u32 1 2 2 2 whole: \S+ [0-9.]+ ms, best \S+ [0-9.]+ ms")
        self.assertEqual(len(list((self.folder / "cache" / "tuned").iterdir())), 1)
        run = ["run", graph, "--dim", "n=2", "--set", "a=1,2,3,4", "--set", "b=5,6,7,8"]
        for backend in ["native", "reference"]:
            self.assertEqual(self.process(BIN / "vyre", *run, "--backend", backend).stdout, "c[2, 2]: 19 22 43 50\n")


if __name__ == "__main__":
    unittest.main()
