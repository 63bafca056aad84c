// SPDX-License-Identifier: Apache-2.0
//
// The messages of object headers: what an HDF5 file says of a dataset or attribute. Each is read from its own bytes
// alone.
#pragma once

#include "base/data_type.h"
#include "base/result.h"
#include "frontend/hdf5/cursor.h"

#include <string>
#include <vector>

namespace lathe::frontend::hdf5 {

/// How wide addresses and lengths are in the file.
struct Widths {
    size_t address = 8, length = 8;
    /// Of something that is stored nowhere.
    uint64_t undefined() const { return address == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * address) - 1; }
};

struct Datatype {
    enum class Kind { Number, FixedText, VariableText } kind = Kind::Number;
    DataType dtype;     // of numbers
    uint64_t bytes = 0; // of an element as it is stored
};

struct Filter {
    enum class Kind { Deflate, Shuffle } kind = Kind::Deflate;
};

struct Layout {
    enum class Kind { Compact, Contiguous, ChunkTree, SingleChunk, FixedArray } kind = Kind::Contiguous;
    ByteSpan inside;             // of compact data
    uint64_t address = 0;        // of the data, the one chunk or the index of chunks
    uint64_t bytes = 0;          // as they are stored, contiguous or as one filtered chunk
    uint64_t skipped = 0;        // filters that the one chunk has not been through, a bit each
    std::vector<uint64_t> chunk; // its dims
};

struct Attribute {
    std::string name;
    Datatype type;
    std::vector<int64_t> shape;
    ByteSpan data;
};

struct Link {
    std::string name;
    enum class Kind { Hard, Soft, External } kind = Kind::Hard;
    uint64_t address = 0; // of a hard one
};

Result<Datatype> readDatatype(ByteSpan bytes);
Result<std::vector<int64_t>> readDataspace(ByteSpan bytes, Widths widths);
Result<Layout> readLayout(ByteSpan bytes, Widths widths);
Result<std::vector<Filter>> readFilters(ByteSpan bytes);
Result<Attribute> readAttribute(ByteSpan bytes, Widths widths);
Result<Link> readLink(ByteSpan bytes, Widths widths);

/// Of a file that says what cannot be.
Failure damaged(std::string what);
/// Of what is right, but not read.
Failure unsupported(std::string what);

} // namespace lathe::frontend::hdf5
