// SPDX-License-Identifier: Apache-2.0
//
// Whether one compilation is good or bad: it is compiled, run in a child, and held against what is asked.
#pragma once

#include "diagnose/bisect.h"

namespace lathe::diagnose {

struct Verdict {
    bool bad = false;
    std::string reason;
    std::string caveat = {}; // what of the outputs is held equal, and says nothing
    bool endless = false;    // bad, since a run took longer than the limit
};

/// Judges one compilation after the other. The first one must be that without optional passes: its outputs and its time
/// are what others are held against, where nothing else is given.
class BisectJudge {
public:
    BisectJudge(driver::Session& session, const BisectQuestion& question, const driver::Progress& progress);

    /// Fails where bisect() does.
    Result<Verdict> judge(const driver::Decisions& decisions, driver::Trace& trace);
    /// Of all runs; none of the question's folders.
    const inspect::ChosenInputs& chosen() const { return chosen_; }

private:
    Result<Verdict> count(const MoreThan& most, const driver::Trace& trace) const;
    Result<Verdict> run(const std::filesystem::path& artifact, const driver::Trace& trace);
    Result<Verdict> runOne(const device::RunnerModel& loaded, inspect::DataSet& set, const driver::Trace& trace);
    Result<Verdict> time();
    Result<void> readSets(const device::RunnerModel& loaded, const driver::Trace& trace);
    /// What a failed request says of the artifact.
    Result<Verdict> failed(const Diagnostic& diagnostic) const;

    driver::Session& session_;
    const BisectQuestion& question_;
    driver::Progress quiet_; // cancellation alone
    device::RunnerClient runner_;
    std::vector<inspect::DataSet> sets_; // empty until something was loaded
    inspect::ChosenInputs chosen_;
    std::optional<double> unoptimizedMs_; // of the first
    int judged_ = 0;
    bool first_ = false; // what is being judged
};

} // namespace lathe::diagnose
