# SPDX-License-Identifier: Apache-2.0
"""The figures as an SVG: a column of bars for each number of threads, the speed of each runtime by network.

The faster library's speed is 1 in each network; a bar ends with the median in milliseconds. The picture has a ground of
its own, dark where the reader prefers that, so that it can be read on any page.
"""
import math
from html import escape

from figures import NAMES, threads_text

COLORS = {"lathe": "#2f81f7", "onnxruntime": "#bf7a0b", "openvino": "#7d8590"}
STYLE = """\
  <style>
    text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328 }
    .small { font-size: 10px; stroke: #ffffff; stroke-width: 3px; paint-order: stroke }
    .title { font-weight: bold }
    .ground { fill: #ffffff }
    .tick { stroke: #d1d9e0 }
    .one { stroke: #59636e; stroke-dasharray: 3 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .small { stroke: #0d1117 }
      .ground { fill: #0d1117 }
      .tick { stroke: #30363d }
      .one { stroke: #9198a1 }
    }
  </style>"""
MARGIN, NAMES_WIDTH, PANEL_WIDTH, LABEL_WIDTH = 16, 140, 300, 60
TOP, BAR, GAP = 76, 11, 10


def text(x, y, content, style="", anchor="start"):
    return f'  <text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">{escape(content)}</text>'


def line(x, top, bottom, style):
    return f'  <line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" class="{style}"/>'


def bar(x, y, width, runtime):
    return f'  <rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BAR}" fill="{COLORS[runtime]}"/>'


def legend(runtimes):
    for i, runtime in enumerate(runtimes):
        x = MARGIN + NAMES_WIDTH + 120 * i
        yield bar(x, 20, BAR, runtime)
        yield text(x + BAR + 6, 29, NAMES[runtime])


def panel(figures, threads, left, scale, step, bottom):
    yield text(left, TOP - 26, f"{threads_text(threads)}: speed, {figures.measure()} is 1", "title")
    for i in range(math.floor(PANEL_WIDTH / scale / step + 0.01) + 1):
        x = left + i * step * scale
        yield line(x, TOP - 4, bottom, "tick")
        yield text(x, TOP - 8, f"{i * step:g}", "small", "middle")
    yield line(left + scale, TOP - 4, bottom, "one")
    y = TOP
    for row in figures.of(threads):
        y += GAP
        for runtime in figures.runtimes():
            width = figures.speed(row, runtime) * scale
            yield bar(left, y, width, runtime)
            yield text(left + width + 4, y + BAR - 1, f"{row.times[runtime][0]:.1f} ms", "small")
            y += BAR


def plot(figures):
    runtimes, columns = figures.runtimes(), figures.threads()
    height_of_row = GAP + BAR * len(runtimes)
    networks = [row.network for row in figures.of(columns[0])]
    bottom = TOP + height_of_row * len(networks) + GAP
    width = 2 * MARGIN + NAMES_WIDTH + (PANEL_WIDTH + LABEL_WIDTH) * len(columns)
    largest = max(figures.speed(row, runtime) for row in figures.rows for runtime in runtimes)
    step = 0.25 if largest < 2 else 0.5 if largest < 4 else 1
    scale = PANEL_WIDTH / (step * math.ceil(largest / step))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + MARGIN}" '
             f'width="{width}" height="{bottom + MARGIN}" role="img">',
             "  <title>Speed of each network, by runtime</title>", STYLE,
             f'  <rect width="{width}" height="{bottom + MARGIN}" rx="6" class="ground"/>', *legend(runtimes)]
    for i, network in enumerate(networks):
        middle = TOP + height_of_row * i + GAP + BAR * len(runtimes) / 2
        parts.append(text(MARGIN + NAMES_WIDTH - 10, middle + 4, network, anchor="end"))
    for i, threads in enumerate(columns):
        left = MARGIN + NAMES_WIDTH + (PANEL_WIDTH + LABEL_WIDTH) * i
        parts += panel(figures, threads, left, scale, step, bottom)
    return "\n".join([*parts, "</svg>"]) + "\n"
