// SPDX-License-Identifier: Apache-2.0
#include "data/stored_type.h"

#include "base/narrow_float.h"
#include "data/compare.h"
#include "data/npy.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace lathe::data {
namespace {

using model::HostTensor;

bool numpyLacks(DataType dtype) {
    return (dtype.isFloat() || dtype.isInt()) && !dtype.isIndex() && npyCode(dtype).empty();
}

/// The bits of the number in the type. Nothing: it lacks it.
std::optional<uint64_t> bitsOfNumber(double value, DataType dtype) {
    const uint64_t bits = floatToBits(value, dtype, Overflow::Special);
    const double back = bitsToFloat(bits, dtype);
    return back == value || (std::isnan(back) && std::isnan(value)) ? std::optional(bits) : std::nullopt;
}

/// A byte of an integer or float narrower than that, as buffers have it: with its sign in all bits above. Nothing: it is none.
std::optional<uint64_t> bitsOfByte(std::byte byte, bool isNumber, DataType dtype) {
    const int end = 1 << dtype.bits, half = end / 2;
    if (isNumber) {
        const auto number = static_cast<int8_t>(byte);
        return number >= -half && number < half ? std::optional(std::to_integer<uint64_t>(byte)) : std::nullopt;
    }
    const auto bits = std::to_integer<int>(byte);
    if (bits < end)
        return static_cast<uint8_t>(dtype.isSigned() && bits >= half ? bits - end : bits);
    return dtype.isSigned() && bits >= 256 - half ? std::optional<uint64_t>(bits) : std::nullopt;
}

} // namespace

bool areBitsOf(DataType stored, DataType meant) {
    return numpyLacks(meant) && stored.code == TypeCode::UInt && stored.bits == 8 * meant.bytes();
}

Result<HostTensor> takenAs(HostTensor tensor, DataType meant) {
    const bool areBits = areBitsOf(tensor.dtype, meant);
    const DataType wider = meant.isFloat() ? types::Float32 : meant.isSigned() ? types::Int8 : types::UInt8;
    if (!areBits && !(numpyLacks(meant) && tensor.dtype == wider))
        return tensor;
    if (areBits && meant.bits % 8 == 0) {
        tensor.dtype = meant;
        return tensor;
    }
    const auto elements = static_cast<size_t>(tensor.elements()), width = static_cast<size_t>(meant.bytes());
    HostTensor taken{meant, tensor.shape, std::vector<std::byte>(elements * width), {}};
    for (size_t i = 0; i < elements; ++i) {
        const auto bits = tensor.dtype == types::Float32
                              ? bitsOfNumber(model::elementAsDouble(tensor.dtype, tensor.bytes, i), meant)
                              : bitsOfByte(tensor.bytes[i], !areBits, meant);
        if (!bits)
            return failure(fmt::format("{} holds {} at {}, which {} does not have", toString(tensor.dtype),
                                       model::elementAsDouble(tensor.dtype, tensor.bytes, i),
                                       indexText(tensor.shape, static_cast<int64_t>(i)), toString(meant)),
                           fmt::format("give numbers that {} has: nothing is rounded", toString(meant)));
        std::memcpy(taken.bytes.data() + i * width, &*bits, width);
    }
    return taken;
}

} // namespace lathe::data
