# SPDX-License-Identifier: Apache-2.0
"""Elements between Python and the runtime: what programs hold becomes a tensor that shows its memory, and tensors become
NumPy arrays or, where there is no NumPy, an Array. The same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import ctypes
import functools
import importlib
import operator
import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

ALIGNMENT = 64  # of memory that runs use without a copy
INVALID_ARGUMENT, IO_ERROR, UNSUPPORTED, MISMATCH, MISSING_INPUT = 1, 2, 4, 6, 7  # of lathe_status in lathe_rt.h
_CPU = 1
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
_NUMPY_TYPES = frozenset(name for name, (code, bits, _) in TYPES.items() if code in (0, 1, 2, 6) and bits >= 8)
_ML_DTYPES = {"float8_e8m0": "float8_e8m0fnu", "float4_e2m1": "float4_e2m1fn"}  # named otherwise there
_OF_ML_DTYPES = {other: name for name, other in _ML_DTYPES.items()}


class Error(RuntimeError):
    """What the runtime refused. message: a sentence; status: a number of lathe_status in lathe_rt.h; node: the model's node
    where a run stopped, or ""."""

    def __init__(self, message: str, status: int = INVALID_ARGUMENT, node: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.node = node


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


def _width(dtype: str) -> int:
    return struct.calcsize(TYPES[dtype][2])


def _product(shape: Sequence[int]) -> int:
    return functools.reduce(operator.mul, shape, 1)


def _sizes(shape: Sequence[Any]) -> Tuple[int, ...]:
    try:
        return tuple(operator.index(size) for size in shape)
    except TypeError:
        raise Error("a shape is a sequence of whole numbers, not %r" % (shape,)) from None


def _dims(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def _tensor(data: int, dtype: str, shape: Sequence[int], strides: Optional[Sequence[int]], kept: Any) -> Tuple[Tensor, Any]:
    """The tensor, and what must live as long."""
    code, bits, _ = TYPES[dtype]
    c_shape, c_strides = _dims(shape), None if strides is None else _dims(strides)
    return Tensor(data, _CPU, 0, len(shape), DataType(code, bits, 1), c_shape, c_strides, 0), (kept, c_shape, c_strides)


# ---- DLPack: capsules, through the interpreter's own C interface


class _ManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ManagedTensor))
_ManagedTensor._fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
# Prototypes of their own: what others declare of ctypes.pythonapi is theirs.
_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(
    ("PyCapsule_New", ctypes.pythonapi))  # fmt: skip
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
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
            raise Error("there is no dtype %r" % (dtype,))
        self.dtype = dtype
        self.shape = _sizes(shape)
        if any(size < 0 for size in self.shape):
            raise Error("a size is negative: %s" % list(self.shape))
        self._bytes = _product(self.shape) * _width(dtype)
        if data is not None and len(data) != self._bytes:
            raise Error("%s%s has %d bytes, not %d" % (dtype, list(self.shape), self._bytes, len(data)), MISMATCH)
        self._store = bytearray(self._bytes + ALIGNMENT)
        self._from = -ctypes.addressof(ctypes.c_char.from_buffer(self._store)) % ALIGNMENT
        if data is not None:
            self._store[self._from : self._from + self._bytes] = data

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 1

    def _block(self) -> Any:
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
        form = "<%d%s" % (_product(self.shape), TYPES[self.dtype][2])
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
        return (_CPU, 0)

    def __dlpack__(self, *, stream: Any = None, **unused: Any) -> Any:
        block = self._block()
        managed = _ManagedTensor()
        managed.tensor, kept = _tensor(ctypes.addressof(block), self.dtype, self.shape, None, block)
        managed.deleter = _release_exported
        _exported[ctypes.addressof(managed)] = (managed, kept, self)
        return _capsule_new(ctypes.addressof(managed), b"dltensor", _drop_capsule)


# ---- from the runtime


@functools.lru_cache(maxsize=None)
def _numpy_type(dtype: str) -> Any:
    """That of NumPy or ml_dtypes; without the latter, an unsigned integer for the bits."""
    if dtype in _NUMPY_TYPES:
        return numpy.dtype(dtype)
    try:
        ml_dtypes = importlib.import_module("ml_dtypes")
        return numpy.dtype(getattr(ml_dtypes, _ML_DTYPES.get(dtype, dtype)))
    except (ImportError, AttributeError):
        return numpy.dtype("uint%d" % (8 * _width(dtype)))


def array_at(data: int, dtype: str, shape: Sequence[int], copy: bool, owner: Any) -> Any:
    """The elements that lie there, row by row; without a copy (NumPy alone) the array keeps `owner`."""
    length = _product(shape) * _width(dtype)
    if numpy is None:
        return Array(ctypes.string_at(data, length) if length else b"", dtype, shape)
    if not length:
        return numpy.empty(shape, _numpy_type(dtype))
    block: Any = (ctypes.c_char * length).from_address(data)
    block.owner = owner
    view = numpy.frombuffer(block, _numpy_type(dtype)).reshape(shape)
    return view.copy() if copy else view


def empty(dtype: str, shape: Sequence[Any]) -> Any:
    """Aligned memory for so many elements."""
    if any(isinstance(size, str) or size is None for size in shape):
        raise Error("its sizes are open: name them by shape=")
    sizes = _sizes(shape)
    if any(size < 0 for size in sizes):
        raise Error("a size is negative: %s" % list(sizes))
    if numpy is None:
        return Array(None, dtype, sizes)
    length = _product(sizes) * _width(dtype)
    raw = numpy.empty(length + ALIGNMENT, numpy.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + length].view(_numpy_type(dtype)).reshape(sizes)


# ---- to the runtime


def _accepted(dtype: str, wanted: str, said: Any) -> str:
    """The dtype of elements that are called so: unsigned integers may be the bits of a type that others lack."""
    if dtype in ("uint8", "uint16") and wanted not in _NUMPY_TYPES and _width(dtype) == _width(wanted):
        return wanted
    if dtype not in TYPES:
        raise Error("the model takes %s here, not %s" % (wanted, said or "that"), MISMATCH)
    return dtype


def _reshaped(shape: Sequence[Any], had: Sequence[int], is_compact: bool) -> Tuple[int, ...]:
    sizes = _sizes(shape)
    if sizes != tuple(had) and not is_compact:
        raise Error("only a contiguous array can be given another shape", MISMATCH)
    if _product(sizes) != _product(had):
        raise Error("%s elements cannot have the shape %s" % (_product(had), list(sizes)), MISMATCH)
    return sizes


def _of_numpy(value: Any, wanted: str, shape: Optional[Sequence[int]], writes: bool) -> Tuple[Tensor, Any]:
    if not value.dtype.isnative:
        raise Error("an array has another byte order than this machine", MISMATCH)
    name = value.dtype.name
    dtype = _accepted(_OF_ML_DTYPES.get(name, name), wanted, name)
    if writes and not value.flags.writeable:
        raise Error("the array for an output is read-only")
    sizes, strides = value.shape, None
    if not value.flags.c_contiguous:
        if any(stride % value.itemsize for stride in value.strides):
            raise Error("an array has strides that are no whole elements: copy it", MISMATCH)
        strides = [stride // value.itemsize for stride in value.strides]
    if shape is not None:
        sizes = _reshaped(shape, sizes, strides is None)
    return _tensor(value.ctypes.data, dtype, sizes, strides, value)


def _of_dlpack(value: Any, shape: Optional[Sequence[int]]) -> Tuple[Tensor, Any]:
    if tuple(value.__dlpack_device__())[0] != _CPU:
        raise Error("a tensor does not lie in the memory of the CPU: copy it there", MISMATCH)
    try:
        capsule = value.__dlpack__()
        tensor = Tensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    except (BufferError, ValueError, TypeError) as wrong:
        raise Error("a tensor cannot be had by DLPack: %s" % wrong, MISMATCH) from None
    if shape is None:
        return tensor, (capsule, value)
    had = tensor.shape[: tensor.ndim]
    strides = tensor.strides[: tensor.ndim] if tensor.strides else None
    steps = [_product(had[axis + 1 :]) for axis in range(len(had))]
    is_compact = strides is None or all(a == b or size == 1 for a, b, size in zip(strides, steps, had))
    sizes = _dims(_reshaped(shape, had, is_compact))
    other = Tensor(tensor.data, _CPU, 0, len(shape), tensor.dtype, sizes, None, tensor.byte_offset)
    return other, (capsule, value, sizes)


def _flatten(values: Any, shape: List[int], depth: int, into: List[Any]) -> None:
    if isinstance(values, (list, tuple)):
        if depth == len(shape):
            if into:
                raise Error("the lists of an input are not of one depth", MISMATCH)
            shape.append(len(values))
        if len(values) != shape[depth]:
            raise Error("the lists of an input are not of one length", MISMATCH)
        for value in values:
            _flatten(value, shape, depth + 1, into)
    else:
        if depth != len(shape):
            raise Error("the lists of an input are not of one depth", MISMATCH)
        into.append(values)


def _of_numbers(value: Any, wanted: str, shape: Optional[Sequence[int]]) -> Array:
    numbers: List[Any] = []
    found: List[int] = []
    _flatten(value, found, 0, numbers)
    code, bits, _ = TYPES[wanted]
    if code == 4 or code > 6:  # which struct cannot make of a number
        raise Error("numbers are not converted to %s: give an array of that type, or bytes" % wanted, MISMATCH)
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if code == 0 else (0, (1 << bits) - 1)
    try:
        if bits < 8 and not all(least <= number <= most for number in numbers):
            raise OverflowError("it has %d to %d" % (least, most))
        data = struct.pack("<%d%s" % (len(numbers), TYPES[wanted][2]), *numbers)
    except (struct.error, OverflowError, TypeError) as wrong:
        raise Error("the numbers of an input do not fit %s: %s" % (wanted, wrong), MISMATCH) from None
    return Array(data, wanted, found if shape is None else _reshaped(shape, found, True))


def _of_buffer(value: Any, wanted: str, shape: Optional[Sequence[int]], direct: bool) -> Tuple[Tensor, Any]:
    try:
        view = memoryview(value)
    except TypeError:
        raise Error("the model takes %s here, not a %s" % (wanted, type(value).__name__), MISMATCH) from None
    if not view.c_contiguous:
        raise Error("a buffer is not contiguous: copy it", MISMATCH)
    kinds = {"l": "int%d" % (8 * struct.calcsize("l")), "L": "uint%d" % (8 * struct.calcsize("l"))}
    kinds.update({form: name for name, (_, bits, form) in reversed(list(TYPES.items())) if bits >= 8})
    kinds.update({"B": "uint8", "H": "uint16"})
    had: Sequence[int]
    if isinstance(value, (bytes, bytearray)):  # elements of any type
        if len(value) % _width(wanted):
            raise Error("%d bytes are no whole number of elements of %s" % (len(value), wanted), MISMATCH)
        dtype, had = wanted, (len(value) // _width(wanted),)
    else:
        said = "a buffer of format %r" % view.format
        dtype, had = _accepted(kinds.get(view.format.lstrip("<=@"), ""), wanted, said), tuple(view.shape or ())
    sizes = had if shape is None else _reshaped(shape, had, True)
    if not direct:
        return tensor_of(Array(view.tobytes(), dtype, sizes), dtype)
    if view.readonly:
        raise Error("a buffer is read-only, and its memory cannot be used itself")
    block = (ctypes.c_char * view.nbytes).from_buffer(view)
    return _tensor(ctypes.addressof(block), dtype, sizes, None, block)


def tensor_of(
    value: Any, wanted: str, shape: Optional[Sequence[int]] = None, direct: bool = False, writes: bool = False
) -> Tuple[Tensor, Any]:
    """A tensor that shows the value's elements, and what must live as long. direct: in the value's own memory, or an Error;
    writes: which will be written to."""
    if numpy is not None:
        if hasattr(value, "__array__") and not isinstance(value, numpy.ndarray) and not hasattr(value, "__dlpack__"):
            value = numpy.asarray(value)
        if isinstance(value, numpy.generic):
            value = numpy.asarray(value)
        if isinstance(value, numpy.ndarray):
            return _of_numpy(value, wanted, shape, writes)
    if isinstance(value, (list, tuple, int, float)):
        if direct:
            raise Error("numbers have no memory that a run could use: give an array")
        value, shape = _of_numbers(value, wanted, shape), None
    if isinstance(value, Array):
        block = value._block()
        sizes = value.shape if shape is None else _reshaped(shape, value.shape, True)
        return _tensor(ctypes.addressof(block), value.dtype, sizes, None, (block, value))
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value, shape)
    return _of_buffer(value, wanted, shape, direct)
