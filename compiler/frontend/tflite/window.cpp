// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/window.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

constexpr const char* exportAgain = "the model is malformed; export it again";

std::optional<WindowAttributes> checked(NodeReader& node, WindowAttributes window) {
    if (isInRange(window))
        return window;
    node.fail("kernel, strides and dilations must be positive", exportAgain);
    return std::nullopt;
}

} // namespace

std::optional<WindowAttributes> readWindow(NodeReader& node, Ints kernel) {
    WindowAttributes window;
    const std::string padding = node.text("padding", "SAME");
    if (padding != "SAME" && padding != "VALID") {
        node.fail(fmt::format("the padding is '{}'", padding), exportAgain);
        return std::nullopt;
    }
    window.padding = padding == "SAME" ? Padding::SameUpper : Padding::None;
    const std::vector<std::string> names =
        kernel.size() == 2 ? std::vector<std::string>{"h", "w"} : std::vector<std::string>{"d", "h", "w"};
    for (const std::string& name : names) {
        window.strides.push_back(node.integer("stride_" + name, 0));
        window.dilations.push_back(node.integer("dilation_" + name + "_factor", 1));
    }
    window.kernel = std::move(kernel);
    return checked(node, std::move(window));
}

std::optional<Ints> readStruct(NodeReader& node, size_t count) {
    const std::string bytes = node.text("custom_options", "");
    if (bytes.size() < 4 * count) {
        node.fail(fmt::format("the custom operator's options are {} bytes long, not {}", bytes.size(), 4 * count),
                  exportAgain);
        return std::nullopt;
    }
    Ints values;
    for (size_t i = 0; i < count; ++i) {
        uint32_t value = 0;
        for (size_t byte = 4; byte-- > 0;)
            value = value << 8 | static_cast<uint8_t>(bytes[4 * i + byte]);
        values.push_back(static_cast<int32_t>(value));
    }
    return values;
}

std::optional<WindowAttributes> windowOfStruct(NodeReader& node, int64_t padding, Ints kernel, Ints strides) {
    constexpr int64_t same = 1, valid = 2;
    if (padding != same && padding != valid) {
        node.fail(fmt::format("the padding is {}, neither SAME ({}) nor VALID ({})", padding, same, valid),
                  exportAgain);
        return std::nullopt;
    }
    WindowAttributes window;
    window.padding = padding == same ? Padding::SameUpper : Padding::None;
    window.dilations.assign(kernel.size(), 1);
    window.kernel = std::move(kernel);
    window.strides = std::move(strides);
    return checked(node, std::move(window));
}

} // namespace lathe::frontend::tflite
