// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/attributes.h"

#include "frontend/tensorflow/types.h"

#include <algorithm>

namespace lathe::frontend::tensorflow {
namespace {

using ::tensorflow::AttrValue;

std::optional<model::AttributeValue> listValue(const AttrValue::ListValue& list) {
    if (list.s_size() > 0)
        return std::vector<std::string>(list.s().begin(), list.s().end());
    if (list.f_size() > 0)
        return std::vector<double>(list.f().begin(), list.f().end());
    if (list.type_size() > 0) {
        std::vector<std::string> names;
        for (const int type : list.type())
            names.push_back(protoTypeName(type));
        return names;
    }
    if (list.shape_size() > 0 || list.tensor_size() > 0 || list.func_size() > 0)
        return std::nullopt;
    std::vector<int64_t> numbers(list.i().begin(), list.i().end());
    numbers.insert(numbers.end(), list.b().begin(), list.b().end());
    return numbers;
}

std::optional<model::AttributeValue> valueOf(const AttrValue& value, TensorReader& tensors,
                                             std::vector<Diagnostic>& faults) {
    switch (value.value_case()) {
    case AttrValue::kS:
        return value.s();
    case AttrValue::kI:
        return static_cast<int64_t>(value.i());
    case AttrValue::kF:
        return static_cast<double>(value.f());
    case AttrValue::kB:
        return static_cast<int64_t>(value.b());
    case AttrValue::kType:
        return protoTypeName(value.type());
    case AttrValue::kShape: {
        auto shape = shapeOf(value.shape());
        if (!shape)
            faults.push_back(shape.error());
        else if (*shape)
            return **std::move(shape);
        return std::nullopt;
    }
    case AttrValue::kTensor: {
        auto tensor = tensors.read(value.tensor());
        if (tensor)
            return *tensor;
        faults.push_back(tensor.error());
        return std::nullopt;
    }
    case AttrValue::kList:
        return listValue(value.list());
    default:
        return std::nullopt;
    }
}

} // namespace

const AttrValue* Attributes::find(const std::string& name) const {
    const auto found = own->find(name);
    if (found == own->end())
        return nullptr;
    if (found->second.value_case() != AttrValue::kPlaceholder)
        return &found->second;
    if (!call)
        return nullptr;
    const auto given = call->find(found->second.placeholder());
    return given == call->end() ? nullptr : &given->second;
}

std::string Attributes::function(const std::string& name) const {
    const AttrValue* value = find(name);
    return value && value->value_case() == AttrValue::kFunc ? value->func().name() : std::string();
}

std::vector<model::Attribute> readAttributes(const Attributes& attributes, TensorReader& tensors,
                                             std::vector<Diagnostic>& faults) {
    std::vector<std::string> names;
    for (const auto& [name, value] : *attributes.own)
        if (!name.starts_with('_'))
            names.push_back(name);
    std::ranges::sort(names); // a map has them in any order
    std::vector<model::Attribute> read;
    for (const std::string& name : names)
        if (const AttrValue* value = attributes.find(name))
            if (auto found = valueOf(*value, tensors, faults))
                read.push_back({name, *std::move(found)});
    return read;
}

model::ValueType declaredType(int dtype, const ::tensorflow::TensorShapeProto* shape) {
    model::ValueType type;
    type.kind = model::ValueType::Kind::Tensor;
    type.dtype = fromProto(dtype).value_or(types::Void);
    if (type.dtype == types::Void)
        type.kind = model::ValueType::Kind::Unknown;
    const auto dims = shape ? shapeOf(*shape) : Result<std::optional<std::vector<int64_t>>>(std::nullopt);
    type.hasShape = dims && *dims;
    if (type.hasShape)
        for (const int64_t dim : **dims)
            type.shape.push_back({dim, {}});
    return type;
}

model::ValueType declaredType(const Attributes& attributes) {
    const AttrValue* dtype = attributes.find("dtype");
    const AttrValue* shape = attributes.find("shape");
    const AttrValue* inferred = attributes.find("_output_shapes");
    const bool isShape = shape && shape->value_case() == AttrValue::kShape;
    const ::tensorflow::TensorShapeProto* declared = isShape ? &shape->shape() : nullptr;
    // Old files say a scalar's shape where nothing is known.
    if ((!declared || declared->dim_size() == 0) && inferred && inferred->list().shape_size() > 0)
        declared = &inferred->list().shape(0);
    return declaredType(dtype ? dtype->type() : ::tensorflow::DT_INVALID, declared);
}

} // namespace lathe::frontend::tensorflow
