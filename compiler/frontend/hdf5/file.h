// SPDX-License-Identifier: Apache-2.0
//
// HDF5 files as models have them: groups, attributes and arrays. An own reader of the part of the format that Keras's
// files use: superblocks 0 to 3, groups by symbol tables or link messages, contiguous, compact and chunked data with
// the filters deflate and shuffle, texts of fixed and variable length. Anything else is refused by its name.
//
// A file is hostile: each offset and size is checked before it is followed, soft and external links are never followed,
// and what is visited is counted, so that offsets that lead in circles end.
#pragma once

#include "base/budget.h"
#include "frontend/hdf5/messages.h"
#include "model/model_graph.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lathe::frontend::hdf5 {

/// Levels of a tree of names or chunks that are followed.
inline constexpr int deepestTree = 32;

/// Whether the bytes begin as an HDF5 file.
bool mayBeFile(ByteSpan bytes);

/// What an array is and where it lies.
struct Dataset {
    Datatype type;
    std::vector<int64_t> shape;
    Layout layout;
    std::vector<Filter> filters;
};

/// A group or an array.
struct Object {
    std::map<std::string, Link> links; // of a group
    std::vector<Attribute> attributes; // those of a type that is not read are left out
    std::optional<Dataset> dataset;
    std::optional<Diagnostic> fault; // why the array cannot be read
};
using ObjectPtr = std::shared_ptr<const Object>;

class File {
public:
    /// budget: for names, texts and arrays that are unpacked.
    static Result<File> open(model::Bytes bytes, std::shared_ptr<Budget> budget);

    /// The object of a path like "layers/dense/vars"; null if there is none. Empty: the root. Fails for a link that is
    /// not followed.
    Result<ObjectPtr> find(std::string_view path);
    /// The texts of an attribute, of a single one or an array; nothing if there is no such attribute.
    Result<std::optional<std::vector<std::string>>> texts(const Object& object, std::string_view name);
    /// The elements of an array.
    Result<model::TensorPtr> read(const Object& object);

private:
    File(model::Bytes bytes, std::shared_ptr<Budget> budget) : bytes_(std::move(bytes)), budget_(std::move(budget)) {}

    // ---- file.cpp
    Result<void> readSuperblock();
    /// Counts something visited; fails when a file of this size cannot hold so much.
    Result<void> visit();
    Result<void> spend(uint64_t bytes);
    /// The n bytes at an address.
    Result<ByteSpan> at(uint64_t address, uint64_t n) const;
    /// Those from an address to the end of the file.
    Result<ByteSpan> from(uint64_t address) const;
    // ---- objects.cpp
    Result<ObjectPtr> object(uint64_t address);
    struct Header;
    Result<Object> readObject(uint64_t address);
    Result<void> readOldMessages(ByteSpan bytes, Header& header);
    Result<void> readNewMessages(ByteSpan bytes, Header& header);
    Result<void> take(int type, int flags, ByteSpan bytes, Header& header);
    Result<void> takeAttribute(ByteSpan bytes, Header& header);
    Result<void> readSymbolTable(ByteSpan message, Object& into);
    Result<void> readSymbols(uint64_t node, ByteSpan names, Object& into);
    Result<ByteSpan> heapOf(uint64_t address);
    Result<void> addLink(Link link, Object& into);
    // ---- chunks.cpp
    struct Chunk {
        uint64_t address = 0, bytes = 0, skipped = 0;
        std::vector<uint64_t> place; // of its first element
    };
    Result<std::vector<Chunk>> chunksOf(const Dataset& dataset);
    Result<void> readChunkTree(const Dataset& dataset, uint64_t address, int level, std::vector<Chunk>& chunks);
    Result<std::vector<Chunk>> readFixedArray(const Dataset& dataset);
    Result<model::Bytes> readChunks(const Dataset& dataset, uint64_t bytes);
    // ---- texts.cpp
    Result<ByteSpan> fromGlobalHeap(uint64_t collection, uint64_t index);

    model::Bytes bytes_;
    std::shared_ptr<Budget> budget_;
    Widths widths_;
    uint64_t base_ = 0, root_ = 0, visits_ = 0;
    std::unordered_map<uint64_t, ObjectPtr> objects_;
    std::unordered_map<uint64_t, std::map<uint64_t, ByteSpan>> globalHeaps_;
};

} // namespace lathe::frontend::hdf5
