// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the operators of the graph IR are for, in the words that models have for theirs: their colours in a picture.
#pragma once

#include "model/model_graph.h"
#include "relay/op.h"

namespace lathe::views::models {

model::Family familyOf(relay::Op op);

} // namespace lathe::views::models
