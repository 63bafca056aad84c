# SPDX-License-Identifier: Apache-2.0
"""use_lathe_rt.py FOLDER: uses the installed lathe_rt as programs would, and as they should not: an exception is fine then, a
crash is not. FOLDER has the models of make_models.py, compiled, and a bundle of the first."""
import array
import ctypes
import math
import os
import sys
import threading
from pathlib import Path

import lathe_rt

try:
    import numpy
except ImportError:
    numpy = None

folder = Path(sys.argv[1])
assert str(folder / "fresh") in lathe_rt.__file__ and lathe_rt.__version__[0].isdigit(), lathe_rt.__file__
values = [0.0, 1.0, -2.0, 3.5, -0.25, 10.0]
rows = [values[:3], values[3:]]
expected = [math.tanh(v) * v for v in values]


def check(y):
    flat = [float(v) for row in y.tolist() for v in row]
    assert tuple(y.shape) == (2, 3) and all(abs(a - b) < 1e-5 for a, b in zip(flat, expected)), flat


def fails(call, words, status=None, node=None):
    try:
        call()
    except lathe_rt.Error as error:
        assert words in str(error) and error.message == str(error), str(error)
        assert status in (None, error.status), error.status
        assert node in (None, error.node), error.node
        return
    raise AssertionError("nothing was raised: " + words)


def address(y):
    if numpy is not None:
        return y.ctypes.data
    return ctypes.addressof(ctypes.c_char.from_buffer(y.memory))


# ---- an artifact, and a bundle
plain = lathe_rt.Model(folder / "plain.so")
assert [(v.name, v.dtype, v.shape) for v in plain.inputs + plain.outputs] == [
    ("x", "float32", (2, 3)), ("y", "float32", (2, 3))]  # fmt: skip
assert (plain.name, plain.version, plain.symbols) == ("plain", "", {}) and isinstance(plain.metadata, dict)
check(plain(rows))
check(plain(x=rows))
bundle = lathe_rt.Model(str(folder / "bundle"))
assert (bundle.name, bundle.version) == ("plain", "2.0.1") and bundle.variant
check(bundle(rows))
assert all(case.compare(bundle.context().run(case.inputs())) == [] for case in bundle.golden()) and bundle.golden()

# ---- without a copy: what is read and written is the caller's memory
with plain.context(threads=1) as context:
    x, y = context.empty_input("x"), context.empty_output("y")
    assert address(x) % 64 == 0 and address(y) % 64 == 0
    assert tuple(x.shape) == (2, 3)
    (ctypes.c_float * 6).from_address(address(x))[:] = values
    got, = context.run(x, copy=False, out=y)
    assert got is y
    check(y)
    (ctypes.c_float * 6).from_address(address(x))[:] = [0.0] * 6
    context.run(out=[y])  # reads x, where it still lies
    assert not any(v for row in y.tolist() for v in row)
    (ctypes.c_float * 6).from_address(address(x))[:] = values
    check(context.run()[0])  # out= was for one run
    assert not any(v for row in y.tolist() for v in row)
    check(context.run(out={"y": y})[0])
    context.bind_output("y", y)
    context.run(rows)
    del y
    context.bind_output("y", None)
    check(context.output("y"))  # lies in memory that nobody else has any more
    fails(lambda: context.run(rows, copy=False), "memory")
    fails(lambda: context.run(out=[None, None]), "out=")
    fails(lambda: context.run(out={"z": x}), "no output 'z'")
    fails(lambda: context.empty_input("x", shape=(-1, 3)), "negative")

# ---- DLPack, both ways
one = lathe_rt.Array(array.array("f", values).tobytes(), "float32", (2, 3))


class Foreign:
    def __dlpack__(self, **unused):
        return one.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


context = plain.context()
check(plain(Foreign()))
check(context.run(Foreign(), copy=False)[0])
target = lathe_rt.Array(None, "float32", (2, 3))


