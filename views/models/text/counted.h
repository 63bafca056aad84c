// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numbers of things in English: "1 node", "1,204 nodes". (Qt's own %n needs a translation file for that, English too.)
// Large figures with a prefix: "1.23 M", "1.23 MFLOP". Times of kernels, which go from nanoseconds to seconds.
#pragma once

#include <QLocale>
#include <QString>
#include <cmath>
#include <iterator>

namespace lathe::views::models {

inline QString grouped(qint64 number) {
    return QLocale(QLocale::English).toString(number);
}

inline QString counted(qint64 number, const char* one, const char* many) {
    return grouped(number) + ' ' + QString::fromUtf8(number == 1 ? one : many);
}

/// With three digits where it is not below 1000.
inline QString shortened(double value, const char* unit = "") {
    const char* const prefixes[] = {"", "k", "M", "G", "T"};
    size_t prefix = 0;
    for (; value >= 999.5 && prefix + 1 < std::size(prefixes); ++prefix) // it would be rounded to 1000
        value /= 1000;
    const QString number = QString::number(value, 'f', prefix == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
    return QStringLiteral("%1 %2%3").arg(number, QLatin1String(prefixes[prefix]), QLatin1String(unit)).trimmed();
}

/// Milliseconds with three digits or more down to the nanosecond: "12.34", "0.208", "0.0425", "0.000123".
inline QString msText(double ms) {
    const double size = std::abs(ms);
    const int decimals = size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : size >= 0.01 ? 4 : size >= 0.001 ? 5 : 6;
    return QString::number(ms, 'f', decimals);
}

} // namespace lathe::views::models
