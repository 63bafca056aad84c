# SPDX-License-Identifier: Apache-2.0
"""The program `lathe` as a child: arguments out of keywords, lines of JSON as results, diagnostics as exceptions, its end when
the caller does not want it any more."""
from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

_INTERRUPTED = 130  # as the program says it


class Diagnostic(Exception):
    """What Lathe has to say of a model or a wish. severity: "note", "warning" or "error"; kind: "invalid", "unsupported",
    "usage", "cancelled" or "internal"; file, node and operator where it is known; message: what is wrong; hint: what to do
    about it. others: what was said besides, of the same call; outcome: what the command printed until then."""

    def __init__(self, message: str, *, severity: str = "error", kind: str = "invalid", file: str = "", node: str = "",
                 operator: str = "", line: int = 0, hint: str = "") -> None:  # fmt: skip
        super().__init__(message)
        self.message, self.severity, self.kind = message, severity, kind
        self.file, self.node, self.operator, self.line, self.hint = file, node, operator, line, hint
        self.others: List["Diagnostic"] = []
        self.outcome: Optional["Outcome"] = None

    def __str__(self) -> str:
        where = "node %r%s" % (self.node, " (%s)" % self.operator if self.operator else "") if self.node else ""
        text = ": ".join(part for part in (self.file, where, self.message) if part)
        return "%s (%s)" % (text, self.hint) if self.hint else text


class Cancelled(Diagnostic):
    """The work was ended by cancel."""


class Progress(NamedTuple):
    """How far the work is. stage: what it does, "tune" for a study; fraction: of the stage, 0 to 1; facts: of a study what
    happened, as `lathe tune --json` says it."""

    stage: str
    fraction: float
    facts: Dict[str, Any]


class Outcome(NamedTuple):
    """What a command printed: its lines of JSON, and what is none, as of help; what it said besides; its exit code, which may
    be an answer: of diff that two differ, of check that a value diverges."""

    lines: List[Any]
    text: str
    diagnostics: List[Diagnostic]
    code: int

    @property
    def warnings(self) -> List[Diagnostic]:
        return [each for each in self.diagnostics if each.severity != "error"]

    def error(self) -> Diagnostic:
        """What is to be raised: the first error, with all others."""
        errors = [each for each in self.diagnostics if each.severity == "error"]
        first = errors[0] if errors else Diagnostic("the program ended with exit code %d" % self.code, kind="internal")
        first.others, first.outcome = [each for each in self.diagnostics if each is not first], self
        return first

    @property
    def _is_answer(self) -> bool:
        """Whether it says what was asked, whatever the exit code: no error was told, and something printed."""
        return bool(self.lines or self.text) and not any(each.severity == "error" for each in self.diagnostics)


def _program() -> str:
    """$LATHE_PROGRAM, else that of the wheel, else that of the same installation, else that of the PATH."""
    named = os.environ.get("LATHE_PROGRAM")
    if named:
        return named
    folder = os.path.dirname(os.path.abspath(__file__))  # PREFIX/lib/python3/dist-packages/lathe
    places = (os.path.join(folder, "_installed"), os.path.normpath(os.path.join(folder, *[os.pardir] * 4)))
    programs = (os.path.join(place, "bin", "lathe") for place in places)
    found = next((program for program in programs if os.access(program, os.X_OK)), None) or shutil.which("lathe")
    if found is None:
        raise Diagnostic("there is no program lathe", kind="usage", hint="install it, or name it by $LATHE_PROGRAM")
    return found


def main() -> None:
    """The command `lathe` of the wheel."""
    program = _program()
    os.execv(program, [program, *sys.argv[1:]])