class Target(Foreign):
    def __dlpack__(self, **unused):
        return target.__dlpack__()


context.run(out=Target())
check(target)
for _ in range(1000):
    one.__dlpack__()  # nobody takes it
assert len(lathe_rt._array._exported) < 10

# ---- open sizes
model = lathe_rt.Model(folder / "open.so")
assert model.inputs[0].shape == ("n", 4) and list(model.symbols) == ["n"], model
for n in (1, 7, 3):
    y, z = model([[1.0, -1.0, 2.0, -2.5]] * n)
    assert y.tolist() == [[1.0, 0.0, 2.0, 0.0]] * n and z.tolist() == [-0.5] * n
context = model.context()
fails(lambda: context.empty_input("x"), "open")
x, z = context.empty_input("x", shape=(5, 4)), context.empty_output("z", (5,))
y, got = context.run(x, copy=False, out=[None, z])
assert got is z and y.shape == (5, 4)
fails(lambda: context.run([[1.0] * 4] * 6, out={"z": z}), "needs")
fails(lambda: context.run([[1.0] * 4] * 2, out={"z": z}), "is [2] now")
view = context.output("y", copy=False) if context.run([[1.0] * 4])[0].shape == (1, 4) else None
context.run([[2.0] * 4] * 1000)
assert view.tolist() == [[1.0] * 4]  # a copy: that memory is gone

# ---- errors say what, and where
pick = lathe_rt.Model(folder / "pick.so")
assert pick([1.0, 2.0, 3.0, 4.0], [3, 0]).tolist() == [4.0, 1.0]
fails(lambda: pick([1.0] * 4, [9, 0]), "", 8, "Gather_0")
fails(lambda: plain.context().run(), "'x' is not set", 7)
fails(lambda: plain([[1.0] * 3]), "2", 6)
fails(lambda: plain([[1.0] * 3, [1.0]]), "length")
fails(lambda: plain([[1.0] * 3, 2.0]), "depth")
fails(lambda: plain(rows, rows), "1 inputs")
fails(lambda: plain(z=rows), "no input 'z'")
fails(lambda: plain(None), "NoneType")
fails(lambda: plain("text"), "str")
fails(lambda: plain([["a"] * 3] * 2), "float32")
fails(lambda: plain([[1e300] * 3] * 2), "float32")
fails(lambda: plain(array.array("i", [1] * 6)), "")
fails(lambda: plain(memoryview(bytes(100))[::2]), "contiguous")
context = plain.context()
fails(lambda: context.set("x", bytes(5)), "bytes")
fails(lambda: context.set("x", bytes(24), shape=(2**62, 4)), "shape")
fails(lambda: context.set("x", bytes(24), shape=(-2, -3)), "")
fails(lambda: context.set("x", bytes(24), shape="ab"), "whole numbers")
fails(lambda: context.set("x", bytes(24), shape=(2**64 + 2, 3)), "")
fails(lambda: context.set(5, bytes(24)), "no input 5")
fails(lambda: context.bind_output("y", bytes(24)), "read-only")
fails(lambda: context.bind_output("y", rows), "memory")
fails(lambda: plain.context(threads=-1), "threads")
fails(lambda: plain.context(threads=2**32), "threads")
fails(lambda: plain.context(threads="2"), "threads is a whole number, not a str")
fails(lambda: plain.context(memory_limit=10).run(rows), "the memory_limit of this context is 10", 5)
fails(lambda: plain.context(memory_limit=-1), "memory")
fails(lambda: lathe_rt.Array(b"123", "float32", (1,)), "bytes")
fails(lambda: lathe_rt.Array(None, "floating", (1,)), "dtype")


class Liar(Foreign):
    def __dlpack__(self, **unused):
        return 5


class Elsewhere(Foreign):
    def __dlpack_device__(self):
        return (2, 0)


fails(lambda: plain(Liar()), "DLPack")
fails(lambda: plain(Elsewhere()), "memory of the CPU")

