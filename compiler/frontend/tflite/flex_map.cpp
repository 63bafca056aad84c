// SPDX-License-Identifier: Apache-2.0
//
// A value is a type, a place and widths. A vector's elements stand at its place, with their number before them; if they
// have no common type, a byte for each says it, behind them. A map is such a vector with one of keys, in the same
// order.
#include "frontend/tflite/flex_map.h"

#include <bit>
#include <cstring>
#include <string>

namespace lathe::frontend::tflite {
namespace {

// The codes of types in the format.
enum FlexType : unsigned {
    flexInt = 1,
    flexUInt = 2,
    flexFloat = 3,
    flexKey = 4,
    flexString = 5,
    flexIndirectInt = 6,
    flexIndirectUInt = 7,
    flexIndirectFloat = 8,
    flexMap = 9,
    flexVector = 10,
    flexVectorInt = 11,
    flexVectorUInt = 12,
    flexVectorFloat = 13,
    flexVectorKey = 14,
    flexBlob = 25,
    flexBool = 26,
    flexVectorBool = 36,
};

struct FlexValue {
    unsigned type = 0;
    size_t place = 0;       // of the value itself, or of the offset to it
    size_t width = 1;       // of what stands at `place`
    size_t targetWidth = 1; // of what an offset leads to
};

using FlexScalar = std::variant<int64_t, double, std::string>;

class FlexReader {
public:
    FlexReader(std::span<const std::byte> bytes, size_t most) : bytes_(bytes), most_(most) {}

    std::optional<std::vector<model::Attribute>> map() {
        const std::optional<FlexValue> found = root();
        if (!found || found->type != flexMap)
            return std::nullopt;
        const auto values = target(*found);
        if (!values)
            return std::nullopt;
        // Before the number of values: the width of the keys, and the offset back to them.
        const size_t width = found->targetWidth;
        if (*values < 3 * width)
            return std::nullopt;
        const auto keyWidth = unsignedAt(*values - 2 * width, width);
        const size_t keysOffset = *values - 3 * width;
        const auto back = unsignedAt(keysOffset, width);
        const auto count = sizeAt(*values, width, width);
        if (!keyWidth || !isWidth(*keyWidth) || !back || *back > keysOffset || !count)
            return std::nullopt;
        const size_t keys = keysOffset - static_cast<size_t>(*back);
        if (sizeAt(keys, static_cast<size_t>(*keyWidth), static_cast<size_t>(*keyWidth)) != count)
            return std::nullopt;
        std::vector<model::Attribute> entries;
        for (size_t i = 0; i < *count; ++i) {
            const auto key =
                keyAt({flexKey, keys + i * static_cast<size_t>(*keyWidth), static_cast<size_t>(*keyWidth), size_t{1}});
            const auto value = element(*values, width, *count, i);
            if (!key || !value)
                return std::nullopt;
            if (auto read = attribute(*value))
                entries.push_back({*key, *std::move(read)});
            if (tooMuch_)
                return std::nullopt;
        }
        return entries;
    }

private:
    static bool isWidth(uint64_t width) { return width <= 8 && std::has_single_bit(width); }

    bool inside(size_t at, size_t size) const { return at <= bytes_.size() && size <= bytes_.size() - at; }

    bool spend(size_t amount) {
        tooMuch_ = tooMuch_ || amount > most_;
        most_ -= tooMuch_ ? 0 : amount;
        return !tooMuch_;
    }

    std::optional<uint64_t> unsignedAt(size_t at, size_t width) const {
        if (!isWidth(width) || !inside(at, width))
            return std::nullopt;
        uint64_t number = 0;
        std::memcpy(&number, bytes_.data() + at, width);
        return number;
    }

    std::optional<int64_t> signedAt(size_t at, size_t width) const {
        const auto number = unsignedAt(at, width);
        if (!number)
            return std::nullopt;
        const auto unused = static_cast<int>(8 * (8 - width));
        return static_cast<int64_t>(*number << unused) >> unused;
    }

    std::optional<double> floatAt(size_t at, size_t width) const {
        const auto number = unsignedAt(at, width);
        if (number && width == 4)
            return std::bit_cast<float>(static_cast<uint32_t>(*number));
        if (number && width == 8)
            return std::bit_cast<double>(*number);
        return std::nullopt;
    }

    /// The number of elements of elementWidth bytes, which stands before them in `width` bytes, if they are all there.
    std::optional<size_t> sizeAt(size_t vector, size_t width, size_t elementWidth) const {
        if (vector < width)
            return std::nullopt;
        const auto count = unsignedAt(vector - width, width);
        if (!count || vector > bytes_.size() || *count > (bytes_.size() - vector) / elementWidth)
            return std::nullopt;
        return static_cast<size_t>(*count);
    }

    std::optional<FlexValue> root() const {
        if (bytes_.size() < 3)
            return std::nullopt;
        const size_t end = bytes_.size() - 2;
        const auto width = std::to_integer<uint64_t>(bytes_[end + 1]);
        if (!isWidth(width) || width > end)
            return std::nullopt;
        return packed(std::to_integer<unsigned>(bytes_[end]), end - static_cast<size_t>(width),
                      static_cast<size_t>(width));
    }

