#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one suite of ONNX tests through `lathe test` and compares each outcome with the committed list, SUITE.txt beside this file.

    conformance.py SUITE --lathe PROGRAM [--update]

Any change for the worse fails; a better outcome fails too, until the list says so: --update rewrites the list. Ends with 77
(skipped) where the suite comes from the shared folder and there is none.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import outcomes

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402


class Suite(NamedTuple):
    folder: str  # below build/fixtures, or absolute
    title: str
    tolerance: str = "onnx"
    shared: bool = True  # it comes from the shared folder


SUITES = {
    "package": Suite("onnx-nodes", "The node tests that the package onnx 1.23.2 defines", shared=False),
    "debian": Suite("/usr/share/libonnx-testdata/data", "The tests of ONNX 1.12, as Debian packages them", shared=False),
    "newest": Suite("onnx-backend/onnx/backend/test/data", "The newest tests of ONNX"),
    "older": Suite("onnx-backend-old", "Tests of older versions of ONNX's operators, by release"),
    "models": Suite("models", "Models found in the wild", tolerance="model"),
    "networks": Suite("perf", "The networks that Lathe's speed is measured by", tolerance="model"),
}


def run(lathe, suite, folder):
    """Outcomes by name: the path below the folder, without /model.onnx or .onnx."""
    process = subprocess.run([lathe, "test", folder, "--json", "--tolerance", suite.tolerance], stdout=subprocess.PIPE, text=True)
    got = {}
    for line in process.stdout.splitlines():
        result = json.loads(line)
        if "path" in result:
            name = str(Path(result["path"]).relative_to(folder)).removesuffix("/model.onnx").removesuffix(".onnx")
            got[name] = outcomes.Outcome(result["outcome"], result["operator"], message=result["message"])
    return got


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--lathe", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    suite = SUITES[options.suite]
    folder = fixtures.CHECKOUT / "build" / "fixtures" / suite.folder
    if not folder.exists():
        fixtures.missing(folder, shared=suite.shared)
    path = Path(__file__).with_name(f"{options.suite}.txt")
    head, expected = outcomes.parse(path.read_text()) if path.exists() else ([], {})
    got = run(options.lathe, suite, folder)
    print(f"{options.suite}: {outcomes.counts(got)}")
    if options.update:
        unacceptable = [f"{name}: {outcome}  {outcome.message}" for name, outcome in got.items() if outcome.kind in outcomes.NEVER]
        if not unacceptable:
            expected = outcomes.updated(expected, got)
            path.write_text(outcomes.render(head or [f"# {suite.title}."], expected))
        problems = unacceptable + list(outcomes.faults(expected))
    else:
        problems = list(outcomes.faults(expected)) + list(outcomes.changes(expected, got))
    for problem in problems[:100]:
        print(problem)
    if problems:
        print(f"{len(problems)} differences from {path.name}; where they are meant: ./dev conformance --update {options.suite}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
