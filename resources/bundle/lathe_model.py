# SPDX-License-Identifier: Apache-2.0
"""The model of this bundle for Python 3.8 and newer: nothing to build, nothing to install, NumPy if it is there.

    from lathe_model import Model
    model = Model()                  # finds artifact and runtime relative to this file
    y = model(x)                     # one array an input, by position or by name; one output, or a tuple of them

    context = model.context(threads=4)   # one a thread; the interpreter's lock is free while it runs
    y, = context.run(x)

Inputs: NumPy arrays, whatever has __dlpack__ on the CPU (PyTorch, JAX …), buffers (array.array, memoryview), nested lists.
Outputs: NumPy arrays, or where NumPy cannot be imported Array, which has __dlpack__ and is a buffer. They are copies, so they
live on; output(copy=False) is a view until the next run. Nothing is converted silently: another dtype than the model's is an
Error. Elements of types that NumPy lacks are those of ml_dtypes if it can be imported, else their bytes as unsigned integers.
"""
from __future__ import annotations

import ctypes
import json
import math
import pathlib
import platform
import struct
import threading
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

__all__ = ["Array", "Case", "Context", "Error", "Model", "Value"]
__version__ = "@VERSION@"

_HERE = pathlib.Path(__file__).resolve().parent
_OK, _INVALID_ARGUMENT, _IO_ERROR, _MISMATCH = 0, 1, 2, 6
_UNKNOWN_DIM = -(2**63)
_CPU = (1, 0)
# dtype: (DLPack code, bits, struct format of one element)
_TYPES = {
    "bool": (6, 8, "?"), "int8": (0, 8, "b"), "uint8": (1, 8, "B"), "int16": (0, 16, "h"), "uint16": (1, 16, "H"),
    "int32": (0, 32, "i"), "uint32": (1, 32, "I"), "int64": (0, 64, "q"), "uint64": (1, 64, "Q"),
    "float16": (2, 16, "e"), "float32": (2, 32, "f"), "float64": (2, 64, "d"), "bfloat16": (4, 16, "H"),
    "int4": (0, 4, "b"), "uint4": (1, 4, "B"), "int2": (0, 2, "b"), "uint2": (1, 2, "B"),
    "float8_e4m3fn": (10, 8, "B"), "float8_e4m3fnuz": (11, 8, "B"), "float8_e5m2": (12, 8, "B"),
    "float8_e5m2fnuz": (13, 8, "B"), "float8_e8m0": (14, 8, "B"), "float4_e2m1": (17, 4, "B"),
}  # fmt: skip
_NAMES = {(code, bits): name for name, (code, bits, _) in _TYPES.items()}


