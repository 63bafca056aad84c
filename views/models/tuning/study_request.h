// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the user wants tuned, and for how long.
#pragma once

#include "inspect/sweep.h"
#include "tune/control.h"

#include <QString>
#include <QStringList>
#include <optional>

namespace lathe::views::models {

struct StudyRequest {
    bool resume = false; // the study that is shown goes on
    QString study;       // its id
    QStringList kernels; // by name; empty: all
    bool graph = true;   // variants, layouts and fusion too
    tune::Limits limits;
    QString search, space;
    std::optional<inspect::SweepQuestion> sizes; // that open kernels are to be fast at; nothing: they are left out
    double leastGain = 0.01;                     // below that a schedule is not worth taking
    quint64 seed = 0;
    bool records = true;
};

} // namespace lathe::views::models