# ---- what is no model
for name, content in (("empty", b""), ("text", b"no artifact"), ("cut", (folder / "plain.so").read_bytes()[:4000]),
                      ("flipped", bytes(255 - b for b in (folder / "plain.so").read_bytes()))):  # fmt: skip
    (folder / name).write_bytes(content)
    fails(lambda: lathe_rt.Model(folder / name), "")
fails(lambda: lathe_rt.Model(folder / "not there"), "not there", 2)
fails(lambda: lathe_rt.Model("zero\0byte"), "zero")
fails(lambda: lathe_rt.Model(folder), "no manifest.json")
fails(lambda: lathe_rt.Model(folder / "bundle", variant="pdp11"), "pdp11")
fails(lambda: lathe_rt.Model(folder / "plain.so", variant="v3"), "variants")
(folder / "odd").mkdir(exist_ok=True)
for text in ("", "[]", "{}", "null", '"name": "odd", "version": 1, "symbols": 5, "variants": []}',
             '"name": "odd", "version": 1, "symbols": {}, "variants": [{}]}', "[" * 100000):
    (folder / "odd" / "manifest.json").write_text(text.replace('"name"', '{"schema": "lathe-bundle/1", "name"'))
    fails(lambda: lathe_rt.Model(folder / "odd"), "odd")

# ---- closed
with lathe_rt.Model(folder / "plain.so") as closed:
    context = closed.context()
    view = context.output(0, copy=False) if context.run(rows) else None
closed.close()
fails(lambda: closed(rows), "closed")
fails(closed.context, "closed")
fails(lambda: closed.metadata, "closed")
check(context.run(rows)[0])  # it keeps what it needs
context.close()
context.close()
for call in (lambda: context.run(rows), lambda: context.set(0, rows), lambda: context.output(0),
             lambda: context.bind_output(0, None), lambda: context.seed(1)):  # fmt: skip
    fails(call, "closed")
check(view)  # so does a view

# ---- threads: each its own context, then all of them one, which is closed meanwhile
wrong = []
big = lathe_rt.Model(folder / "sum.so")


def work(number, context, rounds):
    try:
        for i in range(rounds):
            scale = number + 1
            data = [[0.0] * 256 for _ in range(256)]
            for j in range(256):
                data[j][j] = scale
            y = context.run(data)[0].tolist()
            assert y[i][i] == scale * scale + scale and y[0][1] == 0.0
    except lathe_rt.Error as error:
        if "closed" not in str(error):
            wrong.append(error)
    except BaseException as error:  # a thread's exception is lost otherwise
        wrong.append(error)


def together(contexts, rounds, meanwhile=lambda: None):
    threads = [threading.Thread(target=work, args=(i, context, rounds)) for i, context in enumerate(contexts)]
    for thread in threads:
        thread.start()
    meanwhile()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


together([big.context(threads=2) for _ in range(4)], 5)
shared = big.context()
together([shared] * 4, 5)
together([shared] * 4, 5, shared.close)

# ---- a forked process has no threads of a context
context = big.context(threads=4)
context.run([[1.0] * 256] * 256)
child = os.fork()
if child == 0:
    try:
        fails(lambda: context.run(), "fork")
        del context
        assert big([[1.0] * 256] * 256).tolist()[0][0] == 257.0
        os._exit(0)
    finally:
        os._exit(1)
assert os.waitpid(child, 0)[1] == 0

# ---- inputs that are called as options are
named = lathe_rt.Model(folder / "named.so")
given = {"copy": [1.0, 2.0, 3.0], "out": [10.0, 10.0, 10.0], "self": [0.5, 0.5, 0.5]}
for run in (named, lambda *values, **names: named.context().run(*values, **names)[0]):
    assert run(given).tolist() == run(*given.values()).tolist() == [-8.5, -7.5, -6.5]
    fails(lambda: run(**given), "an input is called 'copy'")
    fails(lambda: run([1.0, 2.0, 3.0], out=given["out"], self=given["self"]), "an input is called 'out'")
