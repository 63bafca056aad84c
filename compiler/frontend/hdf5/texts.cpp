// SPDX-License-Identifier: Apache-2.0
//
// Texts in attributes: in place, each of a fixed length, or of any length in heaps that all of a file share.
#include "frontend/hdf5/file.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::hdf5 {

Result<ByteSpan> File::fromGlobalHeap(uint64_t collection, uint64_t index) {
    auto known = globalHeaps_.find(collection);
    if (known == globalHeaps_.end()) {
        LATHE_TRY(const ByteSpan bytes, from(collection));
        Cursor head(bytes);
        if (!head.has("GCOL"))
            return damaged(fmt::format("at {} there is no heap of texts", collection));
        head.skip(4);
        const uint64_t size = head.number(widths_.length);
        LATHE_TRY(const ByteSpan all, at(collection, size));
        Cursor fields(all);
        fields.skip(8 + widths_.length);
        std::map<uint64_t, ByteSpan> parts;
        while (fields.left() >= 8 + widths_.length) {
            LATHE_CHECKED(visit());
            const uint64_t number = fields.number(2);
            fields.skip(6);
            const uint64_t length = fields.number(widths_.length);
            if (number == 0) // what is left is free
                break;
            const ByteSpan part = fields.take(length);
            if (fields.left() > 0)
                fields.align(8);
            if (fields.failed())
                return damaged("a text ends beyond its heap");
            parts.emplace(number, part);
        }
        known = globalHeaps_.emplace(collection, std::move(parts)).first;
    }
    const auto found = known->second.find(index);
    if (found == known->second.end())
        return damaged(fmt::format("the heap of texts at {} has no entry {}", collection, index));
    return found->second;
}

Result<std::optional<std::vector<std::string>>> File::texts(const Object& object, std::string_view name) {
    const auto found = std::ranges::find(object.attributes, name, &Attribute::name);
    if (found == object.attributes.end())
        return std::nullopt;
    const Attribute& attribute = *found;
    if (attribute.type.kind == Datatype::Kind::Number) {
        // Of an empty list it is not said that it is one of texts.
        if (std::ranges::find(attribute.shape, 0) != attribute.shape.end())
            return std::vector<std::string>();
        return damaged(fmt::format("attribute '{}' is no text", name));
    }
    uint64_t count = 1;
    for (const int64_t dim : attribute.shape)
        count *= static_cast<uint64_t>(dim);
    const uint64_t width = attribute.type.bytes;
    const uint64_t reference = 4 + widths_.address + 4;
    const bool isVariable = attribute.type.kind == Datatype::Kind::VariableText;
    if ((isVariable && width != reference) || (count > 0 && width > attribute.data.size() / count))
        return damaged(fmt::format("attribute '{}' ends early", name));
    std::vector<std::string> texts;
    Cursor fields(attribute.data);
    for (uint64_t i = 0; i < count; ++i) {
        LATHE_CHECKED(visit());
        ByteSpan bytes;
        if (isVariable) {
            const uint64_t length = fields.number(4), heap = fields.number(widths_.address), index = fields.number(4);
            if (length > 0) {
                LATHE_TRY(bytes, fromGlobalHeap(heap, index));
                if (length > bytes.size())
                    return damaged(fmt::format("a text of attribute '{}' ends early", name));
                bytes = bytes.first(length);
            }
        } else {
            bytes = fields.take(width);
        }
        LATHE_CHECKED(spend(sizeof(std::string) + bytes.size()));
        const std::string_view text = textOf(bytes);
        texts.emplace_back(text.substr(0, text.find('\0')));
    }
    return texts;
}

} // namespace lathe::frontend::hdf5
