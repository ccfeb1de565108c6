"""The TextMate grammar in editors/, run by a small matcher of its own over the programs of the repository.

Oracle: docs/text-format.md (the reserved words, what is a name, an operator, an operation, a number), and the ledgers of
words in src. The matcher follows the rules of TextMate: at each place the leftmost match wins, and of those that begin
there the first in the list, the end of an open rule before all.
"""
import json
import re
import unittest

from program import EXAMPLES, SOURCE, CommandTest, float_texts

EDITORS = SOURCE / "editors"
GRAMMAR = json.loads((EDITORS / "vyre.tmLanguage.json").read_text())


def rules(node=GRAMMAR):
    """All dicts of the grammar."""
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from rules(child)


def flat(patterns):
    """The patterns with their includes resolved, down to those that match."""
    for pattern in patterns:
        if "include" in pattern:
            pattern = GRAMMAR["repository"][pattern["include"].removeprefix("#")]
        if "match" in pattern or "begin" in pattern:
            yield pattern
        else:
            yield from flat(pattern["patterns"])


def tokens(text):
    """(line, word, scope) of each run of characters with one scope, the innermost; blanks are left out."""
    stack = []  # open rules
    for number, line in enumerate(text.split("\n"), 1):
        scopes, at = [""] * len(line), 0

        def paint(begin, end, *names):
            for name in filter(None, names):
                scopes[begin:end] = [name] * (end - begin)

        while True:
            top = stack[-1] if stack else GRAMMAR
            candidates = [(re.compile(top["end"]), top, True)] if stack else []
            candidates += [(re.compile(r.get("match", r.get("begin"))), r, False) for r in flat(top["patterns"])
                           ] if "patterns" in top else []
            found = [(m, rule, ends) for m, rule, ends in
                     ((regex.search(line, at), rule, ends) for regex, rule, ends in candidates) if m]
            if not found:
                paint(at, len(line), *[rule.get("name") for rule in stack])
                break
            match, rule, ends = min(found, key=lambda f: f[0].start())  # the first of equals
            paint(at, match.start(), *[r.get("name") for r in stack])
            captures = rule.get("endCaptures" if ends else "beginCaptures" if "begin" in rule else "captures", {})
            paint(match.start(), match.end(), *[r.get("name") for r in stack], rule.get("name"))
            for group, capture in sorted(captures.items(), key=lambda c: int(c[0])):
                if match[int(group)] is not None:
                    paint(*match.span(int(group)), capture["name"])
            if ends:
                stack.pop()
            elif "begin" in rule:
                stack.append(rule)
            at = match.end()
            if at == len(line) and not (stack and re.compile(stack[-1]["end"]).search(line, at)):
                break
        begin = 0
        for i in range(1, len(line) + 1):
            if i == len(line) or scopes[i] != scopes[begin]:
                if line[begin:i].strip():
                    yield number, line[begin:i].strip(), scopes[begin].removesuffix(".vyre")
                begin = i


def scopes_of(text):
    return [(word, scope) for _, word, scope in tokens(text)]


def scope_of(text, word):
    found = [scope for w, scope in scopes_of(text) if w == word]
    return found[0] if found else None


def reserved():
    """(keywords, types): the block of words in docs/text-format.md."""
    page = (SOURCE / "docs/text-format.md").read_text()
    words = re.search(r"Reserved are\n\n```\n(.*?)```", page, re.S)[1].split()
    return words[:words.index("u32")], words[words.index("u32"):]


def words_of_modules():
    page = (SOURCE / "docs/text-format.md").read_text()
    return re.search(r"The words `([a-z ]+)` are keywords where", page)[1].split()


def ledger_types(small):
    """The small types of the ledger, whose names are no reserved words, or all others."""
    rows = re.findall(r'^VYRE_TYPE\(0x\w+, \w+, +"(\w+)", +\d+, +(\w+)', (SOURCE / "src/spec/types.def").read_text(), re.M)
    return [name for name, kind in rows if (kind == "Small") == small]


