#!/usr/bin/env python3
"""Lines, words and bytes of files; prints what wc prints.

  examples/count_words.py [--vyre PROGRAM] [--backend B] FILE...
"""
import argparse, pathlib

import command_line

BLANKS = b" \t\n\v\f\r"


def counts(options, data):
    """Line feeds, words between blanks, bytes."""
    length = command_line.words([len(data)])
    classes = command_line.words(0 if byte in BLANKS else 1 for byte in range(256))
    none = {"starts": 0, "lengths": 0, "classes": 0, "count": 1}  # only their number is wanted
    words = command_line.run_operation(options, "string.tokenize", {"data": data, "lookup": classes, "params": length}, none)
    needle = {"needle": b"\n", "params": command_line.words([len(data), 1])}
    lines = command_line.run_operation(options, "string.count", {"data": data, **needle}, {"count": 1})
    return [command_line.numbers(lines["count"])[0], command_line.numbers(words["count"])[0], len(data)]


def main():
    parser = argparse.ArgumentParser(description="lines, words and bytes of files, counted by vyre")
    command_line.add_options(parser)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE", help="what is counted")
    options = parser.parse_args()
    for path in options.files:
        print(*(f"{count:7}" for count in counts(options, path.read_bytes())), path)


if __name__ == "__main__":
    command_line.run(main)
