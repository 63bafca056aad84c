// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npz files: zip archives of .npy files, compressed or not, which libarchive reads. Anybody may have made them: an
// array takes memory only as far as it has come out of the archive, and all that are read no more than limits::npzArrayBytes or
// the file has, so that a small file cannot fill the memory; a name that stands there twice is refused, since readers differ in which they take.
#pragma once

#include "driver/tensor_files.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::driver {

/// The names of the arrays, one at least, in the order of the file. Fails with a Diagnostic that names the file.
Result<std::vector<std::string>> arraysIn(const std::filesystem::path& path);

/// The only array, or the one that is called as what is meant.
Result<model::HostTensor> readNpz(const std::filesystem::path& path, const Meant& meant);

using NamedTensors = std::vector<std::pair<std::string, model::HostTensor>>;

/// All arrays by their names, in the order of the file; there may be none. What is meant by a name may be Void.
Result<NamedTensors> readAllOfNpz(const std::filesystem::path& path,
                                  const std::function<DataType(std::string_view name)>& meant);

} // namespace lathe::driver
