"""Graphs on the command line: shapes, dimensions, files of arrays and tensors, drawings and modules.

Oracle: the .npy and .safetensors formats as their documentation has them, written here with struct and json; values worked out by
hand.
"""
import json
import struct
import unittest

from npy_test import npy
from program import CommandTest

MLP = """graph layer(x: f32[b, 2], w: f32[2, n], bias: f32[n]) -> (y: f32[b, n], total: f32[b, 1]) {
  y = fmax(matmul(x, w) + bias, 0.0);
  total = reduce(fadd, tree, y, 1);
}
"""
# [[1, 2], [3, 4]] times [[1, 0, -1], [0, 1, 1]] plus [0, 1, -9], and nothing below 0.
X, W, BIAS = [1, 2, 3, 4], [1, 0, -1, 0, 1, 1], [0, 1, -9]
Y, TOTAL = [1, 3, 0, 3, 5, 0], [4, 8]


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def safetensors(tensors, **header):
    """A file of {name: (dtype, shape, bytes)}; header: what is said of a tensor instead."""
    data, said = b"", {"__metadata__": {"format": "pt"}}
    for name, (kind, shape, content) in tensors.items():
        said[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        said[name].update(header.get(name, {}))
        data += content
    text = json.dumps(said).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


class Graphs(CommandTest):
    def setUp(self):
        super().setUp()
        self.mlp = self.write("mlp.vyre", MLP)
        self.x = self.write("x.npy", npy("<f4", "(2, 2)", floats(X)))
        self.weights = self.write("m.safetensors", safetensors(
            {"layer.weight": ("F32", [2, 3], floats(W)), "layer.bias": ("F32", [3], floats(BIAS)), "n": ("I64", [], bytes(8))}))
        self.given = ["--set", f"x=@{self.x}", "--set", f"w=@{self.weights}:layer.weight", "--set", "bias=0,1,-9"]

    def test_shapes_of_files_bind_dimensions(self):
        for backend in ("reference", "native"):
            done = self.expect(0, "run", self.mlp, "--backend", backend, *self.given)
            self.assertEqual(done.stdout, "y[2, 3]: 1 3 0 3 5 0\ntotal[2, 1]: 4 8\n")
        done = self.expect(0, "run", self.mlp, "--compare", "reference,native", *self.given)
        self.assertIn("equal: 2 backends", done.stdout)

    def test_dimensions_bind_what_no_file_does(self):
        lists = ["--set", "x=1,2,3,4", "--set", "w=1,0,-1,0,1,1", "--set", "bias=0,1,-9"]
        done = self.expect(0, "run", self.mlp, "--dim", "b=2", *lists, "--get", "total")
        self.assertEqual(done.stdout, "total[2, 1]: 4 8\n")  # n is that of bias, which has one axis
        self.refuse(1, ["G015", "`b`", "--dim b=5"], "run", self.mlp, *lists)
        self.refuse(1, ["G015", "`b` is 2", "3"], "run", self.mlp, "--dim", "b=3", *self.given)
        self.refuse(1, ["G015", "4 elements", "f32[3, 2]"], "run", self.mlp, "--dim", "b=3", *lists)
        self.refuse(2, ["--dim c=3", "no graph"], "run", self.mlp, "--dim", "c=3", *lists)
        self.refuse(2, ["--dim b", "NAME=SIZE"], "run", self.mlp, "--dim", "b", *lists)
        self.refuse(2, "twice", "run", self.mlp, "--dim", "b=2", "--dim", "b=2", *lists)

    def test_what_does_not_fit(self):
        wrong = self.write("w.npy", npy("<f4", "(3, 3)", floats(range(9))))
        self.refuse(1, ["G015", "`w`", "f32[3, 3]"], "run", self.mlp, *self.given[:2], "--set", f"w=@{wrong}", *self.given[4:])
        self.refuse(1, ["G015", "`bias`", "not given"], "run", self.mlp, *self.given[:4])
        self.refuse(2, ["--set y", "output"], "run", self.mlp, *self.given, "--set", "y=zeros:6")
        self.refuse(2, ["--set z", "no such buffer"], "run", self.mlp, *self.given, "--set", "z=zeros:6")
        self.refuse(2, "graph, which says itself", "run", self.mlp, *self.given, "--groups", "1")

    def test_no_elements(self):
        empty = self.write("e.npy", npy("<f4", "(0, 2)", b""))
        for backend in ("reference", "native"):
            done = self.expect(0, "run", self.mlp, "--backend", backend, "--set", f"x=@{empty}", *self.given[2:])
            self.assertEqual(done.stdout, "y[0, 3]:\ntotal[0, 1]:\n")

    def test_outputs_have_their_shapes_in_files(self):
        y, stored = self.folder / "y.npy", self.folder / "out.safetensors"
        self.expect(0, "run", self.mlp, *self.given, "--get", f"y=@{y}", "--get", f"total=@{stored}:a/\"total\"",
                    "--get", f"bias=@{stored}:b")
        self.assertEqual(y.read_bytes(), npy("<f4", "(2, 3)", floats(Y)))
        content = stored.read_bytes()
        size = struct.unpack("<Q", content[:8])[0]
        self.assertEqual((8 + size) % 8, 0)
        self.assertEqual(json.loads(content[8:8 + size]), {
            "a/\"total\"": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]},
            "b": {"dtype": "F32", "shape": [3], "data_offsets": [8, 20]}})
        self.assertEqual(content[8 + size:], floats(TOTAL) + floats(BIAS))

    def test_a_graph_takes_the_outputs_of_another(self):
        double = self.write("double.vyre", "graph double(y: f32[b, n]) -> (z: f32[b, n]) {\n  z = y * 2.0;\n}\n")
        for backend in ("reference", "native"):
            done = self.expect(0, "run", self.mlp, "--then", double, "--backend", backend, *self.given, "--get", "z")
            self.assertEqual(done.stdout, "z[2, 3]: 2 6 0 6 10 0\n")

    def test_the_pipeline_of_a_graph_races_nowhere(self):
        done = self.expect(0, "run", self.mlp, *self.given, "--backend", "reference", "--detect-races", "--get", "total")
        self.assertEqual(done.stdout, "total[2, 1]: 4 8\n")

    def test_levels_of_a_scan_race_nowhere(self):
        """Nine blocks of 16: the second level begins where the first one, of no multiple of eight nodes, ends."""
        scan = self.write("scan.vyre", "graph scan_of(x: u32[n, 16]) -> (y: u32[n, 16]) {\n  y = scan(add, x, 0);\n}\n")
        self.expect(0, "run", scan, "--dim", "n=144", "--set", "x=zeros:2304", "--backend", "reference",
                    "--detect-races", "--get", "y=@/dev/null")

    def test_errors_of_sizes_have_their_place(self):
        odd = self.write("odd.vyre", "graph cut(x: u32[n]) -> (y: u32[n - 2]) {\n  y = slice(x, [2..n]);\n}\n")
        self.assertEqual(self.expect(0, "run", odd, "--set", "x=1,2,3").stdout, "y[1]: 3\n")
        self.refuse(1, ["error[G0", f"{odd}:", "`n` = 1"], "run", odd, "--set", "x=1")

    def test_test_lines(self):
        lines = "// run: b=2 x=[1, 2, 3, 4] w=[1, 0, -1, 0, 1, 1] bias=[0, 1, -9] => total=[4, 8] y=[1, 3, 0, 3, 5, 0]\n"
        good = self.write("good.vyre", MLP + lines)
        self.assertEqual(self.expect(0, "test", good, "--backend", "reference,native").stdout, "2 passed, 0 failed\n")
        bad = self.write("bad.vyre", MLP + lines.replace("[4, 8]", "[4, 9]"))
        done = self.expect(1, "test", bad, "--backend", "reference,native")
        self.assertIn("total[1]: expected 9 (0x41100000), and reference gives 8", done.stderr)
        for change, words in ((("b=2", ""), "G015|`b`"), (("b=2", "c=2"), "no constant 'c'"), (("=>", "y=[] =>"), "output"),
                              (("b=2", "b=3"), "4 elements"), (("b=2", "groups=[1]"), "groups are given to a graph")):
            done = self.expect(1, "test", self.write("wrong.vyre", MLP + lines.replace(*change)))
            self.assertTrue(any(word in done.stderr for word in words.split("|")), done.stderr)

    def test_drawings(self):
        symbolic = self.expect(0, "lower", self.mlp, "--to", "dot").stdout
        self.assertIn('label="x\\nf32[b, 2]"', symbolic)
        self.assertIn('label="matmul\\nf32[b, n]"', symbolic)
        self.assertIn('label="reduce fadd tree\\naxis 1\\nf32[b, 1]"', symbolic)
        self.assertIn("fmax(_, 0.0)", symbolic)
        self.assertNotIn("cluster", symbolic)
        sized = self.expect(0, "lower", self.mlp, "--to", "dot", "--dim", "b=2", "--dim", "n=3").stdout
        self.assertIn("graph layer at b = 2, n = 3", sized)
        self.assertIn("cluster_0", sized)
        self.assertIn('label="matmul\\nf32[2, 3]"', sized)
        self.assertEqual(sized.count("{"), sized.count("}"))
        self.refuse(2, "--dim n=5 is missing", "lower", self.mlp, "--to", "dot", "--dim", "b=2")
        self.refuse(2, "no such dimension", "lower", self.mlp, "--to", "dot", "--dim", "z=2")
        self.refuse(2, "--dim goes with", "lower", self.mlp, "--to", "ptx", "--dim", "b=2")

    def test_the_module_of_a_graph_gives_the_same(self):
        module = self.folder / "module.vyre"
        self.expect(0, "lower", self.mlp, "--to", "vyre", "--dim", "b=2", "--dim", "n=3", "-o", module)
        done = self.expect(0, "run", module, "--set", "x=1,2,3,4", "--set", "w=1,0,-1,0,1,1", "--set", "bias=0,1,-9",
                           "--set", "y=zeros:6", "--set", "total=zeros:2")
        self.assertEqual(done.stdout, "y: 1 3 0 3 5 0\ntotal: 4 8\n")
        self.refuse(2, "--dim b=5 is missing", "lower", self.mlp, "--to", "vyre")


