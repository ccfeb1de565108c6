#!/usr/bin/env python3
"""The Mandelbrot set, computed by examples/mandelbrot.vyre: drawn in the terminal, or as a picture.

  examples/mandelbrot.py [--vyre PROGRAM] [--backend B] [--at=-0.75,0] [--width 3.2] [--limit 400]
                         [--size 1200x800] [--out mandelbrot.png]
"""
import argparse, math, pathlib, shutil, struct, subprocess, tempfile, zlib

import command_line

HERE = pathlib.Path(__file__).resolve().parent


def steps(vyre, backend, size, at, width, limit):
    """How many steps each point takes, row by row: `limit` for those of the set."""
    columns, rows = size
    step = width / columns
    left, top = at[0] - width / 2, at[1] + step * rows / 2
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "steps")
        subprocess.run([vyre, "run", str(HERE / "mandelbrot.vyre"), "-v", "--backend", backend,
                        "--groups", f"{(columns + 7) // 8},{(rows + 7) // 8}",
                        "--set", f"params={columns},{rows},{limit}", "--set", f"view={left!r},{top!r},{step!r}",
                        "--set", f"steps=zeros:{columns * rows}", "--get", f"steps=@{target}"], check=True)
        return struct.unpack(f"<{columns * rows}I", target.read_bytes())


def color(count, limit):
    """Red, green and blue: black for the set, and around it from dark blue by white to gold and back."""
    if count == limit:
        return 0, 0, 0
    turn = 0.35 * math.sqrt(count)
    return tuple(int(255 * (0.5 - 0.5 * math.cos(turn + phase))) for phase in (0.0, 0.35, 0.8))


def png(counts, size, limit):
    """A picture as PNG: each row behind a filter byte of 0, deflated."""
    columns, rows = size
    palette = [bytes(color(count, limit)) for count in range(limit + 1)]
    lines = b"".join(b"\0" + b"".join(palette[n] for n in counts[row * columns:(row + 1) * columns])
                     for row in range(rows))
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def draw(counts, size, limit):
    """For a terminal with colors: two rows of points a line, as upper halves of cells before a background."""
    columns, rows = size
    out = []
    for row in range(0, rows - 1, 2):
        pairs = zip(counts[row * columns:(row + 1) * columns], counts[(row + 1) * columns:(row + 2) * columns])
        out.append("".join("\033[38;2;{};{};{};48;2;{};{};{}m▀".format(*color(a, limit), *color(b, limit))
                           for a, b in pairs) + "\033[0m")
    return "\n".join(out)


def point(text):
    try:
        real, imaginary = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a real and an imaginary part, like -0.75,0.1") from None
    return real, imaginary


def main():
    parser = argparse.ArgumentParser(description="the Mandelbrot set, computed by vyre")
    command_line.add_options(parser)
    parser.add_argument("--at", type=point, default=(-0.75, 0.0), metavar="RE,IM",
                        help="the middle: its real and imaginary part, as --at=-0.75,0.1 (-0.75,0)")
    parser.add_argument("--width", type=float, default=3.2, metavar="X", help="of what is seen (%(default)s)")
    parser.add_argument("--limit", type=command_line.count, default=400, metavar="N",
                        help="a point that has not left after so many steps is one of the set (%(default)s)")
    parser.add_argument("--size", type=command_line.size, metavar="COLUMNSxROWS",
                        help="of points; else what fits the terminal, or 1200x800 with --out")
    parser.add_argument("--out", metavar="FILE", help="write a PNG here instead of drawing")
    options = parser.parse_args()
    vyre = command_line.find_vyre(options.vyre)
    if options.size:
        size = options.size
    elif options.out:
        size = 1200, 800
    else:
        terminal = shutil.get_terminal_size()
        size = terminal.columns, 2 * (terminal.lines - 2)
    counts = steps(vyre, options.backend, size, options.at, options.width, options.limit)
    if options.out:
        pathlib.Path(options.out).write_bytes(png(counts, size, options.limit))
        print(f"wrote {options.out}: {size[0]} x {size[1]} points, {counts.count(options.limit)} of the set")
    else:
        print(draw(counts, size, options.limit))


if __name__ == "__main__":
    command_line.run(main)