class Grammar(unittest.TestCase):
    def test_every_regex_compiles_and_is_of_the_common_kind(self):
        # What Oniguruma and Python read differently, or only one of them reads.
        strange = re.compile(r"\\[hHGKgkpPRXzZAywWQEN]|\(\?(?!:|=|!|<=|<!)|[*+?}]\+|\[\[:|&&[^|]*\]")
        count = 0
        for rule in rules():
            for key in ["match", "begin", "end"]:
                if isinstance(rule.get(key), str):
                    count += 1
                    re.compile(rule[key])
                    self.assertIsNone(strange.search(rule[key]), rule[key])
                    groups = re.compile(rule[key]).groups
                    for n in rule.get({"match": "captures", "begin": "beginCaptures", "end": "endCaptures"}[key], {}):
                        self.assertLessEqual(int(n), groups, rule[key])
        self.assertGreater(count, 40)

    def test_includes_and_names(self):
        included = {rule["include"].removeprefix("#") for rule in rules() if isinstance(rule.get("include"), str)}
        self.assertEqual(included, set(GRAMMAR["repository"]))
        for rule in rules():
            if "name" in rule and rule is not GRAMMAR and isinstance(rule["name"], str):
                self.assertRegex(rule["name"], r"^[a-z-]+(\.[a-z-]+)*\.vyre$")

    def test_extension_names_its_files(self):
        package = json.loads((EDITORS / "package.json").read_text())["contributes"]
        [language], [grammar] = package["languages"], package["grammars"]
        self.assertEqual((grammar["scopeName"], grammar["language"]), (GRAMMAR["scopeName"], language["id"]))
        self.assertEqual([e.lstrip(".") for e in language["extensions"]], GRAMMAR["fileTypes"])
        for path in [grammar["path"], language["configuration"]]:
            self.assertTrue((EDITORS / path).is_file(), path)
        settings = json.loads((EDITORS / language["configuration"]).read_text())
        for pattern in [settings["wordPattern"], *settings["indentationRules"].values()]:
            re.compile(pattern)
        self.assertEqual(settings["comments"], {"lineComment": "//"})


