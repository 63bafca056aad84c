// SPDX-License-Identifier: Apache-2.0
//
// Attributes as a list of named values, for whatever treats all operators alike: equality, hashing, printing, and the
// rewriting of symbols.
#pragma once

#include "relay/attrs.h"

#include <functional>
#include <variant>

namespace lathe::relay {

using AttrValue = std::variant<bool, int64_t, double, std::string, DataType, std::vector<int64_t>, std::vector<double>,
                               Expr, std::vector<Expr>, std::shared_ptr<const Layout>>;
struct AttrField {
    const char* name;
    AttrValue value;
};

/// In the order of declaration; empty for null.
std::vector<AttrField> fieldsOf(const AttrsPtr& attrs);
bool equalValue(const AttrValue& a, const AttrValue& b);
/// Calls fn for each Expr (none is null).
void visitExprs(const AttrsPtr& attrs, const std::function<void(const Expr&)>& fn);
/// The same attributes with each Expr replaced; the same pointer if nothing changed.
AttrsPtr mapExprs(const AttrsPtr& attrs, const std::function<Expr(const Expr&)>& fn);

} // namespace lathe::relay
