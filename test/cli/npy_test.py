"""Arrays of NumPy in --set and --get.

Oracle: the format as numpy.lib.format describes it, written here with struct; and NumPy itself where it is installed.
"""
import struct
import unittest

from program import CommandTest

try:
    import numpy
except ImportError:
    numpy = None


def npy(descr, shape, data, version=1, order="False"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    length = "<H" if version == 1 else "<I"
    header += b" " * (-(8 + struct.calcsize(length) + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(length, len(header)) + header + data


# Type of the buffer: type of the array, shape of three elements, their bytes, and those elements as --get prints them.
TYPES = {
    "u32": ("<u4", "(3,)", struct.pack("<3I", 1, 2, 0xffffffff), "1 2 4294967295"),
    "i32": ("<i4", "(3,)", struct.pack("<3i", 1, -2, 3), "1 -2 3"),
    "u64": ("<u8", "(3,)", struct.pack("<3Q", 1, 1 << 40, 3), "1 1099511627776 3"),
    "f16": ("<f2", "(3,)", struct.pack("<3e", 1, -2.5, 3), "1 -2.5 3"),
    "f32": ("<f4", "(3,)", struct.pack("<3f", 1, -2.5, 3), "1 -2.5 3"),
    "bf16": ("<u2", "(3,)", struct.pack("<3H", 0x3f80, 0xc000, 0), "1 -2 0"),
    "bool": ("|b1", "(3,)", b"\1\0\1", "true false true"),
    "vec2u32": ("<u4", "(3, 2)", struct.pack("<6I", *range(6)), "(0,1) (2,3) (4,5)"),
    "vec4u32": ("<u4", "(3, 4)", struct.pack("<12I", *range(12)), "(0,1,2,3) (4,5,6,7) (8,9,10,11)"),
    "u128": ("<u8", "(3, 2)", struct.pack("<6Q", 1, 0, 2, 0, 0, 1), "1 2 18446744073709551616"),
}
SAME = "program same(read_write x: {} @0) workgroup(1, 1, 1) {{ }}\n"


class Npy(CommandTest):
    def same(self, kind):
        return self.write("same.vyre", SAME.format(kind))

    def test_every_type_there_and_back(self):
        for kind, (descr, shape, data, shown) in TYPES.items():
            with self.subTest(kind):
                array, back = self.write("a.npy", npy(descr, shape, data)), self.folder / "b.npy"
                run = ["run", self.same(kind), "--groups", 1, "--set", f"x=@{array}"]
                self.assertEqual(self.expect(0, *run).stdout, f"x: {shown}\n")
                self.expect(0, *run, "--get", f"x=@{back}")
                self.assertEqual(back.read_bytes(), npy(descr, shape, data))
                if numpy is not None:
                    self.assertTrue((numpy.load(back) == numpy.frombuffer(data, descr).reshape(eval(shape))).all())

    def test_bytes_are_padded(self):
        array, back = self.write("a.npy", npy("|u1", "(5,)", b"\1\2\3\4\5")), self.folder / "b.npy"
        run = ["run", self.same("bytes"), "--groups", 1, "--set", f"x=@{array}"]
        self.assertEqual(self.expect(0, *run, "--hex").stdout, "x: 0x04030201 0x00000005\n")
        self.expect(0, *run, "--get", f"x=@{back}")
        self.assertEqual(back.read_bytes(), npy("|u1", "(8,)", b"\1\2\3\4\5\0\0\0"))

    def test_every_version_and_shape(self):
        data = struct.pack("<6I", *range(6))
        for version in (1, 2, 3):
            for shape in ("(6,)", "(2, 3)", "(1, 6, 1)", "(6L,)"):
                with self.subTest(version=version, shape=shape):
                    array = self.write("a.npy", npy("<u4", shape, data, version))
                    self.assertEqual(self.expect(0, "run", self.same("u32"), "--groups", 1, "--set", f"x=@{array}").stdout,
                                     "x: 0 1 2 3 4 5\n")
        for shape, data, shown in [("()", b"\7\0\0\0", "x: 7\n"), ("(0,)", b"", "x:\n"), ("(3, 0)", b"", "x:\n")]:
            array = self.write("a.npy", npy("<u4", shape, data))
            self.assertEqual(self.expect(0, "run", self.same("u32"), "--groups", 1, "--set", f"x=@{array}").stdout, shown)

    def test_a_row_major_tensor_has_its_shape(self):
        back = self.folder / "b.npy"
        for kind, count, shape in [("tensor<u32, [2, 3]>", 6, "(2, 3)"), ("tensor<u32, [2, 3], strides[3, 1]>", 6, "(2, 3)"),
                                   ("tensor<u32, [2, 3], strides[1, 2]>", 6, "(6,)"), ("tensor<u32, [2, 3]>", 7, "(7,)")]:
            self.expect(0, "run", self.same(kind), "--groups", 1, "--set", f"x=iota:{count}", "--get", f"x=@{back}")
            self.assertEqual(back.read_bytes(), npy("<u4", shape, struct.pack(f"<{count}I", *range(count))), kind)
        rows = self.write("rows.vyre", "program p(uniform n: u32 @0, read x: tensor<f32, [r = n[0], 2]> @1) workgroup(1, 1, 1) { }\n")
        self.expect(0, "run", rows, "--groups", 1, "--set", "n=3", "--set", "x=iota:6", "--get", f"x=@{back}")
        self.assertEqual(back.read_bytes(), npy("<f4", "(3, 2)", struct.pack("<6f", *range(6))))

    def test_what_is_no_array_of_that_type(self):
        data = struct.pack("<3I", 1, 2, 3)
        good = npy("<u4", "(3,)", data)
        for what, file, words in [
                ("another type", npy("<i4", "(3,)", data), ["'<i4'", "'<u4'"]),
                ("another byte order", npy(">u4", "(3,)", data), "'>u4'"),
                ("a structure", good.replace(b"'<u4'", b"[('a', '<u4')]"), "structure"),
                ("Fortran order", npy("<u4", "(3,)", data, order="True"), "Fortran order"),
                ("too short", good[:-1], "11 bytes follow"), ("too long", good + b"\0", "13 bytes follow"),
                ("cut off in the header", good[:40], "cut off"), ("empty", b"", "no .npy file"), ("raw", data, "no .npy file"),
                ("another version", good[:6] + b"\4" + good[7:], "version 4"),
                ("no shape", good.replace(b"'shape'", b"'shade'"), "malformed"),
                ("a shape of 2^128", npy("<u4", "(18446744073709551615, 18446744073709551615)", data), "bytes follow"),
        ]:
            with self.subTest(what):
                self.refuse(2, words, "run", self.same("u32"), "--groups", 1, "--set", f"x=@{self.write('a.npy', file)}")
        for kind, shape in [("vec2u32", "(3,)"), ("vec2u32", "(1, 1, 3)"), ("vec4u32", "(2, 2)"), ("u128", "(3,)")]:
            descr = TYPES[kind][0]
            size = {"(3,)": 3, "(1, 1, 3)": 3, "(2, 2)": 4}[shape] * int(descr[2])
            with self.subTest(f"{kind} {shape}"):
                self.refuse(2, "last axis", "run", self.same(kind), "--groups", 1, "--set",
                            f"x=@{self.write('a.npy', npy(descr, shape, bytes(size)))}")
        self.refuse(2, "cannot read", "run", self.same("u32"), "--groups", 1, "--set", f"x=@{self.folder / 'no.npy'}")


if __name__ == "__main__":
    unittest.main()
