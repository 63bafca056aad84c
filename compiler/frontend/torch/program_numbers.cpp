// SPDX-License-Identifier: Apache-2.0
//
// Functions of Python on numbers that depend on sizes.
#include "frontend/torch/program_walk.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using Numbers = std::vector<Expr>;

struct PythonFunction {
    std::string_view name;
    size_t arguments;
    Expr (*compute)(const Numbers& n);
};

/// Null: it would divide by what may be 0 or less.
Expr byPositive(const Numbers& n, Expr (*divide)(Expr, Expr)) {
    return arith::bounds(n[1]).lower > 0 ? divide(n[0], n[1]) : Expr();
}

constexpr auto pythonFunctions = std::to_array<PythonFunction>({
    {"_operator.add", 2, [](const Numbers& n) { return n[0] + n[1]; }},
    {"_operator.and_", 2, [](const Numbers& n) { return arith::logicalAnd(n[0], n[1]); }},
    {"_operator.eq", 2, [](const Numbers& n) { return arith::eq(n[0], n[1]); }},
    {"_operator.floordiv", 2, [](const Numbers& n) { return byPositive(n, arith::floorDiv); }},
    {"_operator.ge", 2, [](const Numbers& n) { return arith::ge(n[0], n[1]); }},
    {"_operator.gt", 2, [](const Numbers& n) { return arith::gt(n[0], n[1]); }},
    {"_operator.le", 2, [](const Numbers& n) { return arith::le(n[0], n[1]); }},
    {"_operator.lt", 2, [](const Numbers& n) { return arith::lt(n[0], n[1]); }},
    {"_operator.mod", 2, [](const Numbers& n) { return byPositive(n, arith::floorMod); }},
    {"_operator.mul", 2, [](const Numbers& n) { return n[0] * n[1]; }},
    {"_operator.ne", 2, [](const Numbers& n) { return arith::ne(n[0], n[1]); }},
    {"_operator.neg", 1, [](const Numbers& n) { return -n[0]; }},
    {"_operator.not_", 1, [](const Numbers& n) { return arith::logicalNot(n[0]); }},
    {"_operator.or_", 2, [](const Numbers& n) { return arith::logicalOr(n[0], n[1]); }},
    {"_operator.pos", 1, [](const Numbers& n) { return n[0]; }},
    {"_operator.sub", 2, [](const Numbers& n) { return n[0] - n[1]; }},
    {"torch.sym_max", 2, [](const Numbers& n) { return arith::max(n[0], n[1]); }},
    {"torch.sym_min", 2, [](const Numbers& n) { return arith::min(n[0], n[1]); }},
    {"torch.sym_not", 1, [](const Numbers& n) { return arith::logicalNot(n[0]); }},
});

bool takesBools(std::string_view name) {
    return name == "_operator.and_" || name == "_operator.or_" || name == "_operator.not_" || name == "torch.sym_not";
}

} // namespace

std::optional<TorchValue> ProgramWalk::callPython(const ProgramNode& node, Frame& frame) {
    const auto* function = std::ranges::find(pythonFunctions, node.target, &PythonFunction::name);
    if (function == pythonFunctions.end() || node.inputs.size() != function->arguments)
        return std::nullopt;
    Numbers numbers;
    for (const ProgramNode::Input& input : node.inputs) {
        const TorchValue value = valueOf(input.value, frame);
        if (b_.failed())
            return std::nullopt;
        const Expr* number = value.as<Expr>();
        const bool* flag = value.as<bool>();
        if (!number && !flag)
            return std::nullopt; // floats
        numbers.push_back(number ? *number : arith::boolImm(*flag));
        if (numbers.back().dtype().isBool() != takesBools(node.target))
            return std::nullopt;
    }
    const Expr result = function->compute(numbers);
    if (!result)
        return std::nullopt;
    const Expr simple = arith::simplify(result);
    if (simple->depth > static_cast<uint32_t>(limits::exprDepth))
        return std::nullopt;
    return simple.dtype().isBool() && arith::asInt(simple) ? TorchValue(*arith::asInt(simple) != 0)
                                                           : TorchValue(simple);
}

} // namespace lathe::frontend::torch
