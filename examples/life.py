#!/usr/bin/env python3
"""Conway's Game of Life in the terminal, computed by examples/life.vyre.

  examples/life.py [--vyre PROGRAM] [--backend B] [--size 64x32] [--generations 100] [--seed 1]
"""
import argparse, os, pathlib, random, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
GLYPHS = " ▀▄█"  # two rows of cells a line of text


def step(vyre, backend, cells, width, height):
    """One generation: a list of 0 and 1, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "cells"), pathlib.Path(folder, "next")
        source.write_bytes(b"".join(c.to_bytes(4, "little") for c in cells))
        subprocess.run([vyre, "run", str(HERE / "life.vyre"), "--backend", backend,
                        "--groups", f"{(width + 7) // 8},{(height + 7) // 8}", "--set", f"cells=@{source}",
                        "--set", f"next=zeros:{width * height}", "--set", f"params={width},{height}",
                        "--get", f"next=@{target}"], check=True)
        data = target.read_bytes()
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def draw(cells, width, height):
    rows = [cells[y * width:(y + 1) * width] for y in range(height)] + [[0] * width]
    return "\n".join("".join(GLYPHS[rows[y][x] + 2 * rows[y + 1][x]] for x in range(width)).rstrip()
                     for y in range(0, height, 2))


def main():
    parser = argparse.ArgumentParser(description="Game of Life, computed by vyre")
    parser.add_argument("--vyre", default=str(HERE.parent / "build/release/bin/vyre"))
    parser.add_argument("--backend", default="native")
    parser.add_argument("--size", default="64x32")
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    width, height = (int(n) for n in options.size.split("x"))
    choose = random.Random(options.seed)
    cells = [int(choose.random() < 0.3) for _ in range(width * height)]
    live = sys.stdout.isatty()
    for generation in range(options.generations + 1):
        if live:
            print("\033[H\033[2J", end="")
        if live or generation == options.generations:
            print(draw(cells, width, height))
            print(f"generation {generation}, {sum(cells)} alive")
        if generation < options.generations:
            cells = step(options.vyre, options.backend, cells, width, height)
        if live:
            time.sleep(0.05)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(130)
