"""What an attacker would type: a table of inputs that must be refused, each with one diagnostic and at little cost.

Oracle: docs/commands.md (exit codes: 1 for what is wrong with a program, a certificate or a result, 2 for usage and files,
3 for what a backend cannot do) and src/base/diag.def (what each code stands for). Every row runs with 512 MiB of data and
2 s of processor time, so that what it costs is part of what is tested.
"""
import os
import re
import resource
import socket
import subprocess
import unittest

from program import BIN, EXAMPLES, CommandTest

MEMORY = 512 << 20
SECONDS = 2
OF_THE_COMMAND = {"C015", "C018", "C019", "C021", "C023"}  # diagnostics of files and options, which have exit code 2
SANITIZED = os.environ.get("VYRE_SANITIZE") == "ON"  # their shadow memory is larger than any limit

XOR = (EXAMPLES / "xor.vyre").read_text()
HEAD = "program p(read a: u32 @0, read_write o: u32 @1) workgroup(1, 1, 1) {\n"
FLOATS = "program p(read a: f32 @0, read_write o: f32 @1) workgroup(1, 1, 1) {\n"


def program(body, head=HEAD):
    return f"{head}{body}\n}}\n"


def nested(call, depth, innermost="a[0]"):
    return call * depth + innermost + ", a[1])" * depth


def many(call, count):
    return program("\n".join(f"o[{i}] = {call}(a[{i}], a[0]);" for i in range(count)), FLOATS)


