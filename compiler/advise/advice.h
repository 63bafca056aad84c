// SPDX-License-Identifier: Apache-2.0
//
// What to do next with a model, and why: a list of rules (advise/rules.h) over what is known of it by now. Each rule either
// has figures for what it says, or says nothing. Nothing is measured or compiled for it.
#pragma once

#include "diagnose/check.h"
#include "inspect/machine_peaks.h"
#include "inspect/profile.h"

#include <set>
#include <string>
#include <vector>

namespace lathe::advise {

/// What is known of a compiled model. What points may be null: it was not compiled so, did not run, was not checked.
struct Known {
    const driver::Trace* trace = nullptr;         // never null
    const driver::Options* options = nullptr;     // never null
    const driver::Decisions* decisions = nullptr; // never null
    const inspect::Profile* profile = nullptr;    // of this compilation
    const inspect::MachinePeaks* peaks = nullptr; // of where it ran
    const diagnose::Check* check = nullptr;       // of this compilation
    std::optional<Target> machine = {};           // where it ran, as code for it would be made; nothing: another device
    std::set<std::string> tried = {};             // workloads, which have a target, that a study has looked at
};

struct Facts; // of what is known: advise/facts.h

/// How what is advised is done; who shows advice leads there.
enum class Step : uint8_t { Bisect, Check, Run, Settings, Tune, Passes, Fusion, Loops, Timeline, Memory };
inline constexpr int steps = static_cast<int>(Step::Memory) + 1;
std::string_view toString(Step step); // "bisect", …: for programs

struct Advice {
    std::string_view rule = {}; // "untuned": for programs
    std::string what = {};      // "Tune 4 kernels": to be done
    std::string why = {};       // in sentences, with figures
    Step step = Step::Run;
    double ms = 0; // of a run, which are at stake at most; 0: it is not about time
    int call = -1; // in the Trace's calls: where to look; -1: nowhere in particular
    int node = -1; // in the ModelGraph, likewise
};

/// First what makes values or figures doubtful, in the order of the rules, then what costs time, the most of it first.
std::vector<Advice> adviseOn(const Facts& facts);

} // namespace lathe::advise
