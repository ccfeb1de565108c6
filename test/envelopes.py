"""What tests read certificates with: the predicate inside the envelope, for what is written there is mostly what they ask.

It checks nothing: `vyre-conform verify` and tools/verify_certificate.py do; what is packed is unpacked as the latter has it.
"""
import base64
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import verify_certificate


def predicate(path):
    """What the certificate of that path says, as docs/certificate.md lists it, with its verdicts unpacked and no failures where none are."""
    envelope = json.loads(pathlib.Path(path).read_text())
    packed = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    return packed | {"verdicts": [{"failures": []} | verdict for verdict in verify_certificate.unpack(packed["verdicts"])]}
