#!/usr/bin/env python3
"""Holds every C++ test to its oracle: where its expected values come from.

  1. VYRE_ORACLE(kind, "where it is defined") (test/oracle.h) stands once in a file, above its tests, and holds for each of
     them. A test whose kind is another has a declaration of its own as its first statement. The kind is one of
     src/spec/oracle.h, the stronger first there.
  2. A weaker kind than the strongest that applies is refused. What applies is deduced from what the test calls:
     RULES below. Where the thing that a rule looks for is itself what is tested, the rule does not apply.
  3. A comparison of an expression with itself can never fail. Only a property may say that two evaluations agree.
  4. A test that pins single values down, without a loop, is a row of a table and no property.
  5. A comment "Oracle: ..." in a file of tests is a declaration that no report has.
  6. What was recorded from code of this project is a Regression: a golden file, one that VYRE_BLESS writes anew, a digest
     that stands in a test which does not name its publisher, and whatever the declaration itself calls recorded, blessed or
     a snapshot.
  7. A SpecificationTable names what a person worked its values out from: a page, a standard, a header or a table; or it
     says that they were worked out by hand, or that a fault was planted, which makes the verdict known. Ledgers that are
     complete, statistics and runs that agree are a Property.

Prints FILE:LINE: what is wrong, for each violation, and exits 1; or how many tests have which oracle, and exits 0; with
--count as a table. With --self-test it plants each violation in a file of its own and exits 1 if one is not found there.
"""

import collections
import dataclasses
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # scripts leave nothing in the tree
import checking

TEST = re.compile(r"^\s*(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(")
MACRO = re.compile(r"^([ \t]*)VYRE_ORACLE\b", re.M)
DECLARATION = re.compile(r'\s*VYRE_ORACLE\(\s*(\w+)\s*,\s*((?:"(?:\\.|[^"\\])*"\s*)+)\);')
LOOP = re.compile(r"\b(for|while)\s*\(|std::ranges::(all_of|for_each)|each_|every_|exhaust|sweep|compare\(|expect_")
LITERAL = re.compile(r'(?:EXPECT|ASSERT)_(?:EQ|STREQ)\([^;]*,\s*(?:-?\d[\w.]*|"(?:\\.|[^"\\])*")\);')

# Rule 6. What a test does with what was recorded, in code (strings blanked) and in its whole body; a digest that stands
# there; what a declaration calls it; and who else computes digests.
GOLDEN = re.compile(r"\bgolden\b|\bexpect_golden\(|\bbless\w*\b")
BLESSED = re.compile(r"VYRE_BLESS")
DIGEST = re.compile(r'(?:EXPECT|ASSERT)_(?:EQ|STREQ)\([^;]*(?:hex\(|digest|sha256|hash)[^;]*"[0-9a-f]{16,64}"[^;]*\);', re.I)
RECORDED = re.compile(r"\brecorded\b|\bblessed\b|\bsnapshot|\bgolden\b|\bfirst release\b", re.I)
PUBLISHED = re.compile(r"\bFIPS\b|\bRFC\b|sha256sum|published|hashlib")

# Rule 7. What a specification table may cite.
CITED = re.compile(
    r"by hand|by a person|worked out|\bplanted\b|by construction|written (?:here|down|out)|closed forms|"
    r"semantics|-spec\b|specification|binary-operations|ir-types|execution-model|\boracles, |text-format|the text format|"
    r"\bcommands\b|\bdesign\b|\bissue\b|explain [A-Z]\d|\b[A-Z]\d{3}\b|\bgate \d|\bcertificate, |\bstructure, |policy|"
    r"docs/|\w\.(?:h|def|inc|md|xsd|txt|vyre)\b|\(\d\)|\bmanuals?\b|language reference|ISA\b|"
    r"IEEE|\bRFC\b|W3C|WGSL|WebGPU|SPIR-V|Vulkan|CUDA|NVIDIA|Unicode|\bXML\b|DSSE|in-toto|SMT-LIB|JUnit|Kubernetes|MurmurHash3|"
    r"mathematics|arithmetic|algebra|definition|calendar|truth tables|\btables?\b|\brows?\b|counting|\bcounts?\b|"
    r"\bthe twins|binomials", re.I)

