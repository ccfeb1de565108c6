#!/usr/bin/env python3
"""SHA-256 of files, computed by examples/sha256.vyre; prints what sha256sum prints.

  examples/sha256.py [--vyre PROGRAM] [--backend B] FILE...
"""
import argparse, pathlib, subprocess, tempfile

import command_line

HERE = pathlib.Path(__file__).resolve().parent


def words(values):
    return b"".join(v.to_bytes(4, "little") for v in values)


def digests(vyre, backend, messages):
    """The digest of each message, in hexadecimal."""
    offsets = [0]
    for message in messages:
        offsets.append(offsets[-1] + len(message))
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: pathlib.Path(folder, name)
        path("data").write_bytes(b"".join(messages))
        path("offsets").write_bytes(words(offsets))
        subprocess.run([vyre, "run", str(HERE / "sha256.vyre"), "--backend", backend,
                        "--set", f"data=@{path('data')}", "--set", f"offsets=@{path('offsets')}",
                        "--set", f"digests=zeros:{8 * len(messages)}", "--get", f"digests=@{path('out')}"], check=True)
        data = path("out").read_bytes()
    return ["".join(f"{int.from_bytes(data[i:i + 4], 'little'):08x}" for i in range(32 * m, 32 * m + 32, 4))
            for m in range(len(messages))]


def main():
    parser = argparse.ArgumentParser(description="SHA-256 of files, computed by vyre")
    command_line.add_options(parser)
    parser.add_argument("files", nargs="+", metavar="FILE", help="whose digests are printed")
    options = parser.parse_args()
    vyre = command_line.find_vyre(options.vyre)
    messages = [pathlib.Path(name).read_bytes() for name in options.files]
    for name, digest in zip(options.files, digests(vyre, options.backend, messages)):
        print(f"{digest}  {name}")


if __name__ == "__main__":
    command_line.run(main)
