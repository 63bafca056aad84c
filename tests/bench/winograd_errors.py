# SPDX-License-Identifier: Apache-2.0
"""How far each variant of a 3×3 convolution is off, against float64: the table in docs/performance.md.

    winograd_errors.py         with a Python that has the packages onnx and numpy, after a build

The largest error over the largest output, one convolution of C to C channels on 28 × 28 (zero-mean inputs, uniform;
weights normal), least channels first. Each variant is decided, as `lathe passes --choices` names it.
"""
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LATHE = Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "lathe"
SIDE = 28


def exact(x, w):
    """The convolution with padding 1 in float64: nine products of matrices."""
    wide = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    channels = x.shape[0]
    return sum(w[:, :, k, l].astype(np.float64) @ wide[:, k:k + SIDE, l:l + SIDE].reshape(channels, -1)
               for k in range(3) for l in range(3)).reshape(-1, SIDE, SIDE)


def errors(channels, folder):
    random = np.random.default_rng(channels)
    x = random.uniform(-1, 1, (channels, SIDE, SIDE)).astype(np.float32)
    w = random.normal(0, 1 / (3 * channels**0.5), (channels, channels, 3, 3)).astype(np.float32)
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="conv", pads=[1, 1, 1, 1])
    dims = [1, channels, SIDE, SIDE]
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, dims)],
                              [numpy_helper.from_array(w, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
              folder / "model.onnx")
    np.save(folder / "x.npy", x[None])
    expected = exact(x, w)
    row = {}
    for variant in ("direct", "winograd2", "winograd4"):
        (folder / "decisions.json").write_text(json.dumps({"variants": [{"node": "conv", "variant": variant}]}))
        subprocess.run([LATHE, "run", folder / "model.onnx", "--input", f"x={folder / 'x.npy'}", "--save", folder,
                        "--decisions", folder / "decisions.json", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        got = np.load(folder / "y.npy")[0]
        row[variant] = np.abs(got - expected).max() / np.abs(expected).max()
    return row


def main():
    with tempfile.TemporaryDirectory() as folder:
        for channels in (16, 64, 128, 256, 512):
            row = errors(channels, Path(folder))
            print(f"{channels:4} channels  " + "  ".join(f"{name} {error:.1e}" for name, error in row.items()))


if __name__ == "__main__":
    main()
