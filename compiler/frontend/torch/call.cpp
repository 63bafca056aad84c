// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/call.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch {

Call::Call(const Schema& schema, List arguments, int64_t& randomCalls, Builder& b)
    : b(b), schema(schema), op(schema.name), arguments_(std::move(arguments)), randomCalls_(randomCalls) {
    LATHE_ASSERT(arguments_.size() == schema.arguments.size(),
                 "a call has another number of arguments than its schema");
}

const TorchValue& Call::value(const char* name) {
    const std::optional<size_t> at = schema.find(name);
    LATHE_ASSERT(at, fmt::format("{} has no argument '{}'", op, name));
    return arguments_[*at];
}

template <class T>
const T* Call::need(const char* name, const TorchValue& value, const char* what) {
    const T* found = value.as<T>();
    if (!found)
        fail(fmt::format("argument '{}' is {}, {} is expected", name, kindOf(value), what));
    return b.failed() ? nullptr : found;
}

std::span<const TorchValue> Call::elements(const char* name) {
    const TorchValue& all = value(name);
    if (all.isNone())
        return {};
    if (const List* list = all.as<List>())
        return *list;
    return {&all, 1};
}

// ---- tensors

Var Call::tensorOf(const char* name, const TorchValue& value) {
    if (value.as<Complex>())
        refuse(fmt::format("argument '{}' is {}, which this operator is not supported with", name, kindOf(value)),
               "compute with real and imaginary parts in the program");
    if (const auto scalar = value.as<Var>() ? std::nullopt : toScalar(b, value)) { // as PyTorch wraps numbers
        const DataType dtype = scalar->kind == Scalar::Kind::Float  ? defaultFloat
                               : scalar->kind == Scalar::Kind::Bool ? types::Bool
                                                                    : types::Int64;
        return toTensor(b, *scalar, dtype);
    }
    const Var* tensor = need<Var>(name, value, "a tensor");
    return tensor ? *tensor : Var{};
}

Var Call::tensor(const char* name) {
    return tensorOf(name, value(name));
}

Var Call::optionalTensor(const char* name) {
    return isNone(name) ? Var{} : tensor(name);
}

std::vector<Var> Call::tensors(const char* name) {
    std::vector<Var> all;
    for (const TorchValue& element : elements(name))
        all.push_back(tensorOf(name, element));
    return all;
}

std::vector<Var> Call::optionalTensors(const char* name) {
    std::vector<Var> all;
    for (const TorchValue& element : elements(name))
        all.push_back(element.isNone() ? Var{} : tensorOf(name, element));
    return all;
}

Var Call::complex(const char* name) {
    const Complex* found = need<Complex>(name, value(name), "a tensor of complex numbers");
    return found ? found->parts : Var{};
}

// ---- numbers

Expr Call::sizeOf(const char* name, const TorchValue& value) {
    if (const bool* flag = value.as<bool>())
        return *flag ? 1 : 0;
    if (const Var* element = value.as<Var>(); element && !b.failed() && b.isTensor(*element) && b.rank(*element) == 0) {
        const std::vector<Expr> known = b.symbolic(*element, name);
        return known.size() == 1 ? known[0] : Expr(0);
    }
    const Expr* whole = need<Expr>(name, value, "an int");
    return !whole ? Expr(0) : whole->dtype().isBool() ? arith::select(*whole, 1, 0) : *whole;
}

int64_t Call::integerOf(const char* name, const TorchValue& value) {
    const std::optional<int64_t> known = arith::asInt(sizeOf(name, value));
    if (!known && !b.failed())
        refuse(fmt::format("argument '{}' depends on sizes that are not known", name),
               "fix the sizes of the inputs: --shape NAME=SIZES");
    return b.failed() ? 0 : known.value_or(0);
}

int64_t Call::integer(const char* name) {
    return integerOf(name, value(name));
}

std::optional<int64_t> Call::optionalInteger(const char* name) {
    return isNone(name) ? std::nullopt : std::optional(integer(name));
}

Expr Call::size(const char* name) {
    return sizeOf(name, value(name));
}

std::vector<int64_t> Call::integers(const char* name) {
    std::vector<int64_t> all;
    for (const TorchValue& element : elements(name))
        all.push_back(integerOf(name, element));
    return all;
}

Dims Call::sizes(const char* name) {
    Dims all;
    for (const TorchValue& element : elements(name))
        all.push_back(sizeOf(name, element));
    return all;
}

double Call::realOf(const char* name, const TorchValue& value) {
    const std::optional<Scalar> scalar = toScalar(b, value);
    if (!scalar)
        fail(fmt::format("argument '{}' is {}, a number is expected", name, kindOf(value)));
    else if (!scalar->isKnown())
        refuse(fmt::format("argument '{}' depends on what is not known before the call", name),
               "let it be a constant in the program");
    return b.failed() ? 0 : scalar->number();
}

double Call::real(const char* name) {
    return realOf(name, value(name));
}

std::optional<double> Call::optionalReal(const char* name) {
    return isNone(name) ? std::nullopt : std::optional(real(name));
}

std::vector<double> Call::reals(const char* name) {
    std::vector<double> all;
    for (const TorchValue& element : elements(name))
        all.push_back(realOf(name, element));
    return all;
}

bool Call::flag(const char* name) {
    if (const bool* known = value(name).as<bool>())
        return *known;
    return integer(name) != 0;
}

std::string Call::text(const char* name) {
    if (isNone(name))
        return {};
    const std::string* found = need<std::string>(name, value(name), "a string");
    return found ? *found : std::string();
}

std::optional<DataType> Call::dtype(const char* name) {
    if (isNone(name))
        return std::nullopt;
    const DataType* found = need<DataType>(name, value(name), "an element type");
    return found ? std::optional(*found) : std::nullopt;
}

Scalar Call::scalarOf(const char* name, const TorchValue& value) {
    const std::optional<Scalar> scalar = toScalar(b, value);
    if (!scalar)
        fail(fmt::format("argument '{}' is {}, a number is expected", name, kindOf(value)));
    return scalar.value_or(Scalar{Scalar::Kind::Int, 0, 0, {}});
}

Scalar Call::scalar(const char* name) {
    return scalarOf(name, value(name));
}

std::optional<Scalar> Call::optionalScalar(const char* name) {
    return isNone(name) ? std::nullopt : std::optional(scalar(name));
}

std::vector<Scalar> Call::scalars(const char* name) {
    std::vector<Scalar> all;
    for (const TorchValue& element : elements(name))
        all.push_back(scalarOf(name, element));
    return all;
}

int64_t Call::axis(int64_t value, int64_t rank) {
    return axisOf(b, value, std::max<int64_t>(rank, 1));
}

Ints Call::axes(const char* name, int64_t rank) {
    Ints all = integers(name);
    if (all.empty())
        return iotaInts(0, rank);
    for (int64_t& one : all)
        one = axis(one, rank);
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end())
        fail(fmt::format("argument '{}' names a dim twice", name));
    return rank == 0 ? Ints{} : all;
}

// ---- results

void Call::give(Var result) {
    results_ = List{result};
}

void Call::give(std::vector<Var> results) {
    List all(results.begin(), results.end());
    if (schema.results.size() == 1 && schema.results[0].isList)
        results_ = List{TorchValue(std::move(all))};
    else
        results_ = std::move(all);
}

void Call::giveValue(TorchValue result) {
    results_.emplace();
    results_->push_back(std::move(result));
}

void Call::giveNothing() {
    results_.emplace();
}

} // namespace lathe::frontend::torch
