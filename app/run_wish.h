// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the Engine is asked for where it runs a model.
#pragma once

#include "inspect/input_choice.h"
#include "inspect/states.h"

#include <memory>

namespace lathe::app {

/// What a run begins with.
struct RunWish {
    driver::Shapes shapes; // of the inputs, as far as no file says them (inspect::inputShapes)
    inspect::InputChoice inputs;
    inspect::StateBeginnings states;                   // how they begin,
    std::shared_ptr<const inspect::Tensors> left = {}; // else with these, else as the model says
};

} // namespace lathe::app
