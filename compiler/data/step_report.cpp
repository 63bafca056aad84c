// SPDX-License-Identifier: Apache-2.0
#include "data/step_report.h"

#include "base/printable.h"

namespace lathe::data {

std::string sentenceOf(const Diagnostic& problem) {
    std::string text = problem.file.empty() ? "" : printable(problem.file) + ": ";
    text += printable(problem.what);
    if (!problem.hint.empty())
        text += " (" + printable(problem.hint) + ")";
    return text;
}

} // namespace lathe::data
