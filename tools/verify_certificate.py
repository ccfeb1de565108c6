#!/usr/bin/env python3
"""Checks a certificate of vyre-conform without any of vyre's own code.

  tools/verify_certificate.py CERT.json [--pubkey FILE]

It opens the envelope (DSSE), holds the signature to the key, by the `openssl` command, reads the statement as canonical
JSON (RFC 8785), and derives levels, totals and digest from the verdicts, as docs/certificate.md has them. Written from
that page, so that a mistake in vyre's own verifier is not repeated here; a test holds the two to one another. What it
cannot know is the registry: whether each operation that there is was judged, `vyre-conform verify` says.

Exit code 0: sound, and all that was selected has its track's highest level, but for what is waived; 1: sound and below that, or
refused; 2: usage or a file that cannot be read. The last line of a sound one is its level.
"""

import argparse
import base64
import binascii
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FORMAT, PAYLOAD_TYPE = 5, "application/vnd.in-toto+json"
STATEMENT_TYPE, PREDICATE_TYPE = "https://in-toto.io/Statement/v1", "https://vyre.dev/conformance/v5"
LARGEST_NUMBER, SIGNATURE_BYTES, DEPTH = 2**53 - 1, 64, 16

STRENGTHS = {"quick": 10_000, "standard": 1_000_000, "full": 4_000_000}  # and the cases that each wants of an operation
WITNESSES, LEAF_CASES, DIGEST_DIGITS, UNSHARED_LENGTH = 1_000_000, 2**20, 32, 5
ENGINES, OVER_BUFFERS = {"engine", "generated engines"}, {"operation over buffers", "engine"}
TENSORS = {"tensor operation": {"quick": 12, "standard": 36, "full": 480}, "generated graphs": {"quick": 6, "standard": 18, "full": 240}}
BUFFER_CASES = {"quick": 100, "standard": 10_000, "full": 40_000}  # and of such an operation, with the instances of each law
BUFFER_LAWS = {"quick": 10, "standard": 200, "full": 2_000}
CASES = {"operation": STRENGTHS, **dict.fromkeys(OVER_BUFFERS, BUFFER_CASES), **TENSORS}
KINDS, TRACKS = {"family", *CASES} | ENGINES, {"integer", "float", "approximate"}
ORACLES = {"law", "specification table", "reference interpreter", "cpu reference function", "composition theorem",
           "external corpus", "property"}
FAULTS = {"wrong value", "not written", "wrote outside", "crashed", "hung", "lost the device", "refused",
          "broke the contract", "order-dependent", "flaky", "late write", "false claim", "law", "invariant"}
# How many variables each law ranges over; those of its operation, which are one or more, where it says none.
LAWS = {law: variables for variables, laws in {
    1: "Identity SelfInverse Idempotent Absorbing Involution Bounded Complement Projection RoundTrip LeftIdentity "
       "RightIdentity LeftAbsorbing RightAbsorbing Custom Odd Even",
    2: "Commutative DeMorgan Monotone InverseOf Antitone LatticeAbsorption Trichotomy ZeroProduct Converse",
    3: "Associative DistributiveOver Transitive"}.items() for law in laws.split()}
TRUSTS = [
    "the specification rows, laws and families of the registry with this digest say what is meant",
    "the CPU reference functions and the reference interpreter, which are checked against the rows and each other, but "
    "only on the inputs that were run",
    "the compiler, the libraries and the machine that ran the harness",
    "an exhausted domain is that domain alone: full-width inputs are witnessed, not proved",
    "powers and the angle of a point are witnessed, never proved: that two steps of precision leave no input undecided is "
    "an assumption about digits, and no input that was run was left so",
    "the backend answers later as it answered then: same device, driver and version",
]


class Refused(Exception):
    """The text says why."""


def expect(condition, why):
    if not condition:
        raise Refused(why)


# canonical JSON: what json escapes is what RFC 8785 does; its order of keys is RFC 8785's where all of them are ASCII
ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical(value):
    """The one text of a value of which integer() and not_json() have seen the numbers."""
    text = ENCODER.encode(value)
    if text.isascii() or not isinstance(value, (dict, list)):
        return text
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{ENCODER.encode(key)}:{canonical(value[key])}" for key in keys) + "}"


