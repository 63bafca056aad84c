# SPDX-License-Identifier: Apache-2.0
"""Models and contexts, through the C interface of liblathe_rt. The same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import pathlib
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, Union, cast

from ._golden import Case
from ._runtime import OK, ContextOptions, Owned, ValueInfo, runtime_for, text_of, triple
from ._tensors import IO_ERROR, MISMATCH, MISSING_INPUT, TYPE_NAMES, UNSUPPORTED, Error, Tensor, array_at, empty, tensor_of

_UNKNOWN_DIM = -(2**63)
_MOST = 2**31 - 1
_Method = TypeVar("_Method", bound=Callable[..., Any])


class Value:
    """An input or output: name, dtype, and shape, of which a dim is a size, a symbol's name, or None if only a run tells."""

    def __init__(self, name: str, dtype: str, shape: Tuple[Union[int, str, None], ...]) -> None:
        self.name, self.dtype, self.shape = name, dtype, shape

    @property
    def is_open(self) -> bool:
        """Whether a run decides on its sizes."""
        return not all(isinstance(size, int) for size in self.shape)

    def __repr__(self) -> str:
        return "Value(%r, %s%s)" % (self.name, self.dtype, list(self.shape))


class Model:
    """A loaded model, which any number of threads may share. path: an artifact, or a bundle's folder; variant: the tag of one
    artifact of a bundle, else the first that this machine can run.

    name, inputs, outputs, symbols (name: {"min", "max", "default"}, which artifacts alone do not know); of a bundle also
    version, variant, manifest and golden()."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], variant: Optional[str] = None) -> None:
        self._owner: Optional[Owned] = None
        self._local = threading.local()
        place = pathlib.Path(path)
        self.bundle: Optional[pathlib.Path] = place if b"\0" not in os.fsencode(place) and place.is_dir() else None
        self._runtime = runtime_for(self.bundle)
        self.name = self.version = self.variant = ""
        self.manifest: Dict[str, Any] = {}
        self.symbols: Dict[str, Dict[str, Optional[int]]] = {}
        if self.bundle is None:
            if variant is not None:
                raise Error("an artifact has no variants: load it without")
            self._load(place)
        else:
            try:
                self._load_bundle(self.bundle, variant)
            except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as wrong:
                raise Error("%s: the manifest is none of a bundle: %r" % (place, wrong), IO_ERROR) from None
        runtime = self._runtime
        self.name = self.name or text_of(runtime.lathe_model_name(self._handle()))
        self.inputs = self._values(runtime.lathe_model_input_count, runtime.lathe_model_input)
        self.outputs = self._values(runtime.lathe_model_output_count, runtime.lathe_model_output)
        for i in range(runtime.lathe_model_symbol_count(self._handle())):
            name = text_of(runtime.lathe_model_symbol(self._handle(), i))
            self.symbols.setdefault(name, {"min": None, "max": None, "default": None})

    def _load_bundle(self, bundle: pathlib.Path, variant: Optional[str]) -> None:
        try:
            self.manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
        except OSError as wrong:
            raise Error("%s is no bundle: %s" % (bundle, wrong), IO_ERROR) from None
        schema = self.manifest["schema"]
        if schema != "lathe-bundle/1":
            raise Error("%s: its schema is %r, this version of lathe_rt reads lathe-bundle/1" % (bundle, schema), IO_ERROR)
        self.name, self.version = str(self.manifest["name"]), str(self.manifest["version"])
        self.symbols = dict(self.manifest["symbols"])
        status, reasons = IO_ERROR, []
        for artifact in self.manifest["variants"]:
            if artifact["triple"] != triple() or variant not in (None, artifact["tag"]):
                continue
            within = pathlib.PurePosixPath(artifact["path"])
            if within.is_absolute() or ".." in within.parts:
                raise Error("%s: the manifest names an artifact that is not in it: %s" % (bundle, within), IO_ERROR)
            try:
                self._load(bundle / within)
                self.variant = artifact["tag"]
                return
            except Error as wrong:
                if wrong.status != UNSUPPORTED:
                    raise
                status = wrong.status
                reasons.append(wrong.message)
        raise Error("; ".join(reasons) or "this bundle has no artifact for %s" % (variant or triple()), status)

    def _load(self, path: pathlib.Path) -> None:
        name = os.fsencode(path)
        if b"\0" in name:
            raise Error("a path has a zero in it: %r" % name)
        pointer = ctypes.c_void_p()
        status = self._runtime.lathe_model_load(name, ctypes.byref(pointer))
        if status != OK:
            raise Error(text_of(self._runtime.lathe_thread_error()), status)
        self._owner = Owned(pointer, self._runtime.lathe_model_free)

    def _handle(self) -> ctypes.c_void_p:
        owner = self._owner
        if owner is None:
            raise Error("the model is closed")
        return owner.pointer

    def _values(self, count: Any, read: Any) -> List[Value]:
        values = []
        for i in range(count(self._handle())):
            info = ValueInfo()
            if read(self._handle(), i, ctypes.byref(info)) != OK:
                raise Error(text_of(self._runtime.lathe_thread_error()))
            shape: List[Union[int, str, None]] = []
            for dim in info.dims[: info.rank]:
                symbol = self._runtime.lathe_model_symbol(self._handle(), -(dim + 1)) if dim > _UNKNOWN_DIM else None
                shape.append(dim if dim >= 0 else text_of(symbol) if symbol is not None else None)
            values.append(Value(text_of(info.name), TYPE_NAMES[(info.dtype.code, info.dtype.bits)], tuple(shape)))
        return values

    @property
    def metadata(self) -> Dict[str, Any]:
        """What the artifact says of itself."""
        facts: Dict[str, Any] = json.loads(text_of(self._runtime.lathe_model_metadata(self._handle())) or "{}")
        return facts

    def context(self, threads: int = 0, memory_limit: int = 0) -> "Context":
        """One place where the model runs. threads: the caller's included, 0 for all; memory_limit: bytes, 0 for none."""
        return Context(self, threads, memory_limit)

    def __call__(self, /, *inputs: Any, out: Any = None, copy: bool = True, **named: Any) -> Any:
        """Context.run with all inputs, on a context of this thread; one output, or a tuple of them."""
        self._handle()
        context = getattr(self._local, "context", None)
        if context is None or not context.is_here():
            context = self._local.context = self.context()
        context._refuse_ambiguous(out, copy)
        given = context._inputs(inputs, named)
        missing = [value.name for i, value in enumerate(self.inputs) if i not in given]
        if missing:  # the context has those of an earlier call
            raise Error("the model needs %s as well" % ", ".join(repr(name) for name in missing), MISSING_INPUT)
        outputs = context._run(given, out, copy)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def golden(self) -> List[Case]:
        """The cases that this bundle was checked with."""
        return [Case(self, case["name"]) for case in self.manifest.get("golden", {}).get("cases", [])]

    def close(self) -> None:
        """Ends the use of this object; contexts that there are go on."""
        self._owner = None

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return "Model(%r, inputs=%r, outputs=%r)" % (self.name, self.inputs, self.outputs)


