"""How many operations the library has, counted in its folders as test/operation_files.h does."""
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "ops"


def files(folder, pattern="*.cpp"):
    return len(list((FOLDER / folder).rglob(pattern)))


PRIMITIVES = files("primitive")
APPROXIMATE = 3 * files("floating", "*_approx.cpp")
FLOATS = 3 * (files("floating") - files("floating", "*_approx.cpp") - files("floating", "to_*.cpp")) + 4
