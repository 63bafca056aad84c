// SPDX-License-Identifier: Apache-2.0
//
// A model's config, JSON that anybody may have written: its members by name, without trust in their types.
#pragma once

#include "base/json.h"

#include <string>
#include <string_view>

namespace lathe::frontend::keras {

using Json = nlohmann::json;

/// The member; null JSON if there is none, or `json` is no object.
const Json& memberOf(const Json& json, std::string_view name);
/// Empty if it is no text.
std::string textOf(const Json& json, std::string_view name);
bool flagOf(const Json& json, std::string_view name, bool otherwise);
/// The layers of a model's config; an empty list if it is none. Old Sequential models are a list themselves.
const Json& layersOf(const Json& config);
/// The config of a layer; null JSON if it has none.
const Json& configOf(const Json& layer);
/// The class of a layer; of one that is not Keras's own as it was registered ("package>Odd"), or with its module before
/// it.
std::string classOf(const Json& layer);
/// What a layer is called in its model.
std::string nameOf(const Json& layer);
/// Whether a class is a model of layers.
bool isContainer(const Json& layer);
bool isSequential(const Json& layer);
/// Whether an entry is a call of an operation, not a layer.
bool isOperation(const Json& layer);

} // namespace lathe::frontend::keras
