#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/tests.md, the table of all tests, from what `./dev test` left in build/: make_test_table.py [BUILD].

CTest keeps the seconds of each test beside the build that ran it; what a test is for is the first sentence of its file.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = {"release": "release", "dev": "ASan, UBSan", "tsan": "TSan"}
NOTE = re.compile(r"(SPDX-License-Identifier|Needs|Links|Timeout|Runs|Alone):")
HEAD = """# Each test

What `./dev test` runs, where, and in how many seconds; what a test holds against what says
[testing.md](testing.md). Seconds are of one run or the mean of a few, three tests at a time on two
cores of {machine}: they tell the long from the short. `python3 docs/make_test_table.py`
makes this page after a run.
"""


def seconds_of(folder):
    """name -> seconds, the mean of the runs in this build folder."""
    costs = folder / "Testing" / "Temporary" / "CTestCostData.txt"
    rows = (line.split() for line in costs.read_text().split("---")[0].splitlines())
    return {row[0]: float(row[2]) for row in rows if len(row) == 3 and row[1] != "0"}


def first_sentence(text):
    text = " ".join(text.split())
    return re.split(r"(?<=[a-z`)’'0-9]{2}[.])\s+(?=[A-Z`$])", text)[0].replace("|", "\\|")


def purpose_of_class(file):
    lines = []
    for line in file.read_text().splitlines():
        if not line.startswith("//"):
            break
        line = line[2:].strip()
        if not NOTE.match(line):
            lines.append(line)
    return first_sentence(" ".join(lines))


def purpose_of_script(file):
    match = re.search(r'"""(.*?)"""', file.read_text(), re.DOTALL)
    return first_sentence(match.group(1)) if match else ""


def purposes(folder):
    """name -> what the test is for: CTest knows the script or the class that it runs."""
    told = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True, capture_output=True).stdout
    result = {}
    for test in json.loads(told)["tests"]:
        command = test.get("command", [])  # none: not built
        scripts = [Path(part) for part in command if part.endswith(".py")]
        classes = list((ROOT / "tests").glob(f"*/test_{command[1]}.cpp")) if len(command) == 2 else []
        own = [file for file in classes if test["name"] == f"test_{file.parent.name}_{command[1]}"]
        if scripts:
            result[test["name"]] = purpose_of_script(scripts[0])
        elif classes:
            result[test["name"]] = purpose_of_class((own or classes)[0])
    return result


def machine():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return "an " + line.split(":")[1].strip()
    return "this machine"


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    seconds = {preset: seconds_of(build / preset) for preset in COLUMNS}
    looked_at = {name: text for preset in COLUMNS for name, text in purposes(build / preset).items()}
    names = sorted({name for each in seconds.values() for name in each})
    lines = [HEAD.format(machine=machine()), f"| test | {' | '.join(COLUMNS.values())} | what it looks at |",
             "|---|" + "---:|" * len(COLUMNS) + "---|"]
    for name in names:
        times = [f"{each[name]:.1f}" if name in each else "" for each in seconds.values()]
        lines.append(f"| {name.removeprefix('test_')} | {' | '.join(times)} | {looked_at[name]} |")
    sums = [f"{sum(each.values()):.0f}" for each in seconds.values()]
    lines.append(f"| all {len(names)} | {' | '.join(sums)} | |")
    (ROOT / "docs" / "tests.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
