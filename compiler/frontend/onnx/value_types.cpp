// SPDX-License-Identifier: Apache-2.0
//
// Types of values and attributes, read from the protobuf and written to it.
#include "frontend/onnx/value_types.h"

#include "frontend/onnx/tensors.h"

namespace lathe::frontend::onnx {
namespace {

model::ValueType readTensorType(int32_t dtype, bool hasShape, const ::onnx::TensorShapeProto& shape) {
    model::ValueType type;
    type.kind = model::ValueType::Kind::Tensor;
    type.dtype = fromProto(dtype).value_or(types::Void);
    type.hasShape = hasShape;
    for (const ::onnx::TensorShapeProto::Dimension& dim : shape.dim()) {
        model::Dim read;
        if (dim.has_dim_value() && dim.dim_value() >= 0)
            read.value = dim.dim_value();
        else if (dim.has_dim_param())
            read.name = dim.dim_param();
        type.shape.push_back(read);
    }
    return type;
}

} // namespace

model::ValueType readType(const ::onnx::TypeProto& proto) {
    using Kind = model::ValueType::Kind;
    const auto wrap = [](Kind kind, const ::onnx::TypeProto& element) {
        model::ValueType type;
        type.kind = kind;
        type.element = std::make_shared<model::ValueType>(readType(element));
        return type;
    };
    switch (proto.value_case()) {
    case ::onnx::TypeProto::kTensorType:
        return readTensorType(proto.tensor_type().elem_type(), proto.tensor_type().has_shape(),
                              proto.tensor_type().shape());
    case ::onnx::TypeProto::kSparseTensorType:
        return readTensorType(proto.sparse_tensor_type().elem_type(), proto.sparse_tensor_type().has_shape(),
                              proto.sparse_tensor_type().shape());
    case ::onnx::TypeProto::kSequenceType:
        return wrap(Kind::Sequence, proto.sequence_type().elem_type());
    case ::onnx::TypeProto::kOptionalType:
        return wrap(Kind::Optional, proto.optional_type().elem_type());
    case ::onnx::TypeProto::kMapType: {
        model::ValueType type = wrap(Kind::Map, proto.map_type().value_type());
        type.dtype = fromProto(proto.map_type().key_type()).value_or(types::Void);
        return type;
    }
    default:
        return {};
    }
}

void writeType(const model::ValueType& type, ::onnx::TypeProto& proto) {
    const std::optional<int32_t> dtype = toProto(type.dtype);
    if (type.kind != model::ValueType::Kind::Tensor || !dtype)
        return;
    ::onnx::TypeProto::Tensor& tensor = *proto.mutable_tensor_type();
    tensor.set_elem_type(*dtype);
    if (!type.hasShape)
        return;
    ::onnx::TensorShapeProto& shape = *tensor.mutable_shape();
    for (const model::Dim& dim : type.shape) {
        ::onnx::TensorShapeProto::Dimension& written = *shape.add_dim();
        if (dim.value >= 0)
            written.set_dim_value(dim.value);
    }
}

::onnx::AttributeProto::AttributeType attributeType(const ::onnx::AttributeProto& proto) {
    using Proto = ::onnx::AttributeProto;
    if (proto.type() != Proto::UNDEFINED)
        return proto.type();
    if (proto.has_f())
        return Proto::FLOAT;
    if (proto.has_i())
        return Proto::INT;
    if (proto.has_s())
        return Proto::STRING;
    if (proto.has_t())
        return Proto::TENSOR;
    if (proto.has_g())
        return Proto::GRAPH;
    if (proto.floats_size() > 0)
        return Proto::FLOATS;
    if (proto.strings_size() > 0)
        return Proto::STRINGS;
    if (proto.graphs_size() > 0)
        return Proto::GRAPHS;
    return Proto::INTS; // an empty list
}

bool writeAttribute(const model::Attribute& attribute, ::onnx::AttributeProto& proto) {
    using Proto = ::onnx::AttributeProto;
    proto.set_name(attribute.name);
    struct Writer {
        Proto& proto;
        bool operator()(int64_t value) const {
            proto.set_type(Proto::INT);
            proto.set_i(value);
            return true;
        }
        bool operator()(double value) const {
            proto.set_type(Proto::FLOAT);
            proto.set_f(static_cast<float>(value));
            return true;
        }
        bool operator()(const std::string& value) const {
            proto.set_type(Proto::STRING);
            proto.set_s(value);
            return true;
        }
        bool operator()(const std::vector<int64_t>& list) const {
            proto.set_type(Proto::INTS);
            proto.mutable_ints()->Add(list.begin(), list.end());
            return true;
        }
        bool operator()(const std::vector<double>& list) const {
            proto.set_type(Proto::FLOATS);
            for (double value : list)
                proto.add_floats(static_cast<float>(value));
            return true;
        }
        bool operator()(const std::vector<std::string>& list) const {
            proto.set_type(Proto::STRINGS);
            for (const std::string& value : list)
                proto.add_strings(value);
            return true;
        }
        bool operator()(const model::TensorPtr& tensor) const {
            const std::optional<int32_t> dtype = tensor ? toProto(tensor->dtype) : std::nullopt;
            if (!dtype || tensor->dtype.bits < 8 || tensor->dtype == types::String)
                return false;
            proto.set_type(Proto::TENSOR);
            ::onnx::TensorProto& written = *proto.mutable_t();
            written.set_data_type(*dtype);
            written.mutable_dims()->Add(tensor->shape.begin(), tensor->shape.end());
            written.set_raw_data(tensor->bytes.view.data(), tensor->bytes.view.size());
            return true;
        }
        bool operator()(const std::shared_ptr<const model::Graph>&) const { return false; }
        bool operator()(const std::vector<std::shared_ptr<const model::Graph>>&) const { return false; }
    };
    return std::visit(Writer{proto}, attribute.value);
}

} // namespace lathe::frontend::onnx
