#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the runtime packages to what they promise: an interface and nothing else exported, an old system is enough, small,
and programs that start on their machine (emulated by qemu-user where it is installed).

    test_packages.py FOLDER READELF CLANG++ MACHINE…
"""
import functools
import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER, READELF, CLANG = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
MACHINES = [name for name in sys.argv[4:] if (FOLDER / f"{name}-linux-gnu").is_dir()]
HERE = Path(__file__).resolve().parent
# The newest that a system must have: CentOS 7's C library, GCC 6's C++ library. RISC-V began with glibc 2.27.
FLOOR = {"GLIBC": "2.17", "GLIBCXX": "3.4.22", "CXXABI": "1.3.11", "GCC": "3.0"}
RISCV_GLIBC = "2.27"
SHARED_BYTES = 180_000


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **options)


def key(version):
    return [int(part) for part in version.split(".")]


def emulator(machine):
    """The words before a program of that machine; None: it cannot run here."""
    if machine == "x86_64":
        return []
    qemu = shutil.which(f"qemu-{machine}")
    return [qemu, "-L", f"/usr/{machine}-linux-gnu"] if qemu else None


def of_each_package(test):
    @functools.wraps(test)
    def of_all(self):
        for machine in MACHINES:
            with self.subTest(machine=machine):
                test(self, machine, FOLDER / f"{machine}-linux-gnu")
    return of_all


class Packages(unittest.TestCase):
    def test_there_is_one_for_this_machine(self):
        self.assertTrue(MACHINES)

    @of_each_package
    def test_the_description_is_true(self, machine, folder):
        described = json.loads((folder / "runtime.json").read_text())
        self.assertEqual(described["triple"], f"{machine}-linux-gnu")
        here = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(set(described["files"]) | {"runtime.json"}, here)
        for name, row in described["files"].items():
            data = (folder / name).read_bytes()
            self.assertEqual(row, {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}, name)

    @of_each_package
    def test_no_newer_system_than_promised_is_asked_for(self, machine, folder):
        versions = run(READELF, "--version-info", folder / "lib/liblathe_rt.so.1").stdout
        needed = re.findall(r"Name: ([A-Z]+)_([0-9.]+)", versions[versions.index("Version needs"):])
        self.assertTrue(needed)
        for name, version in needed:
            most = RISCV_GLIBC if (machine, name) == ("riscv64", "GLIBC") else FLOOR[name]
            self.assertLessEqual(key(version), key(most), f"{name}_{version}")
        floor = json.loads((folder / "runtime.json").read_text())["floor"]
        for name in floor:
            self.assertEqual(key(floor[name]), max(key(version) for set_, version in needed if set_ == name))

    @of_each_package
    def test_the_interface_alone_is_exported(self, machine, folder):
        header = (HERE.parents[1] / "compiler/runtime/lathe_rt.h").read_text()
        promised = set(re.findall(r"\b(lathe_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
        symbols = run(READELF, "--dyn-syms", "--wide", folder / "lib/liblathe_rt.so.1").stdout
        defined = {words[7].split("@")[0] for words in map(str.split, symbols.splitlines())
                   if len(words) == 8 and words[0].rstrip(":").isdigit() and words[6] != "UND"}
        self.assertEqual(defined, promised)

    @of_each_package
    def test_the_shared_library_is_small_and_has_its_name(self, machine, folder):
        library = folder / "lib/liblathe_rt.so.1"
        self.assertLess(library.stat().st_size, SHARED_BYTES)
        dynamic = run(READELF, "-d", "-l", "--wide", library).stdout
        self.assertIn("[liblathe_rt.so.1]", dynamic)
        self.assertNotIn("RUNPATH", dynamic)
        for alignment in re.findall(r"^\s*LOAD.* (0x[0-9a-f]+)$", dynamic, flags=re.M):
            self.assertGreaterEqual(int(alignment, 16), 0x10000)  # pages of 64 KiB

    @of_each_package
    def test_programs_are_static_and_start(self, machine, folder):
        for program in (folder / "bin").iterdir():
            self.assertNotIn("INTERP", run(READELF, "-l", "--wide", program).stdout)
        before = emulator(machine)
        if before is not None:  # it serves nobody, and ends
            done = run(*before, folder / "bin/lathe-runner", stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = run(*before, folder / "bin/lathe-check", folder)
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn("SHA256SUMS: it is missing", done.stdout)

    @of_each_package
    def test_programs_link_against_each_library(self, machine, folder):
        source = '#include <lathe/lathe_rt.h>\n#include <stdio.h>\n' \
                 'int main(void) { lathe_model* model; puts(lathe_version());\n' \
                 '  return lathe_model_load("none.so", &model) != LATHE_IO_ERROR; }\n'
        for library, words in {"liblathe_rt.so.1": [f"-Wl,-rpath,{folder}/lib"], "liblathe_rt.a": ["-pthread"],
                               "liblathe_rt_nothreads.a": []}.items():
            with tempfile.TemporaryDirectory() as scratch:
                program = Path(scratch) / "program"
                built = run(CLANG, f"--target={machine}-linux-gnu", "-fuse-ld=lld-19", "-x", "c++", "-",
                            "-x", "none", "-I", folder / "include", folder / "lib" / library, *words, "-o", program,
                            input=source)
                self.assertEqual(built.returncode, 0, built.stderr)
                before = emulator(machine)
                if before is not None:
                    ran = run(*before, program)
                    self.assertEqual((ran.returncode, ran.stderr), (0, ""), library)
                    self.assertRegex(ran.stdout, r"^\d+\.\d+\.\d+\n$")

    def test_headers_need_no_newer_language_than_promised(self):
        """C99 and C++17 as GCC understands them; without exceptions what fails ends the program, with its sentence."""
        package = FOLDER / f"{MACHINES[0]}-linux-gnu"
        strict = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-I", package / "include"]
        c = '#include <lathe/lathe_rt.h>\nint main(void) { return lathe_version()[0] == 0; }\n'
        cpp = '#include <lathe/lathe_rt.hpp>\nint main() { lathe::Model model("none.so"); }\n'
        caught = '#include <lathe/lathe_rt.hpp>\nint main() {\n' \
                 '  try { lathe::Model model("none.so"); }\n' \
                 '  catch (const lathe::Error& error) { return error.status != LATHE_IO_ERROR; }\n  return 1;\n}\n'
        library = [package / "lib/liblathe_rt.so.1", f"-Wl,-rpath,{package}/lib"]
        with tempfile.TemporaryDirectory() as scratch:
            program = Path(scratch) / "program"
            for words, source, code in ((["gcc", "-std=c99", "-x", "c"], c, 0),
                                        (["g++", "-std=c++17", "-x", "c++"], caught, 0),
                                        (["g++", "-std=c++17", "-fno-exceptions", "-x", "c++"], cpp, -signal.SIGABRT)):
                built = run(*words, "-", "-x", "none", *strict, *library, "-o", program, input=source)
                self.assertEqual(built.returncode, 0, built.stderr)
                ran = run(program)
                self.assertEqual(ran.returncode, code, ran.stderr)
                if code:
                    self.assertIn("cannot open none.so: No such file or directory", ran.stderr)

    @of_each_package
    def test_without_threads_nothing_asks_for_them(self, machine, folder):
        symbols = run(READELF, "--syms", "--wide", folder / "lib/liblathe_rt_nothreads.a").stdout
        self.assertNotRegex(symbols, r"UND \S*(pthread|_ZNSt6thread)")
        self.assertIn("lathe_run\n", symbols)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
