// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the user wants tuned, and for how long.
#pragma once

#include "tune/control.h"

#include <QString>
#include <QStringList>

namespace lathe::views::models {

struct StudyRequest {
    bool resume = false; // the last study of the model goes on
    QStringList kernels; // by name; empty: all
    tune::Limits limits;
    QString search, space;
    double leastGain = 0.01; // below that a schedule is not worth taking
    quint64 seed = 0;
    bool records = true;
};

} // namespace lathe::views::models
