// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files (format 1.0 to 3.0, numpy/lib/format.py): their types, and a reader of what a stranger wrote. Strings
// are data/npy_text.h's. Apart from driver/tensor_files.h, which knows other formats too, because the self-check of bundles is
// made of this.
#pragma once

#include "base/result.h"
#include "model/host_tensor.h"

#include <filesystem>
#include <istream>
#include <string_view>

namespace lathe::data {

inline constexpr std::string_view npyMagic = "\x93NUMPY";

struct NpyType {
    std::string_view code;
    DataType dtype;
};
inline constexpr NpyType npyTypes[] = {{"|b1", types::Bool},    {"|i1", types::Int8},    {"|u1", types::UInt8},
                                       {"<i2", types::Int16},   {"<u2", types::UInt16},  {"<i4", types::Int32},
                                       {"<u4", types::UInt32},  {"<i8", types::Int64},   {"<u8", types::UInt64},
                                       {"<f2", types::Float16}, {"<f4", types::Float32}, {"<f8", types::Float64}};

/// Empty: NumPy lacks the type.
std::string_view npyCode(DataType dtype);
/// All that stands before the elements in a file, which begin at a multiple of 64 bytes.
std::string npyPrefix(std::string_view code, std::span<const int64_t> dims);

/// The array in a file of `fileBytes`, read from behind npyMagic on. Fails with a Diagnostic that names `path`; takes memory
/// only for what the file holds. numpy.save gives elements of types that NumPy lacks no name, only their size: they are
/// unsigned integers of it if that may be the bits of `meant`, else refused.
Result<model::HostTensor> readNpy(const std::filesystem::path& path, std::istream& file, uint64_t fileBytes,
                                  DataType meant = types::Void);

} // namespace lathe::data
