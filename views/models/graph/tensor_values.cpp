// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/tensor_values.h"

#include "base/guarded.h"
#include "driver/tensor_files.h"
#include "model/host_tensor.h"
#include "views/models/graph/graph_picture.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lathe::views::models {

namespace {

/// Graphs around the node, its own first.
std::vector<std::shared_ptr<const model::Graph>> graphsAround(const model::ModelGraph& model, int node) {
    std::vector<std::shared_ptr<const model::Graph>> graphs{model.graph};
    for (const auto& [outer, attribute] : wayTo(model, node))
        for (const auto& [name, nested] : nestedGraphs(*model.nodes[size_t(outer)]))
            if (name == attribute)
                graphs.insert(graphs.begin(), nested);
    return graphs;
}

model::TensorPtr heldBy(const model::ModelGraph& model, const model::Node& node) {
    if (roleOf(model, node).family != model::Family::Constant)
        return nullptr;
    for (const model::Attribute& attribute : node.attributes)
        if (const auto* tensor = std::get_if<model::TensorPtr>(&attribute.value))
            return *tensor;
    return nullptr;
}

/// As many bits as the text of a number needs: 64 of the wide integers, which no double holds.
template <typename T>
T wideAt(const model::TensorData& tensor, int64_t place) {
    T value;
    std::memcpy(&value, tensor.bytes.view.data() + size_t(place) * sizeof(T), sizeof(T));
    return value;
}

} // namespace

std::vector<model::TensorPtr> constantsOf(const model::ModelGraph& model, int node,
                                          const std::vector<std::string>& values) {
    std::unordered_map<std::string_view, model::TensorPtr> known; // null: it is found, and no constant
    const std::unordered_set<std::string_view> wanted(values.begin(), values.end());
    for (const auto& graph : graphsAround(model, node)) {
        for (const model::Initializer& initializer : graph->initializers)
            if (wanted.contains(initializer.name))
                known.emplace(initializer.name, initializer.tensor);
        for (const model::Value& input : graph->inputs)
            if (wanted.contains(input.name))
                known.emplace(input.name, nullptr);
        for (const model::Node& each : graph->nodes)
            for (const std::string& output : each.outputs)
                if (wanted.contains(output) && !output.empty())
                    known.emplace(output, heldBy(model, each));
    }
    std::vector<model::TensorPtr> constants;
    for (const std::string& value : values)
        constants.push_back(known[value]);
    return constants;
}

CheckedTensors checkedTensors(diagnose::CheckedValue value) {
    const auto taken = [](std::optional<model::HostTensor>& tensor) -> model::TensorPtr {
        return tensor ? model::toData(*std::move(tensor)) : nullptr;
    };
    return {.name = QString::fromStdString(value.value),
            .got = taken(value.got),
            .expected = taken(value.expected),
            .difference = taken(value.difference),
            .why = QString::fromStdString(value.why)};
}

QString typeText(const model::TensorData& tensor) {
    QStringList dims;
    for (const int64_t dim : tensor.shape)
        dims << QString::number(dim);
    return QString::fromStdString(toString(tensor.dtype)) + '[' + dims.join(',') + ']';
}

QString elementText(const model::TensorData& tensor, int64_t place, int digits) {
    if (tensor.dtype == types::String)
        return QString::fromStdString(tensor.strings[size_t(place)]);
    if (tensor.dtype == types::Int64)
        return QString::number(wideAt<int64_t>(tensor, place));
    if (tensor.dtype == types::UInt64)
        return QString::number(wideAt<uint64_t>(tensor, place));
    const double value = model::elementAsDouble(tensor.dtype, tensor.bytes.view, size_t(place));
    if (tensor.dtype.isBool())
        return value != 0 ? QStringLiteral("true") : QStringLiteral("false");
    if (!tensor.dtype.isFloat())
        return QString::number(qint64(value));
    if (digits > 0)
        return QString::number(value, 'g', digits);
    return tensor.dtype == types::Float64 ? QString::number(value, 'g', QLocale::FloatingPointShortest)
                                          : QString::number(value, 'g', 9);
}

QString numberText(double value) {
    return QString::number(value, 'g', 7);
}

QString saveNpy(const QString& path, const model::TensorData& tensor, const std::function<bool()>& cancelled) {
    const auto written = guarded([&] {
        if (tensor.dtype == types::String)
            return driver::writeNpy(path.toStdString(), tensor.shape, tensor.strings);
        return driver::writeNpy(path.toStdString(), {tensor.dtype, tensor.shape, tensor.bytes.view}, cancelled);
    });
    if (written)
        return {};
    const Diagnostic& problem = written.error();
    return QStringLiteral("%1: %2. %3")
        .arg(path, QString::fromStdString(problem.what), QString::fromStdString(problem.hint));
}

QString npyNameOf(const QString& name) {
    return QString::fromStdString(driver::fileNameOf(name.toStdString())) + ".npy";
}

} // namespace lathe::views::models
