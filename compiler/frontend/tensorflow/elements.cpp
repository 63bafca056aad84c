// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/elements.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tensorflow {

Result<model::Bytes> readable(const model::Bytes& stored, DataType dtype, Budget& budget) {
    const bool isAligned = reinterpret_cast<uintptr_t>(stored.view.data()) % dtype.bytes() == 0;
    if (isAligned && !dtype.isBool())
        return stored;
    if (!budget.takeBytes(static_cast<int64_t>(stored.view.size())))
        return failure(
            ErrorKind::Unsupported,
            fmt::format("constants of {} bytes lie so that they must be copied, which is too much", stored.view.size()),
            "export the model again, by a newer version");
    const auto copy = std::make_shared<std::vector<std::byte>>(stored.view.begin(), stored.view.end());
    if (dtype.isBool())
        std::ranges::for_each(*copy, [](std::byte& flag) { flag = std::byte{flag != std::byte{0}}; });
    return model::Bytes{copy, *copy};
}

} // namespace lathe::frontend::tensorflow
