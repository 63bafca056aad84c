// SPDX-License-Identifier: Apache-2.0
//
// What a program asks of tensors without computing with their elements: sizes, types, devices; and what changes nothing that is
// computed, as gradients and warnings do.
#include "frontend/torch/scalar_type.h"
#include "frontend/torch/script/containers.h"
#include "frontend/torch/script/numbers.h"
#include "frontend/torch/script/strides.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

using Fact = Builtins::Result;

/// The dims of a tensor of any kind; nothing if the argument is none.
std::optional<Dims> shapeAt(Evaluator& e, const Arguments& a) {
    Builder& b = Builtins::builder(e);
    if (a.values.empty())
        return std::nullopt;
    if (const TensorRef* ref = a.values[0].as<TensorRef>())
        return b.shape(Builtins::read(e, *ref));
    if (const Quantized* quantized = a.values[0].as<Quantized>())
        return b.shape(Builtins::read(e, {quantized->integers}));
    if (const Complex* complex = a.values[0].as<Complex>()) {
        Dims shape = b.shape(complex->parts);
        shape.pop_back();
        return shape;
    }
    return std::nullopt;
}
const TensorRef* tensorAt(const Arguments& a, size_t place = 0) {
    return place < a.values.size() ? a.values[place].as<TensorRef>() : nullptr;
}
bool isTensorAt(const Arguments& a) {
    return !a.values.empty() &&
           (a.values[0].as<TensorRef>() || a.values[0].as<Quantized>() || a.values[0].as<Complex>());
}
ScriptValue listOfExprs(Evaluator& e, const std::vector<Expr>& elements) {
    ScriptValues items;
    for (const Expr& element : elements)
        items.push_back(fromExpr(element));
    return listOf(e, std::move(items));
}

// ---- sizes

Fact sizeOf(Evaluator& e, const Arguments& a) {
    const std::optional<Dims> shape = shapeAt(e, a);
    if (!shape)
        return std::nullopt;
    const ScriptValue* axis = a.find(1, "dim");
    if (!axis)
        return listOfExprs(e, *shape);
    const std::optional<int64_t> at = asInt(*axis);
    const auto rank = static_cast<int64_t>(shape->size());
    if (!at || *at < -rank || *at >= rank) {
        Builtins::fail(e, "a tensor is asked for the size of a dim that it does not have");
        return std::nullopt;
    }
    return fromExpr((*shape)[static_cast<size_t>(*at < 0 ? *at + rank : *at)]);
}
Fact rankOf(Evaluator& e, const Arguments& a) {
    const std::optional<Dims> shape = shapeAt(e, a);
    return shape ? Fact(Expr(static_cast<int64_t>(shape->size()))) : std::nullopt;
}
Fact elementsOf(Evaluator& e, const Arguments& a) {
    const std::optional<Dims> shape = shapeAt(e, a);
    return shape ? Fact(fromExpr(product(*shape))) : std::nullopt;
}
Fact lengthOf(Evaluator& e, const Arguments& a) {
    const std::optional<Dims> shape = shapeAt(e, a);
    return shape && !shape->empty() ? Fact(fromExpr(shape->front())) : std::nullopt;
}
Fact stridesOf(Evaluator& e, const Arguments& a) {
    const TensorRef* ref = tensorAt(a);
    const std::optional<Ints> strides = ref ? Builtins::strides(e, *ref) : std::nullopt;
    if (!ref)
        return std::nullopt;
    if (!strides) {
        Builtins::refuse(e, "a tensor is asked for strides that are not known",
                         "let the program not depend on strides");
        return std::nullopt;
    }
    const ScriptValue* axis = a.find(1, "dim");
    if (!axis)
        return listOfExprs(e, toDims(*strides));
    const std::optional<size_t> at = placeAt(e, strides->size(), *axis);
    return at ? Fact(Expr((*strides)[*at])) : std::nullopt;
}
Fact liesInRows(Evaluator& e, const Arguments& a) {
    const TensorRef* ref = tensorAt(a);
    const std::optional<Ints> strides = ref ? Builtins::strides(e, *ref) : std::nullopt;
    const std::optional<Ints> sizes = ref ? knownSizes(*shapeAt(e, a)) : std::nullopt;
    return ref ? Fact(!strides || !sizes || isContiguous(*sizes, *strides)) : std::nullopt;
}

