#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times models in Lathe and in the libraries of their format side by side: compare.py --lathe LATHE MODEL…

ONNX's are ONNX Runtime and OpenVINO, TFLite's LiteRT with XNNPACK. Runs with the Python that has the libraries. `lathe bench` does the timing: same inputs, rounds in rotating order.
Speed is the time of the library over Lathe's, by medians; above 1 Lathe is faster.

--avx2 holds Lathe and OpenVINO to AVX2; ONNX Runtime has no such switch and is left out. --write FOLDER makes a page
of the figures and a plot there, named after who made the processor: benchmarks_amd.md and images/benchmarks_amd.svg, with
--avx2 benchmarks_amd_avx2.md and its image.
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

from figures import NAMES, Figures, threads_text
from machine import instruction_sets, maker
from page import page
from plot import plot

HERE = Path(__file__).resolve().parent
# OpenVINO's own kernels obey the one, those of oneDNN the other. Nothing holds MLAS: products by constant matrices.
OPENVINO_AVX2 = "env OV_CPU_MAX_ISA=AVX2 ONEDNN_MAX_CPU_ISA=AVX2"
LATHE_AVX2 = ["--target", "x86-64-v3"]


def contenders_of(options, model):
    python = f"'{sys.executable}'"
    if model.suffix == ".tflite":
        return [f"litert={python} '{HERE / 'litert_contender.py'}'"]
    contenders = [f"openvino={OPENVINO_AVX2 if options.avx2 else ''} {python} '{HERE / 'openvino_contender.py'}'"]
    if not options.avx2:
        contenders.insert(0, f"onnxruntime={python} '{HERE / 'onnxruntime_contender.py'}'")
    return contenders


@contextlib.contextmanager
def one_core(threads):
    """One thread of each runtime runs on the same core: beside each core other work runs."""
    usual = os.sched_getaffinity(0)
    if threads == 1:
        os.sched_setaffinity(0, {max(usual)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usual)


def bench(options, model, threads):
    """Runtime -> median and least in milliseconds."""
    command = [options.lathe, "bench", model, "--json", "--threads", str(threads), "--rounds", str(options.rounds),
               *(LATHE_AVX2 if options.avx2 else [])]
    for data in (model.parent / f"ref_{model.stem}", model.parent / "test_data_set_0"):
        if data.is_dir():
            command += ["--data", data]
            break
    for contender in contenders_of(options, model):
        command += ["--against", contender]
    with one_core(threads):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"compare: lathe bench {model} failed ({done.returncode})")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["runtime"]: (row["median_ms"], row["min_ms"]) for row in rows}


def network(model):
    return model.parent.name if model.name == "model.onnx" else model.stem


def print_row(name, threads, cells, speed):
    print(f"{name:24}{threads:>8}" + "".join(f"{cell:>24}" for cell in cells) + f"{speed:>8}", flush=True)


def write(folder, options, figures):
    name = f"benchmarks_{maker().lower()}{'_avx2' if options.avx2 else ''}"
    image = Path("images") / f"{name}.svg"
    text = page(figures, options.lathe, options.rounds, options.avx2, image)  # first: it says whether the tree is clean
    (folder / image).parent.mkdir(parents=True, exist_ok=True)
    (folder / image).write_text(plot(figures))
    (folder / f"{name}.md").write_text(text)
    print(f"written: {folder / name}.md, {folder / image}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("--lathe", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--avx2", action="store_true")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.avx2 and "AVX2" not in instruction_sets():
        sys.exit("compare: this processor has no AVX2")
    if len({model.suffix == ".tflite" for model in options.models}) > 1:
        sys.exit("compare: TFLite models have libraries of their own: time them alone")
    if options.models[0].suffix == ".tflite" and (options.avx2 or options.write):
        sys.exit("compare: --avx2 and --write are of ONNX models: nothing holds LiteRT to AVX2, and it has no page")
    figures = Figures()
    for model in options.models:
        for threads in options.threads:
            row = figures.add(network(model), threads, bench(options, model, threads))
            if len(figures.rows) == 1:
                print(f"milliseconds: median (least); speed: {figures.measure()}'s median over Lathe's")
                print_row("network", "threads", [NAMES[runtime] for runtime in row.times], "speed")
            print_row(row.network, threads, [f"{median:.2f} ({least:.2f})" for median, least in row.times.values()],
                      f"{figures.speed(row):.2f}")
    for threads in options.threads:
        print(f"geometric means of speed, {threads_text(threads)}: {figures.means(threads)}")
    if options.write:
        write(options.write, options, figures)


main()
