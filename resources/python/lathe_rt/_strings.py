# SPDX-License-Identifier: Apache-2.0
"""Tensors of strings: elements of the runtime are addresses of bytes, here they are str. Bytes that are no UTF-8 are what
"surrogateescape" makes of them, so that they come back as they were. The same file serves lathe_rt and the module of
bundles."""
from __future__ import annotations

import ctypes
from typing import Any, List, Sequence, Tuple, Union

from ._array import CPU, TYPE_NAMES, DataType, Tensor, dims_of, product
from ._errors import MISMATCH, InvalidValue

STRING = "string"
_CODE = (3, 128)  # of lathe_rt.h
TYPE_NAMES[_CODE] = STRING


class _String(ctypes.Structure):
    """lathe_string of lathe_rt.h."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class StringArray:
    """Strings and their shape, where there is no NumPy."""

    dtype = STRING

    def __init__(self, strings: Sequence[str], shape: Sequence[int]) -> None:
        self.shape = tuple(shape)
        self._strings = list(strings)
        if len(self._strings) != product(self.shape):
            raise InvalidValue("string%s has %d elements" % (list(self.shape), len(self._strings)), MISMATCH)

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 1

    def flat(self) -> List[str]:
        """The elements, row by row."""
        return list(self._strings)

    def tolist(self) -> Any:
        values: Any = self.flat()
        if not self.shape:
            return values[0]
        for size in reversed(self.shape[1:]):
            values = [values[i : i + size] for i in range(0, len(values), size)] if size else []
        return values

    def __repr__(self) -> str:
        return "StringArray(%s)" % list(self.shape)


def _bytes_of(text: Union[str, bytes]) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8", "surrogateescape")
    raise InvalidValue("the model takes strings here, not a %s" % type(text).__name__, MISMATCH)


def string_tensor(texts: Sequence[Any], shape: Sequence[int]) -> Tuple[Tensor, Any]:
    """A tensor of them, and what must live as long."""
    encoded = [_bytes_of(text) for text in texts]
    block = (_String * max(len(encoded), 1))()
    for element, text in zip(block, encoded):
        element.data = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p)
        element.size = len(text)
    c_shape = dims_of(shape)
    tensor = Tensor(ctypes.addressof(block), CPU, 0, len(shape), DataType(*_CODE, 1), c_shape, None, 0)
    return tensor, (block, encoded, c_shape)


def strings_at(data: int, shape: Sequence[int]) -> List[str]:
    """Copies of the elements that lie there, row by row."""
    count = product(shape)
    elements: Any = (_String * count).from_address(data) if count else ()
    return [ctypes.string_at(each.data, each.size).decode("utf-8", "surrogateescape") for each in elements]


def strings_of_npy(content: bytes, dims: Sequence[int]) -> StringArray:
    """What stands in a .npy file of strings: all as long as the longest, of Unicode ("<U5") or of bytes ("|S5")."""
    begin = 10 + int.from_bytes(content[8:10], "little")
    header = content[10:begin].decode("latin-1")
    code = header.split("'descr':", 1)[1].split("'")[1]
    count, wide = product(dims), code[1] == "U"
    size = int(code[2:]) * (4 if wide else 1)
    pieces = [content[begin + i * size : begin + (i + 1) * size] for i in range(count)]
    decoded = [piece.decode("utf-32-le") if wide else piece.decode("utf-8", "surrogateescape") for piece in pieces]
    return StringArray([text.rstrip("\0") for text in decoded], dims)
