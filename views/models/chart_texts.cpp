// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/chart_texts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace lathe::views::models {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Charts", text);
}

QString percent(double share) {
    return QStringLiteral("%1 %").arg(share * 100, 0, 'f', 1);
}

QString nameOf(const lower::PlacedBuffer& buffer) {
    const QString name = QString::fromStdString(buffer.use.name);
    const std::string_view kind = toString(buffer.use.kind);
    const QString what = QString::fromUtf8(kind.data(), qsizetype(kind.size()));
    if (name.isEmpty())
        return what;
    return buffer.use.kind == lower::BufferUse::Kind::Value ? name : tr("%1 of %2").arg(what, name);
}

QString functionAt(const driver::Trace& trace, int call) {
    return size_t(call) < trace.calls.size() ? QString::fromStdString(trace.calls[size_t(call)].function) : QString();
}

} // namespace

QString bytesText(double bytes) {
    const char* unit = "B";
    for (const char* next : {"kB", "MB", "GB"}) {
        if (bytes < 1000)
            break;
        bytes /= 1000;
        unit = next;
    }
    return QStringLiteral("%1 %2").arg(bytes, 0, 'g', 3).arg(QLatin1String(unit));
}

QString textOf(const driver::ProfileRow& row, const driver::RooflinePoint& point) {
    const std::string_view bound = toString(point.bound);
    return tr("%1\n%2 ms, %3 GFLOP/s, %4 GB/s\n%5 of what the machine can do, bound by %6")
        .arg(QString::fromStdString(row.function))
        .arg(row.ms, 0, 'g', 4)
        .arg(row.gflops(), 0, 'f', 1)
        .arg(row.gbs(), 0, 'f', 1)
        .arg(percent(point.share), QString::fromUtf8(bound.data(), qsizetype(bound.size())));
}

QString summaryOf(const driver::Roofline& roofline, const driver::Profile& profile) {
    double shares[3] = {};
    for (const driver::RooflinePoint& point : roofline.points)
        shares[size_t(point.bound)] += profile.rows[point.row].share;
    return tr("This machine reached %1 GFLOP/s and %2 GB/s from memory. Of the time, %3 is bound by compute, %4 by "
              "memory, "
              "%5 by caches. A click selects the function.")
        .arg(roofline.peak.gflops, 0, 'f', 1)
        .arg(roofline.peak.gbs, 0, 'f', 1)
        .arg(percent(shares[0]), percent(shares[1]), percent(shares[2]));
}

QString textOf(const driver::Trace& trace, const driver::MemoryChart::Buffer& buffer) {
    const lower::PlacedBuffer& record = trace.buffers[buffer.index];
    return tr("%1\n%2, from call %3 (%4) to %5 (%6)")
        .arg(nameOf(record), bytesText(double(buffer.bytes)))
        .arg(record.firstCall)
        .arg(functionAt(trace, record.firstCall))
        .arg(record.lastCall)
        .arg(functionAt(trace, record.lastCall));
}

QString summaryOf(const driver::Trace& trace, const driver::MemoryChart& chart) {
    constexpr size_t named = 3;
    QStringList culprits;
    for (size_t i = 0; i < std::min(named, chart.culprits.size()); ++i) {
        const driver::MemoryChart::Buffer& buffer = chart.buffers[chart.culprits[i]];
        culprits << tr("%1 (%2)").arg(nameOf(trace.buffers[buffer.index]), bytesText(double(buffer.bytes)));
    }
    QString text = tr("%1 are alive at the peak, at call %2 (%3): above all %4.")
                       .arg(bytesText(double(chart.peak())))
                       .arg(chart.peakCall)
                       .arg(functionAt(trace, chart.peakCall), culprits.join(QStringLiteral(", ")));
    if (chart.reserved)
        text += tr(" The plan takes %1.").arg(bytesText(double(*chart.reserved)));
    if (chart.unknown)
        text += tr(" How large %1 more are, only a run tells.").arg(chart.unknown);
    return text;
}

} // namespace lathe::views::models
