#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The memory that `lathe inspect` computes for a model at given sizes is what a run at these sizes takes.

    peak_memory.py LATHE MODEL --sizes 1,16 [--sizes 2,128 …]

Each --sizes stands for one run, and is the shape of every input of the model. A model that is not there is a failure, but
ends the script with 77 (skipped) where there is no shared folder to unpack it from.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402


def lines_of(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {process.stderr}")
    return [json.loads(line) for line in process.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lathe")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--sizes", action="append", required=True)
    arguments = parser.parse_args()
    if not arguments.model.exists():
        fixtures.missing(arguments.model)
    inputs = lines_of(arguments.lathe, "inspect", "--json", arguments.model)[0]["inputs"]
    wrong = False
    for sizes in arguments.sizes:
        shapes = [word for value in inputs for word in ("--shape", f"{value['name']}={sizes}")]
        computed = lines_of(arguments.lathe, "inspect", "--json", arguments.model, *shapes)[0]["peak_bytes"]
        seen = lines_of(arguments.lathe, "run", "--json", arguments.model, *shapes)[0]["arena_peak"]
        print(f"{sizes}: {computed} bytes computed, {seen} seen")
        wrong |= computed != seen
    sys.exit(wrong)


if __name__ == "__main__":
    main()
