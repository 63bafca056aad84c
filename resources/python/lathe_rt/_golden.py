# SPDX-License-Identifier: Apache-2.0
"""The golden cases of a bundle: inputs, and what is expected of them."""
from __future__ import annotations

import json
import math
import struct
from typing import Any, Dict, List, Sequence, Union

from ._array import Array
from ._strings import STRING, StringArray, strings_of_npy


class Case:
    """Golden inputs, and the outputs that are expected of them."""

    def __init__(self, model: Any, name: str) -> None:
        self.model, self.name = model, name
        self.folder = model.bundle / "golden" / name
        self.facts = json.loads((self.folder / "case.json").read_text("utf-8"))

    def _read(self, one: Dict[str, Any]) -> Union[Array, StringArray]:
        content = (self.folder / one["file"]).read_bytes()
        if one["dtype"] == STRING:
            return strings_of_npy(content, one["dims"])
        (length,) = struct.unpack("<H", content[8:10])
        return Array(content[10 + length :], one["dtype"], one["dims"])

    def inputs(self) -> Dict[str, Union[Array, StringArray]]:
        """By name."""
        return {one["name"]: self._read(one) for one in self.facts["inputs"]}

    def expected(self) -> Dict[str, Union[Array, StringArray]]:
        """By name; outputs of which nothing is expected are left out."""
        return {one["name"]: self._read(one) for one in self.facts["outputs"] if one["compare"]}

    def compare(self, outputs: Sequence[Any]) -> List[str]:
        """A sentence for each output that is not as expected."""
        tolerance = self.facts["tolerance"]
        wrong = []
        for value, got in zip(self.model.outputs, outputs):
            if value.name not in self.expected():
                continue
            expected = self.expected()[value.name]
            if tuple(got.shape) != expected.shape:
                wrong.append("%s: shape %s instead of %s" % (value.name, list(got.shape), list(expected.shape)))
                continue
            values = _numbers(got, value.dtype)
            right = _numbers(expected, value.dtype)
            limit = 0.0
            if value.dtype.startswith(("float16", "float32", "float64", "bfloat")):
                limit = max([abs(b) for b in right if math.isfinite(b)], default=0.0) * tolerance["of_range"]
                limit = max(limit, tolerance["absolute"])
            beyond = sum(
                not (a == b or (a != a and b != b) or (limit > 0 and abs(a - b) <= limit)) for a, b in zip(values, right)
            )
            if beyond:
                wrong.append("%s: %s: %d of %d elements differ" % (self.name, value.name, beyond, len(right)))
        return wrong

    def __repr__(self) -> str:
        return "Case(%r, %s)" % (self.name, self.facts["source"])


def _numbers(array: Any, dtype: str) -> List[Any]:
    """Elements as Python numbers, of bfloat16 too, or as str."""
    if dtype == STRING:
        return array.flat() if isinstance(array, StringArray) else list(array.reshape(-1).tolist())
    raw = array if isinstance(array, Array) else Array(array.tobytes(), dtype, array.shape)
    if dtype != "bfloat16":
        return raw.flat()
    return [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in raw.flat()]