class SmallTypes(CommandTest):
    """Types of 8 and 4 bits: values by hand from the tables of OFP8 and MX."""
    # Type: type of the array, its bytes, those elements as they are printed, and as they are written.
    TYPES = {
        "u8": ("|u1", b"\0\x80\xff", "0 128 255", "0,0x80,255"),
        "i8": ("|i1", b"\0\x80\xff", "0 -128 -1", "0,-128,0xff"),
        "fp8_e4m3": ("|u1", b"\x7e\x81\x31", "448 -0.001953125 0.5625", "448,-0.001953125,0x31"),
        "fp8_e5m2": ("|u1", b"\x7b\x01\xfc", "57344 1.5258789e-05 -inf", "57344,0.0000152587890625,-inf"),
        "fp4_e2m1": ("|u1", b"\x07\x09\x04", "6 -0.5 2", "6,-0.5,0x4"),
    }

    def reversed(self, kind):
        text = f"graph turn(x: {kind}[n, 1]) -> (y: {kind}[1, n]) {{\n  y = transpose(x, [1, 0]);\n}}\n"
        return self.write("turn.vyre", text)

    def test_every_type_there_and_back(self):
        for kind, (descr, data, shown, written) in self.TYPES.items():
            for backend in ("reference", "native"):
                with self.subTest(kind, backend=backend):
                    array, back = self.write("a.npy", npy(descr, "(3, 1)", data)), self.folder / "b.npy"
                    run = ["run", self.reversed(kind), "--backend", backend, "--set", f"x=@{array}"]
                    self.assertEqual(self.expect(0, *run).stdout, f"y[1, 3]: {shown}\n")
                    self.expect(0, *run, "--get", f"y=@{back}")
                    self.assertEqual(back.read_bytes(), npy(descr, "(1, 3)", data))
            text = self.expect(0, "run", self.reversed(kind), "--dim", "n=3", "--set", f"x={written}", "--hex").stdout
            digits = 1 if kind == "fp4_e2m1" else 2
            self.assertEqual(text, "y[1, 3]: " + " ".join(f"0x{byte:0{digits}x}" for byte in data) + "\n")

    def test_literals_that_do_not_fit(self):
        for kind, words in {"u8": ["256", "-1"], "i8": ["128", "-129", "0x100"], "fp8_e4m3": ["465", "inf", "0x100"],
                            "fp8_e5m2": ["61440"], "fp4_e2m1": ["7.5", "inf", "nan", "0x10"]}.items():
            for word in words:
                with self.subTest(kind, word=word):
                    self.refuse(2, f"does not fit {kind}", "run", self.reversed(kind), "--dim", "n=1", "--set", f"x={word}")
        array = self.write("a.npy", npy("|u1", "(1, 1)", b"\x10"))
        self.refuse(2, "a byte above 15", "run", self.reversed("fp4_e2m1"), "--set", f"x=@{array}")

    def test_their_names_are_names(self):
        file = self.write("names.vyre", "program u8(read_write i8: u32 @0) workgroup(1, 1, 1) {\n  let fp4_e2m1 = i8[0];\n"
                          "  i8[0] = fp4_e2m1 + 1;\n}\n")
        self.assertEqual(self.expect(0, "run", file, "--groups", 1, "--set", "i8=4").stdout, "i8: 5\n")


