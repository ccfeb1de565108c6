"""What scripts that check the sources share: how they say what is wrong, and how they prove that they would notice."""

import argparse
import pathlib

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def report(name, problems, in_order):
    """Prints the problems and how many, or what was found in order; the exit code."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{name}: {len(problems)} violation{'s' if len(problems) > 1 else ''}")
        return 1
    print(f"{name}: {in_order}")
    return 0


def conclude(name, planted, failures):
    """Ends a self-test of so many planted violations; the exit code."""
    for failure in failures:
        print(failure)
    print(f"{name}: self-test, {planted} planted violations, {len(failures)} failures")
    return 1 if failures else 0


def write_tree(root, files):
    """Writes files, {name below root: text}, into a folder of their own."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def options_of(doc, **flags):
    """The command line: self_test, root, and flags of the script's own with their help."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="prove that each violation is found")
    parser.add_argument("--root", type=pathlib.Path, default=PROJECT,
                        help="the project (default: the one this script lies in)")
    for flag, help_of in flags.items():
        parser.add_argument(f"--{flag}", action="store_true", help=help_of)
    return parser.parse_args()
