# SPDX-License-Identifier: Apache-2.0
"""A context: where a model runs. The same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import operator
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union, cast

from ._array import TYPE_NAMES, Tensor
from ._errors import MISMATCH, MISSING_INPUT, OUT_OF_MEMORY, Error, InvalidValue, WrongType, error_of
from ._profile import rows_of
from ._runtime import OK, ContextOptions, MemoryInfo, Owned, text_of
from ._tensors import array_at, empty, tensor_of
from ._values import RuntimeValue, shown, value_of

if TYPE_CHECKING:
    from ._model import Model, Value

_MOST = 2**31 - 1
_Method = TypeVar("_Method", bound=Callable[..., Any])


class Memory(NamedTuple):
    """Bytes of a context: most that the last run used of its own memory at one time, what that holds now, and what it holds
    for outputs, copied inputs and states."""

    arena_peak: int
    arena_reserved: int
    outputs: int
    inputs: int


def only(outputs: List[Any]) -> Any:
    """The one output, or a tuple of all."""
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _number(value: Any, what: str, most: int) -> int:
    try:
        return max(-1, min(operator.index(value), most))
    except TypeError:
        raise WrongType("%s is a whole number, not a %s" % (what, type(value).__name__)) from None


@contextlib.contextmanager
def _of(what: str, value: "Value") -> Iterator[None]:
    """Errors within name the input, output or state."""
    try:
        yield
    except Error as wrong:
        raise type(wrong)("%s %r: %s" % (what, value.name, wrong.message), wrong.status, wrong.node) from None


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
        threads = _number(threads, "threads", _MOST)
        self._memory_limit = _number(memory_limit, "memory_limit", 2**63 - 1)
        options = ContextOptions(ctypes.sizeof(ContextOptions), threads, self._memory_limit, None, None, None)
        pointer = ctypes.c_void_p()
        self._loaded = model._owned()
        status = self._runtime.lathe_context_create(self._loaded.pointer, ctypes.byref(options), ctypes.byref(pointer))
        if status != OK:
            raise error_of(text_of(self._runtime.lathe_thread_error()), status)
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
            message = text_of(self._runtime.lathe_last_error(self._handle))
            if status == OUT_OF_MEMORY and self._memory_limit:
                message += "; the memory_limit of this context is %d" % self._memory_limit
            raise error_of(message, status, node)

    @staticmethod
    def _ordinal(values: "List[Value]", which: Union[int, str], what: str) -> int:
        for i, value in enumerate(values):
            if which in (i, value.name):
                return i
        names = ", ".join(repr(value.name) for value in values)
        raise InvalidValue("the model has no %s %r%s" % (what, which, ", only " + names if names else ""))

    @_exclusive
    def set(self, which: Union[int, str], value: Any, shape: Optional[Sequence[int]] = None, copy: bool = True) -> None:
        """Gives an input its value, which stays set from run to run. copy=False uses the memory itself: contiguous, 64-byte
        aligned (empty_input), and unchanged while it is set."""
        index = self._ordinal(self.model.inputs, which, "input")
        if self.model.inputs[index].form:
            self._set_value(index, value)
            return
        with _of("input", self.model.inputs[index]):
            tensor, kept = tensor_of(value, self.model.inputs[index].dtype, shape, direct=not copy)
        self._check_input(index, tensor)
        give = self._runtime.lathe_set_input if copy else self._runtime.lathe_bind_input
        self._check(give(self._handle, index, ctypes.byref(tensor)))
        self._bound.pop(("input", index), None)
        if not copy:
            self._bound["input", index] = (tensor, kept)

    def _set_value(self, index: int, given: Any) -> None:
        """Of a list or an optional, which are always copied."""
        described = self.model.inputs[index]
        with _of("input", described):
            value, kept = value_of(given, described.form, described.dtype)
        self._check(self._runtime.lathe_set_input_value(self._handle, index, ctypes.byref(value)))
        del kept

    def _check_input(self, index: int, tensor: Tensor) -> None:
        """What the runtime would say with less words, or does not know."""
        value = self.model.inputs[index]
        dtype = TYPE_NAMES.get((tensor.dtype.code, tensor.dtype.bits))
        if dtype != value.dtype:
            raise WrongType("input %r is %s, not %s" % (value.name, value.dtype, dtype or "what this tensor has"), MISMATCH)
        if tensor.ndim != len(value.shape):
            return
        for axis, name, least, most in self.model._bounds[index]:
            size = tensor.shape[axis]
            if size < least or (most is not None and size > most):
                had = "%d and more" % least if most is None else "%d to %d" % (least, most)
                raise InvalidValue("input %r: %r is %d, and this bundle is for %s" % (value.name, name, size, had), MISMATCH)

    @_exclusive
    def bind_output(self, which: Union[int, str], array: Any) -> None:
        """Runs write this output to the array's memory: contiguous, 64-byte aligned (empty_output), and nothing that a run
        reads an input from or writes another output to. None: to the context's own again."""
        index = self._ordinal(self.model.outputs, which, "output")
        bound = None
        if array is not None:
            with _of("output", self.model.outputs[index]):
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
        return empty(value.shape if shape is None else shape, value.dtype)

    def empty_output(self, which: Union[int, str], shape: Optional[Sequence[int]] = None) -> Any:
        """The same for an output, which out= and bind_output take."""
        value = self.model.outputs[self._ordinal(self.model.outputs, which, "output")]
        return empty(value.shape if shape is None else shape, value.dtype)

    @property
    def states(self) -> Dict[str, Any]:
        """What the next run goes on from, by name: copies."""
        return {value.name: self._state(index) for index, value in enumerate(self.model.states)}

    @_exclusive
    def _state(self, index: int) -> Any:
        tensor = Tensor()
        self._check(self._runtime.lathe_get_state(self._handle, index, ctypes.byref(tensor)))
        shape = list(tensor.shape[: tensor.ndim])
        return array_at((tensor.data or 0) + tensor.byte_offset, self.model.states[index].dtype, shape, True, None)

    @_exclusive
    def set_state(self, which: Union[int, str], value: Any) -> None:
        """Gives a state its value, which the next run goes on from."""
        index = self._ordinal(self.model.states, which, "state")
        with _of("state", self.model.states[index]):
            tensor, _ = tensor_of(value, self.model.states[index].dtype, None)
        self._check(self._runtime.lathe_set_state(self._handle, index, ctypes.byref(tensor)))

    @_exclusive
    def reset_states(self) -> None:
        """All states are what they are in a new context."""
        self._check(self._runtime.lathe_reset_states(self._handle))

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

    def run_by_name(self, /, *inputs: Any, out: Any = None, copy: bool = True, **named: Any) -> Dict[str, Any]:
        """The same, and the outputs by name."""
        return dict(zip((value.name for value in self.model.outputs), self.run(*inputs, out=out, copy=copy, **named)))

    def _run_whole(self, inputs: Tuple[Any, ...], out: Any, copy: bool, named: Dict[str, Any]) -> List[Any]:
        """Runs with nothing of an earlier call."""
        self._refuse_ambiguous(out, copy)
        given = self._inputs(inputs, named)
        for i, value in enumerate(self.model.inputs):
            if value.form.startswith("o"):
                given.setdefault(i, None)  # absent
        missing = [value.name for i, value in enumerate(self.model.inputs) if i not in given]
        if missing:
            raise InvalidValue("the model needs %s as well" % ", ".join(repr(name) for name in missing), MISSING_INPUT)
        return self._run(given, out, copy, begins=True)

    def _refuse_ambiguous(self, out: Any, copy: Any) -> None:
        """Inputs may be called as the options are; what is given by that name would be taken for the option."""
        names = [value.name for value in self.model.inputs]
        for name, meant in (("copy", isinstance(copy, bool)), ("out", out is None or isinstance(out, dict))):
            if name in names and not meant:
                raise InvalidValue("an input is called %r: give it by position or in a dict, and outputs in a dict" % name)
        if not isinstance(copy, bool):
            raise WrongType("copy is True or False, not a %s" % type(copy).__name__)

    def _inputs(self, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Dict[int, Any]:
        """By ordinal what is given by position, by name or as one dict."""
        by_position = len(inputs) != 1 or not isinstance(inputs[0], dict)
        if by_position and len(inputs) > len(self.model.inputs):
            raise InvalidValue("the model takes %d inputs, not %d" % (len(self.model.inputs), len(inputs)))
        given: Dict[int, Any] = {}
        for which, value in [*(enumerate(inputs) if by_position else inputs[0].items()), *named.items()]:
            index = self._ordinal(self.model.inputs, which, "input")
            if index in given:
                raise InvalidValue("input %r is given twice" % self.model.inputs[index].name)
            given[index] = value
        return given

    @_exclusive
    def _run(self, inputs: Dict[int, Any], out: Any, copy: bool, begins: bool = False) -> List[Any]:
        given = self._given(out)
        if begins:
            self.reset_states()
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
            raise InvalidValue("the model has %d outputs, and out= has arrays for %d" % (len(outputs), len(several)))
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
            raise InvalidValue("output %r is %s now, and its array %s" % (self.model.outputs[index].name, shape, had), MISMATCH)
        return array

    @_exclusive
    def output(self, which: Union[int, str], copy: bool = True) -> Any:
        """An output of the last run. copy=False: a view (with NumPy, of outputs whose sizes are fixed) that the next run
        overwrites."""
        index = self._ordinal(self.model.outputs, which, "output")
        value = self.model.outputs[index]
        if value.form:
            whole = RuntimeValue()
            self._check(self._runtime.lathe_get_output_value(self._handle, index, ctypes.byref(whole)))
            return shown(whole, value.form, value.dtype)
        tensor, shape = self._read(index)
        owner = (self._owner, self._written.get(index))
        return array_at((tensor.data or 0) + tensor.byte_offset, value.dtype, shape, copy or value.is_open, owner)

    @_exclusive
    def memory(self) -> Memory:
        """What it takes."""
        info = MemoryInfo()
        self._runtime.lathe_memory(self._handle, ctypes.byref(info))
        return Memory(info.arena_peak, info.arena_reserved, info.outputs, info.inputs)

    @_exclusive
    def start_profile(self) -> None:
        """From here on runs are timed by fused function, at some cost; what was measured before is forgotten."""
        self._check(self._runtime.lathe_profile_start(self._handle, 0))

    @_exclusive
    def stop_profile(self) -> None:
        """Ends that; what was measured stays readable."""
        self._runtime.lathe_profile_stop(self._handle)

    @_exclusive
    def profile(self) -> List[Dict[str, Any]]:
        """What was measured, a dict a fused function, the slowest first: function, kernel, nodes, count (how often it
        ran), ms (the mean of these), min_ms, max_ms, share of all, gflops and gbs (0 where a run decides on sizes)."""
        return rows_of(self._runtime, self._loaded.pointer, self._handle)

    def __reduce__(self) -> Any:
        raise WrongType("a context cannot be pickled or copied: hand on its model, and make one there")

    def close(self) -> None:
        """Frees its threads and, when no view of an output is left, its memory."""
        if self.is_here():
            with self._lock:
                self._owner = None

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()