class Safetensors(CommandTest):
    """Files that are as they should be, and files that are not."""
    TYPES = {
        "u32": ("U32", struct.pack("<3I", 1, 2, 0xffffffff), "1 2 4294967295"),
        "i32": ("I32", struct.pack("<3i", 1, -2, 3), "1 -2 3"),
        "u64": ("U64", struct.pack("<3Q", 1, 1 << 40, 3), "1 1099511627776 3"),
        "f16": ("F16", struct.pack("<3e", 1, -2.5, 3), "1 -2.5 3"),
        "f32": ("F32", struct.pack("<3f", 1, -2.5, 3), "1 -2.5 3"),
        "bf16": ("BF16", struct.pack("<3H", 0x3f80, 0xc000, 0), "1 -2 0"),
        "bool": ("BOOL", b"\1\0\1", "true false true"),
        "u8": ("U8", b"\1\2\xff", "1 2 255"),
        "i8": ("I8", b"\1\xfe\x80", "1 -2 -128"),
        "fp8_e4m3": ("F8_E4M3", b"\x38\xc0\x7f", "1 -2 nan"),
        "fp8_e5m2": ("F8_E5M2", b"\x3c\xc0\xfc", "1 -2 -inf"),
    }

    def same(self, kind="f32"):
        return self.write("same.vyre", f"graph same(x: {kind}[n, 1]) -> (y: {kind}[n, 1]) {{\n  y = x;\n}}\n")

    def test_every_type_there_and_back(self):
        for kind, (name, data, shown) in self.TYPES.items():
            with self.subTest(kind):
                file = self.write("a.safetensors", safetensors({"before": ("U8", [1], b"x"), "t": (name, [3, 1], data)}))
                back = self.folder / "b.safetensors"
                run = ["run", self.same(kind), "--set", f"x=@{file}:t"]
                self.assertEqual(self.expect(0, *run).stdout, f"y[3, 1]: {shown}\n")
                self.expect(0, *run, "--get", f"y=@{back}:t")
                content = back.read_bytes()
                self.assertEqual(content[-len(data):], data)
                self.assertEqual(self.expect(0, "run", self.same(kind), "--set", f"x=@{back}:t").stdout, f"y[3, 1]: {shown}\n")

    def test_names_are_strings_of_json(self):
        name = "a\"\\/é\n\U0001f600"
        file = self.write("a.safetensors", safetensors({name: ("F32", [1, 1], floats([7]))}))  # json escapes all of them
        self.assertIn(b"\\ud83d", file.read_bytes())
        self.assertEqual(self.expect(0, "run", self.same(), "--set", f"x=@{file}:{name}").stdout, "y[1, 1]: 7\n")

    def test_what_is_refused(self):
        def refuse(words, content, name="t"):
            file = self.write("a.safetensors", content)
            self.refuse(2, words, "run", self.same(), "--set", f"x=@{file}" + (f":{name}" if name else ""))
        one, two = ("F32", [1, 1], floats([1])), ("F32", [2, 1], floats([2, 3]))
        good = safetensors({"t": one, "weight": two})
        refuse(["there is no tensor 'weigth'", "weight"], good, "weigth")
        refuse(["which tensor is meant", "t, weight"], good, "")
        refuse(["type I32", "f32 takes F32"], safetensors({"t": ("I32", [1, 1], bytes(4))}))
        refuse(["unknown type 'F31'"], safetensors({"t": ("F31", [1, 1], bytes(4))}))
        refuse("cut off", good[:-1])
        refuse("cut off", good[:20])
        refuse("cut off", good[:5])
        refuse("cut off", b"")
        refuse("bytes follow the header", good + b"more")
        refuse("begins at 0", safetensors({"t": one, "weight": two}, weight={"data_offsets": [0, 8]}))
        refuse("begins at 2, within", safetensors({"t": one, "weight": two}, weight={"data_offsets": [2, 10]}))
        refuse("begins at 8, with a hole", safetensors({"t": one, "weight": ("F32", [1, 1], bytes(8))},
                                                       weight={"data_offsets": [8, 12]}))
        refuse("[3, 1]", safetensors({"t": one}, t={"shape": [3, 1]}))
        refuse("from 4 to 0", safetensors({"t": one}, t={"data_offsets": [4, 0]}))
        refuse("18446744073709551615", safetensors({"t": one}, t={"shape": [(1 << 64) - 1, 8]}))
        for header in (b"", b"[]", b"{", b'{"t"', b'{"t":{}}', b'{"t":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4,8]}}',
                       b'{"t":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', b'{"t":1}', b'{} x', b'{"\\q":{}}', b'{"\\ud83d":{}}',
                       b'{"t":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4],"more":[1]}}', b"[" * 100000):
            with self.subTest(header[:60]):
                refuse("header is malformed", struct.pack("<Q", len(header)) + header + floats([1]))
        twice = b'{"t":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},"t":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}'
        refuse("'t' twice", struct.pack("<Q", len(twice)) + twice + floats([1]))
        refuse("does not begin as", struct.pack("<Q", 1 << 60) + b"{}")
        self.refuse(2, "cannot read", "run", self.same(), "--set", f"x=@{self.folder}/none.safetensors:t")
        self.refuse(2, "no regular file", "run", self.same(), "--set", f"x=@{self.make_folder()}:t")

    def make_folder(self):
        path = self.folder / "folder.safetensors"
        path.mkdir()
        return path

    def test_what_cannot_be_written(self):
        file = self.write("a.safetensors", safetensors({"t": ("F32", [1, 1], floats([1]))}))
        run = ["run", self.same(), "--set", f"x=@{file}:t"]
        self.refuse(2, "a name for the tensor", *run, "--get", f"y=@{self.folder}/b.safetensors")
        vectors = self.write("v.vyre", "program v(read_write x: vec2u32 @0) workgroup(1, 1, 1) {}\n")
        self.refuse(2, "vec2u32 is none of the types", "run", vectors, "--groups", 1, "--set", "x=zeros:1", "--get",
                    f"x=@{self.folder}/b.safetensors:t")


if __name__ == "__main__":
    unittest.main()