# What a test calls, the weakest kind that it may then declare, where the rule does not apply since what it names is
# itself under test, and why.
RULES = [
    (r"\bholds\(bound\b|\bholds_at\(|\bprove_law\(", "Law", r"unit/(algebra|verify|suite|symbolic)/",
     "it asks whether a declared law holds, and a law speaks of every input"),
    (r"\.rows\b|\boperator_rows\(", "SpecificationTable", r"unit/(verify|generate|suite|web)/",
     "it has rows of a specification table at hand"),
    (r"\bref::run\(|\bref::evaluate\(|\bmake_reference\(", "ReferenceInterpreter", r"unit/(ref|backend|plan)/",
     "it runs the reference interpreter"),
    (r"(?:\.|->)reference\(", "CpuReference", r"unit/admit/", "it calls the reference function of an operation"),
]


def kinds(root):
    """The names of src/spec/oracle.h, the stronger first."""
    text = (root / "src" / "spec" / "oracle.h").read_text()
    body = re.search(r"enum class Oracle[^{]*\{([^}]*)\}", text).group(1)
    return re.findall(r"\w+", body)


def blank(text):
    """The text with comments and the insides of strings as blanks: what braces and macros can be counted in."""
    def hide(match):
        found = match.group(0)
        if found.startswith("R\""):
            return re.sub(r"[^\n]", " ", found)
        if found[0] in "\"'":
            return found[0] + re.sub(r"[^\n]", " ", found[1:-1]) + found[-1]
        return re.sub(r"[^\n]", " ", found)

    pattern = r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, hide, text, flags=re.S)


def tests(text):
    """[(line, kind of macro, name, begin and end of the body, comment above)] of one file."""
    hidden = blank(text)
    lines = text.splitlines(keepends=True)
    found, at = [], 0
    for number, line in enumerate(lines, 1):
        match = TEST.match(hidden[at:at + len(line)])
        if match:
            opening = hidden.find("{", at)
            depth, end = 1, opening + 1
            while depth and end < len(hidden):
                depth += {"{": 1, "}": -1}.get(hidden[end], 0)
                end += 1
            above, i = [], number - 2
            while i >= 0 and lines[i].lstrip().startswith("//"):
                above.insert(0, lines[i])
                i -= 1
            name = re.sub(r"\s+", " ", text[at:opening]).strip()
            found.append((number, match.group(1), name, opening + 1, end - 1, "".join(above)))
        at += len(line)
    return found


