"""The verbs of vyre: what they print, and their exit codes.

Oracle: COMMANDS (docs/commands.md); values are worked out by hand.
"""
import json
import os
import pathlib
import pty
import re
import resource
import struct
import subprocess
import sys
import unittest

from program import BIN, EXAMPLES, SOURCE, CommandTest, float_texts, vyre

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import operation_files

ADD_ONE = """program add_one(read_write data: u32 @0) workgroup(4, 1, 1) {
  let i = invocation_id.x;
  data[i] = data[i] + 1;
}
"""
BAD = """program bad(read_write out: u32 @0) workgroup(64, 1, 1) {
  if (local_id.x < 3) {
    barrier;
  }
}
"""
SLOW = """program slow(read_write out: u32 @0) workgroup(1, 1, 1) {
  let x = 1;
  for i in 0..0xffffffff {
    for j in 0..0xffffffff {
      x = (x * 1664525 + i) ^ out[x & 1023];
      out[x & 1023] = x;
    }
  }
}
"""


class Check(CommandTest):
    def test_good_file_is_silent(self):
        done = self.expect(0, "check", EXAMPLES / "block_sum.vyre", EXAMPLES / "sha256.vyre")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_bad_file_shows_position_line_and_caret(self):
        done = self.refuse(1, ["bad.vyre:3:5: error[V010]", "    barrier;", "    ^~~~~~~", "help: "], "check",
                           self.write("bad.vyre", BAD))
        self.assertIn("local_id", done.stderr)

    def test_one_bad_file_among_good(self):
        self.refuse(1, "V010", "check", EXAMPLES / "xor.vyre", self.write("bad.vyre", BAD))

    def test_missing_file_folder_and_no_file(self):
        self.refuse(2, ["nowhere.vyre", "No such file"], "check", self.folder / "nowhere.vyre")
        self.refuse(2, "folder", "check", self.folder)
        self.refuse(2, "FILE", "check")

    def test_empty_nul_and_binary_files(self):
        self.refuse(1, "P015", "check", self.write("empty.vyre", ""))
        self.refuse(1, "error[P001]", "check", self.write("nul.vyre", b"program a\0b() workgroup(1,1,1) {}"))
        self.refuse(1, "error[P0", "check", self.write("binary.vyre", bytes(range(128, 256))))
        self.refuse(1, "error[W0", "check", self.write("magic.vyrb", b"VYRE"))


class Fmt(CommandTest):
    UGLY = "program  p( read_write out:u32@0 )workgroup( 1,1,1 ){ out [ 0 ]=0x0A+1_000; // kept\n}"

    def test_prints_canonical_layout_and_leaves_the_file(self):
        path = self.write("ugly.vyre", self.UGLY)
        done = self.expect(0, "fmt", path)
        self.assertEqual(done.stdout, "program p(read_write out: u32 @0) workgroup(1, 1, 1) {\n"
                                      "  out[0] = 0x0A + 1_000;  // kept\n}\n")
        self.assertEqual(path.read_text(), self.UGLY)

    def test_write_is_stable(self):
        path = self.write("ugly.vyre", self.UGLY)
        self.expect(0, "fmt", path, "--write")
        once = path.read_text()
        self.assertNotEqual(once, self.UGLY)
        self.expect(0, "fmt", path, "--write")
        self.assertEqual(path.read_text(), once)

    def test_refusals_change_nothing(self):
        path = self.write("bad.vyre", "program p( { }")
        self.refuse(1, "error[P002]", "fmt", path, "--write")
        self.assertEqual(path.read_text(), "program p( { }")
        self.expect(0, "encode", EXAMPLES / "xor.vyre", "-o", self.folder / "x.vyrb")
        self.refuse(2, "decode", "fmt", self.folder / "x.vyrb")

    def test_examples_are_formatted(self):
        for path in sorted(EXAMPLES.glob("*.vyre")):
            self.assertEqual(self.expect(0, "fmt", path).stdout, path.read_text(), path.name)


class Wire(CommandTest):
    def test_round_trip(self):
        for name in ["sha256", "block_sum", "histogram", "network"]:
            first, text, second = (self.folder / (name + end) for end in [".vyrb", ".vyre", "2.vyrb"])
            self.expect(0, "encode", EXAMPLES / f"{name}.vyre", "-o", first)
            self.expect(0, "decode", first, "-o", text)
            self.expect(0, "encode", text, "-o", second)
            self.assertEqual(first.read_bytes(), second.read_bytes())
            self.expect(0, "check", first)

    def test_refusals_leave_no_output(self):
        out = self.folder / "out"
        self.refuse(1, "W003", "decode", self.write("cut.vyrb", b"VYRE\x01"), "-o", out)
        self.refuse(1, "V010", "encode", self.write("bad.vyre", BAD), "-o", out)
        self.assertFalse(out.exists())
        self.refuse(2, "cannot write", "encode", EXAMPLES / "xor.vyre", "-o", self.folder / "no" / "such" / "out")
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("out")], [])


