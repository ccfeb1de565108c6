"""What the command lines of the examples share: where the program vyre is, and options that are read with a word of help."""
import argparse, os, pathlib, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent


def add_options(parser):
    parser.add_argument("--vyre", metavar="PROGRAM", help="the program to run; else the one built or installed beside the "
                        "examples, or on PATH")
    parser.add_argument("--backend", default="native", help="where it runs, as `vyre backends` lists them (%(default)s)")


def find_vyre(given):
    """The path of the program; ends the process with a line that says what to do when there is none."""
    beside = [str(HERE.parent / "build/release/bin"), *(str(parent / "bin") for parent in HERE.parents[3:4])]
    found = shutil.which(given) if given else shutil.which("vyre", path=os.pathsep.join(beside)) or shutil.which("vyre")
    if not found:
        sys.exit(f"{given} is no program" if given else
                 "there is no program vyre: build it with ./dev build, put it on PATH, or name it with --vyre PROGRAM")
    return found


def size(text):
    """Columns and rows: 64x32."""
    columns, _, rows = text.partition("x")
    if not (columns.isdecimal() and rows.isdecimal() and int(columns) and int(rows)):
        raise argparse.ArgumentTypeError(f"'{text}' is not columns and rows, like 64x32")
    return int(columns), int(rows)


def count(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of 0 or more")
    return int(text)


def run(main):
    """What vyre refuses it has said itself, so its exit code is enough."""
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(130)
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error))
