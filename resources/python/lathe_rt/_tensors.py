# SPDX-License-Identifier: Apache-2.0
"""Elements between Python and the runtime: what programs hold becomes a tensor that shows its memory, and tensors become
NumPy arrays or, where there is no NumPy, an Array. The same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import ctypes
import functools
import importlib
import struct
from typing import Any, List, Optional, Sequence, Tuple, cast

from ._array import (ALIGNMENT, CPU, TYPE_NAMES, TYPES, Array, Tensor, capsule_pointer, dims_of, product, sizes_of, tensor_at,
                     width)  # fmt: skip
from ._errors import MISMATCH, InvalidValue, WrongType
from ._strings import STRING, StringArray, string_tensor, strings_at

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

_NUMPY_TYPES = frozenset(name for name, (code, bits, _) in TYPES.items() if code in (0, 1, 2, 6) and bits >= 8)
_ML_DTYPES = {"float8_e8m0": "float8_e8m0fnu", "float4_e2m1": "float4_e2m1fn"}  # named otherwise there
_OF_ML_DTYPES = {other: name for name, other in _ML_DTYPES.items()}


# ---- from the runtime


def _dtype_of(dtype: Any) -> str:
    """The name that it has here: names, and what NumPy takes for a dtype."""
    name: Any = _OF_ML_DTYPES.get(dtype, dtype) if isinstance(dtype, str) else None
    if name not in TYPES and numpy is not None and dtype is not None:
        try:
            found = numpy.dtype(dtype)
        except (TypeError, ValueError, SyntaxError):
            found = None
        name = _name_of(found) if found is not None and found.isnative else None
    if name not in TYPES:
        raise InvalidValue("there is no dtype %r" % (dtype,))
    return cast(str, name)


@functools.lru_cache(maxsize=None)
def _numpy_type(dtype: str) -> Any:
    """That of NumPy or ml_dtypes; without the latter, an unsigned integer for the bits."""
    if dtype in _NUMPY_TYPES:
        return numpy.dtype(dtype)
    try:
        ml_dtypes = importlib.import_module("ml_dtypes")
        return numpy.dtype(getattr(ml_dtypes, _ML_DTYPES.get(dtype, dtype)))
    except (ImportError, AttributeError):
        return numpy.dtype("uint%d" % (8 * width(dtype)))


def _string_array(strings: List[str], shape: Sequence[int]) -> Any:
    """Of str, as objects: NumPy's own strings would lose zeros at their ends, and all take as much as the longest."""
    if numpy is None:
        return StringArray(strings, shape)
    array = numpy.empty(len(strings), object)
    array[:] = strings
    return array.reshape(shape)


def array_at(data: int, dtype: str, shape: Sequence[int], copy: bool, owner: Any) -> Any:
    """The elements that lie there, row by row; without a copy (NumPy alone) the array keeps `owner`."""
    if dtype == STRING:
        return _string_array(strings_at(data, shape), shape)
    length = product(shape) * width(dtype)
    if numpy is None:
        return Array(ctypes.string_at(data, length) if length else b"", dtype, shape)
    if not length:
        return numpy.empty(shape, _numpy_type(dtype))
    block: Any = (ctypes.c_char * length).from_address(data)
    block.owner = owner
    view = numpy.frombuffer(block, _numpy_type(dtype)).reshape(shape)
    return view.copy() if copy else view


def empty(shape: Sequence[Any], dtype: Any = "float32") -> Any:
    """Memory for so many elements that copy=False and out= take, with any values in it: a NumPy array, or an Array. dtype: its
    name, or what NumPy takes for one."""
    dtype = _dtype_of(dtype)
    if any(isinstance(size, str) or size is None for size in shape):
        raise InvalidValue("its sizes are open: name them by shape=")
    sizes = sizes_of(shape)
    if any(size < 0 for size in sizes):
        raise InvalidValue("a size is negative: %s" % list(sizes))
    if numpy is None:
        return Array(None, dtype, sizes)
    length = product(sizes) * width(dtype)
    raw = numpy.empty(length + ALIGNMENT, numpy.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + length].view(_numpy_type(dtype)).reshape(sizes)


def aligned(value: Any, dtype: Any = None) -> Any:
    """The elements in memory that copy=False takes: the value itself where it lies so, else a copy. dtype: theirs, as for empty,
    which numbers in lists and bytes do not say."""
    dtype = None if dtype is None else _dtype_of(dtype)
    if dtype is None and isinstance(value, (list, tuple, int, float, bytes, bytearray)):
        raise WrongType("name the dtype of these numbers")
    if isinstance(value, Array) and numpy is None:
        same, found = value, value.dtype
    else:
        same, found = _elements(value, dtype or "float32")
    if dtype not in (None, found):
        raise WrongType("these elements are %s, not %s" % (found, dtype), MISMATCH)
    if numpy is None or (same.flags.c_contiguous and same.dtype.isnative and same.ctypes.data % ALIGNMENT == 0):
        return same
    copy = empty(same.shape, found)
    copy.view(same.dtype.newbyteorder("="))[...] = same
    return copy


