"""Operations in text before the tools of evidence: `vyre-conform prove FILE`, `laws FILE`, `certify --file FILE`, and
the witnesses that `vyre check` runs.

Oracle: docs/proofs.md, "Operations in text"; counterexamples and witnesses worked out by hand, beside each.
"""
import json
import os
import pathlib
import re
import unittest

import conform
from conform import BIN, FolderTest

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "examples" / "operations.vyre"
FALSE = HERE / "false_claims.vyre"
REWRITING = BIN / "librewriting.so"  # native, but for one text; not in sanitizer builds


def run(program, *arguments, **environment):
    return conform.run(*arguments, program=program, env={**os.environ, **environment})


class FileTest(FolderTest):
    def write(self, text, name="ops.vyre"):
        path = self.folder / name
        path.write_text(text)
        return path

    def prove(self, text, *arguments, **environment):
        return run("vyre-conform", "prove", self.write(text), "--only", "declared", *arguments, **environment)


class Prove(FileTest):
    def test_the_example_is_proved_and_more_is_suggested(self):
        done = run("vyre-conform", "prove", EXAMPLE, "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        self.assertTrue(answer["good"])
        self.assertEqual(answer["counts"]["refuted"], 0)
        self.assertEqual(answer["counts"]["open"], 0)
        self.assertEqual(answer["counts"]["exhausted"], 0, "a solver proves every claim of the example")
        written = re.findall(r"^operation ", EXAMPLE.read_text(), re.M)
        self.assertEqual(len(answer["coverage"]["operations"]), len(written))
        equalities = {f["operation"]: f["grade"] for f in answer["findings"] if f["declared"] == "equality"}
        self.assertEqual(equalities, {"my.avg_floor.alternative@1": "proved", "my.ungray.alternative@1": "proved"})
        rows = answer["coverage"]["total"]["rows"]
        self.assertEqual(rows["hit"], rows["declared"])
        # a < a is false, which no claim says.
        claimed = {(f["operation"].removesuffix("@1"), f["statement"]) for f in answer["findings"]}
        suggested = {(s["function"], s["law"]) for s in answer["suggestions"]}
        self.assertIn(("my.less", "SelfInverse(0)"), suggested)
        self.assertFalse(suggested & claimed)

    def test_false_claims_come_with_the_smallest_counterexample(self):
        done = run("vyre-conform", "prove", FALSE, "--only", "declared", "--json")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        wrong = {(f["operation"], f["statement"]): (f["witness"], f["smallest"], f["line"])
                 for f in answer["findings"] if not f["good"]}
        self.assertEqual(wrong, {("my.avg_floor@1", "Associative"): ([0, 0, 2], True, 11),
                                 ("my.half_up@1", "Monotone"): ([1, 0xffffffff], True, 19)})
        shown = run("vyre-conform", "prove", FALSE, "--only", "declared")
        self.assertEqual(shown.returncode, 1)
        self.assertIn("false_claims.vyre:11:35: my.avg_floor@1: Associative: refuted(a=0, b=0, c=2; smallest)", shown.stdout)

    def test_wide_values_are_proved_and_refuted_at_full_width(self):
        # f(a, b) = a * 2^63 + b: f(1, 0) is 2^63 and f(0, 1) is 1; with operands of at most 1 the first pair that is
        # not commutative is (0, 1).
        done = self.prove("operation my.f(a: u64, b: u64) -> u64 claims LeftIdentity(0), Commutative"
                          " { return (a << 63) + b; }\n"
                          "operation my.top(a: u128) -> u128 claims Involution"
                          " rows (0u128) => 0x80000000000000000000000000000000u128"
                          " { return a ^ 0x80000000000000000000000000000000u128; }\n", "--json")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        found = {f["statement"]: f for f in json.loads(done.stdout)["findings"]}
        self.assertEqual(found["LeftIdentity(0)"]["grade"], "proved")
        self.assertEqual(found["Involution"]["grade"], "proved")
        self.assertEqual(found["Commutative"]["witness"], [0, 1])

    def test_constants_wider_than_a_word(self):
        # Every value is at most 2^40, and only 2^40 - 1 would be too little: f(a) = min(a, 2^40).
        text = ("operation my.cap(a: u64) -> u64 claims Bounded(0, {}) "
                "{{ return select(a < 0x10000000000u64, a, 0x10000000000u64); }}\n")
        self.assertEqual(self.prove(text.format("0x10000000000")).returncode, 0)
        done = self.prove(text.format("0xffffffffff"), "--json")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        finding, = json.loads(done.stdout)["findings"]
        self.assertEqual(finding["witness"], ["0x10000000000"])

    def test_what_has_no_formula_is_run_and_says_so(self):
        # Another sign twice is none; vec2u32(1, 0) becomes vec2u32(1, 1), and stays that.
        done = self.prove("operation my.neg(a: f16) -> f16 claims Involution"
                          " { return bitcast<f16>(bitcast<u32>(a) ^ 0x8000); }\n"
                          "operation my.swap(a: vec2u32) -> vec2u32 claims Involution { return vec2u32(a.y, a.x); }\n"
                          "operation my.same(a: vec2u32) -> vec2u32 claims Involution { return vec2u32(a.x, a.x); }\n")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?s)my\.neg@1\n  Involution +spec +exhausted\(")
        self.assertRegex(done.stdout, r"(?s)my\.swap@1\n  Involution +spec +witnessed\(")
        self.assertRegex(done.stdout, r"(?s)my\.same@1\n  Involution +spec +refuted\(a=vec2u32\(1, 0\); as found\)")

    def test_witnesses_rows_and_alternatives(self):
        # 1 + 1 is no 1, and 0 + 0 is 0, so (0) refutes nothing. 2 * 2 is 4.
        done = self.prove("operation my.sum(a: u32, b: u32) -> u32 claims Commutative denies Idempotent by (0)"
                          " rows (2, 2) => 5, (2, 2) => 4 { return a + b; }\n"
                          "operation my.sum.alternative(a: u32, b: u32) -> u32 { return a | b; }\n")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("it holds at the witness a=0; refuted(a=1; smallest) is one that refutes it", done.stdout)
        self.assertRegex(done.stdout, r"\n  not Idempotent +spec +not refuted by its witness +")
        self.assertRegex(done.stdout, r"\n4 declared: 1 proved, .*; 2 refuted, 0 open, 1 denied and not refuted\n")
        self.assertIn("the row says 5, and the operation gives 4", done.stdout)
        # 0 | 0 is 0 + 0, 0 | 1 is 0 + 1, and 1 | 1 is not 1 + 1.
        self.assertIn("equals my.sum: refuted(a=1, b=1; smallest)", done.stdout)
        self.assertRegex(done.stdout, r"my\.sum@1\n(  .*\n)*  coverage: laws 1/2, rows 1/2")

    def test_without_a_solver_claims_are_run(self):
        done = self.prove("operation my.sum(a: u32, b: u32) -> u32 claims Commutative { return a + b; }", VYRE_Z3="",
                          VYRE_CVC5="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"Commutative +spec +exhausted\(u8\^2\) exhausted\(edge256\^2\) witnessed\(1000000, seed 1\)")

    def test_what_is_no_file_of_operations_is_refused(self):
        self.assertEqual(run("vyre-conform", "prove", self.folder / "none.vyre").returncode, 2)
        done = run("vyre-conform", "prove", HERE.parent.parent / "examples" / "xor.vyre")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[C004]", done.stderr)
        self.assertEqual(run("vyre-conform", "prove", FALSE, "--only", "lowering").returncode, 2)
        broken = self.prove("operation my.f(a: u32) -> u32 claims Commutative { return a; }")
        self.assertEqual(broken.returncode, 1)
        self.assertIn("error[V048]", broken.stderr)


class Laws(FileTest):
    def test_laws_of_a_file(self):
        done = run("vyre-conform", "laws", FALSE)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"my\.avg_floor@1\n  Commutative +verified +proved\(z3 ")
        self.assertRegex(done.stdout, r"  Associative +refuted +refuted\(a=0, b=0, c=2; smallest\)")
        self.assertRegex(done.stdout, r"  not Identity\(0\) +refuted +refuted\(a=2\)")
        self.assertTrue(done.stdout.endswith("\n6 laws: 3 verified, 2 refuted, 1 refuted as denied\n"), done.stdout)


    def test_floats_are_not_asked_of_a_solver(self):
        path = self.write("operation my.neg(a: f16) -> f16 claims Involution denies Projection by (1.0f16)"
                          " { return bitcast<f16>(bitcast<u32>(a) ^ 0x8000); }\n")
        done = run("vyre-conform", "laws", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("(my.neg has values of f16, which are not encoded for the solver)", done.stdout)
        self.assertTrue(done.stdout.endswith("\n2 laws: 1 verified, 1 refuted as denied\n"), done.stdout)


class Check(FileTest):
    def test_a_witness_that_refutes_nothing_is_an_error_where_it_stands(self):
        # 0 + 0 is 0, so (0) is no counterexample to Idempotent; 2^64 - 1 is one, since twice that is 2^64 - 2.
        path = self.write("operation my.sum(a: u64, b: u64) -> u64\n"
                          "  denies Idempotent by (0xffffffffffffffffu64),\n"
                          "    Idempotent by (0u64)\n"
                          "  rows (1u64, 2u64) => 4u64\n"
                          "{ return a + b; }\n")
        done = run("vyre", "check", path)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(":3:19: error[V051]", done.stderr)
        self.assertIn("Idempotent holds at this witness: a=0u64", done.stderr)
        self.assertIn(":4:8: error[V050]", done.stderr)
        self.assertNotIn(":2:", done.stderr)
        self.assertEqual(run("vyre", "check", EXAMPLE).returncode, 0)

    def test_a_law_may_name_what_nothing_calls(self):
        # max(0, gcd(0, 1)) = max(0, 1) = 1, and not 0.
        path = self.write("operation my.max(a: u32, b: u32) -> u32 denies LatticeAbsorption(primitive.math.gcd) by (0, 1) "
                          "{ return select(a < b, b, a); }")
        done = run("vyre", "check", path)
        self.assertEqual(done.returncode, 0, done.stderr)


class Certify(FileTest):
    def test_a_right_backend_and_options_of_the_library(self):
        path = self.write("operation my.avg(a: u32, b: u32) -> u32 claims Commutative denies Associative by (0, 0, 2)"
                          " rows (3, 6) => 4 { return (a & b) + ((a ^ b) >> 1); }\n"
                          "operation my.avg.alternative(a: u32, b: u32) -> u32"
                          " { return cast<u32>((cast<u64>(a) + cast<u64>(b)) >> 1); }\n"
                          "operation my.wide(a: u64) -> u64 claims Involution { return ~a; }\n")
        done = run("vyre-conform", "certify", "--file", path, "--backend", "native", "--strength", "quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "level: file=L2(3 of 3)")
        self.assertRegex(done.stdout, r"my\.avg@1 +rows +1/1 .* laws +1/1  denied +1/1  L2")
        self.assertEqual(run("vyre-conform", "certify", "--file", path, "--ops", "*").returncode, 2)
        self.assertEqual(run("vyre-conform", "certify", "--file", path, "--backend", "reference").returncode, 2)

    def test_a_file_that_contradicts_itself_certifies_nothing(self):
        path = self.write("operation my.sum(a: u32, b: u32) -> u32 rows (1, 1) => 3 { return a + b; }")
        done = run("vyre-conform", "certify", "--file", path, "--strength", "quick")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[V050]", done.stderr)
        self.assertNotIn("level:", done.stdout)

    @unittest.skipUnless(REWRITING.exists(), "plugins are not in sanitizer builds")
    def test_a_wrong_backend(self):
        """In a process of its own, with `|` in the place of `^`."""
        path = self.write("operation my.avg(a: u32, b: u32) -> u32 claims Commutative, Idempotent"
                          " rows (6, 3) => 4 { return (a & b) + ((a ^ b) >> 1); }\n"
                          "operation my.zero(a: u32) -> u32 { return (a ^ a) & 0; }\n")
        kept = self.folder / "kept"
        wrong = f"{REWRITING}? ^ => | "
        for fresh, known in [(r"[1-9]\d*", "0"), ("0", r"[1-9]\d*")]:
            done = run("vyre-conform", "certify", "--file", path, "--backend", wrong, "--strength", "quick", "--regressions", kept)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertRegex(done.stdout, rf"regressions: {fresh} new in .*kept, {known} known")
            self.assertRegex(done.stdout, r"my\.avg@1 .* WRONG\n  wrong value: \(")
            # (6 & 3) + ((6 | 3) >> 1) = 2 + 3.
            self.assertIn("(6, 3): expected 4, got 5", done.stdout)
            self.assertEqual(done.stdout.count("(2, 2): expected 2, got 3"), 1, "the smallest, which many came down to")
            # (a & a) + ((a | a) >> 1) is not a, as for 2: 2 + 1. Commutative it is.
            self.assertRegex(done.stdout, r"my\.avg@1 .* laws +1/2  denied +0/0  WRONG\n")
            self.assertRegex(done.stdout, r"my\.zero@1 .* L2\n")
            self.assertEqual(done.stdout.splitlines()[-1], "level: file=none")
        # Each case runs without the file: nothing of it is called.
        cases = sorted(kept.iterdir())
        self.assertGreater(len(cases), 0)
        for case in cases:
            self.assertNotIn("my.avg", case.read_text().split("\nprogram ")[1])
            self.assertEqual(run("vyre-conform", "replay", case, "--backend", wrong).returncode, 1)
            self.assertEqual(run("vyre-conform", "replay", case, "--backend", "native").returncode, 0)

    @unittest.skipUnless(REWRITING.exists(), "plugins are not in sanitizer builds")
    def test_what_is_refused_or_has_no_program_leaves_a_directory_that_can_be_read(self):
        """The plugin compiles no program without the text. A false claim is the file's, and leaves no case of the backend: of
        64 bits, a + 2 is not a; of an alternative, f(f(0, 0), 2) = 1 where f(0, f(0, 2)) = 0."""
        refused = self.write("operation my.same(a: u32) -> u32 { return a + 1; }\n", "refused.vyre")
        wide = self.write("operation my.next(a: u64) -> u64 claims Involution { return a + 1u64; }\n", "wide.vyre")
        other = self.write("operation my.avg(a: u32, b: u32) -> u32 { return (a & b) + ((a ^ b) >> 1); }\n"
                           "operation my.avg.alternative(a: u32, b: u32) -> u32 claims Associative"
                           " { return cast<u32>((cast<u64>(a) + cast<u64>(b)) >> 1); }\n", "other.vyre")
        for path, backend, said in [(refused, f"{REWRITING}? ^ => | ", "compile: there is no program in this file"), (wide, "native", "1. false claim, my.next@1"),
                                    (other, "native", "1. false claim, my.avg.alternative@1")]:
            kept = self.folder / path.stem
            for _ in range(2):
                done = run("vyre-conform", "certify", "--file", path, "--backend", backend, "--strength", "quick",
                           "--regressions", kept)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(said, done.stdout)
                self.assertRegex(done.stdout.splitlines()[-1], "^level: file=")
            self.assertEqual(bool(kept.exists() and list(kept.iterdir())), path == refused)

    def test_constants_that_are_chosen(self):
        path = self.write("const K = 1 in {1, 2};\noperation my.add(a: u32) -> u32 rows (5) => 7 { return a + K; }\n")
        codes = [run("vyre-conform", "certify", "--file", path, "--const", f"K={k}", "--strength", "quick").returncode
                 for k in (1, 2)]
        self.assertEqual(codes, [1, 0])

    def test_a_false_claim_is_no_level(self):
        done = run("vyre-conform", "certify", "--file", FALSE, "--strength", "quick")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"false claim: \(0, 0, 2\) \(Associative, ")
        self.assertRegex(done.stdout, r"(?m)^1\. false claim, my\.\S+@1: 1 failure:$")
        self.assertIn("the backend is not", done.stdout)
        self.assertNotIn("vyre-conform replay", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "level: file=L1(2 of 2)")


if __name__ == "__main__":
    unittest.main()
