"""Runs the built programs for the tests in this folder."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("VYRE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BIN = pathlib.Path(os.environ.get("VYRE_BIN", SOURCE / "build/release/bin"))
EXAMPLES = SOURCE / "examples"


def vyre(*arguments, program="vyre", **options):
    """The finished process, with text output."""
    return subprocess.run([str(BIN / program), *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          **options)


def float_texts(folder):
    """The texts of test/floats at each type (test/float_texts.h), as files there; sorted."""
    folder.mkdir(exist_ok=True)
    subprocess.run([BIN / "write_float_texts", folder], check=True, env={**os.environ, "VYRE_SOURCE_DIR": str(SOURCE)})
    return sorted(folder.glob("*.vyre"))


class CommandTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def expect(self, code, *arguments, program="vyre", **options):
        """Runs, and wants this exit code; nothing may ever end by a signal."""
        done = vyre(*arguments, program=program, **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def refuse(self, code, words, *arguments, **options):
        """Wants the exit code, and each of the words in what is said on stderr; nothing on stdout."""
        done = self.expect(code, *arguments, **options)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stdout, "")
        return done
