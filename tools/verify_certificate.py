#!/usr/bin/env python3
"""Checks a certificate of vyre-conform without any of vyre's own code.

  tools/verify_certificate.py CERT.json [--pubkey FILE]

It opens the envelope (DSSE), holds the signature to the key, by the `openssl` command, reads the statement as canonical
JSON (RFC 8785), and derives levels, totals and digest from the verdicts, as docs/certificate.md has them. Written from
that page, so that a mistake in vyre's own verifier is not repeated here; a test holds the two to one another. What it
cannot know is the registry: whether each operation that there is was judged, `vyre-conform verify` says.

Exit code 0: sound, and all that was selected has its track's highest level; 1: sound and below that, or refused; 2: usage
or a file that cannot be read. The last line of a sound one is its level.
"""

import argparse
import base64
import binascii
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FORMAT = 3
PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://vyre.dev/conformance/v3"
LARGEST_NUMBER = 2**53 - 1
SIGNATURE_BYTES = 64
DEPTH = 16

STRENGTHS = {"quick": 10_000, "standard": 1_000_000, "full": 4_000_000}  # and the cases that each wants of an operation
WITNESSES = 1_000_000
KINDS = {"operation", "family"}
TRACKS = {"integer", "float"}
ORACLES = {"law", "specification table", "reference interpreter", "cpu reference function", "composition theorem",
           "external corpus", "property"}
CHECKS = {"definition", "parity", "law", "determinism"}
MINIMALITIES = {"smallest", "shrunk", "as found"}
FAULTS = {"wrong value", "not written", "wrote outside", "crashed", "hung", "lost the device", "refused",
          "broke the contract", "order-dependent", "flaky", "late write", "false claim", "law"}
# How many variables each law ranges over; those of its operation, which are one or more, where it says none.
LAWS = {"Commutative": 2, "Associative": 3, "Identity": 1, "SelfInverse": 1, "Idempotent": 1, "Absorbing": 1,
        "Involution": 1, "DeMorgan": 2, "Monotone": 2, "Bounded": 1, "Complement": 1, "DistributiveOver": 3,
        "Projection": 1, "RoundTrip": 1, "LeftIdentity": 1, "RightIdentity": 1, "LeftAbsorbing": 1, "RightAbsorbing": 1,
        "InverseOf": 2, "Antitone": 2, "LatticeAbsorption": 2, "Trichotomy": 2, "ZeroProduct": 2, "Transitive": 3,
        "Converse": 2, "Custom": 1}
TRUSTS = [
    "the specification rows, laws and families of the registry with this digest say what is meant",
    "the CPU reference functions and the reference interpreter, which are checked against the rows and each other, but "
    "only on the inputs that were run",
    "the compiler, the libraries and the machine that ran the harness",
    "an exhausted domain is that domain alone: full-width inputs are witnessed, not proved",
    "the backend answers later as it answered then: same device, driver and version",
]


class Refused(Exception):
    """The certificate is none, or does not add up; the text says why."""


def expect(condition, why):
    if not condition:
        raise Refused(why)


# --- canonical JSON ---

SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
ESCAPED = re.compile('["\\\\\x00-\x1f]')


