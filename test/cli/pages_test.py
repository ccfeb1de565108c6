"""What pages say of the library is what is there: lists, tags, sources, links; and the script's own help.

Oracle: the ledgers (src/spec/*.def), `vyre ops --json`, and the files of the tree.
"""
import json
import re
import subprocess
import unittest

from program import SOURCE, CommandTest, vyre

README = (SOURCE / "README.md").read_text()
SPEC = SOURCE / "docs/spec"
# (tag, name, mnemonic, signature, types, effect) of each operator
OPERATORS = [(int(m[0], 16), *m[1:]) for m in re.findall(
    r'^VYRE_OP\((\w+), +(\w+), +"(\w+)", +(\w+), +(.*?), +(\w+), +"', (SOURCE / "src/spec/ops.def").read_text(), re.M)]
# what an operator cites, by its mnemonic
SECTIONS = dict(re.findall(r'^VYRE_OP\(\w+, +\w+, +"(\w+)",.*"([^"]*)"\)$', (SOURCE / "src/spec/ops.def").read_text(), re.M))


def anchors(path):
    """What a link to the page may name behind #."""
    titles = re.findall(r"^#+ (.*)", path.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def section(path, anchor):
    """The text below one title, or the page."""
    text = path.read_text()
    if not anchor:
        return text
    parts = re.split(r"^(#+ .*)$", text, flags=re.M)
    for title, body in zip(parts[1::2], parts[2::2]):
        if re.sub(r"[^\w -]", "", title.lstrip("# ").lower()).replace(" ", "-") == anchor:
            return body
    raise AssertionError(f"{path} has no #{anchor}")


class Ledgers(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.operations = json.loads(vyre("ops", "--json").stdout)["operations"]

    def test_every_row_of_the_ledger_is_read(self):
        self.assertEqual(len(OPERATORS), len(re.findall("^VYRE_OP", (SOURCE / "src/spec/ops.def").read_text(), re.M)))

    def test_the_readme_names_the_functions(self):
        functions = {o[2].removesuffix("_approx") for o in OPERATORS if o[1].endswith("Approx") and o[3] != "Reduce"}
        (named,) = re.findall(r"^The functions \((.*?)\)", README, re.M | re.S)
        self.assertEqual(sorted(re.findall(r"`(\w+)`", named)), sorted(functions))

    def test_the_readme_names_the_verbs(self):
        for program in ["vyre", "vyre-conform"]:
            help_of = vyre("--help", program=program).stdout
            verbs = re.findall(r"^  ([a-z]+) ", help_of[help_of.lower().index("subcommands"):], re.M)
            self.assertGreater(len(verbs), 7)
            (said,) = re.findall(rf"`{program} ([a-z ]+)`;? *(?:`vyre-conform|\|)", README)
            self.assertEqual(sorted(said.split()), sorted(v for v in verbs if v != "worker"))

    def test_the_wire_page_has_the_tags_of_operators(self):
        table = section(SOURCE / "docs/wire-format.md", "tags").split("Types, a byte")[0]
        said = [(int(tag, 16), name) for tag, name in re.findall(r"\b([0-9a-f]{2}) ([A-Z]\w+)", table)]
        self.assertEqual(said, [o[:2] for o in OPERATORS])

    def test_operators_and_primitives_are_explained(self):
        explained = "".join((SPEC / page).read_text() for page in ["operators.md", "floats.md", "types.md"])
        words = set(re.findall(r"\w+", explained))
        self.assertEqual([o[1] for o in OPERATORS if not words & {o[1], o[2], o[1].removesuffix("Approx")}], [])
        primitives = (SPEC / "primitives.md").read_text()
        self.assertEqual([o["id"] for o in self.operations if o["id"].startswith("primitive.")
                          and f"`{o['id'].split('.')[-1]}(" not in primitives], [])


class Sources(CommandTest):
    """Each source of a row, an identity or an operator is on a page that docs/spec/README.md names, or published elsewhere."""

    @staticmethod
    def pages():
        """The (page, anchor) of each source that docs/spec/README.md lists."""
        pages = {}
        for cited, links in re.findall(r"^\| ([\w-]+: [^|]+) \| (.*) \|$", (SPEC / "README.md").read_text(), re.M):
            book, names = cited.split(": ")
            for name in names.split(", "):
                pages[f"{book}: {name}"] = re.findall(r"\]\(([\w.-]+)(?:#([\w-]+))?\)", links)
        return pages

    def test_operators_lead_to_their_pages(self):
        pages = self.pages()
        links = re.findall(r"^\| `(\w+)` \|.*\| \[\w+\]\(spec/([\w.]+)(?:#([\w-]+))?\) \|$", vyre("ops", "--markdown").stdout, re.M)
        self.assertEqual([mnemonic for mnemonic, *_ in links], list(SECTIONS))
        for mnemonic, page, anchor in links:
            listed = pages[SECTIONS[mnemonic]]
            self.assertIn(page, [known for known, _ in listed], mnemonic)
            if anchor:
                self.assertIn((page, anchor), listed, mnemonic)
            (said,) = re.findall(r'^  defined in docs/spec/([\w.]+)(?:, "(.*)")?$', vyre("ops", mnemonic).stdout, re.M)
            self.assertEqual((said[0], said[1].lower().replace(" ", "-")), (page, anchor))

    def test_rows_lead_to_their_pages(self):
        cited = set()
        for operation in ["primitive.math.add", "primitive.math.negate", "float.f32.sin"]:
            rows = vyre("ops", operation).stdout.split("\nSpecification\n")[1]
            for place in re.findall(r"\(([^()]*(?:\([^()]*\))?)\)$", rows, re.M):
                self.assertRegex(place, r'^(docs/spec/\w+\.md|IEEE 754-2019|[\w -]+, \S+ at )')
                cited |= set(re.findall(r"^docs/spec/(\w+\.md)", place))
        self.assertGreater(len(cited), 1)
        self.assertEqual([page for page in cited if not (SPEC / page).exists()], [])

    def test_what_is_cited_is_there(self):
        pages, used = self.pages(), set()
        for source in self.sources():
            if re.match(r"IEEE 754-2019, \d|[\w -]+, \S+ at [0-9a-f]{12}$", source):
                continue
            key = re.sub(r"(, (table|laws))?( \(.*\))?$", "", source)
            self.assertIn(key, pages, f"docs/spec/README.md has no page for the source \"{source}\"")
            used.add(key)
            texts = [section(SPEC / page, anchor) for page, anchor in pages[key]]
            self.assertTrue(texts)
            if key.startswith("binary-operations: "):
                self.assertIn(f"`{key.split(': ')[1]}`", "".join(texts), source)
        self.assertEqual(used, set(pages), "docs/spec/README.md names what nothing cites")

    def sources(self):
        found = set(SECTIONS.values())
        self.assertGreater(len(found), 20)
        for operation in json.loads(vyre("ops", "--json").stdout)["operations"]:
            found |= {row["source"] for row in operation.get("rows", [])}
        rows = "".join(path.read_text() for path in sorted((SOURCE / "src/spec/rows").glob("*.inc")))
        rows = re.findall(r'^\{Op::.*?"((?:[^"\\]|\\.)*)"\},?$', re.sub(r'"\s*\n\s*"', "", rows), re.M | re.S)
        self.assertGreater(len(rows), 500)
        return sorted(found | set(rows))


class Links(CommandTest):
    def test_links_lead_somewhere(self):
        for page in [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]:
            text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
            for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([\w-]+))?\)", text):
                path = page.parent / target if target else page
                self.assertTrue(path.exists(), f"{page}: {target}")
                if anchor:
                    self.assertIn(anchor, anchors(path), f"{page}: {target}#{anchor}")

    def test_the_readme_links_what_it_names(self):
        self.assertEqual(re.findall(r"`(?:docs/[\w/.-]+|CONTRIBUTING\.md|examples/|editors/)`", README), [])
        linked = {target.split("#")[0] for target in re.findall(r"\]\((docs/[^)]*)\)", README)}
        pages = {p.relative_to(SOURCE).as_posix() for p in (SOURCE / "docs").glob("*.md")}
        self.assertEqual(pages - linked, set(), "pages that the README does not lead to")


