// SPDX-License-Identifier: Apache-2.0
#include "diagnose/check.h"

#include <cstring>

namespace lathe::diagnose {
namespace {

template <typename T>
void subtract(const model::HostTensor& got, const model::HostTensor& expected, model::HostTensor& into) {
    const auto count = static_cast<size_t>(into.elements());
    into.bytes.resize(count * sizeof(T));
    for (size_t i = 0; i < count; ++i) {
        const double a = model::elementAsDouble(got.dtype, got.bytes, i),
                     b = model::elementAsDouble(expected.dtype, expected.bytes, i);
        const T difference = a == b ? T{0} : static_cast<T>(a - b);
        std::memcpy(into.bytes.data() + i * sizeof(T), &difference, sizeof(T));
    }
}

} // namespace

std::optional<model::HostTensor> differenceOf(const model::HostTensor& got, const model::HostTensor& expected) {
    if (got.dtype != expected.dtype || got.shape != expected.shape || got.dtype == types::String)
        return std::nullopt;
    const bool isNarrow = got.dtype.isFloat() && got.dtype != types::Float64;
    model::HostTensor difference{isNarrow ? types::Float32 : types::Float64, got.shape, {}, {}};
    if (isNarrow)
        subtract<float>(got, expected, difference);
    else
        subtract<double>(got, expected, difference);
    return difference;
}

} // namespace lathe::diagnose