def integer(digits):
    expect(len(digits) <= 17 and abs(int(digits)) <= LARGEST_NUMBER, "a number is beyond 2^53 - 1, so it has to be a string")
    return int(digits)


def not_json(text):
    raise Refused(f"{text} is no number of certificates")
def depth_of(value): return max((1 + depth_of(part) for part in parts(value)), default=0)


def read_canonical(data, what, depth):
    """The value of bytes that are canonical JSON."""
    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_int=integer, parse_float=not_json, parse_constant=not_json)
        expect(depth_of(value) <= depth, f"{what} nests too deep")
        again = canonical(value).encode("utf-8")
    except (UnicodeError, json.JSONDecodeError, RecursionError) as error:
        raise Refused(f"{what} is not JSON: {error}") from None
    expect(again == data, f"{what} is not in the one form that its contents have")
    return value


# what is packed
PACKED = (str, list, dict)
def parts(value): return value if isinstance(value, list) else [value[key] for key in sorted(value)] if isinstance(value, dict) else []


def pack(value):
    """The one packed form of a value."""
    met, keys, numbers, shared, texts = {}, [], {}, [], {}

    def meet(part):
        if isinstance(part, PACKED):
            mine = texts[id(part)] = canonical(part)
            met[mine] = met.get(mine, 0) + 1
            for inner in parts(part) if met[mine] == 1 else []:
                meet(inner)

    def reference(part):
        mine = (texts.get(id(part)) or canonical(part)) if isinstance(part, PACKED) else ""
        if len(mine.encode()) <= UNSHARED_LENGTH or met[mine] < 2:
            return whole_of(part)
        if mine not in numbers:
            numbers[mine] = len(shared)
            shared.append(part)
        return -1 - numbers[mine]

    def whole_of(part):
        if not isinstance(part, (list, dict)):
            return part
        if isinstance(part, dict) and sorted(part) not in keys:
            keys.append(sorted(part))
        return [keys.index(sorted(part)) + 1 if isinstance(part, dict) else 0, *map(reference, parts(part))]

    meet(value)
    root, out = whole_of(value), []
    while len(out) < len(shared):
        out.append(whole_of(shared[len(out)]))
    return {"keys": keys, "root": root, "shared": out}


def unpack(packed, most=2**22):
    """The value that is packed."""
    expect(isinstance(packed, dict) and packed.keys() == {"keys", "root", "shared"}, "the verdicts are not packed")
    keys, shared, left = packed["keys"], packed["shared"], [most]
    expect(type(keys) is list and type(shared) is list, "the verdicts are not packed")

    def value_of(part, depth):
        left[0] -= 1
        expect(depth <= 2 * DEPTH and left[0] >= 0, "the verdicts stand for too much")
        if type(part) is int and part < 0:
            expect(-1 - part < len(shared), "a shared value is not there")
            return value_of(shared[-1 - part], depth + 1)
        if not isinstance(part, list):
            expect(not isinstance(part, dict), "an object is not packed")
            return part
        expect(part and type(part[0]) is int and 0 <= part[0] <= len(keys), "a list has no kind")
        values = [value_of(inner, depth + 1) for inner in part[1:]]
        if part[0] == 0:
            return values
        names = keys[part[0] - 1]
        expect(isinstance(names, list) and all(isinstance(name, str) for name in names) and len(names) == len(values),
               "an object has other keys")
        return dict(zip(names, values))

    return value_of(packed["root"], 0)


# Merkle trees (RFC 6962)
def merkle_leaf(leaf): return hashlib.sha256(b"\0" + leaf.encode()).digest()
def merkle_root(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + merkle_root(leaves[:left]) + merkle_root(leaves[left:])).digest()


def root_of(verdict):
    rest = {name: value for name, value in verdict.items() if name not in ("leaves", "laws", "root")}
    return merkle_root([merkle_leaf(canonical(leaf)) for leaf in [*verdict["leaves"], *verdict["laws"], rest]])


