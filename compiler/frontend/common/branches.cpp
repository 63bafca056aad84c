// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/branches.h"

#include <algorithm>

namespace lathe::frontend {

Value tensorValue(Var var) {
    return Value{.var = var, .sequence = nullptr, .none = false};
}

bool isTensor(const Value& value) {
    return !value.sequence && !value.none;
}

std::vector<Var> tensorsOf(NodeReader& node, const std::vector<Value>& values) {
    std::vector<Var> vars;
    for (const Value& value : values) {
        if (!isTensor(value))
            node.refuse("a sequence or an optional leaves a branch or loop that is decided while the model runs",
                        "only sequences whose length is known when the model is compiled are supported");
        vars.push_back(value.var);
    }
    return vars;
}

std::vector<Value> chosen(NodeReader& node, Var condition, size_t wanted, const Branch& whenTrue,
                          const Branch& whenFalse, const VarsOf& varsOf) {
    Builder& b = node.b;
    if (const auto known = b.knownInts(condition); known && known->size() == 1) {
        std::vector<Value> values = (*known)[0] != 0 ? whenTrue() : whenFalse();
        values.resize(b.failed() ? 0 : std::min(wanted, values.size()));
        return values;
    }
    size_t count = 0; // of values that a branch gives; the Builder holds the other one to it
    const auto inBlock = [&](const Branch& branch) {
        return [&] {
            const std::vector<Value> values = branch();
            if (!varsOf && !std::all_of(values.begin(), values.end(), isTensor))
                b.disagree("a sequence or an optional leaves a branch that is taken while the model runs",
                           "only sequences whose length is known when the model is compiled are supported");
            const std::vector<Var> vars = varsOf ? varsOf(values) : tensorsOf(node, values);
            count = vars.size();
            return b.failed() ? Var{} : vars.size() == 1 ? vars[0] : b.tuple(vars);
        };
    };
    const Var result = b.ifElse(condition, inBlock(whenTrue), inBlock(whenFalse));
    std::vector<Value> values;
    for (size_t i = 0; i < std::min(wanted, count) && !b.failed(); ++i)
        values.push_back(tensorValue(count == 1 ? result : b.project(result, static_cast<int>(i))));
    return values;
}

} // namespace lathe::frontend
