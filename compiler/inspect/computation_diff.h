// SPDX-License-Identifier: Apache-2.0
//
// How two models differ, of whatever formats. Within one format names and operators say which node is which
// (graph/model_diff.h). Across formats they say nothing: what is one CONV_2D in TFLite is a Conv and a Relu in ONNX. There both
// models are brought into one form of the graph IR, whose operators are paired by what they compute, and their nodes by that:
// one node may stand in several pairs.
#pragma once

#include "driver/trace.h"
#include "graph/model_diff.h"

namespace lathe::inspect {

/// A model as it was imported.
struct ImportedModel {
    model::ModelGraphPtr graph;
    driver::ModulePtr module; // null: it was refused, and is compared by names and operators
};

/// Whether these two are compared by what they compute.
bool areOfTwoFormats(const ImportedModel& before, const ImportedModel& after);

/// Across formats: in which order and shape elements lie is no difference there, and nodes that do no more than arrange
/// elements, hold constants or hand on their input are not spoken of. Weights are the same if they have the same elements.
/// What changed is said in the words of the graph IR: "conv: attribute strides: [1,1] → [2,2]". Fails if a model cannot be
/// brought into one form, which is the user's fault only where it is not first-order.
Result<graph::ModelDiff> diffImported(const ImportedModel& before, const ImportedModel& after);

} // namespace lathe::inspect
