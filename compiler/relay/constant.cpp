// SPDX-License-Identifier: Apache-2.0
//
// Making of constants. A hash covers data type, dims and content, so equal content is one constant wherever it came
// from; that of a recipe covers the function with the constants in it, and the arguments.
#include "relay/element.h"
#include "relay/hash.h"
#include "relay/type_map.h"

#include <algorithm>
#include <iterator>

namespace lathe::relay {
namespace {

std::vector<Expr> dimsOf(const std::vector<int64_t>& shape) {
    return {shape.begin(), shape.end()};
}

void addType(Hasher& hasher, DataType dtype, const std::vector<int64_t>& shape) {
    hasher.add(static_cast<uint64_t>(dtype.code) << 8 | dtype.bits);
    hasher.add(static_cast<uint64_t>(shape.size()));
    for (int64_t dim : shape)
        hasher.add(static_cast<uint64_t>(dim));
}

} // namespace

Constant::~Constant() {
    std::vector<ConstantPtr> open = std::move(recipeArgs);
    while (!open.empty()) {
        const ConstantPtr last = std::move(open.back());
        open.pop_back();
        if (last.use_count() > 1)
            continue;
        // Nobody else sees it any more: what it holds is let go here, not in its own destructor.
        std::vector<ConstantPtr>& args = const_cast<Constant&>(*last).recipeArgs;
        std::ranges::move(args, std::back_inserter(open));
        args.clear();
    }
}

int64_t Constant::elements() const {
    int64_t count = 1;
    for (const Expr& dim : storedShape(asTensor(type)->shape, asTensor(type)->layout)) {
        std::optional<int64_t> value = arith::asInt(dim);
        LATHE_ASSERT(value, "a constant has constant dims");
        count *= *value;
    }
    return count;
}

int64_t bytesOf(const Constant& constant) {
    return constant.elements() * asTensor(constant.type)->dtype.bytes();
}

std::vector<std::byte> copyElements(const Constant& constant) {
    const std::span<const std::byte> stored = constant.bytes.view;
    if (!constant.splat) {
        LATHE_ASSERT(static_cast<int64_t>(stored.size()) == bytesOf(constant), "all elements of a constant are there");
        return {stored.begin(), stored.end()};
    }
    std::vector<std::byte> bytes(static_cast<size_t>(bytesOf(constant)));
    for (size_t at = 0; at < bytes.size(); at += stored.size())
        std::memcpy(bytes.data() + at, stored.data(), stored.size());
    return bytes;
}

ConstantPtr makeConstant(DataType dtype, std::vector<int64_t> shape, model::Bytes bytes) {
    auto constant = std::make_shared<Constant>();
    constant->type = tensorType(dtype, dimsOf(shape));
    constant->bytes = std::move(bytes);
    LATHE_ASSERT(static_cast<int64_t>(constant->bytes.view.size()) == bytesOf(*constant),
                 "bytes of a constant fit its type");
    Hasher hasher;
    addType(hasher, dtype, shape);
    hasher.addBytes(constant->bytes.view);
    constant->hash = hasher.finish();
    return constant;
}

ConstantPtr makeConstant(const model::TensorPtr& tensor) {
    if (tensor->dtype.code != TypeCode::String)
        return makeConstant(tensor->dtype, tensor->shape, tensor->bytes);
    auto constant = std::make_shared<Constant>();
    constant->type = tensorType(tensor->dtype, dimsOf(tensor->shape));
    constant->strings = tensor->strings;
    Hasher hasher;
    addType(hasher, tensor->dtype, tensor->shape);
    for (const std::string& text : tensor->strings)
        hasher.add(text);
    constant->hash = hasher.finish();
    return constant;
}

ConstantPtr makeSplat(DataType dtype, std::vector<int64_t> shape, double value) {
    std::byte element[16] = {};
    writeFloat(element, dtype, value);
    return splatOf(dtype, std::move(shape), element);
}

ConstantPtr splatOf(DataType dtype, std::vector<int64_t> shape, const std::byte* bytes) {
    auto element = std::make_shared<std::vector<std::byte>>(bytes, bytes + dtype.bytes());
    std::span<const std::byte> view(*element);
    int64_t count = 1;
    for (int64_t dim : shape)
        count *= dim;
    if (count == 1)
        return makeConstant(dtype, std::move(shape), {std::move(element), view});
    auto constant = std::make_shared<Constant>();
    constant->type = tensorType(dtype, dimsOf(shape));
    constant->bytes = {std::move(element), view};
    constant->splat = true;
    Hasher hasher;
    hasher.add("splat");
    addType(hasher, dtype, shape);
    hasher.addBytes(view);
    constant->hash = hasher.finish();
    return constant;
}

ConstantPtr makeRecipe(FunctionPtr function, std::vector<ConstantPtr> args) {
    LATHE_ASSERT(asTensor(function->resultType), "a recipe gives one tensor");
    auto constant = std::make_shared<Constant>();
    constant->type = function->resultType;
    Hasher hasher;
    hasher.add("recipe");
    hasher.add(contentHash(*function));
    for (const ConstantPtr& arg : args)
        hasher.add(arg->hash);
    constant->hash = hasher.finish();
    constant->recipe = std::move(function);
    constant->recipeArgs = std::move(args);
    return constant;
}

} // namespace lathe::relay
