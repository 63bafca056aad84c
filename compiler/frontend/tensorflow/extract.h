// SPDX-License-Identifier: Apache-2.0
//
// A part of a body as a body of its own.
#pragma once

#include "frontend/tensorflow/body.h"

#include <functional>
#include <map>

namespace lathe::frontend::tensorflow {

/// What an endpoint of the whole is in the part: an argument, by number; nothing if its node is taken along.
using ArgumentOf = std::function<std::optional<int>(const Endpoint& endpoint)>;

/// The part that gives `results`: what they need up to where arguments begin. Arguments have no names yet.
BodyPtr extract(const Body& whole, const std::vector<Endpoint>& results, const ArgumentOf& argumentOf);

} // namespace lathe::frontend::tensorflow
