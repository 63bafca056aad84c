// SPDX-License-Identifier: Apache-2.0
//
// Tensors in files: NumPy's .npy (format 1.0 to 3.0, numpy/lib/format.py), one of them in .npz, and ONNX's TensorProto (.pb).
// What stands in a file is not trusted: every dim, the product of the dims and the number of bytes are checked before memory is
// taken.
#pragma once

#include "base/result.h"
#include "model/host_tensor.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::driver {

/// What a tensor in a file is for, as far as it is known: files do not always say it.
struct Meant {
    DataType dtype = types::Void;
    std::string_view name = {}; // of the input or value
    std::string_view form = {}; // of a list or an optional: lathe_value_desc::form
};

/// The tensor in a .npy or .npz file (data/npz.h), or in a TensorProto whatever the file's name is. If NumPy lacks the type
/// that is meant, it may stand there as another (data/stored_type.h), so that what writeNpy has written is read back. Fails
/// with a Diagnostic that names the file; another type than the one that is meant is the caller's to refuse.
Result<model::HostTensor> readTensorFile(const std::filesystem::path& path, const Meant& meant = {});

/// The same of a value that may be a list or an optional (`form`): in ONNX's files for these (.pb), or in .npz, where part i of
/// the value x is called x.i, its parts x.i.0 …, and what is in an optional as the optional is: without it the optional is
/// absent. A list that lacks another part before its last one is refused.
Result<model::HostTensor> readValueFile(const std::filesystem::path& path, const Meant& meant);

/// The names and tensors of a value's parts, so called; of a tensor the one.
std::vector<std::pair<std::string, const model::HostTensor*>> namedParts(const std::string& name,
                                                                         const model::HostTensor& value);

/// Numbers that lie somewhere, perhaps mapped from a file of many gigabytes: as many as the dims say, row-major, elements
/// narrower than a byte in one byte each.
struct TensorView {
    DataType dtype;
    std::span<const int64_t> shape;
    std::span<const std::byte> bytes;
};

/// Writes a .npy file, whole or not at all, a few megabytes at a time. Types that NumPy lacks are widened: narrow floats to
/// float32; integers narrower than a byte keep their byte an element. `cancelled`, which may be empty, is asked before each
/// part; where it says so, nothing is written and Cancelled (base/guarded.h) is thrown.
Result<void> writeNpy(const std::filesystem::path& path, const TensorView& tensor,
                      const std::function<bool()>& cancelled = {});
/// Of strings (data/npy_text.h).
Result<void> writeNpy(const std::filesystem::path& path, std::span<const int64_t> shape,
                      const std::vector<std::string>& strings);
Result<void> writeNpy(const std::filesystem::path& path, const model::HostTensor& tensor);

/// What writeNpy would write, of a tensor whose type NumPy has.
std::string npyOf(const TensorView& tensor);

/// A file name for a value's name, at most 200 bytes, different for different names: what no file name can hold, and '%', stands
/// as %XX, and a long name ends in a hash of it.
std::string fileNameOf(std::string_view valueName);

} // namespace lathe::driver
