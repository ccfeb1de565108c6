#!/usr/bin/env python3
"""Conway's Game of Life in the terminal, computed by examples/life.vyre.

  examples/life.py [--vyre PROGRAM] [--backend B] [--size 64x32] [--generations 100] [--seed 1]
"""
import argparse, pathlib, random, subprocess, sys, tempfile, time

import command_line

HERE = pathlib.Path(__file__).resolve().parent
GLYPHS = " ▀▄█"  # two rows of cells a line of text


def step(vyre, backend, cells, width, height, generations=1):
    """So many generations later: a list of 0 and 1, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "cells"), pathlib.Path(folder, "next")
        source.write_bytes(b"".join(c.to_bytes(4, "little") for c in cells))
        subprocess.run([vyre, "run", str(HERE / "life.vyre"), "--backend", backend, "--set", f"cells=@{source}",
                        "--set", f"params={width},{height},{generations}", "--get", f"cells=@{target}"], check=True)
        data = target.read_bytes()
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def draw(cells, width, height):
    rows = [cells[y * width:(y + 1) * width] for y in range(height)] + [[0] * width]
    return "\n".join("".join(GLYPHS[rows[y][x] + 2 * rows[y + 1][x]] for x in range(width)).rstrip()
                     for y in range(0, height, 2))


def main():
    parser = argparse.ArgumentParser(description="Game of Life, computed by vyre")
    command_line.add_options(parser)
    parser.add_argument("--size", type=command_line.size, default=(64, 32), metavar="COLUMNSxROWS",
                        help="how many cells (64x32)")
    parser.add_argument("--generations", type=command_line.count, default=100, metavar="N",
                        help="how many to compute; where no terminal is, the last alone is shown (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the first cells (%(default)s)")
    options = parser.parse_args()
    vyre = command_line.find_vyre(options.vyre)
    width, height = options.size
    choose = random.Random(options.seed)
    cells = [int(choose.random() < 0.3) for _ in range(width * height)]
    live = sys.stdout.isatty()
    if not live:  # all at once: the cells stay on the device
        cells = step(vyre, options.backend, cells, width, height, options.generations)
    for generation in range(options.generations + 1) if live else [options.generations]:
        if live:
            print("\033[H\033[2J", end="")
        print(draw(cells, width, height))
        print(f"generation {generation}, {sum(cells)} alive")
        if live and generation < options.generations:
            cells = step(vyre, options.backend, cells, width, height)
            time.sleep(0.05)


if __name__ == "__main__":
    command_line.run(main)
