// SPDX-License-Identifier: Apache-2.0
//
// Loop IR of a test, written as text.
#pragma once

#include "tir/text.h"

#include <QtGlobal>
#include <string>

namespace lathe::testing {

/// A text that is none ends the test.
inline tir::PrimFuncPtr read(const std::string& text) {
    auto function = tir::parsePrimFunc(text);
    if (!function)
        qFatal("%s in\n%s", function.error().what.c_str(), text.c_str());
    return *function;
}

} // namespace lathe::testing
