#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_lathe.py BUILD VENV: the package lathe, by the Python of VENV, on the small models of make_models.py."""
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

build, venv = (os.path.abspath(argument) for argument in sys.argv[1:3])
if Path(sys.prefix) != Path(venv):
    os.execv(f"{venv}/bin/python", [f"{venv}/bin/python", *sys.argv])

import copy  # noqa: E402
import pickle  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

sys.path.insert(0, f"{build}/lib/python3/dist-packages")
import lathe  # noqa: E402
import lathe_rt  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402


def raises(call, kind=lathe.Diagnostic):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("nothing was raised")


def children():
    """Of this process, whose programs are lathe."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().rsplit(")", 1)
        except OSError:
            continue
        if int(rest.split()[1]) == os.getpid() and "lathe" in name:
            found.append(stat)
    return found


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    os.environ.update(LATHE_CACHE=f"{place}/cache", LATHE_RECORDS=f"{place}/records.db")
    subprocess.run([sys.executable, Path(__file__).parent / "make_models.py", "."], check=True)
    model = Path("sum.onnx")
    assert lathe.__version__ == lathe_rt.__version__

    # ---- what the command line has
    facts = lathe.inspect("open.onnx")
    assert [v["shape"] for v in facts["inputs"]] == [["n", 4]] and facts["symbols"] == ["n"] and not facts["unsupported"]
    seen = []
    made = lathe.compile(model, "sum.so", threads=1, target="x86-64-v2", progress=seen.append)
    assert made.path == "sum.so" and made.bytes == os.path.getsize("sum.so") and made.seconds > 0
    assert seen and all(0 <= step.fraction <= 1 for step in seen) and {step.stage for step in seen} >= {"import", "write"}, seen
    x = np.diag(np.arange(256, dtype=np.float32))
    expected = x @ x + x
    assert np.allclose(lathe_rt.Model("sum.so")(x), expected) and np.allclose(lathe.load(model)(x), expected)
    (y,) = lathe.run(model, {"x": x}).values()
    assert np.allclose(y, expected)
    np.save("x.npy", x)
    assert np.allclose(lathe.run("sum.so", {"x": Path("x.npy")})["y"], expected)
    assert lathe.run("open.onnx", shape={"x": (3, 4)})["y"].shape == (3, 4)
    rows = lathe.profile(model, {"x": x}, threads=1)
    assert rows and abs(sum(row["share"] for row in rows) - 1) < 1e-6 and rows[0]["kernel"]
    assert not lathe.command("diff", model, model).lines[-1].get("changes")
    loops = lathe.command("compile", model, emit="tir").lines[0]["text"]
    assert loops.count("\n") > 10 and "for" in loops, loops
    # exit codes that are answers, and those that are none
    different = lathe.command("diff", model, "plain.onnx")
    assert different.code == 1 and different.lines and not different.diagnostics
    nothing = lathe.command("bisect", "plain.onnx")
    assert nothing.code == 4 and "answer" in nothing.lines[-1], nothing
    refused = lathe.command("diff", model, "nothing.onnx", fails=False)
    assert refused.code == 2 and refused.error().kind != "internal", refused
    refused = raises(lambda: lathe.command("test", "nothing"))
    assert refused.kind == "usage" and refused.message and refused.outcome.code == 2, refused

    # ---- inputs by the rules of lathe_rt
    y = lathe.run("plain.onnx", {"x": [[0, 1, -2], [3.5, -0.25, 10]]})["y"]
    given = np.array([[0, 1, -2], [3.5, -0.25, 10]], np.float32)
    assert np.allclose(y, np.tanh(given) * given)
    repeated = np.repeat(given, 2, axis=1)[:, ::2]
    lathe.compile("plain.onnx", "plain.so")
    loaded = lathe_rt.Model("plain.so")
    for same in (given, np.asfortranarray(given), given.astype(">f4"), repeated, memoryview(given), given.tolist()):
        for target in ("plain.onnx", "plain.so"):
            assert np.array_equal(lathe.run(target, {"x": same})["y"], y), same
        assert np.array_equal(loaded(same), y), same
    assert np.array_equal(lathe.run("pick.onnx", {"x": [1, 2, 3, 4], "i": [3, 0]})["y"], [4, 1])  # int64 beside float32
    for bad in ([["a"] * 3] * 2, [[1.0] * 3, [1.0]], None, np.array([[None] * 3] * 2)):
        assert raises(lambda: lathe.run("plain.onnx", {"x": bad})).message.startswith("input 'x': "), bad
    wrong = raises(lambda: lathe.run("plain.onnx", {"x": given.astype(np.float64)}))
    assert "input 'x'" in wrong.message and "float64" in wrong.message and wrong.file == "plain.onnx", wrong
    wrong = raises(lambda: lathe.run("plain.onnx", {"y": given}))
    assert "no input 'y'" in wrong.message and wrong.file == "plain.onnx", wrong
    twice = lathe.run("brain.onnx", {"x": np.array([1, 2.5, -3, 0], ml_dtypes.bfloat16)})["y"]
    assert twice.tolist() == [2, 5, -6, 0]
    assert lathe.run("brain.onnx", {"x": twice})["y"].tolist() == [4, 10, -12, 0]  # as it was saved
    wrong = raises(lambda: lathe.run("brain.onnx", {"x": np.array([1, 2.5, -3, 0], ml_dtypes.float8_e5m2)}))
    assert "'x'" in wrong.message and "float8_e5m2" in wrong.message and wrong.file == "brain.onnx", wrong
    assert "'x'" in raises(lambda: lathe.run("brain.onnx", {"x": np.full(4, 0.1, np.float32)})).message
    for same in (np.array([1, 2, -3], ml_dtypes.int4), [1, 2, -3], np.array([1, 2, -3], np.int8), bytes([1, 2, 13])):
        assert lathe.run("nibbles.onnx", {"x": same})["y"].tolist() == [1, 2, -3], same
    assert "'x'" in raises(lambda: lathe.run("nibbles.onnx", {"x": np.array([1, 8, -3], np.int8)})).message
    np.savez("both.npz", x=given, unused=given[0])
    assert np.array_equal(lathe.run("plain.onnx", {"x": "both.npz"})["y"], y)
    np.save("nameless.npy", np.array([1, 2.5, -3, 0], ml_dtypes.bfloat16))
    assert lathe.run("brain.onnx", {"x": Path("nameless.npy")})["y"].tolist() == [2, 5, -6, 0]

    # ---- a loaded model goes where its file does not
    loaded = lathe.load("plain.onnx")
    for again in (copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        assert np.array_equal(again(given), y)
    wrong = raises(lambda: loaded(given.astype(np.float64)), lathe_rt.WrongType)
    assert "input 'x' is float32, not float64" in str(wrong) and "/" not in str(wrong), wrong
    assert "no input 'z'" in str(raises(lambda: loaded(z=given), lathe_rt.InvalidValue))

    # ---- what is no tensor: parts of a sequence, optionals, and states beside outputs
    (parts,) = lathe.run("parted.onnx", {"x": given.reshape(3, 2)}).values()
    assert [part.tolist() for part in parts] == [[row] for row in given.reshape(3, 2).tolist()]
    lathe.compile("joined.onnx", "joined.so")
    for target in ("joined.onnx", "joined.so"):
        assert lathe.run(target, {"q": [np.array([1, 2], np.float32), [3]]})["y"].tolist() == [1, 2, 3]
    for o, there in ((np.zeros(2, np.float32), True), ([0, 0], True), (None, False)):
        assert lathe.run("held.onnx", {"o": o})["y"].tolist() is there
    os.mkfifo("pipe")
    assert "cannot be read" in raises(lambda: lathe.run("held.onnx", {"o": Path("pipe")})).message
    counting = Path(__file__).resolve().parents[1] / "fuzz/corpora/tflite/resource_variables"
    step = lathe.run(counting, {"x": np.array([1, 2, 3], np.float32)}, signature="step", state={"acc": 3})
    assert step["sum"].tolist() == [4, 5, 6] and "acc" not in step, step

    # ---- sizes that are given fix the import where it cannot do without
    raises(lambda: lathe.run("undeclared.onnx"))
    negated = -given
    for value in (negated, negated.tolist()):
        assert np.array_equal(lathe.run("undeclared.onnx", {"x": value})["y"], np.maximum(negated, 0))
    assert lathe.run("undeclared.onnx", shape={"x": (4, 3)})["y"].shape == (4, 3)
    assert lathe.profile("undeclared.onnx", {"x": given}) and lathe.inspect("undeclared.onnx", shape={"x": (4, 3)})["operators"]
    assert lathe.load("undeclared.onnx", shape={"x": (2, 3)})(negated).shape == (2, 3)

    # ---- tuning, its decisions, a bundle
    seen = []
    found = lathe.tune(model, seconds=300, trials=10, threads=1, no_layouts=True, progress=seen.append)
    assert found.before_ms > 0 and found.after_ms > 0 and found.trials > 0 and found.kernels and {"kernel", "applied"} <= set(found.kernels[0]), found
    told = [step for step in seen if step.stage == "tune" and step.facts["event"] == "trial"]
    assert sum(step.facts["made"] != "default" for step in told) == found.trials and 0 <= told[-1].fraction <= 1
    assert sum(step.facts["made"] == "default" for step in told) == sum(row["trials"] > 0 for row in found.kernels)
    verdicts = [step.facts for step in seen if step.stage == "tune" and step.facts["event"] == "verdict"]
    assert sum(facts["accepted"] for facts in verdicts) >= sum(row["applied"] for row in found.kernels)
    assert found.decisions["schedules"] if any(row["applied"] for row in found.kernels) else True
    rows = dict(seconds=300, trials=2, threads=1, no_layouts=True)
    assert "--sizes" in raises(lambda: lathe.tune("rows.onnx", **rows)).hint
    sized = lathe.tune("rows.onnx", sizes={"n": [3, 16]}, **rows)
    assert sized.trials > 0 and len(sized.kernels) == 1 and sized.kernels[0]["trials"] > 0, sized
    assert lathe.tune("rows.onnx", sizes={"n": [16, 3]}, resume=True, **rows).kernels[0]["trials"] > sized.kernels[0]["trials"]
    fed = lathe.tune("rows.onnx", sizes={"n": 16}, inputs={"x": np.ones((3, 64), np.float32)}, **rows)
    assert len(fed.kernels) == 1 and "w" in str(fed.warnings[0]) and "drawn at random" in str(fed.warnings[0]), fed.warnings
    for sizes in ({"n": [1, 2, 3, 4, 5]}, {"n": 0}, {"n": 2, "m": 3}, "n"):
        assert raises(lambda: lathe.tune("rows.onnx", sizes=sizes, **rows)).kind == "usage", sizes
    bundle = lathe.export(model, "bundle", name="digits", decisions=found.decisions, symbol={}, limit={"p99": "10s", "size": "100MB"},
                          without=["c", "cpp"], threads=1)  # fmt: skip
    assert bundle.name == "digits" and len(bundle.bundle_id) == 64
    assert np.allclose(lathe_rt.Model("bundle")(x), expected)
    assert raises(lambda: lathe.export(model, "bundle")).hint
    assert lathe.export(model, "bundle", name="digits", force=True, without="c,cpp").bundle_id != bundle.bundle_id

    # ---- diagnostics
    wrong = raises(lambda: lathe.compile("refused.onnx", "refused.so"))
    assert (wrong.kind, wrong.severity, wrong.file, wrong.node) == ("invalid", "error", "refused.onnx", "Imagined_0")
    assert "Imagined" in wrong.operator and wrong.message and "Imagined_0" in str(wrong) and not Path("refused.so").exists()
    assert lathe.inspect("refused.onnx")["unsupported"][0]["node"] == "Imagined_0"
    wrong = raises(lambda: lathe.compile("not there.onnx", "x.so"))
    assert wrong.file == "not there.onnx" and not isinstance(wrong, lathe.Cancelled)
    for call in (lambda: lathe.compile(model, "x.so", imagined=True), lambda: lathe.compile(model, "x.so", threads=-1),
                 lambda: lathe.compile(model, "x.so", target="pdp11"), lambda: lathe.compile(model, "x.so", decisions=""),
                 lambda: lathe.command("imagined")):  # fmt: skip
        wrong = raises(call)
        assert wrong.kind == "usage" and wrong.message, wrong
    wrong = raises(lambda: lathe.compile(model, "x.so", decisions={"imagined": 1}))
    assert "imagined" in str(wrong)
    wrong = raises(lambda: lathe.run(model, {"z": x}))
    assert "z" in wrong.message
    for name in ("-odd.onnx", "check"):
        Path(name).write_bytes(model.read_bytes())
    assert lathe.compile("-odd.onnx", "odd.so").bytes and lathe.export("check", "checked").name == "check"
    assert raises(lambda: lathe.compile("zero\0byte", "x.so")).kind == "usage"

    # ---- an end before the end: by an exception of the callback, by an event, by Ctrl+C
    class Enough(Exception):
        pass

    def stop(step):
        raise Enough

    large = f"{build}/samples/small_cnn.onnx"  # which takes seconds
    raises(lambda: lathe.compile(large, "gone.so", progress=stop, no_cache=True), Enough)
    assert not Path("gone.so").exists() and not children()
    event = threading.Event()
    event.set()
    raises(lambda: lathe.compile(large, "gone.so", cancel=event, no_cache=True), lathe.Cancelled)
    raises(lambda: lathe.export(large, "gone", cancel=event, no_cache=True), lathe.Cancelled)
    event.clear()
    ended = raises(lambda: lathe.compile(large, "gone.so", cancel=event, no_cache=True, progress=lambda step: event.set()),
                   lathe.Cancelled)  # fmt: skip
    assert (ended.kind, ended.file) == ("cancelled", large)
    assert not Path("gone.so").exists() and not Path("gone").exists() and not children()

    def first_trial(then):
        def told(step):
            if step.stage == "tune" and step.facts["event"] == "trial":
                then()
        return told

    event.clear()
    before = time.monotonic()
    found = lathe.tune(model, "found.json", seconds=3000, threads=1, progress=first_trial(event.set), cancel=event)
    assert found.trials > 0 and Path("found.json").exists()  # what was found until then
    raises(lambda: lathe.tune(model, "kept.json", seconds=3000, threads=1, no_layouts=True,
                              progress=first_trial(lambda: os.kill(os.getpid(), signal.SIGINT))), KeyboardInterrupt)
    assert Path("kept.json").exists() and not children()
    assert time.monotonic() - before < 1000

    os.environ["LATHE_PROGRAM"] = "/bin/false"
    assert raises(lambda: lathe.compile(model, "x.so")).kind == "internal"  # nothing was said at all
    os.environ["LATHE_PROGRAM"] = "/not/there"
    assert raises(lambda: lathe.compile(model, "x.so")).kind == "usage"
    Path("killed").write_text("#!/bin/sh\nkill -SEGV $$\n")
    Path("killed").chmod(0o755)
    os.environ["LATHE_PROGRAM"] = "./killed"
    assert "signal 11" in raises(lambda: lathe.compile(model, "x.so")).message
print("good")
