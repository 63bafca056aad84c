// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/profile/chart_texts.h"

#include "views/models/text/translate.h"

#include <QStringList>
#include <algorithm>

namespace lathe::views::models {

namespace {

QString percent(double share) {
    return QStringLiteral("%1 %").arg(share * 100, 0, 'f', 1);
}

QString nameText(std::string_view view) {
    return QString::fromUtf8(view.data(), qsizetype(view.size()));
}

} // namespace

QString bytesText(double bytes) {
    const char* unit = "B";
    for (const char* next : {"kB", "MB", "GB"}) {
        if (bytes < 999.5) // more would be rounded to 1000
            break;
        bytes /= 1000;
        unit = next;
    }
    return QStringLiteral("%1 %2").arg(bytes, 0, 'g', 3).arg(QLatin1String(unit));
}

QString textOf(const inspect::ProfileRow& row, const inspect::RooflinePoint& point) {
    const std::string_view bound = toString(point.bound);
    return tr("%1\n%2 ms, %3 GFLOP/s, %4 GB/s\n%5 of what the machine can do, bound by %6")
        .arg(QString::fromStdString(row.function))
        .arg(row.ms, 0, 'g', 4)
        .arg(row.gflops(), 0, 'f', 1)
        .arg(row.gbs(), 0, 'f', 1)
        .arg(percent(point.share), QString::fromUtf8(bound.data(), qsizetype(bound.size())));
}

QString summaryOf(const inspect::Roofline& roofline, const inspect::Profile& profile) {
    double shares[3] = {};
    for (const inspect::RooflinePoint& point : roofline.points)
        shares[size_t(point.bound)] += profile.rows[point.row].share;
    return tr("This machine reached %1 GFLOP/s and %2 GB/s from memory. Of the time, %3 is bound by compute, %4 by "
              "memory, "
              "%5 by caches. A click selects the function.")
        .arg(roofline.peak.gflops, 0, 'f', 1)
        .arg(roofline.peak.gbs, 0, 'f', 1)
        .arg(percent(shares[0]), percent(shares[1]), percent(shares[2]));
}

QString textOf(const driver::Trace& trace, const inspect::MemoryChart::Buffer& buffer) {
    const lower::PlacedBuffer& record = trace.buffers[buffer.index];
    return tr("%1\n%2, from call %3 (%4) to %5 (%6)")
        .arg(nameText(inspect::nameOf(record)), bytesText(double(buffer.bytes)))
        .arg(record.firstCall)
        .arg(nameText(inspect::functionAt(trace, record.firstCall)))
        .arg(record.lastCall)
        .arg(nameText(inspect::functionAt(trace, record.lastCall)));
}

QString summaryOf(const driver::Trace& trace, const inspect::MemoryChart& chart) {
    constexpr size_t named = 3;
    QStringList culprits;
    for (size_t i = 0; i < std::min(named, chart.culprits.size()); ++i) {
        const inspect::MemoryChart::Buffer& buffer = chart.buffers[chart.culprits[i]];
        culprits << tr("%1 (%2)").arg(nameText(inspect::nameOf(trace.buffers[buffer.index])),
                                      bytesText(double(buffer.bytes)));
    }
    QString summary =
        tr("%1 are alive at the peak, at call %2 (%3): above all %4.")
            .arg(bytesText(double(chart.peak())))
            .arg(chart.peakCall)
            .arg(nameText(inspect::functionAt(trace, chart.peakCall)), culprits.join(QStringLiteral(", ")));
    if (chart.reserved)
        summary += tr(" The plan takes %1.").arg(bytesText(double(*chart.reserved)));
    if (chart.unknown)
        summary += tr(" How large %1 more are, only a run tells.").arg(chart.unknown);
    return summary;
}

} // namespace lathe::views::models
