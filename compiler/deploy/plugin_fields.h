// SPDX-License-Identifier: Apache-2.0
//
// Plugins by name, as a manifest and options of a bundle have them: [{"id": "contrib", "version": "1.0"}].
#pragma once

#include "deploy/json_reader.h"
#include "driver/extensions.h"

#include <vector>

namespace lathe::deploy {

nlohmann::json toJson(const std::vector<driver::PluginId>& plugins);
/// The field "plugins".
Result<std::vector<driver::PluginId>> readPlugins(const FieldsOf& fields);

} // namespace lathe::deploy
