#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files stay small, and functions within 80 lines: a reader holds one in the head. Prints each that does not; the figures of all
at the end.

Reads the layout that clang-format gives: a function begins on a line that is not indented, or within a class on one that is by 4,
and ends on a brace of the same indentation.
"""
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("compiler", "app", "views", "plugins")
MEDIAN, NINETIETH, FUNCTION = 90, 290, 80  # lines
# Longer than they should be, each with its reason.
LONGER = {
    "makeTiles": "rebuilt on the moves that rules use, with the work on speed",
    "floatFunction": "one switch, a case an intrinsic",
}
NO_FUNCTION = re.compile(r"\s*(namespace|class|struct|union|enum|extern|template <.*> (struct|class))\b|.*= \{$|.*\breturn \{$")
NAME = re.compile(r"([~\w]+|operator\S+)\s*\(")


def functions_at(indent, lines):
    """Name, first and last line of each that begins at this indentation."""
    begin = opened = None
    for i, line in enumerate(lines):
        outer = line.startswith(indent) and line[len(indent):len(indent) + 1] not in ("", " ", "\t")
        if opened is None:
            if outer:
                begin = i if line[len(indent)].isalpha() or line[len(indent)] == "~" else None
            elif not line.strip():
                begin = None  # else the rest of a declaration, which is indented more
            if begin is not None and line.endswith(" {") and not NO_FUNCTION.match(lines[begin][len(indent):]):
                name = NAME.search(" ".join(lines[begin:i + 1]))
                opened = (name[1], begin) if name else None
            if line.endswith((";", "{", "}")):
                begin = None
        elif line == indent + "}":
            yield *opened, i
            opened = None
        elif outer and line[len(indent)] == "}":
            opened = None  # of something else


def functions(lines):
    """Name and number of lines of each."""
    rest = list(lines)
    for indent in ("", "    "):
        for name, first, last in functions_at(indent, list(rest)):
            yield name, last - first + 1
            rest[first:last + 1] = [""] * (last - first + 1)  # what is in it is no function of a class


def main():
    wrong, lengths, count = [], [], 0
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".h")):
        lines = path.read_text().splitlines()
        lengths.append(len(lines))
        for name, length in functions(lines):
            count += 1
            if length > FUNCTION and name not in LONGER:
                wrong.append(f"{path.relative_to(ROOT)}: {name} has {length} lines")
    median, ninetieth = statistics.median(lengths), statistics.quantiles(lengths, n=10)[-1]
    if median > MEDIAN:
        wrong.append(f"half of the files have more than {median:.0f} lines")
    if ninetieth > NINETIETH:
        wrong.append(f"a tenth of the files have more than {ninetieth:.0f} lines")
    for problem in wrong:
        print(problem)
    print(f"{len(lengths)} files: median {median:.0f} lines, 90th percentile {ninetieth:.0f}, longest {max(lengths)}; "
          f"{count} functions, {len(wrong)} problems")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
