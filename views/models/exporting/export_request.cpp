// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/exporting/export_request.h"

#include "views/models/text/translate.h"

#include <QLocale>
#include <QRegularExpression>
#include <algorithm>
#include <tuple>

namespace lathe::views::models {
namespace {

/// With as few digits as give the number back.
QString shortestText(double value) {
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QString sizeText(const ExportSize& size) {
    if (!size.most)
        return QStringLiteral("%1=%2").arg(size.name).arg(size.usual);
    return QStringLiteral("%1=%2..%3:%4").arg(size.name).arg(size.least).arg(*size.most).arg(size.usual);
}

} // namespace

ExportForm ExportChoices::form(const QString& text) const {
    const auto at = std::ranges::find(forms, text, &ExportForm::text);
    return at == forms.end() ? ExportForm{.text = text, .parts = parts} : *at;
}

ExportVerdict verdictOf(const ExportEnd& end) {
    if (!end.checked)
        return ExportVerdict::NotChecked;
    if (!end.good)
        return ExportVerdict::NotGood;
    const auto isRight = [](const ExportedTarget& each) { return each.outcome == QLatin1String("right"); };
    if (end.cases > 0)
        return std::ranges::all_of(end.targets, isRight) ? ExportVerdict::Right : ExportVerdict::RightInPart;
    return end.variant.isEmpty() ? ExportVerdict::Whole : ExportVerdict::Loads;
}

QString textOf(const ExportedTarget& target) {
    const std::pair<const char*, QString> texts[] = {
        {"right", tr("✓ right")}, {"loads", tr("✓ loads; nothing says that it is right")}, {"wrong", tr("✗ wrong")}};
    QString text = tr("not run");
    for (const auto& [outcome, shown] : texts)
        if (target.outcome == QLatin1String(outcome))
            text = shown;
    return target.why.isEmpty() ? text : tr("%1: %2").arg(text, target.why);
}

QString shellQuoted(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=,+@%-]+$"));
    if (plain.match(word).hasMatch())
        return word;
    return '\'' + QString(word).replace('\'', QStringLiteral("'\\''")) + '\'';
}

QString commandOf(const ExportRequest& request, const QString& model, const QStringList& settings) {
    const ExportRequest usual;
    QStringList words{"lathe", "bundle", model, "-o", request.out};
    const auto add = [&](const char* option, const QString& value) { words << option << value; };
    add("--name", request.name);
    if (request.version != usual.version)
        add("--version", request.version);
    if (!request.licence.isEmpty())
        add("--model-license", request.licence);
    if (request.form != usual.form)
        add("--form", request.form);
    for (const QString& target : request.targets)
        add("--target", target);
    add("--with", request.parts.join(','));
    for (const ExportSize& size : request.sizes)
        add("--symbol", sizeText(size));
    if (request.cases != usual.cases)
        add("--cases", QString::number(request.cases));
    if (request.tolerance != usual.tolerance)
        add("--tolerance", shortestText(request.tolerance));
    if (request.device != usual.device)
        add("--device", request.device);
    QStringList limits;
    for (const auto& [name, value, unit] :
         {std::tuple{"p50", request.p50Ms, "ms"}, std::tuple{"p99", request.p99Ms, "ms"},
          std::tuple{"load", request.loadMs, "ms"}, std::tuple{"resident", request.residentMb, "MB"},
          std::tuple{"size", request.sizeMb, "MB"}})
        if (value > 0)
            limits << QStringLiteral("%1=%2%3").arg(QLatin1String(name), shortestText(value), QLatin1String(unit));
    if (!limits.isEmpty())
        add("--limit", limits.join(','));
    words << settings;
    if (request.replace)
        words << "--force";
    for (QString& word : words)
        word = shellQuoted(word);
    return words.join(' ');
}

} // namespace lathe::views::models
