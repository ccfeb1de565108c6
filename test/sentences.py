#!/usr/bin/env python3
"""Joins the specification's sentences (docs/spec/sentences.md) with the tests that show them, in docs/testing.md.

A test says itself what it shows, in a comment:

  .vyre     // covers: EX-14 EX-21      anywhere in a file of test/run, test/regress, test/invalid or examples
  C++       // covers: EX-14            in the comment directly above a TEST
  Python    # covers: EX-14             directly above a test's `def`

Without options it says what is wrong and exits 1: an id that the ledger lacks or has twice, a sentence without a test, a
declaration that belongs to no test, a page that is not what this program would write. With --write it writes the page's
table; with --self-test it plants each fault in a small tree of its own and exits 1 if one is not found there.
"""

import argparse
import pathlib
import re
import sys
import tempfile

LEDGER = "docs/spec/sentences.md"
PAGE = "docs/testing.md"
MARK = "<!-- What follows is written by test/sentences.py --write. -->\n"

SENTENCE = re.compile(r"- \*\*([A-Z]{2}-\d{2})\*\* (.*)")
COVERS = re.compile(r"\s*(?://|#) covers:(.*)")
MISPLACED = re.compile(r"\s*(?://|#) .*\bcovers:")
COMMENT = re.compile(r"\s*(?://|#|@)")
CPP_TEST = re.compile(r"TEST(?:_F|_P)?\((\w+), *(\w+)\)")
PYTHON_TEST = re.compile(r"\s*def (test_\w+)\(")


def read_ledger(text):
    """([(title, [(id, sentence)])], [what is wrong])."""
    sections, faults, seen = [], [], set()
    last = None
    for line in text.splitlines():
        if line.startswith("## "):
            sections.append((line[3:], []))
            last = None
        elif match := SENTENCE.fullmatch(line):
            name, sentence = match.groups()
            if name in seen:
                faults.append(f"{LEDGER}: {name} stands there twice")
            seen.add(name)
            last = [name, sentence]
            sections[-1][1].append(last)
        elif last is not None and line.startswith("  "):
            last[1] += " " + line.strip()
        else:
            last = None
    return [(title, [tuple(s) for s in sentences]) for title, sentences in sections if sentences], faults


def test_files(root):
    for folder in ("test", "examples"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".vyre", ".cpp", ".py") and path.name != "sentences.py":
                yield path


def declarations(path, name):
    """[(id, test)] of one file, and what is wrong with it."""
    found, faults = [], []
    pattern = {".cpp": CPP_TEST, ".py": PYTHON_TEST}.get(path.suffix)
    pending = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if match := COVERS.fullmatch(line):
            ids = match.group(1).replace(",", " ").split()
            if not ids:
                faults.append(f"{name}:{number}: nothing is covered")
            if pattern is None:
                found += [(i, name) for i in ids]
            else:
                pending += [(i, number) for i in ids]
            continue
        if MISPLACED.match(line):
            faults.append(f"{name}:{number}: a declaration stands on a line of its own")
        if not pending:
            continue
        if match := pattern.match(line):
            found += [(i, f"{name}: {'.'.join(match.groups())}") for i, _ in pending]
            pending = []
        elif not COMMENT.match(line):
            faults.append(f"{name}:{pending[0][1]}: no test follows the declaration")
            pending = []
    faults += [f"{name}:{number}: no test follows the declaration" for _, number in pending[:1]]
    return found, faults


def short(test):
    """`test/run/x.vyre` as `run/x`: the table is wide enough."""
    return test.removeprefix("test/").removesuffix(".vyre")


def table(sections, tests):
    out = [MARK, "\n## Sentences of the specification\n\n",
           "What [the ledger](spec/sentences.md) lists, and the tests that show it.\n"]
    for title, sentences in sections:
        out.append(f"\n### {title}\n\n| | sentence | tests |\n|---|---|---|\n")
        for name, sentence in sentences:
            shown = ", ".join(f"`{short(t)}`" for t in tests[name])
            out.append(f"| {name} | {sentence.replace('|', chr(92) + '|')} | {shown} |\n")
    return "".join(out)


def survey(root):
    """(the page as it should be, what is wrong)."""
    sections, faults = read_ledger((root / LEDGER).read_text())
    tests = {name: [] for _, sentences in sections for name, _ in sentences}
    for path in test_files(root):
        found, wrong = declarations(path, path.relative_to(root).as_posix())
        faults += wrong
        for name, test in found:
            if name not in tests:
                faults.append(f"{test}: there is no sentence {name}")
            elif test in tests[name]:
                faults.append(f"{test}: {name} is declared twice")
            else:
                tests[name].append(test)
    faults += [f"{LEDGER}: no test covers {name}" for name, covering in tests.items() if not covering]
    page = (root / PAGE).read_text().split(MARK)[0] + table(sections, tests)
    return page, faults


def check(root):
    page, faults = survey(root)
    if not faults and page != (root / PAGE).read_text():
        faults.append(f"{PAGE}: not what the tests declare; run test/sentences.py --write")
    return faults


def self_test():
    ledger = "# L\n\n## Part\n\n- **AA-01** one\n  sentence\n- **AA-02** another\n"
    good = {
        LEDGER: ledger,
        PAGE: "# Tests\n",
        "test/run/a.vyre": "// covers: AA-01\n",
        "test/unit/b_test.cpp": "// covers: AA-01\n// A note.\nTEST(B, Works) {}\n",
        "test/cli/c_test.py": "    # covers: AA-02, AA-01\n    def test_it(self):\n",
        "examples/none.vyre": "",
    }
    planted = [
        ("an unknown id", {"test/run/a.vyre": "// covers: AA-03\n"}, "there is no sentence AA-03"),
        ("a sentence without a test", {"test/cli/c_test.py": ""}, "no test covers AA-02"),
        ("an id twice", {LEDGER: ledger + "- **AA-01** again\n"}, "stands there twice"),
        ("a declaration above no test", {"test/unit/b_test.cpp": "// covers: AA-01\nint x;\n"}, "no test follows"),
        ("a declaration at the end", {"test/unit/b_test.cpp": "// covers: AA-01\n"}, "no test follows"),
        ("a declaration in a sentence", {"test/run/a.vyre": "// It shows much. covers: AA-01\n"}, "on a line of its own"),
        ("an empty declaration", {"test/run/a.vyre": "// covers:\n"}, "nothing is covered"),
        ("one declared twice", {"test/run/a.vyre": "// covers: AA-01 AA-01\n"}, "declared twice"),
        ("a page that drifted", {}, "not what the tests declare"),
    ]
    failed = 0
    for what, changes, expected in planted + [("nothing", {}, None)]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**good, **changes}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            if expected is None:
                (root / PAGE).write_text(survey(root)[0])
            faults = check(root)
            if (expected is None and faults) or (expected and not any(expected in f for f in faults)):
                print(f"{what}: planted, and this was found: {faults}", file=sys.stderr)
                failed = 1
    if not failed:
        print(f"self-test: {len(planted)} planted faults found")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--write", action="store_true", help="write the page's table")
    parser.add_argument("--self-test", action="store_true", help="plant faults and find them")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.write:
        page, faults = survey(options.root)
        (options.root / PAGE).write_text(page)
    else:
        faults = check(options.root)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
