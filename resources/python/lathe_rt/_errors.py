# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as classes that programs catch: each is an Error, and what Python's own is called that says the same. The
same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import errno

INVALID_ARGUMENT, IO_ERROR, BAD_ARTIFACT, UNSUPPORTED, OUT_OF_MEMORY, MISMATCH, MISSING_INPUT = range(1, 8)  # of lathe_rt.h


class Error(RuntimeError):
    """What the runtime refused. message: a sentence; status: a number of lathe_status in lathe_rt.h; node: the model's node
    where a run stopped, or ""."""

    __module__ = str(__package__)  # as it is imported

    def __init__(self, message: str, status: int = INVALID_ARGUMENT, node: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.node = node

    def __str__(self) -> str:
        return self.message


class InvalidValue(Error, ValueError):
    """A value, size or name that the model or a call does not take."""

    __module__ = str(__package__)


class WrongType(Error, TypeError):
    """Something of another type than the model or a call takes."""

    __module__ = str(__package__)


class NotFound(Error, FileNotFoundError):
    """A file that is not there."""

    __module__ = str(__package__)

    def __init__(self, message: str, status: int = IO_ERROR, node: str = "") -> None:
        super().__init__(message, status, node)
        self.errno = errno.ENOENT


class OutOfMemory(Error, MemoryError):
    """No memory, or none below the limit of a context."""

    __module__ = str(__package__)


def error_of(message: str, status: int, node: str = "") -> Error:
    """The class for a status of the runtime."""
    if status == OUT_OF_MEMORY:
        return OutOfMemory(message, status, node)
    if status in (INVALID_ARGUMENT, MISMATCH, MISSING_INPUT):
        return InvalidValue(message, status, node)
    return Error(message, status, node)
