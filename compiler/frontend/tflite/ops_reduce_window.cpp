// SPDX-License-Identifier: Apache-2.0
//
// REDUCE_WINDOW, whose function is one of a few.
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window_reduction.h"

#include <fmt/format.h>

#include <string_view>

namespace lathe::frontend::tflite {

void convertReduceWindow(NodeReader& node, Builder& b) {
    static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"ADD", "sum"}, {"MUL", "prod"}, {"MINIMUM", "min"}, {"MAXIMUM", "max"}, {"ALL", "and"}, {"ANY", "or"}};
    const Var x = realOf(node, 0), initial = asScalar(b, realOf(node, 1));
    const auto window = knownIntegers(node, 2, "window"), strides = knownIntegers(node, 3, "strides"),
               dilations = knownIntegers(node, 4, "dilations");
    const std::string function = node.text("reduce_function", "UNSUPPORTED");
    if (!window || !strides || !dilations || b.failed())
        return;
    ReducedWindows windows{{}, *window, *strides, *dilations};
    for (const auto& [name, kind] : kinds)
        if (name == function)
            windows.kind = kind;
    if (windows.kind.empty())
        return node.fail(fmt::format("attribute 'reduce_function' is {}", function));
    if (areInRange(node, windows, static_cast<size_t>(b.rank(x))))
        give(node, 0, reducedWindows(b, x, initial, windows));
}

} // namespace lathe::frontend::tflite
