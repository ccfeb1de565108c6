"""Two decoders of the wire format against each other: `vyre decode`, and tools/wire-decoder, which was written from
docs/wire-format.md without a look at src/wire.

Oracle: each is the other's; where both are wrong in the same way, the page has to be wrong too.
"""
import hashlib
import json
import re
import subprocess
import sys
import unittest

from program import BIN, EXAMPLES, SOURCE, CommandTest, float_texts, vyre

TOOL = SOURCE / "tools/wire-decoder"
sys.path.insert(0, str(TOOL))
import vyre_wire  # noqa: E402

MODULES = sorted((SOURCE / "test/wire/v2").glob("*.vyrb"))
FROZEN = sorted((SOURCE / "test/wire/v1").glob("*.vyrb")) + MODULES
# Frozen programs that decode and are not valid: they call operations that need not exist.
INVALID = {"calls.vyrb"}
EACH = 13  # of the damaged files, every so many-th is tried


def sealed(content):
    """The bytes with the digest that is theirs, so that a decoder has to look further."""
    if len(content) < 40:
        return content
    return content[:8] + hashlib.sha256(content[:8] + content[40:]).digest() + content[40:]


def damaged(content):
    """Truncations, single-byte edits, insertions and deletions behind the magic, most with a digest that fits."""
    for cut in range(4, len(content)):
        yield content[:cut]
        yield sealed(content[:cut])
    for at in range(4, len(content)):
        old = content[at]
        yield content[:at] + bytes([old ^ 1]) + content[at + 1:]
        for new in sorted({old ^ 1, old ^ 0x80, 0, 0xFF, (old + 1) & 0xFF, (old - 1) & 0xFF, at * 37 & 0xFF} - {old}):
            yield sealed(content[:at] + bytes([new]) + content[at + 1:])
    for at in range(40, len(content) + 1):
        yield sealed(content[:at] + bytes([(0, 1, 2, 8, 0x80, 4)[at % 6]]) + content[at:])
        yield sealed(content[:at] + content[at + 1:])


def independent(content):
    """(program, None) or (None, (code, byte))."""
    try:
        return vyre_wire.decode(content), None
    except vyre_wire.Refused as refused:
        return None, (refused.code, refused.offset)


class Ledgers(unittest.TestCase):
    # Oracle: the ledgers; the shapes of operators are explained at the head of ops.def.
    def test_the_second_decoder_has_their_tags(self):
        operators = re.findall(r'^VYRE_OP\((\w+), +\w+, +"(\w+)", +(\w+)', (SOURCE / "src/spec/ops.def").read_text(), re.M)
        self.assertEqual(vyre_wire.OPERATORS, {int(tag, 16): mnemonic for tag, mnemonic, _ in operators})
        operands = {"T_T": 1, "T_U": 1, "T_B": 1, "V_U": 1, "Cast": 1, "Bitcast": 1, "TT_T": 2, "TU_T": 2, "TT_U": 2, "A_T": 2,
                    "UU_V": 2, "CTT_T": 3, "TTT_T": 3, "AA_T": 3, "UUUU_V": 4, "Reduce": 0}
        for _, mnemonic, shape in operators:
            if shape != "Call":  # says itself how many
                self.assertEqual(vyre_wire.operands_of(mnemonic), operands[shape], mnemonic)
        types = re.findall(r'^VYRE_TYPE\((\w+), +\w+, +"(\w+)"', (SOURCE / "src/spec/types.def").read_text(), re.M)
        self.assertEqual(vyre_wire.TYPES, {int(tag, 16): name for tag, name in types})
        steps = re.findall(r'^VYRE_TENSOR_(?:OP|VALUE)\((\w+), +\w+, +"(\w*)"', (SOURCE / "src/ir/tensor_ops.def").read_text(), re.M)
        self.assertEqual({tag: step[0] for tag, step in vyre_wire.STEPS.items()},
                         {int(tag, 16): name or "value" for tag, name in steps})