def _elements(value: Any, wanted: str) -> Tuple[Any, str]:
    """As NumPy has them, where they lie if it can, or an Array, and their dtype."""
    array = _numpy_array(value)
    if array is not None:
        return array, _accepted(_name_of(array.dtype), wanted, array.dtype.name)
    tensor, kept = tensor_of(value, wanted)
    if not _is_compact(tensor):
        raise InvalidValue("a tensor is not contiguous: copy it", MISMATCH)
    dtype = TYPE_NAMES.get((tensor.dtype.code, tensor.dtype.bits))
    if dtype is None:
        raise WrongType("the elements of a tensor are of a type that is unknown here", MISMATCH)
    return array_at((tensor.data or 0) + tensor.byte_offset, dtype, tensor.shape[: tensor.ndim], False, kept), dtype


# ---- to the runtime


def _accepted(dtype: str, wanted: str, said: Any) -> str:
    """The dtype of elements that are called so: unsigned integers may be the bits of a type that others lack."""
    if dtype in ("uint8", "uint16") and wanted not in _NUMPY_TYPES and width(dtype) == width(wanted):
        return wanted
    if dtype not in TYPES:
        raise WrongType("the model takes %s here, not %s" % (wanted, said or "that"), MISMATCH)
    return dtype


def _reshaped(shape: Sequence[Any], had: Sequence[int], is_compact: bool) -> Tuple[int, ...]:
    sizes = sizes_of(shape)
    if sizes != tuple(had) and not is_compact:
        raise InvalidValue("only a contiguous array can be given another shape", MISMATCH)
    if product(sizes) != product(had):
        raise InvalidValue("%s elements cannot have the shape %s" % (product(had), list(sizes)), MISMATCH)
    return sizes


def _numpy_array(value: Any) -> Any:
    """What NumPy has, or makes best; None for what is had otherwise."""
    if numpy is None:
        return None
    is_other = hasattr(value, "__array__") and not hasattr(value, "__dlpack__")
    return numpy.asarray(value) if is_other or isinstance(value, (numpy.ndarray, numpy.generic)) else None


def _name_of(dtype: Any) -> str:
    name: str = dtype.name
    return _OF_ML_DTYPES.get(name, name)


