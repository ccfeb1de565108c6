#!/usr/bin/env python3
"""Holds the order of the layers, which src/LAYERS gives, by looking at every #include below src/.

  1. A file includes only its own layer and layers above it in the list. A nested layer (lower/llvm) is a layer of
     its own; a file belongs to the longest that fits.
  2. An external library is seen only by the layers that name it in src/LAYERS; what `base` names, everyone may see.
     LLVM and the solvers are the point of this rule: LLVM stays in the LLVM printer, the door to it and its reader,
     a solver in algebra.
  3. In the file beside an operation, the reference function stands before the IR is visible: ops/reference.h comes
     first, then only standard headers, then the function, then ops/text_operation.h. In floating/, and in
     ops/float_operators.cpp, which has the functions of all operators on floats, it is the same with
     ops/float_reference.h, which sees standard headers and ops/reference.h alone, and ops/floating.h; its functions, in
     ops/float_reference.cpp, see Arb besides.
  4. What judges operations over buffers, opspec/, sees base/, itself and the statements of laws: no text and no compiler.

Prints FILE:LINE: what is wrong, for each violation, and exits 1; or what it looked at, and exits 0. With
--self-test it plants each violation in a small tree of its own and exits 1 if one is not found there.
"""

import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # scripts leave nothing in the tree
import checking

SOURCES = {".h", ".hpp", ".cpp", ".cc", ".def", ".inc"}
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>|(\S.*))')
STANDARD = re.compile(r"[a-z_0-9]+")  # <bit>, <cstdint>: no dot, no folder

# The headers of each external library, by the name that src/LAYERS uses for it.
LIBRARIES = {
    "fmt": re.compile(r"fmt/"),
    "crypto": re.compile(r"openssl/"),
    "random123": re.compile(r"Random123/"),
    "llvm": re.compile(r"(llvm|llvm-c|clang|clang-c|lld|mlir)/"),
    "tbb": re.compile(r"(tbb|oneapi/tbb)(/|\.h)"),
    "json": re.compile(r"nlohmann/"),
    "cli11": re.compile(r"CLI/"),
    "solver": re.compile(r"(z3\w*(\+\+)?\.h|cvc5/|bitwuzla/|boolector)"),
    "vulkan": re.compile(r"vulkan/"),
    "sqlite": re.compile(r"sqlite3"),
    "mpfr": re.compile(r"(mpfr|gmp)(xx)?\.h"),
    "arb": re.compile(r"(arb|arf|mag|acb|fmp[zqr])\w*\.h|flint/"),
}
# The columns of src/LAYERS may widen every library but these: they stay where the design puts them.
ONLY_IN = {
    "llvm": {"lower/codegen", "lower/llvm", "symbolic/llvm"},
    "solver": {"algebra"},
    "vulkan": {"backend/vulkan"},
    "mpfr": {"num"},  # what decides the oracle must not compute results, nor be the other oracle
    "arb": {"ops"},
}


def read_layers(root):
    """[(layer, {libraries})], lowest first."""
    layers = []
    for line in (root / "src" / "LAYERS").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            layers.append((words[0], set(words[1:])))
    return layers


def code_lines(path):
    """The lines of a file with comments blanked, so that an include in a comment is none."""
    text = path.read_text(errors="replace")

    def blank(match):
        found = match.group(0)
        return found if found[0] in "\"'" else re.sub(r"[^\n]", " ", found)

    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.S).splitlines()


def includes(lines):
    """[(line number, name, quoted)]; name is None for one that is computed by a macro."""
    found = []
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(1) or match.group(2), match.group(1) is not None))
    return found


