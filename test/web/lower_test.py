#!/usr/bin/env python3
"""`vyre lower --to web` as people use it: what it writes, and what it says when it cannot."""
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = os.environ["VYRE_BIN"]
SOURCE = pathlib.Path(os.environ["VYRE_SOURCE"])
FILES = {"index.html", "style.css", "digest.js", "judge.js", "runner.js", "page.js", "cases.js"}


def lower(*arguments, to="web"):
    return subprocess.run([f"{BIN}/vyre", "lower", "--to", to, *map(str, arguments)], capture_output=True, text=True)


class LowerToWeb(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.page = self.folder / "page"

    def write(self, text, name="program.vyre"):
        path = self.folder / name
        path.write_text(text)
        return path

    def refused(self, arguments, code, *parts):
        """It must end with this exit code, say these things, and leave nothing."""
        before = sorted(self.folder.rglob("*"))
        ran = lower(*arguments)
        self.assertEqual(ran.returncode, code, ran.stderr)
        self.assertEqual(ran.stdout, "")
        for part in parts:
            self.assertIn(part, ran.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    PROGRAM = "program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = out[0] + 1; }\n"

    def test_writes_a_page(self):
        path = self.write(self.PROGRAM + "// run: out=[41] => out=[42]\n// run: out=[0xffffffff] => out=[0]\n")
        ran = lower(path, "-o", self.page)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))
        self.assertEqual({file.name for file in self.page.iterdir()}, FILES)
        for name in FILES - {"cases.js"}:
            self.assertEqual((self.page / name).read_bytes(), (SOURCE / "src/web" / name).read_bytes())
        text = (self.page / "cases.js").read_text()
        page = json.loads(text.removeprefix("globalThis.vyrePage = ").removesuffix(";\n"))
        self.assertEqual([case["name"] for case in page["cases"]], ["program.vyre:2", "program.vyre:3"])
        self.assertEqual(page["title"], "vyre: program.vyre")
        self.assertEqual(page["sources"], [path.read_text()])
        digest = page.pop("digest")
        said = json.dumps(page, ensure_ascii=False, separators=(",", ":"))
        self.assertEqual(digest, hashlib.sha256(said.encode()).hexdigest())
        self.assertNotIn(str(self.folder), text, "the page is for people on other machines")
        self.assertEqual(len(page["modules"]), 1, "both runs are of one module")

    def test_replaces_an_older_page_and_nothing_else(self):
        path = self.write(self.PROGRAM + "// run: out=[41] => out=[42]\n")
        for _ in range(2):
            self.assertEqual(lower(path, "-o", f"{self.page}/").returncode, 0)
        self.assertEqual({file.name for file in self.folder.iterdir()}, {"page", "program.vyre"})
        other = self.folder / "site"
        other.mkdir()
        (other / "index.html").write_text("mine")
        self.refused([path, "-o", other], 2, "site", "something else than a page")
        self.refused([path, "-o", path], 2, "program.vyre", "it is a file")
        self.refused([path, "-o", "/dev/null/page"], 2, "/dev/null/page")

    def test_gives_a_line_that_a_shell_can_run(self):
        """Every way in which a buffer is set, from a file whose name a shell would take apart."""
        path = self.write("program p(read b: bool @0, read v: vec2u32 @1, read h: f16 @2, read n: i32 @3, read_write out: u32 @4)"
                          " workgroup(1, 1, 1) { if (b[1]) { out[0] = v[0].y + cast<u32>(n[0] + 9i32); } out[1] = len(h); }\n"
                          "// run: b=[false,true] v=[(7,0x80000001)] h=[1.5,-0] n=[-4] out=[0,0] => out=[0x80000006,2]\n",
                          "it's $one\xe9.vyre")
        self.assertEqual(lower(path, "-o", self.page).returncode, 0)
        text = (self.page / "cases.js").read_text(encoding="utf-8")
        case, = json.loads(text.removeprefix("globalThis.vyrePage = ").removesuffix(";\n"))["cases"]
        line = case["replay"]["command"].replace("vyre run", f"{BIN}/vyre run", 1).replace("reference,webgpu", "reference,native")
        ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        *digests, verdict = ran.stdout.splitlines()
        self.assertEqual([row.split()[1] for row in digests], [case["digest"]] * 2)
        self.assertEqual(verdict, "equal: 2 backends")

    def test_takes_names_that_are_no_text(self):
        path = os.fsencode(self.folder) + b"/bad\xff.vyre"
        with open(path, "wb") as file:
            file.write((self.PROGRAM + "// run: out=[1] => out=[2]\n").encode())
        ran = subprocess.run([f"{BIN}/vyre", "lower", "--to", "web", path, "-o", self.page], capture_output=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("bad\ufffd.vyre:2", (self.page / "cases.js").read_text(encoding="utf-8"))

    def test_wants_a_folder_and_programs(self):
        path = self.write(self.PROGRAM)
        self.refused([path], 2, "-o")
        self.refused(["-o", self.page], 2, "program files, or --conformance")
        self.refused([path, "--conformance", "-o", self.page], 2, "program files, or --conformance")
        self.refused([self.folder / "none.vyre", "-o", self.page], 2, "none.vyre")
        ran = lower("--conformance", path, to="wgsl")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("--conformance goes with --to web", ran.stderr)
        for paths in ([], [path, path]):
            ran = lower(*paths, to="wgsl")
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn("takes one FILE", ran.stderr)

    def test_takes_programs_and_no_pipelines(self):
        run = "// run: out=[1] => out=[2]\n"
        again = self.PROGRAM.replace("program p", "program q")
        self.assertNotEqual(again, self.PROGRAM)
        for text, part in [
            (self.PROGRAM + "pipeline main(read_write out: u32 @0) { dispatch p(out) groups(1); }\n", "main is a pipeline"),
            (self.PROGRAM + again, "--entry names one of p, q"),
            ("operation my.twice(x: u32) -> u32 { return x + x; }\n", "no program"),
        ]:
            with self.subTest(part):
                self.refused([self.write(text + run), "-o", self.page], 2, part)
        path = self.write(self.PROGRAM + run)
        self.refused([path, "--const", "W=4", "-o", self.page], 2, "no --const")

    def test_wants_runs_that_hold(self):
        for directive, code, *parts in [
            ("", "P017", "no run directive"),
            ("// run: out=[1] => out=[3]", "X008", ":2:", "the reference has out: 2"),
            ("// run: out=[-1] => out=[0]", "P017", ":2:", "-1"),
            ("// run: out=[1] in=[1] => out=[2]", "P017", ":2:", "no buffer in"),
            ("// run: out=[1] => in=[2]", "P017", ":2:", "no buffer in"),
            ("// run: groups=[65536,1,1] out=[1] => out=[2]", "X005"),
        ]:
            with self.subTest(directive):
                path = self.write(self.PROGRAM + directive + "\n")
                self.refused([path, "-o", self.page], 1, f"error[{code}]", *parts)
        good = self.write(self.PROGRAM + "// run: out=[1] => out=[2]\n", "good.vyre")
        self.refused([good, path, "-o", self.page], 1, "X005")

    def test_wants_what_every_device_has(self):
        run = "// run: out=[1] => out=[2]\n"
        buffers = ", ".join(f"read_write b{k}: u32 @{k + 1}" for k in range(8))
        for text, parts in [
            (self.PROGRAM.replace("workgroup(1, 1, 1)", "workgroup(257, 1, 1)"), ["257 invocations", "256"]),
            (self.PROGRAM.replace("@0)", "@0, workgroup big: u32[5000])").replace("{", "{ big[0] = 1;"),
             ["20000 bytes of workgroup memory", "16384"]),
            (self.PROGRAM.replace("@0)", f"@0, {buffers})"), ["9 buffers", "may have 8"]),
        ]:
            with self.subTest(parts[0]):
                self.refused([self.write(text + run), "-o", self.page], 3, "error[B003]", *parts)
        lanes = "program p(read_write out: u32 @0) workgroup(32, 1, 1) { out[0] = subgroup.size(); }\n"
        self.refused([self.write(lanes + run), "-o", self.page], 3, "error[B002]", "subgroup")


if __name__ == "__main__":
    unittest.main()
