// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/invoke.h"

#include <fmt/format.h>

namespace lathe::frontend::torch {

List invoke(const Operator& op, List arguments, int64_t& randomCalls, Builder& b) {
    if (b.failed())
        return {};
    Call call(op.schema, std::move(arguments), randomCalls, b);
    op.convert(call, b);
    if (b.failed())
        return {};
    LATHE_ASSERT(call.results(), fmt::format("the converter of {} gave no results", op.schema.name));
    return *call.results();
}

List filledArguments(const Schema& schema, std::vector<GivenArgument> given, Builder& b) {
    std::vector<std::optional<TorchValue>> values(schema.arguments.size());
    for (size_t i = 0; i < given.size() && !b.failed(); ++i) {
        auto& [name, value] = given[i];
        const std::optional<size_t> at = !name.empty()                                             ? schema.find(name)
                                         : i < values.size() && !schema.arguments[i].isKeywordOnly ? std::optional(i)
                                                                                                   : std::nullopt;
        if (!at)
            b.fail(name.empty() ? fmt::format("the operator has no argument {}", i)
                                : fmt::format("the operator has no argument '{}'", name));
        else if (values[*at])
            b.fail(fmt::format("argument '{}' is given twice", schema.arguments[*at].name));
        else
            values[*at] = std::move(value);
    }
    List filled;
    for (size_t i = 0; i < values.size() && !b.failed(); ++i) {
        const SchemaArgument& argument = schema.arguments[i];
        if (!values[i] && !argument.hasDefault)
            b.fail(fmt::format("argument '{}' is missing", argument.name));
        filled.push_back(values[i] ? *std::move(values[i]) : argument.otherwise);
    }
    return b.failed() ? List{} : filled;
}

} // namespace lathe::frontend::torch