class Checker:
    def __init__(self, root):
        self.root = root
        self.layers = read_layers(root)
        self.order = {name: i for i, (name, _) in enumerate(self.layers)}
        self.libraries = dict(self.layers)
        self.everyone = self.layers[0][1] if self.layers else set()
        self.problems = []
        self.files = self.includes = self.operations = 0

    def layer_of(self, path):
        """The longest layer that the path (below src/) lies in, or None."""
        fitting = [name for name in self.order if path.startswith(name + "/")]
        return max(fitting, key=len, default=None)

    def problem(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def check(self):
        src = self.root / "src"
        for path in sorted(src.rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                self.check_file(path, path.relative_to(src).as_posix())
        return self.problems

    def check_file(self, path, name):
        self.files += 1
        lines = code_lines(path)
        found = includes(lines)
        self.includes += len(found)
        layer = self.layer_of(name)
        if layer is None:
            self.problem(path, 1, "lies in no layer of src/LAYERS")
            return
        for line, header, quoted in found:
            self.check_include(path, layer, line, header, quoted)
        soft = name.startswith("ops/float/soft")  # the compositions of operators are no operations
        if name.startswith("ops/") and name.endswith(".cpp") and name.count("/") > 1 and not soft:
            self.operations += 1
            self.check_operation(path, lines, found, name.startswith("ops/float"))
        if name == "ops/float_operators.cpp":
            self.check_operation(path, lines, found, True)
        if name in ("ops/reference.h", "ops/float_reference.h"):
            for line, header, quoted in found:
                if name == "ops/float_reference.h" and header == "ops/reference.h":
                    continue
                if quoted or not STANDARD.fullmatch(header or ""):
                    self.problem(path, line, "what a reference function may see is standard headers alone")
        if name.startswith("opspec/"):
            for line, header, quoted in found:
                if quoted and not header.startswith(("opspec/", "base/")) and header != "library/laws.def":
                    self.problem(path, line, "a reference of an operation over buffers sees opspec/ and base/ alone")
        if name == "ops/float_reference.cpp":
            for line, header, quoted in found:
                if not (header == "ops/float_reference.h" if quoted else
                        STANDARD.fullmatch(header or "") or LIBRARIES["arb"].match(header or "")):
                    self.problem(path, line, "the functions of floats see ops/float_reference.h, standard headers and Arb")

    def check_include(self, path, layer, line, header, quoted):
        if header is None:
            self.problem(path, line, "an include that is computed by a macro cannot be checked: name the header")
            return
        if ".." in pathlib.PurePosixPath(header).parts:
            self.problem(path, line, f'"{header}" goes up: headers are named from src/')
            return
        target = self.layer_of(header)
        if target is not None and (quoted or (self.root / "src" / header).exists()):
            if self.order[target] > self.order[layer]:
                self.problem(path, line, f'{layer} may not include "{header}": {target} stands below it in src/LAYERS')
            return
        for library, pattern in LIBRARIES.items():
            if pattern.match(header):
                if library in ONLY_IN and layer not in ONLY_IN[library]:
                    allowed = " and ".join(sorted(ONLY_IN[library]))
                    self.problem(path, line, f"{layer} may not see {library} ({header}): only {allowed} may")
                elif library not in self.libraries[layer] | self.everyone | {"solver"}:
                    self.problem(path, line, f"{layer} does not name {library} in src/LAYERS ({header})")
                return
        if quoted and not (self.root / "include" / header).exists():
            self.problem(path, line, f'"{header}" is in no layer: headers are named from src/')

    def check_operation(self, path, lines, found, floating):
        reference, declaration = (
            ("ops/float_reference.h", "ops/floating.h") if floating else ("ops/reference.h", "ops/text_operation.h"))

        def where(pattern):
            return [n for n, line in enumerate(lines, 1) if re.search(pattern, line)]

        if not found or found[0][1] != reference:
            self.problem(path, found[0][0] if found else 1, f"an operation begins with {reference}")
            return
        turns = [line for line, header, _ in found if header == declaration]
        if len(turns) != 1:
            self.problem(path, turns[1] if turns else 1, f"an operation includes {declaration} once")
            return
        turn = turns[0]
        for line, header, quoted in found[1:]:
            if line < turn and (quoted or not STANDARD.fullmatch(header or "")):
                self.problem(path, line, f"the reference function may not see {header}: only standard headers stand "
                                         f"before {declaration}")
        for line in where(r"\bvyre\b"):
            if line < turn:
                self.problem(path, line, "the reference function may not name anything of vyre")
        name, end = ("reference", r"\}") if path.name != "float_operators.cpp" else (r"\w+", r" *\}")
        starts = where(rf"^(  static )?uint32_t {name}\(")
        if not starts:
            self.problem(path, turn, f"there is no `uint32_t reference(...)` before {declaration}")
        for line in starts:
            if line > turn:
                self.problem(path, line, f"the reference function stands after {declaration}, where it sees the IR")
            elif not any(line <= end < turn for end in where(rf"^{end}$|^(  static )?uint32_t {name}\(.*\}}$")):
                self.problem(path, line, f"the reference function does not end before {declaration}")


def run(root):
    checker = Checker(root)
    problems = checker.check()
    if checker.files == 0 or checker.includes == 0:
        problems.append(f"{root}/src: nothing to look at")
    return checking.report("layers", problems,
                           f"{len(checker.layers)} layers, {checker.files} files, {checker.includes} includes, "
                           f"{checker.operations} operations: all in order")


CLEAN = {
    "src/LAYERS": "# comment\nbase fmt\nops arb\nlower tbb\nlower/llvm llvm\nbackend tbb\nbackend/native tbb\nopspec\nalgebra\n",
    "src/base/a.h": '#include <cstdint>\n#include <fmt/format.h>\n// #include "lower/b.h"\n/* #include <llvm/IR/Module.h>\n*/\n',
    "src/lower/b.h": '#include "base/a.h"\n#include <fmt/format.h>\n#include <tbb/parallel_for.h>\n',
    "src/lower/passes/c.cpp": '#include "lower/b.h"\n',
    "src/lower/llvm/d.cpp": '#include <llvm/IR/Module.h>\n#include "lower/b.h"\n',
    "src/backend/native/e.cpp": '#include <tbb/parallel_for.h>\n#include "lower/llvm/d.h"\n#include "vyre/abi.h"\n',
    "src/algebra/f.cpp": '#include <z3++.h>\n#include "backend/native/e.h"\n',
    "src/opspec/i.cpp": '#include "base/a.h"\n#include <bit>\n',
    "include/vyre/abi.h": "\n",
    "src/ops/reference.h": "#include <cstdint>\n",
    "src/ops/operation.h": '#include "base/a.h"\n',
    "src/ops/text_operation.h": '#include "ops/operation.h"\n',
    "src/ops/primitive/math/g.cpp": '#include "ops/reference.h"\n\n#include <bit>\n\nnamespace {\n\n'
                                    "uint32_t reference(uint32_t a) {\n  return a;\n}\n\n}  // namespace\n\n"
                                    '#include "ops/text_operation.h"\n\nnamespace vyre::ops {}\n',
}
CLEAN["src/ops/float_reference.h"] = '#include <cmath>\n\n#include "ops/reference.h"\n'
CLEAN["src/ops/float_reference.cpp"] = '#include "ops/float_reference.h"\n\n#include <arb.h>\n\n#include <optional>\n'
CLEAN["src/ops/floating.h"] = '#include "ops/operation.h"\n'
CLEAN["src/ops/floating/h.cpp"] = (CLEAN["src/ops/primitive/math/g.cpp"]
                                   .replace("ops/reference.h", "ops/float_reference.h")
                                   .replace("ops/text_operation.h", "ops/floating.h"))
CLEAN["src/ops/float_operators.cpp"] = ('#include "ops/float_reference.h"\n\n#include <bit>\n\nnamespace {\n\n'
                                        "struct Operators {\n  static uint32_t add(uint32_t a) { return a; }\n"
                                        "  static uint32_t sub(uint32_t a) {\n    return a;\n  }\n};\n\n}  // namespace\n\n"
                                        '#include "ops/floating.h"\n\nnamespace vyre::ops {}\n')
OPERATION = "src/ops/primitive/math/g.cpp"
OPERATORS = "src/ops/float_operators.cpp"
FLOATING = "src/ops/floating/h.cpp"
# What to plant: (file, its new text or (old, new) to replace in it, the line that must be named, a word of the message).
PLANTED = [
    ("src/base/a.h", '#include "lower/b.h"\n', 1, "stands below"),
    ("src/base/a.h", '#include <cstdint>\n  #  include "algebra/f.h"\n', 2, "stands below"),
    ("src/lower/b.h", '#include "lower/llvm/d.h"\n', 1, "stands below"),
    ("src/lower/passes/c.cpp", '#include "lower/llvm/d.h"\n', 1, "stands below"),
    ("src/backend/x.cpp", '\n#include "backend/native/e.h"\n', 2, "stands below"),
    ("src/base/a.h", "#include <lower/b.h>\n", 1, "stands below"),
    ("src/lower/b.h", "#include <llvm/IR/Module.h>\n", 1, "may not see llvm"),
    ("src/backend/x.cpp", '#include "llvm/IR/Module.h"\n', 1, "may not see llvm"),
    ("src/backend/native/e.cpp", "#include <llvm/IR/Module.h>\n", 1, "may not see llvm"),
    ("src/algebra/f.cpp", "#include <llvm-c/Core.h>\n", 1, "may not see llvm"),
    ("src/lower/b.h", "#include <z3++.h>\n", 1, "may not see solver"),
    ("src/lower/llvm/d.cpp", "#include <cvc5/cvc5.h>\n", 1, "may not see solver"),
    ("src/algebra/f.cpp", "#include <tbb/parallel_for.h>\n", 1, "does not name tbb"),
    ("src/lower/b.h", "#include <mpfr.h>\n", 1, "may not see mpfr"),
    ("src/ops/operation.h", "#include <mpfr.h>\n", 1, "may not see mpfr"),
    ("src/lower/b.h", "#include <arb.h>\n", 1, "may not see arb"),
    ("src/base/a.h", "#include <flint/flint.h>\n", 1, "may not see arb"),
    ("src/ops/float_reference.h", '#include "ops/reference.h"\n#include <arb.h>\n', 2, "standard headers alone"),
    ("src/ops/float_reference.cpp", '#include "ops/float_reference.h"\n#include "base/a.h"\n', 2, "standard headers and Arb"),
    ("src/ops/float_reference.cpp", '#include <bit>\n#include <fmt/format.h>\n', 2, "standard headers and Arb"),
    ("src/base/a.h", '#include "../ops/operation.h"\n', 1, "goes up"),
    ("src/base/a.h", '#include "neighbour.h"\n', 1, "in no layer"),
    ("src/base/a.h", "#include HEADER\n", 1, "macro"),
    ("src/utils/h.h", "#include <cstdint>\n", 1, "no layer"),
    ("src/ops/reference.h", '#include <cstdint>\n#include "base/a.h"\n', 2, "standard headers alone"),
    ("src/ops/float_reference.h", '#include "ops/reference.h"\n#include "base/a.h"\n', 2, "standard headers alone"),
    ("src/opspec/i.cpp", '#include "base/a.h"\n#include "lower/b.h"\n', 2, "sees opspec/ and base/ alone"),
    (FLOATING, ('#include "ops/float_reference.h"\n\n', ""), 1, "begins with"),
    (FLOATING, ("#include <bit>", '#include "ops/operation.h"'), 3, "may not see ops/operation.h"),
    (OPERATORS, ('#include "ops/float_reference.h"\n\n', ""), 1, "begins with"),
    (OPERATORS, ("<bit>", '"ops/operation.h"'), 3, "may not see ops/operation.h"),
    (OPERATORS, ("  static uint32_t add(uint32_t a) { return a; }", "  static uint32_t add(uint32_t a) { return vyre::f(a); }"), 8,
     "may not name"),
    (OPERATORS, ("namespace vyre::ops {}", "uint32_t mul(uint32_t a) { return a; }"), 18, "after ops/floating.h"),
    (OPERATION, ("<bit>", "<fmt/format.h>"), 3, "may not see fmt/format.h"),
    (OPERATION, ("#include <bit>", '#include "base/a.h"'), 3, "may not see base/a.h"),
    (OPERATION, ('#include "ops/reference.h"\n\n', ""), 1, "begins with"),
    (OPERATION, ("return a;", "return vyre::ops::f(a);"), 8, "may not name"),
    (OPERATION, ("uint32_t reference(", "uint32_t other("), 13, "there is no"),
    (OPERATION, ('#include <bit>\n', '#include "ops/text_operation.h"\n'), 13, "once"),
    (OPERATION, ('\nnamespace vyre::ops {}', "\nuint32_t reference(uint32_t a, uint32_t b) {\n}\n"), 15, "after ops/text_operation.h"),
    (OPERATION, ("  return a;\n}\n\n}  // namespace\n\n", "  return a;\n"), 7, "does not end"),
]


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory) / "clean"
        checking.write_tree(root, CLEAN)
        failures += [f"a clean tree is refused: {p}" for p in Checker(root).check()]
        for i, (name, change, line, word) in enumerate(PLANTED):
            files = dict(CLEAN)
            if isinstance(change, tuple):
                assert change[0] in files[name], change[0]
                files[name] = files[name].replace(*change)
            else:
                files[name] = change
            root = pathlib.Path(directory) / str(i)
            checking.write_tree(root, files)
            problems = Checker(root).check()
            if not any(p.startswith(f"{name}:{line}: ") and word in p for p in problems):
                failures.append(f"planted in {name}:{line} and not found ({word}); found: {problems}")
    return checking.conclude("layers", len(PLANTED), failures)


def main():
    options = checking.options_of(__doc__)
    if options.self_test:
        return self_test()
    if not (options.root / "src" / "LAYERS").is_file():
        print(f"layers: {options.root} has no src/LAYERS")
        return 2
    return run(options.root)


if __name__ == "__main__":
    sys.exit(main())
