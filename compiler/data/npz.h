// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npz files: zip archives (data/zip_file.h) of .npy files. All arrays that are read together take no more memory than
// limits::npzArrayBytes or the file has; a name that stands there twice is refused, since readers differ in which they take.
#pragma once

#include "base/data_type.h"
#include "base/result.h"
#include "model/host_tensor.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::data {

/// The names of the arrays, one at least, in the order of the file. Fails with a Diagnostic that names the file.
Result<std::vector<std::string>> arraysIn(const std::filesystem::path& path);

/// The only array, or the one of that name. `meant`: as what it is to be read, as far as that is known (npy.h).
Result<model::HostTensor> readNpz(const std::filesystem::path& path, std::string_view name, DataType meant);

using NamedTensors = std::vector<std::pair<std::string, model::HostTensor>>;

/// All arrays by their names, in the order of the file; there may be none. What is meant by a name may be Void.
Result<NamedTensors> readAllOfNpz(const std::filesystem::path& path,
                                  const std::function<DataType(std::string_view name)>& meant);

} // namespace lathe::data
