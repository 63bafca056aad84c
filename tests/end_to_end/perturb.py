#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `lathe test` notice? Passing tests of ONNX's node suite, drawn by seed, each with one change in what it expects: an
element, the type, the shape, a NaN, or an output that is missing. Every one must then be wrong.

    perturb.py LATHE NODE_FOLDER [--count 200] [--seed 1]

Fails where the suite is not there (./dev test makes it), and where fewer than --count of its tests pass.
"""

import argparse
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import onnx_data as data

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402

# Their expected data are random, so that only a property is tested.
RANDOM = ("test_bernoulli", "test_training_dropout")
FLOATS = (data.FLOAT, data.DOUBLE, data.FLOAT16, data.BFLOAT16)
# Types of the same width. bfloat16 does not become uint16: older suites store it so.
OTHER_TYPE = {data.FLOAT: data.INT32, data.INT32: data.UINT32, data.UINT32: data.INT32, data.INT64: data.UINT64,
              data.UINT64: data.INT64, data.DOUBLE: data.INT64, data.FLOAT16: data.INT16, data.BFLOAT16: data.FLOAT16,
              data.INT16: data.UINT16, data.UINT16: data.INT16, data.INT8: data.UINT8, data.UINT8: data.INT8, data.BOOL: data.UINT8}


def results_of(lathe, folder):
    process = subprocess.run([lathe, "test", "--json", "--jobs", "2", str(folder)], capture_output=True, text=True)
    lines = [json.loads(line) for line in process.stdout.splitlines()]
    return {pathlib.Path(line["path"]).parent.name: line for line in lines if "path" in line}


def change_element(tensor, rng):
    index = rng.randrange(tensor.elements())
    value = data.get(tensor, index)
    if tensor.dtype == data.BOOL:
        data.put(tensor, index, 1 - value)
    elif tensor.dtype in FLOATS:
        data.put(tensor, index, 0.0 if not math.isfinite(value) else value * 1.5 + (1 if value >= 0 else -1) if abs(value) < 1e4 else 0.0)
    else:
        data.put(tensor, index, value - 1 if value > 0 else value + 1)
    return f"element {index}"


def change_type(tensor, rng):
    tensor.dtype = OTHER_TYPE[tensor.dtype]
    return "type"


def change_shape(tensor, rng):
    tensor.dims.insert(rng.randrange(len(tensor.dims) + 1), 1)
    return f"shape {tensor.dims}"


def put_nan(tensor, rng):
    index = rng.randrange(tensor.elements())
    data.put(tensor, index, 0.0 if math.isnan(data.get(tensor, index)) else math.nan)
    return f"NaN at {index}"


def perturb(folder, rng):
    """Changes one thing; says what, or None if this test offers nothing to change."""
    outputs = sorted((folder / "test_data_set_0").glob("output_*.pb"))
    path = rng.choice(outputs)
    if rng.random() < 0.2:
        path.unlink()
        return f"{path.name} missing"
    try:
        tensor = data.Tensor(path.read_bytes())
    except (ValueError, IndexError):
        path.unlink() # a sequence, an optional, or elements narrower than a byte
        return f"{path.name} missing"
    changes = [change_type, change_shape]
    if tensor.elements() > 0:
        changes += [change_element] * 2 + ([put_nan] if tensor.dtype in FLOATS else [])
    what = rng.choice(changes)(tensor, rng)
    path.write_bytes(tensor.serialize())
    return f"{path.name}: {what}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lathe")
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if not arguments.suite.is_dir():
        fixtures.missing(arguments.suite, shared=False)
    rng = random.Random(arguments.seed)
    names = sorted(path.parent.name for path in arguments.suite.glob("test_*/model.onnx"))
    names = [name for name in names if not name.startswith(RANDOM)]
    rng.shuffle(names)
    with tempfile.TemporaryDirectory() as scratch:
        passing = []
        folder = pathlib.Path(scratch)
        while names and len(passing) < arguments.count:
            some, names = names[:arguments.count], names[arguments.count:]
            for name in some:
                shutil.copytree(arguments.suite / name, folder / name)
            for name, result in results_of(arguments.lathe, folder).items():
                if name not in some:
                    continue
                if result["outcome"] == "passed" and len(passing) < arguments.count:
                    passing.append(name)
                else:
                    shutil.rmtree(folder / name)
        changes = {name: perturb(folder / name, rng) for name in sorted(passing)}
        results = results_of(arguments.lathe, folder)
        missed = [name for name in changes if results.get(name, {}).get("outcome") != "wrong"]
        for name in missed:
            print(f"not noticed: {name}, {changes[name]}: {results.get(name)}")
        print(f"{len(changes) - len(missed)} of {len(changes)} changes were noticed (seed {arguments.seed})")
        sys.exit(bool(missed) or len(changes) < arguments.count)


if __name__ == "__main__":
    main()
