#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What symbolic sizes cost: symbolic.py --lathe LATHE MODEL…

Makes batch, height and width of each model's images symbolic, compiles that cold, and at each size runs it beside the
artifact compiled for the size and beside ONNX Runtime with the symbolic model. Compile times are the least of three. A
size that the model refuses is left out, with its reason. Runs with a Python that has onnx and onnxruntime.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

HERE = Path(__file__).resolve().parent
SIZES = [(160, 160), (224, 224), (320, 256), (641, 479)]
COMPILATIONS = 3


def make_symbolic(source, target):
    """Names the dims 0, 2 and 3 of inputs of rank 4; returns such an input. What was inferred of other values goes."""
    model = onnx.load(source)
    constants = {value.name for value in model.graph.initializer}
    images = [value for value in model.graph.input
              if value.name not in constants and len(value.type.tensor_type.shape.dim) == 4]
    if not images:
        sys.exit(f"symbolic: {source} has no images")
    for value in images:
        for axis, name in ((0, "n"), (2, "h"), (3, "w")):
            value.type.tensor_type.shape.dim[axis].dim_param = name
    del model.graph.value_info[:]
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    onnx.save(model, target)
    return images[0].name, images[0].type.tensor_type.shape.dim[1].dim_value


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("{")]
        raise RuntimeError(json.loads(said[-1])["what"] if said else f"ended with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def compiled(options, model, artifact, *more):
    """Seconds, the least of several."""
    return min(run(options.lathe, "compile", model, "-o", artifact, "--no-cache", "--json", "--threads", 2, *more)[-1]
               ["seconds"] for _ in range(COMPILATIONS))


def median(options, artifacts, shape, *more):
    rows = run(options.lathe, "bench", *artifacts, "--shape", shape, "--json", "--threads", options.threads, "--rounds",
               options.rounds, *more)
    return [row["median_ms"] for row in rows]


def compare(options, model, folder):
    symbolic = folder / "symbolic.onnx"
    name, channels = make_symbolic(model, symbolic)
    artifact, fixed = folder / "symbolic.so", folder / "fixed.so"
    seconds, own = compiled(options, symbolic, artifact), compiled(options, model, fixed)
    print(f"{model}: compiled in {seconds:.2f} s, as it is in {own:.2f} s: {seconds / own:.2f} times", flush=True)
    contender = f"onnxruntime='{sys.executable}' '{HERE / 'onnxruntime_contender.py'}' --model '{symbolic}'"
    for height, width in SIZES:
        shape = f"{name}=1,{channels},{height},{width}"
        try:
            compiled(options, symbolic, fixed, "--shape", shape)
            ours, theirs = median(options, [artifact, fixed], shape)
            beside, library = median(options, [artifact], shape, "--against", contender)
        except RuntimeError as error:
            print(f"  {height:4} x {width:<4} {error}", flush=True)
            continue
        print(f"  {height:4} x {width:<4} {ours:9.3f} ms, compiled for it {theirs:9.3f} ({ours / theirs:.2f} times); "
              f"beside ONNX Runtime {beside:9.3f} and {library:9.3f} ({library / beside:.2f} times as fast)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("--lathe", required=True, metavar="PROGRAM")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="default: 1")
    parser.add_argument("--rounds", type=int, default=20, metavar="N", help="default: 20")
    options = parser.parse_args()
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            compare(options, model, Path(folder))


main()
