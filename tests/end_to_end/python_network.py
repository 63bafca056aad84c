#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python_network.py BUILD FOLDER: a real network through lathe_rt: its outputs, by the data beside it, without a copy of input or
output; four threads with four contexts at the same time; and Python goes on while it runs. Run with NumPy and onnx. A folder
that is not there is a failure, but ends the script with 77 (skipped) where there is no shared folder to unpack it from."""
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

build, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import fixtures  # noqa: E402

if not folder.is_dir():
    fixtures.missing(folder)
sys.path.insert(0, str(build / "lib" / "python3" / "dist-packages"))
import lathe_rt  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import numpy_helper  # noqa: E402


def read(name):
    return numpy_helper.to_array(onnx.load_tensor(folder / "test_data_set_0" / name))


def check(y, expected):
    wrong = np.abs(y - expected).max() / np.abs(expected).max()
    assert wrong < 1e-3, f"off by {wrong:g} of the range"


with tempfile.TemporaryDirectory() as place:
    artifact = Path(place, "network.so")
    subprocess.run([build / "bin" / "lathe", "compile", folder / "model.onnx", "-o", artifact, "--quiet"], check=True)
    model = lathe_rt.Model(artifact)
    image, expected = read("input_0.pb"), read("output_0.pb")
    (name,), (result,) = [v.name for v in model.inputs], [v.name for v in model.outputs]

    context = model.context()
    x, y = context.empty_input(name, image.shape), context.empty_output(result, expected.shape)
    x[:] = image
    before = x.ctypes.data, y.ctypes.data
    (got,) = context.run(x, copy=False, out=y)
    assert got is y and (x.ctypes.data, y.ctypes.data) == before
    assert context.output(result, copy=False).ctypes.data == y.ctypes.data or model.outputs[0].is_open
    check(y, expected)
    x[:] = 0  # the run reads what lies there now, and writes there
    y[:] = np.nan
    context.run(out=y)
    grey = y.copy()
    assert np.isfinite(grey).all() and np.abs(grey - expected).max() > 1e-3 * np.abs(expected).max()

    answers = [[] for _ in range(4)]

    def work(i):
        own = model.context(threads=1)
        for round in range(2):
            answers[i].append(own.run(image if (i + round) % 2 else np.zeros_like(image))[0])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, pair in enumerate(answers):
        assert len(pair) == 2
        for round, answer in enumerate(pair):
            check(answer, expected if (i + round) % 2 else grey)

    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    most = 0
    for _ in range(50):  # until the machine gave the other thread its turns; were the lock kept, it would have one after a run
        first = counted[0]
        context.run()
        most = max(most, counted[0] - first)
        if most >= 5:
            break
    done.set()
    counter.join()
    assert most >= 5, f"another thread went on {most} times during a run"
print("good")
