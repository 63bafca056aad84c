# SPDX-License-Identifier: Apache-2.0
"""The figures as a page of docs/: on what, by which versions, a table for each number of threads."""
import datetime
import importlib.metadata
import subprocess
import textwrap
from pathlib import Path

from figures import NAMES, threads_text
from machine import instruction_sets, maker, processor

COLUMNS = 100


def wrapped(text, indent=""):
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          cwd=Path(__file__).resolve().parent)
    return done.stdout.strip()


def versions(lathe, libraries):
    commit = output_of("git", "describe", "--always", "--dirty")
    own = f"Lathe {output_of(lathe, '--version')}" + (f" ({commit})" if commit else "")
    return ", ".join([own, *(f"{NAMES[library]} {importlib.metadata.version(library)}" for library in libraries)])


def table(figures, threads):
    runtimes = figures.runtimes()
    yield "| network | " + " | ".join(NAMES[runtime] for runtime in runtimes) + " | speed |"
    yield "|---|" + "---:|" * (len(runtimes) + 1)
    for row in figures.of(threads):
        cells = [f"{median:.2f} ({least:.2f})" for median, least in (row.times[runtime] for runtime in runtimes)]
        yield f"| {row.network} | {' | '.join(cells)} | {figures.speed(row):.2f} |"


def page(figures, lathe, rounds, avx2, image):
    libraries = figures.libraries()
    command = f"./dev bench{' --avx2' if avx2 else ''} --rounds {rounds} --write"
    held = (" Lathe compiles for x86-64-v3. OpenVINO is held to AVX2 by OV_CPU_MAX_ISA and ONEDNN_MAX_CPU_ISA, but "
            "products by constant matrices, which it leaves to MLAS, use what the processor has: its times are those "
            "of AVX2 for convolutional networks, and too good for transformers. ONNX Runtime has no such switch."
            if avx2 else "")
    paragraphs = [
        f"# Benchmarks on {maker()}{' with AVX2 alone' if avx2 else ''}",
        wrapped(f"Written by `{command}` on {datetime.date.today().isoformat()}; "
                "[performance.md](performance.md) says how it measures."),
        wrapped(f"- Processor: {processor()}; {', '.join(instruction_sets())}.", "  ") + "\n"
        + wrapped(f"- Versions: {versions(lathe, libraries)}.", "  "),
        wrapped(f"Milliseconds: the median of {rounds} rounds, in brackets the least. Speed is the median of "
                f"{figures.measure()} over Lathe's: above 1 Lathe is faster.{held}"),
        f"![Speed of each network, by runtime]({image})"]
    for threads in figures.threads():
        paragraphs += [f"## {threads_text(threads)}", "\n".join(table(figures, threads)),
                       wrapped(f"Geometric means of Lathe's speed: {figures.means(threads)}.")]
    return "\n\n".join(paragraphs) + "\n"
