"""vyre-conform keygen: key files that OpenSSL's own command reads, and that nothing overwrites.

Oracle: the `openssl` command, which reads the same files; docs/certificate.md, "Signatures".
"""
import hashlib
import subprocess
import unittest

from conform import FolderTest


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=True).stdout


class Keygen(FolderTest):
    def setUp(self):
        super().setUp()
        self.folder /= "keys"

    def keygen(self, exit_code, *arguments):
        return self.expect(exit_code, "keygen", *arguments, timeout=60)

    def test_writes_a_pair_that_openssl_reads(self):
        done = self.keygen(0, self.folder)
        secret, public = self.folder / "vyre.key", self.folder / "vyre.pub"
        self.assertEqual(secret.stat().st_mode & 0o777, 0o600)
        self.assertEqual(openssl("pkey", "-in", secret, "-pubout"), public.read_bytes())
        self.assertIn(b"ED25519", openssl("pkey", "-in", secret, "-noout", "-text"))
        der = openssl("pkey", "-pubin", "-in", public, "-outform", "DER")
        self.assertIn(f"key {hashlib.sha256(der).hexdigest()}\n", done.stdout)
        self.assertNotIn("BEGIN", done.stdout + done.stderr)

    def test_makes_another_key_each_time(self):
        self.keygen(0, self.folder)
        self.keygen(0, self.folder.with_name("more"))
        self.assertNotEqual((self.folder / "vyre.pub").read_text(), (self.folder.with_name("more") / "vyre.pub").read_text())

    def test_overwrites_nothing(self):
        self.keygen(0, self.folder)
        before = {p.name: p.read_bytes() for p in self.folder.iterdir()}
        self.assertIn("never overwritten", self.keygen(2, self.folder).stderr)
        self.assertEqual({p.name: p.read_bytes() for p in self.folder.iterdir()}, before)

    def test_says_where_it_cannot_write(self):
        self.keygen(2)
        self.assertIn("cannot write", self.keygen(2, self.folder / "none" / "none").stderr)
        self.folder.write_text("a file")
        self.assertIn("cannot write", self.keygen(2, self.folder).stderr)


if __name__ == "__main__":
    unittest.main()
