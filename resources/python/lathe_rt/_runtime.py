# SPDX-License-Identifier: Apache-2.0
"""liblathe_rt by ctypes: where it lies, its functions and structures, and what frees what they give. The same file serves lathe_rt
and the module of bundles."""
from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import platform
from typing import Any, Callable, Optional

from ._array import DataType, Tensor
from ._errors import IO_ERROR, Error
from ._values import RuntimeValue

_HERE = pathlib.Path(__file__).resolve().parent
_LIBRARY = "liblathe_rt.so.1"
OK = 0  # of lathe_status


class ValueInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("dtype", DataType),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("form", ctypes.c_char_p),
    ]


class ContextOptions(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("memory_limit", ctypes.c_int64),
        ("allocate", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
    ]


class CallInfo(ctypes.Structure):
    _fields_ = [
        ("function", ctypes.c_char_p),
        ("kernel", ctypes.c_char_p),
        ("node_count", ctypes.c_int32),
        ("nodes", ctypes.POINTER(ctypes.c_char_p)),
        ("flops", ctypes.c_double),
        ("bytes", ctypes.c_double),
    ]


class ProfileEntry(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("count", "total_ns", "min_ns", "max_ns")]


class MemoryInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("arena_peak", "arena_reserved", "outputs", "inputs")]


def triple() -> str:
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine) + "-linux-gnu"


@functools.lru_cache(maxsize=None)
def _opened(path: str) -> ctypes.CDLL:
    try:
        runtime = ctypes.CDLL(path)
    except OSError as wrong:
        raise Error("the runtime cannot be loaded: %s" % wrong, IO_ERROR) from None
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
    tensor, out = ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p)
    for name, result, arguments in (
        ("lathe_version", text, []),
        ("lathe_thread_error", text, []),
        ("lathe_model_load", number, [text, out]),
        ("lathe_model_verify", number, [text]),
        ("lathe_model_free", None, [pointer]),
        ("lathe_model_name", text, [pointer]),
        ("lathe_model_metadata", text, [pointer]),
        ("lathe_model_input_count", number, [pointer]),
        ("lathe_model_output_count", number, [pointer]),
        ("lathe_model_state_count", number, [pointer]),
        ("lathe_model_symbol_count", number, [pointer]),
        ("lathe_model_input", number, [pointer, number, ctypes.POINTER(ValueInfo)]),
        ("lathe_model_output", number, [pointer, number, ctypes.POINTER(ValueInfo)]),
        ("lathe_model_state", number, [pointer, number, ctypes.POINTER(ValueInfo)]),
        ("lathe_model_symbol", text, [pointer, number]),
        ("lathe_model_call_count", number, [pointer]),
        ("lathe_model_call", number, [pointer, number, ctypes.POINTER(CallInfo)]),
        ("lathe_context_create", number, [pointer, ctypes.POINTER(ContextOptions), out]),
        ("lathe_context_free", None, [pointer]),
        ("lathe_last_error", text, [pointer]),
        ("lathe_last_error_node", text, [pointer]),
        ("lathe_set_input", number, [pointer, number, tensor]),
        ("lathe_bind_input", number, [pointer, number, tensor]),
        ("lathe_bind_output", number, [pointer, number, tensor]),
        ("lathe_reset_states", number, [pointer]),
        ("lathe_set_state", number, [pointer, number, tensor]),
        ("lathe_get_state", number, [pointer, number, tensor]),
        ("lathe_set_seed", number, [pointer, ctypes.c_uint64]),
        ("lathe_run", number, [pointer]),
        ("lathe_get_output", number, [pointer, number, tensor]),
        ("lathe_set_input_value", number, [pointer, number, ctypes.POINTER(RuntimeValue)]),
        ("lathe_get_output_value", number, [pointer, number, ctypes.POINTER(RuntimeValue)]),
        ("lathe_memory", None, [pointer, ctypes.POINTER(MemoryInfo)]),
        ("lathe_profile_start", number, [pointer, number]),
        ("lathe_profile_stop", None, [pointer]),
        ("lathe_profile_read", number, [pointer, number, ctypes.POINTER(ProfileEntry)]),
    ):
        function = getattr(runtime, name)
        function.restype, function.argtypes = result, arguments
    return runtime


def runtime_for(bundle: Optional[pathlib.Path]) -> ctypes.CDLL:
    """The library beside this file (lathe_rt); for the module of a bundle that of the bundle, and never one beside the module,
    where nobody has put it but a stranger."""
    own, home = _HERE / _LIBRARY, _HERE.parents[1]
    if _HERE.name == "lathe_rt" and own.is_file():
        return _opened(str(own))
    if bundle is None and not (home / "lib").is_dir():
        raise Error("there is no runtime beside this module: %s" % own, IO_ERROR)
    bundle = bundle or home
    path = bundle / "lib" / triple() / _LIBRARY
    if not path.is_file():
        have = sorted(folder.name for folder in (bundle / "lib").glob("*-linux-*"))
        raise Error("this bundle has no runtime for %s, only for %s" % (triple(), ", ".join(have) or "none"), IO_ERROR)
    return _opened(str(path.resolve()))


def text_of(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


class Owned:
    """A model or a context of the runtime, freed with the last that uses it; not in a forked process, which has neither its
    threads nor, perhaps, its memory to itself."""

    _free: Optional[Callable[[Any], None]] = None  # of one that is not whole

    def __init__(self, pointer: ctypes.c_void_p, free: Callable[[Any], None]) -> None:
        self.pointer, self._free, self._getpid, self._pid = pointer, free, os.getpid, os.getpid()

    def is_here(self) -> bool:
        return self._getpid() == self._pid

    def __del__(self) -> None:
        if self._free is not None and self.is_here():
            self._free(self.pointer)
