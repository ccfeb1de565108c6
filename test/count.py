#!/usr/bin/env python3
"""Counts what a run of ctest ran, from its log: GoogleTest and unittest cases one by one, other entries whole.

Prints "N passed, N failed" last, and how many were skipped before it; exits with 1 unless something passed and nothing failed.
"""
import re
import sys


def count(log):
    passed = failed = skipped = 0
    for entry in re.split(r"^(?=\d+/\d+ Testing: )", log, flags=re.M)[1:]:
        good = re.search(r"^Test (Passed\.|Pass Reason:)$", entry, re.M)
        inside = sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) tests?\.", entry, re.M))
        inside_bad = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) tests?, listed", entry, re.M))
        brief_bad = len(re.findall(r"^\[  FAILED  \] \S+.*\(\d+ ms\)$", entry, re.M))
        unit = re.search(r"^Ran (\d+) tests? in", entry, re.M)
        unit_bad = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", entry))
        skips = [int(n) for n in re.findall(r"skipped=(\d+)", entry)] if unit else [
            int(n) for n in re.findall(r"^\[  SKIPPED \] (\d+) tests?", entry, re.M)]
        skipped += sum(skips)
        if unit:
            inside, inside_bad = int(unit[1]) - unit_bad - sum(skips), unit_bad
        broken = max(inside_bad, brief_bad, 0 if good else 1)
        passed += inside if inside or broken else 1
        failed += broken
    return passed, failed, skipped


def self_test():
    entry = lambda body, end: f"1/3 Testing: x\n1/3 Test: x\n{body}\n{end}\n\n"
    sample = (entry("[==========] 3 tests ran.\n[  PASSED  ] 3 tests.", "Test Passed.") +
              entry("[  FAILED  ] A.B (1 ms)\n[  PASSED  ] 4 tests.", "Test Failed.") +
              entry("Ran 7 tests in 1s\n\nFAILED (failures=1, errors=1)", "Test Failed.") +
              entry("Ran 5 tests in 1s\n\nOK", "Test Passed.") +
              entry("Ran 6 tests in 1s\n\nOK (skipped=2)", "Test Passed.") +
              entry("[  PASSED  ] 2 tests.\n[  SKIPPED ] 1 test, listed below:", "Test Passed.") + entry("anything", "Test Pass Reason:\nfound") +
              entry("died", "Test Failed."))
    assert count(sample) == (3 + 4 + 5 + 5 + 4 + 2 + 1, 1 + 2 + 1, 2 + 1), count(sample)


if __name__ == "__main__":
    self_test()
    good, bad, left = count(open(sys.argv[1], encoding="utf-8", errors="replace").read())
    if left:
        print(f"{left} skipped: each says why above")
    print(f"{good} passed, {bad} failed")
    sys.exit(0 if good and not bad else 1)
