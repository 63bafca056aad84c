// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npz files: zip archives of .npy files, compressed or not, which libarchive reads. Anybody may have made them: an
// array takes memory only as far as it has come out of the archive, and no more than limits::npzArrayBytes or the file has, so
// that a small file cannot fill the memory; a name that stands there twice is refused, since readers differ in which they take.
#pragma once

#include "driver/tensor_files.h"

#include <vector>

namespace lathe::driver {

/// The names of the arrays, one at least, in the order of the file. Fails with a Diagnostic that names the file.
Result<std::vector<std::string>> arraysIn(const std::filesystem::path& path);

/// The only array, or the one that is called as what is meant.
Result<model::HostTensor> readNpz(const std::filesystem::path& path, const Meant& meant);

} // namespace lathe::driver
