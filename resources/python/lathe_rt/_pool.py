# SPDX-License-Identifier: Apache-2.0
"""Contexts of one model for many threads at once. The same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import concurrent.futures
import contextlib
import os
import queue
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional

from ._context import Context, only
from ._errors import Error, InvalidValue

if TYPE_CHECKING:
    from ._model import Model


class ContextPool:
    """So many contexts of a model: each call takes one that is free, or waits for it; any thread may call. size: how many
    runs at the same time, 0: as many as there are CPUs; threads: of each run, 0: a fair share of the CPUs; memory_limit: of
    each, in bytes."""

    def __init__(self, model: "Model", size: int = 0, threads: int = 0, memory_limit: int = 0) -> None:
        if size < 0:
            raise InvalidValue("the size of a pool is not negative")
        cpus = len(os.sched_getaffinity(0))
        self.model, self.size = model, size or cpus
        threads = threads or max(1, cpus // self.size)
        self._lock = threading.Lock()
        self._is_open = True
        self._free: "queue.LifoQueue[Optional[Context]]" = queue.LifoQueue()  # the last one used has its data in caches
        for _ in range(self.size):
            self._free.put(model.context(threads, memory_limit))
        self._workers = concurrent.futures.ThreadPoolExecutor(self.size, "lathe")

    @contextlib.contextmanager
    def context(self) -> Iterator[Context]:
        """One that nobody else has until the end of the block. Inputs that an earlier block has set may still be set."""
        context = self._free.get()
        if context is None:
            self._free.put(None)  # for the others who wait
            raise Error("the pool is closed")
        try:
            yield context
        finally:
            with self._lock:
                is_open = self._is_open
                if is_open:
                    self._free.put(context)
            if not is_open:
                context.close()

    def __call__(self, /, *inputs: Any, out: Any = None, copy: bool = True, **named: Any) -> Any:
        """As the model itself: one output, or a tuple of them."""
        with self.context() as context:
            outputs = context._run_whole(inputs, out, copy, named)
        return only(outputs)

    def run_by_name(self, /, *inputs: Any, out: Any = None, copy: bool = True, **named: Any) -> Dict[str, Any]:
        """The same, and all outputs by name."""
        with self.context() as context:
            outputs = context._run_whole(inputs, out, copy, named)
        return {value.name: output for value, output in zip(self.model.outputs, outputs)}

    def submit(self, /, *inputs: Any, out: Any = None, copy: bool = True, **named: Any) -> "concurrent.futures.Future[Any]":
        """Begins a call in a thread of the pool; result() of what it gives is what the call gives. Inputs stay as they are
        until then."""
        try:
            return self._workers.submit(self.__call__, *inputs, out=out, copy=copy, **named)
        except RuntimeError:
            raise Error("the pool is closed") from None

    def close(self) -> None:
        """Waits for what submit() began, and frees the contexts: those that are lent when they come back."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
        self._workers.shutdown()
        while True:
            try:
                context = self._free.get_nowait()
            except queue.Empty:
                break
            if context is not None:
                context.close()
        self._free.put(None)  # for those who wait

    def __enter__(self) -> "ContextPool":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()
