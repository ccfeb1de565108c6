"""How many operations the library has, counted in its folders as test/operation_files.h does, and how many families there
are, by their ledger.
"""
import fnmatch
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parent.parent
FOLDER = SOURCE / "src" / "ops"


def texts(folder, words=""):
    return sum(words in path.read_text() for path in (FOLDER / folder).rglob("*.vyre"))


PRIMITIVES = texts("primitive")
APPROXIMATE = 3 * texts("floating", "// approximation: ")
FLOATS = 3 * texts("floating") + texts("float")


def families(track, pattern="*"):
    """How many families of a track ("Integer", "Float", "Approximate") have a name of the pattern."""
    ledger = (SOURCE / "src/verify/families.def").read_text()
    rows = re.findall(r'^VYRE_FAMILY\(\w+, +"([\w.]+)", +(\w+),', ledger, re.M)
    shared = {"Both"} if track in ("Integer", "Float") else set()
    return sum(of in shared | {track} and fnmatch.fnmatch(name, pattern) for name, of in rows)