class Lower(CommandTest):
    # covers: EX-48
    def test_each_form(self):
        for form, words in {"kernel": ["load", "barrier"], "legal": ["raw"], "llvm": ["define ", "target triple"],
                            "asm": [".text", "ret"], "ptx": [".target sm_70", ".entry vyre_block_sum", "bar.sync"],
                            "spirv-asm": ["OpMemoryModel Logical Vulkan", "OpControlBarrier"],
                            "wgsl": ["@compute @workgroup_size(256)", "storageBarrier(); workgroupBarrier();"]}.items():
            done = self.expect(0, "lower", EXAMPLES / "block_sum.vyre", "--to", form)
            for word in words:
                self.assertIn(word, done.stdout)

    def test_forms_of_a_backend(self):
        # Without a device: guards by branches on the CPU, by selects on the GPU.
        lowered = {backend: self.expect(0, "lower", EXAMPLES / "xor.vyre", "--to", "legal", "--backend", backend).stdout
                   for backend in ["native", "cuda", "vulkan", "webgpu"]}
        self.assertNotIn("select", lowered["native"])
        self.assertIn("select", lowered["cuda"])
        self.assertIn("select", lowered["vulkan"])
        self.assertIn("select", lowered["webgpu"])
        self.expect(0, "lower", EXAMPLES / "xor.vyre", "--to", "ptx", "--backend", "cuda")

    # Oracle: SEMANTICS, the additions to programs: a hint that cannot be followed is a note, and nothing else.
    def test_hints_to_unroll(self):
        program = ("const W = 4;\nprogram p(read n: u32 @0, read_write out: u32 @1, private w: u32[W]) workgroup(1, 1, 1) {{\n"
                   "  unroll for i in 0..W * 2 {{ w[i & 3] = w[i & 3] + i; }}\n  unroll for i in 0..len(w) {{ out[i] = w[i]; }}\n"
                   "{}}}\n")
        counted = self.write("counted.vyre", program.format(""))
        uncounted = self.write("uncounted.vyre", program.format("  unroll for i in 0..n[0] { out[i] = 1; }\n"))
        for form, word in {"kernel": "unroll loop", "legal": "unroll loop", "llvm": "define ", "ptx": ".entry",
                           "spirv-asm": " Unroll"}.items():
            done = self.expect(0, "lower", counted, "--to", form)
            self.assertIn(word, done.stdout)
            self.assertEqual(done.stderr, "")
            done = self.expect(0, "lower", uncounted, "--to", form)
            self.assertEqual(re.findall(r"uncounted.vyre:(\d+):\d+: note\[L004\]", done.stderr), ["5"])
        done = self.expect(0, "lower", uncounted, "--to", "wgsl")
        self.assertEqual(re.findall(r"uncounted.vyre:(\d+):\d+: note\[L004\]", done.stderr), ["3", "4", "5"])

    # Oracle: src/lower/raw_ops.def: each raw operator is in the page that documents legal text.
    def test_raw_operators_are_documented(self):
        page = (SOURCE / "docs/adding-a-backend.md").read_text()
        names = re.findall(r'^VYRE_RAW\w*\(\w+, +"(\w+)"', (SOURCE / "src/lower/raw_ops.def").read_text(), re.M)
        self.assertGreater(len(names), 40)
        documented = set(" ".join(re.findall(r"^\| `([^`]+)` \|", page[page.index("## 4."):page.index("## 5.")], re.M)).split())
        self.assertEqual([name for name in names if name not in documented], [])

    # Oracle: the grammar of docs/adding-a-backend.md, section 4, as expressions.
    def test_legal_text_is_of_its_grammar(self):
        page = (SOURCE / "docs/adding-a-backend.md").read_text()
        rules = dict(re.findall(r"^(\w+) += (.*(?:\n  .*)*)", page[page.index("```ebnf") + 8:], re.M))

        def expression(rule):
            out = ""
            for token in re.findall(r'"[^"]*"|/[^/]*/|\w+|[][{}()|]', rules[rule]):
                out += (re.escape(token[1:-1]) if token[0] == '"' else token[1:-1] if token[0] == "/" else
                        {"[": "(?:", "]": ")?", "{": "(?:", "}": ")*", "(": "(?:", ")": ")", "|": "|"}.get(token)
                        or f"(?:{expression(token)})")
            return out

        line = re.compile(expression("line"))
        programs = [*EXAMPLES.glob("*.vyre"), *(SOURCE / "test/run").glob("tensor-*.vyre"),
                    *(SOURCE / "test/run" / f"{name}.vyre" for name in ("f16-neighbours", "type-u128", "atomic-compare-exchange",
                                                                       "cast-f32-to-i32", "subgroup-ballot-64")),
                    *(path for path in float_texts(self.folder) if path.stem in ("fsin-f32", "fpow-f16"))]
        for program in programs:
            for entry in re.findall(r"^program (\w+)", program.read_text(), re.M):
                for backend in ["native", "cuda", "vulkan"][program.name.startswith("subgroup"):]:
                    lower = self.expect(0, "lower", program, "--entry", entry, "--to", "legal", "--backend", backend)
                    for number, text in enumerate(lower.stdout.splitlines(), 1):
                        self.assertRegex(text.strip(), re.compile(rf"\A(?:{line.pattern})\Z"), f"{program} {backend}:{number}")

    # Oracle: SPIR-V specification, "Physical Layout of a SPIR-V Module": magic number, version 1.5.
    def test_a_binary_form(self):
        out = self.folder / "xor.spv"
        self.expect(0, "lower", EXAMPLES / "xor.vyre", "--to", "spirv", "-o", out)
        words = struct.unpack(f"<{out.stat().st_size // 4}I", out.read_bytes())
        self.assertEqual(words[:2], (0x07230203, 0x00010500))
        piped = subprocess.run([BIN / "vyre", "lower", EXAMPLES / "xor.vyre", "--to", "spirv"], capture_output=True,
                               check=True)
        self.assertEqual(piped.stdout, out.read_bytes())

    def test_a_terminal_gets_no_binary_form(self):
        try:
            ours, theirs = pty.openpty()
        except OSError as why:
            self.skipTest(f"no terminal can be made here: {why}")
        done = subprocess.run([BIN / "vyre", "lower", EXAMPLES / "xor.vyre", "--to", "spirv"], stdout=theirs,
                              stderr=subprocess.PIPE, text=True)
        os.close(theirs)
        os.close(ours)
        self.assertEqual(done.returncode, 2)
        self.assertIn("spirv-asm", done.stderr)

    def test_refusals(self):
        self.refuse(2, ["metal", "kernel, legal, llvm, asm, ptx, spirv, spirv-asm, wgsl"], "lower", EXAMPLES / "xor.vyre", "--to",
                    "metal")
        self.refuse(2, ["ptx", "kernel, legal, llvm, asm"], "lower", EXAMPLES / "xor.vyre", "--to", "ptx",
                    "--backend", "native")
        self.refuse(2, ["asm", "kernel, legal, ptx"], "lower", EXAMPLES / "xor.vyre", "--to", "asm", "--backend", "cuda")
        self.refuse(2, "--to", "lower", EXAMPLES / "xor.vyre")
        self.refuse(2, "native, cuda, vulkan, webgpu", "lower", EXAMPLES / "xor.vyre", "--to", "legal", "--backend", "reference")
        out = self.folder / "out.ptx"
        partial = self.write("partial.vyre", """program partial(read_write out: u32 @0) workgroup(8, 1, 1) {
  out[local_id.x] = subgroup.lane();
}
""")
        for form in ["ptx", "spirv", "spirv-asm"]:
            self.refuse(3, ["B008", "partial.vyre:2:", "32"], "lower", partial, "--to", form, "-o", out)
            self.assertFalse(out.exists())
        for form in ["llvm", "asm", "wgsl"]:  # no CPU has subgroups, and WebGPU need not have them
            self.refuse(3, ["B002", "partial.vyre:2:", "subgroup.lane"], "lower", partial, "--to", form, "-o", out)
            self.assertFalse(out.exists())
        self.refuse(3, ["B002", "partial.vyre:2:", "native", "subgroup.lane"], "run", partial, "--groups", 1)
        self.refuse(3, "B004", "lower", EXAMPLES / "xor.vyre", "--to", "legal", "--backend", "abacus")

    def test_entries_of_a_file_with_a_pipeline(self):
        path = self.write("norm.vyre", """// run: entry=one out=[0] => out=[1]
// run: entry=norm out=[0] => out=[1]
program one(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 1; }
pipeline norm(read_write out: u32 @0) { dispatch one(out) groups(1); }
""")
        for form, where in [("wgsl", self.folder / "x.wgsl"), ("web", self.folder / "page")]:
            for entry in [[], ["--entry", "norm"]]:
                self.refuse(2, "norm is a pipeline, and a program is wanted here: --entry names one of one", "lower", path,
                            "--to", form, "-o", where, *entry)
            self.expect(0, "lower", path, "--to", form, "-o", where, "--entry", "one")
        self.assertIn("--entry one", "".join(p.read_text() for p in (self.folder / "page").iterdir()))
        self.refuse(2, "--entry goes with one FILE", "lower", path, path, "--to", "web", "-o", self.folder / "two",
                    "--entry", "one")


