// SPDX-License-Identifier: Apache-2.0
//
// TFLite models for tests, by the objects of its schema: a test changes what it is about and leaves the rest right.
#pragma once

#include "frontend/tflite/schema_generated.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace lathe::testing {

/// A model with the empty buffer that all models begin with, and one graph without anything.
inline ::tflite::ModelT emptyTflite() {
    ::tflite::ModelT model;
    model.version = 3;
    model.buffers.push_back(std::make_unique<::tflite::BufferT>());
    model.subgraphs.push_back(std::make_unique<::tflite::SubGraphT>());
    model.subgraphs.back()->name = "main";
    return model;
}

/// Its index.
inline int32_t addTensor(::tflite::SubGraphT& graph, const std::string& name, std::vector<int32_t> shape,
                         ::tflite::TensorType type = ::tflite::TensorType_FLOAT32, uint32_t buffer = 0) {
    auto tensor = std::make_unique<::tflite::TensorT>();
    tensor->name = name;
    tensor->shape = std::move(shape);
    tensor->type = type;
    tensor->buffer = buffer;
    graph.tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph.tensors.size()) - 1;
}

inline ::tflite::OperatorT& addOperator(::tflite::ModelT& model, ::tflite::SubGraphT& graph,
                                        ::tflite::BuiltinOperator code, std::vector<int32_t> inputs,
                                        std::vector<int32_t> outputs) {
    auto operatorCode = std::make_unique<::tflite::OperatorCodeT>();
    operatorCode->builtin_code = code;
    operatorCode->deprecated_builtin_code = static_cast<int8_t>(std::min<int>(code, 127));
    model.operator_codes.push_back(std::move(operatorCode));
    auto added = std::make_unique<::tflite::OperatorT>();
    added->opcode_index = static_cast<uint32_t>(model.operator_codes.size()) - 1;
    added->inputs = std::move(inputs);
    added->outputs = std::move(outputs);
    graph.operators.push_back(std::move(added));
    return *graph.operators.back();
}

/// Its index. Elements as they lie in memory.
template <class T>
uint32_t addBuffer(::tflite::ModelT& model, const std::vector<T>& elements) {
    auto buffer = std::make_unique<::tflite::BufferT>();
    buffer->data.resize(elements.size() * sizeof(T));
    if (!elements.empty())
        std::memcpy(buffer->data.data(), elements.data(), buffer->data.size());
    model.buffers.push_back(std::move(buffer));
    return static_cast<uint32_t>(model.buffers.size()) - 1;
}

/// y = x + w, of shape [2, 3], w a constant.
inline ::tflite::ModelT smallTflite() {
    ::tflite::ModelT model = emptyTflite();
    ::tflite::SubGraphT& graph = *model.subgraphs[0];
    const uint32_t buffer = addBuffer<float>(model, {1, 2, 3, 4, 5, 6});
    const int32_t x = addTensor(graph, "x", {2, 3}), y = addTensor(graph, "y", {2, 3});
    const int32_t w = addTensor(graph, "w", {2, 3}, ::tflite::TensorType_FLOAT32, buffer);
    graph.inputs = {x};
    graph.outputs = {y};
    addOperator(model, graph, ::tflite::BuiltinOperator_ADD, {x, w}, {y});
    return model;
}

/// y = sum + x, of shape [2, 3], where the variable `sum` becomes y; it begins as 1, 2, … 6.
inline ::tflite::ModelT streamTflite() {
    ::tflite::ModelT model = emptyTflite();
    model.subgraphs.push_back(std::make_unique<::tflite::SubGraphT>());
    ::tflite::SubGraphT &graph = *model.subgraphs[0], &once = *model.subgraphs[1];
    once.name = "once";
    const auto addHandle = [&](::tflite::SubGraphT& into) {
        const int32_t handle = addTensor(into, "handle", {}, ::tflite::TensorType_RESOURCE);
        ::tflite::VarHandleOptionsT names;
        names.shared_name = "sum";
        addOperator(model, into, ::tflite::BuiltinOperator_VAR_HANDLE, {}, {handle})
            .builtin_options.Set(std::move(names));
        return handle;
    };
    const uint32_t buffer = addBuffer<float>(model, {1, 2, 3, 4, 5, 6});
    const int32_t first = addTensor(once, "first", {2, 3}, ::tflite::TensorType_FLOAT32, buffer);
    addOperator(model, once, ::tflite::BuiltinOperator_ASSIGN_VARIABLE, {addHandle(once), first}, {});
    const int32_t x = addTensor(graph, "x", {2, 3}), y = addTensor(graph, "y", {2, 3});
    const int32_t before = addTensor(graph, "before", {2, 3});
    graph.inputs = {x};
    graph.outputs = {y};
    ::tflite::CallOnceOptionsT call;
    call.init_subgraph_index = 1;
    addOperator(model, graph, ::tflite::BuiltinOperator_CALL_ONCE, {}, {}).builtin_options.Set(std::move(call));
    const int32_t handle = addHandle(graph);
    addOperator(model, graph, ::tflite::BuiltinOperator_READ_VARIABLE, {handle}, {before});
    addOperator(model, graph, ::tflite::BuiltinOperator_ADD, {before, x}, {y});
    addOperator(model, graph, ::tflite::BuiltinOperator_ASSIGN_VARIABLE, {handle, y}, {});
    return model;
}

inline std::string bytesOf(const ::tflite::ModelT& model) {
    flatbuffers::FlatBufferBuilder builder;
    ::tflite::FinishModelBuffer(builder, ::tflite::Model::Pack(builder, &model));
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

} // namespace lathe::testing
