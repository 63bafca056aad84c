// SPDX-License-Identifier: Apache-2.0
//
// The files of archives that tensors lie in, each read once, however many tensors share it.
#pragma once

#include "frontend/common/members.h"
#include "frontend/torch/program.h"

#include <map>

namespace lathe::frontend::torch {

class Storages {
public:
    /// bytes: of the archive, which what is read of it may be limits::zipExpansion times as large as; 0 if it is a folder.
    explicit Storages(size_t bytes = 0) : bytes_(bytes) {}

    /// The tensor that `meta` tells of, in a file of the members.
    Result<model::TensorPtr> tensor(const std::shared_ptr<const Members>& members, const std::string& file,
                                    const TensorMeta& meta, Budget& budget);

private:
    std::map<std::pair<const Members*, std::string>, model::Bytes> files_;
    size_t bytes_ = 0, unpacked_ = 0; // of the archive, and of all files
};

} // namespace lathe::frontend::torch