class Run(CommandTest):
    def run_ok(self, *arguments):
        return self.expect(0, "run", *arguments).stdout

    # covers: EX-51
    def test_prints_writable_buffers(self):
        for backend in ["reference", "native"]:
            self.assertEqual(
                self.run_ok(EXAMPLES / "xor.vyre", "--groups", 1, "--set", "a=1,2,3", "--set", "b=0xff,0,3", "--set",
                            "out=zeros:3", "--backend", backend), "out: 254 2 0\n")

    def test_get_hex_and_file(self):
        path = self.write("add.vyre", ADD_ONE)
        self.assertEqual(self.run_ok(path, "--groups", 1, "--set", "data=0,0xffffffff", "--get", "data", "--hex"),
                         "data: 0x00000001 0x00000000\n")
        self.assertEqual(self.run_ok(path, "--groups", 1, "--set", "data=1,2", "--get", f"data=@{self.folder}/d"), "")
        self.assertEqual((self.folder / "d").read_bytes(), bytes([2, 0, 0, 0, 3, 0, 0, 0]))

    def test_set_forms(self):
        path = self.write("add.vyre", ADD_ONE)
        self.assertEqual(self.run_ok(path, "--groups", 1, "--set", "data=iota:5"), "data: 1 2 3 4 4\n")
        self.assertEqual(self.run_ok(path, "--groups", 1, "--set", "data=0, 1, 2 "), "data: 1 2 3\n")
        self.assertEqual(self.run_ok(path, "--groups", 1), "data:\n")
        raw = self.write("raw", bytes([9, 0, 0, 0]))
        self.assertEqual(self.run_ok(path, "--groups", 1, "--set", f"data=@{raw}"), "data: 10\n")

    def test_random_is_philox(self):
        # Known answer of Philox4x32-10 for counter 0 and key 0 (Random123's kat_vectors): 6627e8d5 e169c58d bc57ac4c
        # 9b00dbd8; the program adds one to the first four.
        path = self.write("add.vyre", ADD_ONE)
        self.assertEqual(self.run_ok(path, "--groups", 1, "--set", "data=random:4:0", "--hex"),
                         "data: 0x6627e8d6 0xe169c58e 0xbc57ac4d 0x9b00dbd9\n")

    def test_bytes_are_padded(self):
        data = self.write("five", b"hello")
        done = self.run_ok(EXAMPLES / "fnv1a.vyre", "--groups", 1, "--set", f"data=@{data}", "--set", "params=5", "--set",
                           "hash=zeros:1", "--hex")
        self.assertEqual(done, "hash: 0x4f9f2cab\n")  # published FNV-1a of "hello"

    # covers: EX-31 EX-52
    def test_then(self):
        path = self.write("add.vyre", ADD_ONE)
        self.assertEqual(self.run_ok(path, "--groups", 1, "--then", path, "--groups", 2, "--set", "data=zeros:6"),
                         "data: 2 2 2 2 1 1\n")

    # covers: EX-54 EX-58
    def test_compare(self):
        done = self.run_ok(EXAMPLES / "block_sum.vyre", "--groups", 4, "--set", "input=random:1024:7", "--set",
                           "sums=zeros:4", "--compare", "reference,native")
        *digests, verdict = done.splitlines()
        (a, first), (b, second) = (line.split() for line in digests)
        self.assertEqual((a, b), ("reference", "native"))
        self.assertEqual(verdict, "equal: 2 backends")
        self.assertEqual(first, second)
        self.assertEqual(len(first), 64)

    # Oracle: by hand; NaN times anything is NaN, and a float from 0 to 1 is none.
    def test_compare_of_nothing_but_nan(self):
        square = self.write("square.vyre", "program square(read a: f16 @0, read_write out: f16 @1, read_write n: u32 @2) "
                                           "workgroup(4, 1, 1) { out[local_id.x] = a[local_id.x] * a[local_id.x]; }")
        compare = lambda values: self.expect(0, "run", square, "--groups", 1, "--set", f"a={values}", "--set", "out=zeros:4",
                                             "--set", "n=0x7fc00000", "--compare", "reference,native").stderr
        said = compare("nan,nan,0x7e01,nan")
        self.assertIn("note: every element of out is NaN", said)
        self.assertIn("uniform:COUNT:SEED", said)
        self.assertNotIn("element of n", said)
        self.assertEqual(compare("nan,nan,1,nan"), "")
        self.assertEqual(compare("uniform:4:7"), "")
        self.refuse(2, ["uniform is of floats", "random:COUNT:SEED"], "run", square, "--groups", 1, "--set", "n=uniform:4:7")

    # Oracle: by hand: only a buffer without --set is noted, on stderr alone.
    def test_buffers_that_are_not_given_are_noted(self):
        run = lambda *sets: self.expect(0, "run", EXAMPLES / "xor.vyre", "--groups", 1, *sets)
        done = run("--set", "a=1,2", "--set", "b=3,4")
        self.assertEqual(done.stdout, "out:\n")
        self.assertEqual(done.stderr, "note: out was not given: 0 elements; --set out=zeros:0 says that you mean it\n")
        self.assertEqual(run().stderr.count("was not given"), 3)
        self.assertEqual(run("--set", "a=zeros:0", "--set", "b=", "--set", "out=zeros:0").stderr, "")
        twice = self.expect(0, "run", EXAMPLES / "xor.vyre", "--groups", 1, "--then", EXAMPLES / "xor.vyre", "--groups", 1,
                            "--set", "a=1", "--set", "out=1", "--backend", "reference")
        self.assertEqual(twice.stderr.count("b was not given"), 1)

    # Oracle: by hand: words of "aaab" and "b" are 0x62616161 and 0x62, so one of the two counts in 128 bins.
    def test_words_of_bytes_as_indices(self):
        text = ("program count(read data: bytes @0, read_write bins: u32 @1) workgroup(64, 1, 1) {{\n"
                "  let i = invocation_id.x;\n  if (i < {}) {{\n    let old = atomic_add(bins[{}], 1);\n  }}\n}}\n")
        words = self.write("words.vyre", text.format("len(data)", "data[i]"))
        run = lambda program: self.expect(0, "run", program, "--groups", 1, "--set", f"data=@{self.write('text', b'aaabb')}",
                                          "--set", "bins=zeros:128")
        for done in [run(words), self.expect(0, "check", words)]:
            self.assertIn("words.vyre:4:31: warning[V044]: ", done.stderr)
            self.assertIn("help: byte i of data is (data[i >> 2] >> ((i & 3) * 8)) & 0xff", done.stderr)
        self.assertEqual(sum(map(int, run(words).stdout.split()[1:])), 1)
        single = run(self.write("bytes.vyre", text.format("5", "(data[i >> 2] >> ((i & 3) * 8)) & 0xff")))
        self.assertEqual(single.stderr, "")
        bins = list(map(int, single.stdout.split()[1:]))
        self.assertEqual((sum(bins), bins[ord("a")], bins[ord("b")]), (5, 3, 2))

    # Oracle: by hand; 1e-7 is 2 of the least f16 (5.96e-8), in bf16 it is 0.5 * 1e-7 that is printed.
    def test_values_of_floats(self):
        for kind, suffix, small, large in [("f16", "f16", "6e-08", "7e4"), ("bf16", "bf16", "5e-08", "1e39"),
                                           ("f32", "", "5e-08", "1e39")]:
            half = self.write("half.vyre", f"program half(read a: {kind} @0, read_write out: {kind} @1) "
                              f"workgroup(8, 1, 1) {{ out[local_id.x] = a[local_id.x] * 0.5{suffix}; }}")
            out = self.run_ok(half, "--groups", 1, "--set", "a=1.5,-0.25,1e-7,-inf,nan,-0,3", "--set", "out=zeros:7")
            self.assertEqual(out, f"out: 0.75 -0.125 {small} -inf nan -0 1.5\n")
            self.refuse(2, f"'{large}' does not fit {kind}", "run", half, "--groups", 1, "--set", f"a={large}")

    def test_usage_errors(self):
        xor = EXAMPLES / "xor.vyre"
        bad = lambda words, *arguments: self.refuse(2, words, "run", xor, *arguments)
        bad("--groups X[,Y[,Z]] is missing: how many workgroups of 256x1x1", "--set", "a=1")
        bad(["not expected: --group 1", "did you mean `--groups`?"], "--group", 1)
        bad("the forms are @file, zeros:N", "--groups", 1, "--set", "a=ones:3")
        bad("the forms are @file, zeros:N", "--groups", 1, "--set", "a=zeros")
        raw = self.write("raw.bin", bytes(4))
        bad(f"a file is written @{raw}", "--groups", 1, "--set", f"a={raw}")
        floats = self.write("floats.vyre", "program f(read_write a: f32 @0) workgroup(1, 1, 1) { a[0] = 1.0; }")
        self.refuse(2, "it is written nan", "run", floats, "--groups", 1, "--set", "a=NaN")
        self.refuse(2, "it is written -inf", "run", floats, "--groups", 1, "--set", "a=-Infinity")
        for groups in ["0", "1,0", "65536", "1,2,3,4", "x", "", "-1", "1,", "4294967297"]:
            bad("--groups", f"--groups={groups}")
        bad("there is no such buffer", "--groups", 1, "--set", "c=1")
        bad("NAME=SPEC", "--groups", 1, "--set", "a")
        bad("does not fit", "--groups", 1, "--set", "a=-3")
        bad("does not fit u32", "--groups", 1, "--set", "a=18446744073709551616")
        bad("does not fit", "--groups", 1, "--set", "a=4294967296")
        bad("not a number", "--groups", 1, "--set", "a=1.5")
        bad("not a number", "--groups", 1, "--set", "a=inf")
        bad("literal is missing", "--groups", 1, "--set", "a=1,")
        bad("not a multiple", "--groups", 1, "--set", f"a=@{self.write('five', b'hello')}")
        bad("cannot read", "--groups", 1, "--set", "a=@/nowhere/at/all")
        bad("not a number", "--groups", 1, "--set", "a=iota:many")
        bad("seed", "--groups", 1, "--set", "a=random:4")
        bad("there is no such buffer", "--groups", 1, "--get", "nothing")
        bad("each program takes one", "--groups", 1, "--groups", 2)
        bad("at least two", "--groups", 1, "--compare", "native")
        bad("at least two", "--groups", 1, "--compare", "")
        for timeout in ["-1", "0", "x", "1s", ""]:
            bad("a number of seconds above 0", "--groups", 1, "--timeout", timeout)
        bad("set twice", "--groups", 1, "--set", "a=1", "--set", "a=2")
        bad("one file", "--groups", 1, "--get", f"a=@{self.folder}/x", "--get", f"b=@{self.folder}/x")
        self.refuse(2, "nonsense", "run", xor, "--groups", 1, "--nonsense")

    def test_then_needs_equal_types(self):
        signed = self.write("signed.vyre", ADD_ONE.replace("u32", "i32").replace("+ 1", "+ 1i32"))
        self.refuse(2, ["data", "i32", "u32"], "run", self.write("add.vyre", ADD_ONE), "--groups", 1, "--then", signed,
                    "--groups", 1)

    def test_unknown_and_absent_backends(self):
        xor = EXAMPLES / "xor.vyre"
        self.refuse(3, "B004", "run", xor, "--groups", 1, "--backend", "abacus")
        self.refuse(3, "error[B0", "run", xor, "--groups", 1, "--backend", "webgpu")
        self.refuse(3, "error[B0", "run", xor, "--groups", 1, "--backend", "./nothing.so")

    # A machine may have a GPU or not; a driver that is not there is the same everywhere.
    def test_a_gpu_without_a_driver_says_how_to_get_one(self):
        environment = {**os.environ, "VYRE_CUDA_LIB": "libno-such-driver.so.1"}
        self.refuse(3, ["error[B001]", "no NVIDIA driver", "help: install NVIDIA's driver"], "run",
                    EXAMPLES / "xor.vyre", "--groups", 1, "--backend", "cuda", env=environment)
        self.refuse(3, "error[B004]", "run", EXAMPLES / "xor.vyre", "--groups", 1, "--backend", "cuda:x")
        environment = {**os.environ, "VYRE_VULKAN_LIB": "libno-such-loader.so.1"}
        self.refuse(3, ["error[B001]", "no Vulkan loader", "help: install one"], "run", EXAMPLES / "xor.vyre", "--groups", 1,
                    "--backend", "vulkan:1", env=environment)
        self.refuse(3, "error[B004]", "run", EXAMPLES / "xor.vyre", "--groups", 1, "--backend", "vulkan:x")

    def test_compare_with_an_absent_backend_runs_nothing(self):
        environment = {**os.environ, "VYRE_WEBGPU_LIB": "libno-such-library.so"}
        self.refuse(3, "B001", "run", EXAMPLES / "xor.vyre", "--groups", 1, "--compare", "reference,webgpu", env=environment)

    @unittest.skipIf(os.environ.get("VYRE_SANITIZE") == "ON", "AddressSanitizer cannot start under a memory limit")
    def test_memory_that_runs_out_is_a_diagnostic(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        self.refuse(3, "error[B003]", "run", EXAMPLES / "xor.vyre", "--groups", 1, "--set", "a=zeros:4000000000",
                    preexec_fn=limit)

    def test_dispatch_errors(self):
        big = self.write("big.vyre", "program big(uniform p: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {}")
        for backend in ["reference", "native"]:
            self.refuse(1, ["X004", "65540", "65536"], "run", big, "--groups", 1, "--set", "p=zeros:16385", "--backend",
                        backend)
            self.expect(0, "run", big, "--groups", 1, "--set", "p=zeros:16384", "--backend", backend)
        self.refuse(1, "X006", "run", EXAMPLES / "xor.vyre", "--groups", 1, "--set", "a=zeros:16777217", "--backend",
                    "reference")

    def test_more_memory_than_there_is(self):
        many = self.write("many.vyre", "program many(" + ", ".join(f"read b{i}: u32 @{i}" for i in range(64)) +
                          ") workgroup(1, 1, 1) {}")
        sets = [word for i in range(64) for word in ("--set", f"b{i}=zeros:4294967295")]  # a terabyte
        self.refuse(3, ["B003", "give the buffers fewer elements"], "run", many, "--groups", 1, *sets)

    def test_timeout_writes_nothing(self):
        slow, out = self.write("slow.vyre", SLOW), self.folder / "out"
        for backend in ["reference", "native"]:
            self.refuse(3, "B005", "run", slow, "--groups", 1, "--set", "out=zeros:1024", "--get", f"out=@{out}",
                        "--timeout", "0.2", "--backend", backend)
            self.assertFalse(out.exists())

    def test_wire_runs_too(self):
        wire = self.folder / "x.vyrb"
        self.expect(0, "encode", EXAMPLES / "xor.vyre", "-o", wire)
        self.assertEqual(self.run_ok(wire, "--groups", 1, "--set", "a=6", "--set", "b=5", "--set", "out=zeros:1"),
                         "out: 3\n")


class Listings(CommandTest):
    def test_ops_of_a_pattern(self):
        rotations = self.expect(0, "ops", "primitive.bitwise.rot?").stdout
        self.assertIn("primitive.bitwise.rotl", rotations)
        self.assertIn("primitive.bitwise.rotr", rotations)
        self.assertNotIn("fsin", rotations)
        self.assertNotIn("primitive.math", rotations)
        self.assertNotIn("subgroup", rotations)
        self.assertIn("subgroup.lane", self.expect(0, "ops", "subgroup.*").stdout)
        self.assertEqual(len(json.loads(self.expect(0, "ops", "primitive.bitwise.rot?", "--json").stdout)["operations"]), 2)

    def test_ops(self):
        table = self.expect(0, "ops").stdout
        for word in ["bit_and", "atomic_compare_exchange", "primitive.bitwise.rotl", "primitive.math.lcm"]:
            self.assertIn(word, table)
        one = self.expect(0, "ops", "primitive.math.add").stdout
        for word in ["Commutative", "Identity(0)", "0xffffffff"]:
            self.assertIn(word, one)
        data = json.loads(self.expect(0, "ops", "--json").stdout)
        self.assertEqual(data["schema"], "vyre.ops/1")
        composed = [row["id"] for row in data["operations"] if row["category"] == "A"]
        wanted = [operation_files.PRIMITIVES, operation_files.FLOATS + operation_files.APPROXIMATE]
        self.assertEqual([len([i for i in composed if i.startswith(kind)]) for kind in ("primitive.", "float.")], wanted)
        self.assertEqual(len(composed), sum(wanted))
        self.refuse(2, "primitive.math.nothing", "ops", "primitive.math.nothing")
        self.assertEqual(self.expect(0, "ops", "primitive.math.add@1").stdout, one)
        self.refuse(2, "primitive.math.add@2", "ops", "primitive.math.add@2")
        # What P010 proposes.
        self.assertIn("Clz, an operator on u32 i32", self.expect(0, "ops", "clz").stdout)
        for op, form in [("fmul_add", "fmul_add(a, b, c)\n"), ("fadd", "fadd(a, b), or a + b\n"), ("fneg", ", or -a\n"),
                         ("fis_nan", "fis_nan(a)\n"), ("freduce_strict", "freduce_strict(fadd, buffer, from, to)")]:
            self.assertIn(form, self.expect(0, "ops", op).stdout)

    # Oracle: the head, the buffers and the rows of the text.
    def test_ops_over_buffers(self):
        text = (SOURCE / "src/library/hash/crc32.vyre").read_text()
        summary = text.split("\n")[0].split(": ", 1)[1]
        page = self.expect(0, "ops", "hash.crc32").stdout
        for words in [f"hash.crc32\n  {summary}\n", "  read        data     bytes\n", "  read_write  digests  u32\n",
                      f"Rows: {text.count('// run:')}\n", "digests=[0, 0xcbf43926, 0xe8b7be43]"]:
            self.assertIn(words, page)
        self.assertIn("Runs\n  collection.scan_exclusive_add", self.expect(0, "ops", "string.lines").stdout)
        reduce = self.expect(0, "ops", "collection.reduce_min").stdout
        self.assertNotIn("OP=0", reduce)
        listed = self.expect(0, "ops", "hash.*").stdout
        self.assertRegex(listed, r"(?m)^  hash\.crc32 +" + re.escape(summary) + "$")
        known = json.loads(self.expect(0, "ops", "--json").stdout)["over_buffers"]
        (crc,) = [row for row in known if row["id"] == "hash.crc32"]
        self.assertEqual([buffer["name"] for buffer in crc["buffers"]], ["data", "offsets", "digests"])
        self.assertEqual(len(crc["rows"]), text.count("// run:"))
        self.refuse(2, "did you mean `hash.crc32`", "ops", "hash.crc23")
        self.refuse(2, "did you mean `hash.crc32`", "run", "hash.crc23", "--set", "digests=zeros:1")
        done = self.expect(0, "run", "hash.crc32", "--set", "data=0x34333231,0x38373635,0x39", "--set", "offsets=0,9",
                           "--set", "digests=zeros:1")
        self.assertIn(str(0xcbf43926), done.stdout)

    def test_output_that_cannot_be_written(self):
        for arguments in [["ops"], ["ops", "--json"], ["backends"], ["explain"], ["lower", EXAMPLES / "xor.vyre", "--to", "asm"],
                          ["run", EXAMPLES / "xor.vyre", "--groups", "1"],
                          ["run", EXAMPLES / "xor.vyre", "--groups", "1", "--compare", "reference,native"]]:
            with open("/dev/full", "w") as full:
                done = subprocess.run([BIN / "vyre", *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("cannot write", done.stderr)

    # Oracle: spec/intrinsics.def; category C is listed with what it maps to and who has it.
    def test_ops_lists_category_c(self):
        operations = json.loads(self.expect(0, "ops", "--json").stdout)["operations"]
        hardware = {row["id"]: row for row in operations if row["category"] == "C"}
        ledger = (SOURCE / "src/spec/intrinsics.def").read_text()
        self.assertEqual(sorted(hardware), sorted(re.findall(r'^VYRE_INTRINSIC\(\w+, +"([\w.]+)"', ledger, re.M)))
        self.assertEqual(hardware["subgroup.ballot"]["signature"], "(u32) -> vec4u32")
        self.assertIn("reference", hardware["subgroup.ballot"]["backends"])
        self.assertNotIn("native", hardware["subgroup.ballot"]["backends"])
        self.assertIn("OpGroupNonUniformBallot", self.expect(0, "ops", "subgroup.ballot").stdout)

    # Oracle: by hand: inclusive sums of 1, 2 and of 3, 4; codes B are exit code 3.
    def test_subgroup_size(self):
        program = self.write("scan.vyre", "program scan(read_write out: u32 @0) workgroup(4, 1, 1) {\n"
                                          "  out[local_id.x] = subgroup.scan_add(local_id.x + 1);\n}\n")
        run = ["run", program, "--groups", "1", "--set", "out=zeros:4", "--backend"]
        self.assertEqual(self.expect(0, *run, "reference", "--subgroup-size", "2").stdout, "out: 1 3 3 7\n")
        self.refuse(3, "B002", *run, "reference")
        self.refuse(3, "B002", *run, "native")
        self.refuse(3, "B008", *run, "reference", "--subgroup-size", "8")
        self.refuse(3, "B003", *run, "reference", "--subgroup-size", "3")

    # Oracle: docs/commands.md, and arithmetic by hand.
    def test_run_tells_times(self):
        run = ["run", EXAMPLES / "xor.vyre", "--groups", "2", "--set", "a=1,2", "--set", "b=3,4", "--set", "out=zeros:2"]
        quiet, verbose = self.expect(0, *run), self.expect(0, *run, "-v")
        self.assertEqual(quiet.stderr, "")
        self.assertEqual(verbose.stdout, quiet.stdout)
        self.assertRegex(verbose.stderr, r"^native: .*\n  .*xor\.vyre: 2x1x1 groups of 256x1x1: 512 invocations over 24 bytes; "
                                      r"compiled in \d+\.\d\d ms, ran in \d+\.\d\d ms: \d+\.\d million invocations a second\n$")
        both = [*run, "--compare", "reference,native", "--verbose"]
        self.assertEqual(self.expect(0, *both).stderr.count("512 invocations"), 2)
        self.assertEqual(self.expect(0, *run, "-v", "--detect-races").stderr.count("million invocations a second"), 1)

    # Oracle: the names that there are, by hand.
    def test_says_what_was_meant(self):
        def program(text):
            self.programs = getattr(self, "programs", 0) + 1
            return self.write(f"typo{self.programs}.vyre", "program typo(read data: f32 @0, read_write out: f32 @1) workgroup(64, 1, 1) {\n"
                                           f"  let i = invocation_id.x;\n  {text}\n}}\n")
        run = ["run", EXAMPLES / "xor.vyre", "--groups", "1"]
        for code, meant, arguments in [
                (1, "`fsin`", ["check", program("out[i] = fsinn(data[i]);")]),
                (1, "`fsin`", ["check", program("out[i] = sinn(data[i]);")]),
                (1, "`fsqrt`", ["check", program("out[i] = sqrt(data[i]);")]),
                (1, "`u32`", ["check", program("let n = cast<u23, trunc>(data[i]);")]),
                (1, "`let`", ["check", program("lett x = data[i];")]),
                (1, "`return`", ["check", program("retrun;")]),
                (1, "`data`", ["check", program("out[i] = dta[i];")]),
                (1, "`invocation_id`", ["check", program("let x = invocaton_id.x;")]),
                (1, "`primitive.math.add`", ["check", program("let n = primitive.math.ad(1, 2);")]),
                (2, "`out`", [*run, "--get", "oot"]), (2, "`a` or `b`", [*run, "--set", "ab=1"]),
                (3, "`native`", [*run, "--backend", "nativ"]), (2, "`--compare`", [*run, "--compre", "x"]),
                (2, "`--groups`", ["run", EXAMPLES / "xor.vyre", "--grops", "1"]),
                (2, "`check`", ["chek"]), (2, "`primitive.math.add`", ["ops", "primitive.math.ad"]),
                (1, "`primitive.bitwise.rotl`", ["check", program("let n = rotl(1, 3);")]),
                (2, "`primitive.bitwise.rotl`", ["ops", "rotl"]),
                (2, "`fsin`", ["ops", "fsinn"]), (2, "`V010`", ["explain", "V0100"])]:
            done = self.expect(code, *arguments)
            self.assertIn(f"did you mean {meant}?", done.stderr, arguments)
        self.refuse(2, "fmul_add(a, b, c)", "ops", "fma")
        self.refuse(1, "len(buffer)", "check", program("let n = data.len();"))
        for arguments in [["ops", "zzzzzz"], ["frobnicate"], [*run, "--get", "nothing"], ["explain", "nothing"],
                          ["check", program("out[i] = frobnicate(data[i]);")], [*run, "--frobnicate"]]:
            self.assertNotIn("did you mean", self.expect(1 if arguments[0] == "check" else 2, *arguments).stderr)

    def test_ops_page_is_current(self):
        self.assertEqual(self.expect(0, "ops", "--markdown").stdout, (SOURCE / "docs/ops.md").read_text(),
                         "docs/ops.md is stale: vyre ops --markdown > docs/ops.md")

    # Oracle: docs/commands.md: one line a backend, and what developers of backends want with --verbose.
    def test_backends(self):
        lines = self.expect(0, "backends").stdout.splitlines()
        names = [row["name"] for row in json.loads(self.expect(0, "backends", "--json").stdout)["backends"]]
        self.assertEqual([line.split()[0] for line in lines], names)
        self.assertEqual({line.index(line.split()[1]) for line in lines}, {12}, "aligned")
        self.assertNotIn("floats:", "\n".join(lines))
        verbose = self.expect(0, "backends", "--verbose").stdout
        self.assertIn("floats: auto: native", verbose)
        rows = json.loads(self.expect(0, "backends", "--json").stdout)["backends"]
        # Operators of the language (docs/ops.md) of those that --json lists, in its order.
        language = set(re.findall(r"^\| `(\w+)` \|", (SOURCE / "docs/ops.md").read_text(), re.M))
        (native,) = [row["floats"] for row in rows if row["name"] == "native"]
        (said,) = re.findall(r"^native .*\n.*\n +floats: auto: native ([\w ]*)", verbose, re.M)
        self.assertEqual(said.split(), [name for name in native["native"] if name in language])
        self.assertLess(len(said.split()), len(native["native"]))
        available = {row["name"] for row in rows if row["available"]}
        self.assertEqual(available & {"reference", "native"}, {"reference", "native"})

        floats = {row["name"]: row["floats"] for row in rows if row["available"]}["native"]
        self.assertEqual(floats["form"], "auto")
        ledger = re.findall(r'^VYRE_RAW_(?:FLOAT|WIDE)\(\w+, +"(\w+)"', (SOURCE / "src/lower/raw_ops.def").read_text(), re.M)
        # No target promises to round 1 / sqrt(a) right, so nothing asks for it; conversions of BF16 are not named.
        unnamed = {"finverse_sqrt", "ffrom_bf16", "fto_bf16"}
        self.assertEqual(sorted(floats["native"] + floats["composed"]), sorted(set(ledger) - unnamed))

    def test_the_form_of_floats_changes_no_result(self):
        path = self.write("scaled.vyre", """program scaled(read a: f32 @0, read_write out: f32 @1) workgroup(4, 1, 1) {
  let i = invocation_id.x;
  out[i] = fsqrt(a[i]) / 3.0 - a[i] * 0.1;
}
""")
        run = ["run", path, "--groups", 1, "--set", "a=2,1e-42,-1,inf", "--set", "out=zeros:4", "--hex"]
        lines = {self.expect(0, *run, "--float", form).stdout for form in ["native", "composed", "auto"]}
        lines.add(self.expect(0, *run).stdout)
        lines.add(self.expect(0, *run, "--backend", "reference", "--float", "composed").stdout)
        self.assertEqual(len(lines), 1)
        self.refuse(2, "--float", *run, "--float", "fast")

    def test_explain(self):
        self.assertIn("barrier", self.expect(0, "explain", "V010").stdout)
        self.assertIn("X001", self.expect(0, "explain").stdout)
        self.assertEqual(self.expect(0, "explain", "v010").stdout, self.expect(0, "explain", "V010").stdout)
        self.refuse(2, "Z999", "explain", "Z999")

    def test_help_has_an_example_for_each_verb(self):
        for verb in "check fmt encode decode lower run ops backends explain".split():
            self.assertIn("Example: vyre " + verb, self.expect(0, verb, "--help").stdout)
        self.refuse(2, "subcommand")
        self.refuse(2, "frobnicate", "frobnicate")
        self.assertTrue(self.expect(0, "--version").stdout.startswith("vyre "))


class Hostile(CommandTest):
    def test_truncations_of_a_program_are_diagnosed(self):
        text = (EXAMPLES / "transpose.vyre").read_text()
        body = text[text.index("program"):text.index("// run")].rstrip()
        for cut in range(0, len(body) - 1, 37):
            done = vyre("check", self.write("cut.vyre", body[:cut]))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("error[", done.stderr)

    def test_many_faults_in_one_long_line_stay_readable(self):
        path = self.write("long.vyre", "program p(read_write out: u32 @0) workgroup(1, 1, 1) { " + "x = 1; " * 10000 + "}")
        done = self.expect(1, "check", path)
        self.assertLess(len(done.stderr), 10_000_000)

    def test_deep_nesting_is_refused_politely(self):
        deep = "{" * 200000 + "}" * 200000
        self.refuse(1, "V022", "check",
                    self.write("deep.vyre", f"program p(read_write out: u32 @0) workgroup(1, 1, 1) {{ {deep} }}"))
        self.refuse(1, "V023", "check", self.write(
            "tall.vyre", f"program p(read_write out: u32 @0) workgroup(1, 1, 1) {{ out[0] = {'~' * 200000}1; }}"))


if __name__ == "__main__":
    unittest.main()
