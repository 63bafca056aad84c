// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/value_fields.h"

#include "runtime/runner/tensor_fields.h"

#include <algorithm>
#include <utility>

namespace lathe::runtime::runner {

using protocol::Reader;
using protocol::Writer;

bool ReadValue::read(Reader& reader, lathe_value& value, int depth) {
    const auto form = reader.number<uint8_t>();
    if (!reader.good() || form > LATHE_OPTIONAL || depth > LATHE_MAX_FORM)
        return false;
    value = {};
    value.form = static_cast<lathe_form>(form);
    if (value.form == LATHE_TENSOR) {
        ReadTensor read;
        if (!read.read(reader) || !read.isWhole())
            return false;
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
    const auto bytes = static_cast<uint64_t>(bytesOf(tensor));
    reply.number(bytes);
    reply.raw(tensor.data, bytes);
}

uint64_t writtenBytes(const lathe_value& value) {
    uint64_t bytes = 5;
    if (value.form == LATHE_TENSOR) {
        const int64_t own = bytesOf(value.tensor);
        return own < 0 ? limits::frameBytes + 1 : bytes + static_cast<uint64_t>(own) + 8 * LATHE_MAX_RANK;
    }
    if (value.count > static_cast<int64_t>(UINT32_MAX))
        return limits::frameBytes + 1;
    for (int64_t i = 0; i < value.count && bytes <= limits::frameBytes; ++i)
        bytes += writtenBytes(value.elements[i]);
    return bytes;
}

} // namespace lathe::runtime::runner
