"""vyre-conform's verbs: what they print, what they write, and with which exit code they end.

Oracle: the documented command lines, exit codes and diagnostics; docs/certificate.md.
"""
import base64
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import envelopes
import operation_files
import verify_certificate as second
from conform import PROGRAM, FolderTest, run

LEVELS = f"integer=L2(1 of {operation_files.INTEGER_SUBJECTS}) float=L2f(3 of {operation_files.FLOAT_SUBJECTS})"  # of the one certification that Certify looks at


class Conform(FolderTest):
    def files(self):
        return sorted(p.name for p in self.folder.iterdir())


class Certify(Conform):
    @classmethod
    def setUpClass(cls):
        folder = cls.class_folder()
        cls.certificate, cls.junit = folder / "cert.json", folder / "junit.xml"
        state = ("--state", cls.certificate.with_name("state"))  # so that the second run has nothing to judge
        cls.done = run("certify", "--ops", "*.neg*", "--strength", "quick", "--seed", "7", "--require", "L2", *state,
                       "--require", "L1f", "--require", "L2f", "--out", cls.certificate, "--junit", cls.junit)
        cls.keys, cls.signed = cls.certificate.with_name("keys"), cls.certificate.with_name("signed.json")
        run("keygen", cls.keys)
        cls.signed_done = run("certify", "--ops", "*.neg*", "--strength", "quick", "--seed", "7", *state, "--out", cls.signed,
                              "--key", cls.keys / "vyre.key")

    def test_a_second_verifier_finds_the_same_level(self):
        done = subprocess.run([sys.executable, second.__file__, self.certificate], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, f"level: {LEVELS}"), done.stderr)

    def test_ends_with_the_level(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        self.assertEqual(self.done.stdout.splitlines()[-1], f"level: {LEVELS}")

    def test_says_on_stderr_without_a_terminal_how_far_it_is(self):
        for line in self.done.stderr.splitlines():
            self.assertRegex(line, r"^ *\d+ %  \d+/\d+ subjects  [\d,]+ cases  [\d.]+ M/s(  \d+ (s|min) left)?  [a-z]")

    def test_certificate_is_json_with_the_documented_parts(self):
        c = envelopes.predicate(self.certificate)
        self.assertEqual(c["format"], 5)
        self.assertEqual(c["backend"], "native")
        self.assertEqual(c["seed"], "7")
        self.assertEqual(c["strength"], "quick")
        self.assertEqual(c["registry"]["operations"], operation_files.INTEGER_SUBJECTS)
        self.assertEqual(c["registry"]["float_operations"], operation_files.FLOAT_SUBJECTS)
        self.assertEqual(len(c["registry"]["digest"]), 64)
        self.assertEqual(c["levels"], {"integer": "L2", "float": "L2f", "line": LEVELS})
        operations = [v for v in c["verdicts"] if v["kind"] == "operation"]
        self.assertEqual(sorted(v["subject"] for v in operations),
                         ["float.bf16.neg@1", "float.f16.neg@1", "float.f32.neg@1", "primitive.math.negate@1"])
        for v in operations:
            self.assertGreaterEqual(sum(int(o["cases"]["completed"]) for o in v["parity"]), 10_000)
            self.assertEqual([o["oracle"] for o in v["parity"]], ["specification table", "cpu reference function"])
            self.assertTrue(all(int(h["cases"]) > 0 for h in v["classes"]))
            claimed = {law["law"] for law in v["laws"] if law["claimed"]}
            denied = {law["law"] for law in v["laws"] if not law["claimed"]}
            self.assertIn("Involution", claimed)
            self.assertIn("Monotone", denied)
            for law in v["laws"]:
                self.assertEqual({e["subject"].split("(")[0] for e in law["evidence"]}, {"spec", "device"})
        families = c["registry"]["families"] + c["registry"]["float_families"]
        self.assertEqual(len(c["verdicts"]) - len(operations), families)

    # Those of the language; the certificate has the raw ones that they are made of.
    def test_the_report_names_the_operators_of_floats(self):
        (line,) = [line for line in self.done.stdout.splitlines() if line.startswith("floats ")]
        raw = envelopes.predicate(self.certificate)["floats"]
        self.assertIn("wide", raw)
        self.assertNotIn("wide", line)
        self.assertEqual(line, "floats " + " ".join(word for word in raw.split() if "wide" not in word and "from_" not in word
                                                    and "to_" not in word))

    def test_certificate_has_the_float_track_with_its_own_grades(self):
        c = envelopes.predicate(self.certificate)
        floats = [v for v in c["verdicts"] if v.get("track") == "float"]
        self.assertEqual([v["subject"] for v in floats if v["kind"] == "operation"],
                         ["float.bf16.neg@1", "float.f16.neg@1", "float.f32.neg@1"])
        self.assertIn("ir.reductions", [v["subject"] for v in floats])
        grades = {e["grade"] for v in floats for law in v["laws"] for e in law["evidence"]}
        self.assertIn("exhausted(e5m2)", grades)
        self.assertNotIn("exhausted(u8)", grades)

    def test_certificate_says_how_much_was_covered(self):
        c = envelopes.predicate(self.certificate)
        covered = c["coverage"]
        self.assertEqual(covered["operations"], {"covered": 4, "of": operation_files.INTEGER_SUBJECTS + operation_files.FLOAT_SUBJECTS})
        for everything in ("families", "operators", "laws", "classes", "boundaries", "shapes"):
            self.assertLessEqual(covered[everything]["covered"], covered[everything]["of"])
        for whole in ("families", "operators"):  # both tracks were selected
            self.assertEqual(covered[whole]["covered"], covered[whole]["of"])
        laws = [law for v in c["verdicts"] for law in v["laws"]]
        self.assertEqual(covered["laws"]["covered"], len(laws))
        self.assertEqual(covered["boundaries"]["covered"], sum(v["boundaries_hit"] for v in c["verdicts"]))
        self.assertIn("covered: 4 of ", self.done.stdout)

    def test_certificate_has_the_laws_of_operators(self):
        operators, = [v for v in envelopes.predicate(self.certificate)["verdicts"]
                      if v["subject"] == "ir.operators" and "track" not in v]
        for type_ in ("i32", "u64", "u128", "bool"):
            laws = [law for law in operators["laws"] if f".{type_}: " in law["law"]]
            self.assertTrue(any(law["claimed"] for law in laws))
            for law in laws:
                self.assertEqual({e["subject"].split("(")[0] for e in law["evidence"]}, {"spec", "device"})
                self.assertTrue(all(e["holds"] for e in law["evidence"]))

    def test_refuses_the_reference(self):
        for spec in ("reference", "reference:1"):
            done = self.expect(2, "certify", "--backend", spec, "--ops", "primitive.math.negate", "--strength", "quick")
            self.assertIn("compare it with itself", done.stderr)
            self.assertIn("native", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_junit_is_xml_with_a_case_a_subject(self):
        root = xml.etree.ElementTree.parse(self.junit).getroot()
        self.assertEqual(root.get("failures"), "0")
        self.assertEqual(len(root), int(root.get("tests")))

    def test_verify_agrees(self):
        done = self.expect(0, "verify", self.certificate)
        self.assertEqual(done.stdout.splitlines()[-1], f"level: {LEVELS}")
        self.assertIn("unsigned", done.stdout)
        self.assertIn("is that of this build", done.stdout)

    def test_verify_notices_an_edit(self):
        text = self.certificate.read_text()
        payload = json.loads(text)["payload"]
        statement = base64.b64decode(payload).decode()
        edited = self.folder / "edited.json"
        for old, new in [('"seed":"7"', '"seed":"8"'), (f'"line":"{LEVELS}"', '"line":"integer=L2 float=L2f"'),
                         ('"failed":"0"', '"failed":"1"')]:
            self.assertIn(old, statement)
            edited_payload = base64.b64encode(statement.replace(old, new, 1).encode()).decode()
            edited.write_text(text.replace(payload, edited_payload))
            self.assertIn("error[C002]", self.expect(1, "verify", edited).stderr)
        edited.write_text(text[:len(text) // 2])
        self.assertIn("error[C001]", self.expect(1, "verify", edited).stderr)
        edited.write_bytes(b"")
        self.assertIn("error[C001]", self.expect(1, "verify", edited).stderr)

    def test_signed_is_the_same_certificate_and_is_checked(self):
        self.assertEqual(self.signed_done.returncode, 0, self.signed_done.stdout + self.signed_done.stderr)
        one, other = (json.loads(p.read_text()) for p in (self.certificate, self.signed))
        self.assertEqual(one["payload"], other["payload"])
        self.assertEqual(one["signatures"], [])
        key_id = other["signatures"][0]["keyid"]
        self.assertIn(f"signed by {key_id[:16]}", self.signed_done.stdout)
        public, stranger = self.keys / "vyre.pub", self.folder / "stranger"
        self.expect(0, "keygen", stranger)
        done = self.expect(0, "verify", self.signed, "--pubkey", public)
        self.assertIn(f"signed by {key_id[:16]}, as --pubkey asks", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], f"level: {LEVELS}")
        self.assertIn("was not checked", self.expect(0, "verify", self.signed).stdout)
        for arguments, message in [((self.certificate, "--pubkey", public), "is unsigned"),
                                   ((self.signed, "--pubkey", stranger / "vyre.pub"), f"signed with the key {key_id}")]:
            done = self.expect(1, "verify", *arguments)
            self.assertIn("error[C002]", done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")
        # OpenSSL's own command reads the signature too.
        payload = base64.b64decode(other["payload"])
        (self.folder / "signed").write_bytes(b"DSSEv1 28 application/vnd.in-toto+json %d %b" % (len(payload), payload))
        (self.folder / "sig").write_bytes(base64.b64decode(other["signatures"][0]["sig"]))
        subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", self.folder / "signed",
                        "-sigfile", self.folder / "sig"], check=True, capture_output=True)

    def test_verify_says_when_its_output_is_lost(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "verify", self.certificate], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write", done.stderr)

    def test_replay_passes_on_a_right_backend(self):
        done = self.expect(0, "replay", "primitive.bitwise.shl@1:random:7:42", "--backend", "native")
        for word in ("input", "expected", "actual", "passes"):
            self.assertIn(word, done.stdout)


class CertifyATrack(Conform):
    def test_a_level_of_each_track_may_be_required(self):
        certificate = self.folder / "cert.json"
        done = self.expect(1, "certify", "--ops", "*.f16.neg", "--strength", "quick", "--require", "integer=L1",
                           "--require", "L2f", "--out", certificate)
        self.assertIn("C006", done.stderr)
        self.assertIn("integer", done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], f"level: integer=none float=L2f(1 of {operation_files.FLOAT_SUBJECTS})")
        c = envelopes.predicate(certificate)
        self.assertEqual(c["levels"], {"integer": "none", "float": "L2f", "line": f"integer=none float=L2f(1 of {operation_files.FLOAT_SUBJECTS})"})
        self.assertEqual(len(c["verdicts"]) - 1, c["registry"]["float_families"])  # of the other track none


class BadInput(Conform):
    def test_usage(self):
        for arguments in [(), ("nothing",), ("certify", "--track", "loose"), ("certify", "--strength", "huge"),
                          ("certify", "--seed", "-1"), ("certify", "--seed", "x"),
                          ("certify", "--seed", "99999999999999999999"), ("certify", "--nothing"), ("verify",),
                          ("replay",), ("certify", "--require", "L4"), ("certify", "--require", "none"),
                          ("certify", "--require", "L1a"), ("certify", "--require", "float=L2"),
                          ("certify", "--require", ""), ("certify", "--out", ""), ("certify", "--junit", ""),
                          ("certify", "--families", ""), ("certify", "--fail-fast", "--expect", __file__),
                          ("certify", "--out", self.folder / "none" / "c.json"), ("certify", "--out", self.folder),
                          ("verify", self.folder / "none.json"), ("verify", self.folder), ("certify", "--key", self.folder / "none.key"), ("keygen",), ("certify", "--key", __file__),
                          ("verify", __file__, "--pubkey", self.folder / "none.pub"), ("verify", __file__, "--pubkey", __file__)]:
            done = self.expect(2, *arguments)
            self.assertNotEqual(done.stdout + done.stderr, "")
        self.assertEqual(self.files(), [])

    def test_unavailable_backends(self):
        for backend in ("webgpu", "nothing", ""):
            for verb in (("certify",), ("replay", "primitive.math.add@1:random:1:1")):
                self.assertIn("error[B", self.expect(3, *verb, "--backend", backend).stderr)

    def test_no_operation_matches(self):
        self.assertIn("error[C004]", self.expect(1, "certify", "--ops", "nothing.*").stderr)
        self.assertIn("error[C004]", self.expect(1, "laws", "nothing.*").stderr)
        done = self.expect(1, "certify", "--families", "ir.barrier")
        self.assertIn("error[C004]", done.stderr)
        self.assertIn("`ir.barriers`", done.stderr)

    # Oracle: the names that there are, by hand.
    def test_says_what_was_meant(self):
        for code, meant, arguments in [(1, "`primitive.*`", ("certify", "--ops", "primitve.*")),
                                       (1, "`primitive.bitwise.rotl`", ("laws", "rotl")),
                                       (1, "`primitive.math.add@1`", ("replay", "primitive.math.add:rows:1:0")),
                                       (1, "`primitive.bitwise.*`", ("laws", "primitive.bitwse.*")),
                                       (1, "`primitive.math.add`", ("certify", "--ops", "primitive.math.ad")),
                                       (2, "`--strength`", ("certify", "--strenght", "quick")),
                                       (2, "`certify`", ("certfy",)), (3, "`native`", ("certify", "--backend", "natve"))]:
            self.assertIn(f"did you mean {meant}?", self.expect(code, *arguments).stderr)
        self.assertIn("did you mean --file saxpy.vyre?", self.expect(2, "certify", "saxpy.vyre").stderr)
        for arguments in [("nothing",), ("certify", "--frobnicate"), ("worke",)]:
            self.assertNotIn("did you mean", self.expect(2, *arguments).stderr)

    def test_malformed_tokens(self):
        for token in ("x", "a:b:c:d", "primitive.math.add@1:random:1:" + "1" * 200):
            self.assertIn("error[C003]", self.expect(1, "replay", token).stderr)

    def test_hostile_certificate(self):
        path = self.folder / "deep.json"
        path.write_text('{"format": 1, "verdicts": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}")
        self.assertIn("error[C001]", self.expect(1, "verify", path).stderr)


class Interrupted(Conform):
    def test_leaves_no_certificate(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, "certify", "--out", self.folder / "c.json", "--junit", self.folder / "j.xml"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(2)
            process.send_signal(how)
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 1, out + err)
            self.assertIn("error[C007]", err)
            self.assertEqual(self.files(), [])


class Help(Conform):
    def test_each_verb_has_an_example(self):
        for verb in ("certify", "verify", "keygen", "replay", "laws"):
            self.assertIn(f"Example:\n  vyre-conform {verb}", self.expect(0, verb, "--help").stdout)

    def test_laws(self):
        done = self.expect(0, "laws", "primitive.math.s?b")
        self.assertIn("primitive.math.sub@1", done.stdout)
        self.assertRegex(done.stdout, r"SelfInverse\(0\) +verified")
        self.assertRegex(done.stdout, r"not Commutative +refuted")


if __name__ == "__main__":
    unittest.main()
