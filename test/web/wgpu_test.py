#!/usr/bin/env python3
"""Every file of test/run, test/floats, test/regress and examples, and the conformance page, on a second implementation of WebGPU: wgpu,
with naga, in Deno.

The files become a page, of which Deno runs all but what draws (deno_run.js). Oracle: the values in the files, which
`vyre lower --to web` holds the reference to, and the runs that the texts have, counted here.
"""
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BIN = os.environ["VYRE_BIN"]
SOURCE = pathlib.Path(os.environ["VYRE_SOURCE"])
DENO = os.environ["VYRE_DENO"]
RUN = re.compile(r"^\s*// run:", re.M)


def refusal(text):
    """Why a file can be on no page: a code, or None. WebGPU need not have subgroups, nor groups beyond 256."""
    if not RUN.search(text):
        return "P017"
    if "// subgroup: " in text:
        return "B002"
    size = re.search(r"workgroup\((\d+), *(\d+), *(\d+)\)", text)
    return "B003" if size and math.prod(map(int, size.groups())) > 256 else None


def lower(folder, *files):
    return subprocess.run([f"{BIN}/vyre", "lower", "--to", "web", *files, "-o", folder], cwd=SOURCE, capture_output=True,
                          text=True)


def with_its_digest(text):
    """The data of another page: docs/web.md, "Its files"."""
    page = json.loads(text.removeprefix("globalThis.vyrePage = ").removesuffix(";\n"))
    del page["digest"]
    dump = lambda: json.dumps(page, ensure_ascii=False, separators=(",", ":"))
    page["digest"] = hashlib.sha256(dump().encode()).hexdigest()
    return f"globalThis.vyrePage = {dump()};\n"


def run(folder):
    ran = subprocess.run([DENO, "run", "--unstable-webgpu", "--no-prompt", f"--allow-read={folder}",
                          SOURCE / "test/web/deno_run.js", folder], capture_output=True, text=True, timeout=800)
    return ran.returncode, ran.stdout


class Wgpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = {}
        floats = tempfile.TemporaryDirectory()  # of test/floats, at each type
        cls.addClassCleanup(floats.cleanup)
        subprocess.run([f"{BIN}/write_float_texts", floats.name], check=True)
        for folder in ("test/run", "test/regress", "examples", floats.name):
            for path in sorted((SOURCE / folder).glob("*.vyre")):
                text = path.read_text()
                if not re.search(r"^(pipeline|graph) ", text, re.M):  # of which pages know nothing
                    cls.files[os.path.relpath(path, SOURCE)] = text

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.page = pathlib.Path(scratch.name) / "page"

    def test_every_run_of_every_file(self):
        able = [name for name, text in self.files.items() if refusal(text) is None]
        runs = sum(len(RUN.findall(self.files[name])) for name in able)
        self.assertGreater(len(able), 400)
        lowered = lower(self.page, *able)
        self.assertEqual(lowered.returncode, 0, lowered.stderr)
        code, printed = run(self.page)
        self.assertEqual((code, printed.strip().splitlines()[-1]), (0, f"{runs} passed, 0 failed"), printed)
        print(f"{len(able)} files, {printed.strip()}")

    def test_the_others_are_refused_for_what_they_are(self):
        for name, text in self.files.items():
            code = refusal(text)
            if code is None:
                continue
            with self.subTest(name):
                lowered = lower(self.page, name)
                self.assertEqual(lowered.returncode, 1 if code == "P017" else 3)
                self.assertIn(f"error[{code}]", lowered.stderr)

    def test_the_conformance_page(self):
        lowered = lower(self.page, "--conformance")
        self.assertEqual(lowered.returncode, 0, lowered.stderr)
        code, printed = run(self.page)
        self.assertEqual(code, 0, printed)
        passed = int(re.search(r"^(\d+) passed, 0 failed$", printed, re.M)[1])
        self.assertGreater(passed, 600)

    def test_what_is_wrong_is_seen(self):
        """The runner without a browser: one result that differs, one module that is refused, and nothing to run."""
        self.assertEqual(lower(self.page, "examples/xor.vyre", "examples/dot.vyre").returncode, 0)
        cases = self.page / "cases.js"
        good = cases.read_text()
        self.assertEqual(run(self.page)[0], 0)
        self.assertEqual(with_its_digest(good), good)
        # One operator of xor, and one name of another module.
        for change, words in [(lambda t: t.replace(" ^ ", " & ", 1), "different: out[0]"),
                              (lambda t: t.replace("fn main(", "fn mainly(", 1), "refused: "),
                              (lambda t: re.sub(r'"cases":\[.*?\],"left_out"', '"cases":[],"left_out"', t), "0 passed, 0 failed")]:
            text = change(good)
            self.assertNotEqual(text, good)
            cases.write_text(with_its_digest(text))
            code, printed = run(self.page)
            self.assertEqual(code, 1, printed)
            self.assertIn(words, printed)


if __name__ == "__main__":
    unittest.main()