// ---- types and devices

Fact typeOf(Evaluator& e, const Arguments& a) {
    Builder& b = Builtins::builder(e);
    if (const TensorRef* ref = tensorAt(a)) {
        const std::optional<int64_t> code = codeOfType(b.dtype(Builtins::read(e, *ref)));
        return code ? Fact(Expr(*code)) : std::nullopt;
    }
    constexpr int64_t qint8 = 12, quint8 = 13, qint32 = 14, complex64 = 9, complex128 = 10;
    if (const Quantized* quantized = a.values.empty() ? nullptr : a.values[0].as<Quantized>()) {
        const DataType dtype = b.dtype(Builtins::read(e, {quantized->integers}));
        return Expr(dtype == types::Int8 ? qint8 : dtype == types::UInt8 ? quint8 : qint32);
    }
    if (const Complex* complex = a.values.empty() ? nullptr : a.values[0].as<Complex>())
        return Expr(b.dtype(complex->parts) == types::Float64 ? complex128 : complex64);
    return std::nullopt;
}
Fact isOfFloats(Evaluator& e, const Arguments& a) {
    const TensorRef* ref = tensorAt(a);
    return ref ? Fact(Builtins::builder(e).dtype(Builtins::read(e, *ref)).isFloat()) : std::nullopt;
}
Fact isOfComplex(Evaluator&, const Arguments& a) {
    return isTensorAt(a) ? Fact(a.values[0].as<Complex>() != nullptr) : std::nullopt;
}
Fact isOfQuantized(Evaluator&, const Arguments& a) {
    return isTensorAt(a) ? Fact(a.values[0].as<Quantized>() != nullptr) : std::nullopt;
}
Fact bytesOfElement(Evaluator& e, const Arguments& a) {
    const TensorRef* ref = tensorAt(a);
    return ref ? Fact(Expr(static_cast<int64_t>(Builtins::builder(e).dtype(Builtins::read(e, *ref)).bytes())))
               : std::nullopt;
}
Fact theDevice(Evaluator&, const Arguments&) {
    return Device{"cpu"};
}
Fact namedDevice(Evaluator&, const Arguments& a) {
    const std::string* name = a.values.empty() ? nullptr : a.values[0].as<std::string>();
    const Device* device = a.values.empty() ? nullptr : a.values[0].as<Device>();
    return name ? Fact(Device{*name}) : device ? Fact(*device) : std::nullopt;
}
Fact kindOfDevice(Evaluator&, const Arguments& a) {
    const Device* device = a.values.empty() ? nullptr : a.values[0].as<Device>();
    return device ? Fact(device->name.substr(0, device->name.find(':'))) : std::nullopt;
}
Fact theLayout(Evaluator&, const Arguments&) {
    return Expr(0);
}

// ---- what changes nothing

