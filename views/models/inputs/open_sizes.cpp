// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/inputs/open_sizes.h"

#include "arith/analysis.h"
#include "model/host_tensor.h"
#include "model/size_name.h"
#include "relay/ir.h"
#include "tuning/tune_model.h"
#include "views/models/text/one_line.h"

#include <QHash>
#include <algorithm>

namespace lathe::views::models {

namespace {

/// The name of an open dim; empty: its size is fixed.
QString nameOf(const model::Value& input, size_t dim) {
    const model::Dim& declared = input.type.shape[dim];
    if (declared.value >= 0)
        return {};
    if (model::isSizeName(declared.name))
        return QString::fromStdString(declared.name);
    return QStringLiteral("%1[%2]").arg(QString::fromStdString(input.name)).arg(dim);
}

bool hasOpenSize(const model::Value& input) {
    return std::ranges::any_of(input.type.shape, [](const model::Dim& dim) { return dim.value < 0; });
}

std::vector<int64_t> dimsWith(const model::Value& input, const SizeValues& values) {
    std::vector<int64_t> dims;
    for (size_t dim = 0; dim < input.type.shape.size(); ++dim) {
        const QString name = nameOf(input, dim);
        const auto given = values.find(name);
        dims.push_back(name.isEmpty() ? input.type.shape[dim].value : given == values.end() ? 1 : given->second);
    }
    return dims;
}

} // namespace

std::vector<OpenSize> openSizesOf(const model::ModelGraph& graph) {
    std::vector<OpenSize> sizes;
    QHash<QString, size_t> places;
    if (!graph.graph)
        return sizes;
    for (const model::Value& input : graph.graph->inputs)
        for (size_t dim = 0; dim < input.type.shape.size(); ++dim) {
            const QString name = nameOf(input, dim);
            if (name.isEmpty())
                continue;
            if (!places.contains(name)) {
                places.insert(name, sizes.size());
                sizes.push_back({name, {}});
            }
            sizes[places[name]].where << QStringLiteral("%1[%2]").arg(QString::fromStdString(input.name)).arg(dim);
        }
    return sizes;
}

std::vector<OpenSize> openSizesOf(const driver::Trace& trace) {
    if (!trace.graph)
        return {};
    std::vector<OpenSize> sizes = openSizesOf(*trace.graph);
    const driver::ModulePtr imported = trace.passes.empty() ? nullptr : trace.passes.front().after;
    if (!imported)
        return sizes;
    QStringList fixed;
    for (const relay::Param& param : relay::inputParams(imported->main()))
        if (const relay::TensorType* type = relay::asTensor(param.type))
            for (size_t dim = 0; dim < type->shape.size(); ++dim)
                if (arith::asInt(type->shape[dim]))
                    fixed << QStringLiteral("%1[%2]").arg(QString::fromStdString(param.name)).arg(dim);
    std::erase_if(sizes, [&](const OpenSize& size) {
        return std::ranges::any_of(size.where, [&](const QString& dim) { return fixed.contains(dim); });
    });
    return sizes;
}

bool hasUndeclaredShapes(const model::ModelGraph& graph) {
    return graph.graph && std::ranges::any_of(graph.graph->inputs, [](const model::Value& input) {
               return input.type.kind == model::ValueType::Kind::Tensor && !input.type.hasShape;
           });
}

driver::Shapes shapesWith(const model::ModelGraph& graph, const SizeValues& values) {
    driver::Shapes shapes;
    if (graph.graph)
        for (const model::Value& input : graph.graph->inputs)
            if (hasOpenSize(input))
                shapes.emplace_back(input.name, dimsWith(input, values));
    return shapes;
}

driver::Shapes declaredShapes(const model::ModelGraph& graph, const SizeValues& values) {
    driver::Shapes shapes;
    if (graph.graph)
        for (const model::Value& input : graph.graph->inputs)
            if (input.type.kind == model::ValueType::Kind::Tensor && input.type.hasShape)
                shapes.emplace_back(input.name, dimsWith(input, values));
    return shapes;
}

Result<inspect::SweepQuestion> tunedSizesOf(const model::ModelGraph& graph, const QString& text) {
    LATHE_TRY(inspect::SweepQuestion question, lathe::tuning::parseTunedSizes(text.toStdString()));
    const QString name = QString::fromStdString(question.name);
    for (const int64_t size : question.sizes)
        for (const auto& [input, dims] : shapesWith(graph, {{name, size}})) {
            const auto value = std::ranges::find(graph.graph->inputs, input, &model::Value::name);
            if (!model::byteSize(value->type.dtype, dims))
                return failure(ErrorKind::Usage, textOf({{input, dims}}).toStdString() + " is too large for a tensor",
                               "choose smaller sizes");
        }
    return question;
}

QString textOf(const driver::Shapes& shapes) {
    QStringList texts;
    for (const auto& [name, dims] : shapes) {
        QStringList sizes;
        for (const int64_t dim : dims)
            sizes << QString::number(dim);
        texts << oneLine(name, longestNameInText) + ' ' +
                     (sizes.isEmpty() ? QStringLiteral("scalar") : sizes.join(QChar(0xd7)));
    }
    return texts.join(QStringLiteral(", "));
}

} // namespace lathe::views::models
