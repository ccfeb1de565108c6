"""`vyre-conform prove --only lowering` of everything: what is proved, and that nothing is open but what is known to be.

Oracle: the ledger of operators, the list of primitives of `vyre ops`, docs/proofs.md on what solvers cannot do.
"""
import json
import os
import pathlib
import re
import subprocess
import unittest

BIN = pathlib.Path(os.environ["VYRE_BIN"])
LOOPS = {"primitive.math.gcd", "primitive.math.lcm"}
TARGETS = ("llvm", "ptx", "spirv")
LEDGER = (pathlib.Path(__file__).resolve().parents[2] / "src/spec/ops.def").read_text()
OPERATORS = re.findall(r'^VYRE_OP\(\w+, +\w+, +"(\w+)", +(?:T_T|TT_T|TU_T|T_U|TT_U|T_B), +kIntegers\b', LEDGER, re.M)


class Lowering(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([BIN / "vyre-conform", "prove", "--only", "lowering", "--json"], capture_output=True, text=True, timeout=3500)
        cls.status, cls.answer = done.returncode, json.loads(done.stdout)

    def test_nothing_is_refuted(self):
        self.assertEqual(self.status, 0)
        self.assertTrue(self.answer["good"])
        self.assertNotIn("refuted", {p["outcome"] for p in self.answer["lowering"]})

    def test_lowering_is_open_at_128_bits_and_for_loops_alone(self):
        for one in self.answer["lowering"]:
            known = one["operation"].endswith(" u128") or one["operation"] in LOOPS
            allowed = ("proved", "open") if known else ("proved",)
            self.assertIn(one["outcome"], allowed, one)

    def test_rules_are_proved_at_32_and_64_bits(self):
        proved = {(p["subject"], p["operation"]) for p in self.answer["lowering"] if p["outcome"] == "proved"}
        for target in ("llvm", "ptx", "words"):
            for operator in ("add", "sub", "mul", "div", "mod", "shl", "shr", "lt", "eq", "popcount", "clz"):
                for width in ("u32", "i32", "u64"):
                    self.assertIn((f"legalize({target})", f"{operator} {width}"), proved)

    def test_emitted_code_of_all_primitives_without_loops_is_proved(self):
        listed = subprocess.run([BIN / "vyre", "ops", "--json"], capture_output=True, text=True, timeout=60, check=True)
        operations = json.loads(listed.stdout)
        operations = operations["operations"] if isinstance(operations, dict) else operations
        primitives = {o["id"] for o in operations if o["id"].startswith("primitive.")} - LOOPS
        self.assertGreater(len(primitives), 30)
        for target in TARGETS:
            proved = {p["operation"] for p in self.answer["lowering"]
                      if p["subject"] == f"emitted({target})" and p["outcome"] == "proved"}
            self.assertEqual(primitives - proved, set())
            operators = {name.split(" ")[0] for name in proved if name.endswith(" u32")}
            self.assertGreaterEqual(len(operators), len(OPERATORS))


if __name__ == "__main__":
    unittest.main()
