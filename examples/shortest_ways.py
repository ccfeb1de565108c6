#!/usr/bin/env python3
"""Shortest ways on a road map: how far it is from a place to all others.

  examples/shortest_ways.py [--roads FILE] [--vyre PROGRAM] [--backend B] PLACE

A line of the file is a road: two places and how far they are apart. Without a file it is the map below, in kilometres.
"""
import argparse, pathlib

import command_line

ROADS = """
Basel Zurich 85
Basel Bern 95
Bern Lausanne 100
Bern Lucerne 112
Bern Brig 128
Lausanne Geneva 62
Lausanne Brig 146
Zurich Lucerne 52
Zurich Chur 119
Lucerne Bellinzona 168
Chur Bellinzona 117
Brig Bellinzona 168
"""


def ways(options, roads, place):
    """Distances by place; none of places that no road leads to."""
    names = sorted({name for a, b, _ in roads for name in (a, b)})
    if place not in names:
        raise SystemExit(f"{place} is on no road; there are {' '.join(names)}")
    number = {name: i for i, name in enumerate(names)}
    edges = sorted((number[a], number[b], far) for x, y, far in roads for a, b in ((x, y), (y, x)))
    offsets = [sum(1 for edge in edges if edge[0] < i) for i in range(len(names) + 1)]
    graph = {"offsets": offsets, "targets": [edge[1] for edge in edges], "weights": [edge[2] for edge in edges],
             "sources": [number[place]]}
    found = command_line.run_operation(options, "graph.sssp", {name: command_line.words(of) for name, of in graph.items()},
                                       {"distances": len(names), "status": 1})
    return {name: far for name, far in zip(names, command_line.numbers(found["distances"])) if far != 0xffffffff}


def main():
    parser = argparse.ArgumentParser(description="shortest ways on a road map, by vyre")
    command_line.add_options(parser)
    parser.add_argument("--roads", type=pathlib.Path, metavar="FILE", help="the map; else a small one of Switzerland")
    parser.add_argument("place", metavar="PLACE", help="where the ways begin")
    options = parser.parse_args()
    lines = (options.roads.read_text() if options.roads else ROADS).split("\n")
    roads = [(a, b, int(far)) for a, b, far in (line.split() for line in lines if line.strip())]
    for name, far in sorted(ways(options, roads, options.place).items(), key=lambda way: way[1]):
        print(f"{far:6}  {name}")


if __name__ == "__main__":
    command_line.run(main)
