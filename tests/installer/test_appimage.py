#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An AppImage is refused without its known runtime, says where it is updated from, has the folder behind the runtime, and its
starter says which C library it needs.

The runtime here is a C program with the sections of one.
"""
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "installer"))
import appimage  # noqa: E402

UPDATE = "zsync|https://lathe.invalid/lathe-x86_64.AppImage.zsync"
SOURCE = """
__attribute__((section(".upd_info"), used)) char updates[64] = {0};
__attribute__((section(".after"), used)) char after[4] = "abc";
int main(void) { return 0; }
"""


class AppImage(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.runtime = self.folder / "runtime"
        subprocess.run(["gcc", "-x", "c", "-", "-o", self.runtime], input=SOURCE, text=True, check=True)
        self.bytes = self.runtime.read_bytes()

    def refused(self, word, function, *arguments):
        with self.assertRaises(appimage.Refusal) as caught:
            function(*arguments)
        self.assertIn(word, str(caught.exception))

    def test_only_the_known_runtime_is_taken(self):
        known = {"x86_64": hashlib.sha256(self.bytes).hexdigest()}
        self.assertEqual(appimage.read_runtime(self.runtime, "x86_64", known), self.bytes)
        self.refused("runtime-x86_64", appimage.read_runtime, None, "x86_64")
        self.refused("No such file", appimage.read_runtime, self.folder / "none", "x86_64")
        self.refused(known["x86_64"], appimage.read_runtime, self.runtime, "x86_64")
        self.refused("riscv64", appimage.read_runtime, self.runtime, "riscv64", known)

    def test_update_information_stands_in_its_section(self):
        told = appimage.with_update_information(self.bytes, UPDATE)
        self.runtime.write_bytes(told)
        copy = self.folder / "section"
        subprocess.run(["objcopy", "--dump-section", f".upd_info={copy}", self.runtime, self.folder / "other"], check=True)
        self.assertEqual(copy.read_bytes(), UPDATE.encode().ljust(64, b"\0"))
        at = told.index(UPDATE.encode())
        self.assertEqual((told[:at], told[at + 64:]), (self.bytes[:at], self.bytes[at + 64:]))
        subprocess.run([self.runtime], check=True)

    def test_update_information_that_leads_nowhere_is_refused(self):
        for text in ("https://lathe.invalid/lathe.zsync", "zsync", "zsync|https://lathe.invalid/lathe.AppImage",
                     "zsync|two words.zsync", "zsync|https://lathe.invalid/é.zsync", "", "zsync|" + "a" * 53 + ".zsync"):
            self.refused("--update-information", appimage.with_update_information, self.bytes, text)
        subprocess.run(["objcopy", "--rename-section", ".upd_info=.other", self.runtime], check=True)
        self.refused(".upd_info", appimage.with_update_information, self.runtime.read_bytes(), UPDATE)

    def test_folder_lies_behind_the_runtime(self):
        tree, image = self.folder / "AppDir", self.folder / "image"
        tree.mkdir()
        (tree / "AppRun").write_text("what is started")
        appimage.write_image(self.bytes, tree, image)
        self.assertEqual(image.read_bytes()[:len(self.bytes)], self.bytes)
        subprocess.run([image], check=True)
        told = subprocess.run(["unsquashfs", "-offset", str(len(self.bytes)), "-cat", image, "AppRun"], check=True,
                              capture_output=True, text=True)
        self.assertEqual(told.stdout, "what is started")
        again = self.folder / "again"
        appimage.write_image(self.bytes, tree, again)
        self.assertEqual(image.read_bytes(), again.read_bytes())
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["AppDir", "again", "image", "runtime"])

    def start(self, libc, name):
        programs = self.folder / "usr" / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        starter, getconf = self.folder / "AppRun", self.folder / "tools" / "getconf"
        getconf.parent.mkdir(exist_ok=True)
        for path, text in ((starter, appimage.starter((2, 36))), (getconf, f"#!/bin/sh\n{libc}\n"),
                           *((programs / each, '#!/bin/sh\necho "${0##*/} $*"\n')
                             for each in ("lathe", "lathe-runner", "lathe-workbench", "dot"))):
            path.write_text(text)
            path.chmod(0o755)
        done = subprocess.run([starter, "a b", "c"], capture_output=True, text=True,
                              env={"PATH": f"{getconf.parent}:{os.environ['PATH']}", "ARGV0": name})
        return done.returncode, done.stdout + done.stderr

    def test_starter_says_what_is_too_old(self):
        for version in ("2.35", "2.9", "1.99"):
            code, told = self.start(f"echo glibc {version}", "")
            self.assertEqual((code, told), (1, f"lathe: needs the GNU C library 2.36 or newer; this system has {version}\n"))
        for tells in ("echo glibc 2.36", "echo glibc 2.41.9000", "echo glibc 3.0", "exit 1", "echo"):
            self.assertEqual(self.start(tells, ""), (0, "lathe-workbench a b c\n"), tells)

    def test_starter_starts_what_it_is_called_as(self):
        for name, program in (("/opt/lathe", "lathe"), ("lathe-runner", "lathe-runner"), ("dot", "lathe-workbench"),
                              ("./lathe-0.1.0-x86_64.AppImage", "lathe-workbench"), ("", "lathe-workbench")):
            self.assertEqual(self.start("echo glibc 2.36", name), (0, f"{program} a b c\n"))


if __name__ == "__main__":
    unittest.main()
