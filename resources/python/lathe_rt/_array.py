# SPDX-License-Identifier: Apache-2.0
"""Tensors as C and DLPack have them, and the Array that stands for one where there is no NumPy. The same file serves lathe_rt
and the module of bundles."""
from __future__ import annotations

import ctypes
import functools
import operator
import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._errors import MISMATCH, InvalidValue, WrongType

ALIGNMENT = 64  # of memory that runs use without a copy
CPU = 1  # a device of DLPack
# dtype: (DLPack code, bits, struct format of one element)
TYPES = {
    "bool": (6, 8, "?"), "int8": (0, 8, "b"), "uint8": (1, 8, "B"), "int16": (0, 16, "h"), "uint16": (1, 16, "H"),
    "int32": (0, 32, "i"), "uint32": (1, 32, "I"), "int64": (0, 64, "q"), "uint64": (1, 64, "Q"),
    "float16": (2, 16, "e"), "float32": (2, 32, "f"), "float64": (2, 64, "d"), "bfloat16": (4, 16, "H"),
    "int4": (0, 4, "b"), "uint4": (1, 4, "B"), "int2": (0, 2, "b"), "uint2": (1, 2, "B"),
    "float8_e4m3fn": (10, 8, "B"), "float8_e4m3fnuz": (11, 8, "B"), "float8_e5m2": (12, 8, "B"),
    "float8_e5m2fnuz": (13, 8, "B"), "float8_e8m0": (14, 8, "B"), "float4_e2m1": (17, 4, "B"),
}  # fmt: skip
TYPE_NAMES = {(code, bits): name for name, (code, bits, _) in TYPES.items()}


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def width(dtype: str) -> int:
    return struct.calcsize(TYPES[dtype][2])


def product(shape: Sequence[int]) -> int:
    return functools.reduce(operator.mul, shape, 1)


def sizes_of(shape: Sequence[Any]) -> Tuple[int, ...]:
    try:
        return tuple(operator.index(size) for size in shape)
    except TypeError:
        raise WrongType("a shape is a sequence of whole numbers, not %r" % (shape,)) from None


def dims_of(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def tensor_at(data: int, dtype: str, shape: Sequence[int], strides: Optional[Sequence[int]], kept: Any) -> Tuple[Tensor, Any]:
    """The tensor, and what must live as long."""
    code, bits, _ = TYPES[dtype]
    c_shape, c_strides = dims_of(shape), None if strides is None else dims_of(strides)
    return Tensor(data, CPU, 0, len(shape), DataType(code, bits, 1), c_shape, c_strides, 0), (kept, c_shape, c_strides)


# ---- DLPack: capsules, through the interpreter's own C interface


class _ManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ManagedTensor))
_ManagedTensor._fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
# Prototypes of their own: what others declare of ctypes.pythonapi is theirs.
_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(
    ("PyCapsule_New", ctypes.pythonapi))  # fmt: skip
capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))  # fmt: skip
# Of a capsule that is being destroyed, which must not be counted as used again.
_dying_is = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_dying_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))  # fmt: skip
_exported: Dict[int, Any] = {}  # address of a managed tensor: what it needs while somebody has it


def _release(managed: Any) -> None:
    _exported.pop(ctypes.addressof(managed.contents), None)


def _drop(capsule: int) -> None:
    if _dying_is(capsule, b"dltensor"):  # nobody took it
        _exported.pop(_dying_pointer(capsule, b"dltensor"), None)


_release_exported, _drop_capsule = _Deleter(_release), _Destructor(_drop)
# A capsule may outlive this module when the interpreter ends.
for _forever in (_release_exported, _drop_capsule):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_forever))


class Array:
    """Elements and their shape, where there is no NumPy: a producer of DLPack, and `memory` is a buffer of them. The memory
    is aligned, so that runs can use it without a copy. data: the elements, row by row; None: zeros."""

    def __init__(self, data: Union[bytes, bytearray, memoryview, None], dtype: str, shape: Sequence[int]) -> None:
        if dtype not in TYPES:
            raise InvalidValue("there is no dtype %r" % (dtype,))
        self.dtype = dtype
        self.shape = sizes_of(shape)
        if any(size < 0 for size in self.shape):
            raise InvalidValue("a size is negative: %s" % list(self.shape))
        self._bytes = product(self.shape) * width(dtype)
        if data is not None and len(data) != self._bytes:
            raise InvalidValue("%s%s has %d bytes, not %d" % (dtype, list(self.shape), self._bytes, len(data)), MISMATCH)
        self._store = bytearray(self._bytes + ALIGNMENT)
        self._from = -ctypes.addressof(ctypes.c_char.from_buffer(self._store)) % ALIGNMENT
        if data is not None:
            self._store[self._from : self._from + self._bytes] = data

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 1

    def block(self) -> Any:
        """Keeps the memory where it is while it lives."""
        return (ctypes.c_char * max(self._bytes, 1)).from_buffer(self._store, self._from)

    @property
    def memory(self) -> memoryview:
        """The elements, flat; float16 as its bits."""
        code: Any = TYPES[self.dtype][2]
        view: Any = memoryview(self._store)[self._from : self._from + self._bytes]
        elements: memoryview = view.cast("H" if code == "e" else code)
        return elements

    def flat(self) -> List[Any]:
        """The elements as Python numbers; of types that Python lacks, their bits."""
        form = "<%d%s" % (product(self.shape), TYPES[self.dtype][2])
        return list(struct.unpack_from(form, self._store, self._from))

    def tolist(self) -> Any:
        values: Any = self.flat()
        if not self.shape:
            return values[0]
        for size in reversed(self.shape[1:]):
            values = [values[i : i + size] for i in range(0, len(values), size)] if size else []
        return values

    def __repr__(self) -> str:
        return "Array(%s%s)" % (self.dtype, list(self.shape))

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (CPU, 0)

    def __dlpack__(self, *, stream: Any = None, **unused: Any) -> Any:
        block = self.block()
        managed = _ManagedTensor()
        managed.tensor, kept = tensor_at(ctypes.addressof(block), self.dtype, self.shape, None, block)
        managed.deleter = _release_exported
        _exported[ctypes.addressof(managed)] = (managed, kept, self)
        return _capsule_new(ctypes.addressof(managed), b"dltensor", _drop_capsule)
