// SPDX-License-Identifier: Apache-2.0
//
// The verifier of FlatBuffers over the part of the file that it can be.
#include "frontend/tflite/read.h"

#include "frontend/tflite/schema_generated.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tflite {
namespace {

constexpr size_t identifierEnd = 8;    // the offset of the root, and the identifier
constexpr size_t schemaAlignment = 16; // the most that the schema asks for
constexpr uint32_t schemaVersion = 3;
constexpr flatbuffers::uoffset_t mostNesting = 64, mostTables = 1'000'000;
constexpr const char* damagedFile = "the file is damaged, cut off, or of another format; copy or convert it again";

/// The same bytes where numbers in them lie as a FlatBuffer needs it. A mapped file does.
model::Bytes alignedBytes(const model::Bytes& bytes) {
    if (reinterpret_cast<uintptr_t>(bytes.view.data()) % schemaAlignment == 0)
        return bytes;
    const auto copy = std::make_shared<std::vector<std::byte>>(bytes.view.begin(), bytes.view.end());
    return {copy, *copy};
}

} // namespace

bool mayBeModel(std::span<const std::byte> bytes) {
    return bytes.size() >= identifierEnd && ::tflite::ModelBufferHasIdentifier(bytes.data());
}

Result<OpenModel> openModel(const model::Bytes& bytes) {
    if (!mayBeModel(bytes.view))
        return failure("the file does not carry the identifier of TFLite models, 'TFL3'", damagedFile);
    OpenModel open;
    open.bytes = alignedBytes(bytes);
    const auto* start = reinterpret_cast<const uint8_t*>(open.bytes.view.data());
    // Larger files hold constants behind the FlatBuffer, which itself is never larger.
    const size_t size = std::min<size_t>(open.bytes.view.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
    flatbuffers::Verifier verifier(start, size, mostNesting, mostTables);
    if (!::tflite::VerifyModelBuffer(verifier))
        return failure("the file cannot be read as a TFLite model: offsets in it lead outside of it, or it holds more "
                       "than a million tables",
                       damagedFile);
    open.model = ::tflite::GetModel(start);
    if (open.model->version() != schemaVersion)
        return failure(
            ErrorKind::Unsupported,
            fmt::format("the model is of schema version {}; {} is known", open.model->version(), schemaVersion),
            "convert it with a newer converter");
    if (!open.model->subgraphs() || open.model->subgraphs()->size() == 0)
        return failure("the file holds no graph", damagedFile);
    return open;
}

} // namespace lathe::frontend::tflite