# the envelope
def from_base64(text, what):
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (AttributeError, UnicodeEncodeError, binascii.Error):
        raise Refused(f"{what} is not base64") from None
    expect(base64.b64encode(data).decode() == text, f"{what} is not in the one form of base64")
    return data


def open_envelope(data):
    """(the payload, None or (key id, signature))."""
    expect(data.endswith(b"\n"), "the file does not end with a newline")
    envelope = read_canonical(data[:-1], "the file", 4)
    expect(isinstance(envelope, dict) and envelope.keys() == {"payload", "payloadType", "signatures"}, "the file is no DSSE envelope")
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


def openssl(*arguments): return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=False)
def key_id_of(public_key):
    der, kind = (openssl("pkey", "-pubin", "-in", public_key, *how) for how in (("-outform", "DER"), ("-noout", "-text_pub")))
    if der.returncode != 0 or not kind.stdout.startswith(b"ED25519"):
        raise OSError(f"{public_key} is no public key of Ed25519")
    return hashlib.sha256(der.stdout).hexdigest()


def check_signature(payload, signature, public_key, key_id):
    expect(signature is not None, "the certificate is unsigned")
    expect(signature[0] == key_id, f"the certificate is signed with the key {signature[0]}, and not with {key_id}")
    with tempfile.TemporaryDirectory() as folder:
        message, bits = pathlib.Path(folder, "message"), pathlib.Path(folder, "signature")
        message.write_bytes(b"DSSEv1 %d %b %d %b" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload))
        bits.write_bytes(signature[1])
        done = openssl("pkeyutl", "-verify", "-pubin", "-inkey", public_key, "-rawin", "-in", message, "-sigfile", bits)
    expect(done.returncode == 0, "the signature is not that of the contents")


# the form of a statement: what each member may be
def such(test, what):
    def check(value, path):
        expect(test(value), f"{path} is not {what}")
    return check
def string(most, controls):
    return such(lambda v: isinstance(v, str) and len(v.encode()) <= most and not re.search(f"[{controls}]", v),
                f"a string of at most {most} bytes without control characters")


text, label = string(2**16, "\x00-\x09\x0b-\x1f\x7f-\x9f"), string(2**12, "\x00-\x1f\x7f-\x9f")
flag = such(lambda v: isinstance(v, bool), "true or false")
small_count = such(lambda v: type(v) is int and 0 <= v < 2**32, "a 32-bit count")
count = such(lambda v: type(v) is str and re.fullmatch("0|[1-9][0-9]{0,19}", v) and int(v) < 2**64, "a decimal count in a string")
word = such(lambda v: type(v) is str and re.fullmatch("0x[0-9a-f]{8}", v), "a word")
anything = such(lambda v: True, "wrong here: it is derived, and compared later")


def one_of(names): return such(lambda v: isinstance(v, str) and v in names, "a name that is known")
def list_of(item):
    def check(value, path):
        expect(isinstance(value, list), f"{path} is not a list")
        for k, one in enumerate(value):
            item(one, f"{path}/{k}")
    return check


# A member that is not there when it would say nothing: then `nothing` is what it says.
LeftOut = collections.namedtuple("LeftOut", "check nothing")
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


OUTCOMES = ("planned", "completed", "failed", "waived", "unsupported")
TALLY = members(planned=count, completed=count, failed=count, waived=LeftOut(count, "0"), unsupported=LeftOut(count, "0"))
LEAF = members(oracle=one_of(ORACLES), generator=text, slice=count, cases=TALLY, digest=LeftOut(text, ""))
EVIDENCE = members(subject=text, grade=text, cases=count, holds=flag)
FAILURE = members(check=one_of({"definition", "parity", "law", "determinism", "invariant"}), oracle=text, note=text, token=text,
                  minimality=one_of({"smallest", "shrunk", "as found"}), input=list_of(word), expected=list_of(word),
                  actual=list_of(word), fault=one_of(FAULTS), history=list_of(text))
