#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The comparison of outcomes notices each kind of change, and a list cannot hide a crash."""
import unittest

from outcomes import Outcome, changes, counts, faults, parse, render, updated

TEXT = "# Title.\na passed\nb refused ai.onnx.Foo-1\nc wrong  # the data contradict the model\n"


class TestOutcomes(unittest.TestCase):
    def setUp(self):
        self.head, self.expected = parse(TEXT)

    def changed(self, **got):
        return [line.split(":")[0] for line in changes(self.expected, self.expected | got)]

    def test_text_reads_back(self):
        self.assertEqual(render(self.head, self.expected), TEXT)
        for line in ("a", "a fine", "a passed x y", "a passed\na passed"):
            self.assertRaises(ValueError, parse, line)

    def test_changes(self):
        self.assertEqual(self.changed(), [])
        for kind in ("refused", "wrong", "accepted", "timeout", "crashed"):
            self.assertEqual(self.changed(a=Outcome(kind, "op")), ["worse"])
        self.assertEqual(self.changed(b=Outcome("passed")), ["better"])
        self.assertEqual(self.changed(c=Outcome("refused", "op")), ["better"])
        self.assertEqual(self.changed(c=Outcome("accepted")), ["worse"])
        self.assertEqual(self.changed(b=Outcome("refused", "ai.onnx.Bar-1")), ["other"])
        self.assertEqual(self.changed(d=Outcome("passed")), ["new"])
        self.assertEqual([line.split(":")[0] for line in changes(self.expected, {})], ["gone"] * 3)

    def test_faults(self):
        self.assertEqual(list(faults(self.expected)), [])
        for line in ("a wrong", "a accepted", "a refused", "a crashed  # so it is", "a timeout  # slow"):
            self.assertEqual(len(list(faults(parse(line)[1]))), 1, line)

    def test_update_keeps_reasons_of_what_stays(self):
        got = {"c": Outcome("wrong", message="m"), "b": Outcome("passed")}
        self.assertEqual(render([], updated(self.expected, got)), "b passed\nc wrong  # the data contradict the model\n")
        self.assertEqual(updated(self.expected, {"c": Outcome("refused", "op")})["c"].reason, "")

    def test_counts(self):
        self.assertEqual(counts(self.expected), "3 tests: 1 passed, 1 refused, 1 wrong")


unittest.main()
