#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lathe-check on bundles: one that is good, where nothing but a kernel is; and bundles that are not good, each refused by a
sentence that names the file, never by a crash.

    test_bundles.py LATHE MODEL LATHE-CHECK
"""
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LATHE, MODEL, CHECK = (Path(word).resolve() for word in sys.argv[1:4])
MUTANTS = 150 * int(os.environ.get("LATHE_FUZZ", "1"))


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120,
                          **{"errors": "replace", **options})


def npy(values, dims, kind="<f4", code="f"):
    shape = ", ".join(map(str, dims)) + ("," if len(dims) == 1 else "")
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}"
    header = header.ljust((10 + len(header) + 1 + 63) // 64 * 64 - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + \
        struct.pack(f"<{len(values)}{code}", *values)


def write_sums(folder):
    rows = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != "SHA256SUMS":
            rows.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n")
    (folder / "SHA256SUMS").write_text("".join(rows))


def make_bundle(folder):
    """A bundle of the model, with what it gives for one input."""
    (folder / "model").mkdir(parents=True)
    artifact = folder / "model" / "x.so"
    made = run(LATHE, "compile", MODEL, "-o", artifact, "--quiet")
    assert made.returncode == 0, made.stderr
    case = folder / "golden" / "random-0"
    case.mkdir(parents=True)
    inspected = json.loads(run(LATHE, "inspect", MODEL, "--json").stdout)
    value, = inspected["inputs"]
    dims = [int(dim) for dim in value["shape"]]
    count = 1
    for dim in dims:
        count *= dim
    numbers = random.Random(7)
    (case / "input_0.npy").write_bytes(npy([numbers.uniform(-1, 1) for _ in range(count)], dims))
    ran = run(LATHE, "run", artifact, "--input", f"{value['name']}={case / 'input_0.npy'}", "--save", case / "saved")
    assert ran.returncode == 0, ran.stderr
    saved, = (case / "saved").iterdir()
    saved.rename(case / "output_0.npy")
    (case / "saved").rmdir()
    (case / "case.json").write_text(json.dumps({"outputs": [{"compare": True}], "inputs": [{}],
                                                "tolerance": {"absolute": 1e-6, "of_range": 1e-3}}))
    (folder / "manifest.json").write_text(json.dumps({"schema": "lathe-bundle/1", "variants": [{"path": "model/x.so"}],
                                                      "limits": {"p50_ms": 0, "size_bytes": 0}}))
    write_sums(folder)


class Bundles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.good = Path(cls.scratch.name) / "good"
        make_bundle(cls.good)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def copy(self):
        folder = Path(tempfile.mkdtemp(dir=self.scratch.name)) / "a bundle, ünpacked"
        shutil.copytree(self.good, folder)
        return folder

    def refused(self, folder, *words):
        done = run(CHECK, folder, "--repeat", 1)
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)
        return done.stdout

    def test_a_good_one_passes_with_its_figures(self):
        done = run(CHECK, self.copy(), "--repeat", 5)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for words in (r"^files: 5 files of", r"^load: model/x.so \(", r"^random-0: right: at most \d", r"p99 .* of 5 runs"):
            self.assertRegex(done.stdout, re.compile(words, re.M))

    def test_programs_get_an_object_a_line(self):
        done = run(CHECK, "--json", "--repeat", 5, "--threads", 1, self.good)
        rows = {row["step"]: row for row in map(json.loads, done.stdout.splitlines())}
        self.assertEqual({row["verdict"] for row in rows.values()}, {"good"})
        self.assertLessEqual(rows["time"]["p50_ms"], rows["time"]["p99_ms"])
        self.assertGreater(rows["time"]["resident_bytes"], 0)
        self.assertEqual(rows["time"]["threads"], 1)
        self.assertEqual(rows["files"]["files"], 5)

    def test_nothing_but_a_kernel_is_needed(self):
        """In a root that holds the bundle alone: no libraries, no /proc, no /dev, nothing to write to."""
        chroot = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin")
        to_root = [] if os.geteuid() == 0 else [shutil.which("unshare"), "--map-root-user"]
        root = self.copy().parent
        shutil.copy(CHECK, root / "lathe-check")
        done = run(*to_root, chroot, root, "/lathe-check", "/a bundle, ünpacked", "--repeat", 2, env={}, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_changed_file_is_named_with_both_hashes(self):
        for name in ("model/x.so", "golden/random-0/input_0.npy", "manifest.json"):
            folder = self.copy()
            data = bytearray((folder / name).read_bytes())
            before = hashlib.sha256(data).hexdigest()
            data[len(data) // 2] ^= 1
            (folder / name).write_bytes(data)
            self.refused(folder, f"files: FAILED: {name}: ", before, hashlib.sha256(data).hexdigest())

    def test_a_file_of_somebody_else_is_named(self):
        folder = self.copy()
        (folder / "examples" / "build").mkdir(parents=True)
        (folder / "examples" / "build" / "main").write_text("built here")
        self.assertEqual(run(CHECK, folder, "--repeat", 1).returncode, 0)
        (folder / "model" / "liblathe_rt.so.1").write_text("planted")
        self.refused(folder, "files: FAILED: model/liblathe_rt.so.1: the file is not of this bundle")

    def test_a_missing_a_linked_and_a_special_file_are_named(self):
        folder = self.copy()
        (folder / "model/x.so").unlink()
        self.refused(folder, "model/x.so: it is missing")
        (folder / "model/x.so").symlink_to(self.good / "model/x.so")
        self.refused(folder, "model/x.so: it is a link")
        (folder / "model/x.so").unlink()
        os.mkfifo(folder / "model/x.so")
        self.refused(folder, "model/x.so: it is no plain file")
        shutil.rmtree(folder / "model")
        (folder / "model").symlink_to(self.good / "model")
        self.refused(folder, "model/x.so: it is a link")
        (folder / "SHA256SUMS").unlink()
        self.refused(folder, "SHA256SUMS: it is missing")
        (folder / "SHA256SUMS").symlink_to("SHA256SUMS")
        self.refused(folder, "SHA256SUMS: it is a link")

    def test_paths_that_lead_out_are_refused(self):
        for path in ("/etc/passwd", "../good/model/x.so", "model/../../good/model/x.so", "model//x.so", "./model/x.so", "."):
            folder = self.copy()
            with (folder / "SHA256SUMS").open("a") as sums:
                sums.write("0" * 64 + f"  {path}\n")
            self.refused(folder, "SHA256SUMS: line 6 names a path that leads out of the bundle")
        folder = self.copy()
        sums = folder / "SHA256SUMS"
        sums.write_text(sums.read_text() + sums.read_text().splitlines()[0] + "\n")
        self.refused(folder, "line 6 names a file again")
        sums.write_text("nothing\n")
        self.refused(folder, "line 1 is not a hash, two blanks, a path and its end")
        folder = self.copy()
        (folder / "manifest.json").write_text('{"schema": "lathe-bundle/1", "variants": [{"path": "../good/model/x.so"}]}')
        write_sums(folder)
        self.refused(folder, "manifest.json: one of its variants names no file that SHA256SUMS lists")

    def test_another_schema_is_refused(self):
        folder = self.copy()
        (folder / "manifest.json").write_text('{"schema": "lathe-bundle/2"}')
        write_sums(folder)
        self.refused(folder, 'manifest.json: its schema is "lathe-bundle/2", this program reads lathe-bundle/1')

    def test_wrong_values_are_told(self):
        folder = self.copy()
        output = folder / "golden/random-0/output_0.npy"
        data = bytearray(output.read_bytes())
        data[-4:] = struct.pack("<f", 1000)
        output.write_bytes(data)
        write_sums(folder)
        self.refused(folder, "random-0: FAILED: output ", "elements differ; worst at [", "expected 1000")

    def test_a_limit_that_is_not_kept_fails(self):
        folder = self.copy()
        (folder / "manifest.json").write_text(json.dumps({"schema": "lathe-bundle/1", "variants": [{"path": "model/x.so"}],
                                                          "limits": {"size_bytes": 10}}))
        write_sums(folder)
        self.refused(folder, "limits: FAILED: size in bytes is ", "the limit 10")

    def test_hostile_files_with_right_hashes_never_crash_it(self):
        """All but the model's code, which whoever can write a bundle may choose."""
        numbers = random.Random(11)
        names = ["golden/random-0/input_0.npy", "golden/random-0/output_0.npy", "golden/random-0/case.json", "manifest.json",
                 "SHA256SUMS"]
        folder = self.copy()
        whole = {name: (folder / name).read_bytes() for name in names}
        for mutant in range(MUTANTS):
            name = numbers.choice(names)
            data = bytearray(whole[name])
            for _ in range(numbers.randint(1, 4)):
                kind = numbers.randrange(4)
                at = numbers.randrange(min(len(data), 128)) if data else 0
                if kind == 0 and data:
                    data[at] = numbers.randrange(256)
                elif kind == 1:
                    del data[at:at + numbers.randint(1, 40)]
                elif kind == 2:
                    data[at:at] = numbers.choice([b"99999999999999999999", b"-1", b"[" * 500, b"\x00", b"'", b"1e999", b"{"])
                else:
                    data = data[:at]
            (folder / name).write_bytes(data)
            if name != "SHA256SUMS":
                write_sums(folder)
            done = run(CHECK, folder, "--repeat", 0)
            self.assertIn(done.returncode, (0, 1), f"mutant {mutant} of {name}")
            self.assertNotRegex(done.stdout, "crashed|please report|has not ended", f"mutant {mutant} of {name}")
            for restored in (name, "SHA256SUMS"):
                (folder / restored).write_bytes(whole[restored])

    def test_usage(self):
        for words in (["--no-such"], ["--repeat", "x"], ["--threads"], ["a", "b"]):
            self.assertEqual(run(CHECK, *words).returncode, 2)
        self.assertEqual(run(CHECK, "--help").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
