// SPDX-License-Identifier: Apache-2.0
//
// TensorProto to TensorData, and declared shapes. Elements lie as bytes, which are shared, or one a number, where the
// last one stands for all that follow. Counts and sizes are checked before anything is allocated.
#pragma once

#include "base/budget.h"
#include "base/result.h"
#include "model/model_graph.h"

#include <memory>
#include <unordered_map>

namespace tensorflow {
class TensorProto;
class TensorShapeProto;
} // namespace tensorflow

namespace lathe::frontend::tensorflow {

/// Dims, -1 for unknown ones; nothing for an unknown rank. A Failure: a dim is below -1, or there are too many.
Result<std::optional<std::vector<int64_t>>> shapeOf(const ::tensorflow::TensorShapeProto& proto);

class TensorReader {
public:
    /// owner keeps the messages alive that tensors point into.
    TensorReader(std::shared_ptr<const void> owner, std::shared_ptr<Budget> budget);
    /// Each message is read once: a function's body may be put in place of many calls.
    Result<model::TensorPtr> read(const ::tensorflow::TensorProto& proto);

private:
    Result<model::TensorPtr> make(const ::tensorflow::TensorProto& proto);
    std::shared_ptr<const void> owner_;
    std::shared_ptr<Budget> budget_;
    std::unordered_map<const void*, Result<model::TensorPtr>> read_; // by message
};

} // namespace lathe::frontend::tensorflow
