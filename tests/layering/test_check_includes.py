#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of the include table finds what it is there to find."""
import unittest

from check_includes import COMPILER, in_table, problems_of, problems_of_table


class CheckIncludes(unittest.TestCase):
    def finds(self, path, line):
        return len(list(problems_of(path, line + "\n")))

    def test_upward_include_is_a_problem(self):
        self.assertEqual(self.finds("compiler/tir/a.cpp", '#include "relay/ir.h"'), 1)
        self.assertEqual(self.finds("compiler/runtime/a.h", '#include "base/result.h"'), 1)
        self.assertEqual(self.finds("compiler/abi/a.h", '#include "runtime/lathe_rt.h"'), 1)
        self.assertEqual(self.finds("views/graph/a.cpp", '#include "driver/trace.h"'), 1)
        self.assertEqual(self.finds("views/graph/a.cpp", '#include "views/passes/a.h"'), 1)
        self.assertEqual(self.finds("views/canvas/a.cpp", '#include "views/graph/a.h"'), 1)
        self.assertEqual(self.finds("views/models/graph/a.h", '#include "views/models/check/a.h"'), 1)
        self.assertEqual(self.finds("compiler/lower/a.cpp", '#include "runtime/thread_pool.h"'), 1)
        self.assertEqual(self.finds("compiler/driver/a.cpp", '#include "app/session.h"'), 1)
        self.assertEqual(self.finds("compiler/driver/a.cpp", '#include "inspect/profile.h"'), 1)
        self.assertEqual(self.finds("compiler/device/a.cpp", '#include "driver/options.h"'), 1)
        self.assertEqual(self.finds("compiler/selfcheck/a.cpp", '#include "driver/options.h"'), 1)

    def test_downward_include_is_none(self):
        self.assertEqual(self.finds("compiler/relay/a.cpp", '#include "model/span.h"'), 0)
        self.assertEqual(self.finds("compiler/lower/a.cpp", '#include "abi/abi.h"'), 0)
        self.assertEqual(self.finds("compiler/runtime/lathe_rt.h", '#include "abi.h"'), 0)
        self.assertEqual(self.finds("views/models/passes/a.h", '#include "driver/trace.h"'), 0)
        self.assertEqual(self.finds("views/models/check/a.h", '#include "views/models/graph/a.h"'), 0)
        self.assertEqual(self.finds("views/passes/a.cpp", '#include "views/canvas/a.h"'), 0)
        self.assertEqual(self.finds("app/main.cpp", '#include "views/graph/a.h"'), 0)
        self.assertEqual(self.finds("app/cli/main.cpp", '#include "app/cli/commands.h"'), 0)

    def test_command_line_and_workbench_know_nothing_of_each_other(self):
        self.assertEqual(self.finds("app/engine.cpp", '#include "app/cli/commands.h"'), 1)
        self.assertEqual(self.finds("app/cli/main.cpp", '#include "app/engine.h"'), 1)
        self.assertEqual(self.finds("app/cli/main.cpp", '#include "views/models/graph/a.h"'), 1)
        self.assertEqual(self.finds("app/cli/main.cpp", "#include <QString>"), 1)

    def test_item_models_stand_in_a_folder_of_the_table(self):
        self.assertTrue(in_table("views/models/graph/a.h"))
        self.assertFalse(in_table("views/models/a.h"))
        self.assertFalse(in_table("views/models/utils/a.h"))

    def test_only_the_table_of_frontends_names_a_format(self):
        line = '#include "frontend/onnx/import.h"'
        self.assertEqual(self.finds("compiler/driver/a.cpp", line), 1)
        self.assertEqual(self.finds("compiler/frontend/common/a.cpp", line), 1)
        self.assertEqual(self.finds("app/cli/a.cpp", line), 1)
        self.assertEqual(self.finds("compiler/frontend/frontends.cpp", line), 0)
        self.assertEqual(self.finds("compiler/frontend/onnx/a.cpp", line), 0)

    def test_the_table_goes_one_way_and_names_what_is_included(self):
        used = {folder: named.split() for folder, named in COMPILER.items()}
        self.assertEqual(list(problems_of_table(COMPILER, used)), [])
        upward = {"tir": "te", "te": ""}
        self.assertEqual(list(problems_of_table(upward, {"tir": ["te"]})), ["tir: te does not stand above it in the table"])
        unused = {"te": "", "tir": "te"}
        self.assertEqual(len(list(problems_of_table(unused, {}))), 1)

    def test_include_without_path_is_a_problem(self):
        self.assertEqual(self.finds("compiler/tir/a.cpp", '#include "ir.h"'), 1)

    def test_qt_and_heavy_headers(self):
        self.assertEqual(self.finds("compiler/tir/a.cpp", "#include <QString>"), 1)
        self.assertEqual(self.finds("compiler/driver/a.h", "#include <llvm/IR/Module.h>"), 1)
        self.assertEqual(self.finds("compiler/codegen/a.h", "#include <llvm/IR/Module.h>"), 1)
        self.assertEqual(self.finds("compiler/artifact/a.cpp", "#include <lld/Common/Driver.h>"), 1)
        self.assertEqual(self.finds("compiler/codegen/llvm/a.cpp", "#include <llvm/IR/Module.h>"), 0)


unittest.main()
