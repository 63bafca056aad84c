// SPDX-License-Identifier: Apache-2.0
//
// The superblock, with which a file begins, and what all reading goes through.
#include "frontend/hdf5/file.h"

#include <fmt/format.h>

namespace lathe::frontend::hdf5 {
namespace {

constexpr std::string_view signature{"\x89HDF\r\n\x1a\n", 8};
// A thing visited takes a file some bytes at least, and is visited once.
constexpr uint64_t fewestBytes = 4, freeVisits = 1024;

bool isWidth(size_t width) {
    return width == 2 || width == 4 || width == 8;
}

} // namespace

bool mayBeFile(ByteSpan bytes) {
    return Cursor(bytes).has(signature);
}

Result<File> File::open(model::Bytes bytes, std::shared_ptr<Budget> budget) {
    File file(std::move(bytes), std::move(budget));
    LATHE_CHECKED(file.readSuperblock());
    return file;
}

Result<void> File::readSuperblock() {
    Cursor fields(bytes_.view);
    if (!fields.has(signature))
        return damaged("it does not begin as one");
    const uint8_t version = fields.byte();
    if (version > 3)
        return unsupported(fmt::format("a superblock of version {}", version));
    uint64_t end = 0;
    if (version < 2) {
        fields.skip(4);
        widths_.address = fields.byte();
        widths_.length = fields.byte();
        fields.skip(version == 0 ? 9 : 13);
    } else {
        widths_.address = fields.byte();
        widths_.length = fields.byte();
        fields.skip(1);
    }
    if (!isWidth(widths_.address) || !isWidth(widths_.length))
        return damaged("addresses are of no width that there is");
    base_ = fields.number(widths_.address);
    fields.skip(widths_.address); // of free space, or of an extension
    end = fields.number(widths_.address);
    if (version < 2)
        fields.skip(2 * widths_.address); // of a driver, and of the root's name
    root_ = fields.number(widths_.address);
    if (fields.failed())
        return damaged("it ends within its first block");
    if (base_ != 0)
        return unsupported("a block of the user's before its own beginning");
    if (end > bytes_.view.size())
        return damaged(fmt::format("it is cut off: it says that it has {} bytes, and has {}", end, bytes_.view.size()));
    return {};
}

Result<void> File::visit() {
    budget_->checkpoint();
    if (++visits_ > freeVisits + bytes_.view.size() / fewestBytes)
        return damaged("offsets in it lead in circles");
    return {};
}

Result<void> File::spend(uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(limits::foldedBytes) || !budget_->takeBytes(static_cast<int64_t>(bytes)))
        return failure(ErrorKind::Unsupported,
                       fmt::format("the HDF5 file unpacks to more than the limit of {} bytes", limits::foldedBytes),
                       "save the model again without compression");
    return {};
}

Result<ByteSpan> File::at(uint64_t address, uint64_t n) const {
    const Part part = partOf(bytes_.view, address, n);
    if (!part.fits)
        return damaged(fmt::format("{} bytes at {} lie outside of it", n, address));
    return part.bytes;
}

Result<ByteSpan> File::from(uint64_t address) const {
    if (address >= bytes_.view.size())
        return damaged(fmt::format("the address {} lies outside of it", address));
    return bytes_.view.subspan(address);
}

Result<ObjectPtr> File::find(std::string_view path) {
    LATHE_TRY(ObjectPtr found, object(root_));
    while (!path.empty()) {
        const size_t slash = path.find('/');
        const std::string name(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
        if (name.empty())
            continue;
        const auto link = found->links.find(name);
        if (link == found->links.end())
            return ObjectPtr();
        if (link->second.kind != Link::Kind::Hard)
            return failure(ErrorKind::Unsupported,
                           fmt::format("'{}' in the HDF5 file is {} link, which is not followed", name,
                                       link->second.kind == Link::Kind::Soft ? "a soft" : "an external"),
                           "save the model again with Keras's own save");
        LATHE_TRY(found, object(link->second.address));
    }
    return found;
}

} // namespace lathe::frontend::hdf5
