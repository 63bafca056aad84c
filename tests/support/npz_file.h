// SPDX-License-Identifier: Apache-2.0
//
// .npz files for tests: zip archives of arrays.
#pragma once

#include "data/npz.h"
#include "driver/tensor_files.h"
#include "support/zip_file.h"

namespace lathe::testing {

/// As numpy.savez writes arrays of types that NumPy has.
inline std::string npzOf(const data::NamedTensors& tensors) {
    ZipFiles files;
    for (const auto& [name, tensor] : tensors)
        files.emplace_back(name + ".npy", driver::npyOf({tensor.dtype, tensor.shape, tensor.bytes}));
    return zipOf(files);
}

} // namespace lathe::testing
