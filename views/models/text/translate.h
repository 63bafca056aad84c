// SPDX-License-Identifier: GPL-3.0-or-later
//
// Words of what is no QObject, for translators.
#pragma once

#include <QCoreApplication>

namespace lathe::views::models {

inline QString tr(const char* text) {
    return QCoreApplication::translate("Models", text);
}

} // namespace lathe::views::models