def _of_numpy(value: Any, wanted: str, shape: Optional[Sequence[int]], direct: bool, writes: bool) -> Tuple[Tensor, Any]:
    dtype = _accepted(_name_of(value.dtype), wanted, value.dtype.name)
    if not value.dtype.isnative:
        if direct:
            raise InvalidValue("an array has another byte order than this machine: its memory cannot be used itself", MISMATCH)
        value = value.astype(value.dtype.newbyteorder("="))
    if writes and not value.flags.writeable:
        raise InvalidValue("the array is read-only")
    sizes, strides = value.shape, None
    if not value.flags.c_contiguous and any(stride % value.itemsize for stride in value.strides) and not direct:
        value = numpy.array(value, order="C")  # a field of records
    if not value.flags.c_contiguous:
        if any(stride % value.itemsize for stride in value.strides):
            raise InvalidValue("an array has strides that are no whole elements: copy it", MISMATCH)
        strides = [stride // value.itemsize for stride in value.strides]
    if shape is not None:
        sizes = _reshaped(shape, sizes, strides is None)
    return tensor_at(value.ctypes.data, dtype, sizes, strides, value)


def _is_compact(tensor: Tensor) -> bool:
    had = tensor.shape[: tensor.ndim]
    steps = (product(had[axis + 1 :]) for axis in range(len(had)))
    return not tensor.strides or all(a == b or size == 1 for a, b, size in zip(tensor.strides, steps, had))


def _of_dlpack(value: Any, shape: Optional[Sequence[int]]) -> Tuple[Tensor, Any]:
    if tuple(value.__dlpack_device__())[0] != CPU:
        raise InvalidValue("a tensor does not lie in the memory of the CPU: copy it there", MISMATCH)
    try:
        capsule = value.__dlpack__()
        tensor = Tensor.from_address(capsule_pointer(capsule, b"dltensor"))
    except (BufferError, ValueError, TypeError) as wrong:
        raise InvalidValue("a tensor cannot be had by DLPack: %s" % wrong, MISMATCH) from None
    if shape is None:
        return tensor, (capsule, value)
    sizes = dims_of(_reshaped(shape, tensor.shape[: tensor.ndim], _is_compact(tensor)))
    other = Tensor(tensor.data, CPU, 0, len(shape), tensor.dtype, sizes, None, tensor.byte_offset)
    return other, (capsule, value, sizes)


def _flatten(values: Any, shape: List[int], depth: int, into: List[Any]) -> None:
    if isinstance(values, (list, tuple)):
        if depth == len(shape):
            if into:
                raise InvalidValue("its lists are not of one depth", MISMATCH)
            shape.append(len(values))
        if len(values) != shape[depth]:
            raise InvalidValue("its lists are not of one length", MISMATCH)
        for value in values:
            _flatten(value, shape, depth + 1, into)
    else:
        if depth != len(shape):
            raise InvalidValue("its lists are not of one depth", MISMATCH)
        into.append(values)


def _of_numbers(value: Any, wanted: str, shape: Optional[Sequence[int]]) -> Array:
    numbers: List[Any] = []
    found: List[int] = []
    _flatten(value, found, 0, numbers)
    code, bits, _ = TYPES[wanted]
    if code == 4 or code > 6:  # which struct cannot make of a number
        raise WrongType("numbers are not converted to %s: give an array of that type, or bytes" % wanted, MISMATCH)
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if code == 0 else (0, (1 << bits) - 1)
    try:
        if bits < 8 and not all(least <= number <= most for number in numbers):
            raise OverflowError("it has %d to %d" % (least, most))
        data = struct.pack("<%d%s" % (len(numbers), TYPES[wanted][2]), *numbers)
    except (struct.error, OverflowError, TypeError) as wrong:
        raise InvalidValue("its numbers do not fit %s: %s" % (wanted, wrong), MISMATCH) from None
    return Array(data, wanted, found if shape is None else _reshaped(shape, found, True))


def _of_strings(value: Any, shape: Optional[Sequence[int]]) -> Tuple[Tensor, Any]:
    array = _numpy_array(value)
    texts: List[Any] = []
    had: List[int] = []
    if array is not None:
        texts, had = array.reshape(-1).tolist(), list(array.shape)
    elif isinstance(value, StringArray):
        texts, had = value.flat(), list(value.shape)
    else:
        _flatten(value, had, 0, texts)
    return string_tensor(texts, had if shape is None else _reshaped(shape, had, True))


def _of_buffer(value: Any, wanted: str, shape: Optional[Sequence[int]], direct: bool) -> Tuple[Tensor, Any]:
    try:
        view = memoryview(value)
    except TypeError:
        raise WrongType("the model takes %s here, not a %s" % (wanted, type(value).__name__), MISMATCH) from None
    if not view.c_contiguous:
        raise InvalidValue("a buffer is not contiguous: copy it", MISMATCH)
    kinds = {"l": "int%d" % (8 * struct.calcsize("l")), "L": "uint%d" % (8 * struct.calcsize("l"))}
    kinds.update({form: name for name, (_, bits, form) in reversed(list(TYPES.items())) if bits >= 8})
    kinds.update({"B": "uint8", "H": "uint16"})
    had: Sequence[int]
    if isinstance(value, (bytes, bytearray)):  # elements of any type
        if len(value) % width(wanted):
            raise InvalidValue("%d bytes are no whole number of elements of %s" % (len(value), wanted), MISMATCH)
        dtype, had = wanted, (len(value) // width(wanted),)
    else:
        said = "a buffer of format %r" % view.format
        dtype, had = _accepted(kinds.get(view.format.lstrip("<=@"), ""), wanted, said), tuple(view.shape or ())
    sizes = had if shape is None else _reshaped(shape, had, True)
    if not direct:
        return tensor_of(Array(view.tobytes(), dtype, sizes), dtype)
    if view.readonly:
        raise InvalidValue("a buffer is read-only, and its memory cannot be used itself")
    block = (ctypes.c_char * view.nbytes).from_buffer(view)
    return tensor_at(ctypes.addressof(block), dtype, sizes, None, block)


def tensor_of(
    value: Any, wanted: str, shape: Optional[Sequence[int]] = None, direct: bool = False, writes: bool = False
) -> Tuple[Tensor, Any]:
    """A tensor that shows the value's elements, and what must live as long. direct: in the value's own memory, or an Error;
    writes: which will be written to."""
    if wanted == STRING:
        if direct:
            raise WrongType("strings have no memory that a run could use: let them be copied")
        return _of_strings(value, shape)
    array = _numpy_array(value)
    if array is not None:
        return _of_numpy(array, wanted, shape, direct, writes)
    if isinstance(value, (list, tuple, int, float)):
        if direct:
            raise WrongType("numbers have no memory that a run could use: give an array")
        value, shape = _of_numbers(value, wanted, shape), None
    if isinstance(value, Array):
        block = value.block()
        sizes = value.shape if shape is None else _reshaped(shape, value.shape, True)
        return tensor_at(ctypes.addressof(block), value.dtype, sizes, None, (block, value))
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value, shape)
    return _of_buffer(value, wanted, shape, direct)
