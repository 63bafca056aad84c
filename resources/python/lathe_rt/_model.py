# SPDX-License-Identifier: Apache-2.0
"""Models and contexts, through the C interface of liblathe_rt. The same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import ctypes
import json
import mmap
import os
import pathlib
import threading
import weakref
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union, cast

from ._array import TYPE_NAMES
from ._context import Context, only
from ._errors import BAD_ARTIFACT, IO_ERROR, UNSUPPORTED, Error, InvalidValue, NotFound, error_of
from ._golden import Case
from ._runtime import OK, Owned, ValueInfo, runtime_for, text_of, triple

_Bytes = Union[bytes, bytearray, memoryview]
_UNKNOWN_DIM = -(2**63)
_ARCHIVES = (b"PK\x03\x04", b"\x28\xb5\x2f\xfd")  # of a bundle: .zip, .tar.zst
_OTHER_FORMS = {"exe": "is a program: run bin/%s", "static": "is a library for C and C++: examples/ says how to link it",
                "c": "is C source: examples/ says how to compile it"}  # fmt: skip


class Value:
    """An input, output or state: name, dtype, and shape, of which a dim is a size, a symbol's name, or None if only a run tells.
    form: "" of a tensor, else what is around the tensors that these describe, from outside in: l a list, o an optional, which in
    Python are a list and None or what is in it."""

    def __init__(self, name: str, dtype: str, shape: Tuple[Union[int, str, None], ...], form: str = "") -> None:
        self.name, self.dtype, self.shape, self.form = name, dtype, shape, form

    @property
    def is_open(self) -> bool:
        """Whether a run decides on its sizes."""
        return not all(isinstance(size, int) for size in self.shape)

    def __repr__(self) -> str:
        text = "%s%s" % (self.dtype, list(self.shape)) if self.dtype else ""
        for form in reversed(self.form):
            text = "%s(%s)" % ("list" if form == "l" else "optional", text)
        return "Value(%r, %s)" % (self.name, text)


def _refusal(path: pathlib.Path, called: str, message: str, status: int) -> Error:
    """Why an artifact is not loaded, in words for who has named it. called: what he calls it, if that is no path."""
    if called:
        message = message.replace(str(path), called)
    elif status == IO_ERROR and not path.exists():
        return NotFound(message)
    if status == BAD_ARTIFACT:
        with open(path, "rb") as file:
            if file.read(4) in _ARCHIVES:
                message = "%s is an archive: unpack it first, and name the folder of the bundle" % (called or path)
    return error_of(message, status)


class Model:
    """A loaded model, which any number of threads may share. path: an artifact, or a bundle's folder, or the bytes of an
    artifact; variant: the tag of one artifact of a bundle, else the first that this machine can run. It is pickled as its
    path, or as its bytes.

    name, inputs, outputs, states, symbols (name: {"min", "max", "default"}, which artifacts alone do not know; of a bundle they are
    held); of a bundle also version, variant, manifest and golden()."""

    def __init__(self, path: Union[str, "os.PathLike[str]", _Bytes], variant: Optional[str] = None) -> None:
        self._owner: Optional[Owned] = None
        self._local = threading.local()
        self._bytes: Optional[mmap.mmap] = None  # of an artifact that no path leads to
        content = path if isinstance(path, (bytes, bytearray, memoryview)) else None
        self._place = None if isinstance(path, (bytes, bytearray, memoryview)) else pathlib.Path(path)
        self._variant = variant
        is_bundle = self._place is not None and b"\0" not in os.fsencode(self._place) and self._place.is_dir()
        self.bundle: Optional[pathlib.Path] = self._place if is_bundle else None
        self._runtime = runtime_for(self.bundle)
        self.name = self.version = self.variant = ""
        self.manifest: Dict[str, Any] = {}
        self.symbols: Dict[str, Dict[str, Optional[int]]] = {}
        if self.bundle is None and variant is not None:
            raise InvalidValue("an artifact has no variants: load it without")
        if content is not None:
            self._load_bytes(content)
        elif self.bundle is None:
            assert self._place is not None
            self._load(self._place)
        else:
            try:
                self._load_bundle(self.bundle)
            except Error:
                raise
            except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as wrong:
                raise Error("%s: the manifest is none of a bundle: %r" % (self.bundle, wrong), IO_ERROR) from None
        runtime = self._runtime
        self.name = self.name or text_of(runtime.lathe_model_name(self._handle()))
        self.inputs = self._values(runtime.lathe_model_input_count, runtime.lathe_model_input)
        self.outputs = self._values(runtime.lathe_model_output_count, runtime.lathe_model_output)
        self.states = self._values(runtime.lathe_model_state_count, runtime.lathe_model_state)
        for i in range(runtime.lathe_model_symbol_count(self._handle())):
            name = text_of(runtime.lathe_model_symbol(self._handle(), i))
            self.symbols.setdefault(name, {"min": None, "max": None, "default": None})
        self._bounds = [self._bounds_of(value) for value in self.inputs]

    def _load_bundle(self, bundle: pathlib.Path) -> None:
        try:
            self.manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
        except FileNotFoundError:
            raise NotFound("%s is no bundle: there is no manifest.json in it" % bundle) from None
        except OSError as wrong:
            raise Error("%s is no bundle: %s" % (bundle, wrong), IO_ERROR) from None
        schema = self.manifest["schema"]
        if schema != "lathe-bundle/1":
            raise Error("%s: its schema is %r, this version of lathe_rt reads lathe-bundle/1" % (bundle, schema), IO_ERROR)
        self.name, self.version = str(self.manifest["name"]), str(self.manifest["version"])
        other = _OTHER_FORMS.get(self.manifest.get("form", "folder"))
        if other is not None:
            raise Error("%s: this bundle %s" % (bundle, other.replace("%s", self.name)), UNSUPPORTED)
        self.symbols = dict(self.manifest["symbols"])
        status, reasons = IO_ERROR, []
        for path, tag in self._artifacts(bundle):
            try:
                self._load(path)
                self.variant = tag
                return
            except Error as wrong:
                if wrong.status != UNSUPPORTED:
                    raise
                status = wrong.status
                reasons.append(wrong.message)
        raise Error("; ".join(reasons) or "this bundle has no artifact for %s" % (self._variant or triple()), status)

    def _artifacts(self, bundle: pathlib.Path) -> Iterator[Tuple[pathlib.Path, str]]:
        """Those for this kind of machine, and their tags, best first."""
        for artifact in self.manifest["variants"]:
            if artifact["triple"] != triple() or self._variant not in (None, artifact["tag"]):
                continue
            within = pathlib.PurePosixPath(artifact["path"])
            if within.is_absolute() or ".." in within.parts:
                raise Error("%s: the manifest names an artifact that is not in it: %s" % (bundle, within), IO_ERROR)
            yield bundle / within, artifact["tag"]

    def _bounds_of(self, value: Value) -> List[Tuple[int, str, int, Optional[int]]]:
        """Axis, symbol, least and most of each of its sizes that a bundle has bounds for."""
        bounds = []
        for axis, name in enumerate(value.shape):
            least = self.symbols[name]["min"] if isinstance(name, str) and name in self.symbols else None
            if isinstance(name, str) and least is not None:
                bounds.append((axis, name, least, self.symbols[name]["max"]))
        return bounds

    def _load_bytes(self, content: _Bytes) -> None:
        descriptor = os.memfd_create("lathe")
        try:
            with open(descriptor, "wb", closefd=False) as file:
                file.write(content)
            self._load(pathlib.Path("/proc/self/fd/%d" % descriptor), "these bytes")
            self._bytes = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)

    def keep_bytes(self) -> None:
        """Of an artifact whose file will be gone: from here on the model is pickled as its bytes, which the system keeps for the
        model anyway."""
        self._handle()
        if self.bundle is not None:
            raise InvalidValue("a bundle is a folder: it has no bytes of its own")
        if self._place is not None:
            with open(self._place, "rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._place = None

    def _load(self, path: pathlib.Path, called: str = "") -> None:
        name = os.fsencode(path)
        if b"\0" in name:
            raise InvalidValue("a path has a zero in it: %r" % name)
        pointer = ctypes.c_void_p()
        status = self._runtime.lathe_model_load(name, ctypes.byref(pointer))
        if status != OK:
            raise _refusal(path, called, text_of(self._runtime.lathe_thread_error()), status)
        self._artifact = path
        self._owner = Owned(pointer, self._runtime.lathe_model_free)

    def verify(self) -> None:
        """Reads the whole artifact again: an Error if code or constants are not what was written. Loading checks the code
        alone, not the constants, which it would have to read."""
        self._handle()
        if self._place is None:
            raise Error("this model has no file: it was loaded from bytes, or the file is gone")
        status = self._runtime.lathe_model_verify(os.fsencode(self._artifact))
        if status != OK:
            raise _refusal(self._artifact, "", text_of(self._runtime.lathe_thread_error()), status)

    def _owned(self) -> Owned:
        owner = self._owner
        if owner is None:
            raise Error("the model is closed")
        return owner

    def _handle(self) -> ctypes.c_void_p:
        return self._owned().pointer

    def _values(self, count: Any, read: Any) -> List[Value]:
        values = []
        for i in range(count(self._handle())):
            info = ValueInfo()
            if read(self._handle(), i, ctypes.byref(info)) != OK:
                raise error_of(text_of(self._runtime.lathe_thread_error()), IO_ERROR)
            shape: List[Union[int, str, None]] = []
            for dim in info.dims[: max(info.rank, 0)]:
                symbol = self._runtime.lathe_model_symbol(self._handle(), -(dim + 1)) if dim > _UNKNOWN_DIM else None
                shape.append(dim if dim >= 0 else text_of(symbol) if symbol is not None else None)
            dtype = "" if info.rank < 0 else TYPE_NAMES[(info.dtype.code, info.dtype.bits)]
            values.append(Value(text_of(info.name), dtype, tuple(shape), text_of(info.form)))
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
        """Context.run with all inputs, on a context of this thread; one output, or a tuple of them. States are what they are
        in a new context: a model that is to go on where it was runs on a context()."""
        outputs = self._own_context()._run_whole(inputs, out, copy, named)
        return only(outputs)

    def run_by_name(self, /, *inputs: Any, out: Any = None, copy: bool = True, **named: Any) -> Dict[str, Any]:
        """The same, and all outputs by name."""
        outputs = self._own_context()._run_whole(inputs, out, copy, named)
        return {value.name: output for value, output in zip(self.outputs, outputs)}

    def _own_context(self) -> Context:
        """That of this thread, which refers to the model weakly: else the two would keep each other, and the memory and
        threads of the runtime, until Python looks for cycles."""
        self._handle()
        context: Optional[Context] = getattr(self._local, "context", None)
        if context is None or not context.is_here():
            context = self._local.context = Context(weakref.proxy(self))
        return context

    def golden(self) -> List[Case]:
        """The cases that this bundle was checked with."""
        return [Case(self, case["name"]) for case in self.manifest.get("golden", {}).get("cases", [])]

    def close(self) -> None:
        """Ends the use of this object, and frees what its calls have made; contexts that context() has given go on."""
        self._owner = self._bytes = None
        self._local = threading.local()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        self._handle()
        if self._bytes is not None:
            return type(self), (self._bytes[:],)
        return type(self), (os.path.abspath(cast(pathlib.Path, self._place)), self._variant)

    def __repr__(self) -> str:
        return "Model(%r, inputs=%r, outputs=%r)" % (self.name, self.inputs, self.outputs)
