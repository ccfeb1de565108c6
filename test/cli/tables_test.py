"""vyre-tables: files of patterns to tables, and what is said of files that give none.

Oracle: specification table, the syntax in src/tables/tables.h, worked out by hand; matches by Python's re.
"""
import re
import struct
import unittest

import program


class TablesTest(program.CommandTest):
    def make(self, kind, text):
        """The path of the table; what was said of it."""
        table = self.folder / "table.bin"
        said = self.expect(0, kind, self.write("patterns.txt", text), "-o", table, program="vyre-tables").stderr
        return table, said

    def test_a_table_is_described(self):
        for kind, text, patterns, states in [("literals", "he\nshe\nhis\nhers\n", "4 patterns", 10),
                                             ("glob", "*a", "1 pattern,", 2), ("regex", "a+\nb\n", "2 patterns", 4)]:
            table, said = self.make(kind, text)
            self.assertIn(patterns, said)
            self.assertIn(f"{states} states", said)
            self.assertIn(f"{table.stat().st_size} bytes", said)
            self.assertEqual(struct.unpack("<I", table.read_bytes()[:4]), (states,))

    def test_expressions_find_what_python_finds(self):
        table, _ = self.make("regex", "[0-9]+\\.[0-9]+\n")
        items = [b"pi 3.14159", b"none", b"1.5 and 2.5", b""]
        data = b"".join(items)
        offsets = [sum(map(len, items[:k])) for k in range(len(items) + 1)]
        outputs = [self.folder / name for name in ("starts", "ends")]
        self.expect(0, "run", "match.regex", "--set", f"data=@{self.write('data', data + bytes(-len(data) % 4))}",
                    "--set", "offsets=" + ",".join(map(str, offsets)), "--set", f"lookup=@{table}",
                    "--set", "starts=zeros:4", "--set", "ends=zeros:4", "--set", "patterns=zeros:4",
                    "--get", f"starts=@{outputs[0]}", "--get", f"ends=@{outputs[1]}")
        found = [struct.unpack("<4I", path.read_bytes()) for path in outputs]
        matches = [re.search(rb"[0-9]+\.[0-9]+", item) for item in items]
        self.assertEqual(list(zip(*found)), [match.span() if match else (0xFFFFFFFF,) * 2 for match in matches])

    def test_a_bad_file_writes_nothing(self):
        table = self.folder / "table.bin"
        for kind, text, words in [("regex", "a\nb(\n", [":2:2: error: a ( without its )", "help: write \\("]),
                                  ("regex", "a*?", [":1:3: error: lazy"]), ("glob", "a\n[x", [":2:1: error: a class"]),
                                  ("literals", "", [":1:1: error: there is no literal"]),
                                  ("literals", "a\n\nb\n", [":2:1: error: an empty line"])]:
            self.refuse(1, words, kind, self.write("patterns.txt", text), "-o", table, program="vyre-tables")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["patterns.txt"])

    def test_a_bad_file_keeps_what_was_there(self):
        table, _ = self.make("glob", "a*\n")
        before = table.read_bytes()
        self.refuse(1, "empty line", "glob", self.write("patterns.txt", "\n"), "-o", table, program="vyre-tables")
        self.assertEqual(table.read_bytes(), before)

    def test_usage(self):
        patterns = self.write("patterns.txt", "a\n")
        for words, arguments in [("--help", []), ("did you mean `regex`", ["regx", patterns, "-o", "x"]),
                                 ("--out is required", ["glob", patterns]),
                                 ("cannot read", ["glob", self.folder / "none", "-o", self.folder / "x"]),
                                 ("cannot write", ["glob", patterns, "-o", self.folder / "none" / "x"])]:
            self.refuse(2, words, *arguments, program="vyre-tables")
        for verb in ("literals", "glob", "regex"):
            self.assertIn("Example:", self.expect(0, verb, "--help", program="vyre-tables").stdout)


if __name__ == "__main__":
    unittest.main()