class Programs(CommandTest):
    def same_text(self, wire, text=None):
        """Ours is the text that is given, or that vyre decodes."""
        if text is None:
            text = self.expect(0, "decode", wire).stdout
        program, refused = independent(wire.read_bytes())
        self.assertIsNone(refused, wire)
        self.assertEqual(vyre_wire.text(program), text, wire)
        return program

    def test_same_text_of_all_programs(self):
        folders = [SOURCE / "test/run", SOURCE / "test/regress", EXAMPLES]
        texts = [path for folder in folders for path in sorted(folder.glob("*.vyre"))] + float_texts(self.folder / "floats")
        self.assertGreater(len(texts), 160)
        # One process has them all (wire_texts.cpp), and of every 40th the commands say the same.
        subprocess.run([BIN / "wire_texts", self.folder, *texts], check=True)
        command = self.folder / "program.vyrb"
        for k, path in enumerate(texts):
            wire, text = self.folder / f"{k}.vyrb", (self.folder / f"{k}.vyre").read_text()
            if k % 40 == 0:
                self.expect(0, "encode", path, "-o", command)
                self.assertEqual(command.read_bytes(), wire.read_bytes(), path)
                self.assertEqual(self.expect(0, "decode", command).stdout, text, path)
            with self.subTest(path.name):
                decoded = self.same_text(wire, text)
                for program in decoded.get("programs", [decoded]):
                    self.assertIn("program " + program["name"] + "(", path.read_text())

    def test_same_text_of_frozen_files(self):
        self.assertGreaterEqual(len(FROZEN) - len(MODULES), 7)
        self.assertGreaterEqual(len(MODULES), 12)
        for path in FROZEN:
            if path.name in INVALID:
                self.refuse(1, "error[V017]", "decode", path)
            else:
                self.same_text(path)

    # Oracle: the shortest decimal of a float is computed with fractions here and by the standard library there.
    def test_same_decimals_of_floats(self):
        near_powers = [(exponent << 23) + by & 0x7FFFFFFF for exponent in range(256) for by in (-1, 0, 1)]
        floats = {"f16": range(0, 1 << 16, 41), "bf16": range(0, 1 << 16, 43),
                  "f32": near_powers + [n * 2654435761 % 2**32 for n in range(2000)]}
        lines = [f"  {kind}s[0] = {kind}({bits:#x});" for kind, all_bits in floats.items() for bits in all_bits]
        buffers = ", ".join(f"read_write {kind}s: {kind} @{i}" for i, kind in enumerate(floats))
        wire = self.folder / "floats.vyrb"
        self.expect(0, "encode", self.write("floats.vyre", "\n".join(
            [f"program floats({buffers}) workgroup(1, 1, 1) {{", *lines, "}"])), "-o", wire)
        self.same_text(wire)

    # Oracle: the text beside the frozen file, which was there first.
    def test_calls_that_need_not_exist(self):
        program, _ = independent((SOURCE / "test/wire/v1/calls.vyrb").read_bytes())
        words = lambda text: re.sub(r"//[^\n]*|\s", "", text).replace("@1(", "(")
        self.assertEqual(words(vyre_wire.text(program)), words((SOURCE / "test/wire/v1/calls.vyre").read_text()))


