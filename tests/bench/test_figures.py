#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ratios of benchmarks, worked out by hand, and that table and plot show each network."""
import unittest
import xml.etree.ElementTree

from figures import Figures
from page import table
from plot import plot


def two_networks():
    figures = Figures()
    figures.add("small", 1, {"lathe": (4.0, 3.0), "onnxruntime": (8.0, 7.0), "openvino": (2.0, 1.0)})
    figures.add("large", 1, {"lathe": (10.0, 9.0), "onnxruntime": (20.0, 8.0), "openvino": (80.0, 70.0)})
    return figures


class Ratios(unittest.TestCase):
    def test_speed_is_against_the_library_with_the_lesser_median(self):
        figures = two_networks()
        self.assertEqual([figures.speed(row) for row in figures.rows], [0.5, 2.0])
        self.assertEqual(figures.speed(figures.rows[1], "openvino"), 0.25)

    def test_means_are_geometric(self):
        self.assertEqual(two_networks().means(1),
                         "2.00 against ONNX Runtime, 2.00 against OpenVINO, 1.00 against the faster library")

    def test_one_library_is_the_measure(self):
        figures = Figures()
        figures.add("small", 2, {"lathe": (4.0, 3.0), "openvino": (2.0, 1.0)})
        self.assertEqual(figures.means(2), "0.50 against OpenVINO")


class Shown(unittest.TestCase):
    def test_table(self):
        self.assertEqual(list(table(two_networks(), 1)),
                         ["| network | Lathe | ONNX Runtime | OpenVINO | speed |", "|---|---:|---:|---:|---:|",
                          "| small | 4.00 (3.00) | 8.00 (7.00) | 2.00 (1.00) | 0.50 |",
                          "| large | 10.00 (9.00) | 20.00 (8.00) | 80.00 (70.00) | 2.00 |"])

    def test_bars_are_as_long_as_speeds(self):
        root = xml.etree.ElementTree.fromstring(plot(two_networks()))
        bars = [float(each.get("width")) for each in root.findall("{*}rect")][1 + 3:]  # after ground and legend
        self.assertEqual([round(bar / bars[2], 2) for bar in bars], [0.5, 0.25, 1, 2, 1, 0.25])


if __name__ == "__main__":
    unittest.main()