def arguments(body, start):
    """The arguments of the call whose parenthesis opens at body[start], blanks removed; strings kept."""
    hidden, depth, parts, begin = blank(body), 0, [], start + 1
    for i in range(start, len(body)):
        c = hidden[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if (c == "," and depth == 1) or depth == 0:
            parts.append(re.sub(r"\s+", "", body[begin:i]))
            begin = i + 1
        if depth == 0:
            return parts
    return parts


@dataclasses.dataclass
class Declared:
    """A declaration: its line, its kind, its words, and how many characters of the text it takes."""
    line: int
    kind: str
    where: str
    size: int


def declaration(text, line):
    """The declaration that `text` begins with, blanks and comments above it apart; None where it begins with another thing."""
    found = DECLARATION.match(text, re.match(r"(?:\s*//[^\n]*\n)*", text).end())
    if not found:
        return None
    return Declared(line, found.group(1), "".join(re.findall(r'"((?:\\.|[^"\\])*)"', found.group(2))), found.end())


class Checker:
    def __init__(self, root):
        self.root = root
        self.kinds = kinds(root)
        self.count = collections.Counter()
        self.kind_of = {}  # of each test, by file and name
        self.problems = []

    def check(self):
        for path in sorted((self.root / "test").rglob("*")):
            if path.suffix in (".cpp", ".h") and path.is_file():
                self.check_file(path, path.read_text())
        return self.problems

    def check_file(self, path, text):
        name = path.relative_to(self.root).as_posix()

        def problem(line, message):
            self.problems.append(f"{name}:{line}: {message}")

        def known(declared):
            if declared.kind not in self.kinds:
                problem(declared.line, f"`{declared.kind}` is no oracle; there are {', '.join(self.kinds)}")
            return declared.kind in self.kinds

        found = tests(text)
        for match in re.finditer(r"^[ \t]*//.*\bOracles?:", text, re.M) if found else ():
            problem(text.count("\n", 0, match.start()) + 1, "the comment names an oracle: VYRE_ORACLE is where it stands")
        shared = self.declaration_of_file(text, found, problem)
        if shared and not known(shared):
            return
        taken = False
        for line, macro, test, begin, end, above in found:
            body = text[begin:end]
            own = declaration(body, line)
            if not own and MACRO.search(blank(body)):
                problem(line, "its oracle is declared above the file's tests, or in its first statement: "
                        "VYRE_ORACLE(kind, \"where it is defined\")")
                continue
            if own and not known(own):
                continue
            if own and shared and own.kind == shared.kind:
                problem(line, f"{own.kind} is the file's oracle: only a test of another kind has one of its own")
            taken = taken or not own
            declared = own or shared
            if declared:
                self.count[declared.kind] += 1
                self.kind_of[name, test] = declared.kind
                rest = body[own.size:] if own else body
                self.check_test(name, macro, body, rest, above, declared, own, lambda message: problem(line, message))
        if shared and not taken:
            problem(shared.line, "no test of the file has this oracle: each has one of its own")

    def declaration_of_file(self, text, found, problem):
        """The one that holds for all tests that `found` lists; what is wrong with it is reported."""
        hidden, shared = blank(text), None
        for match in MACRO.finditer(hidden):
            if any(begin <= match.start() < end for _, _, _, begin, end, _ in found):
                continue
            line = text.count("\n", 0, match.start()) + 1
            declared = declaration(text[match.start():], line)
            if match.group(1) or not declared:
                problem(line, "VYRE_ORACLE(kind, \"where it is defined\") stands at the left margin above the tests, or in one")
            elif shared:
                problem(line, f"a second declaration for all tests of the file: the first is in line {shared.line}")
            elif not found or found[0][0] < line:
                problem(line, "the oracle stands above the tests that it holds for")
            else:
                shared = declared
        if found and not shared:
            problem(found[0][0], "no oracle: VYRE_ORACLE(kind, \"where it is defined\") stands once above the tests of a file")
        return shared

    def check_test(self, name, macro, body, rest, above, declared, own, problem):
        kind, where, code = declared.kind, declared.where, blank(body)
        recorded = GOLDEN.search(code) or BLESSED.search(rest) or RECORDED.search(where)
        # What a file says of all its tests does not publish the digest of one: that test names who did.
        if not recorded and DIGEST.search(rest) and not PUBLISHED.search(own.where if own else above + body):
            recorded = True
        if recorded and kind != "Regression":
            problem(f"{kind}, but the expectation was recorded from code of this project: a Regression")
        if kind == "SpecificationTable" and not recorded and not CITED.search(where):
            problem("a SpecificationTable cites what its values were worked out from, or says that they were by hand: "
                    "complete ledgers, statistics and runs that agree are a Property")
        for pattern, strongest, exempt, why in RULES:
            weaker = self.kinds.index(kind) > self.kinds.index(strongest)
            if weaker and re.search(pattern, code) and not re.search(exempt, name):
                problem(f"{kind} is weaker than {strongest}, which applies: {why}")
        if kind == "Property":
            if not LOOP.search(code) and macro not in ("TEST_P", "TYPED_TEST") and LITERAL.search(body):
                problem("single values without a loop are rows of a SpecificationTable, no Property")
            return
        for match in re.finditer(r"(?:EXPECT|ASSERT)_(?:EQ|STREQ|DOUBLE_EQ|FLOAT_EQ)\(", code):
            both = arguments(body, match.end() - 1)
            if len(both) == 2 and both[0] == both[1]:
                problem(f"a tautology: `{both[0]}` is compared with itself")


def run(root, table=False):
    checker = Checker(root)
    problems = checker.check()
    if table:
        print("| oracle | tests |\n|---|--:|")
        for kind in checker.kinds:
            print(f"| {kind} | {checker.count[kind]} |")
    if not checker.count and not problems:
        problems.append(f"{root}/test: no test found")
    counts = ", ".join(f"{checker.count[kind]} {kind}" for kind in checker.kinds)
    return checking.report("oracles", problems, f"{sum(checker.count.values())} tests: {counts}")


DIGEST_OF_F = 'EXPECT_EQ(sha256(f()).hex(), "3f35820fe626f601");'
DECLARED = 'VYRE_ORACLE(%s, "by hand: \\"a\\"");\nTEST(A, B) {\n  %s\n}\n'
# A test with a declaration of its own, which belongs into a file that has one.
OWN = 'TEST(A, C) {\n  VYRE_ORACLE(%s, "%s");\n  %s\n}\n'
# What is in order: (file below test/, text).
CLEAN = [
    ("unit/a_test.cpp", DECLARED % ("SpecificationTable", "EXPECT_EQ(f(2, 3), 5);")),
    ("unit/b_test.cpp", DECLARED % ("Property", "EXPECT_EQ(f(x), f(x));")),
    ("unit/c_test.cpp", DECLARED % ("Property", "for (int i = 0; i < 9; ++i) EXPECT_EQ(f(i) & 1, 0);")),
    ("unit/ref/d_test.cpp", DECLARED % ("CpuReference", "EXPECT_EQ(ref::run(p), a + b);")),
    ("unit/e_test.cpp", DECLARED % ("CpuReference", 'EXPECT_EQ(o.reference(x), y) << "{" << \'}\' << 1\'000;')),
    ("unit/f_test.cpp", "// TEST(Not, One) {\nconst char* t = R\"(\nTEST(Nor, This) {\n)\";\n" +
     DECLARED % ("Law", "// o.rows\n  EXPECT_TRUE(holds(bound, v));")),
    ("unit/g_test.cpp", 'VYRE_ORACLE(Law,\n            "one "\n            "two");\nTEST(A, B) { f(); }\n'
     'TEST(A,\n     C) {\n  // why\n  VYRE_ORACLE(Property,\n      "one "\n      "two");\n}\n'),
    ("unit/h_test.cpp", DECLARED % ("ReferenceInterpreter", 'EXPECT_EQ(run(p), ref::run(p));')),
    ("unit/i_test.cpp", DECLARED % ("Regression", "expect_golden(path, print(kernel));")),
    ("unit/j_test.cpp", DECLARED % ("Regression", DIGEST_OF_F)),
    ("unit/k_test.cpp", DECLARED % ("Law", "f();") + OWN % ("ExternalCorpus", "FIPS 180-4", DIGEST_OF_F)),
    ("unit/n_test.cpp",
     'VYRE_ORACLE(ExternalCorpus, "by others");\n// FIPS 180-4, appendix B.\nTEST(A, B) {\n  ' + DIGEST_OF_F + "\n}\n"),
    ("unit/l_test.cpp", DECLARED % ("SpecificationTable", 'EXPECT_EQ(show(f), "0x0000000100000001");')),
    ("unit/m_test.cpp", DECLARED % ("SpecificationTable", 'run_all("test/golden/kernel");')),
]
# What to plant: (file, text, the line that must be named, a word of the message).
PLANTED = [
    ("unit/a_test.cpp", "TEST(A, B) { EXPECT_EQ(f(2), 3); }\n", 1, "no oracle"),
    ("unit/a_test.cpp", 'TEST_P(A, B) {\n  // VYRE_ORACLE(Law, "no");\n}\n', 1, "no oracle"),
    ("unit/a_test.cpp", '// VYRE_ORACLE(Law, "no");\nTEST_P(A, B) {\n}\n', 2, "no oracle"),
    ("unit/a_test.cpp", OWN % ("Law", "the only one", "f();"), 1, "no oracle"),
    ("unit/a_test.cpp", "VYRE_ORACLE(Law);\nTEST(A, B) {\n}\n", 1, "at the left margin above the tests"),
    ("unit/a_test.cpp", 'void f() {\n  VYRE_ORACLE(Law, "in no test");\n}\n', 2, "at the left margin above the tests"),
    ("unit/a_test.cpp", 'TEST(A, B) {\n}\nVYRE_ORACLE(Law, "below");\n', 3, "above the tests that it holds for"),
    ("unit/a_test.cpp", 'void f();\nVYRE_ORACLE(Law, "of nothing");\n', 2, "above the tests that it holds for"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(Law, "one");\n' + DECLARED % ("Property", "f();"), 2, "a second declaration"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(Law, "each");\n\nTEST_F(A, B) {\n  f();\n  VYRE_ORACLE(Property, "late");\n}\n', 3,
     "in its first statement"),
    ("unit/a_test.cpp", DECLARED % ("Law", "f();") + OWN % ("Law", "that one only", "g();"), 5, "is the file's oracle"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(Law, "unused");\n' + OWN % ("Property", "that one only", "g();"), 1, "no test of the file"),
    ("unit/a_test.cpp", DECLARED % ("Law", "f();") + OWN % ("Measured", "by hand", "g();"), 5, "is no oracle"),
    ("unit/a_test.cpp", DECLARED % ("Law", "f();") + OWN % ("CpuReference", "num/", "EXPECT_EQ(g(), ref::run(p));"), 5,
     "weaker than ReferenceInterpreter"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(ExternalCorpus, "FIPS 180-4");\nTEST(A, B) {\n  ' + DIGEST_OF_F + "\n}\n", 2, "a Regression"),
    ("unit/a_test.cpp", DECLARED % ("Measured", ""), 1, "is no oracle"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(Law, "by hand");\n// Oracle: by hand.\nTEST(A, B) {\n}\n', 2, "the comment names"),
    ("unit/a_test.cpp", DECLARED % ("SpecificationTable", "EXPECT_TRUE(holds(bound, v));"), 2, "weaker than Law"),
    ("unit/a_test.cpp", DECLARED % ("CpuReference", "for (const auto& r : o.rows) check(r);"), 2,
     "weaker than SpecificationTable"),
    ("unit/a_test.cpp", DECLARED % ("ReferenceInterpreter", "check(operator_rows());"), 2,
     "weaker than SpecificationTable"),
    ("unit/a_test.cpp", DECLARED % ("CpuReference", "EXPECT_EQ(run(p), ref::run(p));"), 2,
     "weaker than ReferenceInterpreter"),
    ("unit/a_test.cpp", DECLARED % ("ExternalCorpus", "auto r = make_reference();"), 2,
     "weaker than ReferenceInterpreter"),
    ("unit/a_test.cpp", DECLARED % ("Property", "EXPECT_EQ(g(x), o.reference(x));"), 2, "weaker than CpuReference"),
    ("unit/a_test.cpp", DECLARED % ("CompositionTheorem", "EXPECT_EQ(g(x), o->reference(x));"), 2,
     "weaker than CpuReference"),
    ("unit/a_test.cpp", DECLARED % ("SpecificationTable", "EXPECT_EQ(add(a, b),\n            add( a,b ));"), 2,
     "compared with itself"),
    ("unit/a_test.cpp", DECLARED % ("Law", 'ASSERT_EQ(f("x, y"), f("x, y"));'), 2, "compared with itself"),
    ("unit/a_test.cpp", DECLARED % ("Property", "EXPECT_EQ(f(2, 3), 5u);"), 2, "no Property"),
    ("unit/a_test.cpp", DECLARED % ("SpecificationTable", "expect_golden(path, print(kernel));"), 2, "a Regression"),
    ("unit/a_test.cpp", DECLARED % ("SpecificationTable", "EXPECT_EQ(text, read(golden));"), 2, "a Regression"),
    ("unit/a_test.cpp", DECLARED % ("Property", 'if (std::getenv("VYRE_BLESS")) write(); for (;;) f();'), 2, "a Regression"),
    ("unit/a_test.cpp", DECLARED % ("SpecificationTable", DIGEST_OF_F), 2, "a Regression"),
    ("unit/a_test.cpp", DECLARED % ("ExternalCorpus", DIGEST_OF_F), 2, "a Regression"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(SpecificationTable, "the digest recorded in May");\nTEST(A, B) {\n  f();\n}\n', 2,
     "a Regression"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(SpecificationTable, "the ledger of diagnostics");\nTEST(A, B) {\n  f();\n}\n', 2,
     "cites what"),
    ("unit/a_test.cpp", 'VYRE_ORACLE(SpecificationTable, "it is often close");\nTEST(A, B) {\n  f();\n}\n', 2, "cites what"),
]


def self_test():
    source = checking.PROJECT / "src" / "spec" / "oracle.h"

    def problems_of(root, files):
        checking.write_tree(root, {"src/spec/oracle.h": source.read_text(), **files})
        return Checker(root).check()

    failures = []
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        clean = problems_of(root / "clean", {"test/" + name: text for name, text in CLEAN})
        failures += [f"what is in order is refused: {p}" for p in clean]
        for i, (name, text, line, word) in enumerate(PLANTED):
            problems = problems_of(root / str(i), {"test/" + name: text})
            if not any(p.startswith(f"test/{name}:{line}: ") and word in p for p in problems):
                failures.append(f"planted and not found ({word}): {text!r}; found: {problems}")
    return checking.conclude("oracles", len(PLANTED), failures)


def main():
    options = checking.options_of(__doc__, count="print how many tests have which oracle, as a table")
    return self_test() if options.self_test else run(options.root, options.count)


if __name__ == "__main__":
    sys.exit(main())
