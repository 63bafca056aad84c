// SPDX-License-Identifier: Apache-2.0
//
// The self-check of an unpacked bundle on the machine that it is meant for: the steps of data/self_check.h, with artifacts that
// run in this process.
#pragma once

#include "data/self_check.h"
#include "runtime/linked_model.h"

namespace lathe::selfcheck {

struct Wish : data::SelfCheckWish {
    const lathe_linked_model* linked = nullptr; // instead of the bundle's artifacts: the model of this program
};

/// Says everything to `report`.
void checkBundle(const Wish& wish, data::StepReport& report);

} // namespace lathe::selfcheck
