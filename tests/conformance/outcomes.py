# SPDX-License-Identifier: Apache-2.0
"""Lists of the outcomes of tests: reading, writing, and what has changed.

A list is text, a test a line, sorted by name:

    test_abs passed
    test_adagrad refused ai.onnx.preview.training.Adagrad-1
    test_example wrong  # why this is how it has to be

A refusal names the operator that is not supported. What is wrong, what is accepted and has to be refused, and a refusal that is not
about an operator, needs a reason after a `#`. Lines that begin with `#` head the file.
"""
from typing import NamedTuple

# From good to bad. The last two are never accepted: a list that holds them is at fault itself.
RANKS = ("passed", "refused", "wrong", "accepted", "timeout", "crashed")
NEVER = ("timeout", "crashed")


class Outcome(NamedTuple):
    kind: str
    operator: str = ""
    reason: str = ""
    message: str = ""  # of a run, for whoever looks into it

    def __str__(self):
        return f"{self.kind} {self.operator}".rstrip()


def parse(text):
    """The head of a list and its outcomes by name. Raises ValueError for a line that is none."""
    head, outcomes = [], {}
    for line in text.splitlines():
        if line.startswith("#"):
            head.append(line)
            continue
        words, _, reason = line.partition("#")
        words = words.split()
        if not 2 <= len(words) <= 3 or words[1] not in RANKS or words[0] in outcomes:
            raise ValueError(f"not an outcome: {line}")
        outcomes[words[0]] = Outcome(words[1], *words[2:], reason=reason.strip())
    return head, outcomes


def render(head, outcomes):
    lines = [f"{name} {outcome}" + (f"  # {outcome.reason}" if outcome.reason else "")
             for name, outcome in sorted(outcomes.items())]
    return "\n".join(head + lines) + "\n"


def updated(expected, got):
    """The list to commit after a run: what was got, with the reasons given for outcomes that stay."""
    return {name: Outcome(outcome.kind, outcome.operator,
                          expected[name].reason if name in expected and str(expected[name]) == str(outcome) else "")
            for name, outcome in got.items()}


def faults(expected):
    """What a list must not say."""
    for name, outcome in sorted(expected.items()):
        if outcome.kind in NEVER:
            yield f"{name}: the list accepts '{outcome.kind}'"
        elif not outcome.reason and (outcome.kind in ("wrong", "accepted") or str(outcome) == "refused"):
            yield f"{name}: the list gives no reason for '{outcome.kind}'"


def changes(expected, got):
    """What a run and its list disagree in, a line each."""
    for name in sorted(expected.keys() | got.keys()):
        if name not in got:
            yield f"gone: {name}, listed as {expected[name]}"
        elif name not in expected:
            yield f"new: {name} is {got[name]}  {got[name].message}".rstrip()
        elif str(got[name]) != str(expected[name]):
            step = RANKS.index(got[name].kind) - RANKS.index(expected[name].kind)
            word = "worse" if step > 0 else "better" if step < 0 else "other"
            yield f"{word}: {name} is {got[name]}, listed as {expected[name]}  {got[name].message}".rstrip()


def counts(outcomes):
    """'1884 tests: 1742 passed, 140 refused, 2 wrong'"""
    by_kind = [(kind, sum(outcome.kind == kind for outcome in outcomes.values())) for kind in RANKS]
    return f"{len(outcomes)} tests: " + ", ".join(f"{count} {kind}" for kind, count in by_kind if count)
