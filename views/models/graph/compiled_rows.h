// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the compiler made of a node of the model, as rows beside its attributes: the fused functions that compute it, how it is
// computed and stored, what they take, and whether its value is right.
#pragma once

#include "diagnose/check.h"
#include "inspect/profile.h"
#include "inspect/provenance.h"
#include "views/models/graph/attribute_model.h"

namespace lathe::views::models {

/// Of the last compilation. The profile may be empty; check: null: none was made.
std::vector<AttributeRow> compiledRowsOf(const inspect::Provenance& provenance, const inspect::Profile& profile,
                                         const diagnose::Check* check, int node);

} // namespace lathe::views::models
