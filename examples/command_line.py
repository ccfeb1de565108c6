"""What the command lines of the examples share: where the program vyre is, and options that are read with a word of help."""
import argparse, os, pathlib, shutil, subprocess, sys, tempfile

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


def words(values):
    """Numbers as a buffer of words."""
    return b"".join(value.to_bytes(4, "little") for value in values)


def numbers(buffer):
    return [int.from_bytes(buffer[i:i + 4], "little") for i in range(0, len(buffer), 4)]


def run_operation(options, operation, inputs, outputs):
    """The buffers that an operation of the library leaves. inputs: bytes by name; outputs: how many elements, by name."""
    with tempfile.TemporaryDirectory() as folder:
        command = [find_vyre(options.vyre), "run", operation, "--backend", options.backend]
        for name, content in inputs.items():
            path = pathlib.Path(folder, name)
            path.write_bytes(content + bytes(-len(content) % 4))
            command += ["--set", f"{name}=@{path}"]
        for name, count in outputs.items():
            command += ["--set", f"{name}=zeros:{count}", "--get", f"{name}=@{folder}/{name}.out"]
        subprocess.run(command, check=True)
        return {name: pathlib.Path(folder, f"{name}.out").read_bytes() for name in outputs}


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
