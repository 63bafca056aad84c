// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sizes that a model leaves open, by the names that its inputs' dims have: what a run has to know, and a compilation may be
// told.
#pragma once

#include "driver/options.h"
#include "driver/trace.h"
#include "inspect/sweep.h"
#include "model/model_graph.h"

#include <QString>
#include <QStringList>
#include <map>
#include <vector>

namespace lathe::views::models {

struct OpenSize {
    QString name;      // "batch"; of a dim without a name "input_ids[1]"
    QStringList where; // "input_ids[1]": the dims that have it
};

/// In the order of the inputs.
std::vector<OpenSize> openSizesOf(const model::ModelGraph& graph);

/// Those that a compilation of the model left open: all that it did not get as a fixed size.
std::vector<OpenSize> openSizesOf(const driver::Trace& trace);

/// Whether there is an input of which the model does not declare how many dims it has.
bool hasUndeclaredShapes(const model::ModelGraph& graph);

/// By name; what has none is 1.
using SizeValues = std::map<QString, qint64>;

/// Dims of each input that has open sizes.
driver::Shapes shapesWith(const model::ModelGraph& graph, const SizeValues& values);

/// And of those whose sizes are all fixed: of each input whose shape the model declares.
driver::Shapes declaredShapes(const model::ModelGraph& graph, const SizeValues& values);

/// What one of the model's open sizes mostly is, as `lathe tune --sizes` takes it: "sequence=7,64". Fails too where an input
/// would be too large for a tensor.
Result<inspect::SweepQuestion> tunedSizesOf(const model::ModelGraph& graph, const QString& text);

/// "input_ids 1×128, mask 1×128".
QString textOf(const driver::Shapes& shapes);

} // namespace lathe::views::models
