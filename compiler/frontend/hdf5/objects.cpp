// SPDX-License-Identifier: Apache-2.0
//
// Object headers of both forms, which hold the messages of a group or an array, and the older form of groups: a tree of
// nodes of symbols, whose names lie in a heap.
#include "frontend/hdf5/file.h"

#include <deque>
#include <fmt/format.h>

namespace lathe::frontend::hdf5 {
namespace {

constexpr size_t mostLinks = 1'000'000;
constexpr uint64_t checksumBytes = 4;

namespace messages {
constexpr int dataspace = 0x1, linkInfo = 0x2, datatype = 0x3, link = 0x6, externalFiles = 0x7, layout = 0x8,
              filters = 0xb, attribute = 0xc, continuation = 0x10, symbolTable = 0x11, attributeInfo = 0x15;
constexpr int shared = 2; // flag: the message stands elsewhere
} // namespace messages

} // namespace

/// What has been read of an object so far.
struct File::Header {
    Object object;
    std::optional<Datatype> type;
    std::optional<std::vector<int64_t>> shape;
    std::optional<Layout> layout;
    std::vector<Filter> filters;
    bool hasCreationOrder = false;
    std::deque<ByteSpan> open; // blocks of messages to read
};

Result<ObjectPtr> File::object(uint64_t address) {
    if (const auto known = objects_.find(address); known != objects_.end())
        return known->second;
    LATHE_TRY(Object read, readObject(address));
    return objects_.emplace(address, std::make_shared<const Object>(std::move(read))).first->second;
}

Result<Object> File::readObject(uint64_t address) {
    LATHE_CHECKED(visit());
    LATHE_TRY(const ByteSpan bytes, from(address));
    Header header;
    const bool isNew = Cursor(bytes).has("OHDR");
    Cursor fields(bytes);
    if (isNew) {
        fields.skip(4);
        const uint8_t version = fields.byte(), flags = fields.byte();
        if (version != 2)
            return unsupported(fmt::format("an object header of version {}", version));
        fields.skip((flags & 0x20) != 0 ? 16 : 0);
        fields.skip((flags & 0x10) != 0 ? 4 : 0);
        header.hasCreationOrder = (flags & 4) != 0;
        const uint64_t size = fields.number(size_t{1} << (flags & 3));
        header.open.push_back(fields.take(size));
    } else {
        const uint8_t version = fields.byte();
        if (version != 1)
            return damaged(fmt::format("at {} there is no object header", address));
        fields.skip(7);
        const uint64_t size = fields.number(4);
        fields.skip(4);
        header.open.push_back(fields.take(size));
    }
    if (fields.failed())
        return damaged("an object header ends beyond it");
    while (!header.open.empty()) {
        LATHE_CHECKED(visit());
        const ByteSpan block = header.open.front();
        header.open.pop_front();
        LATHE_CHECKED(isNew ? readNewMessages(block, header) : readOldMessages(block, header));
    }
    if (header.type && header.shape && header.layout)
        header.object.dataset = Dataset{*header.type, *header.shape, *header.layout, header.filters};
    return std::move(header.object);
}

Result<void> File::readOldMessages(ByteSpan bytes, Header& header) {
    Cursor fields(bytes);
    constexpr uint64_t headBytes = 8;
    while (fields.left() >= headBytes) {
        const int type = static_cast<int>(fields.number(2));
        const uint64_t size = fields.number(2);
        const int flags = fields.byte();
        fields.skip(3);
        const ByteSpan message = fields.take(size);
        if (fields.failed())
            return damaged("a message ends beyond its block");
        LATHE_CHECKED(take(type, flags, message, header));
    }
    return {};
}

Result<void> File::readNewMessages(ByteSpan bytes, Header& header) {
    Cursor fields(bytes);
    const uint64_t headBytes = header.hasCreationOrder ? 6 : 4;
    while (fields.left() >= headBytes) {
        const int type = fields.byte();
        const uint64_t size = fields.number(2);
        const int flags = fields.byte();
        fields.skip(header.hasCreationOrder ? 2 : 0);
        const ByteSpan message = fields.take(size);
        if (fields.failed())
            return damaged("a message ends beyond its block");
        LATHE_CHECKED(take(type, flags, message, header));
    }
    return {};
}

Result<void> File::take(int type, int flags, ByteSpan bytes, Header& header) {
    LATHE_CHECKED(visit());
    const auto keep = [&](auto read, auto& into) {
        if ((flags & messages::shared) != 0)
            header.object.fault = unsupported("an array whose type stands elsewhere").error();
        else if (read)
            into = *std::move(read);
        else
            header.object.fault = std::move(read).error();
    };
    switch (type) {
    case messages::dataspace:
        keep(readDataspace(bytes, widths_), header.shape);
        return {};
    case messages::datatype:
        keep(readDatatype(bytes), header.type);
        return {};
    case messages::layout:
        keep(readLayout(bytes, widths_), header.layout);
        return {};
    case messages::filters:
        keep(readFilters(bytes), header.filters);
        return {};
    case messages::externalFiles:
        header.object.fault = unsupported("an array whose data lie in other files").error();
        return {};
    case messages::attribute:
        return takeAttribute(bytes, header);
    case messages::link: {
        LATHE_TRY(Link link, readLink(bytes, widths_));
        return addLink(std::move(link), header.object);
    }
    case messages::symbolTable:
        return readSymbolTable(bytes, header.object);
    case messages::linkInfo:
    case messages::attributeInfo: {
        Cursor fields(bytes);
        fields.skip(1);
        const uint8_t has = fields.byte();
        fields.skip((has & 1) == 0 ? 0 : type == messages::linkInfo ? 8 : 2);
        const uint64_t heap = fields.number(widths_.address);
        if (fields.failed())
            return damaged("the message ends early");
        if (heap != widths_.undefined())
            return unsupported(type == messages::linkInfo ? "a group whose links lie in a fractal heap"
                                                          : "attributes that lie in a fractal heap");
        return {};
    }
    case messages::continuation: {
        Cursor fields(bytes);
        const uint64_t address = fields.number(widths_.address), size = fields.number(widths_.length);
        if (fields.failed())
            return damaged("the message ends early");
        LATHE_TRY(ByteSpan block, at(address, size));
        if (Cursor(block).has("OCHK")) {
            if (block.size() < 4 + checksumBytes)
                return damaged("a block of messages is too short");
            block = block.subspan(4, block.size() - 4 - checksumBytes);
        }
        header.open.push_back(block);
        return {};
    }
    default:
        return {};
    }
}

Result<void> File::takeAttribute(ByteSpan bytes, Header& header) {
    Result<Attribute> read = readAttribute(bytes, widths_);
    if (read) {
        LATHE_CHECKED(spend(sizeof(Attribute) + read->name.size()));
        header.object.attributes.push_back(*std::move(read));
    } else if (read.error().kind != ErrorKind::Unsupported) {
        return std::unexpected(std::move(read).error());
    }
    return {};
}

Result<void> File::addLink(Link link, Object& into) {
    LATHE_CHECKED(spend(sizeof(Link) + 2 * link.name.size()));
    if (into.links.size() >= mostLinks)
        return unsupported(fmt::format("a group of more than {} entries", mostLinks));
    const std::string name = link.name;
    if (!into.links.emplace(name, std::move(link)).second)
        return damaged(fmt::format("a group has '{}' twice", name));
    return {};
}

// ---- groups as symbol tables

Result<ByteSpan> File::heapOf(uint64_t address) {
    LATHE_TRY(const ByteSpan bytes, from(address));
    Cursor fields(bytes);
    if (!fields.has("HEAP"))
        return damaged(fmt::format("at {} there is no heap of names", address));
    fields.skip(4);
    const uint64_t size = fields.number(widths_.length);
    fields.skip(widths_.length);
    const uint64_t data = fields.number(widths_.address);
    if (fields.failed())
        return damaged("a heap of names ends beyond it");
    return at(data, size);
}

Result<void> File::readSymbolTable(ByteSpan message, Object& into) {
    Cursor fields(message);
    const uint64_t tree = fields.number(widths_.address), heap = fields.number(widths_.address);
    if (fields.failed())
        return damaged("the message ends early");
    LATHE_TRY(const ByteSpan names, heapOf(heap));
    struct Open {
        uint64_t address;
        int level; // that it must have; -1: any
    };
    std::vector<Open> open{{tree, -1}};
    while (!open.empty()) {
        const Open next = open.back();
        open.pop_back();
        LATHE_CHECKED(visit());
        LATHE_TRY(const ByteSpan bytes, from(next.address));
        Cursor node(bytes);
        if (!node.has("TREE") || node.byte() != 0)
            return damaged(fmt::format("at {} there is no tree of names", next.address));
        const int level = node.byte();
        if (level > deepestTree || (next.level >= 0 && level != next.level))
            return damaged("a tree of names is uneven");
        const uint64_t count = node.number(2);
        node.skip(2 * widths_.address);
        for (uint64_t i = 0; i < count && !node.failed(); ++i) {
            node.skip(widths_.length);
            const uint64_t child = node.number(widths_.address);
            if (node.failed())
                break;
            if (level > 0) {
                open.push_back({child, level - 1});
                continue;
            }
            LATHE_CHECKED(readSymbols(child, names, into));
        }
        if (node.failed())
            return damaged("a tree of names ends beyond it");
    }
    return {};
}

Result<void> File::readSymbols(uint64_t address, ByteSpan names, Object& into) {
    LATHE_CHECKED(visit());
    LATHE_TRY(const ByteSpan bytes, from(address));
    Cursor fields(bytes);
    if (!fields.has("SNOD"))
        return damaged(fmt::format("at {} there are no names", address));
    fields.skip(2);
    const uint64_t count = fields.number(2);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t name = fields.number(widths_.address);
        Link link;
        link.address = fields.number(widths_.address);
        constexpr uint64_t softLink = 2;
        if (fields.number(4) == softLink)
            link.kind = Link::Kind::Soft;
        fields.skip(20);
        if (fields.failed() || name >= names.size())
            return damaged("a name lies outside of its heap");
        const std::string_view rest = textOf(names.subspan(name));
        const size_t end = rest.find('\0');
        if (end == 0 || end == std::string_view::npos)
            return damaged("a name in a group has no end");
        link.name = rest.substr(0, end);
        LATHE_CHECKED(addLink(std::move(link), into));
    }
    return {};
}

} // namespace lathe::frontend::hdf5
