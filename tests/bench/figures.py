# SPDX-License-Identifier: Apache-2.0
"""What was measured, and the ratios that table, page and plot show of it."""
from statistics import geometric_mean
from typing import NamedTuple

# As `lathe bench` names them -> as people do.
NAMES = {"lathe": "Lathe", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "litert": "LiteRT"}


def threads_text(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


class Row(NamedTuple):
    network: str
    threads: int
    times: dict  # runtime -> median and least in milliseconds


class Figures:
    def __init__(self):
        self.rows = []

    def add(self, network, threads, times):
        self.rows.append(Row(network, threads, times))
        return self.rows[-1]

    def runtimes(self):
        return list(self.rows[0].times)

    def libraries(self):
        return [runtime for runtime in self.runtimes() if runtime != "lathe"]

    def threads(self):
        return list(dict.fromkeys(row.threads for row in self.rows))

    def of(self, threads):
        return [row for row in self.rows if row.threads == threads]

    def measure(self):
        """The library whose speed is 1."""
        return "the faster library" if len(self.libraries()) > 1 else NAMES[self.libraries()[0]]

    def speed(self, row, runtime="lathe"):
        return min(row.times[library][0] for library in self.libraries()) / row.times[runtime][0]

    def means(self, threads):
        """Geometric means of Lathe's speed over each library's and over the measure, in words."""
        rows = self.of(threads)
        speeds = {NAMES[library]: [row.times[library][0] / row.times["lathe"][0] for row in rows]
                  for library in self.libraries()}
        speeds[self.measure()] = [self.speed(row) for row in rows]
        return ", ".join(f"{geometric_mean(each):.2f} against {name}" for name, each in speeds.items())
