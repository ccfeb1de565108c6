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


def over_buffers():
    """Operations over buffers without and with a buffer of f32 among the parameters of `main`: one a text, or one a line `// as`."""
    counts = [0, 0]
    for path in (SOURCE / "src/library").rglob("*.vyre"):
        text = path.read_text()
        parameters = re.search(r"^pipeline main\((.*?)\)", text, re.M | re.S)[1]
        counts["f32" in parameters] += max(1, len(re.findall(r"^// as [a-z0-9_.]+:", text, re.M)))
    return counts


# Of the ledger of tensors, whose first row is elementwise operations, and random graphs; `index` gives integers alone.
TENSORS = len(re.findall(r"^VYRE_TENSOR_(?:OP|VALUE)\(", (SOURCE / "src/ir/tensor_ops.def").read_text(), re.M)) + 1

# What a strict certificate is of; generated engines are one more.
INTEGER_SUBJECTS, FLOAT_SUBJECTS = (
    sum(counts) for counts in zip((PRIMITIVES + 1, FLOATS), over_buffers(), (TENSORS, TENSORS - 1)))


def families(track, pattern="*"):
    """How many families of a track ("Integer", "Float", "Approximate") have a name of the pattern."""
    ledger = (SOURCE / "src/verify/families.def").read_text()
    rows = re.findall(r'^VYRE_FAMILY\(\w+, +"([\w.]+)", +(\w+),', ledger, re.M)
    shared = {"Both"} if track in ("Integer", "Float") else set()
    return sum(of in shared | {track} and fnmatch.fnmatch(name, pattern) for name, of in rows)
