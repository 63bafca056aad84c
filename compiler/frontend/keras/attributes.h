// SPDX-License-Identifier: Apache-2.0
//
// Configs as attributes of nodes. A config is a tree of objects; attributes are a flat list: what stands deeper has a
// name with dots ("cell.units"), a list of objects has each by its number ("cells.0.units") and their count
// ("cells.size"). An object with a class is its class, with its config below. What only training needs is left out.
#pragma once

#include "frontend/keras/config.h"
#include "model/model_graph.h"

#include <string>
#include <vector>

namespace lathe::frontend::keras {

/// Adds what `json` holds under the name; null is nothing.
void addAttribute(const std::string& name, const Json& json, std::vector<model::Attribute>& into);
/// All of a layer's config but the members named.
std::vector<model::Attribute> attributesOf(const Json& config, std::initializer_list<std::string_view> without);
/// About how much memory they take.
int64_t bytesOf(const std::vector<model::Attribute>& attributes);
/// The name of a dtype or of a policy of two: "mixed_float16". Empty if none is said.
std::string dtypeOf(const Json& config);

} // namespace lathe::frontend::keras
