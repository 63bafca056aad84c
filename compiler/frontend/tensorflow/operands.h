// SPDX-License-Identifier: Apache-2.0
//
// What converters read of their nodes beside operands: element types and the order of axes, each said by an attribute.
#pragma once

#include "frontend/common/integer_operands.h"

#include <functional>
#include <optional>

namespace lathe::frontend::tensorflow {

/// The element type that an attribute names; a fault if there is none of that name, or the attribute is absent and
/// nothing is said for it.
std::optional<DataType> typeNamed(NodeReader& node, const std::string& attribute,
                                  std::optional<DataType> otherwise = std::nullopt);

/// Gives result 0: fn of operand 0, rounded once.
void giveMapped(NodeReader& node, Builder& b, const std::function<Var(Var)>& fn);
/// Gives result 0: fn of operands 0 and 1, which broadcast, rounded once.
void giveCombined(NodeReader& node, Builder& b, const std::function<Var(Var, Var)>& fn);

/// Whether the node's images have their channels before their dims of space: the attribute data_format.
bool hasChannelsFirst(NodeReader& node);
/// x with its channels first, as the node has it or brought there.
Var imageIn(NodeReader& node, Builder& b, Var x);
/// And back to where the node has them.
Var imageOut(NodeReader& node, Builder& b, Var x);
/// Of a list with an entry a dim, those of the dims of space, in the node's order; `otherwise` if it is absent.
Ints spatialEntries(NodeReader& node, const std::string& attribute, size_t rank, int64_t otherwise);

} // namespace lathe::frontend::tensorflow
