#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large graphs and studies in the window: window.py --bench WINDOW_BENCH --trials TRIALS_BENCH [--write DOCS]. Prints their
tables; --write makes benchmarks_window.md of them in the folder DOCS."""
import argparse
import datetime
import subprocess
from pathlib import Path

from machine import processor
from page import wrapped


def page(graphs, trials):
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
        graphs.strip(),
        wrapped("Views of the trials of one made-up task, out of a file of records. Likewise in milliseconds:"),
        "\n".join([
            wrapped("- open: from the file to the first picture of the table; MB: what its trials take in memory;", "  "),
            wrapped("- the others: the slowest frame of a fixed path: the table scrolled from end to end and sorted, six "
                    "filters typed while the table, the answers or the parallel axes are seen, and the charts of what was "
                    "expected and measured and of the history zoomed and moved. A frame is what is done and all up to "
                    "the first picture of it, or a later turn of the event loop.", "  ")]),
        trials.strip()]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--trials", type=Path, required=True)
    parser.add_argument("--write", type=Path, metavar="DOCS")
    options = parser.parse_args()
    tables = []
    for program in (options.bench, options.trials):
        tables.append(subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout)
        print(tables[-1])
    if options.write:
        (options.write / "benchmarks_window.md").write_text(page(*tables))


if __name__ == "__main__":
    main()
