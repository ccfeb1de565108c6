#!/usr/bin/env python3
"""SHA-256 of files, computed by examples/sha256.vyre; prints what sha256sum prints.

  examples/sha256.py [--vyre PROGRAM] [--backend B] FILE...
"""
import argparse, pathlib, subprocess, tempfile

HERE = pathlib.Path(__file__).resolve().parent


def integer_root(n, k):
    """The largest r with r**k <= n."""
    low, high = 0, 1 << (n.bit_length() // k + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**k <= n else (low, middle - 1)
    return low


def round_constants():
    """The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2)."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, n))]
    return [integer_root(p << 96, 3) & 0xFFFFFFFF for p in primes[:64]]


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
        path("k").write_bytes(words(round_constants()))
        subprocess.run([vyre, "run", str(HERE / "sha256.vyre"), "--backend", backend,
                        "--groups", str(max(1, (len(messages) + 63) // 64)), "--set", f"data=@{path('data')}",
                        "--set", f"offsets=@{path('offsets')}", "--set", f"k=@{path('k')}",
                        "--set", f"digests=zeros:{8 * len(messages)}", "--get", f"digests=@{path('out')}"], check=True)
        data = path("out").read_bytes()
    return ["".join(f"{int.from_bytes(data[i:i + 4], 'little'):08x}" for i in range(32 * m, 32 * m + 32, 4))
            for m in range(len(messages))]


def main():
    parser = argparse.ArgumentParser(description="SHA-256 of files, computed by vyre")
    parser.add_argument("--vyre", default=str(HERE.parent / "build/release/bin/vyre"))
    parser.add_argument("--backend", default="native")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    messages = [pathlib.Path(name).read_bytes() for name in options.files]
    for name, digest in zip(options.files, digests(options.vyre, options.backend, messages)):
        print(f"{digest}  {name}")


if __name__ == "__main__":
    main()
