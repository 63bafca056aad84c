// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the Engine is asked for where it tunes.
#pragma once

#include "tuning/tune_model.h"

#include <QString>

namespace lathe::app {

/// A study of the open model.
struct TuneWish {
    tuning::TuneOptions options; // without what is called
    QString name;                // of the study; empty: the model's
    bool records = true;         // it is recorded
    bool resume = false;         // one of the model goes on
    QString study;               // the id of that one; empty: the last
};

} // namespace lathe::app
