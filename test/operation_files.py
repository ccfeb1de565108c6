"""How many operations the library has, counted in its folders as test/operation_files.h does."""
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "ops"


def texts(folder, words=""):
    return sum(words in path.read_text() for path in (FOLDER / folder).rglob("*.vyre"))


PRIMITIVES = texts("primitive")
APPROXIMATE = 3 * texts("floating", "// approximation: ")
FLOATS = 3 * texts("floating") + texts("float")
