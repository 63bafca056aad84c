# SPDX-License-Identifier: Apache-2.0
"""Uses the Python module of bundles as programs would: PLAIN (x[2,3] -> tanh(x) * x) and ODD (n rows of 4, odd names).

With NumPy and without; what needs it runs only with it.
"""
import array
import importlib.util
import math
import sys
import threading


def load(bundle, name):
    folder = bundle + "/python/lathe_model"
    spec = importlib.util.spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fails(call, words):
    try:
        call()
    except Exception as error:
        assert isinstance(error, module.Error), repr(error)
        assert words in str(error), str(error)
        return
    raise AssertionError("nothing was raised: " + words)


def flat(y):
    return [float(v) for row in y.tolist() for v in row]


plain, odd = sys.argv[1:]
module = load(plain, "plain")
model = module.Model()
assert (model.name, model.version) == ("plain", "2.0.1")
assert [(v.name, v.dtype, v.shape) for v in model.inputs + model.outputs] == [
    ("x", "float32", (2, 3)), ("y", "float32", (2, 3))]

values = [0.0, 1.0, -2.0, 3.5, -0.25, 10.0]
expected = [math.tanh(v) * v for v in values]
rows = [values[:3], values[3:]]


def check(y):
    assert tuple(y.shape) == (2, 3), y
    assert all(abs(a - b) < 1e-5 for a, b in zip(flat(y), expected)), (flat(y), expected)


check(model(rows))
check(model(x=rows))
buffer = array.array("f", values)
check(model(memoryview(buffer).cast("B").cast("f", [2, 3])))
context = model.context(threads=1)
context.set("x", buffer, shape=(2, 3))
y, = context.run()
check(y)
context.run([[5.0] * 3] * 2)
check(y)  # a copy: the next run leaves it as it is
check(context.run(module.Array(buffer.tobytes(), "float32", (2, 3)))[0])

# DLPack out of the module and into it, by its own capsule.
one = module.Array(buffer.tobytes(), "float32", (2, 3))


class Foreign:
    def __dlpack__(self, **unused):
        return one.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


class OnDevice(Foreign):
    def __dlpack_device__(self):
        return (2, 0)


check(model(Foreign()))
fails(lambda: model(OnDevice()), "memory of the CPU")

fails(lambda: model([[1.0] * 3]), "2")
fails(lambda: model([[1.0] * 3, [1.0]]), "length")
fails(lambda: model(rows, rows), "1 inputs")
fails(lambda: model(z=rows), "no input 'z'")
fails(lambda: model(array.array("i", [1] * 6)), "")
fails(lambda: model.context().run(), "input")
fails(lambda: model.context(threads=-1), "")
fails(lambda: model(), "needs 'x'")
fails(lambda: model(rows, x=rows), "twice")
fails(lambda: model({"x": rows}, x=rows), "twice")
check(model.context(memory_limit=2**70).run(rows)[0])
fails(lambda: module.Model(variant="pdp11"), "pdp11")
context.close()
context.close()
fails(lambda: context.run(rows), "closed")
with model.context() as short:
    check(short.run(rows)[0])
assert isinstance(model.metadata, dict) and "Model('plain'" in repr(model)

wrong = []


def work():
    try:
        for _ in range(20):
            check(model(rows))
    except BaseException as error:  # a thread's exception is lost otherwise
        wrong.append(error)


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong

for case in model.golden():
    assert case.compare(model.context().run(case.inputs())) == []
    broken = model.context().run(case.inputs())
    broken[0] = module.Array(bytes(24), "float32", (2, 3))
    if any(v for row in case.expected()["y"].tolist() for v in row):
        assert case.compare(broken), case

other = load(odd, "odd").Model(odd)
name = other.inputs[0].name
assert name.startswith('../in "quoted" */') and other.inputs[0].shape == ("n", 4), other.inputs
y, z = other([[1.0, -1.0, 2.0, -2.5]])
assert y.tolist() == [[1.0, 0.0, 2.0, 0.0]] and z.tolist() == [-0.5]
assert other.context().run({name: [[1.0] * 4] * 7})[1].tolist() == [4.0] * 7
assert other.symbols["n"] == {"min": 1, "max": 64, "default": 5}
assert [y.shape[0] for y in (other([[1.0] * 4] * n)[0] for n in (1, 64))] == [1, 64]
module = sys.modules["odd"]
fails(lambda: other([[1.0] * 4] * 65), "'n' is 65, and this bundle is for 1 to 64")
module = sys.modules["plain"]

try:
    import numpy
except ImportError:
    numpy = None
if numpy is not None:
    x = numpy.array(rows, numpy.float32)
    check(model(x))
    assert isinstance(model(x), numpy.ndarray)
    check(model(numpy.asfortranarray(x)))
    check(model(numpy.repeat(x, 2, axis=1)[:, ::2]))  # strides
    read_only = x.copy()
    read_only.flags.writeable = False
    check(model(read_only))
    fails(lambda: model(x.astype(numpy.float64)), "float64")
    check(model(x.astype(">f4")))
    fails(lambda: model(numpy.array([["a"] * 3] * 2)), "float32")
    context = model.context()
    given = context.empty_input("x")
    given[:] = x
    assert given.ctypes.data % 64 == 0
    context.set("x", given, copy=False)
    taken = context.empty_input("x")
    context.bind_output("y", taken)
    context.run()
    check(taken)  # no copy in, none out
    assert context.output("y", copy=False).ctypes.data == taken.ctypes.data
    given[:] = 0
    context.run()
    assert not taken.any()
    context.bind_output("y", None)
    context.run(x)
    assert not taken.any()
    check(context.output("y"))
    fails(lambda: context.set("x", numpy.empty(7, numpy.float32)[1:].reshape(2, 3), copy=False), "")
    check(numpy.from_dlpack(module.Array(numpy.array(model(x)).tobytes(), "float32", (2, 3))))
print("good")
