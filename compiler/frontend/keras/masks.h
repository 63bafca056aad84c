// SPDX-License-Identifier: Apache-2.0
//
// Masks: which steps of a sequence count, bool [batch, steps]. Some layers find them in their input (Embedding,
// Masking), some compute otherwise where there is one (recurrent layers, attention, means over time), and some hand
// them on. They are no tensors of the model's config: as in Keras, a mask goes with the tensor that it is of, from the
// layer that gives the tensor to all that take it (frontend::Value::mask), and ends at a layer that knows nothing of
// masks. Absent means that all steps count.
#pragma once

#include "frontend/keras/layer.h"

namespace lathe::frontend::keras {

/// Gives the first result the mask of the first tensor, if the layer is of a class that keeps masks and gave none.
void keepMask(NodeReader& node);

/// From Keras 3 on MultiHeadAttention takes the masks off the tensors that it is called with: layers that run later
/// find none there. Writes at their nodes which of their tensors these are. The graph is in the order of running.
void noteTakenMasks(model::Graph& graph);

/// The mask of tensor i of a call: what the call says, else what the tensor has; Var{} if there is none.
Var maskOf(Layer& layer, size_t i = 0);
/// The same of an argument that has a name, "query": the call's "query_mask", else what the tensor at `label` has.
Var maskOf(Layer& layer, const std::string& name, const std::string& label);

/// Steps that count in one of them at least; all, Var{}, if one is absent.
Var anyOf(Builder& b, const std::vector<Var>& masks);
/// Steps that count in both; of one if the other is absent.
Var bothOf(Builder& b, Var x, Var y);
/// 1 where the mask holds and 0 elsewhere, of x's type.
Var factorOf(Builder& b, Var mask, Var x);

} // namespace lathe::frontend::keras
