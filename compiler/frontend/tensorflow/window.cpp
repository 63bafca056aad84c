// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/window.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* malformed = "the model is malformed; export it again";

/// Two numbers a dim of the image, in its order, as a window has them: those before all dims of space first.
bool readExplicit(NodeReader& node, WindowAttributes& window) {
    const Ints all = node.integers("explicit_paddings");
    const size_t rank = window.kernel.size() + 2, first = hasChannelsFirst(node) ? 2 : 1;
    if (all.size() != 2 * rank) {
        node.fail(fmt::format("there are {} explicit paddings where {} are needed", all.size(), 2 * rank), malformed);
        return false;
    }
    for (const size_t side : {0, 1})
        for (size_t i = 0; i < window.kernel.size(); ++i) {
            const int64_t padding = all[2 * (first + i) + side];
            if (padding < 0 || padding > mostExtent) {
                node.fail(fmt::format("an explicit padding is {}", padding), malformed);
                return false;
            }
            window.pads.push_back(padding);
        }
    return true;
}

} // namespace

std::optional<WindowAttributes> readWindow(NodeReader& node, Ints kernel) {
    WindowAttributes window;
    const size_t rank = kernel.size() + 2;
    window.kernel = std::move(kernel);
    window.strides = spatialEntries(node, "strides", rank, 1);
    window.dilations = spatialEntries(node, "dilations", rank, 1);
    const std::string padding = node.text("padding", "SAME");
    if (padding == "EXPLICIT") {
        window.padding = Padding::Given;
        if (!readExplicit(node, window))
            return std::nullopt;
    } else if (padding == "SAME" || padding == "VALID") {
        window.padding = padding == "SAME" ? Padding::SameUpper : Padding::None;
    } else {
        node.fail(fmt::format("the padding is '{}'", padding), malformed);
    }
    if (node.failed())
        return std::nullopt;
    if (isInRange(window))
        return window;
    node.fail("kernel, strides and dilations must be positive", malformed);
    return std::nullopt;
}

} // namespace lathe::frontend::tensorflow
