#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header of compiler/, views/ and app/ compiles alone, but for what is precompiled: each includes what it needs.

Where the source of the same name includes the header first, the build that compiles each file alone shows it (./dev test
--all; the daily builds do for the first of the files that they compile at once). The others are compiled here, with the
options of a source near the header, again only when it or an own header that it includes, at any depth, has changed.
Usage: check_headers.py BUILD_FOLDER
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def sources_of(compiled):
    """What a command compiles: one source, or those that a file of a unity build includes."""
    if not compiled.name.startswith("unity_"):
        return [compiled]
    return [Path(name) for name in INCLUDE.findall(compiled.read_text())]


def options_by_folder(build):
    """Folder -> the compiler and options of one source in it, for those folders that have sources."""
    result = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        sources = [file for file in sources_of(Path(entry["file"])) if ROOT in file.parents and build not in file.parents]
        if not sources:
            continue
        words = shlex.split(entry["command"])
        words = words[next(i for i, word in enumerate(words) if Path(word).name.startswith(("clang", "g++", "c++"))):]
        kept, skip = [words[0]], False
        for word in words[1:]:
            if skip:
                skip = False
            elif word in ("-o", "-c", "-MT", "-MF"):
                skip = True
            elif word != "-MD":
                kept.append(word)
        for source in sources:
            result.setdefault(source.parent, kept)
    return result


def options_for(header, by_folder):
    for folder in header.parents:
        if folder in by_folder:
            return by_folder[folder]
        near = [options for place, options in by_folder.items() if folder in place.parents]
        if near:
            return near[0]
    sys.exit("no source of the project is in compile_commands.json")


def closure(header):
    """The header and every own header it includes, at any depth."""
    seen, todo = set(), [header]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in INCLUDE.findall(file.read_text()):
            todo += [path for path in (ROOT / "compiler" / name, ROOT / name) if path.exists()]
    return sorted(seen)


def shown_by_build(header):
    """Whether the source of the same name includes the header before all others."""
    source = header.with_suffix(".cpp")
    first = ANY_INCLUDE.search(source.read_text()) if source.exists() else None
    return first is not None and header in (ROOT / "compiler" / first[1], ROOT / first[1])


def check(header, options):
    language = "c-header" if header.name in ("abi.h", "lathe_rt.h") else "c++-header"
    if language == "c-header":
        options = ["clang-19", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'compiler'}",
                   f"-I{ROOT / 'compiler' / 'abi'}"]
    command = [*options, "-Wno-pragma-once-outside-header", "-Wno-unused-const-variable", "-fsyntax-only", "-x",
               language, str(header)]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    build = Path(sys.argv[1]).resolve()
    by_folder = options_by_folder(build)
    stamps_file = build / "header_stamps.json"
    stamps = json.loads(stamps_file.read_text()) if stamps_file.exists() else {}
    headers = sorted(path for top in ("compiler", "views", "app") for path in (ROOT / top).rglob("*.h"))
    todo = []
    for header in (header for header in headers if not shown_by_build(header)):
        options = options_for(header, by_folder)
        digest = hashlib.sha256(" ".join(options).encode())
        for file in closure(header):
            digest.update(file.read_bytes())
        name = header.relative_to(ROOT).as_posix()
        if stamps.get(name) != digest.hexdigest():
            todo.append((name, header, options, digest.hexdigest()))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, _, _, digest), result in zip(todo, pool.map(lambda item: check(item[1], item[2]), todo)):
            if result.returncode:
                failed += 1
                print(f"{name} does not compile alone:\n{result.stderr[:2000]}")
            else:
                stamps[name] = digest
    stamps_file.write_text(json.dumps(stamps, indent=0))
    print(f"{len(headers)} headers, {len(todo)} compiled now, {failed} fail")
    sys.exit(bool(failed) or not headers)


if __name__ == "__main__":
    main()