COVERAGE = members(factors=list_of(members(factor=text, levels=list_of(members(level=text, cases=count)))), infeasible=count,
                   tuples=list_of(members(strength=small_count, covered=count, feasible=count)))
DEVIATIONS = members(bound=small_count, counts=list_of(count), beyond=count, greatest=count)
VERDICT = members(
    kind=one_of(KINDS), subject=text, entry=LeftOut(text, ""), pipeline=text,
    parity=list_of(members(oracle=one_of(ORACLES), cases=TALLY)), leaves=list_of(LEAF), root=anything,
    definition=TALLY, determinism=TALLY, dispatches=count, canaries=count, canaries_broken=LeftOut(count, "0"),
    classes=list_of(members(**{"class": text, "cases": count})), boundaries=small_count, boundaries_hit=small_count,
    laws=list_of(members(law=text, claimed=flag, evidence=list_of(EVIDENCE))), failure_count=LeftOut(count, "0"),
    invariants=LeftOut(list_of(members(invariant=text, evidence=text, cases=TALLY)), []),
    failures=LeftOut(list_of(FAILURE), []), failing_digest=LeftOut(text, ""), error=LeftOut(text, ""),
    track=LeftOut(one_of(TRACKS), "integer"), deviations=LeftOut(DEVIATIONS, None),
    operators=LeftOut(small_count, 0), shapes=LeftOut(small_count, 0), coverage=LeftOut(COVERAGE, None))
INSIDE = ("laws", "classes", "boundaries", "operators", "shapes")  # what entries of a registry have
REGISTRY = members(digest=text, operations=small_count, families=small_count, **{name: LeftOut(small_count, 0) for name in (
    *INSIDE, "tensors", "float_operations", "float_families", "approximate_operations", "approximate_families")})
WAIVER = members(subject=text, track=LeftOut(one_of(TRACKS), "integer"), failures=count, tag=text, link=text, expires=text)
PREDICATE = members(
    vyre=label, backend=label, device=label, driver=label, floats=LeftOut(text, ""), registry=REGISTRY,
    strength=one_of(STRENGTHS), seed=count, selection=label, family_selection=LeftOut(label, "*"),
    waivers=LeftOut(list_of(WAIVER), []), verdicts=list_of(VERDICT), **dict.fromkeys(
        ("coverage", "format", "levels", "totals", "trusts", "digest", "root", "tier", "track"), anything))


# what follows from verdicts
def track_of(verdict): return verdict.get("track", "integer")
def is_approximate(predicate): return "approximate_operations" in predicate["registry"]


def whole(tally, optional=False):
    """Whether something was planned, and all that may not be unsupported was done without a failure."""
    lacking = int(tally.get("unsupported", "0"))
    done = max(0, int(tally["planned"]) - lacking) if optional else int(tally["planned"]) if lacking == 0 else -1
    return tally["planned"] != "0" and int(tally["completed"]) == done and tally["failed"] == "0" and "waived" not in tally


def leaves_agree(verdict):
    """Whether leaves and tallies tell the same; what stopped a subject left cases without a leaf, and promises had none once."""
    leaves = [(leaf["oracle"], leaf["cases"]) for leaf in verdict["leaves"]]
    promises = [("property", [one["cases"] for one in promises_of(verdict)])] * any(oracle == "property" for oracle, _ in leaves)
    rows = [(row["oracle"], [row["cases"]]) for row in verdict["parity"]] + promises * bool(promises_of(verdict))
    judged = [([cases for of, cases in leaves if of == oracle], tallies) for oracle, tallies in rows]
    return all(int(cases["planned"]) <= LEAF_CASES for _, cases in leaves) and ("error" in verdict or all(
        len({sum(int(cases[name]) for cases in some) % 2**64 for some in pair}) == 1 for pair in judged for name in OUTCOMES[:2]))


