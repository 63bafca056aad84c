# SPDX-License-Identifier: Apache-2.0
"""Runs models that Lathe has compiled: Python 3.8 and newer, NumPy if it is there, nothing else.

    import lathe_rt
    model = lathe_rt.Model("resnet50.so")    # an artifact, or the folder of a bundle
    y = model(x)                             # one array an input, by position or by name; one output, or a tuple of them

    context = model.context(threads=4)       # one a thread; the interpreter's lock is free while it runs
    x, y = context.empty_input("x"), context.empty_output("y")
    context.run(x, copy=False, out=y)        # reads x and writes y where they lie

    with lathe_rt.ContextPool(model, 4) as pool:
        future = pool.submit(x)              # of concurrent.futures; pool(x) waits itself

Inputs: NumPy arrays in any order of memory and bytes, whatever has __dlpack__ on the CPU (PyTorch, JAX …), buffers
(array.array, memoryview), and nested lists, whose numbers are of the input's dtype. An input that is a list takes a list of
such arrays, one that is an optional None or what is in it; outputs are given so.
Outputs: NumPy arrays, or where NumPy cannot be imported Array, which has __dlpack__ and a buffer. They are copies, so they
live on, unless out= or output(copy=False) says otherwise. Nothing is converted silently: another dtype than the model's is
an Error. Elements of types that NumPy lacks are those of ml_dtypes if it can be imported, else their bytes as unsigned
integers.
"""
from ._array import Array
from ._context import Context, Memory
from ._errors import Error, InvalidValue, NotFound, OutOfMemory, WrongType
from ._golden import Case
from ._model import Model, Value
from ._pool import ContextPool
from ._tensors import aligned, empty

try:
    from ._version import __version__  # which the build writes
except ImportError:
    raise ImportError("these are sources: ./dev build makes build/release/lib/python3/dist-packages of them") from None

__all__ = ["Array", "Case", "Context", "ContextPool", "Error", "InvalidValue", "Memory", "Model", "NotFound", "OutOfMemory",
           "Value", "WrongType", "aligned", "empty"]  # fmt: skip
