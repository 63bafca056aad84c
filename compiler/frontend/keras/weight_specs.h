// SPDX-License-Identifier: Apache-2.0
//
// Which weights a layer has, by what its config says: their names, in the order in which files hold them.
#pragma once

#include "base/json.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend::keras {

struct WeightSpec {
    /// The part of the layer that holds it, as Keras 3 names it in files: "cell", "query_dense"; empty: the layer
    /// itself.
    std::string part;
    std::string name; // "kernel", of a part that is not the only one "query.kernel"
    bool isTrainable = true;
    bool isRead = true; // false: what only training needs
};

/// Those of a layer that holds no other layers of its own config; none for a class without weights.
std::vector<WeightSpec> weightsOf(std::string_view className, const nlohmann::json& config);

/// The name that Keras 3 gives to a layer's class in files: "Conv2D" -> "conv2d".
std::string snakeCase(std::string_view className);

/// Names in order, as a container has them in files: a second "dense" is "dense_1".
class NamesInOrder {
public:
    std::string next(std::string_view className);

private:
    std::map<std::string, int> counts_;
};

} // namespace lathe::frontend::keras
