"""`vyre-conform prove` and `laws`: the table, the JSON, exit codes, and what a missing solver does.

Oracle: the documented command lines, docs/proofs.md.
"""
import json
import os
import re
import unittest

import conform


def run(*arguments, **environment):
    return conform.run(*arguments, env={**os.environ, **environment})


class Prove(unittest.TestCase):
    def test_table(self):
        done = run("prove", "primitive.math.add_sat", "--only", "declared")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertIn("primitive.math.add_sat@1\n", done.stdout)
        self.assertRegex(done.stdout, r"composition = definition +composition +proved\(z3 [^)]+\) +\d+\.\d\d s")
        self.assertRegex(done.stdout, r"Associative +spec +proved\(z3 ")
        self.assertRegex(done.stdout, r"not Idempotent +spec +refuted\(a=")
        self.assertRegex(done.stdout, r"0 exhausted, \d+ denied and refuted; 0 refuted, 0 open")
        self.assertRegex(done.stdout, r"coverage: laws (\d+)/\1, rows (\d+)/\2, classes (\d+)/\3, boundaries (\d+)/\4; "
                                      r"overall 100\.0 %")
        self.assertRegex(done.stdout.splitlines()[-1], r"^z3 \d")

    def test_json(self):
        done = run("prove", "primitive.bitwise.rotl", "--only", "declared", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["format"], 1)
        self.assertTrue(answer["good"])
        self.assertEqual(answer["counts"]["open"], 0)
        equality = [f for f in answer["findings"] if f["declared"] == "equality"]
        self.assertEqual([f["grade"] for f in equality], ["proved"])
        self.assertRegex(equality[0]["digest"], r"^[0-9a-f]{64}$")
        self.assertEqual(equality[0]["subject"], "composition")
        self.assertEqual(answer["coverage"]["total"]["rows"]["hit"], answer["coverage"]["total"]["rows"]["declared"])
        again = json.loads(run("prove", "primitive.bitwise.rotl", "--only", "declared", "--json").stdout)
        self.assertEqual([f.get("digest") for f in answer["findings"]], [f.get("digest") for f in again["findings"]])

    def test_loops_are_derived_and_listed(self):
        done = run("prove", "primitive.math.gcd", "--only", "declared")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"derived +primitive\.math\.gcd: .*Commutative")

    def test_lowering_is_proved_for_every_target(self):
        done = run("prove", "shl", "--only", "lowering")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for subject in ("legalize(llvm)", "legalize(ptx)", "legalize(words)", "emitted(llvm)", "emitted(ptx)",
                        "emitted(spirv)", "raw(llvm)", "raw(spirv)"):
            row = re.search(rf"^{re.escape(subject)} +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) ", done.stdout, re.MULTILINE)
            self.assertIsNotNone(row, subject + done.stdout)
            claims, proved, derived, refuted, still_open = map(int, row.groups())
            self.assertEqual((proved + derived, refuted, still_open), (claims, 0, 0), subject)
            self.assertGreater(claims, 0)

    def test_lowering_without_a_solver_is_open_and_says_so(self):
        done = run("prove", "bit_not", "--only", "lowering", VYRE_Z3="", VYRE_CVC5="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"open: emitted\(llvm\) of bit_not u32: no solver")

    def test_the_cross_product_of_one_function(self):
        done = run("prove", "primitive.math.abs_diff", "--only", "product", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        self.assertTrue(answer["good"])
        self.assertEqual(set(answer), {"format", "good", "product"})
        self.assertEqual(answer["product"]["wrong"], [])
        part, = answer["product"]["parts"]
        self.assertEqual(part["name"], "primitives")
        self.assertEqual(part["functions"], 1)
        self.assertGreater(part["refuted"], part["proved"])
        self.assertGreater(part["proved"], 0)

    def test_what_takes_minutes_is_asked_by_name(self):
        """By itself what is declared and what is lowered; the other parts with --only, several with commas."""
        done = run("prove", "primitive.bitwise.not", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual({part for part in ("findings", "theorems", "lowering", "product", "collisions") if part in answer},
                         {"findings", "lowering"})
        done = run("prove", "primitive.bitwise.not")
        self.assertEqual(done.stdout.splitlines()[-1], "not asked: --only theorems,product,collisions asks the rest")
        answer = json.loads(run("prove", "primitive.bitwise.not", "--only", "declared,product", "--json").stdout)
        self.assertEqual({part for part in ("findings", "theorems", "lowering", "product", "collisions") if part in answer},
                         {"findings", "product"})

    def test_theorems_and_collisions(self):
        done = run("prove", "--only", "theorems", "--only", "collisions")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"composition theorems: (\d+) of \1 proved, (\d+) of \2 that look alike refuted")
        self.assertNotIn("NOTHING DECLARED TELLS THEM APART", done.stdout)

    def test_operators_are_known_by_name_and_nonsense_is_not(self):
        unknown = run("prove", "bit_nott")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("did you mean `bit_not`?", unknown.stderr)
        wrong = run("prove", "--only", "everything")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--only", wrong.stderr)

    def test_a_missing_solver_lowers_grades_and_says_so(self):
        done = run("prove", "primitive.math.sub", "--only", "declared", VYRE_Z3="", VYRE_CVC5="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no solver", done.stdout.splitlines()[-1])
        self.assertIn(" 0 proved", done.stdout)
        self.assertRegex(done.stdout, r"SelfInverse\(0\) +spec +exhausted\(u8\)")
        other = run("prove", "primitive.math.sub", "--only", "declared", VYRE_Z3="", VYRE_CVC5="/nowhere/cvc5")
        self.assertEqual(other.returncode, 0, other.stdout + other.stderr)
        self.assertIn("no solver", other.stdout.splitlines()[-1])

    def test_unknown_names_suggest_the_nearest(self):
        done = run("prove", "primitive.bitwise.rotll")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[C004]", done.stderr)
        self.assertIn("did you mean `primitive.bitwise.rotl`?", done.stderr)
        self.assertEqual(run("prove", "--no-such-flag").returncode, 2)

    def test_floats_have_no_formula(self):
        done = run("prove", "float.f32.add", "--only", "declared")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("operations on floats, which have no formula: 1;", done.stdout)
        self.assertIn("laws n/a, rows n/a, classes n/a, boundaries n/a; overall n/a", done.stdout)

    def test_help_has_an_example(self):
        self.assertIn("Example:\n  vyre-conform prove", run("prove", "--help").stdout)

    def test_laws_show_the_best_grade_first(self):
        done = run("laws", "primitive.math.sub")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"SelfInverse\(0\) +verified +proved\(z3 [^)]*\) exhausted\(u8\)")
        without = run("laws", "primitive.math.sub", VYRE_Z3="", VYRE_CVC5="")
        self.assertRegex(without.stdout, r"SelfInverse\(0\) +verified +exhausted\(u8\)")


if __name__ == "__main__":
    unittest.main()
