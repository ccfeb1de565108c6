"""Two verifiers agree: vyre's own, and tools/verify_certificate.py, which has none of its code.

Oracle: each is the other's. What they are asked is made from a real certificate, cut down to a few verdicts of each kind
so that thousands of them are judged in a minute, and 10^4 at night: bytes are changed, values of the statement are changed and the digest
repaired, and counts are changed and all that follows from them repaired, so that both have to derive the same levels.
"""
import base64
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import verify_certificate as second

from conform import BIN, ConformTest, run

MUTANTS = int(os.environ.get("VYRE_MUTANTS", 2_500))
SEED = 9


def copied(value):
    return json.loads(json.dumps(value))


def repaired(predicate, derived):
    """A statement around a predicate, with the roots and the digest that fit; with what follows from its verdicts, if asked."""
    predicate = copied(predicate)
    verdicts, root = second.roots_of(predicate)
    predicate["root"] = root
    for verdict, its in zip(predicate["verdicts"], verdicts):
        verdict["root"] = its
    if derived:
        predicate |= {"coverage": second.coverage_of(predicate), "levels": second.levels_of(predicate), "totals": second.totals_of(predicate),
                      "tier": second.tier_of(predicate)}
    return second.statement_around(predicate, second.pack(predicate["verdicts"]))


def plain(statement):
    """Its predicate, with verdicts that can be read and changed."""
    predicate = statement["predicate"]
    return predicate | {"verdicts": second.unpack(predicate["verdicts"])}


def enclosed(payload, signatures=()):
    return (second.canonical({"payload": base64.b64encode(payload).decode(), "payloadType": second.PAYLOAD_TYPE,
                              "signatures": list(signatures)}) + "\n").encode()


def cut_down(predicate):
    """An operation and a family of each track, as if there were no more families; of a registry that no build has."""
    predicate = copied(predicate)
    chosen = []
    for track in ("integer", "float"):
        for kind in ("operation", "family"):
            chosen += [v for v in predicate["verdicts"] if v["kind"] == kind and second.track_of(v) == track][:1]
    for verdict in chosen:
        laws = verdict["laws"]
        verdict["laws"] = [law for claimed in (True, False) for law in [one for one in laws if one["claimed"] == claimed][:1]]
    predicate["verdicts"] = chosen
    predicate["registry"] |= {"digest": "0" * 64, "families": 1, "float_families": 1}
    return predicate


def failing(predicate):
    """The same with a failure, of which a passing certificate has none to change."""
    predicate = copied(predicate)
    verdict = predicate["verdicts"][0]
    verdict["parity"][0]["cases"]["failed"] = verdict["leaves"][0]["cases"]["failed"] = verdict["failure_count"] = "1"
    verdict["failures"] = [{"check": "parity", "oracle": "specification table", "minimality": "shrunk", "fault": "order-dependent",
                            "input": ["0x00000001", "0xffffffff"], "expected": ["0x00000002"], "actual": [], "note": "two\nlines",
                            "token": "primitive.math.negate@1:random:1:7", "history": ["primitive.math.negate@1:random:1:6"]}]
    return predicate


