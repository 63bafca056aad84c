// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/open_work.h"

#include "driver/data_plugin.h"

#include <QFileInfo>
#include <algorithm>

namespace lathe::app {

driver::Options OpenWork::importOptions() const {
    driver::Options options;
    options.extensions = plugins;
    return options;
}

driver::Options OpenWork::options() const {
    driver::Options options = settings.options(*graph());
    options.extensions = plugins;
    return options;
}

driver::Shapes OpenWork::shapes() const {
    driver::Options asked;
    LATHE_ASSERT(settings.graphChoice.addTo(asked), "words that were read before");
    driver::Shapes all = views::models::declaredShapes(*graph(), settings.sizes);
    for (auto& shape : asked.shapes)
        if (std::ranges::find(all, shape.first, &driver::Shapes::value_type::first) == all.end())
            all.push_back(std::move(shape));
    return all;
}

QDateTime OpenWork::lastWritten() const {
    QDateTime last = QFileInfo(path).lastModified();
    if (trace)
        for (const std::filesystem::path& each : trace->files)
            if (const QFileInfo file(QString::fromStdString(each.string())); file.exists())
                last = std::max(last, file.lastModified());
    return last;
}

bool OpenWork::hasChanged() const {
    return QFileInfo::exists(path) && lastWritten() != changedAt;
}

QString OpenWork::besideModel(const QString& suffix) const {
    const QFileInfo model(path);
    return QStringLiteral("%1/%2%3").arg(model.absolutePath(), model.completeBaseName(), suffix);
}

std::shared_ptr<const driver::Extensions> installedPlugins(std::vector<Diagnostic>& problems) {
    const auto found = driver::findPlugins({}, driver::pluginFolders());
    if (!found) {
        problems.push_back(found.error());
        return nullptr;
    }
    for (const driver::FoundPlugin& each : *found)
        if (each.refused)
            problems.push_back(*each.refused);
    return driver::extensionsOf(*found);
}

} // namespace lathe::app