def deviations_agree(predicate, verdict):
    """Whether errors are reported of approximate subjects alone, and of every case that the reference function judged."""
    reported, approximate, family = verdict.get("deviations"), track_of(verdict) == "approximate", verdict["kind"] == "family"
    if approximate != is_approximate(predicate) or not approximate:  # the two never share a certificate
        return approximate == is_approximate(predicate) and reported is None
    if reported is None or (reported["bound"] == 0 and "error" in verdict):
        return "error" in verdict
    counts, beyond, greatest = [int(n) for n in reported["counts"]], int(reported["beyond"]), int(reported["greatest"])
    most, answers = max((n for n, cases in enumerate(counts) if cases), default=0), sum(counts) + beyond
    if len(counts) != reported["bound"] + 1 or greatest < most or (beyond == 0 and greatest != most):
        return False
    judged = [int(row["cases"]["completed"]) for row in verdict["parity"] if row["oracle"] == "cpu reference function"]
    return "failures" in verdict or "error" in verdict or all(n == answers or (family and n < answers) for n in judged)


def coverage_agrees(verdict):
    """Whether coverage is reported for a family, of no more cases than were planned, and of every tuple that there can be."""
    covered, planned = verdict.get("coverage"), sum(int(row["cases"]["planned"]) for row in verdict["parity"])
    cases = [sum(int(level["cases"]) for level in factor["levels"]) for factor in covered["factors"]] if covered else []
    return covered is None or (
        verdict["kind"] == "family" and cases and covered["tuples"] and max(cases) <= planned and
        all(row["strength"] == k + 1 and int(row["covered"]) <= int(row["feasible"]) and
            ("error" in verdict or row["covered"] == row["feasible"]) for k, row in enumerate(covered["tuples"])))


def is_flaky(verdict): return any(failure["fault"] == "flaky" for failure in verdict.get("failures", []))
def tallies_of(verdict):
    rows = verdict["parity"] + verdict["leaves"] + promises_of(verdict)
    return [row["cases"] for row in rows] + [verdict["definition"], verdict["determinism"]]


def is_waived(predicate, verdict):
    """Whether waivers cover every failure of a verdict, and nothing else is wrong with it."""
    if "failure_count" not in verdict or "error" in verdict or is_flaky(verdict):
        return False
    known = all(int(t["planned"]) <= sum(int(t.get(name, "0")) for name in OUTCOMES[1:])
                for t in (row["cases"] for row in verdict["parity"] + promises_of(verdict)))
    covered = sum(int(waiver["failures"]) for waiver in predicate.get("waivers", [])
                  if waiver["subject"] == verdict["subject"] and track_of(waiver) == track_of(verdict))
    return (known and all(tally["failed"] == "0" for tally in tallies_of(verdict)) and
            covered % 2**64 == int(verdict["failure_count"]))


def waivers_fit(predicate):
    def fits(waiver):
        named = [v for v in predicate["verdicts"] if (v["subject"], track_of(v)) == (waiver["subject"], track_of(waiver))]
        return named and is_waived(predicate, named[0]) and waiver["link"] and waiver["failures"] != "0"
    touched = [v for v in predicate["verdicts"] if any("waived" in tally for tally in tallies_of(v))]
    return all(map(fits, predicate.get("waivers", []))) and all(is_waived(predicate, v) for v in touched)


def parity_holds(verdict, strength):
    optional = verdict["kind"] == "family" and verdict["subject"] == "ir.subgroups"
    cases = sum(int(row["cases"]["completed"]) for row in verdict["parity"] if row["oracle"] != "law") % 2**64
    deviations = verdict.get("deviations", {"bound": 0})
    if "error" in verdict or not verdict["parity"] or not all(whole(row["cases"], optional) for row in verdict["parity"]) or (
            track_of(verdict) == "approximate" and (deviations["bound"] == 0 or deviations["beyond"] != "0")) or (
            not whole(verdict["determinism"]) or verdict["canaries"] == "0" or "canaries_broken" in verdict or is_flaky(verdict)):
        return False
    return cases >= CASES.get(verdict["kind"], {strength: 0})[strength] and (
        verdict["kind"] in {"family", "generated engines", *TENSORS} or whole(verdict["definition"]) and
        any(row["oracle"] == "specification table" for row in verdict["parity"]) and
        all(row["cases"] != "0" for row in verdict["classes"]) and verdict["boundaries"] == verdict["boundaries_hit"])


