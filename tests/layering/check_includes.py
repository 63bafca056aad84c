#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the include table: data flows one way, so a folder may include only the folders named here.

Reads every #include of compiler/, views/ and app/. An include of our own must carry its path ("tir/ir.h"), so that
this table can see it; what is outside the table (Qt in compiler/, LLVM anywhere but in codegen/llvm) is refused as well.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# folder: folders it may include, beside itself and base. They stand above it, and each of them is included somewhere.
COMPILER = {
    "abi": "",
    "runtime": "abi",
    "images": "abi",
    "base": "",
    "model": "",
    "data": "model",
    "arith": "",
    "relay": "model arith",
    "frontend": "abi model arith relay data",
    "tir": "arith",
    "te": "arith tir",
    "schedule": "arith tir",
    "moves": "schedule tir",
    "topi": "abi arith relay te tir schedule moves",
    "lower": "abi relay topi te tir schedule arith model",
    "tune": "schedule moves tir arith",
    "codegen": "abi runtime tir arith",
    "artifact": "abi runtime",
    "graph": "model",
    "device": "model codegen abi runtime",
    "driver": "model arith relay frontend tir lower tune codegen abi runtime artifact data device",
    "inspect": "model arith relay frontend tir schedule lower artifact data graph device driver",
    "diagnose": "model arith relay data driver inspect",
    "advise": "model arith relay inspect diagnose",
    "tuning": "arith tir lower tune runtime data device driver inspect",
    "project": "driver",
    "records": "codegen tune schedule tir lower driver inspect tuning",
    "selfcheck": "model runtime data",
    "report": "model arith relay tir graph driver inspect",
    "deploy": "model arith codegen abi runtime data device driver inspect",
}
NOT_EVEN_BASE = {"base", "abi", "runtime", "images"}
# Views show the values of the driver and of what stands on it and, read only, the IRs; only the app wires them to the driver.
VIEW_MODELS = "data graph driver inspect diagnose advise tuning model relay tir schedule tune records lower arith base"
# folder of views/models: folders there that it may include, beside itself.
MODELS = {
    "text": "",
    "window": "text",
    "inputs": "text",
    "graph": "text",
    "check": "text graph",
    "passes": "text window graph",
    "loops": "text",
    "profile": "text inputs",
    "overview": "text window inputs profile",
    "start": "text",
    "exporting": "text",
    "tuning": "text window passes loops",
}
VIEW_PAGE = "driver inspect diagnose views/models"  # what all pages are
VIEW_CANVAS = "views/models views/page views/canvas"  # what draws a graph, whatever page it is on
VIEW_PAGES = "views/models views/text views/page views/canvas"

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
# Copied to a device as they are, without the folders around them: they lie in one there, and so name each other.
SHIPPED = {"compiler/runtime/lathe_rt.h", "compiler/runtime/linked_model.h", "compiler/abi/abi.h",
           "compiler/abi/dlpack.h"}
QT = re.compile(r"^(Q[A-Z]\w*|Qt\w+/.*|Qsci/.*|qcustomplot\.h)$")
# Parsing these costs seconds: only the folders that are about them may include them.
HEAVY_FOLDERS = ("compiler/codegen/llvm/", "compiler/frontend/onnx/", "compiler/frontend/tensorflow/",
                 "compiler/frontend/tflite/")
# Interfaces of libraries that one file stands for.
ONE_FILE = {"xgboost/": "compiler/tune/xgb_model.cpp"}
# Headers of a format: the one file that includes them, beside the format's own folder.
FORMATS = {
    "frontend/keras/": "compiler/frontend/frontends.cpp",
    "frontend/onnx/": "compiler/frontend/frontends.cpp",
    "frontend/tensorflow/": "compiler/frontend/frontends.cpp",
    "frontend/tflite/": "compiler/frontend/frontends.cpp",
    "frontend/torch/": "compiler/frontend/frontends.cpp",
}
HEAVY = re.compile(r"^(llvm|llvm-c|lld|clang|onnx|google/protobuf|flatbuffers)/|\.pb\.h$")