# Programs: name, code, text or bytes.
PROGRAMS = [
    ("empty", "P015", ""),
    ("spaces alone, 20 MB", "P015", " " * 20_000_000),
    ("a NUL", "P001", "program p\0() workgroup(1, 1, 1) {}"),
    ("bytes that are no UTF-8", "P014", b"// \xff\xfe\n"),
    ("half a character at the end", "P014", XOR.encode() + b"// \xe2\x82"),
    ("a character that turns text around", "P001", "program \u202ep() workgroup(1, 1, 1) {}"),
    ("an escape sequence", "P001", "program \x1b[2Jp() workgroup(1, 1, 1) {}"),
    ("a name of 1 MB that ends the file", "P00", "program " + "a" * 1_000_000),
    ("a number of 1 MB", "P00", program("o[0] = " + "9" * 1_000_000 + ";")),
    ("a float of 100,000 digits and a huge exponent", "P00", program("o[0] = 1." + "0" * 100_000 + "1e999999999;", FLOATS)),
    ("parentheses to a depth of 200,000", "V023", program("o[0] = " + "(1 + " * 200_000 + "1" + ")" * 200_000 + ";")),
    ("unary operators to a depth of 200,000", "V023", program("o[0] = " + "~" * 200_000 + "1;")),
    ("blocks to a depth of 100,000", "V022", program("if (1) {" * 100_000 + "}" * 100_000)),
    ("loops to a depth of 50,000", "V022", program("".join(f"for n{n} in 0..1 {{" for n in range(50_000)) + "}" * 50_000)),
    ("a call that is never closed, 100,000 deep", "P00", program("o[0] = " + "popcount(" * 100_000)),
    ("no closing brace", "P003", "program p() workgroup(1, 1, 1) {"),
    ("one program twice", "V045", XOR + XOR),
    ("what is no item behind a program", "P016", XOR + "}"),
    ("a workgroup of 2^32 - 1", "V009", "program p(read_write o: u32 @0) workgroup(4294967295, 1, 1) {}"),
    ("a workgroup whose product wraps", "V009", "program p(read_write o: u32 @0) workgroup(65536, 65536, 1) {}"),
    ("a workgroup of 0", "V009", "program p(read_write o: u32 @0) workgroup(0, 1, 1) {}"),
    ("64 GiB of workgroup memory", "V030", "program p(workgroup s: u128[4294967295]) workgroup(1, 1, 1) {}"),
    ("a tensor of strides beyond every index", "P005",
     "program p(read t: tensor<f32, [4, 4], strides[99999999999, 1]> @0) workgroup(1, 1, 1) {}"),
    ("an operation that is nowhere", "V017", program("o[0] = primitive.nowhere.at_all(a[0]);")),
    ("an operation's name of 1 MB", "V017", program("o[0] = primitive." + "x" * 1_000_000 + "(a[0]);")),
    ("one node too many", "V024", program("o[0]=0;" * ((1 << 22) // 3 + 1))),
    ("calls that come to more than 2^24 nodes", "V040",
     program((f"o[0] = {nested('primitive.math.lcm(', 1_000)};\n") * 900)),
]

# Operators that come to more than a kernel may have, for each form that has a limit of its own.
TOO_LARGE = many("fpow", 1_000)
FORMS = ["legal", "llvm", "asm", "ptx", "spirv", "spirv-asm", "wgsl"]


class Limited(CommandTest):
    def limited(self, *arguments, program="vyre", stack=None, seconds=SECONDS, memory=MEMORY, **options):
        def limit():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if stack:
                resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))

        environment = {**os.environ, "VYRE_CACHE_DIR": str(self.folder / "cache"), "TBB_NUM_THREADS": "2"}
        return subprocess.run([str(BIN / program), *map(str, arguments)], capture_output=True, text=True, errors="replace",
                              timeout=120, preexec_fn=limit, stdin=subprocess.DEVNULL, env=environment, **options)

    def refused(self, code, *arguments, program="vyre", **options):
        """Refused with one diagnostic of this code, which may end early ("P00"); or, where it has none, with exit code 2 and
        one sentence in which this word is."""
        done = self.limited(*arguments, program=program, **options)
        about = f"{program} {arguments}\nexit {done.returncode}\n{done.stdout[:500]}\n{done.stderr[:3000]}"
        self.assertIn(done.returncode, (1, 2, 3), about)
        self.assertEqual(done.stdout, "", about)
        self.assertLess(len(done.stderr), 20_000, "a diagnostic is for people")
        codes = re.findall(r"error\[([A-Z]\d\d\d)\]", done.stderr)
        if re.match(r"[A-Z]\d", code):
            self.assertEqual(len(codes), 1, about)
            self.assertTrue(codes[0].startswith(code), about)
            self.assertEqual(done.returncode, 3 if codes[0][0] in "LB" else 2 if codes[0] in OF_THE_COMMAND else 1, about)
        else:
            self.assertEqual((codes, done.returncode), ([], 2), about)
            self.assertEqual(len(done.stderr.splitlines()), 1, about)
            self.assertIn(code, done.stderr, about)
        self.assertNotRegex(done.stderr, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", about)

    def rows(self, table):
        for name, code, *arguments in table:
            with self.subTest(name):
                self.refused(code, *arguments)

    def file(self, content):
        self.files = getattr(self, "files", 0) + 1
        return self.write(f"{self.files}", content)

    def endless(self):
        """Names that stand for no file that could be read whole."""
        pipe, sparse, loop, port = (self.folder / name for name in ("pipe", "sparse", "loop", "port"))
        os.mkfifo(pipe)
        with open(sparse, "wb") as file:
            file.truncate(1 << 40)
        loop.symlink_to(loop)
        bound = socket.socket(socket.AF_UNIX)
        self.addCleanup(bound.close)
        bound.bind(str(port))
        return [("a folder", "folder", self.folder), ("/dev/urandom", "device", "/dev/urandom"),
                ("/dev/zero", "device", "/dev/zero"), ("/dev/full", "device", "/dev/full"), ("a pipe", "pipe", pipe),
                ("a terabyte of nothing", "bytes", sparse), ("a link to itself", "cannot read", loop),
                ("a socket", "cannot read", port), ("memory", "cannot read", "/proc/self/mem"),
                ("no name", "cannot read", ""), ("a name of 5,000 letters", "cannot read", "x" * 5000)]


class Hostile(Limited):
    def test_programs(self):
        self.rows([(name, code, "check", self.file(text)) for name, code, text in PROGRAMS])

    def test_wire(self):
        whole = self.folder / "whole.vyrb"
        self.expect(0, "encode", EXAMPLES / "sha256.vyre", "-o", whole)
        data = whole.read_bytes()
        table = [("the magic alone", "W00", data[:4]), ("another version", "W00", data[:4] + b"\xff" + data[5:]),
                 ("a byte too many", "W00", data + b"\0"), ("twice", "W00", data + data),
                 ("all ones after the magic", "W00", b"VYRE" + b"\xff" * 100_000),
                 ("zeros after the magic", "W00", b"VYRE" + b"\0" * 100_000)]
        table += [(f"cut to {n}", "W00", data[:n]) for n in (5, 8, 36, 37, 40, 41, len(data) // 2, len(data) - 1)]
        table += [(f"byte {n} turned over", "W00", data[:n] + bytes([data[n] ^ 0xff]) + data[n + 1:])
                  for n in (4, 8, 16, 40, 41, 50, len(data) // 2, len(data) - 1)]
        self.rows([(name, code, verb, self.file(bytes_)) for name, code, bytes_ in table for verb in ("check", "decode")])

    def test_what_is_no_file(self):
        program_file = self.file(XOR)
        for name, code, path in self.endless():
            for arguments in (["check", path], ["fmt", path], ["decode", path], ["encode", path, "-o", self.folder / "out"],
                              ["lower", path, "--to", "legal"], ["run", path, "--groups", 1],
                              ["run", program_file, "--groups", 1, "--set", f"a=@{path}"]):
                with self.subTest(f"{name}: {arguments[0]}"):
                    if path == "" and arguments[0] != "run":
                        continue  # an option of its own decides
                    self.refused(code, *arguments)

    def test_what_is_no_file_of_conform(self):
        for name, code, path in self.endless():
            if path == "":
                continue
            for arguments in (["verify", path], ["diff", path, path], ["verify", self.file("x"), "--pubkey", path],
                              ["certify", "--key", path, "--out", self.folder / "out"],
                              ["certify", "--expect", path]):
                with self.subTest(f"{name}: {arguments[0]}"):
                    self.refused(code, *arguments, program="vyre-conform")
            if code not in ("folder", "cannot read"):
                with self.subTest(f"{name}: replay"):
                    self.refused(code, "replay", path, "--backend", "reference", program="vyre-conform")

    def test_arguments(self):
        good = self.file(program("o[0] = a[0];"))
        run = ["run", good, "--groups"]
        big = str(2**64 - 1)
        self.rows([
            ("no workgroup", "--groups", *run, "0"), ("a workgroup too many", "--groups", *run, "65536"),
            ("a negative number of workgroups", "--groups", *run, "-1"), ("2^64 workgroups", "--groups", *run, str(2**64)),
            ("four axes", "--groups", *run, "1,1,1,1"), ("nothing between commas", "--groups", *run, "1,,1"),
            ("2^64 - 1 zeros", "", *run, "1", "--set", f"a=zeros:{big}"),
            ("a terabyte of zeros", "", *run, "1", "--set", f"a=zeros:{2**38}"),
            ("a terabyte counted up", "", *run, "1", "--set", f"a=iota:{2**38}"),
            ("a terabyte of random numbers", "", *run, "1", "--set", f"a=random:{2**38}:1"),
            ("a literal too many", "literal", *run, "1", "--set", "a=1,"),
            ("a literal that is none", "", *run, "1", "--set", "a=" + "x" * 100_000),
            ("a buffer that is nowhere", "b", *run, "1", "--set", "b=1"),
            ("a setting without a value", "--set", *run, "1", "--set", "a"),
            ("a backend that is nowhere", "B004", *run, "1", "--backend", "x" * 10_000),
            ("a plugin that is a pipe", "B013", *run, "1", "--backend", "/dev/zero"),
            ("a library that is a device", "B001", *run, "1", "--backend", "webgpu:/dev/zero"),
            ("a plugin that is a program", "B013", *run, "1", "--backend", good),
            ("the 2^32nd GPU", "B00", *run, "1", "--backend", "cuda:4294967296"),
            ("a time limit that is no number", "--timeout", *run, "1", "--timeout", "nan"),
            ("a form that is nowhere", "--to", "lower", good, "--to", "\x1b[2J"),
            ("a verb that is nowhere", "verb", "x" * 10_000),
            ("a code that is nowhere", "", "explain", "Z999"),
        ])

    def test_arguments_of_conform(self):
        table = [
            ("an operation that is nowhere", "C004", "certify", "--ops", "nothing.at.all"),
            ("a pattern of 10,000 stars", "C00", "certify", "--ops", "*x" * 5_000),
            ("a shard beyond the last", "C023", "certify", "--shard", "5/2", "--state", self.folder / "state"),
            ("a seed below zero", "--seed", "certify", "--seed", "-1"),
            ("a state that is a device", "C018", "certify", "--state", "/dev/null"),
            ("a token that is none", "C003", "replay", "x" * 100_000),
            ("a token of huge numbers", "C003", "replay", "primitive.math.add@1/random/" + "9" * 1_000),
            ("a case of 10 MB", "P002", "replay", self.file("x" * 10_000_000)),
            ("a certificate that is empty", "C001", "verify", self.file("")),
            ("a certificate that is no JSON", "C001", "verify", self.file("x" * 1_000_000)),
            ("lists to a depth of 1,000,000", "C001", "verify", self.file("[" * 1_000_000)),
            ("objects to a depth of 100,000", "C001", "verify", self.file('{"a":' * 100_000 + "1" + "}" * 100_000 + "\n")),
            ("an envelope around nothing", "C001", "verify",
             self.file('{"payload":"","payloadType":"application/vnd.in-toto+json","signatures":[]}\n')),
            ("an envelope around lists", "C00", "verify", self.file(
                '{"payload":"' + "W1tb" * 100_000 + '","payloadType":"application/vnd.in-toto+json","signatures":[]}\n')),
            ("a key of 1 MB", "bytes", "certify", "--out", self.folder / "out", "--key", self.file("-" * 1_000_000)),
            ("a key that is none", "cannot use", "certify", "--out", self.folder / "out", "--key",
             self.file("-----BEGIN PRIVATE KEY-----\n" * 1_000)),
            ("an expectation that is none", "C015", "certify", "--expect", self.write("expect", "[[[[" * 1_000)),
            ("two certificates that are none", "C001", "diff", self.file("{}\n"), self.file("{}\n")),
            ("parts that are not there", "C018", "merge", self.folder / "nowhere"),
        ]
        for name, code, *arguments in table:
            with self.subTest(name):
                self.refused(code, *arguments, program="vyre-conform")

    def test_operators_that_come_to_too_much(self):
        path = self.file(TOO_LARGE)
        for form in FORMS:
            with self.subTest(form):
                self.refused("B003", "lower", path, "--to", form)
        self.refused("B003", "run", path, "--groups", 1, "--set", "a=zeros:1", "--backend", "native", "--float", "composed")


class Valid(Limited):
    """What looks hostile and is a program: it is lowered to every form."""

    def test_calls_to_the_limit_of_depth(self):
        u32 = self.file(program(f"o[0] = {nested('primitive.math.gcd(', 1022)};"))
        for form in ["kernel", *FORMS]:
            with self.subTest(form):
                done = self.limited("lower", u32, "--to", form, "-o", self.folder / "out", seconds=60, memory=MEMORY)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = self.limited("run", u32, "--groups", 1, "--set", "a=36,24", "--set", "o=zeros:1", "--compare",
                            "reference,native", seconds=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_operators_that_come_to_much_and_not_too_much(self):
        path = self.file(many("fsin", 40).replace(", a[0])", ")"))
        done = self.limited("lower", path, "--to", "wgsl", "-o", self.folder / "out", seconds=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_pipe_of_the_shell(self):
        done = subprocess.run(["bash", "-c", f"{BIN}/vyre check <(cat {EXAMPLES}/xor.vyre) && cat {EXAMPLES}/xor.vyre | "
                               f"{BIN}/vyre check /dev/stdin"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


@unittest.skipIf(SANITIZED, "sanitizers want a stack of their own")
class SmallStack(Limited):
    """`ulimit -s 64`: the stack that the system gives the process is no matter of the user's."""

    def small(self, *arguments, program="vyre", **options):
        done = self.limited(*arguments, program=program, stack=64 << 10, seconds=120, memory=4 << 30, **options)
        self.assertIn(done.returncode, (0, 1), f"{arguments}: exit {done.returncode}\n{done.stderr}")
        return done

    def test_every_verb_of_vyre(self):
        path, wire = EXAMPLES / "block_sum.vyre", self.folder / "block_sum.vyrb"
        run = ["run", path, "--groups", 4, "--set", "input=iota:1024", "--set", "sums=zeros:4"]
        wanted = self.expect(0, *run).stdout
        for backend in ("reference", "native"):
            self.assertEqual(self.small(*run, "--backend", backend).stdout, wanted)
        for arguments in (["check", path], ["check", "--races", path], ["fmt", path], ["encode", path, "-o", wire],
                          ["decode", wire], ["ops"], ["backends"], ["explain", "V010"],
                          ["lower", "--to", "web", path, "-o", self.folder / "page"],
                          *(["lower", path, "--to", form, "-o", self.folder / "out"] for form in FORMS)):
            with self.subTest(arguments[0]):
                self.assertEqual(self.small(*arguments).returncode, 0)

    def test_verbs_of_conform(self):
        self.assertEqual(self.small("laws", "primitive.bitwise.not", program="vyre-conform").returncode, 0)
        self.small("prove", "primitive.bitwise.not", "--only", "declared", program="vyre-conform")
        done = self.limited("certify", "--ops", "primitive.bitwise.not", "--state", self.folder / "state", "--shard", "0/64",
                            program="vyre-conform", stack=64 << 10, seconds=300, memory=4 << 30)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)  # with workers
        self.refused("C001", "verify", self.file("[" * 1_000_000), program="vyre-conform", stack=64 << 10)


if __name__ == "__main__":
    unittest.main()