def is_settled(verdict, law, strength):
    operator, _, name = law["law"].rpartition(": ")  # "add.u64: Commutative" is of an operator
    evidence, variables = law["evidence"], LAWS.get(name.split("(")[0])

    def has(subject, grade, cases):
        return any(one["subject"].startswith(subject) and one["grade"].startswith(grade) and int(one["cases"]) >= cases
                   for one in evidence)

    def settled(subject):
        if not law["claimed"] or verdict["kind"] in OVER_BUFFERS:
            return has(subject, "witnessed(", BUFFER_LAWS[strength]) if law["claimed"] else has(subject, "refuted(", 1)
        if operator:
            return has(subject, "exhausted(bool)", 2**variables) or (
                has(subject, "exhausted(edge16)", 16**variables) and has(subject, "witnessed(", STRENGTHS[strength]))
        all_of_them = 256**variables
        return ((has(subject, "exhausted(u8)", all_of_them) or has(subject, "exhausted(e5m2)", all_of_them)) and
                has(subject, "exhausted(edge256)", all_of_them) and has(subject, "witnessed(", WITNESSES))
    known = variables is not None or not law["claimed"] or verdict["kind"] in OVER_BUFFERS
    return known and all(one["holds"] for one in evidence) and all(map(settled, ("spec", "device(")))


MARKS = {"integer": "", "float": "f", "approximate": "a"}
OPERATIONS, FAMILIES = ({track: what if track == "integer" else f"{track}_{what}" for track in TRACKS}
                        for what in ("operations", "families"))
def promises_of(verdict): return verdict.get("invariants", [])
def promises_hold(verdict):
    return bool(promises_of(verdict)) >= (verdict["kind"] in ENGINES) and all(whole(one["cases"]) for one in promises_of(verdict))
def laws_hold(verdict, strength):  # what failed beside promises is of laws
    of_promises = sum(int(one["cases"]["failed"]) for one in promises_of(verdict)) % 2**64
    return all(is_settled(verdict, law, strength) for law in verdict["laws"]) and int(verdict.get("failure_count", "0")) <= of_promises
def greatest(track, predicate):  # without an engine, of integers, and an operation on tensors, of floats, there is no L3
    kinds = {v["kind"] for v in predicate["verdicts"] if track_of(v) == track}
    return 1 if track == "approximate" else 3 if kinds & (ENGINES if track == "integer" else TENSORS.keys()) else 2


def level_of(track, predicate, waiving=False):
    """0 to 3; when waiving, what is waived lowers none."""
    mine = [verdict for verdict in predicate["verdicts"] if track_of(verdict) == track]
    operations = sum(verdict["kind"] != "family" for verdict in mine)
    judged = [verdict for verdict in mine if not (waiving and is_waived(predicate, verdict))]
    families, there = len(mine) - operations, predicate["registry"].get(FAMILIES[track], 0)
    complete = operations and (families == there or (families < there and "family_selection" in predicate))
    if not complete or not all(parity_holds(verdict, predicate["strength"]) for verdict in judged):
        return 0
    if not all(laws_hold(v, predicate["strength"]) for v in judged):
        return 0 if track == "approximate" else 1
    return min(greatest(track, predicate), 3 if all(map(promises_hold, judged)) else 2)


def of_part(level, track, *shares):
    """A level, and how much there is of what it is of, where that is not all."""
    some = ", ".join(f"{n} of {there}{what}" for n, there, what in shares if n != there)
    return "none" if not level else f"L{level}{MARKS[track]}" + (f"({some})" if some else "")