def planned_smaller(predicate, family):
    """The same with half of the cases of a family, every count and digest fitting the other."""
    predicate = copied(predicate)
    for verdict in predicate["verdicts"]:
        if verdict["subject"] != family:
            continue
        for tally in [row["cases"] for row in verdict["parity"] + verdict["leaves"]] + [verdict["determinism"]]:
            tally |= {name: str(int(tally[name]) // 2) for name in ("planned", "completed")}
    return predicate


def without_families(predicate):
    """As `certify --families none` makes it."""
    predicate = copied(predicate)
    predicate["verdicts"] = [v for v in predicate["verdicts"] if v["kind"] == "operation"]
    return predicate | {"family_selection": "none"}


def with_engines(predicate, kept):
    """The same with an engine that kept one promise or none and broke the other, and generated ones. Cases of promises have
    leaves in one of the two, and none in the other, as was once so."""
    predicate = copied(predicate)
    whole = {"planned": "8", "completed": "8", "failed": "0"}
    promises = [{"invariant": name, "evidence": "records", "cases": whole | {"failed": failed}}
                for name, failed in (("Ordered", "0" if kept else "1"), ("NoDuplicate", "1"))]
    verdicts = [v for v in predicate["verdicts"] if v["kind"] == "operation"]
    verdicts[0] |= {"kind": "engine", "laws": [], "invariants": promises, "failure_count": "1"}
    verdicts[-1] |= {"kind": "generated engines", "laws": [], "invariants": promises[:1]}
    for verdict in (verdicts[0], verdicts[-1]) if kept else ():
        verdict["leaves"] += [{"oracle": "property", "generator": one["invariant"], "slice": str(k), "cases": one["cases"]}
                              for k, one in enumerate(verdict["invariants"])]
    return predicate


def with_tensors(predicate, known):
    """The same with engines that keep their promises, and operations on tensors, or none of them: of a registry that has some,
    or of one of before them. So levels are L3 and L3f, or lack what L3 is of."""
    predicate = copied(predicate)
    operations = [v for v in predicate["verdicts"] if v["kind"] == "operation"]
    tensors = [copied(v) | {"kind": kind, "subject": f"tensor.{kind[:5]}@1", "laws": [], "classes": [], "boundaries": 0, "boundaries_hit": 0}
               for v in operations for kind in second.TENSORS]
    operations[0] |= {"kind": "engine", "laws": [], "invariants": [
        {"invariant": "Ordered", "evidence": "records", "cases": {"planned": "8", "completed": "8", "failed": "0"}}]}
    predicate["verdicts"] += tensors if known else []
    predicate["registry"]["tensors"] = len(tensors)
    if known is None:
        del predicate["registry"]["tensors"]
    return predicate


def waived(predicate):
    """The same with the failure waived."""
    predicate = copied(predicate)
    verdict = predicate["verdicts"][0]
    for tally in (verdict["parity"][0]["cases"], verdict["leaves"][0]["cases"]):
        tally |= {"failed": "0", "waived": tally["failed"]}
    predicate["waivers"] = [{"subject": verdict["subject"], "failures": "1", "tag": "slow", "link": "https://example.org/1",
                             "expires": "2030-01-01"}]
    return predicate


def places(value, path=()):
    """The path of each value in a value, that of the whole first."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


class Mutations:
    """Certificates that are not, or may not be, what they were."""
    VALUES = ["", "0", "1", "00", "-1", "x", "18446744073709551615", "18446744073709551616", "\u00e9", "\ufb33\U0001f600", "a\nb",
              "\x1b[2J", "\x7f", "\u0085", 0, 1, -1, 2**32, 2**53 - 1, None, True, False, [], {}, "L2", "float", "integer",
              "0x00000001", "refused(", "spec", "quick", "full", "witnessed(1000000, 1)"]

    def __init__(self, statement, signed):
        self.statements, self.signed = [statement, repaired(failing(plain(statement)), derived=True),
                           repaired(waived(failing(plain(statement))), derived=True),
                           repaired(without_families(plain(statement)), derived=True),
                           *(repaired(with_engines(plain(statement), kept), derived=True) for kept in (True, False)),
                           *(repaired(with_tensors(plain(statement), known), derived=True) for known in (True, False))], signed
        self.random = random.Random(SEED)
        self.kinds = [self.bytes_of_file, self.bytes_of_payload, self.value, self.inner_value, self.count, self.count]

    def one(self):
        return self.random.choice(self.kinds)()

    def spoilt(self, data):
        data, where = bytearray(data), self.random.randrange(len(data))
        how = self.random.randrange(6)
        if how == 0:
            data[where] ^= 1 << self.random.randrange(8)
        elif how == 1:
            data[where] = self.random.choice(b'0123456789abcdefL"\\{}[]:, \n=/+')
        elif how == 2:
            del data[where:where + self.random.choice((1, 2, 100))]
        elif how == 3:
            data[where:where] = bytes(data[max(0, where - self.random.choice((1, 4, 100))):where])
        elif how == 4:
            del data[where:]
        return bytes(data)  # or as it is

    def bytes_of_file(self):
        return self.spoilt(self.signed)

    def bytes_of_payload(self):
        return enclosed(self.spoilt(second.canonical(self.random.choice(self.statements)).encode()))

    def value(self):
        """Anything anywhere in the statement becomes something else; the digest fits, if one can be made."""
        statement = copied(self.random.choice(self.statements))
        self.change(statement, self.random.choice([p for p in places(statement) if p]))
        predicate = statement.get("predicate")
        if isinstance(predicate, dict):
            predicate.pop("digest", None)
            predicate["digest"] = hashlib.sha256(second.canonical(statement).encode()).hexdigest()
        return enclosed(second.canonical(statement).encode())

    def inner_value(self):
        """Anything in a verdict becomes something else; roots, packing and digest fit, if they can be made."""
        predicate = plain(self.random.choice(self.statements))
        verdict = self.random.choice(predicate["verdicts"])
        self.change(verdict, self.random.choice([p for p in places(verdict) if p]))
        try:
            return enclosed(second.canonical(repaired(predicate, derived=False)).encode())
        except (KeyError, TypeError):  # without leaves or laws there is no root
            return self.inner_value()

    def change(self, statement, path):
        holder, key = at(statement, path[:-1]), path[-1]
        how = self.random.randrange(4)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, dict):
            holder[self.random.choice(("more", "track", "floats", "\ufb33", "\U0001f600"))] = self.random.choice(self.VALUES)
        elif how == 2 and isinstance(holder, list):
            holder.append(copied(self.random.choice(holder)))
        else:
            holder[key] = copied(self.random.choice(self.VALUES))

    def count(self):
        """Some counts become others, and the rest is what follows: a certificate that adds up, of whatever level."""
        predicate = plain(self.random.choice(self.statements))
        for _ in range(self.random.choice((1, 1, 2, 5))):
            verdicts = predicate["verdicts"]
            path = self.random.choice([p for p in places(verdicts) if p])
            holder, key, old = at(verdicts, path[:-1]), path[-1], at(verdicts, path)
            if isinstance(old, bool):
                holder[key] = not old
            elif isinstance(old, int):
                holder[key] = self.random.choice((0, 1, old + 1))
            elif isinstance(old, list) and old:
                old.pop(self.random.randrange(len(old)))
            elif isinstance(old, str) and old.isdecimal():
                holder[key] = self.random.choice(("0", "1", str(max(0, int(old) - 1)), str((int(old) + 1) % 2**64), str(2**64 - 1)))
            elif key == "grade":
                holder[key] = self.random.choice(("exhausted(e5m2)", "exhausted(u8)", "refuted(0x1)", "none: why"))
            elif key == "law":
                holder[key] = self.random.choice([*second.LAWS, "Unheard", "Identity(7)"])
            elif key == "error":
                holder[key] = "B003: too much"
        if self.random.randrange(4) == 0:
            predicate["strength"] = self.random.choice(list(second.STRENGTHS))
        if self.random.randrange(8) == 0:
            predicate["registry"]["families"] = self.random.randrange(4)
        return enclosed(second.canonical(repaired(predicate, derived=True)).encode())


def second_opinion(data, public_key=None, key_id=None):
    try:
        predicate, _ = second.check(data, public_key, key_id)
    except second.Refused:
        return "refused"
    return f"{'passed' if second.conforms(predicate) else 'failed'} {predicate['digest']} {predicate['levels']['line']}"


def first_opinions(certificates, *arguments):
    """vyre's, a line each; of what it refuses the one word."""
    data = b"".join(b"%d\n%b" % (len(c), c) for c in certificates)
    done = subprocess.run([BIN / "certificate_judge", *arguments], input=data, capture_output=True, timeout=500, check=True)
    return ["refused" if line.startswith("refused") else line for line in done.stdout.decode().split("\n")[:-1]]


class Verifiers(ConformTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.class_folder()
        cls.keys = cls.folder / "keys"
        cls.public = cls.keys / "vyre.pub"
        cls.real = cls.folder / "real.json"
        run("keygen", cls.keys)
        cls.done = run("certify", "--ops", "*.neg*", "--families", "ir.*l*", "--strength", "quick", "--out", cls.real, "--key",
                       cls.keys / "vyre.key")
        if cls.done.returncode != 0:
            raise RuntimeError(cls.done.stdout + cls.done.stderr)
        payload = base64.b64decode(json.loads(cls.real.read_text())["payload"])
        cls.whole = json.loads(payload)
        cls.statement = repaired(cut_down(plain(cls.whole)), derived=True)
        cls.signed = cls.sign(second.canonical(cls.statement).encode())
        cls.key_id = second.key_id_of(cls.public)

    @classmethod
    def sign(cls, payload):
        """Signed by OpenSSL's command, which knows nothing of envelopes."""
        message = cls.folder / "message"
        message.write_bytes(b"DSSEv1 28 application/vnd.in-toto+json %d %b" % (len(payload), payload))
        signature = second.openssl("pkeyutl", "-sign", "-inkey", cls.keys / "vyre.key", "-rawin", "-in", message).stdout
        return enclosed(payload, [{"keyid": second.key_id_of(cls.public), "sig": base64.b64encode(signature).decode()}])

    def test_they_agree_on_the_real_one(self):
        level = self.done.stdout.splitlines()[-1]
        for arguments in ((), ("--pubkey", self.public)):
            one = run("verify", self.real, *arguments)
            other = subprocess.run([sys.executable, second.__file__, self.real, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual((one.returncode, one.stdout.splitlines()[-1]), (0, level), one.stderr)
            self.assertEqual((other.returncode, other.stdout.splitlines()[-1]), (0, level), other.stderr)

    def test_they_agree_on_mutants(self):
        mutations = Mutations(self.statement, self.signed)
        mutants = [mutations.one() for _ in range(MUTANTS)]
        expected = [second_opinion(m) for m in mutants]
        found = first_opinions(mutants)
        self.assertEqual(len(found), MUTANTS)
        for mutant, one, other in zip(mutants, found, expected):
            self.assertEqual(one, other, mutant)
        # A test of verifiers that refuse everything, or nothing, would agree as well.
        verdicts = {word: sum(line.startswith(word) for line in found) for word in ("refused", "passed", "failed")}
        self.assertGreater(min(verdicts.values()), MUTANTS // 50, verdicts)
        self.assertGreaterEqual(len({line.split(" ", 2)[2] for line in found if line != "refused"}), 8)

    def test_they_agree_on_signatures(self):
        mutations = Mutations(self.statement, self.signed)
        mutants = [self.signed] + [mutations.bytes_of_file() for _ in range(500)]
        envelope = json.loads(self.signed)
        for where in range(0, 64, 7):  # another signature, in the one form of its bytes
            bits = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
            bits[where] ^= 4
            mutants.append(enclosed(base64.b64decode(envelope["payload"]),
                                    [{"keyid": self.key_id, "sig": base64.b64encode(bits).decode()}]))
        mutants.append(enclosed(base64.b64decode(envelope["payload"])))
        mutants.append(enclosed(base64.b64decode(envelope["payload"]), [envelope["signatures"][0] | {"keyid": "0" * 64}]))
        changed = plain(self.statement) | {"seed": "77"}
        changed = second.canonical(repaired(changed, derived=True)).encode()
        mutants.append(enclosed(changed, envelope["signatures"]))
        mutants.append(self.sign(changed))
        expected = [second_opinion(m, self.public, self.key_id) for m in mutants]
        found = first_opinions(mutants, self.public)
        self.assertEqual(found, expected)
        for k, (mutant, opinion) in enumerate(zip(mutants, found)):
            self.assertEqual(opinion == "refused", mutant != self.signed and k != len(mutants) - 1)

    def test_texts_have_bounds(self):
        """Oracle: docs/certificate.md, `device`: names are one line of 4,096 bytes, other texts have 65,536, and control
        characters are in none but for the line feeds of those."""
        def device(name):
            return plain(self.statement) | {"device": name}

        def note(text):
            predicate = failing(plain(self.statement))
            predicate["verdicts"][0]["failures"][0]["note"] = text
            return predicate

        good = [device("x" * 4096), device("\u00e9" * 2048), note("x" * 65536), note("a\nb")]
        bad = [device(name) for name in ("x" * 4097, "x" * 1_000_000, "\u00e9" * 2049, "a\nb", "\x1b[2J", "a\x00", "\u0085", "\x7f")]
        bad += [note(text) for text in ("x" * 65537, "\x1b[2J", "a\tb", "\u009b")]
        texts = [enclosed(second.canonical(repaired(predicate, derived=True)).encode()) for predicate in good + bad]
        found = first_opinions(texts)
        self.assertEqual(found, [second_opinion(text) for text in texts])
        self.assertEqual([opinion == "refused" for opinion in found], [False] * len(good) + [True] * len(bad))
        path = self.folder / "forged.json"
        path.write_bytes(texts[len(good) + 1])
        for arguments in (("verify", path), ("diff", path, path)):
            done = run(*arguments)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("error[C001]", done.stderr)
            self.assertLess(len(done.stderr), 1000)

    def test_the_second_one_reads_files_alone(self):
        for path in ("/dev/zero", "/dev/urandom", self.folder):
            for arguments in ((path,), (self.real, "--pubkey", path)):
                done = subprocess.run([sys.executable, second.__file__, *arguments], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)

    def test_a_family_that_is_planned_smaller_is_refused_by_the_one_with_the_registry(self):
        path = self.folder / "smaller.json"
        for family in ("ir.loops", "ir.select"):
            path.write_bytes(enclosed(second.canonical(repaired(planned_smaller(plain(self.whole), family), True)).encode()))
            done = run("verify", path)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("C002", done.stderr)
            self.assertIn(f"the cases are not those that {family}", done.stderr)

    def test_a_level_without_families_says_so(self):
        """Both accept it, and neither takes it for a whole level, whatever it claims."""
        part = without_families(plain(self.whole))
        tracks = ("integer", "float")
        of = {track: f"0 of {part['registry'][second.FAMILIES[track]]} families" for track in tracks}
        honest = repaired(part, derived=True)
        self.assertEqual([honest["predicate"]["levels"][track] for track in tracks],
                         [f"L2({of['integer']})", f"L2f({of['float']})"])
        path = self.folder / "part.json"
        path.write_bytes(enclosed(second.canonical(honest).encode()))
        done = run("verify", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, f"level: integer=L2\\(1 of [0-9]+, {of['integer']}\\) float=L2f\\(3 of [0-9]+, {of['float']}\\)\n$")
        whole = self.whole["predicate"]["levels"]
        hidden = {name: value for name, value in part.items() if name != "family_selection"}
        dishonest = [repaired(part | {"levels": part["levels"] | claim}, derived=False) for claim in (
            {}, {"integer": whole["integer"]}, {"line": whole["line"]})] + [
                repaired(hidden, derived=False), repaired(part | {"family_selection": "*"}, derived=True)]
        texts = [enclosed(second.canonical(statement).encode()) for statement in (honest, repaired(hidden, derived=True), *dishonest)]
        found = first_opinions(texts)
        self.assertEqual(found, [second_opinion(text) for text in texts])
        self.assertEqual([opinion.split()[0] for opinion in found], ["passed", "failed"] + ["refused"] * len(dishonest))
        # That a family which was asked for is there, the one with the registry says.
        path.write_bytes(enclosed(second.canonical(repaired(part | {"family_selection": "ir.casts"}, derived=True)).encode()))
        done = run("verify", path)
        self.assertEqual((done.returncode, "C002" in done.stderr), (1, True), done.stderr)

    def test_the_highest_level_is_of_tensors_too(self):
        """Oracle: docs/certificate.md, L3f: without operations on tensors there is none, whether the registry has such or not; and
        one that was tried too rarely leaves no level."""
        plainly = plain(self.statement)
        rare = with_tensors(plainly, True)
        for row in rare["verdicts"][-1]["parity"] + rare["verdicts"][-1]["leaves"]:
            row["cases"] |= {"planned": "1", "completed": "1"}
        predicates = [with_tensors(plainly, True), with_tensors(plainly, False), with_tensors(plainly, None), rare]
        texts = [enclosed(second.canonical(repaired(predicate, derived=True)).encode()) for predicate in predicates]
        found = first_opinions(texts)
        self.assertEqual(found, [second_opinion(text) for text in texts])
        self.assertEqual([[re.match("L.f?|none", part.split("=")[1])[0] for part in line.split(" ", 2)[2].split(" float") if "=" in part]
                          for line in found], [["L3", "L3f"], ["L3", "L2f"], ["L3", "L2f"], ["L3", "none"]])

    def test_the_second_one_says_what_is_wrong(self):
        path = self.folder / "spoilt.json"
        for data, arguments, code, message in [
                (b"{}\n", (), 1, "no DSSE envelope"), (self.signed[:-1], (), 1, "newline"),
                (enclosed(second.canonical(self.statement).encode()), ("--pubkey", self.public), 1, "unsigned"),
                (self.signed, ("--pubkey", self.keys / "vyre.key"), 2, "no public key"),
                (self.signed, ("--pubkey", self.keys / "none"), 2, "no public key")]:
            path.write_bytes(data)
            done = subprocess.run([sys.executable, second.__file__, path, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_the_second_one_is_small(self):
        self.assertLessEqual(len(pathlib.Path(second.__file__).read_text().splitlines()), 600)


if __name__ == "__main__":
    unittest.main()