Fact itself(Evaluator&, const Arguments& a) {
    return a.values.empty() ? std::nullopt : Fact(a.values[0]);
}
Fact tensorItself(Evaluator&, const Arguments& a) {
    return isTensorAt(a) ? Fact(a.values[0]) : std::nullopt;
}
Fact nothing(Evaluator&, const Arguments&) {
    return ScriptValue();
}
Fact never(Evaluator&, const Arguments&) {
    return false;
}
Fact raised(Evaluator& e, const Arguments& a) {
    const std::string* message = a.values.empty() ? nullptr : a.values[0].as<std::string>();
    Builtins::raise(e, message ? *message : std::string("an exception"));
    return ScriptValue();
}
/// On a device, of a type, or as another tensor; those of a device alone leave it as it is.
Fact movedTo(Evaluator& e, const Arguments& a) {
    if (!isTensorAt(a) || a.values.size() < 2 || !a.names[1].empty())
        return std::nullopt;
    const bool namesDevice = a.values[1].as<Device>() || a.values[1].as<std::string>();
    const bool isMeant = namesDevice || (a.values[1].isNone() && a.values.size() > 2);
    if (!isMeant)
        return a.values[1].isNone() ? Fact(a.values[0]) : std::nullopt;
    Arguments without;
    without.add(a.values[0]);
    for (size_t i = 2; i < a.values.size(); ++i)
        without.add(a.values[i], a.names[i]);
    const bool hasType = without.values.size() > 1 && asInt(without.values[1]);
    if (hasType)
        return Fact(Builtins::callOperator(e, "aten.to", std::move(without)));
    // (self, device, dtype, non_blocking, copy)
    const ScriptValue* copies = a.find(4, "copy");
    if (!copies || !copies->as<bool>() || !*copies->as<bool>())
        return a.values[0];
    Arguments copied;
    copied.add(a.values[0]);
    return Fact(Builtins::callOperator(e, "aten.clone", std::move(copied)));
}

template <const char* const& name>
Fact alias(Evaluator& e, const Arguments& a) {
    return isTensorAt(a) ? Fact(Builtins::callOperator(e, name, a)) : std::nullopt;
}
constexpr const char* const transposed = "aten.numpy_T";
constexpr const char* const lastTransposed = "aten.mT";
constexpr const char* const realParts = "aten.real";
constexpr const char* const imaginaryParts = "aten.imag";

constexpr auto tensorRows = std::to_array<Builtins::Row>({
    {"aten._get_tracing_state", never},
    {"aten._version", theLayout},
    {"aten.cpu", tensorItself},
    {"aten.cuda", tensorItself},
    {"aten.detach_", tensorItself},
    {"aten.device", namedDevice},
    {"aten.dim", rankOf},
    {"aten.element_size", bytesOfElement},
    {"aten.get_device", theLayout},
    {"aten.is_autocast_cpu_enabled", never},
    {"aten.is_autocast_enabled", never},
    {"aten.is_complex", isOfComplex},
    {"aten.is_contiguous", liesInRows},
    {"aten.is_floating_point", isOfFloats},
    {"aten.is_grad_enabled", never},
    {"aten.is_quantized", isOfQuantized},
    {"aten.is_scripting", never},
    {"aten.len", lengthOf},
    {"aten.manual_seed", nothing},
    {"aten.ndimension", rankOf},
    {"aten.numel", elementsOf},
    {"aten.requires_grad_", tensorItself},
    {"aten.set_grad_enabled", nothing},
    {"aten.size", sizeOf},
    {"aten.storage_offset", theLayout},
    {"aten.stride", stridesOf},
    {"aten.to", movedTo},
    {"aten.wait", itself},
    {"aten.warn", nothing},
    {"prim.H", alias<lastTransposed>},
    {"prim.RaiseException", raised},
    {"prim.T", alias<transposed>},
    {"prim.data", tensorItself},
    {"prim.device", theDevice},
    {"prim.dtype", typeOf},
    {"prim.imag", alias<imaginaryParts>},
    {"prim.index", theLayout},
    {"prim.is_cuda", never},
    {"prim.is_meta", never},
    {"prim.is_mkldnn", never},
    {"prim.is_mps", never},
    {"prim.is_nested", never},
    {"prim.is_quantized", isOfQuantized},
    {"prim.is_sparse", never},
    {"prim.layout", theLayout},
    {"prim.mT", alias<lastTransposed>},
    {"prim.ndim", rankOf},
    {"prim.numel", elementsOf},
    {"prim.real", alias<realParts>},
    {"prim.requires_grad", never},
    {"prim.shape", sizeOf},
    {"prim.type", kindOfDevice},
    {"prim.unchecked_unwrap_optional", itself},
    {"python.len", lengthOf},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofTensors() {
    return tensorRows;
}

} // namespace lathe::frontend::torch::script
