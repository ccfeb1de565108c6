#!/usr/bin/env python3
"""The lines of a file that have a text in them; prints what `grep -nF` prints.

  examples/find_lines.py [--vyre PROGRAM] [--backend B] TEXT FILE
"""
import argparse, bisect, pathlib, sys

import command_line


def places(options, operation, data, inputs, output, room):
    """All places that the operation lists: with room for some first, and again where there are more."""
    while True:
        found = command_line.run_operation(options, operation, {"data": data, **inputs}, {output: room, "count": 1})
        count = command_line.numbers(found["count"])[0]
        if count < room:
            return command_line.numbers(found[output])[:count]
        room = count + 1


def find_lines(options, text, data):
    """Numbers of lines from 1, and the lines."""
    needle = {"needle": text, "params": command_line.words([len(data), len(text)])}
    matches = places(options, "string.find_all", data, needle, "matches", 1_000)
    begins = places(options, "string.lines", data, {"params": command_line.words([len(data)])}, "lines", len(data) // 16 + 2)
    begins.append(len(data))
    numbers = dict.fromkeys(bisect.bisect_right(begins, place) for place in matches)
    return [(number, data[begins[number - 1]:begins[number]].rstrip(b"\n")) for number in numbers]


def main():
    parser = argparse.ArgumentParser(description="the lines of a file that have a text in them, found by vyre")
    command_line.add_options(parser)
    parser.add_argument("text", metavar="TEXT", help="what is looked for, as it stands")
    parser.add_argument("file", type=pathlib.Path, metavar="FILE", help="where")
    options = parser.parse_args()
    for number, line in find_lines(options, options.text.encode(), options.file.read_bytes()):
        sys.stdout.buffer.write(b"%d:%s\n" % (number, line))


if __name__ == "__main__":
    command_line.run(main)
