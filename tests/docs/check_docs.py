#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages are laid out for a window of 100 columns, and their links lead to files and headings that are there.

Tables and blocks of code are as wide as what stands in them.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 100
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)")


def anchors_of(page):
    """Its headings as links name them: in lower case, dashes between words, no other signs."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problems_of(page):
    where = page.relative_to(ROOT)
    fenced = indented = False
    previous = ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        # An indented block of code begins after an empty line; in a list the same indent continues an item.
        indented = line.startswith("    ") and (indented or not previous.strip())
        code = fenced or indented
        previous = line
        if len(line) > COLUMNS and not code and not line.startswith("|"):
            yield f"{where}:{number}: {len(line)} columns, {COLUMNS} at most"
        for target, anchor in [] if code else LINK.findall(line):
            if "://" in target:
                continue
            file = page.parent / target if target else page
            if not file.exists():
                yield f"{where}:{number}: {target} is not there"
            elif anchor and file.suffix == ".md" and anchor not in anchors_of(file):
                yield f"{where}:{number}: {target} has no heading #{anchor}"


def main():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    problems = [problem for page in pages for problem in problems_of(page)]
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
