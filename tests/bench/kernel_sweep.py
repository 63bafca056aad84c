# SPDX-License-Identifier: Apache-2.0
"""Times hundreds of operator shapes and says what share of the roofline each reaches, the worst first.

    kernel_sweep.py [FILTER]         with a Python that has the package onnx, after a build; or ./dev bench --kernels

Each line of kernel_shapes.py becomes a small model (kernel_models.py), which `lathe bench` runs alone: the least time
of a whole run counts, conversions of layout included. The roofline is the time that the shape's work (kernel_graph.py)
takes at least:

    max(flops / peak, bytes / rate),   share = that time / measured time

Peak and rates are those of this machine in this sweep: peaks.c is compiled for the same target, run before the first
shape and again every few, and the best of each figure counts. The rate is that of the working set's size, between
measured sizes by interpolation; reads and writes are charged as a copy as far as they are equally many. So a share
compares shapes with each other and builds on one machine. A chain whose inner values leave the caches cannot reach 1.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import kernel_models
import kernel_shapes
import numpy as np

HERE = Path(__file__).resolve().parent
LATHE = HERE.parents[1] / "build" / "release" / "bin" / "lathe"
SHAPES_BETWEEN_PEAKS = 20
ROUNDS = (5, 2000)
# A round takes about this many times the roofline, and this long at least, with the question and the answer.
EXPECTED_TIMES, ROUND_SECONDS = 4, 1e-4
PATIENCE = 300  # seconds with one shape
POOR = 0.25


class Peaks:
    """The best rates seen so far, of all threads together."""

    def __init__(self, folder, target, threads):
        self.program, self.threads, self.best = folder / "peaks", threads, {}
        cpu = target.split(":")[1] if ":" in target else target
        include = HERE.parents[1] / "compiler"
        if subprocess.run(["clang-19", "-O3", f"-march={cpu}", "-I", include, HERE / "peaks.c",
                           "-o", self.program]).returncode:
            sys.exit(f"kernel_sweep: no peaks of '{cpu}': name a cpu, such as x86-64-v3")

    def measure(self):
        children = [subprocess.Popen([self.program, str(self.threads)], stdout=subprocess.PIPE, text=True)
                    for _ in range(self.threads)]
        sums = {}
        for child in children:
            for line in child.communicate()[0].splitlines():
                kind, size, rate = line.split(" ")
                sums[kind, int(size)] = sums.get((kind, int(size)), 0) + float(rate)
            if child.returncode:
                sys.exit(f"kernel_sweep: peaks ended with {child.returncode}")
        for key, rate in sums.items():
            self.best[key] = max(rate, self.best.get(key, 0))

    def rate(self, kind, size):
        known = sorted((other, rate) for (name, other), rate in self.best.items() if name == kind)
        return float(np.interp(math.log(size), [math.log(other) for other, _ in known], [rate for _, rate in known]))

    def seconds(self, work):
        """What the work takes at least: (computing, moving)."""
        size = work.reads + work.writes
        both = min(work.reads, work.writes)
        memory = (2 * both / self.rate("copy", size) + (work.reads - both) / self.rate("read", size)
                  + (work.writes - both) / self.rate("fill", size))
        return work.flops / self.best["fma", 0], memory


def said(stderr):
    """The first error of `lathe --json`, in words."""
    for line in stderr.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if found.get("severity") != "warning":
            return found.get("what", line)
    return stderr.strip().split("\n")[0]


def least_time(model, roofline, options):
    """Seconds of a run; a text if there is none."""
    rounds = int(options.budget / (EXPECTED_TIMES * roofline + ROUND_SECONDS))
    command = [options.lathe, "bench", model, "--json", "--target", options.target, "--threads", str(options.threads),
               "--rounds", str(min(max(rounds, ROUNDS[0]), ROUNDS[1]))]
    if (data := model.parent / "test_data_set_0").is_dir():
        command += ["--data", data]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"took more than {PATIENCE} seconds"
    if done.returncode:
        return f"exit code {done.returncode}: {said(done.stderr)}"
    return json.loads(done.stdout)["min_ms"] / 1e3


def show(text):
    if sys.stderr.isatty():
        print(f"\r{text[:110]:110}\r", end="", file=sys.stderr)


def sweep(shapes, options):
    """The peaks, and {(family, line): (work, least seconds, or why there are none)}."""
    known = {}
    with tempfile.TemporaryDirectory(prefix="lathe-kernels-") as scratch:
        peaks = Peaks(Path(scratch), options.target, options.threads)
        for number, shape in enumerate(shapes * options.passes):
            if number % SHAPES_BETWEEN_PEAKS == 0:
                peaks.measure()
            show(f"{number}/{len(shapes) * options.passes} {shape[1]}")
            graph = kernel_models.model_of(shape[1])
            work, before = graph.work(), known.get(shape, (None, math.inf))[1]
            if isinstance(before, str):
                continue
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                now = least_time(graph.write(Path(folder)), max(peaks.seconds(work)), options)
            known[shape] = work, now if isinstance(now, str) else min(now, before)
        peaks.measure()
    show("")
    return peaks, known


def row_of(family, line, work, seconds, peaks):
    compute, memory = peaks.seconds(work)
    roofline, size = max(compute, memory), work.reads + work.writes
    return {"family": family, "name": line, "share": roofline / seconds, "ms": seconds * 1e3,
            "gflops": work.flops / seconds / 1e9, "gbs": size / seconds / 1e9,
            "limit": "compute" if compute > memory else "memory", "loss_ms": (seconds - roofline) * 1e3,
            "flops": work.flops, "bytes": size}


def print_table(rows, failures):
    print(f"{'share':>6} {'ms':>9} {'GFLOP/s':>8} {'GB/s':>6} {'limit':7} {'loss ms':>9}  {'family':17} shape")
    for row in rows:
        print(f"{row['share']:6.1%} {row['ms']:9.4f} {row['gflops']:8.1f} {row['gbs']:6.1f} {row['limit']:7} "
              f"{row['loss_ms']:9.4f}  {row['family']:17} {row['name']}")
    for failure in failures:
        print(f"failed  {failure['family']}: {failure['name']}: {failure['message']}")
    if not rows:
        return
    print(f"\n{'median':>6} {'least':>6} {'shapes':>6} {'< 25%':>6}  family")
    families = {name: [row["share"] for row in rows if row["family"] == name] for name in kernel_shapes.FAMILIES}
    for name, shares in {**families, "all": [row["share"] for row in rows]}.items():
        if shares:
            print(f"{statistics.median(shares):6.1%} {min(shares):6.1%} {len(shares):6} "
                  f"{sum(share < POOR for share in shares):6}  {name}")


def print_peaks(peaks):
    print(f"peak {peaks.best['fma', 0] / 1e9:.1f} GFLOP/s; GB/s of working sets, read/copied/written:", ", ".join(
        f"{size >> 10} KiB {'/'.join(f'{peaks.best[kind, size] / 1e9:.0f}' for kind in ('read', 'copy', 'fill'))}"
        for kind, size in sorted(peaks.best) if kind == "read"))


def print_work(shapes):
    for family, line in shapes:
        work = kernel_models.model_of(line).work()
        print(f"{work.flops / 1e6:9.1f} MFLOP {(work.reads + work.writes) / 1e6:7.2f} MB  {family:17} {line}")


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def main():
    parser = argparse.ArgumentParser(prog="./dev bench --kernels", description="Times operator shapes, each alone, and "
                                     "prints their share of the roofline, the worst first. Exits with 1 if one fails.")
    parser.add_argument("filter", nargs="?", default="", metavar="FILTER", help="only shapes whose `family: shape` has "
                        "this in it; default: all")
    parser.add_argument("--lathe", type=Path, default=LATHE, metavar="PROGRAM", help="instead of the release "
                        "build")
    parser.add_argument("--target", default="native", metavar="T", help="native, or a cpu that this machine can be: "
                        "x86-64-v3")
    parser.add_argument("--threads", type=positive, default=1, metavar="N", help="default: 1; peaks are those of N threads")
    parser.add_argument("--budget", type=float, default=0.3, metavar="S", help="seconds a shape, about; default: 0.3")
    parser.add_argument("--passes", type=positive, default=1, metavar="N", help="over all shapes, of which the best time "
                        "counts: for a machine that has other work, too; default: 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes all figures there, too")
    parser.add_argument("--list", action="store_true", help="prints the shapes and their work, and times nothing")
    options = parser.parse_args()
    shapes = [(family, line) for family, line in kernel_shapes.shapes() if options.filter in f"{family}: {line}"]
    if not shapes:
        sys.exit(f"kernel_sweep: no shape has '{options.filter}' in its name")
    if options.list:
        print_work(shapes)
        return
    peaks, known = sweep(shapes, options)
    rows = sorted((row_of(*shape, work, seconds, peaks) for shape, (work, seconds) in known.items()
                   if not isinstance(seconds, str)), key=lambda row: row["share"])
    failures = [{"family": family, "name": line, "message": reason} for (family, line), (_, reason) in known.items()
                if isinstance(reason, str)]
    print_peaks(peaks)
    print_table(rows, failures)
    if options.json:
        figures = [{"kind": kind, "bytes": size, "rate": rate} for (kind, size), rate in sorted(peaks.best.items())]
        options.json.write_text(json.dumps({"target": options.target, "threads": options.threads, "peaks": figures,
                                            "shapes": rows, "failures": failures}, indent=1) + "\n")
    sys.exit(1 if failures else 0)


main()
