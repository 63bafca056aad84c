// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numbers of things in English: "1 node", "1,204 nodes". (Qt's own %n needs a translation file for that, English too.)
#pragma once

#include <QLocale>
#include <QString>

namespace lathe::views::models {

inline QString grouped(qint64 number) {
    return QLocale(QLocale::English).toString(number);
}

inline QString counted(qint64 number, const char* one, const char* many) {
    return grouped(number) + ' ' + QString::fromUtf8(number == 1 ? one : many);
}

} // namespace lathe::views::models