def _text(value: Any) -> str:
    if isinstance(value, bool):  # a flag is no size and no text
        raise Diagnostic("%r is no value of an option" % value, kind="usage", hint="give a number or a text")
    if not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):  # also what is no list: ranges, arrays
        return ",".join(map(_text, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _arguments(options: Mapping[str, Any], folder: str) -> List[str]:
    arguments = []
    for keyword, value in options.items():
        name = "--" + keyword.rstrip("_").replace("_", "-")
        if keyword == "decisions" and isinstance(value, dict):
            file = os.path.join(folder, "decisions.json")
            with open(file, "w", encoding="utf-8") as into:
                json.dump(value, into)
            value = file
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(name)
            continue
        if isinstance(value, Mapping):
            values = ["%s=%s" % (key, _text(each)) for key, each in value.items()]
            values = [",".join(values)] if keyword == "limit" else values
        else:
            values = [_text(each) for each in value] if isinstance(value, (list, tuple)) else [_text(value)]
        arguments += ["%s=%s" % (name, each) for each in values]
    return arguments


def _positional(value: Any) -> str:
    """A file whose name an option or a command could have is a path."""
    text = _text(value)
    return os.path.join(os.curdir, text) if text and not os.path.dirname(text) and text[0] == "-" else text


def _said(line: str) -> Optional[Dict[str, Any]]:
    try:
        said = json.loads(line)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


def _diagnostic(said: Dict[str, Any]) -> Diagnostic:
    known = {key: said[key] for key in ("severity", "kind", "file", "node", "operator", "line", "hint") if key in said}
    return (Cancelled if said.get("kind") == "cancelled" else Diagnostic)(said.get("what", ""), **known)


class _Child:
    """The running program: its lines as they come, from both of its streams."""

    def __init__(self, arguments: List[str]) -> None:
        program = _program()
        try:
            # A session of its own: Ctrl+C in a terminal would reach it beside the interrupt that is sent, and two end it at
            # once.
            self._process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
        except (OSError, ValueError) as wrong:
            raise Diagnostic("%s cannot be started: %s" % (program, wrong), kind="usage") from None
        self._lines: "queue.Queue[Tuple[str, Optional[str]]]" = queue.Queue()
        for name, stream in (("out", self._process.stdout), ("err", self._process.stderr)):
            threading.Thread(target=self._pump, args=(name, stream), daemon=True).start()
        self._open = 2
        self.interrupted = False

    def _pump(self, name: str, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._lines.put((name, line.decode("utf-8", "replace").rstrip("\n")))
        self._lines.put((name, None))

    def next_line(self) -> Optional[Tuple[str, str]]:
        """Of "out" or "err"; after a tenth of a second ("", "")."""
        while self._open:
            try:
                name, line = self._lines.get(timeout=0.1)
            except queue.Empty:
                return "", ""
            if line is not None:
                return name, line
            self._open -= 1
        return None

    def interrupt(self) -> None:
        if not self.interrupted and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        self.interrupted = True

    def wait(self) -> int:
        return self._process.wait()

    def end(self) -> None:
        """Lets it put away what it has; a second Ctrl+C does not wait for that."""
        try:
            self.interrupt()
            while self.next_line() is not None:
                pass
            self._process.wait()
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()


def command(*arguments: Any, progress: Optional[Callable[[Progress], Any]] = None, cancel: Optional[threading.Event] = None,
            told: Optional[Callable[[Dict[str, Any]], Any]] = None, fails: bool = True, **options: Any) -> Outcome:  # fmt: skip
    """Runs any command of the program, command("diff", "a.onnx", "b.onnx"), with --json; told is called with each line that it
    prints. Raises its first error, with fails=False only where it was cancelled. An exit code that is an answer is no error:
    Outcome.code."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*map(_positional, arguments), *_arguments(options, folder), "--json"]
        return _followed(_Child(words + ["--progress"] * (progress is not None)), progress, cancel, told, fails)


def _followed(child: _Child, progress: Optional[Callable[[Progress], Any]], cancel: Optional[threading.Event],
              told: Optional[Callable[[Dict[str, Any]], Any]], fails: bool) -> Outcome:  # fmt: skip
    lines: List[Any] = []
    diagnostics: List[Diagnostic] = []
    texts: Dict[str, List[str]] = {"out": [], "err": [], "": []}  # what is no JSON
    try:
        for stream, line in iter(child.next_line, None):
            if cancel is not None and cancel.is_set():
                child.interrupt()
            said = _said(line)
            if said is None:
                texts[stream].append(line)
            elif stream == "out":
                lines.append(said)
                if told is not None:
                    told(said)
            elif "progress" in said:
                if progress is not None:
                    progress(Progress(said["progress"], said["fraction"], {}))
            else:
                diagnostics.append(_diagnostic(said))
        code = child.wait()
    except BaseException:
        child.end()
        raise
    if code < 0 and not child.interrupted:
        diagnostics.append(Diagnostic("the program was ended by signal %d" % -code, kind="internal", hint="please report the model"))
    outcome = Outcome(lines, "\n".join(texts["out"]), diagnostics, code)
    if code and texts["err"] and not outcome._is_answer and not any(each.severity == "error" for each in diagnostics):
        said_so = " ".join(texts["err"])  # in words for people, as of arguments that the program does not know
        diagnostics.append(Diagnostic(said_so, kind={1: "invalid", 2: "usage"}.get(code, "internal")))
    if child.interrupted and code in (_INTERRUPTED, -signal.SIGINT):
        told_so = (each for each in diagnostics if isinstance(each, Cancelled))
        raise next(told_so, Cancelled("cancelled", kind="cancelled"))
    if code and fails and not outcome._is_answer:
        raise outcome.error()
    return outcome