class Words(CommandTest):
    def test_page_has_the_ledgers_words(self):
        keywords, types = reserved()
        ledger = (SOURCE / "src/text/keywords.def").read_text()
        self.assertEqual(sorted(keywords), sorted(re.findall(r'^VYRE_KEYWORD\(\w+, "(\w+)", \w+\)', ledger, re.M)))
        self.assertEqual(sorted(types), sorted(ledger_types(small=False)))

    def test_small_types_are_types_in_their_places_only(self):
        for word in ledger_types(small=True):
            self.assertIn((word, "storage.type"), scopes_of(f"graph g(x: {word}[n]) -> (y: f32[n])"))
            self.assertIn((word, "storage.type"), scopes_of(f"y = cast<{word}, trunc>(x);"))
            self.assertIn((word, "variable.other"), scopes_of(f"y = {word} + 1;"))

    def test_every_reserved_word(self):
        want = {"program": "keyword.declaration.program", "let": "keyword.declaration.let", "strides": "keyword.other",
                **dict.fromkeys("if else for in return barrier".split(), "keyword.control"),
                **dict.fromkeys("read read_write uniform workgroup".split(), "storage.modifier.access"),
                **dict.fromkeys("len select cast bitcast".split(), "support.function.builtin"),
                **dict.fromkeys("true false".split(), "constant.language.boolean"),
                **dict.fromkeys("invocation_id workgroup_id local_id".split(), "variable.language")}
        keywords, types = reserved()
        want.update(dict.fromkeys(types, "storage.type"))
        self.assertEqual(sorted(want), sorted(keywords + types))
        for word, scope in want.items():
            self.assertEqual(scopes_of(f"; {word} ;")[1], (word, scope))
            for name in [word + "x", "x" + word, word + "_1", word.upper()]:  # no part of a word is one
                self.assertEqual(scopes_of(f"; {name} ;")[1], (name, "variable.other"))

    def test_no_other_word_is_reserved(self):
        keywords, types = reserved()
        words = {w for rule in rules() for key in ["match", "begin"] if isinstance(rule.get(key), str)
                 for w in re.findall(r"[a-z][a-z0-9_]+", re.sub(r"\[[^]]*\]|\\.", " ", rule[key]))}
        prefixes_and_other_places = {"0x", "0b", "run", "error", "trunc", "nearest", "floor", "ceil", "inf", "nan",
                                     "num_workgroups"}
        self.assertLessEqual(words - prefixes_and_other_places, set(keywords + types + words_of_modules() + ledger_types(small=True)))

    def test_words_of_modules_are_keywords_in_their_places_only(self):
        places = {
            "const": ("const W = 1;", "keyword.declaration.const"),
            "operation": ("operation my.f(a: u32) -> u32 {", "keyword.declaration.operation"),
            "claims": ("    claims Commutative", "keyword.other.clause"),
            "denies": ("    denies Idempotent by (1)", "keyword.other.clause"),
            "by": ("    denies Idempotent by (1)", "keyword.other.clause"),
            "rows": ("    rows (1) => 2 {", "keyword.other.clause"),
            "pipeline": ("pipeline main(read a: u32 @0) {", "keyword.declaration.pipeline"),
            "private": ("program f(private w: u32[4])", "storage.modifier.access"),
            "unroll": ("  unroll for i in 0..4 {", "keyword.control"),
            "scratch": ("  scratch s: u32[n];", "storage.modifier.access"),
            "dispatch": ("  dispatch f(a) groups(1);", "keyword.control"),
            "run": ("  run other(a);", "keyword.control"),
            "groups": ("  dispatch f(a) groups(1);", "keyword.control"),
            "repeat": ("  repeat n while (b[0]) {", "keyword.control"),
            "while": ("  repeat n while (b[0]) {", "keyword.control"),
            "graph": ("graph even(x: f32[n]) -> (y: f32[n]) {", "keyword.declaration.graph"),
            "strict": ("  y = reduce(fadd, strict, x, 0);", "keyword.other.order"),
            "tree": ("  y = scan(fmul, tree, x, 0);", "keyword.other.order"),
            "step": ("  y = slice(x, [0..n step 2]);", "keyword.other.step")}
        self.assertEqual(sorted(places), sorted(words_of_modules()))
        for word, (line, scope) in places.items():
            self.assertEqual(scope_of(line, word), scope, line)
            for line in [f"  {word} = 1;", f"  x = {word} + 1;", f"  x = 2 * {word};", f"  x = -{word};"]:
                self.assertEqual(scope_of(line, word), "variable.other", line)
            self.assertEqual(scope_of(f"  {word}[0] = 1;", word), "variable.other.buffer")
            self.assertEqual(scope_of(f"  let {word} = 1;", word), "variable.other.declaration")
            self.assertEqual(scope_of(f"program {word}(read a: u32 @0)", word), "entity.name.function.program")
            self.assertEqual(scopes_of(f"  dispatch {word}(a) groups(1);")[1], (word, "entity.name.function.program"))

    def test_mnemonics_are_operators_before_a_parenthesis_only(self):
        ledger = (SOURCE / "src/spec/ops.def").read_text()
        mnemonics = re.findall(r'^VYRE_OP\(0x\w+, \w+, +"(\w+)"', ledger, re.M)
        self.assertGreaterEqual(len(mnemonics), 40)
        vectors = {word for word in mnemonics if word in reserved()[1]}  # vec2u32(a, b) is named like its type
        self.assertEqual(vectors, {"vec2u32", "vec4u32"})
        for word in vectors:
            self.assertEqual(scope_of(f"x = {word}(a, b);", word), "storage.type")
        for word in set(mnemonics) - vectors - {"select", "cast", "bitcast", "call"}:
            self.assertEqual(scope_of(f"x = {word}(a);", word), "support.function.operator")
            self.assertEqual(scope_of(f"x = {word} + 1;", word), "variable.other")
            self.assertEqual(scope_of(f"let {word} = 1;", word), "variable.other.declaration")

    def test_operations(self):
        ids = [row["id"] for row in json.loads(self.expect(0, "ops", "--json").stdout)["operations"]]
        self.assertGreater(len(ids), 40)
        for name in ids:
            self.assertEqual(scope_of(f"x = {name}(a, 1);", name), "entity.name.function.operation")
            self.assertEqual(scopes_of(f"{name}@12(a)")[:3], [(name, "entity.name.function.operation"),
                                                               ("@", "punctuation.separator.version"),
                                                               ("12", "constant.numeric.version")])


