# SPDX-License-Identifier: Apache-2.0
"""The model of this bundle for Python 3.8 and newer: nothing to build, nothing to install, NumPy if it is there.

    from lathe_model import Model
    model = Model()                      # finds artifact and runtime relative to this file
    y = model(x)                         # one array an input, by position or by name; one output, or a tuple of them

    context = model.context(threads=4)   # one a thread; the interpreter's lock is free while it runs
    x, y = context.empty_input("x"), context.empty_output("y")
    context.run(x, copy=False, out=y)    # reads x and writes y where they lie

Inputs: NumPy arrays in any order of memory and bytes, whatever has __dlpack__ on the CPU (PyTorch, JAX …), buffers
(array.array, memoryview), and nested lists, whose numbers are of the input's dtype.
Outputs: NumPy arrays, or where NumPy cannot be imported Array, which has __dlpack__ and a buffer. They are copies, so they
live on, unless out= or output(copy=False) says otherwise. Nothing is converted silently: another dtype than the model's is
an Error, as is a size that the bundle is not for. The files beside this one are those of the package lathe_rt, which loads
other artifacts and bundles alike.
"""
import pathlib
from typing import Optional, Union

from ._array import Array
from ._context import Context, Memory
from ._errors import Error, InvalidValue, NotFound, OutOfMemory, WrongType
from ._golden import Case
from ._model import Model as _Model
from ._model import Value
from ._pool import ContextPool
from ._tensors import aligned, empty

__all__ = ["Array", "Case", "Context", "ContextPool", "Error", "InvalidValue", "Memory", "Model", "NotFound", "OutOfMemory",
           "Value", "WrongType", "aligned", "empty"]  # fmt: skip
__version__ = "@VERSION@"


class Model(_Model):
    """This bundle's model, or that of the bundle that is named; otherwise as lathe_rt.Model."""

    def __init__(self, bundle: Union[str, pathlib.Path, None] = None, variant: Optional[str] = None) -> None:
        super().__init__(pathlib.Path(__file__).resolve().parents[2] if bundle is None else bundle, variant)
