# SPDX-License-Identifier: Apache-2.0
"""use_contexts.py FOLDER: how long models and contexts of the installed lathe_rt live, where they come from, what they hold to
and what they tell. FOLDER is that of use_lathe_rt.py."""
import array
import asyncio
import copy
import gc
import math
import pickle
import re
import sys
import threading
import time
from pathlib import Path

import lathe_rt

try:
    import numpy
except ImportError:
    numpy = None

folder = Path(sys.argv[1])
values = [0.0, 1.0, -2.0, 3.5, -0.25, 10.0]
rows = [values[:3], values[3:]]
expected = [math.tanh(v) * v for v in values]


def check(y):
    flat = [float(v) for row in y.tolist() for v in row]
    assert tuple(y.shape) == (2, 3) and all(abs(a - b) < 1e-5 for a, b in zip(flat, expected)), flat


def raises(call, kind, words):
    try:
        call()
    except kind as error:
        assert isinstance(error, lathe_rt.Error) and words in str(error), repr(error)
        return error
    raise AssertionError("nothing was raised: " + words)


def of_this_process(key):
    return int(re.search(r"^%s:\s*(\d+)" % key, Path("/proc/self/status").read_text(), re.MULTILINE)[1])


# ---- what a call has made ends with the model, by close(), with and del, though Python looks for no cycles
gc.disable()


def is_gone():
    assert "plain.so" not in Path("/proc/self/maps").read_text()


def closed(path):
    model = lathe_rt.Model(path)
    check(model(rows))
    model.close()
    is_gone()  # while there is still a name for it


def in_block(path):
    with lathe_rt.Model(path) as model:
        check(model(rows))
    is_gone()


def dropped(path):
    check(lathe_rt.Model(path)(rows))


def by_threads(path):
    with lathe_rt.Model(path) as model:
        barrier = threading.Barrier(3)

        def call():
            check(model(rows))
            barrier.wait()  # all live when it is closed
            barrier.wait()

        threads = [threading.Thread(target=call) for _ in range(2)]
        for thread in threads:
            thread.start()
        barrier.wait()
        model.close()
        is_gone()
        barrier.wait()
        for thread in threads:
            thread.join()


large = [[1.0] * 256] * 256
kept = lathe_rt.Model(folder / "sum.so")
for use in (closed, in_block, dropped, by_threads):
    for _ in range(20):
        use(folder / "plain.so")
    before = of_this_process("VmRSS"), of_this_process("Threads")
    for _ in range(250):
        use(folder / "plain.so")
    after = of_this_process("VmRSS"), of_this_process("Threads")
    assert after[0] - before[0] < 4096 and after[1] < before[1] + 4, (use, before, after)  # KiB; a thread ends soon
    is_gone()
context = kept.context(threads=2)
context.run(large)
threads = of_this_process("Threads")
del context
assert of_this_process("Threads") <= threads
for _ in range(3):  # with threads of the runtime
    with lathe_rt.Model(folder / "sum.so") as model:
        model(large)
    assert of_this_process("Threads") <= threads
gc.enable()

# ---- from bytes; by pickle and copy, which is by path, or by bytes where there is none
content = (folder / "plain.so").read_bytes()
for given in (content, bytearray(content), memoryview(content)):
    check(lathe_rt.Model(given)(rows))
other = (folder / "sum.so").read_bytes()
first, second = lathe_rt.Model(content), lathe_rt.Model(other)
assert (first.name, second.name) == ("plain", "sum")
check(first(rows))
raises(lambda: lathe_rt.Model(b"none"), lathe_rt.Error, "these bytes")
for again in (pickle.loads(pickle.dumps(first)), copy.copy(first), copy.deepcopy(copy.copy(first))):
    check(again(rows))
    again.close()
check(first(rows))
first.close()
raises(lambda: pickle.dumps(first), RuntimeError, "closed")
first = lathe_rt.Model(content)
(folder / "gone.so").write_bytes(content)
kept_bytes = lathe_rt.Model(folder / "gone.so")
kept_bytes.keep_bytes()
(folder / "gone.so").unlink()
check(copy.deepcopy(kept_bytes)(rows))
check(pickle.loads(pickle.dumps(kept_bytes))(rows))
raises(kept_bytes.verify, lathe_rt.Error, "no file")
raises(lathe_rt.Model(folder / "bundle").keep_bytes, ValueError, "a bundle is a folder")
raises(first.verify, lathe_rt.Error, "no file")
for path in (folder / "plain.so", folder / "bundle"):
    model = lathe_rt.Model(path)
    for again in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert again is not model and again.bundle == model.bundle
        check(again(rows))
        again.close()
    check(model(rows))
    context = model.context()
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        raises(lambda: call(context), TypeError, "hand on its model")
    model.close()
    raises(lambda: pickle.dumps(model), RuntimeError, "closed")
