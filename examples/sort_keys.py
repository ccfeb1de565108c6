#!/usr/bin/env python3
"""Sorts keys: those of a file of words of 32 bits, or many random ones; writes them, or says how long it took.

  examples/sort_keys.py [--count N | --keys FILE] [--out FILE] [--vyre PROGRAM] [--backend B]
"""
import argparse, pathlib, random, time

import command_line


def main():
    parser = argparse.ArgumentParser(description="sorts keys of 32 bits by vyre")
    command_line.add_options(parser)
    parser.add_argument("--count", type=command_line.count, default=10_000_000, help="how many random keys (%(default)s)")
    parser.add_argument("--keys", type=pathlib.Path, metavar="FILE", help="the keys, little-endian, in their place")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="where the sorted keys go")
    options = parser.parse_args()
    keys = options.keys.read_bytes() if options.keys else random.Random(1).randbytes(4 * options.count)
    begin = time.monotonic()
    found = command_line.run_operation(options, "collection.sort_u32", {"input": keys}, {"output": len(keys) // 4})["output"]
    print(f"{len(keys) // 4} keys in {time.monotonic() - begin:.2f} s, from file to file")
    if options.out:
        options.out.write_bytes(found)


if __name__ == "__main__":
    command_line.run(main)
