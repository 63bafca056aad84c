# SPDX-License-Identifier: Apache-2.0
"""Lists and optionals of the runtime: Python's lists, and None. The same file serves lathe_rt and the module of bundles."""
from __future__ import annotations

import ctypes
from typing import Any, List, Tuple

from ._array import Tensor
from ._errors import InvalidValue, WrongType
from ._tensors import array_at, tensor_of

_FORMS = {"": 0, "l": 1, "o": 2}  # of lathe_form


class RuntimeValue(ctypes.Structure):
    """lathe_value of lathe_rt.h."""


RuntimeValue._fields_ = [
    ("form", ctypes.c_int32),
    ("count", ctypes.c_int64),
    ("elements", ctypes.POINTER(RuntimeValue)),
    ("tensor", Tensor),
]


def value_of(given: Any, form: str, dtype: str) -> Tuple[RuntimeValue, Any]:
    """The value, and what must live as long. form: what is around its tensors, from outside in: l a list, o an optional."""
    value = RuntimeValue()
    value.form = _FORMS[form[:1]]
    if not form:
        value.tensor, kept = tensor_of(given, dtype)
        return value, kept
    if form[0] == "o":
        parts: List[Any] = [] if given is None else [given]
    elif isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise WrongType("a list is needed, not a %s" % type(given).__name__)
    else:
        parts = list(given)
    if parts and form[1:] == "" and not dtype:
        raise InvalidValue("the model was compiled for empty lists: it does not say of what rank their elements are")
    made = [value_of(part, form[1:], dtype) for part in parts]
    elements = (RuntimeValue * max(len(made), 1))(*(part for part, _ in made))
    value.count, value.elements = len(made), elements
    return value, (elements, made)


def shown(value: RuntimeValue, form: str, dtype: str) -> Any:
    """A copy of it."""
    if not form:
        tensor = value.tensor
        return array_at((tensor.data or 0) + tensor.byte_offset, dtype, list(tensor.shape[: tensor.ndim]), True, None)
    parts = [shown(value.elements[i], form[1:], dtype) for i in range(value.count)]
    if form[0] == "o":
        return parts[0] if parts else None
    return parts
