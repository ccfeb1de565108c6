#!/usr/bin/env python3
"""Counts what a run of ctest ran: GoogleTest and unittest cases one by one, other entries whole.

  count.py LastTest.log [WHAT-CTEST-PRINTED [disabled_tests.txt]]

The last line reads "N passed, N failed, N skipped". What was skipped stands above it with its reason: cases that skip themselves
say it in the log, entries of ctest that are disabled in the file that CMake wrote (test/CMakeLists.txt, vyre_disable). Exits
with 1 unless something passed and nothing failed.
"""
import collections
import pathlib
import re
import sys

UNSAID = "it does not say why"


def count(log):
    """(passed, failed, the reasons of what skipped itself)."""
    passed = failed = 0
    skipped = []
    for entry in re.split(r"^(?=\d+/\d+ Testing: )", log, flags=re.M)[1:]:
        name = re.match(r"\d+/\d+ Testing: (.*)", entry)[1]
        good = re.search(r"^Test (Passed\.|Pass Reason:)$", entry, re.M)
        inside = sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) tests?\.", entry, re.M))
        inside_bad = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) tests?, listed", entry, re.M))
        brief_bad = len(re.findall(r"^\[  FAILED  \] \S+.*\(\d+ ms\)$", entry, re.M))
        unit = re.search(r"^Ran (\d+) tests? in", entry, re.M)
        unit_bad = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", entry))
        if unit:
            skips = sum(int(n) for n in re.findall(r"skipped=(\d+)", entry))
            reasons = re.findall(r"\.\.\. skipped (?:'|\")(.*)(?:'|\")$", entry, re.M)
            inside, inside_bad = int(unit[1]) - unit_bad - skips, unit_bad
        else:
            skips = sum(int(n) for n in re.findall(r"^\[  SKIPPED \] (\d+) tests?", entry, re.M))
            reasons = re.findall(r"^\S+: Skipped\n(.*)$", entry, re.M)
        skipped += [f"{name}: {why.strip() or UNSAID}" for why in (reasons + [UNSAID] * skips)[:skips]]
        broken = max(inside_bad, brief_bad, 0 if good else 1)
        passed += inside if inside or broken or skips else 1
        failed += broken
    return passed, failed, skipped


def disabled(printed, reasons):
    """The entries that ctest did not run since they are disabled, with what CMake wrote of each."""
    why = dict(line.split("\t", 1) for line in reasons.splitlines())
    names = re.findall(r"Test +#\d+: (\S+) \.*\*\*\*Not Run \(Disabled\)", printed)
    return [f"{name}: {why.get(name, UNSAID)}" for name in names]


def report(passed, failed, skipped):
    by_reason = collections.defaultdict(list)
    for one in skipped:
        name, why = one.split(": ", 1)
        by_reason[why].append(name)
    lines = [f"skipped {len(names)}: {why}\n    {' '.join(names)}" for why, names in sorted(by_reason.items())]
    return "\n".join([*lines, f"{passed} passed, {failed} failed, {len(skipped)} skipped"])


def self_test():
    entry = lambda body, end: f"1/3 Testing: x\n1/3 Test: x\n{body}\n{end}\n\n"
    sample = (entry("[==========] 3 tests ran.\n[  PASSED  ] 3 tests.", "Test Passed.") +
              entry("[  FAILED  ] A.B (1 ms)\n[  PASSED  ] 4 tests.", "Test Failed.") +
              entry("Ran 7 tests in 1s\n\nFAILED (failures=1, errors=1)", "Test Failed.") +
              entry("Ran 5 tests in 1s\n\nOK", "Test Passed.") +
              entry("test_a (T.test_a) ... skipped 'no terminal'\nRan 6 tests in 1s\n\nOK (skipped=2)", "Test Passed.") +
              entry("a/b.cpp:7: Skipped\nno disk\n\n[  PASSED  ] 2 tests.\n[  SKIPPED ] 1 test.", "Test Passed.") +
              entry("anything", "Test Pass Reason:\nfound") + entry("died", "Test Failed."))
    found = count(sample)
    assert found == (3 + 4 + 5 + 5 + 4 + 2 + 1, 1 + 2 + 1, ["x: no terminal", f"x: {UNSAID}", "x: no disk"]), found
    printed = ("1/3 Test  #7: web.pages ....***Not Run (Disabled)   0.00 sec\n2/3 Test #8: unit.base .... Passed 0.1 sec\n"
               "3/3 Test #19: web.unsaid ...............***Not Run (Disabled)   0.00 sec\n")
    found = disabled(printed, "web.pages\tno npm: DENO\nweb.other\tno npm\n")
    assert found == ["web.pages: no npm: DENO", f"web.unsaid: {UNSAID}"], found
    found = report(3, 0, ["a: no npm: DENO", "b: late", "c: no npm: DENO"])
    assert found == "skipped 1: late\n    b\nskipped 2: no npm: DENO\n    a c\n3 passed, 0 failed, 3 skipped", found


if __name__ == "__main__":
    self_test()
    log, printed, reasons = ([pathlib.Path(path).read_text(encoding="utf-8", errors="replace") for path in sys.argv[1:]] + [""] * 2)[:3]
    good, bad, left = count(log)
    print(report(good, bad, left + disabled(printed, reasons)))
    sys.exit(0 if good and not bad else 1)
