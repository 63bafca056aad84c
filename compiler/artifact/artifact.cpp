// SPDX-License-Identifier: Apache-2.0
//
// Streams code, constants, the trailer and the table of sections; no constant is held longer than it takes to write it.
#include "artifact/artifact.h"

#include "artifact/image_layout.h"
#include "base/limits.h"
#include "base/new_file.h"
#include "base/rounding.h"
#include "runtime/artifact_image.h"
#include "runtime/content_hash.h"
#include "runtime/limits.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace lathe::artifact {
namespace {

constexpr int64_t alignment = 64;
constexpr std::byte zeros[4096] = {};

static_assert(limits::tensorElements == runtime::limits::tensorElements, "code counts on what the runtime checks");

bool padTo(NewFile& file, int64_t position, runtime::ContentHash* hash = nullptr) {
    while (file.position() < position) {
        const auto part = std::span(zeros).first(
            static_cast<size_t>(std::min<int64_t>(std::ssize(zeros), position - file.position())));
        if (hash)
            hash->add(part.data(), part.size());
        if (!file.write(part))
            return false;
    }
    return true;
}

/// Writes the constants from where the file is; gives their hash.
Result<uint64_t> writeConstants(NewFile& file, const std::vector<ConstantSource>& constants) {
    const int64_t start = file.position();
    runtime::ContentHash hash; // of the padding between them too
    int64_t end = 0;
    for (const ConstantSource& constant : constants) {
        LATHE_ASSERT(constant.offset >= end, "constants are written in order of their offsets");
        if (!padTo(file, start + constant.offset, &hash))
            return Failure(file.problem());
        LATHE_TRY(const std::span<const std::byte> content, constant.content());
        hash.add(content.data(), content.size());
        if (!file.write(content))
            return Failure(file.problem());
        end = constant.offset + constant.bytes;
        LATHE_ASSERT(file.position() == start + end, "a constant has the length that was planned for it");
    }
    return hash.finish();
}

/// Nobody has named this file: it follows from the artifact's name, and what is there may be somebody's.
bool isAnothers(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff bytes = file ? std::streamoff(file.tellg()) : 0;
    lathe_weights_trailer trailer{};
    file.seekg(-std::streamoff(sizeof trailer), std::ios::end);
    file.read(reinterpret_cast<char*>(&trailer), sizeof trailer);
    return bytes > 0 && (!file || std::memcmp(trailer.magic, LATHE_WEIGHTS_MAGIC, sizeof trailer.magic) != 0);
}

Result<uint64_t> writeWeights(const std::filesystem::path& path, const std::vector<ConstantSource>& constants) {
    if (isAnothers(path)) {
        Diagnostic problem = error("there is a file with other contents, where the weights would lie",
                                   "move it, or name the artifact otherwise");
        problem.file = path.string();
        return Failure(std::move(problem));
    }
    NewFile file(path, NewFile::Kind::Text);
    lathe_weights_trailer trailer{};
    LATHE_TRY(trailer.constants_hash, writeConstants(file, constants));
    trailer.bytes = static_cast<uint64_t>(file.position());
    std::memcpy(trailer.magic, LATHE_WEIGHTS_MAGIC, sizeof trailer.magic);
    if (!file.write(std::as_bytes(std::span(&trailer, 1))) || !file.keep())
        return Failure(file.problem());
    return trailer.constants_hash;
}

} // namespace

int64_t ConstantLayout::add(int64_t bytes) {
    int64_t offset = size_;
    size_ = roundUp(size_ + bytes, alignment);
    return offset;
}

Result<void> writeArtifact(const std::filesystem::path& path, std::span<const std::byte> sharedObject,
                           const std::vector<ConstantSource>& constants, ArtifactForm form) {
    const bool apart = form == ArtifactForm::TwoFiles;
    const int64_t bytes = constants.empty() ? 0 : constants.back().offset + constants.back().bytes;
    ImageLayout layout = layOut(sharedObject, static_cast<uint64_t>(bytes), apart);
    // The artifact is the last to get its name: if it never does, an older one there has another hash than the weights beside
    // it, and is refused.
    NewFile file(path, NewFile::Kind::Program);
    const auto failed = [&] { return Failure(file.problem()); };
    if (!file.write(layout.head))
        return failed();
    const int64_t end = file.position() + static_cast<int64_t>(runtime::lastSegmentBytes(layout.trailer));
    LATHE_TRY(layout.trailer.constants_hash,
              apart ? writeWeights(std::filesystem::path(path).replace_extension(".weights"), constants)
                    : writeConstants(file, constants));
    if (!padTo(file, end - static_cast<int64_t>(sizeof(lathe_trailer))) ||
        !file.write(std::as_bytes(std::span(&layout.trailer, 1))) || !file.write(layout.tail) || !file.keep())
        return failed();
    return {};
}

std::optional<Parts> partsOf(const std::filesystem::path& path) {
    std::error_code failed;
    // "-" is standard input, as where models are read; a pipe would be waited for.
    if (path == "-" || !std::filesystem::is_regular_file(path, failed))
        return std::nullopt;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    runtime::ArtifactImage image;
    if (!file)
        return std::nullopt;
    image.size = static_cast<uint64_t>(file.tellg());
    image.read = [&](void* to, size_t bytes, uint64_t offset) {
        file.clear();
        file.seekg(static_cast<std::streamoff>(offset));
        return static_cast<bool>(file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
    };
    if (runtime::isOldArtifact(image.read, image.size))
        return Parts{};
    if (runtime::readHeader(image) || runtime::readSegments(image) || runtime::findTrailer(image))
        return std::nullopt;
    return Parts{.codeBytes = image.constantsOffset(),
                 .constantBytes = image.trailer.bytes,
                 .codeHash = image.trailer.code_hash};
}

} // namespace lathe::artifact