fails(lambda: plain(rows, copy=[1.0]), "copy is True or False")

# ---- other types
half = lathe_rt.Model(folder / "half.so")
assert half([1.0, 2.5, -3.0, 0.0]).tolist() == [2.0, 5.0, -6.0, 0.0]
flags = lathe_rt.Model(folder / "flags.so")
assert [y.tolist() for y in flags([True, False, True], [1, -2, 3])] == [[False, True, False], [2, -4, 6]]
brain = lathe_rt.Model(folder / "brain.so")
bits = array.array("H", [0x3F80, 0x4000, 0xC000, 0])  # 1, 2, -2, 0
doubled = brain(bits)
fails(lambda: brain([1, 2, -2, 0]), "not converted to bfloat16")
fails(lambda: half(["1", 2.5, -3.0, 0.0]), "do not fit float16")
fails(lambda: half([1.0, [2.5, -3.0, 0.0]]), "not of one depth")

if numpy is None:
    assert doubled.flat() == [0x4000, 0x4080, 0xC080, 0]
    print("good, without NumPy")
    sys.exit()

# ---- with NumPy
x = numpy.array(rows, numpy.float32)
assert isinstance(plain(x), numpy.ndarray)
for same in (x, numpy.asfortranarray(x), numpy.repeat(x, 2, axis=1)[:, ::2], x[::-1][::-1], one):
    check(plain(same))
check(plain(x[::-1])[::-1])
read_only = x.copy()
read_only.flags.writeable = False
check(plain(read_only))
context = plain.context()
fails(lambda: plain(x.astype(numpy.float64)), "float64", 6)
check(plain(x.astype(">f4")))
check(plain(numpy.array([(0, v) for v in values], [("a", "u1"), ("b", "f4")])["b"].reshape(2, 3)))  # of no whole strides
fails(lambda: context.run(out=x.astype(">f4")), "byte order")
fails(lambda: plain(numpy.array([["a"] * 3] * 2)), "float32")
fails(lambda: plain(numpy.array([[None] * 3] * 2)), "object")
fails(lambda: plain(numpy.zeros(6, "f4,i4")), "float32")
fails(lambda: plain(numpy.float32(1)), "dims")
fails(lambda: plain(numpy.zeros((1,) * 32, numpy.float32)), "dims")
fails(lambda: context.set("x", x, shape=(200, 300)), "shape")
fails(lambda: context.set("x", x[:, ::2], shape=(4,)), "contiguous")
fails(lambda: context.run(out=read_only), "read-only")
fails(lambda: context.run(out=numpy.zeros((3, 3), numpy.float32)), "dim 0", 6)
fails(lambda: context.run(out=numpy.zeros((2, 6), numpy.float32)[:, ::2]), "compact")
shifted = numpy.frombuffer(bytearray(100), numpy.float32, 6, 4).reshape(2, 3)
if shifted.ctypes.data % 64:
    fails(lambda: context.run(x, out=shifted), "aligned", 1)
    fails(lambda: context.set("x", shifted, copy=False), "aligned", 1)
check(context.run(x)[0])
taken = context.output("y", copy=False)
assert taken.ctypes.data == context.output("y", copy=False).ctypes.data
context.close()
del context
check(taken)
check(numpy.from_dlpack(lathe_rt.Array(plain(x).tobytes(), "float32", (2, 3))))
aligned = plain.context().empty_output("y")
plain(x, out=aligned)
shown = numpy.from_dlpack(aligned)
assert shown.ctypes.data == aligned.ctypes.data
import ml_dtypes  # noqa: E402

assert doubled.dtype == ml_dtypes.bfloat16 and doubled.tolist() == [2.0, 4.0, -4.0, 0.0]
assert brain(doubled).tolist() == [4.0, 8.0, -8.0, 0.0]
print("good, with NumPy")