SAMPLE = """// run: a=[0x1, -2i32] groups=[2,1] => out=[true]  // why
program let_me(read a: u32 @0, workgroup s: bool[64]) workgroup(8, 1, 1) {
  for i in 0..len(a) { // error: V010
    a[i] = -cast<i32, trunc>(s[1_0u32]) >> b.y;
    if (!x && primitive.compare.select@2(0b1, 1.5e3, 7bf16)) { barrier; } else { return; }
  }
}
$ 0x 12abc"""
EXPECTED = """
// punctuation.definition.comment | run keyword.other.directive | : punctuation.separator.directive
a variable.other.buffer | =[ comment.line.double-slash.directive | 0x keyword.other.radix
1 constant.numeric.hexadecimal | , - comment.line.double-slash.directive | 2 constant.numeric.decimal
i32 storage.type.suffix | ] comment.line.double-slash.directive | groups variable.other.buffer
=[ comment.line.double-slash.directive | 2 constant.numeric.decimal | , comment.line.double-slash.directive
1 constant.numeric.decimal | ] comment.line.double-slash.directive | => keyword.operator.gives
out variable.other.buffer | =[ comment.line.double-slash.directive | true constant.language.boolean
] comment.line.double-slash.directive | // punctuation.definition.comment | why comment.line.double-slash
program keyword.declaration.program | let_me entity.name.function.program | ( punctuation.section.parens
read storage.modifier.access | a variable.parameter.buffer | : punctuation.separator.type | u32 storage.type
@ punctuation.definition.binding | 0 constant.numeric.decimal | , punctuation.separator
workgroup storage.modifier.access | s variable.parameter.buffer | : punctuation.separator.type | bool storage.type
[ punctuation.section.brackets | 64 constant.numeric.decimal | ] punctuation.section.brackets
) punctuation.section.parens | workgroup keyword.other | ( punctuation.section.parens | 8 constant.numeric.decimal
, punctuation.separator | 1 constant.numeric.decimal | , punctuation.separator | 1 constant.numeric.decimal
) punctuation.section.parens | { punctuation.section.block
for keyword.control | i variable.other.declaration | in keyword.control | 0 constant.numeric.decimal
.. keyword.operator.range | len support.function.builtin | ( punctuation.section.parens | a variable.other.buffer
) punctuation.section.parens | { punctuation.section.block | // punctuation.definition.comment
error keyword.other.directive | : punctuation.separator.directive | V010 constant.other.diagnostic
a variable.other.buffer | [ punctuation.section.brackets | i variable.other | ] punctuation.section.brackets
= keyword.operator.assignment | - keyword.operator.arithmetic | cast support.function.builtin
< punctuation.definition.generic.begin | i32 storage.type | , punctuation.separator
trunc constant.language.rounding | > punctuation.definition.generic.end | ( punctuation.section.parens
s variable.other.buffer | [ punctuation.section.brackets | 1_0 constant.numeric.decimal | u32 storage.type.suffix
] punctuation.section.brackets | ) punctuation.section.parens | >> keyword.operator.shift | b variable.other
. punctuation.accessor | y variable.other.member | ; punctuation.terminator.statement
if keyword.control | ( punctuation.section.parens | ! keyword.operator.logical | x variable.other
&& keyword.operator.logical | primitive.compare.select entity.name.function.operation
@ punctuation.separator.version | 2 constant.numeric.version | ( punctuation.section.parens
0b keyword.other.radix | 1 constant.numeric.binary | , punctuation.separator | 1.5e3 constant.numeric.float
, punctuation.separator | 7 constant.numeric.float | bf16 storage.type.suffix | )) punctuation.section.parens
{ punctuation.section.block | barrier keyword.control | ; punctuation.terminator.statement
} punctuation.section.block | else keyword.control | { punctuation.section.block | return keyword.control
; punctuation.terminator.statement | } punctuation.section.block | } punctuation.section.block
} punctuation.section.block | $ invalid.illegal.character | 0x invalid.illegal.number | 12abc invalid.illegal.number
"""


TYPES = """// run: v=[(1,2)] => f=[-inf,1.5]
program t(read m: tensor<f32, [n = u[0], 64, // why
    k = u[1]], strides[1, 2]> @0, read v: vec2u32 @1) {
  m[1, i] = f32(0x7fc00001); let a = vec2u32(7u64, 1E-3).x; let b = 0x1.8P3f16 < y.w;
}"""
EXPECTED_TYPES = """
// punctuation.definition.comment | run keyword.other.directive | : punctuation.separator.directive
v variable.other.buffer | =[( comment.line.double-slash.directive | 1 constant.numeric.decimal
, comment.line.double-slash.directive | 2 constant.numeric.decimal | )] comment.line.double-slash.directive
=> keyword.operator.gives | f variable.other.buffer | =[- comment.line.double-slash.directive
inf constant.language.float | , comment.line.double-slash.directive | 1.5 constant.numeric.float
] comment.line.double-slash.directive
program keyword.declaration.program | t entity.name.function.program | ( punctuation.section.parens
read storage.modifier.access | m variable.parameter.buffer | : punctuation.separator.type | tensor storage.type
< punctuation.definition.generic.begin | f32 storage.type | , punctuation.separator | [ punctuation.section.brackets
n variable.parameter.dimension | = keyword.operator.assignment | u variable.other.buffer
[ punctuation.section.brackets | 0 constant.numeric.decimal | ] punctuation.section.brackets
, punctuation.separator | 64 constant.numeric.decimal | , punctuation.separator | // punctuation.definition.comment
why comment.line.double-slash
k variable.parameter.dimension | = keyword.operator.assignment | u variable.other.buffer
[ punctuation.section.brackets | 1 constant.numeric.decimal | ]] punctuation.section.brackets | , punctuation.separator
strides keyword.other | [ punctuation.section.brackets | 1 constant.numeric.decimal | , punctuation.separator
2 constant.numeric.decimal | ] punctuation.section.brackets | > punctuation.definition.generic.end
@ punctuation.definition.binding | 0 constant.numeric.decimal | , punctuation.separator
read storage.modifier.access | v variable.parameter.buffer | : punctuation.separator.type | vec2u32 storage.type
@ punctuation.definition.binding | 1 constant.numeric.decimal | ) punctuation.section.parens
{ punctuation.section.block
m variable.other.buffer | [ punctuation.section.brackets | 1 constant.numeric.decimal | , punctuation.separator
i variable.other | ] punctuation.section.brackets | = keyword.operator.assignment | f32 storage.type
( punctuation.section.parens | 0x keyword.other.radix | 7fc00001 constant.numeric.hexadecimal
) punctuation.section.parens | ; punctuation.terminator.statement | let keyword.declaration.let
a variable.other.declaration | = keyword.operator.assignment | vec2u32 storage.type | ( punctuation.section.parens
7 constant.numeric.decimal | u64 storage.type.suffix | , punctuation.separator | 1E-3 constant.numeric.float
) punctuation.section.parens | . punctuation.accessor | x variable.other.member | ; punctuation.terminator.statement
let keyword.declaration.let | b variable.other.declaration | = keyword.operator.assignment
0x keyword.other.radix | 1.8P3 constant.numeric.float.hexadecimal | f16 storage.type.suffix
< keyword.operator.comparison | y variable.other | . punctuation.accessor | w variable.other.member
; punctuation.terminator.statement | } punctuation.section.block
"""


