"""The WGSL that `vyre-conform replay TOKEN --emit wgsl` writes, for judges that are other people's compilers.

  emitted_wgsl.py VYRE_CONFORM

The programs are those of write_wgsl, which writes thousands; here it is the file that a person would send to another, with
the story and the data in comments around the program. One case of every kind that a token can name: operations at operands,
by number and as laws; operators, casts and selections by type, those of floats too; a shape of each family; random programs.
Each file is one line of stdout, as naga.js takes it: {"name": ..., "threads": ..., "text": ...}. Exit 1: a case was not
written.
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

TOKENS = [
    "primitive.math.add@1:random:1:7",
    "primitive.math.gcd@1:operands:0:0x30,0x12",
    "primitive.math.mod@1:rows:0:0",
    "primitive.compare.select@1:edge256:1:9",
    "primitive.math.add@1:law:0:0x1,0x2",
    "ir.operators/add.i32:edge256:42:17",
    "ir.operators/add.u128:operands:0:0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8",
    "ir.operators/fmul.f32:edge256:1:5",
    "ir.select/select.bool.vec2u32:operands:0:0x1,0x2,0x3,0x4,0x5",
    "ir.memory:program:1:5",
    "ir.control:program:1:4",
    "ir.loops:program:1:3",
    "ir.barriers:program:1:2",
    "ir.atomics:program:1:1",
    "ir.reductions:program:1:3",
    *(f"ir.programs:program:1:{index}" for index in range(8)),
]


def written(program, token, path):
    """The text of a case, or None, when it was said why not."""
    done = subprocess.run([program, "replay", token, "--backend", "reference", "--emit", "wgsl", "-o", path],
                          capture_output=True, text=True, timeout=300)
    if done.returncode == 0 and path.exists():
        return path.read_text()
    print(f"{token}: exit {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
    return None


def main():
    program, lost = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, token in enumerate(TOKENS):
            text = written(program, token, pathlib.Path(folder) / f"{number}.wgsl")
            size = re.search(r"@workgroup_size\(([^)]*)\)", text or "")
            if size is None:
                lost += 1
                continue
            threads = math.prod(int(side.strip().rstrip("u")) for side in size[1].split(","))
            print(json.dumps({"name": token, "threads": threads, "text": text}), flush=True)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