class Error(RuntimeError):
    """What the runtime refused. status: a number of lathe_rt.h; node: the model's node where a run stopped, or ""."""

    def __init__(self, message: str, status: int = _INVALID_ARGUMENT, node: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.node = node


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _ManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ManagedTensor))
_ManagedTensor._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _ValueInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("dtype", _DataType),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class _ContextOptions(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("memory_limit", ctypes.c_int64),
        ("allocate", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
    ]


def _dims(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)


# ---- DLPack: capsules, through the interpreter's own C interface
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_exported: dict = {}  # address of a managed tensor: what it needs while somebody has it


@_Deleter
def _release_exported(managed: Any) -> None:
    _exported.pop(ctypes.addressof(managed.contents), None)


class Array:
    """Elements and their shape, where there is no NumPy: a buffer, and a producer of DLPack."""

    def __init__(self, data: Union[bytes, bytearray], dtype: str, shape: Sequence[int]) -> None:
        self.dtype = dtype
        self.shape = tuple(shape)
        self._data = bytearray(data)

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 1

    @property
    def memory(self) -> memoryview:
        """The elements, flat: memoryview(array.memory) is a buffer of them."""
        code = _TYPES[self.dtype][2]
        return memoryview(self._data).cast("H" if code == "e" else code)

    def flat(self) -> list:
        """The elements as Python numbers; of types that Python lacks, their bits."""
        width = struct.calcsize(_TYPES[self.dtype][2])
        return list(struct.unpack("<%d%s" % (len(self._data) // width, _TYPES[self.dtype][2]), self._data))

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
        return _CPU

    def __dlpack__(self, *, stream: Any = None, **unused: Any) -> Any:
        code, bits, _ = _TYPES[self.dtype]
        block = (ctypes.c_char * max(len(self._data), 1)).from_buffer(self._data or bytearray(1))
        shape = _dims(self.shape)
        managed = _ManagedTensor()
        managed.tensor = _Tensor(
            ctypes.addressof(block), 1, 0, len(self.shape), _DataType(code, bits, 1), shape, None, 0
        )
        managed.deleter = _release_exported
        _exported[ctypes.addressof(managed)] = (managed, block, shape, self)
        return _capsule_new(ctypes.addressof(managed), b"dltensor", None)


class Value:
    """An input or output: name, dtype, and shape, of which a dim is a size, a symbol's name, or None if only a run tells."""

    def __init__(self, name: str, dtype: str, shape: Tuple[Union[int, str, None], ...]) -> None:
        self.name, self.dtype, self.shape = name, dtype, shape

    def __repr__(self) -> str:
        return "Value(%r, %s%s)" % (self.name, self.dtype, list(self.shape))


def _array(data: int, dtype: str, shape: Sequence[int], copy: bool, owner: Any) -> Any:
    code, bits, form = _TYPES[dtype]
    count = 1
    for size in shape:
        count *= size
    length = count * struct.calcsize(form)
    if numpy is None:
        return Array(ctypes.string_at(data, length) if length else b"", dtype, shape)
    kind: Any = dtype if hasattr(numpy, dtype) and dtype in _TYPES else {1: "uint8", 2: "uint16"}[struct.calcsize(form)]
    if dtype == "bool":
        kind = numpy.bool_
    if code in (4,) or bits < 8 or code >= 7:
        try:
            import ml_dtypes

            kind = getattr(ml_dtypes, {"float8_e8m0": "float8_e8m0fnu", "float4_e2m1": "float4_e2m1fn"}.get(dtype, dtype))
        except (ImportError, AttributeError):
            pass
    if not length:
        return numpy.empty(shape, kind)
    block = (ctypes.c_char * length).from_address(data)
    block.owner = owner  # type: ignore[attr-defined]
    view = numpy.frombuffer(block, kind).reshape(shape)
    return view.copy() if copy else view


def _flatten(values: Any, shape: List[int], depth: int, into: list) -> None:
    if isinstance(values, (list, tuple)):
        if depth == len(shape):
            shape.append(len(values))
        if len(values) != shape[depth]:
            raise Error("the lists of an input are not of one length", _MISMATCH)
        for value in values:
            _flatten(value, shape, depth + 1, into)
    else:
        if depth != len(shape):
            raise Error("the lists of an input are not of one depth", _MISMATCH)
        into.append(values)


def _tensor_of(value: Any, wanted: str, shape: Optional[Sequence[int]]) -> Tuple[_Tensor, Any]:
    """A tensor that shows the value's elements, and what must live as long."""
    if hasattr(value, "__array_interface__"):
        facts = value.__array_interface__
        kind, width = facts["typestr"][1], int(facts["typestr"][2:])
        name = {"b": "bool", "i": "int", "u": "uint", "f": "float"}.get(kind, "")
        dtype = name if kind == "b" else "%s%d" % (name, 8 * width)
        if name and facts["typestr"][0] == ">":
            raise Error("an input has another byte order than this machine", _MISMATCH)
        if not name:
            dtype = str(getattr(value, "dtype", ""))
        if dtype != wanted and dtype in ("uint8", "uint16") and wanted not in ("bool", "int8", "int16", "float16"):
            if struct.calcsize(_TYPES[wanted][2]) == width:
                dtype = wanted  # the bits of a type that NumPy lacks
        if dtype not in _TYPES:
            raise Error("the model takes %s here, not %s" % (wanted, dtype or "that"), _MISMATCH)
        sizes = tuple(facts["shape"]) if shape is None else tuple(shape)
        strides = facts.get("strides")
        if strides is not None and shape is not None and sizes != tuple(facts["shape"]):
            raise Error("only a contiguous array can be given another shape", _MISMATCH)
        if strides is not None and any(stride % width for stride in strides):
            raise Error("an input has strides that are no whole elements: copy it", _MISMATCH)
        c_shape = _dims(sizes)
        c_strides = None if strides is None else _dims([stride // width for stride in strides])
        code, bits, _ = _TYPES[dtype]
        tensor = _Tensor(facts["data"][0], 1, 0, len(sizes), _DataType(code, bits, 1), c_shape, c_strides, 0)
        return tensor, (value, c_shape, c_strides)
    if hasattr(value, "__dlpack__") and not isinstance(value, Array):
        if tuple(value.__dlpack_device__())[0] != 1:
            raise Error("an input does not lie in the memory of the CPU: copy it there", _MISMATCH)
        capsule = value.__dlpack__()
        return _Tensor.from_address(_capsule_pointer(capsule, b"dltensor")), (capsule, value)
    if isinstance(value, Array):
        shape, dtype, data = value.shape if shape is None else shape, value.dtype, bytes(value._data)
    elif isinstance(value, (list, tuple, int, float)) and not isinstance(value, bytes):
        numbers: list = []
        found: List[int] = []
        _flatten(value, found, 0, numbers)
        shape, dtype = found if shape is None else shape, wanted
        try:
            data = struct.pack("<%d%s" % (len(numbers), _TYPES[wanted][2]), *numbers)
        except struct.error as wrong:
            raise Error("the numbers of an input do not fit %s: %s" % (wanted, wrong), _MISMATCH) from None
    else:
        view = memoryview(value)
        if not view.c_contiguous:
            raise Error("an input is no contiguous buffer: copy it", _MISMATCH)
        kinds = {"l": "int%d" % (8 * struct.calcsize("l")), "L": "uint%d" % (8 * struct.calcsize("l"))}
        kinds.update({form: name for name, (_, bits, form) in reversed(list(_TYPES.items())) if bits >= 8})
        kinds.update({"B": "uint8", "H": "uint16"})
        dtype = kinds.get(view.format.lstrip("<=@"), "")
        if isinstance(value, (bytes, bytearray)) or (dtype in ("uint8", "uint16") and wanted not in _NUMPY_TYPES):
            dtype = wanted
        if dtype not in _TYPES:
            raise Error("the model takes %s here, not a buffer of format %r" % (wanted, view.format), _MISMATCH)
        shape, data = view.shape if shape is None else shape, view.tobytes()
    count = 1
    for size in shape:
        count *= size
    if len(data) != count * struct.calcsize(_TYPES[dtype][2]):
        raise Error("an input has %d bytes, and %s%s takes another number" % (len(data), dtype, list(shape)), _MISMATCH)
    block = ctypes.create_string_buffer(data, max(len(data), 1))
    c_shape = _dims(shape)
    code, bits, _ = _TYPES[dtype]
    tensor = _Tensor(ctypes.addressof(block), 1, 0, len(shape), _DataType(code, bits, 1), c_shape, None, 0)
    return tensor, (block, c_shape)


_NUMPY_TYPES = frozenset(name for name, (code, bits, _) in _TYPES.items() if code in (0, 1, 2, 6) and bits >= 8)


def _triple() -> str:
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine) + "-linux-gnu"


def _open_runtime(bundle: pathlib.Path) -> ctypes.CDLL:
    path = bundle / "lib" / _triple() / "liblathe_rt.so.1"
    if not path.is_file():
        have = sorted(folder.name for folder in (bundle / "lib").glob("*-linux-*"))
        raise Error("this bundle has no runtime for %s, only for %s" % (_triple(), ", ".join(have) or "none"), _IO_ERROR)
    try:
        runtime = ctypes.CDLL(str(path))
    except OSError as wrong:
        raise Error("the runtime cannot be loaded: %s" % wrong, _IO_ERROR) from None
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
    tensor, out = ctypes.POINTER(_Tensor), ctypes.POINTER(ctypes.c_void_p)
    for name, result, arguments in (
        ("lathe_version", text, []),
        ("lathe_thread_error", text, []),
        ("lathe_model_load", number, [text, out]),
        ("lathe_model_free", None, [pointer]),
        ("lathe_model_name", text, [pointer]),
        ("lathe_model_metadata", text, [pointer]),
        ("lathe_model_input_count", number, [pointer]),
        ("lathe_model_output_count", number, [pointer]),
        ("lathe_model_input", number, [pointer, number, ctypes.POINTER(_ValueInfo)]),
        ("lathe_model_output", number, [pointer, number, ctypes.POINTER(_ValueInfo)]),
        ("lathe_model_symbol", text, [pointer, number]),
        ("lathe_context_create", number, [pointer, ctypes.POINTER(_ContextOptions), out]),
        ("lathe_context_free", None, [pointer]),
        ("lathe_last_error", text, [pointer]),
        ("lathe_last_error_node", text, [pointer]),
        ("lathe_set_input", number, [pointer, number, tensor]),
        ("lathe_bind_input", number, [pointer, number, tensor]),
        ("lathe_bind_output", number, [pointer, number, tensor]),
        ("lathe_set_seed", number, [pointer, ctypes.c_uint64]),
        ("lathe_run", number, [pointer]),
        ("lathe_get_output", number, [pointer, number, tensor]),
    ):
        function = getattr(runtime, name)
        function.restype, function.argtypes = result, arguments
    return runtime


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


class Model:
    """A loaded model, which any number of threads may share. bundle: its folder; variant: the tag of one artifact, else
    the first that this machine can run."""

    def __init__(self, bundle: Union[str, pathlib.Path, None] = None, variant: Optional[str] = None) -> None:
        self._handle = ctypes.c_void_p()
        self.bundle = pathlib.Path(bundle) if bundle is not None else _HERE.parent.parent
        self.manifest = json.loads((self.bundle / "manifest.json").read_text("utf-8"))
        self.name, self.version = self.manifest["name"], self.manifest["version"]
        self._runtime = _open_runtime(self.bundle)
        self._local = threading.local()
        reasons = []
        for artifact in self.manifest["variants"]:
            if artifact["triple"] != _triple() or variant not in (None, artifact["tag"]):
                continue
            path = str(self.bundle / artifact["path"]).encode("utf-8", "surrogateescape")
            if self._runtime.lathe_model_load(path, ctypes.byref(self._handle)) == _OK:
                self.variant = artifact["tag"]
                break
            reasons.append(_text(self._runtime.lathe_thread_error()))
        else:
            raise Error("; ".join(reasons) or "this bundle has no artifact for %s" % (variant or _triple()), _IO_ERROR)
        self.inputs = self._values(self._runtime.lathe_model_input_count, self._runtime.lathe_model_input)
        self.outputs = self._values(self._runtime.lathe_model_output_count, self._runtime.lathe_model_output)
        self.symbols = self.manifest["symbols"]

    def _values(self, count: Any, read: Any) -> List[Value]:
        values = []
        for i in range(count(self._handle)):
            info = _ValueInfo()
            if read(self._handle, i, ctypes.byref(info)) != _OK:
                raise Error(_text(self._runtime.lathe_thread_error()))
            shape: list = []
            for dim in info.dims[: info.rank]:
                symbol = self._runtime.lathe_model_symbol(self._handle, -(dim + 1)) if dim > _UNKNOWN_DIM else None
                shape.append(dim if dim >= 0 else _text(symbol) if symbol is not None else None)
            values.append(Value(_text(info.name), _NAMES[(info.dtype.code, info.dtype.bits)], tuple(shape)))
        return values

    @property
    def metadata(self) -> dict:
        """What the artifact says of itself."""
        return json.loads(_text(self._runtime.lathe_model_metadata(self._handle)) or "{}")

    def context(self, threads: int = 0, memory_limit: int = 0) -> "Context":
        """One place where the model runs. threads: the caller's included, 0 for all; memory_limit: bytes, 0 for none."""
        return Context(self, threads, memory_limit)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Runs on a context of this thread."""
        if not hasattr(self._local, "context"):
            self._local.context = self.context()
        outputs = self._local.context.run(*inputs, **named)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def golden(self) -> List["Case"]:
        """The cases that this bundle was checked with."""
        return [Case(self, case["name"]) for case in self.manifest["golden"]["cases"]]

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and hasattr(self, "_runtime"):
            self._runtime.lathe_model_free(self._handle)

    def __repr__(self) -> str:
        return "Model(%r, inputs=%r, outputs=%r)" % (self.name, self.inputs, self.outputs)


class Context:
    """Threads, memory, inputs and outputs of a model that runs. Calls on one context must not overlap."""

    def __init__(self, model: Model, threads: int = 0, memory_limit: int = 0) -> None:
        self.model = model  # stays loaded
        self._runtime = model._runtime
        self._handle = ctypes.c_void_p()
        self._bound: dict = {}
        options = _ContextOptions(ctypes.sizeof(_ContextOptions), threads, memory_limit, None, None, None)
        status = self._runtime.lathe_context_create(model._handle, ctypes.byref(options), ctypes.byref(self._handle))
        if status != _OK:
            raise Error(_text(self._runtime.lathe_thread_error()), status)

    def _check(self, status: int) -> None:
        if status != _OK:
            node = _text(self._runtime.lathe_last_error_node(self._handle))
            raise Error(_text(self._runtime.lathe_last_error(self._handle)), status, node)

    def _live(self) -> None:
        if not self._handle:
            raise Error("the context is closed")

    @staticmethod
    def _ordinal(values: List[Value], which: Union[int, str], what: str) -> int:
        for i, value in enumerate(values):
            if which in (i, value.name):
                return i
        raise Error("the model has no %s %r, only %s" % (what, which, ", ".join(repr(v.name) for v in values)))

    def set(
        self, which: Union[int, str], value: Any, shape: Optional[Sequence[int]] = None, copy: bool = True
    ) -> None:
        """Gives an input its value, which stays set from run to run. copy=False uses the memory itself: contiguous, 64-byte
        aligned (empty_input), and unchanged while it is set."""
        self._live()
        index = self._ordinal(self.model.inputs, which, "input")
        tensor, kept = _tensor_of(value, self.model.inputs[index].dtype, shape)
        give = self._runtime.lathe_set_input if copy else self._runtime.lathe_bind_input
        self._check(give(self._handle, index, ctypes.byref(tensor)))
        self._bound["input", index] = None if copy else (tensor, kept)

    def bind_output(self, which: Union[int, str], array: Any) -> None:
        """Runs write this output to the array's memory: contiguous, 64-byte aligned. None: to the context's own again."""
        self._live()
        index = self._ordinal(self.model.outputs, which, "output")
        if array is None:
            self._check(self._runtime.lathe_bind_output(self._handle, index, None))
            self._bound["output", index] = None
            return
        tensor, kept = _tensor_of(array, self.model.outputs[index].dtype, None)
        self._check(self._runtime.lathe_bind_output(self._handle, index, ctypes.byref(tensor)))
        self._bound["output", index] = (tensor, kept)

    def empty_input(self, which: Union[int, str], shape: Optional[Sequence[int]] = None) -> Any:
        """A NumPy array of the alignment that copy=False asks for."""
        if numpy is None:
            raise Error("NumPy is needed for this")
        value = self.model.inputs[self._ordinal(self.model.inputs, which, "input")]
        sizes = value.shape if shape is None else tuple(shape)
        if not all(isinstance(size, int) for size in sizes):
            raise Error("the input's sizes are open: name them by shape=")
        width = struct.calcsize(_TYPES[value.dtype][2])
        length = width * int(numpy.prod(sizes, dtype=numpy.int64))
        raw = numpy.empty(length + 64, numpy.uint8)
        start = -raw.ctypes.data % 64
        kind = numpy.bool_ if value.dtype == "bool" else value.dtype if value.dtype in _NUMPY_TYPES else "uint%d" % (8 * width)
        return raw[start : start + length].view(kind).reshape(sizes)

    def seed(self, value: int) -> None:
        """Random operators draw from this seed in every run."""
        self._live()
        self._check(self._runtime.lathe_set_seed(self._handle, value & (2**64 - 1)))

    def run(self, *inputs: Any, **named: Any) -> List[Any]:
        """Sets the inputs that are given, by position or name, runs, and gives copies of all outputs."""
        self._live()
        if len(inputs) == 1 and isinstance(inputs[0], dict):
            named, inputs = dict(inputs[0], **named), ()
        if len(inputs) > len(self.model.inputs):
            raise Error("the model takes %d inputs, not %d" % (len(self.model.inputs), len(inputs)))
        for i, value in enumerate(inputs):
            self.set(i, value)
        for name, value in named.items():
            self.set(name, value)
        self._check(self._runtime.lathe_run(self._handle))
        return [self.output(i) for i in range(len(self.model.outputs))]

    def output(self, which: Union[int, str], copy: bool = True) -> Any:
        """An output of the last run; copy=False: a view (with NumPy) that the next run overwrites."""
        self._live()
        index = self._ordinal(self.model.outputs, which, "output")
        tensor = _Tensor()
        self._check(self._runtime.lathe_get_output(self._handle, index, ctypes.byref(tensor)))
        shape = list(tensor.shape[: tensor.ndim])
        dtype = self.model.outputs[index].dtype
        return _array((tensor.data or 0) + tensor.byte_offset, dtype, shape, copy, self)

    def close(self) -> None:
        if self._handle:
            self._runtime.lathe_context_free(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()


class Case:
    """Golden inputs, and the outputs that are expected of them."""

    def __init__(self, model: Model, name: str) -> None:
        self.model, self.name = model, name
        self.folder = model.bundle / "golden" / name
        self.facts = json.loads((self.folder / "case.json").read_text("utf-8"))

    def _read(self, one: dict) -> Array:
        content = (self.folder / one["file"]).read_bytes()
        (length,) = struct.unpack("<H", content[8:10])
        return Array(content[10 + length :], one["dtype"], one["dims"])

    def inputs(self) -> dict:
        """By name."""
        return {one["name"]: self._read(one) for one in self.facts["inputs"]}

    def expected(self) -> dict:
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


def _numbers(array: Any, dtype: str) -> list:
    """Elements as Python numbers, of bfloat16 too."""
    raw = array if isinstance(array, Array) else Array(array.tobytes(), dtype, array.shape)
    if dtype != "bfloat16":
        return raw.flat()
    return [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in raw.flat()]
