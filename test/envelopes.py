"""What tests read certificates with: the predicate inside the envelope, for what is written there is mostly what they ask.

It checks nothing: `vyre-conform verify` and tools/verify_certificate.py do.
"""
import base64
import json
import pathlib


def predicate(path):
    """What the certificate of that path says, as docs/certificate.md lists it."""
    envelope = json.loads(pathlib.Path(path).read_text())
    return json.loads(base64.b64decode(envelope["payload"]))["predicate"]