class Programs(CommandTest):
    # Oracle: the scopes were written by hand beside the sample.
    def test_sample(self):
        for sample, expected in [(SAMPLE, EXPECTED), (TYPES, EXPECTED_TYPES)]:
            self.assertEqual(scopes_of(sample), [tuple(part.strip().rsplit(" ", 1))
                                                 for line in expected.strip().split("\n") for part in line.split(" | ")])

    # Oracle: each thing found in the text by a search of its own.
    def test_all_programs(self):
        folders = [EXAMPLES, SOURCE / "test/run", SOURCE / "test/regress", SOURCE / "test/wire/v1"]
        paths = [path for folder in folders for path in sorted(folder.glob("*.vyre"))] + float_texts(self.folder)
        # Of modules every fourth; in text/ ids stand in other lines than their parentheses.
        paths += [path for path in sorted((SOURCE / "test/modules").rglob("*.vyre"))[::4]
                  if path.parent.name != "text" and "// error:" not in path.read_text()]
        counted = dict.fromkeys(["operation", "let", "index", "comment", "number", "operator"], 0)
        for path in paths:
            text = path.read_text()
            if max(map(len, text.split("\n"))) > 400:
                continue  # a line of a thousand operators; the small matcher is quadratic
            found = list(tokens(text))
            for line, word, scope in found:
                self.assertTrue(scope and not scope.startswith("invalid"), (path.name, line, word, scope))
            has = lambda line, word, scope: self.assertIn((line, word, scope), found, path.name)
            for line, content in enumerate(text.split("\n"), 1):
                code, slashes, comment = content.partition("//")
                if slashes:
                    counted["comment"] += 1
                    has(line, "//", "punctuation.definition.comment")
                    if not re.match(r"\s*(run|error):", comment) and comment.strip():
                        has(line, comment.strip(), "comment.line.double-slash")
                for name in re.findall(r"\b(\w+(?:\.\w+)+)(?=[(@])", code):
                    counted["operation"] += 1
                    has(line, name, "entity.name.function.operation")
                for name in re.findall(r"\blet (\w+) =", code):
                    counted["let"] += 1
                    has(line, name, "variable.other.declaration")
                for name in re.findall(r"\b(\w+)\[", code):
                    if name not in sum(reserved(), ledger_types(small=True)):
                        counted["index"] += 1
                        has(line, name, "variable.other.buffer")
                for word in re.findall(r"(?<![\w@])(?<!\w\.)(?<!\w[eEpP][-+])([1-9][0-9]*)(?![\w.])", code):
                    counted["number"] += 1
                    has(line, word, "constant.numeric.decimal")
                for word in re.findall(r"(?<![\w.])(?<!program )(atomic_\w+|popcount|clz|ctz|reverse_bits)\(", code):
                    counted["operator"] += 1
                    has(line, word, "support.function.operator")
        self.assertGreater(min(counted.values()), 20, counted)


if __name__ == "__main__":
    unittest.main()
