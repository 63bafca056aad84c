# SPDX-License-Identifier: Apache-2.0
"""Lathe for notebooks and scripts: what the program `lathe` can do, as functions.

    import lathe
    lathe.compile("model.onnx", "model.so", target="x86-64-v3")
    found = lathe.tune("model.onnx", "found.json", seconds=60, progress=print)
    lathe.export("model.onnx", "bundle", name="digits", decisions=found.decisions)

Keywords that are not named here are the options of the command (`lathe compile --help`), with underscores: near_records=True,
shape={"x": [1, 3, 224, 224]}, target=["x86-64-v3", "x86-64-v2"] where an option may be given several times.

Each call runs the program as a child, so whatever a model does there, this interpreter goes on. Errors are Diagnostics.
progress is called with a Progress, in the thread of the call. What it raises, and Ctrl+C, ends the work: nothing half-done is
left. So does cancel, a threading.Event that somebody sets; the call then raises Cancelled, but tune gives what it has found
once something was measured.
"""
from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from ._program import Cancelled, Diagnostic, Outcome, Progress, command

try:
    from ._version import __version__  # which the build writes
except ImportError:
    raise ImportError("these are sources: ./dev build makes build/release/lib/python3/dist-packages of them") from None

__all__ = ["Bundle", "Cancelled", "Compiled", "Diagnostic", "Outcome", "Progress", "Tuned", "command", "compile", "export",
           "inspect", "load", "profile", "run", "tune"]  # fmt: skip

Path = Union[str, "os.PathLike[str]"]


class Compiled(NamedTuple):
    path: str
    seconds: float
    bytes: int
    warnings: List[Diagnostic]


class Tuned(NamedTuple):
    decisions: Dict[str, Any]  # for decisions= of other calls
    before_ms: float  # of the whole model, measured by turns; where nothing was found both are what it took before the search
    after_ms: float
    faster: bool  # beyond the noise
    trials: int
    seconds: float
    kernels: List[Dict[str, Any]]  # what became of each: kernel, default_us, best_us, applied, why_not …
    warnings: List[Diagnostic]


class Bundle(NamedTuple):
    path: str
    name: str
    tag: str
    bundle_id: str
    bytes: int
    warnings: List[Diagnostic]


def inspect(model: Path, **options: Any) -> Dict[str, Any]:
    """What the model is and costs: inputs, outputs, symbols, operators, parameters, flops, peak_bytes; and in "unsupported"
    what of it cannot be compiled, each with node, operator and reason."""
    outcome = command("inspect", model, fails=False, **options)
    if not outcome.lines:
        raise outcome.error()
    facts: Dict[str, Any] = outcome.lines[-1]
    return facts


def compile(model: Path, out: Path, **options: Any) -> Compiled:
    """Compiles a model to an artifact, which lathe_rt loads."""
    outcome = command("compile", model, output=out, **options)
    line = outcome.lines[-1]
    return Compiled(line["artifact"], line["seconds"], line["bytes"], outcome.warnings)


def load(model: Path, **options: Any) -> Any:
    """Compiles a model and loads it into this process: a lathe_rt.Model, which is pickled as the bytes of its artifact."""
    import lathe_rt

    options.pop("weights", None)  # beside the artifact they would be gone with its folder
    with tempfile.TemporaryDirectory() as folder:
        loaded = lathe_rt.Model(compile(model, os.path.join(folder, "model.so"), **options).path)
        loaded.keep_bytes()
        return loaded


def _types(model: Path) -> Dict[str, Tuple[str, str]]:
    """Of the inputs, by name: form, as lathe_rt.Value has it, and dtype."""
    import lathe_rt

    try:
        with open(model, "rb") as file:
            is_artifact = file.read(4) == b"\x7fELF"
    except OSError:  # which the program says in its own words
        is_artifact = False
    if is_artifact:
        with lathe_rt.Model(model) as loaded:
            return {value.name: (value.form, value.dtype) for value in loaded.inputs}
    types: Dict[str, Tuple[str, str]] = {}
    for value in inspect(model)["inputs"]:
        *around, inner = value["dtype"].partition("[")[0].split("(")  # "Optional(List(float32[2]))"
        types[value["name"]] = ("".join(word[0].lower() for word in around), inner.rstrip(")"))
    return types


def _parts(name: str, value: Any, form: str) -> Iterator[Tuple[str, Any]]:
    """The tensors in a value of that form, as a .npz file calls them."""
    if not form:
        yield name, value
    elif form[0] == "l":
        for number, part in enumerate(value):
            yield from _parts("%s.%d" % (name, number), part, form[1:])
    elif value is not None:
        yield from _parts(name, value, form[1:])


def _stored(name: str, value: Any, model: Path, types: Dict[str, Tuple[str, str]]) -> Any:
    """What lathe_rt takes as an array for numpy.save: whatever order and bytes it has; numbers in lists are of the input's
    dtype, and elements of types that NumPy lacks their bits, once they are known to be of the input's. types: kept from call to
    call. Strings are NumPy's own, of a fixed width."""
    import lathe_rt

    def wanted() -> Optional[str]:
        types.update(types or _types(model))
        return types[name][1] if name in types else None

    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in ("U", "S", "T") or ((kind == "O" or isinstance(value, (list, tuple))) and wanted() == "string"):
        import numpy

        texts = numpy.asarray(value)
        return texts if texts.dtype.kind in ("U", "S") else texts.astype(str)
    if isinstance(value, (list, tuple, int, float, bytes, bytearray)):
        value = lathe_rt.aligned(value, wanted() or "float32")
    array = lathe_rt.aligned(value)
    return lathe_rt.aligned(array, wanted()).view("u%d" % array.dtype.itemsize) if array.dtype.kind == "V" else array