raises(lambda: lathe_rt.Model(folder / "bundle.zip"), RuntimeError, "unpack it first")
raises(lambda: lathe_rt.Model((folder / "bundle.zip").read_bytes()), RuntimeError, "these bytes is an archive")
raises(lambda: lathe_rt.Model(folder / "program"), RuntimeError, "this bundle is a program: run bin/plain")

# ---- a bundle is for the sizes that it says
sized = lathe_rt.Model(folder / "sized")
assert sized.symbols["n"] == {"min": 2, "max": 32, "default": 8}
for n in (2, 32):
    assert sized([[1.0] * 4] * n)[0].shape == (n, 4)
for n in (0, 1, 33, 500):
    given = lathe_rt.empty((n, 4))
    said = "input 'x': 'n' is %d, and this bundle is for 2 to 32" % n
    for call in (lambda: sized(given), lambda: sized.context().run(given, copy=False), lambda: sized.run_by_name(x=given)):
        assert raises(call, ValueError, said).status == 6
assert lathe_rt.Model(folder / "open.so")([[1.0] * 4] * 33)[0].shape == (33, 4)  # an artifact knows no bounds

# ---- outputs by name
plain, opened = lathe_rt.Model(folder / "plain.so"), lathe_rt.Model(folder / "open.so")
for by_name in (opened.run_by_name, opened.context().run_by_name):
    found = by_name(x=[[1.0, -1.0, 2.0, -2.5]])
    assert list(found) == ["y", "z"] and found["z"].tolist() == [-0.5], found

# ---- a pool: from many threads, by futures, for coroutines
with lathe_rt.ContextPool(plain, 2, threads=1) as pool:
    assert pool.size == 2
    futures = [pool.submit(rows) for _ in range(20)]
    for future in futures:
        check(future.result(60))
    check(pool(x=rows))
    check(pool.run_by_name(rows)["y"])
    wrong = pool.submit([[1.0]])
    raises(lambda: wrong.result(60), ValueError, "")
    raises(lambda: pool(), ValueError, "needs 'x'")

    async def several():
        return await asyncio.gather(*(asyncio.wrap_future(pool.submit(rows)) for _ in range(5)))

    for y in asyncio.run(several()):
        check(y)
    with pool.context() as one, pool.context() as two:
        assert one is not two
        waiting = pool.submit(rows)
        time.sleep(0.05)
        assert not waiting.done()  # both are lent
    check(waiting.result(60))
pool.close()
for call in (lambda: pool(rows), lambda: pool.submit(rows), lambda: pool.context().__enter__()):
    raises(call, RuntimeError, "the pool is closed")
raises(lambda: lathe_rt.ContextPool(plain, -1), ValueError, "not negative")

# ---- what it tells: memory, times, whether the file is whole
big = lathe_rt.Model(folder / "sum.so")
with big.context(threads=1) as context:
    context.run(large)
    memory = context.memory()
    assert memory.inputs == memory.outputs == 256 * 256 * 4 and 0 <= memory.arena_peak <= memory.arena_reserved, memory
    raises(context.profile, ValueError, "profile")
    context.start_profile()
    for _ in range(3):
        context.run()
    context.stop_profile()
    context.run()
    big.close()
    profile = context.profile()
    assert profile and all(row["count"] == 3 and row["min_ms"] <= row["ms"] <= row["max_ms"] for row in profile), profile
    assert abs(sum(row["share"] for row in profile) - 1) < 1e-9 and any("MatMul_0" in name for name in profile[0]["nodes"])
    assert profile[0]["kernel"] and profile[0]["function"] and profile[0]["gflops"] > 0
lathe_rt.Model(folder / "plain.so").verify()
lathe_rt.Model(folder / "bundle").verify()
changed = bytearray((folder / "weighted.so").read_bytes())
(folder / "changing.so").write_bytes(changed)
changing = lathe_rt.Model(folder / "changing.so")
changed[changed.index(array.array("f", [float(i) for i in range(64)]).tobytes())] ^= 1  # a weight
(folder / "changing.so").unlink()
raises(changing.verify, FileNotFoundError, "changing.so")
(folder / "changing.so").write_bytes(changed)
raises(changing.verify, RuntimeError, "changing.so")
raises(lathe_rt.Model(folder / "changing.so").verify, RuntimeError, "changing.so")  # loading reads no weights

# ---- memory without a context
for dtype, shape in (("float32", (2, 3)), ("int64", ()), ("bool", (0, 4)), ("bfloat16", (3,))):
    made = lathe_rt.empty(shape, dtype)
    assert tuple(made.shape) == shape
