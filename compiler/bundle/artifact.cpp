// SPDX-License-Identifier: Apache-2.0
//
// Streams code, padding, constants and the trailer; no constant is held longer than it takes to write it.
#include "bundle/artifact.h"

#include "base/limits.h"
#include "base/new_file.h"
#include "base/rounding.h"
#include "runtime/abi.h"
#include "runtime/code_hash.h"
#include "runtime/limits.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace lathe::bundle {
namespace {

constexpr int64_t alignment = 64, page = 4096;
constexpr std::byte zeros[page] = {};

static_assert(limits::tensorElements == runtime::limits::tensorElements, "code counts on what the runtime checks");

bool padTo(NewFile& file, int64_t position) {
    while (file.position() < position)
        if (!file.write(std::span(zeros, static_cast<size_t>(std::min<int64_t>(page, position - file.position())))))
            return false;
    return true;
}

} // namespace

int64_t ConstantLayout::add(int64_t bytes) {
    int64_t offset = size_;
    size_ = roundUp(size_ + bytes, alignment);
    return offset;
}

Result<void> writeArtifact(const std::filesystem::path& path, std::span<const std::byte> sharedObject,
                           const std::vector<ConstantSource>& constants) {
    NewFile file(path, NewFile::Kind::Program);
    auto failed = [&] { return Failure(file.problem()); };
    if (!file.write(sharedObject))
        return failed();
    int64_t start = roundUp(file.position(), page);
    runtime::CodeHash hash; // of the padding too
    hash.add(sharedObject.data(), sharedObject.size());
    hash.add(zeros, static_cast<size_t>(start - file.position()));
    if (!padTo(file, start))
        return failed();
    int64_t end = 0;
    for (const ConstantSource& constant : constants) {
        LATHE_ASSERT(constant.offset >= end, "constants are written in order of their offsets");
        if (!padTo(file, start + constant.offset))
            return failed();
        LATHE_TRY(const std::span<const std::byte> content, constant.content());
        if (!file.write(content))
            return failed();
        end = constant.offset + constant.bytes;
        LATHE_ASSERT(file.position() == start + end, "a constant has the length that was planned for it");
    }
    lathe_trailer trailer{};
    trailer.offset = static_cast<uint64_t>(start);
    trailer.bytes = static_cast<uint64_t>(file.position() - start);
    trailer.code_hash = hash.finish();
    std::memcpy(trailer.magic, LATHE_TRAILER_MAGIC, sizeof(trailer.magic));
    if (!file.write(std::as_bytes(std::span(&trailer, 1))) || !file.keep())
        return failed();
    return {};
}

std::optional<Parts> partsOf(const std::filesystem::path& path) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) // a pipe would be waited for
        return std::nullopt;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    lathe_trailer trailer{};
    if (!file || file.tellg() < static_cast<std::streamoff>(sizeof(trailer)))
        return std::nullopt;
    file.seekg(-static_cast<std::streamoff>(sizeof(trailer)), std::ios::end);
    file.read(reinterpret_cast<char*>(&trailer), sizeof(trailer));
    if (!file || std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof(trailer.magic)) != 0)
        return std::nullopt;
    return Parts{.codeBytes = trailer.offset, .constantBytes = trailer.bytes, .codeHash = trailer.code_hash};
}

} // namespace lathe::bundle
