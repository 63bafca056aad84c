// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensors of a model: which constant a node reads under a name, what a check computed of a value, and elements as text.
#pragma once

#include "data/tensor_statistics.h"
#include "diagnose/check.h"
#include "model/model_graph.h"

#include <QString>
#include <functional>

namespace lathe::views::models {

struct NamedTensor {
    QString name;
    model::TensorPtr tensor; // null: none
};

/// A value that running a model gives, and what it should be: what a check computed of it again.
struct CheckedTensors {
    QString name;
    model::TensorPtr got, expected, difference; // null: there is none
    QString why;                                // why not
};
/// Takes the elements, without a copy.
CheckedTensors checkedTensors(diagnose::CheckedValue value);

/// What values that a node reads or gives are, as far as the model alone says it: each an initializer, or what a Constant holds;
/// null if it is computed when the model runs. Names of nested graphs hide those around them. Linear in the graphs around.
std::vector<model::TensorPtr> constantsOf(const model::ModelGraph& model, int node,
                                          const std::vector<std::string>& values);

/// "float32[64,3,7,7]".
QString typeText(const model::TensorData& tensor);
/// Of an element by its place in memory, which the tensor has: integers exactly, floats with so many digits, 0: as many as
/// tell them from their neighbours.
QString elementText(const model::TensorData& tensor, int64_t place, int digits = 0);
/// Of a number that a statistic is.
QString numberText(double value);

/// Writes a .npy file, whole or not at all; what went wrong, or nothing. `cancelled` is asked now and then.
QString saveNpy(const QString& path, const model::TensorData& tensor, const std::function<bool()>& cancelled = {});
/// What a file with the values of this name may be called.
QString npyNameOf(const QString& name);

} // namespace lathe::views::models
