// SPDX-License-Identifier: Apache-2.0
//
// The words of a TorchScript program: names, numbers, strings and signs, and where lines and blocks end. A line goes on as long
// as a bracket is open.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend::torch::script {

struct Token {
    enum class Kind : uint8_t { Name, Int, Float, Text, Sign, Line, Indent, Dedent, End } kind = Kind::End;
    int32_t line = 0;
    std::string text{}; // Name, Sign; Text: without quotes and escapes
    int64_t whole = 0;  // the bits of numbers up to 2^63
    double real = 0;
};

/// Ends with End. Fails with the line in `what`.
Result<std::vector<Token>> scanCode(std::string_view text);

} // namespace lathe::frontend::torch::script
