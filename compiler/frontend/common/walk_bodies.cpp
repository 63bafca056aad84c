// SPDX-License-Identifier: Apache-2.0
//
// Operators that their format defines by others: the nodes of the body in place of the one.
#include "frontend/common/walk.h"

#include <fmt/format.h>

namespace lathe::frontend {
namespace {

constexpr int bodyNesting = 16; // operators whose bodies hold operators with bodies …

} // namespace

void GraphWalk::expand(NodeReader& reader) {
    const model::Node& node = reader.node;
    if (const std::optional<Diagnostic> reason = dialect_.refusalOf(node)) {
        builder_.fail(reason->what, reason->hint, reason->kind);
        return;
    }
    if (bodies_ >= bodyNesting) {
        builder_.fail(fmt::format("the operator's body is nested more than {} deep", bodyNesting), {},
                      ErrorKind::Unsupported);
        return;
    }
    std::vector<Value> values;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const Value* value = reader.value(i);
        values.push_back(value ? *value : Value{});
    }
    if (builder_.failed())
        return;
    Result<std::shared_ptr<model::Graph>> body = dialect_.bodyOf(reader, values);
    if (builder_.failed())
        return;
    if (!body) {
        builder_.fail(body.error().what, body.error().hint, body.error().kind);
        return;
    }
    Scope formal;
    for (size_t i = 0; i < (*body)->inputs.size(); ++i)
        if (i < values.size() && reader.hasInput(i))
            formal.values[(*body)->inputs[i].name] = values[i];
    ++bodies_;
    Scope inner;
    inner.outer = &formal;
    const std::vector<Value> results = convertNodes(**body, 0, inner, [&](Scope& names) {
        std::vector<Value> outputs;
        for (const model::Value& output : (*body)->outputs) {
            const Value* found = names.find(output.name);
            outputs.push_back(found ? *found : Value{});
        }
        return outputs;
    });
    --bodies_;
    for (size_t i = 0; i < results.size(); ++i)
        if (results[i].var || results[i].sequence || results[i].none)
            reader.set(i, results[i]);
}

} // namespace lathe::frontend
