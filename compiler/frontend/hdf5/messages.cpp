// SPDX-License-Identifier: Apache-2.0
#include "frontend/hdf5/messages.h"

#include "base/limits.h"
#include "model/host_tensor.h"

#include <array>
#include <fmt/format.h>
#include <optional>

namespace lathe::frontend::hdf5 {
namespace {

constexpr size_t mostFilters = 16; // HDF5's own limit is 32; no one chains more
constexpr uint64_t aligned = 8;    // names and types of old messages

/// The fields of a floating-point number.
struct FloatForm {
    uint64_t precision, exponentAt, exponent, mantissa;
    DataType dtype;
};
const auto floatForms = std::to_array<FloatForm>({
    {16, 10, 5, 10, types::Float16},
    {16, 7, 8, 7, types::BFloat16},
    {32, 23, 8, 23, types::Float32},
    {64, 52, 11, 52, types::Float64},
});

std::optional<DataType> integerOf(uint64_t bytes, bool isSigned) {
    switch (bytes) {
    case 1:
        return isSigned ? types::Int8 : types::UInt8;
    case 2:
        return isSigned ? types::Int16 : types::UInt16;
    case 4:
        return isSigned ? types::Int32 : types::UInt32;
    case 8:
        return isSigned ? types::Int64 : types::UInt64;
    default:
        return std::nullopt;
    }
}

Result<Datatype> readInteger(Cursor& fields, uint64_t bits, uint64_t bytes) {
    const uint64_t offset = fields.number(2), precision = fields.number(2);
    const auto dtype = integerOf(bytes, (bits & 8) != 0);
    if (!dtype || offset != 0 || precision != bytes * 8)
        return unsupported(fmt::format("integers of {} bits", precision));
    return Datatype{Datatype::Kind::Number, *dtype, bytes};
}

Result<Datatype> readFloat(Cursor& fields, uint64_t bytes) {
    const uint64_t offset = fields.number(2), precision = fields.number(2), exponentAt = fields.number(1),
                   exponent = fields.number(1), mantissaAt = fields.number(1), mantissa = fields.number(1);
    for (const FloatForm& form : floatForms)
        if (offset == 0 && mantissaAt == 0 && precision == form.precision && precision == bytes * 8 &&
            exponentAt == form.exponentAt && exponent == form.exponent && mantissa == form.mantissa)
            return Datatype{Datatype::Kind::Number, form.dtype, bytes};
    return unsupported(fmt::format("floating-point numbers of {} bits", precision));
}

constexpr std::string_view cut = "the message ends early";

} // namespace

Failure damaged(std::string what) {
    return failure(fmt::format("the HDF5 file is damaged: {}", what), "copy or save the file again");
}

Failure unsupported(std::string what) {
    return failure(ErrorKind::Unsupported, fmt::format("the HDF5 file holds {}, which Lathe does not read", what),
                   "save the model again with Keras's own save");
}

Result<Datatype> readDatatype(ByteSpan bytes) {
    Cursor fields(bytes);
    const uint8_t head = fields.byte();
    const uint64_t bits = fields.number(3), size = fields.number(4);
    const int kind = head & 15;
    if (fields.failed())
        return damaged(std::string(cut));
    constexpr int fixedPoint = 0, floating = 1, string = 3, enumeration = 8, variable = 9;
    if ((kind == fixedPoint || kind == floating) && (bits & 1) != 0)
        return unsupported("numbers whose highest byte stands first");
    switch (kind) {
    case fixedPoint:
        return readInteger(fields, bits, size);
    case floating:
        return readFloat(fields, size);
    case string:
        if (size == 0)
            return damaged("a text of 0 bytes");
        return Datatype{Datatype::Kind::FixedText, types::String, size};
    case enumeration: { // of integers, which follow as a type of their own
        Cursor base(fields.rest());
        const uint8_t baseHead = base.byte();
        const uint64_t baseBits = base.number(3), baseSize = base.number(4);
        if (base.failed() || (baseHead & 15) != fixedPoint || baseSize != size)
            return damaged("an enumeration that is not of integers");
        return readInteger(base, baseBits, baseSize);
    }
    case variable:
        if ((bits & 15) != 1)
            return unsupported("sequences of variable length");
        return Datatype{Datatype::Kind::VariableText, types::String, size};
    default:
        return unsupported(fmt::format("data of class {}", kind));
    }
}

Result<std::vector<int64_t>> readDataspace(ByteSpan bytes, Widths widths) {
    Cursor fields(bytes);
    const uint8_t version = fields.byte(), rank = fields.byte();
    fields.skip(1);
    const uint8_t kind = fields.byte();
    if (version != 1 && version != 2)
        return unsupported(fmt::format("a dataspace of version {}", version));
    if (version == 1)
        fields.skip(4);
    else if (kind > 1)
        return unsupported("a dataspace without elements");
    if (rank > limits::tensorRank)
        return damaged(fmt::format("an array of {} dims", rank));
    std::vector<int64_t> shape;
    for (int i = 0; i < rank; ++i)
        shape.push_back(static_cast<int64_t>(fields.number(widths.length)));
    if (fields.failed())
        return damaged(std::string(cut));
    if (!model::elementsOf(shape))
        return damaged("an array larger than any");
    return shape;
}

namespace {

Result<Layout> readChunked(Cursor& fields, Widths widths) {
    Layout layout;
    layout.kind = Layout::Kind::ChunkTree;
    const uint8_t dims = fields.byte(); // with one for the bytes of an element
    layout.address = fields.number(widths.address);
    for (int i = 0; i + 1 < dims; ++i)
        layout.chunk.push_back(fields.number(4));
    fields.skip(4);
    return layout;
}

Result<Layout> readIndexedChunks(Cursor& fields, Widths widths) {
    Layout layout;
    const uint8_t flags = fields.byte(), dims = fields.byte(), width = fields.byte();
    if (width == 0 || width > 8)
        return damaged("the width of a chunk's dims");
    for (int i = 0; i + 1 < dims; ++i)
        layout.chunk.push_back(fields.number(width));
    fields.skip(width);
    const uint8_t index = fields.byte();
    constexpr uint8_t single = 1, fixedArray = 3, filteredSingle = 2;
    if (index == single) {
        layout.kind = Layout::Kind::SingleChunk;
        if ((flags & filteredSingle) != 0) {
            layout.bytes = fields.number(widths.length);
            layout.skipped = fields.number(4);
        }
    } else if (index == fixedArray) {
        layout.kind = Layout::Kind::FixedArray;
        fields.skip(1);
    } else {
        return unsupported(fmt::format("chunks with an index of type {}", index));
    }
    layout.address = fields.number(widths.address);
    return layout;
}

} // namespace

Result<Layout> readLayout(ByteSpan bytes, Widths widths) {
    Cursor fields(bytes);
    const uint8_t version = fields.byte(), kind = fields.byte();
    if (version != 3 && version != 4)
        return unsupported(fmt::format("a data layout of version {}", version));
    constexpr uint8_t compact = 0, contiguous = 1, chunked = 2, virtualDataset = 3;
    Layout layout;
    if (kind == compact) {
        layout.kind = Layout::Kind::Compact;
        layout.inside = fields.take(fields.number(2));
    } else if (kind == contiguous) {
        layout.address = fields.number(widths.address);
        layout.bytes = fields.number(widths.length);
    } else if (kind == chunked) {
        LATHE_TRY(layout, version == 3 ? readChunked(fields, widths) : readIndexedChunks(fields, widths));
    } else if (kind == virtualDataset) {
        return unsupported("a virtual dataset, whose data lie in other files");
    } else {
        return damaged(fmt::format("a data layout of class {}", kind));
    }
    if (fields.failed())
        return damaged(std::string(cut));
    return layout;
}

Result<std::vector<Filter>> readFilters(ByteSpan bytes) {
    Cursor fields(bytes);
    const uint8_t version = fields.byte(), count = fields.byte();
    if (version != 1 && version != 2)
        return unsupported(fmt::format("a filter pipeline of version {}", version));
    if (count > mostFilters)
        return unsupported(fmt::format("data that went through {} filters", count));
    if (version == 1)
        fields.skip(6);
    std::vector<Filter> filters;
    for (int i = 0; i < count && !fields.failed(); ++i) {
        const uint64_t id = fields.number(2);
        constexpr uint64_t deflate = 1, shuffle = 2, firstOwn = 256;
        if (id != deflate && id != shuffle)
            return unsupported(fmt::format("data that went through filter {}", id));
        const uint64_t name = version == 1 || id >= firstOwn ? fields.number(2) : 0;
        fields.skip(2);
        const uint64_t values = fields.number(2);
        fields.skip(version == 1 ? (name + aligned - 1) / aligned * aligned : name);
        fields.skip(values * 4);
        if (version == 1 && values % 2 != 0)
            fields.skip(4);
        filters.push_back({id == deflate ? Filter::Kind::Deflate : Filter::Kind::Shuffle});
    }
    if (fields.failed())
        return damaged(std::string(cut));
    return filters;
}

Result<Attribute> readAttribute(ByteSpan bytes, Widths widths) {
    Cursor fields(bytes);
    const uint8_t version = fields.byte(), flags = fields.byte();
    if (version < 1 || version > 3)
        return unsupported(fmt::format("an attribute of version {}", version));
    const uint64_t nameBytes = fields.number(2), typeBytes = fields.number(2), spaceBytes = fields.number(2);
    if (version == 3)
        fields.skip(1);
    const auto take = [&](uint64_t n) {
        const ByteSpan taken = fields.take(n);
        if (version == 1 && fields.left() > 0)
            fields.align(aligned);
        return taken;
    };
    Attribute attribute;
    const std::string_view name = textOf(take(nameBytes));
    attribute.name = name.substr(0, name.find('\0'));
    const ByteSpan type = take(typeBytes), space = take(spaceBytes);
    if (fields.failed())
        return damaged(std::string(cut));
    if (version > 1 && (flags & 3) != 0)
        return unsupported(fmt::format("attribute '{}' whose type stands elsewhere", attribute.name));
    LATHE_TRY(attribute.type, readDatatype(type));
    LATHE_TRY(attribute.shape, readDataspace(space, widths));
    attribute.data = fields.rest();
    return attribute;
}

Result<Link> readLink(ByteSpan bytes, Widths widths) {
    Cursor fields(bytes);
    const uint8_t version = fields.byte(), flags = fields.byte();
    if (version != 1)
        return unsupported(fmt::format("a link of version {}", version));
    const uint8_t kind = (flags & 8) != 0 ? fields.byte() : 0;
    if ((flags & 4) != 0)
        fields.skip(8);
    if ((flags & 16) != 0)
        fields.skip(1);
    const uint64_t length = fields.number(size_t{1} << (flags & 3));
    Link link;
    link.name = textOf(fields.take(length));
    if (kind == 0)
        link.address = fields.number(widths.address);
    else
        link.kind = kind == 1 ? Link::Kind::Soft : Link::Kind::External;
    if (fields.failed() || link.name.empty())
        return damaged("a link without a name or target");
    return link;
}

} // namespace lathe::frontend::hdf5