    /// By the byte that says a value's type and, in its low bits, the width of what the value is an offset to.
    static FlexValue packed(unsigned code, size_t place, size_t width) {
        return {code >> 2, place, width, size_t{1} << (code & 3)};
    }

    std::optional<FlexValue> element(size_t vector, size_t width, size_t count, size_t i) const {
        const size_t kinds = vector + count * width;
        if (!inside(kinds, count))
            return std::nullopt;
        return packed(std::to_integer<unsigned>(bytes_[kinds + i]), vector + i * width, width);
    }

    /// Where the offset of a value leads.
    std::optional<size_t> target(const FlexValue& value) const {
        const auto back = unsignedAt(value.place, value.width);
        if (!back || *back > value.place)
            return std::nullopt;
        return value.place - static_cast<size_t>(*back);
    }

    std::optional<std::string> keyAt(const FlexValue& value) {
        const auto at = target(value);
        if (!at)
            return std::nullopt;
        const void* end = std::memchr(bytes_.data() + *at, 0, bytes_.size() - *at);
        if (!end)
            return std::nullopt;
        const auto size = static_cast<size_t>(static_cast<const std::byte*>(end) - bytes_.data()) - *at;
        return textAt(*at, size);
    }

    std::optional<std::string> textAt(size_t at, size_t size) {
        if (!spend(1 + size))
            return std::nullopt;
        return std::string(reinterpret_cast<const char*>(bytes_.data()) + at, size);
    }

    template <class T>
    static std::optional<FlexScalar> scalar(std::optional<T> value) {
        return value ? std::optional<FlexScalar>(*std::move(value)) : std::nullopt;
    }

    std::optional<FlexScalar> scalarOf(const FlexValue& value) {
        const auto at = target(value); // of those that are offsets
        switch (value.type) {
        case flexInt:
            return scalar(signedAt(value.place, value.width));
        case flexUInt:
        case flexBool:
            return integer(unsignedAt(value.place, value.width));
        case flexFloat:
            return scalar(floatAt(value.place, value.width));
        case flexIndirectInt:
            return at ? scalar(signedAt(*at, value.targetWidth)) : std::nullopt;
        case flexIndirectUInt:
            return at ? integer(unsignedAt(*at, value.targetWidth)) : std::nullopt;
        case flexIndirectFloat:
            return at ? scalar(floatAt(*at, value.targetWidth)) : std::nullopt;
        case flexKey:
            return scalar(keyAt(value));
        case flexString:
        case flexBlob: {
            const auto size = at ? sizeAt(*at, value.targetWidth, 1) : std::nullopt;
            return size ? scalar(textAt(*at, *size)) : std::nullopt;
        }
        default:
            return std::nullopt;
        }
    }

    static std::optional<FlexScalar> integer(std::optional<uint64_t> value) {
        return value ? std::optional<FlexScalar>(static_cast<int64_t>(*value)) : std::nullopt;
    }

    /// The type that all elements of a vector have; 0 if each says its own.
    static unsigned elementType(unsigned type) {
        switch (type) {
        case flexVectorInt:
            return flexInt;
        case flexVectorUInt:
            return flexUInt;
        case flexVectorFloat:
            return flexFloat;
        case flexVectorKey:
            return flexKey;
        case flexVectorBool:
            return flexBool;
        default:
            return 0;
        }
    }

    std::optional<model::AttributeValue> attribute(const FlexValue& value) {
        if (!spend(1))
            return std::nullopt;
        if (value.type != flexVector && elementType(value.type) == 0) {
            auto read = scalarOf(value);
            if (!read)
                return std::nullopt;
            return std::visit([](auto& found) { return model::AttributeValue(std::move(found)); }, *read);
        }
        const auto at = target(value);
        const size_t width = value.targetWidth;
        const auto count = at ? sizeAt(*at, width, width) : std::nullopt;
        if (!count || !spend(*count))
            return std::nullopt;
        std::vector<FlexScalar> elements;
        for (size_t i = 0; i < *count; ++i) {
            const auto one = value.type == flexVector
                                 ? element(*at, width, *count, i)
                                 : FlexValue{elementType(value.type), *at + i * width, width, size_t{1}};
            auto read = one ? scalarOf(*one) : std::nullopt;
            if (!read)
                return std::nullopt;
            elements.push_back(*std::move(read));
        }
        return listOf(elements);
    }

    template <class T>
    static std::optional<model::AttributeValue> listAs(const std::vector<FlexScalar>& elements) {
        std::vector<T> list;
        for (const FlexScalar& element : elements) {
            if (!std::holds_alternative<T>(element))
                return std::nullopt;
            list.push_back(std::get<T>(element));
        }
        return list;
    }

    static std::optional<model::AttributeValue> listOf(const std::vector<FlexScalar>& elements) {
        if (auto integers = listAs<int64_t>(elements))
            return integers;
        if (auto reals = listAs<double>(elements))
            return reals;
        return listAs<std::string>(elements);
    }

    std::span<const std::byte> bytes_;
    size_t most_;
    bool tooMuch_ = false;
};

} // namespace

std::optional<std::vector<model::Attribute>> readFlexMap(std::span<const std::byte> bytes, size_t most) {
    return FlexReader(bytes, most).map();
}

} // namespace lathe::frontend::tflite
