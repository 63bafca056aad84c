// SPDX-License-Identifier: Apache-2.0
//
// Interns what constants hold; the functions of text that generated code calls.
#include "runtime/context_strings.h"

#include "abi/packed_strings.h"
#include "runtime/text.h"

#include <bit>
#include <exception>
#include <new>

namespace lathe::runtime {

ContextStrings::ContextStrings(const Model& model, Memory& memory)
    : constants_(memory, nullptr), ofRun_(memory, &constants_), handles_(memory) {
    const lathe_model_desc& desc = model.desc();
    int64_t count = 0;
    for (int32_t i = 0; i < desc.constant_count; ++i)
        count += desc.constants[i].strings;
    if (count == 0)
        return;
    constexpr auto handleBytes = static_cast<int64_t>(sizeof(uint64_t));
    auto* handle = static_cast<uint64_t*>(handles_.reserve(count * handleBytes));
    if (!handle)
        throw std::bad_alloc();
    int64_t first = 0;
    for (int32_t i = 0; i < desc.constant_count; ++i) {
        const lathe_constant_desc& constant = desc.constants[i];
        firstHandle_.push_back(constant.strings > 0 ? first : -1);
        first += constant.strings;
        if (constant.strings > 0)
            abi::unpackStrings({static_cast<const std::byte*>(model.constant(i)), static_cast<size_t>(constant.bytes)},
                               static_cast<uint64_t>(constant.strings),
                               [&](std::string_view text) { *handle++ = constants_.intern(text); });
    }
    if (constants_.lacked())
        throw std::bad_alloc();
}

const void* ContextStrings::constant(int32_t index) const {
    if (index < 0 || static_cast<size_t>(index) >= firstHandle_.size() || firstHandle_[static_cast<size_t>(index)] < 0)
        return nullptr;
    return static_cast<const uint64_t*>(handles_.data()) + firstHandle_[static_cast<size_t>(index)];
}

int64_t ContextStrings::call(int32_t function, int64_t a, int64_t b, int64_t c) noexcept {
    try {
        return compute(function, a, b, c);
    } catch (const std::exception&) { // of memory, or of a length that no string can have
        lacked_ = true;
        return 0;
    }
}

int64_t ContextStrings::compute(int32_t function, int64_t a, int64_t b, int64_t c) {
    const auto textOf = [](int64_t handle) { return StringTable::textOf(static_cast<uint64_t>(handle)); };
    const auto made = [&](auto&& append) {
        made_.clear();
        append(made_);
        return static_cast<int64_t>(intern(made_));
    };
    double number = 0;
    float narrow = 0;
    int64_t integer = 0;
    switch (function) {
    case LATHE_STRING_CONCAT:
        return made([&](std::string& to) { to.append(textOf(a)).append(textOf(b)); });
    case LATHE_STRING_LOWER:
        return made([&](std::string& to) { (b != 0 ? appendAsciiLower : appendLower)(textOf(a), to); });
    case LATHE_STRING_UPPER:
        return made([&](std::string& to) { (b != 0 ? appendAsciiUpper : appendUpper)(textOf(a), to); });
    case LATHE_STRING_SIZE:
        return static_cast<int64_t>(textOf(a).size());
    case LATHE_STRING_PART:
        return static_cast<int64_t>(intern(partOf(textOf(a), b, c)));
    case LATHE_STRING_SKIP:
        return skipTo(textOf(a), textOf(b), c);
    case LATHE_STRING_FIND:
        return endOfPiece(textOf(a), textOf(b), c);
    case LATHE_STRING_MATCHES:
        return matcher_.matches(textOf(a), textOf(b)) ? 1 : 0;
    case LATHE_STRING_OF_FLOAT: {
        const FloatForm form{static_cast<int>(b & 0xff), static_cast<int>(b >> 8)};
        return made([&](std::string& to) { appendFloat(std::bit_cast<double>(a), form, to); });
    }
    case LATHE_STRING_OF_INT:
        return static_cast<int64_t>(intern(std::to_string(a)));
    case LATHE_STRING_OF_UINT:
        return static_cast<int64_t>(intern(std::to_string(static_cast<uint64_t>(a))));
    case LATHE_STRING_OF_BOOL:
        return static_cast<int64_t>(intern(a != 0 ? "True" : "False"));
    case LATHE_STRING_IS_FLOAT:
        return readFloat64(textOf(a), number) ? 1 : 0;
    case LATHE_STRING_TO_FLOAT64:
        readFloat64(textOf(a), number);
        return std::bit_cast<int64_t>(number);
    case LATHE_STRING_TO_FLOAT32:
        readFloat32(textOf(a), narrow);
        return std::bit_cast<int32_t>(narrow);
    case LATHE_STRING_IS_INT:
        return readInt(textOf(a), true, integer) ? 1 : 0;
    case LATHE_STRING_IS_UINT:
        return readInt(textOf(a), false, integer) ? 1 : 0;
    case LATHE_STRING_TO_INT:
        if (!readInt(textOf(a), true, integer))
            readInt(textOf(a), false, integer);
        return integer;
    default:
        return 0;
    }
}

} // namespace lathe::runtime
