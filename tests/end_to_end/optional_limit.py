#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models are right with any number of optional passes: `lathe test --tolerance model --optional-limit N` for each N from 0
to one more than there are.

    optional_limit.py LATHE MODEL…

A model that is not there is a failure, but ends the script with 77 (skipped) where there is no shared folder to unpack it
from.
"""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402


def optional_passes(lathe, model):
    lines = subprocess.run([lathe, "passes", "--json", model], capture_output=True, text=True, check=True).stdout.splitlines()
    return sum(not json.loads(line)["required"] for line in lines)


def main():
    lathe, models = sys.argv[1], sys.argv[2:]
    for model in models:
        if not pathlib.Path(model).exists():
            fixtures.missing(model)
    wrong = 0
    most = max(optional_passes(lathe, model) for model in models) + 1
    for limit in range(most + 1):
        process = subprocess.run([lathe, "test", "--json", "--tolerance", "model", "--timeout", "600", "--jobs", "2",
                                  "--optional-limit", str(limit), *models], capture_output=True, text=True)
        for line in map(json.loads, process.stdout.splitlines()):
            if "path" in line and line["outcome"] != "passed":
                wrong += 1
                print(f"{limit} optional passes, {line['path']}: {line['outcome']} {line['message']}")
    print(f"{len(models)} models with 0 to {most} optional passes: {wrong} not passed")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