@contextlib.contextmanager
def _given(model: Path, inputs: Optional[Mapping[str, Any]]) -> Iterator[Dict[str, str]]:
    """Files of the inputs, by name. Errors within that are about one of those that are made here name the input alone."""
    types: Dict[str, Tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files: Dict[str, str] = {}
        made = set()
        for number, (name, value) in enumerate((inputs or {}).items()):
            if not isinstance(value, (str, os.PathLike)):
                import lathe_rt
                import numpy

                form = ""
                if value is None or isinstance(value, (list, tuple)):
                    types.update(types or _types(model))
                    form = types[name][0] if name in types else ""
                try:
                    arrays = [(part, _stored(name, each, model, types)) for part, each in _parts(name, value, form)]
                except lathe_rt.Error as wrong:
                    raise Diagnostic("input %r: %s" % (name, wrong), kind="usage", file=os.fspath(model)) from None
                if [part for part, _ in arrays] == [name]:
                    value = os.path.join(folder, "input_%d.npy" % number)
                    numpy.save(value, arrays[0][1], allow_pickle=False)
                else:
                    value = os.path.join(folder, "input_%d.npz" % number)
                    numpy.savez(value, **dict(arrays))
                made.add(value)
            files[name] = os.fspath(value)
        try:
            yield files
        except Diagnostic as wrong:
            for each in (wrong, *wrong.others):
                if each.file in made:
                    each.file = os.fspath(model)
            raise


def run(model: Path, inputs: Optional[Mapping[str, Any]] = None, **options: Any) -> Dict[str, Any]:
    """Runs a model or an artifact once, in a child: outputs by name, as NumPy arrays. inputs, by name: what lathe_rt
    takes, or files (.npy, .npz, .pb); others are drawn at random. A sequence is a list, an optional without value None. States are
    kept in a folder: keep_states="folder". Outputs of types that NumPy lacks are float32, int8 or uint8,
    which an input of such a type takes back. lathe_rt runs faster and more often."""
    import numpy

    with tempfile.TemporaryDirectory() as folder, _given(model, inputs) as files:
        outcome = command("run", model, input=files, save=os.path.join(folder, "outputs"), **options)
        outputs: Dict[str, Any] = {}
        lines = iter(line for line in outcome.lines if "output" in line)  # others say what states are
        for line in lines:
            parts = [line] if "form" not in line else [next(lines) for _ in range(line["parts"])]
            values = [numpy.load(part["file"], allow_pickle=False) for part in parts]
            is_list = "a list of " in line.get("form", "")
            outputs[line["output"]] = values if is_list else values[0] if values else None
        return outputs


def profile(model: Path, inputs: Optional[Mapping[str, Any]] = None, **options: Any) -> List[Dict[str, Any]]:
    """Times a model or an artifact by fused function, the slowest first: function, kernel, ms, share, gflops, gbs, nodes, and
    in each drawn_inputs: the names of inputs that were drawn at random, as for run."""
    with _given(model, inputs) as files:
        return command("profile", model, input=files, **options).lines


def tune(model: Path, out: Optional[Path] = None, seconds: float = 300, progress: Optional[Callable[[Progress], Any]] = None,
         inputs: Optional[Mapping[str, Any]] = None, **options: Any) -> Tuned:  # fmt: skip
    """Looks for faster schedules on this machine. out: a file for the decisions that were found. sizes={"sequence": [7, 64]}:
    what a size that the model leaves open mostly is; kernels over open sizes are tuned to be fast at these, four at most.
    inputs: as for run, of the whole model's runs."""

    def told(line: Dict[str, Any]) -> None:
        if progress is not None and line["event"] in ("trial", "verdict", "round", "note"):
            progress(Progress("tune", min(line["seconds"] / seconds, 1.0), line))

    with tempfile.TemporaryDirectory() as folder, _given(model, inputs) as files:
        file = os.path.join(folder, "found.json") if out is None else os.fspath(out)
        outcome = command("tune", model, output=file, time="%gs" % seconds, input=files, progress=progress, told=told, **options)
        with open(file, encoding="utf-8") as found:
            decisions = json.load(found)
    kernels = [line for line in outcome.lines if line["event"] == "task"]
    whole = next(line for line in outcome.lines if line["event"] == "model")
    before, after = (whole[key] or whole["untuned_ms"] for key in ("before_ms", "after_ms"))
    return Tuned(decisions, before, after, whole["faster"], whole["trials"], whole["seconds"], kernels, outcome.warnings)


def export(model: Path, out: Path, **options: Any) -> Bundle:
    """Writes a bundle: a folder, or an archive where the name ends in .tar.zst, .zip or .tar. name, version, model_license, target, symbol,
    limit, force … are options of `lathe bundle`."""
    file = os.fspath(model)
    file = file if os.path.dirname(file) else os.path.join(os.curdir, file)  # `lathe bundle check` is a command
    outcome = command("bundle", file, output=out, **options)
    line = outcome.lines[-1]
    return Bundle(line["bundle"], line["name"], line["tag"], line["bundle_id"], line["bytes"], outcome.warnings)
