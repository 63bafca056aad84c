# SPDX-License-Identifier: Apache-2.0
"""The times of a context's calls as rows, with the names that `lathe profile --json` has for them. The same file serves
lathe_rt and the module of bundles."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List

from ._errors import error_of
from ._runtime import OK, CallInfo, ProfileEntry, text_of


def rows_of(runtime: ctypes.CDLL, model: Any, context: Any) -> List[Dict[str, Any]]:
    """A row for each call that ran, the slowest first."""
    rows: List[Dict[str, Any]] = []
    for call in range(runtime.lathe_model_call_count(model)):
        info, entry = CallInfo(), ProfileEntry()
        status = runtime.lathe_model_call(model, call, ctypes.byref(info))
        status = status or runtime.lathe_profile_read(context, call, ctypes.byref(entry))
        if status != OK:
            raise error_of(text_of(runtime.lathe_thread_error()), status)
        if not entry.count:
            continue
        seconds = entry.total_ns * 1e-9 / entry.count
        rows.append({
            "function": text_of(info.function), "kernel": text_of(info.kernel), "count": entry.count,
            "ms": seconds * 1e3, "min_ms": entry.min_ns * 1e-6, "max_ms": entry.max_ns * 1e-6,
            "gflops": info.flops / max(seconds, 1e-9) * 1e-9, "gbs": info.bytes / max(seconds, 1e-9) * 1e-9,
            "nodes": [text_of(name) for name in info.nodes[: info.node_count]],
        })  # fmt: skip
    total = sum(row["ms"] * row["count"] for row in rows)
    for row in rows:
        row["share"] = row["ms"] * row["count"] / total if total else 0.0
    return sorted(rows, key=lambda row: -float(row["share"]))