y, = plain.context().run(lathe_rt.aligned(rows, "float32"), copy=False, out=lathe_rt.empty((2, 3)))
check(y)
y, = plain.context().run(lathe_rt.Array(array.array("f", values).tobytes(), "float32", (2, 3)), copy=False)
check(y)
raises(lambda: lathe_rt.aligned(rows), TypeError, "name the dtype")
raises(lambda: lathe_rt.aligned(array.array("f", values), "int32"), TypeError, "are float32, not int32")
raises(lambda: lathe_rt.empty((2, -3)), ValueError, "negative")
raises(lambda: lathe_rt.empty((2, 3), "floating"), ValueError, "dtype")
raises(lambda: lathe_rt.empty((2.5, 3)), TypeError, "whole numbers")

# ---- what a run writes is nothing that it reads where it lies
context = plain.context()
same = lathe_rt.aligned(rows, "float32")
raises(lambda: context.run(same, copy=False, out=same), ValueError,
       "output 'y' would be written to memory that input 'x' is read from")  # fmt: skip
check(context.run(same, out=lathe_rt.empty((2, 3)))[0])  # read from a copy
check(context.run(same, out=same)[0])

# ---- errors are those of Python, too, and name what is given
assert lathe_rt.Error.__module__ == lathe_rt.NotFound.__module__ == "lathe_rt"
raises(lambda: lathe_rt.Model(folder / "not there.so"), FileNotFoundError, "not there.so")
raises(lambda: lathe_rt.Model(folder), FileNotFoundError, "no manifest.json")
raises(lambda: plain([[1.0] * 3]), ValueError, "dim 0")
raises(lambda: plain(None), TypeError, "input 'x': the model takes float32 here, not a NoneType")
raises(lambda: plain([[1e300] * 3] * 2), ValueError, "input 'x': its numbers do not fit float32")
raises(lambda: plain.context().bind_output("y", b"123"), ValueError, "output 'y': 3 bytes are no whole number")
raises(lambda: plain(array.array("i", [1] * 6)), TypeError, "input 'x' is float32, not int32")
raises(lambda: plain.context(threads=1.5), TypeError, "threads")
raises(lambda: plain.context(memory_limit=10).run(rows), MemoryError, "memory_limit of this context is 10")
wrong = pickle.loads(pickle.dumps(raises(lambda: plain(z=rows), ValueError, "no input 'z'")))
assert isinstance(wrong, lathe_rt.InvalidValue) and wrong.message and wrong.status == 1

if numpy is not None:
    context = kept.context(threads=1)
    room = lathe_rt.empty((384, 256))
    room[:] = 1
    first, last = room[:256], room[128:]  # a part of both
    for read, written in ((first, last), (last, first)):
        raises(lambda: context.run(read, copy=False, out=written), ValueError, "is read from")
    assert (room == 1).all()
    context.run(first, copy=False)
    view = context.output("y", copy=False)
    raises(lambda: context.run(view, copy=False), ValueError, "is read from")
    y, = context.run(view, copy=False, out=lathe_rt.empty((256, 256)))
    assert (view == 257).all() and numpy.allclose(y, 257 * 257 * 256 + 257)
    import ml_dtypes

    for dtype, name in ((numpy.float32, "float32"), (numpy.dtype("int64"), "int64"), (float, "float64"), ("f2", "float16"),
                        (ml_dtypes.bfloat16, "bfloat16"), (ml_dtypes.int4, "int4"), ("float8_e8m0fnu", "float8_e8m0fnu")):
        assert lathe_rt.empty((2, 3), dtype).dtype.name == name
    assert lathe_rt.aligned([1, 2], numpy.int16).tolist() == [1, 2]
    for dtype in (">f4", None, "f4,i4", "U3", 5, object):
        raises(lambda: lathe_rt.empty((2, 3), dtype), ValueError, "there is no dtype")
    x = numpy.array(rows, numpy.float32)
    for same in (x, numpy.asfortranarray(x), x.astype(">f4"), numpy.repeat(x, 2, axis=1)[:, ::2], memoryview(x)):
        made = lathe_rt.aligned(same)
        assert made.ctypes.data % 64 == 0 and made.flags.c_contiguous and made.dtype == numpy.float32
        check(plain.context().run(made, copy=False)[0])
    assert lathe_rt.aligned(made) is made
    assert lathe_rt.aligned(numpy.float32(2)).shape == ()
    bits = lathe_rt.aligned(numpy.array([0x3F80, 0x4000, 0xC000, 0], numpy.uint16)[::1], "bfloat16")
    assert lathe_rt.Model(folder / "brain.so")(bits).tolist() == [2.0, 4.0, -4.0, 0.0]

# ---- states: these models have none
with lathe_rt.Model(folder / "plain.so").context(threads=1) as context:
    assert context.model.states == [] and context.states == {}
    context.reset_states()
    raises(lambda: context.set_state("h", [1.0]), ValueError, "the model has no state 'h'")
    check(context.run(rows)[0])
print("good, %s NumPy" % ("without" if numpy is None else "with"))
