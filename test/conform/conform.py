"""Runs vyre-conform for the tests in this folder."""
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["VYRE_BIN"])
PROGRAM = BIN / "vyre-conform"


def run(*arguments, program="vyre-conform", prefix=(), timeout=900, **options):
    """The finished process, with text output."""
    return subprocess.run([*prefix, BIN / program, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          **options)


class ConformTest(unittest.TestCase):
    @classmethod
    def class_folder(cls):
        """A folder that is there as long as the class."""
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        return pathlib.Path(holder.name)

    def expect(self, exit_code, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done


class FolderTest(ConformTest):
    """Each test has a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
