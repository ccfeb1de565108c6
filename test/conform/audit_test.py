"""verify --audit, and the run report beside a certificate.

Oracle: certificates that were made up are made here, from a real one, with digests, roots and counts that fit one another
(by tools/verify_certificate.py, which has none of vyre's code): nothing but running leaves again can find them. The odds
are those of drawing without replacement, counted by `math.comb`.
"""
import base64
import json
import math
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import operation_files
from conform import ConformTest, run
import verifiers_test as verifiers
import verify_certificate as second

SELECTION = "*.neg*"


class Audit(ConformTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.class_folder()
        cls.real = cls.folder / "real.json"
        # Two families stand for all, one of them without digests: every leaf of the certificate is run again here, some many times.
        done = run("certify", "--ops", SELECTION, "--families", "ir.*ps", "--strength", "quick", "--out", cls.real)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        payload = base64.b64decode(json.loads(cls.real.read_text())["payload"])
        cls.predicate = verifiers.plain(json.loads(payload))

    def leaves(self):
        return [(v, leaf) for v in self.predicate["verdicts"] for leaf in v["leaves"]]

    def made_up(self, name, change):
        predicate = verifiers.copied(self.predicate)
        change(predicate)
        path = self.folder / name
        path.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(predicate, derived=True)).encode()))
        self.assertEqual(run("verify", path).returncode, 0, "nothing but an audit is to find it")
        return path

    def audit(self, path, count, *more):
        return run("verify", path, "--audit", count, *more)

    def test_a_true_one_agrees(self):
        done = self.audit(self.real, 4)
        known = sum("digest" in leaf for _, leaf in self.leaves())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"audit: 4 of {known} leaves run again, 4 agree", done.stdout)
        self.assertIn(f"{len(self.leaves()) - known} leaves have no digest", done.stdout)

    def test_what_was_made_up_is_found(self):
        def change(predicate):
            for verdict in [v for v in predicate["verdicts"] if v["kind"] == "operation"][:2]:
                verdict["leaves"][1]["digest"] = "0" * 32
        done = self.audit(self.made_up("both.json", change), 10**6)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(re.findall(r"^DIFFERS .*, cpu reference function, .*, leaf 0$", done.stdout, re.M)), 2, done.stdout)
        self.assertIn("digest 00000000000000000000000000000000", done.stdout)
        self.assertIn("error[C002]", done.stderr)

    def test_cases_that_no_plan_has_need_no_audit(self):
        more = verifiers.copied(self.predicate)
        verdict = next(v for v in more["verdicts"] if v["kind"] == "operation")
        for holder in (verdict["leaves"][1], verdict["parity"][1]):
            holder["cases"] |= {"planned": "1000000", "completed": "1000000"}
        path = self.folder / "more.json"
        path.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(more, derived=True)).encode()))
        done = run("verify", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the cases are not those that", done.stderr)

    def test_the_nonce_chooses(self):
        line = r"audit: 3 of (\d+) leaves run again, 3 agree; nonce (\d+)"
        first, again, other = (re.search(line, self.audit(self.real, 3, *more).stdout) for more in (("--nonce", "7"), ("--nonce", "7"), ()))
        self.assertEqual(first[0], again[0])
        self.assertNotEqual(first[2], other[2])
        # Where half of all leaves were made up, one that is drawn is one of them or is not.
        def change(predicate):
            leaves = [leaf for verdict in predicate["verdicts"] for leaf in verdict["leaves"] if "digest" in leaf]
            for leaf in leaves[::2]:
                leaf["digest"] = "1" * 32
        path, found = self.made_up("nonces.json", change), set()
        for nonce in range(40):
            found.add(self.audit(path, 1, "--nonce", nonce).returncode)
            if found == {0, 1}:
                break
        self.assertEqual(found, {0, 1})

    def test_the_odds_are_those_of_drawing_without_replacement(self):
        done = self.audit(self.real, 5, "--nonce", "1").stdout
        population = int(re.search(r"audit: 5 of (\d+) leaves", done)[1])
        odds = [float(text) for text in re.findall(r"([0-9.e+]+) %", done.split("a forger of one leaf")[1])]
        for made_up, said in zip((1, math.ceil(population / 100), math.ceil(population / 10)), odds, strict=True):
            caught = 1 - math.comb(population - made_up, 5) / math.comb(population, 5)
            self.assertAlmostEqual(said, 100 * caught, delta=0.01 * said)

    def test_bad_input(self):
        for arguments, code, message in [(("--audit", "0"), 2, "--audit"), (("--nonce", "1"), 2, "requires --audit"),
                                         (("--audit", "1", "--backend", "nobody"), 3, "nobody")]:
            done = run("verify", self.real, *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
        foreign = verifiers.copied(self.predicate)
        for verdict in foreign["verdicts"]:
            verdict["entry"] = "0" * 32
        foreign["registry"]["digest"] = "0" * 64
        path = self.folder / "foreign.json"
        path.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(foreign, derived=True)).encode()))
        done = self.audit(path, 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no leaf that this build could run again", done.stderr)

    def test_approximate_sums(self):
        """One run and three shards give one certificate; both verifiers hold its errors to its cases; audits run it again."""
        asked = ("--track", "approximate", "--ops", "float.f16.exp2_approx", "--strength", "quick")
        whole, merged = self.folder / "whole.json", self.folder / "merged.json"
        done = run("certify", *asked, "--require", "L1a", "--out", whole)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"ir\.sums +64 +[0-9]+  0: [0-9,]+, 1: ")
        self.assertIn("ir.sums: in ULP of the sum of magnitudes, rounded up", done.stdout)
        states = [self.folder / f"sums{k}" for k in range(3)]
        for k, state in enumerate(states):
            done = run("certify", *asked, "--shard", f"{k}/3", "--state", state)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run("merge", *states, "--out", merged)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(whole.read_bytes(), merged.read_bytes())
        done = self.audit(whole, 100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("have no digest", done.stdout)
        predicate, _ = second.check(whole.read_bytes())
        sums = predicate["verdicts"][-1]
        self.assertEqual((sums["subject"], sums["track"]), ("ir.sums", "approximate"))
        self.assertEqual(len(sums["deviations"]["counts"]), 65)
        self.assertGreater(sum(map(int, sums["deviations"]["counts"])), int(sums["parity"][0]["cases"]["completed"]))
        # Fewer sums than cases; no family at all; a right sum that is farther than the farthest.
        def few(verdicts):
            verdicts[-1]["deviations"] |= {"counts": ["1"] + ["0"] * 64, "greatest": "0"}
        def none(verdicts):
            verdicts.pop()
        def far(verdicts):
            verdicts[-1]["deviations"]["greatest"] = "0"
        for change, why in [(few, "errors of 1 cases are reported"), (none, "there is no verdict on ir.sums"),
                            (far, "the greatest error is not that of the counts")]:
            changed = verifiers.copied(predicate)
            change(changed["verdicts"])
            path = self.folder / "changed.json"
            path.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(changed, derived=True)).encode()))
            done = run("verify", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
            if change is none:  # which families there are it counts
                self.assertEqual(second.check(path.read_bytes())[0]["levels"]["approximate"], "none")
                continue
            with self.assertRaises(second.Refused):
                second.check(path.read_bytes())

    def test_promises_have_leaves(self):
        """Each promise of an engine has a leaf, whose cases an audit runs again, and a case of the JUnit report; certificates of
        before these leaves verify."""
        path, changed, report = (self.folder / name for name in ("engines.json", "engines-changed.json", "engines.xml"))
        done = run("certify", "--ops", "engine.dataflow", "--families", "none", "--strength", "quick", "--out", path, "--junit", report)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        predicate, _ = second.check(path.read_bytes())
        (verdict,) = predicate["verdicts"]
        self.assertEqual([case.get("name") for case in xml.etree.ElementTree.parse(report).getroot()],
                         ["engine.dataflow@1", *(f"engine.dataflow@1: {one['invariant']}" for one in verdict["invariants"])])
        leaves = [leaf for leaf in verdict["leaves"] if leaf["oracle"] == "property"]
        self.assertEqual([(leaf["generator"], leaf["slice"]) for leaf in leaves],
                         [(one["invariant"], str(k)) for k, one in enumerate(verdict["invariants"])])
        self.assertTrue(all("digest" in leaf for leaf in leaves))
        done = self.audit(path, 1000)
        self.assertIn(f"{len(verdict['leaves'])} of {len(verdict['leaves'])} leaves run again, {len(verdict['leaves'])} agree", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

        def with_leaves(change):
            other = verifiers.copied(predicate)
            change(other["verdicts"][0]["leaves"])
            changed.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(other, derived=True)).encode()))
            return run("verify", changed)
        def made_up(mine):
            mine[-2]["digest"] = "0" * 32
        def fewer(mine):
            mine[-1]["cases"] |= {"planned": "7", "completed": "7"}
        def before(mine):
            mine[:] = [leaf for leaf in mine if leaf["oracle"] != "property"]
        self.assertEqual(with_leaves(made_up).returncode, 0)
        done = self.audit(changed, 1000)
        self.assertEqual(re.findall(r"^DIFFERS (.*)$", done.stdout, re.M),
                         [f"engine.dataflow@1 (integer), property, {leaves[-2]['generator']}, leaf {leaves[-2]['slice']}"])
        done = with_leaves(fewer)
        self.assertIn("the leaves of the property have 47 of 48 cases", done.stderr)
        with self.assertRaises(second.Refused):
            second.check(changed.read_bytes())
        self.assertEqual(with_leaves(before).returncode, 0)
        second.check(changed.read_bytes())
        self.assertEqual(self.audit(changed, 1000).returncode, 0)

    def test_strict_and_approximate_do_not_meet(self):
        for track, pattern, other in [("strict", "float.f32.exp_approx", "approximate"), ("approximate", "float.f32.exp", "strict")]:
            done = run("certify", "--track", track, "--ops", pattern, "--out", self.folder / "other.json")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f'error[C004]: "{pattern}" matches no {track} operation', done.stderr)
            self.assertIn(f"--track {other}", done.stderr)
            self.assertFalse((self.folder / "other.json").exists())
        approximate = self.folder / "approximate.json"
        done = run("certify", "--track", "approximate", "--ops", "float.*.exp2_approx", "--strength", "quick",
                             "--require", "L1a", "--out", approximate)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        line = f"approximate=L1a(3 of {operation_files.APPROXIMATE})"
        self.assertEqual(done.stdout.splitlines()[-1], f"level: {line}")
        self.assertIn("errors in ULP", done.stdout)
        done = run("verify", approximate)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, f"level: {line}"), done.stderr)
        predicate, _ = second.check(approximate.read_bytes())
        self.assertEqual(predicate["levels"], {"approximate": "L1a", "line": line})
        self.assertEqual([v["deviations"]["bound"] for v in predicate["verdicts"]], [1, 1, 4, 64])
        self.assertEqual((predicate["registry"]["approximate_operations"], predicate["registry"]["approximate_families"]),
                         (operation_files.APPROXIMATE, operation_files.families("Approximate")))
        mixed = verifiers.copied(predicate)
        mixed["verdicts"].append(verifiers.copied(self.predicate)["verdicts"][0])
        path = self.folder / "mixed.json"
        path.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(mixed, derived=True)).encode()))
        done = run("verify", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("strict and approximate verdicts never share a certificate", done.stderr)
        with self.assertRaises(second.Refused):
            second.check(path.read_bytes())
        done = run("certify", "--track", "approximate", "--ops", "float.*.exp2_approx", "--require", "L1f")
        self.assertEqual(done.returncode, 2)
        mixed = verifiers.copied(self.predicate) | {"track": "approximate"}
        path = self.folder / "mixed.json"
        path.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(mixed, derived=True)).encode()))
        done = run("verify", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn('"track" does not follow', done.stderr)

    def test_a_new_operation_voids_no_other(self):
        """As if the certificate were of a registry with one more operation: its entries are those of this build."""
        newer = verifiers.copied(self.predicate)
        newer["registry"] |= {"digest": "0" * 64, "operations": newer["registry"]["operations"] + 1}
        path = self.folder / "newer.json"
        path.write_bytes(verifiers.enclosed(second.canonical(verifiers.repaired(newer, derived=True)).encode()))
        done = self.audit(path, 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        count = len(newer["verdicts"])
        self.assertIn(f"{count} of its {count} subjects are the same in both", done.stdout)

    def test_the_run_report_has_what_the_certificate_has_not(self):
        report = json.loads((self.folder / "real.report.json").read_text())
        self.assertEqual(report["certificate"], self.predicate["digest"])
        self.assertEqual([s["subject"] for s in report["subjects"]], [v["subject"] for v in self.predicate["verdicts"]])
        for member in ("host", "ended", "seconds", "units"):
            self.assertIn(member, report)
            self.assertNotIn(member, self.predicate)
        self.assertTrue(all(s["seconds"] > 0 and s["cases_a_second"] > 0 for s in report["subjects"]))


if __name__ == "__main__":
    sys.exit(unittest.main())