class Damage(CommandTest):
    """Both refuse with one code at one byte, or both accept."""

    def verdicts(self, cases):
        """What vyre says of each: the first error's (code, byte or None), or None."""
        for i, content in enumerate(cases):
            (self.folder / str(i)).write_bytes(content)
        done = vyre("check", *range(len(cases)), cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr[-2000:])
        found = {}
        for line in done.stderr.splitlines():
            error = re.match(r"(\d+)(?::[\d:]+)?: error\[(\w+)\]: (?:at byte (\d+))?", line)
            if error:
                found.setdefault(int(error[1]), (error[2], int(error[3]) if error[3] else None))
        return [found.get(i) for i in range(len(cases))]

    def test_refused_by_both_or_by_neither(self):
        codes, valid = {}, []
        cases = [case for path in FROZEN for case in damaged(path.read_bytes())][::EACH]
        self.assertGreater(len(cases), 1500)
        for first in range(0, len(cases), 1000):
            some = cases[first:first + 1000]
            for content, verdict in zip(some, self.verdicts(some)):
                _, refused = independent(content)
                if refused or (verdict and verdict[0][0] == "W"):
                    self.assertEqual(refused, verdict, content.hex())
                    codes[refused[0]] = codes.get(refused[0], 0) + 1
                elif verdict is None:
                    valid.append(content)
                else:
                    self.assertIn(verdict[0][0], "VG", content.hex())
        self.assertEqual(sorted(codes), [f"W{n:03}" for n in range(2, 12)], codes)
        self.assertGreater(len(valid), 50)
        path = self.folder / "valid.vyrb"
        for content in valid[::len(valid) // 8]:
            path.write_bytes(content)
            self.assertEqual(vyre_wire.text(vyre_wire.decode(content)), self.expect(0, "decode", path).stdout)

    # Oracle: the digest in the header. No edit and no truncation of a frozen file may pass without a new one.
    def test_nothing_passes_under_the_old_digest(self):
        for path in FROZEN:
            content = path.read_bytes()
            for at in range(len(content)):
                self.assertIsNotNone(independent(content[:at])[1], (path, at))
                edited = content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1:]
                self.assertIsNotNone(independent(edited)[1], (path, at))

    def test_without_the_magic(self):
        content = FROZEN[0].read_bytes()
        for bad in [b"", b"VYR", b"vyre" + content[4:], b"\0" + content]:
            self.assertEqual(independent(bad)[1], ("W001", 0))
            self.refuse(1, "error[W001]", "decode", self.write("bad.vyrb", bad))

    # Oracle: docs/wire-format.md; the bodies are its examples, and each line breaks one sentence of the page.
    def test_rules_of_the_page(self):
        body = bytes.fromhex("02 0166 016f  01 01020102  040101  0401  01  030100 010100 0801 0401 0101ac02")
        seal = lambda b, version=1: sealed(b"VYRE" + version.to_bytes(4, "little") + bytes(32) + b)
        two = b"\0\2" + body + body.replace(b"f", b"g") + b"\0"
        cut = lambda at, new, old=1: body[:at] + bytes.fromhex(new) + body[at + old:]
        graph = bytes.fromhex("000000 01 01  03 0167 0178 0179  02 01 01  01 01 01 00  01 02 01 00  01 00 02 0814 0201")
        step = lambda at, new, old=1: seal(graph[:at] + bytes.fromhex(new) + graph[at + old:], 2)
        cases = [
            (seal(graph, 2), None),
            (step(4, "00"), ("W006", 44)),  # no graphs, and they are announced
            (step(23, "13"), ("W005", 63)),  # a step that there is not
            (step(23, "0b0202"), ("W005", 65)),  # Sub folds nothing
            (step(23, "0b022903"), ("W005", 66)),  # in a third order
            (step(13, "02"), ("W003", 70)),  # two steps, there is one
            (step(10, "022330", 2), ("W006", 53)),  # y is `#0`, and an expression is no step in another
            (step(24, "0602", 2), ("W007", 64)),  # seven names in five bytes
            (seal(body), None),
            (seal(body, 3), ("W002", 4)),
            (seal(b"\0\1" + body + b"\0", 2), ("W006", 4)),  # one program alone
            (seal(two, 2), None),
            (seal(two + b"\0", 2), ("W008", 103)),
            (seal(body, 3)[:39], ("W003", 39)),  # too short for a header, whatever the version is
            (seal(b""), ("W003", 40)),
            (seal(cut(0, "00")), ("W006", 40)),
            (seal(cut(0, "8200")), ("W006", 40)),  # a number in two bytes for one
            (seal(cut(11, "8080808010")), ("W006", 51)),  # 2^32
            (seal(cut(2, "20")), ("W011", 42)),
            (seal(cut(4, "66")), ("W006", 43)),  # f twice
            (seal(b"\3\1f\1o\1p" + body[5:]), ("W006", 40)),  # p is never referred to
            (seal(cut(7, "06")), ("W005", 47)),
            (seal(cut(8, "0f")), ("W005", 48)),
            (seal(cut(8, "15")), ("W005", 48)),
            (seal(cut(8, "10")), ("W010", 48)),
            (seal(cut(8, "0c 01 01 00 05 00")), None),  # a tensor of one dimension
            (seal(cut(8, "0c 0c 01 00 05 00")), ("W005", 49)),  # of tensors
            (seal(cut(8, "0c 01 01 02 05 00")), ("W005", 51)),  # of a dimension that is neither fixed nor dynamic
            (seal(cut(8, "0c 01 3f 00 05 00")), ("W007", 50)),
            (seal(cut(8, "0c 01 01 00 05 3f")), ("W007", 53)),
            (seal(cut(13, "05")), ("W006", 53)),  # five expressions, there are four
            (seal(cut(14, "03")), ("W006", 53)),  # three statements, there is one
            (seal(cut(14, "0e")), ("W007", 54)),  # what the expressions leave is less
            (seal(cut(15, "02")), ("W006", 53)),  # a block of two
            (seal(cut(13, "03")), ("W006", 53)),
            (seal(cut(13, "7f")), ("W007", 53)),
            (seal(cut(17, "02")), ("W009", 57)),
            (seal(cut(20, "08")), ("W005", 60)),  # a literal of bytes
            (seal(cut(23, "5d")), ("W010", 63)),
            (seal(cut(23, "5f")), ("W010", 63)),
            (seal(cut(23, "60")), ("W005", 63)),
            (seal(body + b"\x06"), ("W008", 70)),
        ]
        self.assertEqual([independent(content)[1] for content, _ in cases], [want for _, want in cases])
        self.assertEqual(self.verdicts([content for content, _ in cases]), [want for _, want in cases])


