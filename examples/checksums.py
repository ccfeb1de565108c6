#!/usr/bin/env python3
"""Checksums of the files below a folder, all computed side by side; prints what md5sum and the like print.

  examples/checksums.py [--hash NAME] [--vyre PROGRAM] [--backend B] FOLDER
"""
import argparse, pathlib

import command_line

WORDS = {"crc32": 1, "md5": 4, "sha1": 5, "sha256": 8, "sha512": 16, "blake3": 8}  # of a digest


def checksums(options, contents):
    """The digest of each content, in hexadecimal."""
    offsets = [0]
    for content in contents:
        offsets.append(offsets[-1] + len(content))
    count = WORDS[options.hash]
    found = command_line.run_operation(options, f"hash.{options.hash}",
                                       {"data": b"".join(contents), "offsets": command_line.words(offsets)},
                                       {"digests": count * len(contents)})["digests"]
    parts = [found[i:i + 4 * count] for i in range(0, len(found), 4 * count)]
    return [part[::-1].hex() if count == 1 else part.hex() for part in parts]  # a CRC is a number


def main():
    parser = argparse.ArgumentParser(description="checksums of the files below a folder, computed by vyre")
    command_line.add_options(parser)
    parser.add_argument("--hash", choices=WORDS, default="sha256", help="which one (%(default)s)")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="whose files are read, at any depth")
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.is_file())
    for path, digest in zip(files, checksums(options, [path.read_bytes() for path in files])):
        print(f"{digest}  {path}")


if __name__ == "__main__":
    command_line.run(main)
