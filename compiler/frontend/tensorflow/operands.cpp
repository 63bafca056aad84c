// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/operands.h"

#include "frontend/common/channels.h"
#include "frontend/tensorflow/types.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {

std::optional<DataType> typeNamed(NodeReader& node, const std::string& attribute, std::optional<DataType> otherwise) {
    const std::string name = node.text(attribute, "");
    if (name.empty() && otherwise)
        return otherwise;
    const auto found = fromTypeName(name);
    if (!found && !node.failed())
        node.refuse(fmt::format("attribute '{}' names the element type '{}', which is not supported", attribute, name));
    return found;
}

void giveMapped(NodeReader& node, Builder& b, const std::function<Var(Var)>& fn) {
    node.set(0, inSingle(b, node.in(0), fn));
}

void giveCombined(NodeReader& node, Builder& b, const std::function<Var(Var, Var)>& fn) {
    const Var x = node.in(0), y = node.in(1);
    if (b.failed())
        return;
    const bool same = b.dtype(x) == b.dtype(y); // operands of two types are a fault, which fn's calls tell
    node.set(0, inSingle(b, x, [&](Var v) { return fn(v, same ? cast(b, y, b.dtype(v)) : y); }));
}

bool hasChannelsFirst(NodeReader& node) {
    const std::string format = node.text("data_format", "");
    if (format == "NCHW" || format == "NCDHW" || format == "NCW")
        return true;
    if (!format.empty() && format != "NHWC" && format != "NDHWC" && format != "NWC")
        node.refuse(fmt::format("data_format {} is not supported", format), "export the model with NHWC or NCHW");
    return false;
}

Var imageIn(NodeReader& node, Builder& b, Var x) {
    return hasChannelsFirst(node) ? x : channelsFirst(b, x);
}

Var imageOut(NodeReader& node, Builder& b, Var x) {
    return hasChannelsFirst(node) ? x : channelsLast(b, x);
}

Ints spatialEntries(NodeReader& node, const std::string& attribute, size_t rank, int64_t otherwise) {
    const Ints all = node.integers(attribute);
    if (all.empty())
        return Ints(rank - 2, otherwise);
    if (all.size() != rank) {
        node.fail(fmt::format("attribute '{}' has {} entries for {} dims", attribute, all.size(), rank),
                  "the model is malformed; export it again");
        return Ints(rank - 2, 1);
    }
    const auto first = all.begin() + (hasChannelsFirst(node) ? 2 : 1);
    return Ints(first, first + static_cast<std::ptrdiff_t>(rank) - 2);
}

} // namespace lathe::frontend::tensorflow
