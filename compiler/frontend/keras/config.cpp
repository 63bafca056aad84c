// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/config.h"

namespace lathe::frontend::keras {

const Json& memberOf(const Json& json, std::string_view name) {
    static const Json none;
    if (!json.is_object())
        return none;
    const auto found = json.find(name);
    return found == json.end() ? none : *found;
}

std::string textOf(const Json& json, std::string_view name) {
    const Json& value = memberOf(json, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool flagOf(const Json& json, std::string_view name, bool otherwise) {
    const Json& value = memberOf(json, name);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

const Json& layersOf(const Json& config) {
    static const Json none = Json::array();
    if (config.is_array())
        return config;
    const Json& layers = memberOf(config, "layers");
    return layers.is_array() ? layers : none;
}

const Json& configOf(const Json& layer) {
    return memberOf(layer, "config");
}

std::string classOf(const Json& layer) {
    const std::string name = textOf(layer, "class_name"), module = textOf(layer, "module");
    const std::string registered = textOf(layer, "registered_name");
    if (registered.contains('>'))
        return registered;
    const auto isIn = [&](std::string_view package) {
        return module == package || module.starts_with(std::string(package) + ".");
    };
    const bool isOwn = module.empty() || isIn("keras") || isIn("tf_keras") || isIn("tensorflow.keras") ||
                       isIn("tensorflow.python.keras") || isIn("builtins");
    return isOwn ? name : module + "." + name;
}

std::string nameOf(const Json& layer) {
    const std::string name = textOf(configOf(layer), "name");
    return name.empty() ? textOf(layer, "name") : name;
}

bool isSequential(const Json& layer) {
    return classOf(layer) == "Sequential";
}

bool isContainer(const Json& layer) {
    const std::string name = classOf(layer);
    return name == "Functional" || name == "Model" || name == "Sequential";
}

bool isOperation(const Json& layer) {
    return textOf(layer, "module").starts_with("keras.src.ops") || textOf(layer, "module").starts_with("keras.ops");
}

} // namespace lathe::frontend::keras