def in_table(path):
    parts = path.split("/")
    if parts[0] == "compiler":
        return parts[1] in COMPILER
    return parts[:2] != ["views", "models"] or parts[2] in MODELS


def allowed(path):
    """The prefixes of own includes that the file at `path` (relative, posix) may name; None: all."""
    parts = path.split("/")
    if parts[0] == "compiler":
        folder = parts[1]
        base = [] if folder in NOT_EVEN_BASE else ["base"]
        return COMPILER[folder].split() + base + [folder]
    if parts[0] == "views":
        if parts[1] == "models":
            return VIEW_MODELS.split() + ["views/models/" + each for each in MODELS[parts[2]].split() + [parts[2]]]
        if parts[1] == "page":
            return VIEW_PAGE.split() + ["views/page"]
        if parts[1] == "canvas":
            return VIEW_CANVAS.split()
        return VIEW_PAGES.split() + ["views/" + parts[1]]
    return None


def problems_of(path, text):
    may = allowed(path)
    for match in INCLUDE.finditer(text):
        quoted, name = match.group(1) == '"', match.group(2)
        line = text.count("\n", 0, match.start(2)) + 1
        where = f"{path}:{line}"
        if path.startswith("compiler/") and QT.match(name):
            yield f"{where}: compiler/ knows no Qt ({name})"
        if path.startswith("app/cli/") and QT.match(name):
            yield f"{where}: app/cli knows no Qt ({name})"
        if HEAVY.search(name) and not path.startswith(HEAVY_FOLDERS):
            yield f"{where}: {name} is not for this folder"
        for library, file in ONE_FILE.items():
            if name.startswith(library) and path != file:
                yield f"{where}: only {file} includes {name}"
        for folder, table in FORMATS.items():
            if name.startswith(folder) and path != table and not path.startswith("compiler/" + folder):
                yield f"{where}: only {table} names a format ({name})"
        if not quoted or name.endswith(".moc"):
            continue
        if "/" not in name and path in SHIPPED:
            continue
        if "/" not in name:
            yield f'{where}: write the path from the root: "{name}"'
        elif may is not None and not any(name == entry or name.startswith(entry + "/") for entry in may):
            yield f"{where}: {name} is not for this folder (allowed: {' '.join(sorted(may))})"
        elif not path.startswith("app/") and name.startswith("app/"):
            yield f"{where}: nothing includes app"
        elif path.startswith("app/cli/") and name.startswith(("app/", "views/")) and not name.startswith("app/cli/"):
            yield f"{where}: app/cli knows nothing of the workbench ({name})"
        elif path.startswith("app/") and not path.startswith("app/cli/") and name.startswith("app/cli/"):
            yield f"{where}: the workbench knows nothing of app/cli ({name}): what both need is compiler's"


def problems_of_table(table, included):
    """`included`: of each folder, those that its files include."""
    above = set()
    for folder, named in table.items():
        for each in named.split():
            if each not in above:
                yield f"{folder}: {each} does not stand above it in the table"
            if each not in included.get(folder, ()):
                yield f"{folder}: nothing in it includes {each}, so the table need not name it"
        above.add(folder)


def main():
    problems = []
    files = 0
    included = {}
    for top in ("compiler", "views", "app"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c"):
                continue
            relative = path.relative_to(ROOT).as_posix()
            if not in_table(relative):
                problems.append(f"{relative}: no such folder in the table of {Path(__file__).name}")
                continue
            files += 1
            text = path.read_text()
            problems += problems_of(relative, text)
            folder = relative.split("/")[1]
            included.setdefault(folder, set()).update(name.split("/")[0] for _, name in INCLUDE.findall(text))
    problems += problems_of_table(COMPILER, included)
    for problem in problems:
        print(problem)
    print(f"{files} files, {len(problems)} problems")
    sys.exit(bool(problems) or not files)


if __name__ == "__main__":
    main()