def quote(text):
    return '"' + ESCAPED.sub(lambda m: SHORT_ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


def canonical(value):
    """The one text of a value without fractions."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        expect(abs(value) <= LARGEST_NUMBER, f"{value} is beyond 2^53 - 1, so it has to be a string")
        return str(value)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    expect(isinstance(value, dict), "a number is no integer")
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{quote(key)}:{canonical(value[key])}" for key in keys) + "}"


def integer(text):
    expect(len(text) <= 17, "a number is beyond 2^53 - 1")  # before int() is asked for a million digits
    return int(text)


def not_json(text):
    raise Refused(f"{text} is no number of JSON")


def depth_of(value):
    """How deep lists and objects nest, without recursion."""
    deepest, pending = 0, [(value, 0)]
    while pending:
        item, depth = pending.pop()
        deepest = max(deepest, depth)
        if isinstance(item, (list, dict)):
            pending += [(inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item)]
    return deepest


def read_canonical(data, what, depth):
    """The value of bytes that are canonical JSON."""
    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_int=integer, parse_constant=not_json)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Refused(f"{what} is not JSON: {error}") from None
    expect(depth_of(value) <= depth, f"{what} nests too deep")
    try:
        again = canonical(value).encode("utf-8")
    except UnicodeEncodeError:
        raise Refused(f"{what} has half a character") from None
    expect(again == data, f"{what} is not in the one form that its contents have")
    return value


# --- the envelope ---

def from_base64(text, what):
    expect(isinstance(text, str), f"{what} is no text")
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise Refused(f"{what} is not base64") from None
    expect(base64.b64encode(data).decode() == text, f"{what} is not in the one form of base64")
    return data


def open_envelope(data):
    """(the payload, None or (key id, signature))."""
    expect(data.endswith(b"\n"), "the file does not end with a newline")
    envelope = read_canonical(data[:-1], "the file", 4)
    expect(isinstance(envelope, dict) and envelope.keys() == {"payload", "payloadType", "signatures"},
           "the file is no DSSE envelope")
    expect(envelope["payloadType"] == PAYLOAD_TYPE, f"the envelope holds no {PAYLOAD_TYPE}")
    payload = from_base64(envelope["payload"], "the payload")
    signatures = envelope["signatures"]
    expect(isinstance(signatures, list) and len(signatures) <= 1, "there may be one signature or none")
    if not signatures:
        return payload, None
    signature = signatures[0]
    expect(isinstance(signature, dict) and signature.keys() == {"keyid", "sig"}, "the signature is malformed")
    key_id = signature["keyid"]
    expect(isinstance(key_id, str) and re.fullmatch("[0-9a-f]{64}", key_id), "the key's name is malformed")
    bits = from_base64(signature["sig"], "the signature")
    expect(len(bits) == SIGNATURE_BYTES, "the signature is not one of Ed25519")
    return payload, (key_id, bits)


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=False)


def key_id_of(public_key):
    """The name of a key file. Raises OSError where it holds no key that signs certificates."""
    der = openssl("pkey", "-pubin", "-in", public_key, "-outform", "DER")
    kind = openssl("pkey", "-pubin", "-in", public_key, "-noout", "-text_pub")
    if der.returncode != 0 or not kind.stdout.startswith(b"ED25519"):
        raise OSError(f"{public_key} is no public key of Ed25519")
    return hashlib.sha256(der.stdout).hexdigest()


def check_signature(payload, signature, public_key, key_id):
    expect(signature is not None, "the certificate is unsigned")
    expect(signature[0] == key_id, f"the certificate is signed with the key {signature[0]}, and not with {key_id}")
    encoded = b"DSSEv1 %d %b %d %b" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)
    with tempfile.TemporaryDirectory() as folder:
        message, bits = pathlib.Path(folder, "message"), pathlib.Path(folder, "signature")
        message.write_bytes(encoded)
        bits.write_bytes(signature[1])
        done = openssl("pkeyutl", "-verify", "-pubin", "-inkey", public_key, "-rawin", "-in", message, "-sigfile", bits)
    expect(done.returncode == 0, "the signature is not that of the contents")


# --- the form of a statement: what each member may be ---

def text(value, path):
    expect(isinstance(value, str), f"{path} is not a string")
    expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", value), f"{path} holds a control character")


def flag(value, path):
    expect(isinstance(value, bool), f"{path} is not true or false")


def small_count(value, path):
    expect(type(value) is int and 0 <= value < 2**32, f"{path} is not a 32-bit count")


def count(value, path):
    expect(isinstance(value, str) and re.fullmatch("0|[1-9][0-9]{0,19}", value) and int(value) < 2**64,
           f"{path} is not a decimal count in a string")


def word(value, path):
    expect(isinstance(value, str) and re.fullmatch("0x[0-9a-f]{8}", value), f"{path} is not a word")


def one_of(names):
    def check(value, path):
        expect(isinstance(value, str) and value in names, f"{path} names nothing that is known")
    return check


def list_of(item):
    def check(value, path):
        expect(isinstance(value, list), f"{path} is not a list")
        for k, one in enumerate(value):
            item(one, f"{path}/{k}")
    return check


class LeftOut:
    """A member that is not there when it would say nothing: then that value is what it says."""
    def __init__(self, check, nothing):
        self.check, self.nothing = check, nothing


def members(**form):
    def check(value, path):
        expect(isinstance(value, dict), f"{path} is not an object")
        for name in value:
            expect(name in form, f"{path}/{name} is unknown")
        for name, rule in form.items():
            if isinstance(rule, LeftOut):
                if name in value:
                    rule.check(value[name], f"{path}/{name}")
                    expect(value[name] != rule.nothing, f"{path}/{name} says nothing, so it is left out")
            else:
                expect(name in value, f"{path}/{name} is missing")
                rule(value[name], f"{path}/{name}")
    return check


def anything(_value, _path):
    """What is derived: compared with what follows, later."""


TALLY = members(planned=count, completed=count, failed=count)
EVIDENCE = members(subject=text, grade=text, cases=count, holds=flag)
FAILURE = members(check=one_of(CHECKS), oracle=text, minimality=one_of(MINIMALITIES), input=list_of(word),
                  expected=list_of(word), actual=list_of(word), note=text, token=text, fault=one_of(FAULTS),
                  history=list_of(text))
VERDICT = members(
    kind=one_of(KINDS), subject=text, pipeline=text, parity=list_of(members(oracle=one_of(ORACLES), cases=TALLY)),
    definition=TALLY, determinism=TALLY, dispatches=count, canaries=count, canaries_broken=count,
    classes=list_of(members(**{"class": text, "cases": count})), boundaries=small_count, boundaries_hit=small_count,
    laws=list_of(members(law=text, claimed=flag, evidence=list_of(EVIDENCE))), failure_count=count,
    failures=list_of(FAILURE), error=text, track=LeftOut(one_of(TRACKS), "integer"))
REGISTRY = members(digest=text, operations=small_count, families=small_count, float_operations=LeftOut(small_count, 0),
                   float_families=LeftOut(small_count, 0))
PREDICATE = members(
    vyre=text, backend=text, device=text, driver=text, floats=LeftOut(text, ""), registry=REGISTRY,
    strength=one_of(STRENGTHS), seed=count, selection=text, verdicts=list_of(VERDICT), format=anything, levels=anything,
    totals=anything, trusts=anything, digest=anything)


# --- what follows from verdicts ---

def track_of(verdict):
    return verdict.get("track", "integer")


def whole(tally):
    """Whether something was planned, and all of it was done without a failure."""
    return tally["planned"] != "0" and tally["completed"] == tally["planned"] and tally["failed"] == "0"


def parity_holds(verdict, strength):
    cases = sum(int(row["cases"]["completed"]) for row in verdict["parity"]) % 2**64
    if verdict["error"] or not verdict["parity"] or not all(whole(row["cases"]) for row in verdict["parity"]):
        return False
    if not whole(verdict["determinism"]) or verdict["canaries"] == "0" or verdict["canaries_broken"] != "0":
        return False
    if verdict["kind"] == "family":
        return True
    return (cases >= STRENGTHS[strength] and whole(verdict["definition"]) and
            all(row["cases"] != "0" for row in verdict["classes"]) and verdict["boundaries"] == verdict["boundaries_hit"])


def is_settled(law):
    evidence = law["evidence"]
    if not evidence or not all(one["holds"] for one in evidence):
        return False

    def has(subject, grade, cases):
        return any(one["subject"].startswith(subject) and one["grade"].startswith(grade) and int(one["cases"]) >= cases
                   for one in evidence)

    variables = LAWS.get(law["law"].split("(")[0])
    if law["claimed"] and variables is None:
        return False
    for subject in ("spec", "device("):
        if not law["claimed"]:
            if not has(subject, "refuted(", 1):
                return False
            continue
        all_of_them = 256**variables
        if not (has(subject, "exhausted(u8)", all_of_them) or has(subject, "exhausted(e5m2)", all_of_them)):
            return False
        if not has(subject, "exhausted(edge256)", all_of_them) or not has(subject, "witnessed(", WITNESSES):
            return False
    return True


def laws_hold(verdict):
    return all(map(is_settled, verdict["laws"])) and verdict["failure_count"] == "0"


def level_of(track, predicate):
    """0, 1 or 2."""
    registry, level, operations, families = predicate["registry"], 2, 0, 0
    for verdict in predicate["verdicts"]:
        if track_of(verdict) != track:
            continue
        if verdict["kind"] == "family":
            families += 1
        else:
            operations += 1
        if not parity_holds(verdict, predicate["strength"]):
            return 0
        if not laws_hold(verdict):
            level = 1
    there = registry["families"] if track == "integer" else registry.get("float_families", 0)
    return level if operations and families == there else 0


def name_of(track, level):
    return "none" if level == 0 else f"L{level}{'f' if track == 'float' else ''}"


def has_floats(registry):
    return "float_operations" in registry or "float_families" in registry


def levels_of(predicate):
    registry, out, parts = predicate["registry"], {}, []
    for track in ["integer", "float"] if has_floats(registry) else ["integer"]:
        level = level_of(track, predicate)
        out[track] = name_of(track, level)
        selected = sum(v["kind"] == "operation" and track_of(v) == track for v in predicate["verdicts"])
        there = registry["operations"] if track == "integer" else registry.get("float_operations", 0)
        some = level > 0 and selected != there
        parts.append(f"{track}={out[track]}" + (f"({selected} of {there})" if some else ""))
    return {**out, "line": " ".join(parts)}


def totals_of(predicate):
    verdicts = predicate["verdicts"]
    laws = [law for v in verdicts for law in v["laws"]]
    sums = {
        "parity_cases": sum(int(row["cases"]["completed"]) for v in verdicts for row in v["parity"]),
        "law_cases": sum(int(one["cases"]) for law in laws for one in law["evidence"]),
        "repeated_evaluations": sum(int(v["determinism"]["completed"]) for v in verdicts),
        "dispatches": sum(int(v["dispatches"]) for v in verdicts),
        "laws_claimed": sum(law["claimed"] for law in laws),
        "laws_verified": sum(law["claimed"] and is_settled(law) for law in laws),
        "laws_denied": sum(not law["claimed"] for law in laws),
        "laws_refuted": sum(not law["claimed"] and is_settled(law) for law in laws),
        "failures": sum(int(v["failure_count"]) for v in verdicts),
    }
    return {name: str(value % 2**64) for name, value in sums.items()}


def passed(predicate):
    tracks = {track_of(v) for v in predicate["verdicts"]}
    return bool(tracks) and all(level_of(track, predicate) == 2 for track in tracks)


# --- the whole ---

def check_statement(payload):
    """The predicate of a statement that adds up."""
    statement = read_canonical(payload, "the statement", DEPTH)
    expect(isinstance(statement, dict) and isinstance(statement.get("predicate"), dict), "there is no predicate")
    predicate = statement["predicate"]
    expect(type(predicate.get("format")) is int and predicate["format"] == FORMAT, f"the format is not {FORMAT}")
    PREDICATE(predicate, "")
    derived = {"levels": levels_of(predicate), "totals": totals_of(predicate), "trusts": TRUSTS}
    for name, value in derived.items():
        expect(predicate.get(name) == value, f'"{name}" does not follow from the verdicts; they give {value}')
    whole_statement = {
        "_type": STATEMENT_TYPE, "predicateType": PREDICATE_TYPE,
        "subject": [{"name": f"{predicate['backend']}: {predicate['device']}",
                     "digest": {"sha256": predicate["registry"]["digest"]}}],
        "predicate": {name: value for name, value in predicate.items() if name != "digest"}}
    digest = hashlib.sha256(canonical(whole_statement).encode()).hexdigest()
    expect(predicate.get("digest") == digest, "the digest is not that of the contents")
    whole_statement["predicate"]["digest"] = digest
    expect(canonical(whole_statement).encode() == payload, "the statement has more or other parts than it may have")
    return predicate


def check(data, public_key=None, key_id=None):
    """(the predicate, whether it is signed); with a key, only what that has signed. Raises Refused."""
    payload, signature = open_envelope(data)
    predicate = check_statement(payload)
    if public_key is not None:
        check_signature(payload, signature, public_key, key_id)
    return predicate, signature is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("certificate", type=pathlib.Path, metavar="CERT")
    parser.add_argument("--pubkey", type=pathlib.Path, help="refuse it unless this key signed it")
    arguments = parser.parse_args()
    try:
        data = arguments.certificate.read_bytes()
        key_id = None if arguments.pubkey is None else key_id_of(arguments.pubkey)
    except OSError as error:
        print(f"verify_certificate: {error}", file=sys.stderr)
        return 2
    try:
        predicate, signed = check(data, arguments.pubkey, key_id)
    except Refused as why:
        print(f"{arguments.certificate}: refused: {why}", file=sys.stderr)
        return 1
    how = "unsigned" if not signed else "signed, not checked" if key_id is None else f"signed by {key_id[:16]}"
    print(f"digest {predicate['digest'][:16]}; the certificate adds up and is {how}")
    print(f"level: {predicate['levels']['line']}")
    return 0 if passed(predicate) else 1


if __name__ == "__main__":
    sys.exit(main())
