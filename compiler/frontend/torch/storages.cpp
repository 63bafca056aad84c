// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/storages.h"

#include "base/limits.h"
#include "frontend/torch/tensors.h"

#include <fmt/format.h>

namespace lathe::frontend::torch {

Result<model::TensorPtr> Storages::tensor(const std::shared_ptr<const Members>& members, const std::string& file,
                                          const TensorMeta& meta, Budget& budget) {
    const std::pair key(members.get(), file);
    auto storage = files_.find(key);
    if (storage == files_.end()) {
        LATHE_TRY(model::Bytes bytes, members->read(file));
        unpacked_ += bytes.view.size();
        if (bytes_ > 0 && unpacked_ > limits::zipExpansion * bytes_)
            return failure(
                ErrorKind::Unsupported,
                fmt::format("the archive's tensors are packed to less than 1/{} of their size", limits::zipExpansion),
                "save the model again by PyTorch");
        storage = files_.emplace(key, std::move(bytes)).first;
    }
    return makeTensor(meta, storage->second, budget);
}

} // namespace lathe::frontend::torch
