// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing of single elements. Floats that C++ lacks go through base/narrow_float.
#include "relay/element.h"

#include "base/narrow_float.h"

#include <cmath>
#include <cstring>

namespace lathe::relay {
namespace {

template <class T>
T read(const std::byte* element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return value;
}

int64_t signExtend(uint64_t bits, int width) {
    int shift = 64 - width;
    return static_cast<int64_t>(bits << shift) >> shift;
}

double readNumber(const std::byte* element, DataType dtype) {
    if (dtype.isFloat())
        return readFloat(element, dtype);
    int64_t value = readInt(element, dtype);
    return dtype == types::UInt64 ? static_cast<double>(static_cast<uint64_t>(value)) : static_cast<double>(value);
}

int64_t truncateToInt(double value) {
    if (std::isnan(value))
        return 0;
    if (value >= 0x1p63)
        return value >= 0x1p64 ? std::numeric_limits<int64_t>::max()
                               : static_cast<int64_t>(static_cast<uint64_t>(value));
    if (value < -0x1p63)
        return std::numeric_limits<int64_t>::min();
    return static_cast<int64_t>(value);
}

} // namespace

double readFloat(const std::byte* element, DataType dtype) {
    if (dtype == types::Float32)
        return read<float>(element);
    if (dtype == types::Float64)
        return read<double>(element);
    uint64_t bits = 0;
    std::memcpy(&bits, element, static_cast<size_t>(dtype.bytes()));
    return bitsToFloat(bits, dtype);
}

int64_t readInt(const std::byte* element, DataType dtype) {
    uint64_t bits = 0;
    std::memcpy(&bits, element, static_cast<size_t>(dtype.bytes()));
    if (dtype.isBool())
        return bits != 0;
    if (dtype.isSigned())
        return signExtend(bits, dtype.bits);
    return dtype.bits == 64 ? static_cast<int64_t>(bits)
                            : static_cast<int64_t>(bits & ((uint64_t{1} << dtype.bits) - 1));
}

void writeFloat(std::byte* element, DataType dtype, double value) {
    if (!dtype.isFloat())
        return writeInt(element, dtype, dtype.isBool() ? value != 0 : truncateToInt(value));
    if (dtype == types::Float32) {
        float narrow = static_cast<float>(value);
        std::memcpy(element, &narrow, sizeof narrow);
    } else if (dtype == types::Float64) {
        std::memcpy(element, &value, sizeof value);
    } else {
        uint64_t bits = floatToBits(value, dtype);
        std::memcpy(element, &bits, static_cast<size_t>(dtype.bytes()));
    }
}

void writeInt(std::byte* element, DataType dtype, int64_t value) {
    if (dtype.isFloat())
        return writeFloat(element, dtype, static_cast<double>(value));
    uint64_t bits = dtype.isBool() ? value != 0 : static_cast<uint64_t>(value);
    if (!dtype.isBool() && dtype.bits < 8) // stored one a byte, signed ones sign-extended
        bits = dtype.isSigned() ? static_cast<uint64_t>(signExtend(bits, dtype.bits)) : bits & ((1u << dtype.bits) - 1);
    std::memcpy(element, &bits, static_cast<size_t>(dtype.bytes()));
}

std::optional<std::vector<Expr>> elementsOf(const Constant& constant, int64_t most) {
    const TensorType& type = *asTensor(constant.type);
    int64_t count = constant.elements();
    if (count > most || constant.recipe || type.dtype.code == TypeCode::String)
        return std::nullopt;
    std::vector<Expr> elements;
    elements.reserve(static_cast<size_t>(count));
    auto width = static_cast<size_t>(type.dtype.bytes());
    for (int64_t i = 0; i < count; ++i) {
        const std::byte* at = constant.bytes.view.data() + (constant.splat ? 0 : static_cast<size_t>(i) * width);
        if (type.dtype.isFloat()) {
            elements.push_back(arith::floatImm(readFloat(at, type.dtype), type.dtype));
            continue;
        }
        int64_t value = readInt(at, type.dtype);
        if (type.dtype == types::UInt64 && value < 0)
            return std::nullopt;
        elements.emplace_back(value);
    }
    return elements;
}

ConstantPtr constantFrom(DataType dtype, const std::vector<Expr>& shape, const std::vector<Expr>& elements) {
    std::optional<std::vector<int64_t>> dims = constantShape(shape);
    if (!dims)
        return nullptr;
    auto width = static_cast<size_t>(dtype.bytes());
    auto bytes = std::make_shared<std::vector<std::byte>>(elements.size() * width);
    for (size_t i = 0; i < elements.size(); ++i) {
        std::byte* at = bytes->data() + i * width;
        if (std::optional<int64_t> integer = arith::asInt(elements[i]))
            writeInt(at, dtype, *integer);
        else if (std::optional<double> value = arith::asFloat(elements[i]))
            writeFloat(at, dtype, *value);
        else
            return nullptr;
    }
    std::span<const std::byte> view(*bytes);
    return makeConstant(dtype, std::move(*dims), {std::move(bytes), view});
}

std::optional<std::vector<int64_t>> constantShape(const std::vector<Expr>& shape) {
    std::vector<int64_t> dims;
    dims.reserve(shape.size());
    for (const Expr& dim : shape) {
        std::optional<int64_t> value = arith::asInt(dim);
        if (!value)
            return std::nullopt;
        dims.push_back(*value);
    }
    return dims;
}

bool isSplatOf(const Constant& constant, double value) {
    DataType dtype = asTensor(constant.type)->dtype;
    if (constant.recipe || dtype.code == TypeCode::String || constant.bytes.view.empty())
        return false;
    std::byte expected[16] = {};
    writeFloat(expected, dtype, value);
    if (readNumber(expected, dtype) != value) // the type does not hold it: 0.5 among integers
        return false;
    auto width = static_cast<size_t>(dtype.bytes());
    for (size_t at = 0; at + width <= constant.bytes.view.size(); at += width)
        if (std::memcmp(constant.bytes.view.data() + at, expected, width) != 0)
            return false;
    return true;
}

} // namespace lathe::relay
