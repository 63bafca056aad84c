// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/open_sizes.h"

#include "model/size_name.h"

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

} // namespace

std::vector<OpenSize> openSizesOf(const model::ModelGraph& graph) {
    std::vector<OpenSize> sizes;
    if (!graph.graph)
        return sizes;
    for (const model::Value& input : graph.graph->inputs)
        for (size_t dim = 0; dim < input.type.shape.size(); ++dim) {
            const QString name = nameOf(input, dim);
            if (name.isEmpty())
                continue;
            auto known = std::ranges::find(sizes, name, &OpenSize::name);
            if (known == sizes.end())
                known = sizes.insert(sizes.end(), {name, {}});
            known->where << QStringLiteral("%1[%2]").arg(QString::fromStdString(input.name)).arg(dim);
        }
    return sizes;
}

driver::Shapes shapesWith(const model::ModelGraph& graph, const SizeValues& values) {
    driver::Shapes shapes;
    if (!graph.graph)
        return shapes;
    for (const model::Value& input : graph.graph->inputs) {
        std::vector<int64_t> dims;
        bool isOpen = false;
        for (size_t dim = 0; dim < input.type.shape.size(); ++dim) {
            const QString name = nameOf(input, dim);
            const auto given = values.find(name);
            isOpen |= !name.isEmpty();
            dims.push_back(name.isEmpty() ? input.type.shape[dim].value : given == values.end() ? 1 : given->second);
        }
        if (isOpen)
            shapes.emplace_back(input.name, std::move(dims));
    }
    return shapes;
}

QString textOf(const driver::Shapes& shapes) {
    QStringList texts;
    for (const auto& [name, dims] : shapes) {
        QStringList sizes;
        for (const int64_t dim : dims)
            sizes << QString::number(dim);
        texts << QString::fromStdString(name) + ' ' +
                     (sizes.isEmpty() ? QStringLiteral("scalar") : sizes.join(QChar(0xd7)));
    }
    return texts.join(QStringLiteral(", "));
}

} // namespace lathe::views::models
