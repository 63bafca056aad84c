// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/script_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {

ScriptValue tupleOf(ScriptValues items, std::shared_ptr<const std::vector<std::string>> names) {
    int nesting = 1;
    size_t elements = items.size();
    for (const ScriptValue& item : items)
        if (const TupleValue* inner = item.as<TupleValue>()) {
            nesting = std::max(nesting, inner->nesting + 1);
            elements = std::min(elements + inner->elements, limits::sequenceParts + 1);
        }
    return TupleValue{std::make_shared<const ScriptValues>(std::move(items)), std::move(names), nesting, elements};
}

std::optional<int64_t> asInt(const ScriptValue& value) {
    const Expr* whole = value.as<Expr>();
    return whole && !whole->dtype().isBool() ? arith::asInt(*whole) : std::nullopt;
}

std::string kindOf(const ScriptValue& value, const Heap& heap) {
    struct Words {
        const Heap& heap;
        std::string operator()(std::monostate) const { return "None"; }
        std::string operator()(TensorRef) const { return "a tensor"; }
        std::string operator()(const Complex&) const { return "a tensor of complex numbers"; }
        std::string operator()(bool) const { return "a bool"; }
        std::string operator()(const Expr& expr) const { return expr.dtype().isBool() ? "a bool" : "an int"; }
        std::string operator()(double) const { return "a float"; }
        std::string operator()(const Number& number) const { return number.isBool ? "a bool" : "a float"; }
        std::string operator()(const std::string&) const { return "a string"; }
        std::string operator()(const TupleValue&) const { return "a tuple"; }
        std::string operator()(const Quantized&) const { return "a quantized tensor"; }
        std::string operator()(const Rows&) const { return "elements of a list"; }
        std::string operator()(const Device&) const { return "a device"; }
        std::string operator()(const Callable&) const { return "a function"; }
        std::string operator()(const EnumMember& member) const { return member.name; }
        std::string operator()(Uninitialized) const { return "a value that was never assigned"; }
        std::string operator()(CellRef ref) const {
            const CellContent& content = heap.at(ref.cell);
            if (const auto* object = std::get_if<ObjectCell>(&content))
                return fmt::format("an object of class {}", object->type);
            return std::holds_alternative<ListCell>(content) ? "a list" : "a dict";
        }
    };
    return std::visit(Words{heap}, value.value);
}

} // namespace lathe::frontend::torch::script
