// SPDX-License-Identifier: Apache-2.0
#include "relay/transform/observe.h"

#include "relay/transform/make.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace lathe::relay::transform {
namespace {

/// The binding of each wanted value: of several one that is stored as the model has it.
std::vector<BindingPtr> findObserved(const Function& main, std::span<const std::string> values) {
    std::unordered_set<std::string_view> wanted(values.begin(), values.end());
    for (const std::string& output : main.outputNames)
        wanted.erase(output);
    std::unordered_map<std::string_view, size_t> places;
    std::vector<BindingPtr> found;
    for (const BindingPtr& binding : main.body->bindings) {
        const TensorType* type = asTensor(binding->type);
        if (!type || !wanted.contains(binding->modelValue))
            continue;
        const auto [place, isNew] = places.try_emplace(binding->modelValue, found.size());
        if (isNew)
            found.push_back(binding);
        else if (asTensor(found[place->second]->type)->layout && !type->layout)
            found[place->second] = binding;
    }
    return found;
}

} // namespace

Module observe(const Module& module, std::span<const std::string> values) {
    const Function& before = module.main();
    const std::vector<BindingPtr> observed = findObserved(before, values);
    if (observed.empty())
        return module;
    Module result = module;
    auto main = std::make_shared<Function>(before);
    auto body = std::make_shared<Block>(*before.body);
    std::vector<Type> types = fieldTypes(before.resultType);
    MakeTuple all{{before.body->result}};
    Span span = observed.back()->span;
    const auto old = std::ranges::find(body->bindings, before.body->result, &Binding::var);
    if (asTuple(before.resultType)) {
        LATHE_ASSERT(old != body->bindings.end() && (*old)->as<MakeTuple>(), "main ends with the tuple of its results");
        all = *(*old)->as<MakeTuple>();
        span = (*old)->span;
        body->bindings.erase(old);
    }
    const auto states = static_cast<std::ptrdiff_t>(before.states.size()); // their results come last
    for (const BindingPtr& binding : observed) {
        const TensorType& type = *asTensor(binding->type);
        Var var = binding->var;
        if (type.layout) {
            Maker maker(result, binding->span);
            maker.call(Op::Relayout, {{var, binding->type}}, RelayoutAttrs{});
            var = Var{result.nextVar++};
            body->bindings.push_back(maker.take(var, binding->modelValue).back());
        }
        all.fields.insert(all.fields.end() - states, var);
        types.insert(types.end() - states, tensorType(type.dtype, type.shape));
        main->outputNames.push_back(binding->modelValue);
    }
    main->resultType = tupleType(std::move(types));
    body->result = Var{result.nextVar++};
    body->bindings.push_back(
        std::make_shared<Binding>(Binding{body->result, std::move(all), main->resultType, span, {}}));
    main->body = std::move(body);
    result.functions["main"] = std::move(main);
    return result;
}

} // namespace lathe::relay::transform
