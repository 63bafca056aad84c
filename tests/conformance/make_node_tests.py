#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the node tests that the onnx package defines as folders that `lathe test` reads.

    make_node_tests.py FOLDER        with a Python that has the package onnx

The package on PyPI holds the code that makes ONNX's backend tests, not their files: each test is a model and arrays that NumPy
computes from ONNX's own definition of the operator. FOLDER/NAME/model.onnx and FOLDER/NAME/test_data_set_N/{input,output}_N.pb
are written; a folder that is there already is replaced. NumPy computes without the vector units that only some machines have,
whose results differ in the last place, so that the files are the same everywhere.
"""
import os
import shutil
import sys
import warnings
from pathlib import Path

os.environ["NPY_DISABLE_CPU_FEATURES"] = "AVX512F AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4"
warnings.simplefilter("ignore")  # NumPy on units that this machine lacks anyway, and on overflows that the tests mean to have

from onnx import numpy_helper  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402

WRITERS = {"sequence_type": numpy_helper.from_list, "optional_type": numpy_helper.from_optional,
           "map_type": numpy_helper.from_dict, "tensor_type": numpy_helper.from_array}


def message(value, declared):
    """The protobuf message of a value of the type that the graph declares."""
    if hasattr(value, "SerializeToString"):
        return value
    return WRITERS[declared.type.WhichOneof("value")](value, declared.name)


def write(case, folder):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, data in enumerate(case.data_sets):
        set_folder = folder / f"test_data_set_{number}"
        set_folder.mkdir()
        graph = case.model.graph
        for kind, values, declared in zip(("input", "output"), data, (graph.input, graph.output)):
            for i, value in enumerate(values):
                (set_folder / f"{kind}_{i}.pb").write_bytes(message(value, declared[i]).SerializeToString())


def main():
    folder = Path(sys.argv[1])
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    cases = collect_testcases(None)
    for case in cases:
        write(case, partial / case.name)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    print(f"{len(cases)} tests in {folder}")


main()
