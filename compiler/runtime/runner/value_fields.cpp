// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/value_fields.h"

#include "abi/packed_strings.h"
#include "runtime/dtype.h"
#include "runtime/runner/tensor_fields.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace lathe::runtime::runner {

using protocol::Reader;
using protocol::Writer;

namespace {

/// Whose dims have been counted.
std::span<const lathe_string> stringsOf(const DLTensor& tensor) {
    return {static_cast<const lathe_string*>(tensor.data), static_cast<size_t>(bytesOf(tensor)) / sizeof(lathe_string)};
}

} // namespace

bool readStrings(std::span<const std::byte> packed, const DLTensor& tensor, std::vector<lathe_string>& texts) {
    const auto count = static_cast<uint64_t>(bytesOf(tensor)) / sizeof(lathe_string);
    return abi::unpackStrings(packed, count,
                              [&](std::string_view text) { texts.push_back({text.data(), text.size()}); });
}

std::vector<std::byte> packedStrings(const DLTensor& tensor) {
    std::vector<std::string_view> views;
    for (const lathe_string& text : stringsOf(tensor))
        views.emplace_back(text.data, text.size);
    return abi::packStrings(views);
}

bool ReadValue::read(Reader& reader, lathe_value& value, int depth) {
    const auto form = reader.number<uint8_t>();
    if (!reader.good() || form > LATHE_OPTIONAL || depth > LATHE_MAX_FORM)
        return false;
    value = {};
    value.form = static_cast<lathe_form>(form);
    if (value.form == LATHE_TENSOR) {
        ReadTensor read;
        if (!read.read(reader) || !read.hasSizes())
            return false;
        if (isString(read.tensor.dtype)) {
            std::vector<lathe_string>& texts = strings_.emplace_back();
            if (!readStrings(read.data, read.tensor, texts))
                return false;
            read.tensor.data = texts.data();
        } else if (!read.isWhole()) {
            return false;
        }
        value.tensor = read.tensor;
        dims_.push_back(std::move(read.dims)); // to which the tensor points
        return true;
    }
    constexpr size_t least = 5; // bytes of an element: its form and a count
    std::vector<lathe_value>& elements = lists_.emplace_back(reader.count(least));
    value.count = static_cast<int64_t>(elements.size());
    value.elements = elements.data();
    return reader.good() && std::all_of(elements.begin(), elements.end(),
                                        [&](lathe_value& element) { return read(reader, element, depth + 1); });
}

void writeValue(Writer& reply, const lathe_value& value) {
    reply.number(static_cast<uint8_t>(value.form));
    if (value.form != LATHE_TENSOR) {
        reply.number(static_cast<uint32_t>(value.count));
        for (int64_t i = 0; i < value.count; ++i)
            writeValue(reply, value.elements[i]);
        return;
    }
    const DLTensor& tensor = value.tensor;
    writeHead(reply, tensor);
    if (isString(tensor.dtype)) {
        const std::vector<std::byte> packed = packedStrings(tensor);
        reply.number(uint64_t{packed.size()});
        reply.raw(packed.data(), packed.size());
        return;
    }
    const auto bytes = static_cast<uint64_t>(bytesOf(tensor));
    reply.number(bytes);
    reply.raw(tensor.data, bytes);
}

uint64_t writtenBytes(const lathe_value& value) {
    uint64_t bytes = 5;
    if (value.form == LATHE_TENSOR) {
        const int64_t own = bytesOf(value.tensor);
        if (own < 0)
            return limits::frameBytes + 1;
        bytes +=
            static_cast<uint64_t>(own) + 8 * LATHE_MAX_RANK; // of a string more than the size that goes before its text
        if (isString(value.tensor.dtype))
            for (const lathe_string& text : stringsOf(value.tensor))
                bytes += text.size;
        return bytes;
    }
    if (value.count > static_cast<int64_t>(UINT32_MAX))
        return limits::frameBytes + 1;
    for (int64_t i = 0; i < value.count && bytes <= limits::frameBytes; ++i)
        bytes += writtenBytes(value.elements[i]);
    return bytes;
}

} // namespace lathe::runtime::runner
