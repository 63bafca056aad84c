// SPDX-License-Identifier: Apache-2.0
//
// Which of the author's lines the lines of a TorchScript program's code come from, as PyTorch writes it beside the code
// (*.debug_pkl).
#pragma once

#include "frontend/torch/pickle.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend::torch::script {

class SourceLines {
public:
    SourceLines() = default;
    /// notes: of that code. What they do not say, or not as expected, is not known: nothing depends on it.
    SourceLines(std::string_view code, const Pickle& notes);

    /// "net.py:12"; empty if it is not known. line: from 1.
    std::string at(int32_t line) const;

private:
    std::vector<std::string> lines_; // by line of the code
};

} // namespace lathe::frontend::torch::script