def _exclusive(method: _Method) -> _Method:
    """One call at a time on a context that is open, and here."""

    @functools.wraps(method)
    def call(self: "Context", /, *arguments: Any, **named: Any) -> Any:
        if not self.is_here():
            raise Error("the context is of the process that forked this one: make one here")
        with self._lock:
            if self._owner is None:
                raise Error("the context is closed")
            return method(self, *arguments, **named)

    return cast(_Method, call)


class Context:
    """Threads, memory, inputs and outputs of a model that runs. Use one a thread: calls from several wait for each other. The
    interpreter's lock is free while it runs."""

    def __init__(self, model: Model, threads: int = 0, memory_limit: int = 0) -> None:
        self.model = model
        self._runtime = model._runtime
        self._lock = threading.RLock()
        self._getpid, self._pid = os.getpid, os.getpid()
        self._owner: Optional[Owned] = None
        # What the runtime has the addresses of: by input and output what is bound, and what the last run wrote to.
        self._bound: Dict[Tuple[str, int], Tuple[Tensor, Any]] = {}
        self._written: Dict[int, Any] = {}
        threads = max(-1, min(threads, _MOST))
        memory_limit = max(-1, min(memory_limit, 2**63 - 1))
        options = ContextOptions(ctypes.sizeof(ContextOptions), threads, memory_limit, None, None, None)
        pointer = ctypes.c_void_p()
        status = self._runtime.lathe_context_create(model._handle(), ctypes.byref(options), ctypes.byref(pointer))
        if status != OK:
            raise Error(text_of(self._runtime.lathe_thread_error()), status)
        self._owner = Owned(pointer, self._runtime.lathe_context_free)

    def is_here(self) -> bool:
        """Whether this process made it."""
        return self._getpid() == self._pid

    @property
    def _handle(self) -> ctypes.c_void_p:
        return cast(Owned, self._owner).pointer

    def _check(self, status: int) -> None:
        if status != OK:
            node = text_of(self._runtime.lathe_last_error_node(self._handle))
            raise Error(text_of(self._runtime.lathe_last_error(self._handle)), status, node)

    @staticmethod
    def _ordinal(values: List[Value], which: Union[int, str], what: str) -> int:
        for i, value in enumerate(values):
            if which in (i, value.name):
                return i
        raise Error("the model has no %s %r, only %s" % (what, which, ", ".join(repr(v.name) for v in values)))

    @_exclusive
    def set(self, which: Union[int, str], value: Any, shape: Optional[Sequence[int]] = None, copy: bool = True) -> None:
        """Gives an input its value, which stays set from run to run. copy=False uses the memory itself: contiguous, 64-byte
        aligned (empty_input), and unchanged while it is set."""
        index = self._ordinal(self.model.inputs, which, "input")
        tensor, kept = tensor_of(value, self.model.inputs[index].dtype, shape, direct=not copy)
        give = self._runtime.lathe_set_input if copy else self._runtime.lathe_bind_input
        self._check(give(self._handle, index, ctypes.byref(tensor)))
        self._bound.pop(("input", index), None)
        if not copy:
            self._bound["input", index] = (tensor, kept)

    @_exclusive
    def bind_output(self, which: Union[int, str], array: Any) -> None:
        """Runs write this output to the array's memory: contiguous, 64-byte aligned (empty_output). None: to the context's
        own again."""
        index = self._ordinal(self.model.outputs, which, "output")
        bound = None
        if array is not None:
            bound = tensor_of(array, self.model.outputs[index].dtype, direct=True, writes=True)
        self._bind(index, bound)

    def _bind(self, index: int, bound: Optional[Tuple[Tensor, Any]]) -> None:
        tensor = None if bound is None else ctypes.byref(bound[0])
        self._check(self._runtime.lathe_bind_output(self._handle, index, tensor))
        self._bound.pop(("output", index), None)
        if bound is not None:
            self._bound["output", index] = bound

    def empty_input(self, which: Union[int, str], shape: Optional[Sequence[int]] = None) -> Any:
        """Memory for an input that copy=False takes: a NumPy array, or an Array. shape: where the model leaves it open."""
        value = self.model.inputs[self._ordinal(self.model.inputs, which, "input")]
        return empty(value.dtype, value.shape if shape is None else shape)

    def empty_output(self, which: Union[int, str], shape: Optional[Sequence[int]] = None) -> Any:
        """The same for an output, which out= and bind_output take."""
        value = self.model.outputs[self._ordinal(self.model.outputs, which, "output")]
        return empty(value.dtype, value.shape if shape is None else shape)

    @_exclusive
    def seed(self, value: int) -> None:
        """Random operators draw from this seed in every run."""
        self._check(self._runtime.lathe_set_seed(self._handle, value & (2**64 - 1)))

    @_exclusive
    def run(self, /, *inputs: Any, out: Any = None, copy: bool = True, **named: Any) -> List[Any]:
        """Sets the inputs that are given, by position, by name or as one dict, runs, and gives all outputs.

        copy=False: the run reads the inputs' own memory, as set() says. out: an array for the output, or several in a list
        (None: none for this one) or a dict; this run writes to their own memory, as bind_output says, and they are what it
        gives. Other outputs are copies."""
        self._refuse_ambiguous(out, copy)
        return self._run(self._inputs(inputs, named), out, copy)

    def _refuse_ambiguous(self, out: Any, copy: Any) -> None:
        """Inputs may be called as the options are; what is given by that name would be taken for the option."""
        names = [value.name for value in self.model.inputs]
        for name, meant in (("copy", isinstance(copy, bool)), ("out", out is None or isinstance(out, dict))):
            if name in names and not meant:
                raise Error("an input is called %r: give it by position or in a dict, and outputs in a dict" % name)
        if not isinstance(copy, bool):
            raise Error("copy is True or False, not a %s" % type(copy).__name__)

    def _inputs(self, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Dict[int, Any]:
        """By ordinal what is given by position, by name or as one dict."""
        by_position = len(inputs) != 1 or not isinstance(inputs[0], dict)
        if by_position and len(inputs) > len(self.model.inputs):
            raise Error("the model takes %d inputs, not %d" % (len(self.model.inputs), len(inputs)))
        given: Dict[int, Any] = {}
        for which, value in [*(enumerate(inputs) if by_position else inputs[0].items()), *named.items()]:
            index = self._ordinal(self.model.inputs, which, "input")
            if index in given:
                raise Error("input %r is given twice" % self.model.inputs[index].name)
            given[index] = value
        return given

    @_exclusive
    def _run(self, inputs: Dict[int, Any], out: Any, copy: bool) -> List[Any]:
        given = self._given(out)
        for index, value in inputs.items():
            self.set(index, value, copy=copy)
        before = {index: self._bound.get(("output", index)) for index in given}
        try:
            for index, array in given.items():
                self.bind_output(index, array)
            self._written = {i: self._bound.get(("output", i)) for i in range(len(self.model.outputs))}
            self._check(self._runtime.lathe_run(self._handle))
        finally:
            for index, bound in before.items():
                self._bind(index, bound)
        return [self._filled(i, given[i]) if i in given else self.output(i) for i in range(len(self.model.outputs))]

    def _given(self, out: Any) -> Dict[int, Any]:
        outputs = self.model.outputs
        if out is None:
            return {}
        if isinstance(out, dict):
            return {self._ordinal(outputs, which, "output"): array for which, array in out.items()}
        several = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(several) != len(outputs):
            raise Error("the model has %d outputs, and out= has arrays for %d" % (len(outputs), len(several)))
        return {index: array for index, array in enumerate(several) if array is not None}

    def _read(self, index: int) -> Tuple[Tensor, List[int]]:
        tensor = Tensor()
        self._check(self._runtime.lathe_get_output(self._handle, index, ctypes.byref(tensor)))
        return tensor, list(tensor.shape[: tensor.ndim])

    def _filled(self, index: int, array: Any) -> Any:
        shape = self._read(index)[1]
        bound = self._written[index][0]
        if shape != list(bound.shape[: bound.ndim]):
            had = list(bound.shape[: bound.ndim])
            raise Error("output %r is %s now, and its array %s" % (self.model.outputs[index].name, shape, had), MISMATCH)
        return array

    @_exclusive
    def output(self, which: Union[int, str], copy: bool = True) -> Any:
        """An output of the last run. copy=False: a view (with NumPy, of outputs whose sizes are fixed) that the next run
        overwrites."""
        index = self._ordinal(self.model.outputs, which, "output")
        value = self.model.outputs[index]
        tensor, shape = self._read(index)
        owner = (self._owner, self._written.get(index))
        return array_at((tensor.data or 0) + tensor.byte_offset, value.dtype, shape, copy or value.is_open, owner)

    def close(self) -> None:
        """Frees its threads and, when no view of an output is left, its memory."""
        if self.is_here():
            with self._lock:
                self._owner = None

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()