def levels_of(predicate):
    registry, out, parts = predicate["registry"], {}, []
    floats = bool(registry.keys() & {"float_operations", "float_families"})
    for track in ["approximate"] if is_approximate(predicate) else ["integer", "float"] if floats else ["integer"]:
        level, kinds = level_of(track, predicate), [v["kind"] for v in predicate["verdicts"] if track_of(v) == track]
        operations = (len(kinds) - kinds.count("family"), registry.get(OPERATIONS[track], 0), "")
        families = (kinds.count("family"), registry.get(FAMILIES[track], 0), " families")
        out[track] = of_part(level, track, families)
        parts.append(f"{track}={of_part(level, track, operations, families)}")
    return {**out, "line": " ".join(parts)}


def passed_of(tally, stopped):
    """What failed has no answer or a wrong one. Where something stopped the subject, it is not known which."""
    planned, completed, failed, waived, lacking = (int(tally.get(name, "0")) for name in OUTCOMES)
    wrong = failed + waived
    return max(0, completed - wrong) if stopped else min(completed, max(0, planned - wrong - lacking))


def totals_of(predicate):
    verdicts = predicate["verdicts"]
    laws = [law for v in verdicts for law in v["laws"]]
    settled = [law["claimed"] for v in verdicts for law in v["laws"] if is_settled(v, law, predicate["strength"])]
    sums = {
        "parity_cases": sum(int(row["cases"]["completed"]) for v in verdicts for row in v["parity"]),
        "law_cases": sum(int(one["cases"]) for law in laws for one in law["evidence"]),
        "repeated_evaluations": sum(int(v["determinism"]["completed"]) for v in verdicts),
        "dispatches": sum(int(v["dispatches"]) for v in verdicts), "laws_verified": sum(settled),
        "laws_claimed": sum(law["claimed"] for law in laws), "laws_denied": sum(not law["claimed"] for law in laws),
        "laws_refuted": len(settled) - sum(settled), "failures": sum(int(v.get("failure_count", "0")) for v in verdicts)}
    outcomes = {name: sum(int(row["cases"].get(name, "0")) for v in verdicts for row in v["parity"]) % 2**64
                for name in ("planned", "waived", "unsupported")}
    outcomes["passed"] = sum(passed_of(row["cases"], "error" in v) for v in verdicts for row in v["parity"]) % 2**64
    outcomes["failed"] = max(0, outcomes["planned"] - outcomes["passed"] - outcomes["waived"] - outcomes["unsupported"])
    flaky, promises = sum(map(is_flaky, verdicts)), [whole(one["cases"]) for v in verdicts for one in promises_of(v)]
    sums |= {name: n for name, n in (("promises", len(promises)), ("promises_kept", sum(promises))) if n}
    return {name: str(value % 2**64) for name, value in (sums | outcomes | ({"flaky": flaky} if flaky else {})).items()}


def coverage_of(predicate):
    """How much of the registry was covered; what there is none of is left out."""
    verdicts, registry = predicate["verdicts"], predicate["registry"]
    covered = {name: sum(v.get(name, 0) for v in verdicts) for name in ("operators", "shapes")} | {
        "laws": sum(is_settled(v, law, predicate["strength"]) for v in verdicts for law in v["laws"]),
        "classes": sum(row["cases"] != "0" for v in verdicts for row in v["classes"]),
        "boundaries": sum(v["boundaries_hit"] for v in verdicts)}
    there = {name: registry.get(name, 0) for name in INSIDE}
    for is_family, names in ((False, OPERATIONS), (True, FAMILIES)):
        covered[names["integer"]] = sum((v["kind"] == "family") == is_family and "error" not in v for v in verdicts)
        there[names["integer"]] = sum(registry.get(name, 0) for name in names.values())
    return {name: {"covered": n % 2**32, "of": there[name] % 2**32} for name, n in covered.items()
            if n % 2**32 or there[name] % 2**32}


def conforms(predicate):
    """Whether every track of which something was judged has its highest level, but for what is waived."""
    tracks = {track_of(v) for v in predicate["verdicts"]}
    return bool(tracks) and all(level_of(track, predicate, waiving=True) == greatest(track, predicate) for track in tracks)


