#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page Model with large graphs: window.py --bench WINDOW_BENCH [--write DOCS]. Prints its table; --write makes
benchmarks_window.md of it in the folder DOCS."""
import argparse
import datetime
import subprocess
from pathlib import Path

from machine import processor
from page import wrapped


def page(table):
    return "\n\n".join([
        "# Benchmarks of the window",
        wrapped(f"Written by `./dev bench --window --write` on {datetime.date.today().isoformat()}. Processor: {processor()}."),
        wrapped("Transformers that `tests/support/transformer_graph.h` makes: 53 operators a layer, and a mask that "
                "every layer reads. With names that are scopes as an exporter writes them, and with none. Milliseconds by "
                "the clock, medians of seven rounds, offscreen at 1920×1080:"),
        "\n".join([
            wrapped("- overview: from the imported model to the first picture, groups and layout included;", "  "),
            wrapped("- expand: a layer is opened and painted;", "  "),
            wrapped("- search: the slowest of five, after a letter in the field;", "  "),
            wrapped("- frame: the slowest of a fixed path: all in sight, into a corner, across at full size, out again; "
                    "in the last column with all groups open.", "  ")]),
        table.strip()]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--write", type=Path, metavar="DOCS")
    options = parser.parse_args()
    table = subprocess.run([options.bench], stdout=subprocess.PIPE, text=True, check=True).stdout
    print(table, end="")
    if options.write:
        (options.write / "benchmarks_window.md").write_text(page(table))


if __name__ == "__main__":
    main()