class Tool(CommandTest):
    def tool(self, *arguments):
        return subprocess.run([sys.executable, str(TOOL / "vyre_wire.py"), *map(str, arguments)], capture_output=True,
                              text=True)

    def test_text_tree_and_exit_codes(self):
        xor = SOURCE / "test/wire/v1/xor.vyrb"
        self.assertTrue(self.tool(xor).stdout.startswith("program xor(read a: u32 @0, "))
        tree = json.loads(self.tool("--tree", xor).stdout)
        self.assertEqual((tree["name"], tree["buffers"][1]["binding"], tree["body"][0]["is"]), ("xor", 1, "let"))
        bad = self.tool(self.write("bad.vyrb", xor.read_bytes()[:-1]))
        self.assertEqual((bad.returncode, bad.stdout), (1, ""))
        self.assertIn("bad.vyrb: error[W004]: at byte 8: ", bad.stderr)
        self.assertEqual([self.tool().returncode, self.tool(self.folder / "none").returncode], [2, 2])

    # Oracle: decoding takes no stack: 50,000 blocks, one in the other, come back as they went in.
    def test_deep_nesting(self):
        depth = 50000
        leb = lambda n: bytes([n & 0x7F | 0x80, n >> 7 & 0x7F | 0x80, n >> 14])
        body = b"\1\1f\0\1\1\1\0" + leb(depth) + b"\1" + b"\7\1" * (depth - 1) + b"\7\0"
        content = sealed(b"VYRE\1\0\0\0" + bytes(32) + body)
        program, refused = independent(content)
        self.assertIsNone(refused)
        self.assertEqual(vyre_wire.tree(program).count('"block"'), depth)
        for _ in range(depth):
            program = {"body": program["body"][0]["body"]}
        self.assertEqual(program["body"], [])
        self.refuse(1, "error[V022]", "decode", self.write("deep.vyrb", content))


if __name__ == "__main__":
    unittest.main()