def tier_of(predicate):
    strength = predicate["strength"]
    cases = f"at least {STRENGTHS[strength]} cases of parity an operation"
    over_buffers = f"; over buffers {BUFFER_CASES[strength]}" if any(v["kind"] in OVER_BUFFERS for v in predicate["verdicts"]) else ""
    if is_approximate(predicate):
        return f"{strength}: at least {STRENGTHS[strength]} cases within the bound an operation"
    full = f"full: all laws, {cases}, and every domain of at most 2^32 inputs whole"
    return (full if strength == "full" else f"{strength}: all laws, and {cases}") + over_buffers


def roots_of(predicate):
    roots = [root_of(verdict).hex() for verdict in predicate["verdicts"]]
    return [root[:DIGEST_DIGITS] for root in roots], merkle_root([merkle_leaf(root) for root in roots]).hex()


def statement_around(predicate, packed):
    """The statement that has this predicate with its verdicts packed, and the digest that fits it."""
    predicate = {name: value for name, value in predicate.items() if name != "digest"} | {"verdicts": packed}
    subject = {"name": f"{predicate['backend']}: {predicate['device']}", "digest": {"sha256": predicate["registry"]["digest"]}}
    statement = {"_type": STATEMENT_TYPE, "predicateType": PREDICATE_TYPE, "predicate": predicate, "subject": [subject]}
    predicate["digest"] = hashlib.sha256(canonical(statement).encode()).hexdigest()
    return statement


def check_statement(payload):
    """The predicate of a statement that adds up, with its verdicts unpacked."""
    statement = read_canonical(payload, "the statement", DEPTH)
    expect(isinstance(statement, dict) and isinstance(statement.get("predicate"), dict), "there is no predicate")
    predicate = statement["predicate"]
    expect(type(predicate.get("format")) is int and predicate["format"] == FORMAT, f"the format is not {FORMAT}")
    packed = predicate.get("verdicts")
    predicate = {**predicate, "verdicts": unpack(packed)}
    PREDICATE(predicate, "")
    verdicts = predicate["verdicts"]
    expect(all(map(leaves_agree, verdicts)), "the leaves and the tallies of a verdict differ")
    expect(all(deviations_agree(predicate, v) for v in verdicts), "errors of a verdict are not those of its track and its cases")
    expect(all(map(coverage_agrees, verdicts)), "the coverage of a verdict is not of its cases and tuples")
    expect(waivers_fit(predicate), "the waivers are not those of the verdicts")
    roots, root = roots_of(predicate)
    expect([verdict.get("root") for verdict in verdicts] == roots, "the root of a verdict is not that of its leaves")
    expect(pack(verdicts) == packed, "the verdicts are not in the one form that is packed")
    derived = {"coverage": coverage_of(predicate), "levels": levels_of(predicate), "totals": totals_of(predicate),
               "trusts": TRUSTS, "track": "approximate" if is_approximate(predicate) else "strict",
               "tier": tier_of(predicate), "root": root}
    for name, value in derived.items():
        expect(predicate.get(name) == value, f'"{name}" does not follow from the verdicts; they give {value}')
    expect(canonical(statement_around(predicate, packed)).encode() == payload,
           "the digest is not that of the contents, or there are more or other parts than may be")
    return predicate


def check(data, public_key=None, key_id=None):
    """(the predicate, whether it is signed); with a key, only what that has signed. Raises Refused."""
    payload, signature = open_envelope(data)
    if public_key is not None:
        check_signature(payload, signature, public_key, key_id)
    return check_statement(payload), signature is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("certificate", type=pathlib.Path, metavar="CERT")
    parser.add_argument("--pubkey", type=pathlib.Path, help="refuse it unless this key signed it")
    arguments = parser.parse_args()
    try:
        for path in filter(None, (arguments.certificate, arguments.pubkey)):
            if path.exists() and (path.stat().st_mode >> 12 != 8 or path.stat().st_size > 2**28):  # a device need not end
                raise OSError(f"{path} is no regular file of at most 2^28 bytes")
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
    print(f"digest {predicate['digest'][:16]}; the certificate adds up and is {how}\nlevel: {predicate['levels']['line']}")
    return 0 if conforms(predicate) else 1


if __name__ == "__main__":
    sys.exit(main())