class Help(CommandTest):
    def test_of_each_verb(self):
        for program in ["vyre", "vyre-conform"]:
            help_of = self.expect(0, "--help", program=program).stdout
            verbs = re.findall(r"^  ([a-z]+) +(.*)$", help_of[help_of.index("Subcommands:"):], re.M)
            self.assertGreater(len(verbs), 7)
            for verb, summary in verbs:
                with self.subTest(f"{program} {verb}"):
                    self.assertTrue(summary[0].isupper(), summary)
                    said = self.expect(0, verb, "--help", program=program).stdout
                    self.assertEqual(self.expect(0, "help", verb, program=program).stdout, said)
                    # What an option takes has a name, and each line has its place.
                    self.assertEqual(re.findall(r"^  -.*\b(?:TEXT|UINT|Excludes)\b.*", said, re.M), [])
                    self.assertEqual([text for text in said.splitlines() if len(text) > 120 and "Usage:" not in text], [])
                    options = re.findall(r"^  -.*\n?.*", said[said.index("Options:"):].split("\n\n")[0], re.M)
                    self.assertEqual([text for text in options if not re.match(r"(.{29} |.*\n {30})\S", text)], [])
            self.assertEqual(self.expect(0, "help", program=program).stdout, help_of)
            self.refuse(2, "there is no verb 'frobnicate'", "help", "frobnicate", program=program)


class Script(unittest.TestCase):
    def test_help(self):
        said = [subprocess.run([SOURCE / "dev", word], capture_output=True, text=True) for word in ["help", "--help", "-h"]]
        self.assertEqual([done.returncode for done in said], [0, 0, 0])
        self.assertEqual({done.stdout for done in said}, {said[0].stdout})
        verbs = re.findall(r"^\./dev (\w+)", said[0].stdout, re.M)
        self.assertEqual(sorted(verbs + ["help"]), sorted(re.findall(r"^cmd_(\w+)\(\)", (SOURCE / "dev").read_text(), re.M)))


if __name__ == "__main__":
    unittest.main()
