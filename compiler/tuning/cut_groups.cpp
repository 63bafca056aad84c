// SPDX-License-Identifier: Apache-2.0
#include "tuning/cut_groups.h"

#include "tuning/disturbance.h"

#include <algorithm>

namespace lathe::tuning {
namespace {

using relay::FusionKind;
using relay::transform::FusionEdge;
using relay::transform::FusionOutcome;

bool isAnchor(const driver::FusionRecord::Operator& each) {
    const relay::OpInfo* op = relay::findOp(each.name.op);
    return op && (op->fusion == FusionKind::Reduction || op->fusion == FusionKind::OutFusable);
}

/// By what another may be faster, it is: beyond the noise, and by the gain that is asked for.
bool isFaster(const Taken& other, const Taken& start, const Caution& caution) {
    return isTime(other.ms) && other.ms * (1 + caution.leastGain) + caution.noises * noiseOf(start, other) < start.ms;
}

class Cutting {
public:
    Cutting(GraphBench& bench, const driver::Decisions& base, const CostSearch& search)
        : bench_(bench), base_(base), search_(search) {
        found_.decisions = base;
    }

    Result<CutGroups> run() {
        LATHE_TRY(start_, bench_.measure(base_));
        found_.startMs = start_.ms;
        groups_ = groupsOf(start_);
        found_.groups = groups_.size();
        best_.resize(groups_.size());
        size_t rounds = 0;
        for (const FusedGroup& group : groups_)
            rounds = std::max(rounds, group.cuts.size());
        found_.planned = rounds + 1;
        tell(start_);
        for (size_t i = 0; i < rounds && !isOver(); ++i)
            tryCuts(i);
        hold();
        return found_;
    }

private:
    struct Best {
        std::optional<size_t> cut;
        Taken start, taken;
    };

    bool isCancelled() const { return search_.cancelled && search_.cancelled(); }
    bool isOver() const { return isCancelled() || (search_.isOver && search_.isOver()); }
    void note(const Diagnostic& problem) {
        if (problem.kind != ErrorKind::Cancelled)
            found_.message = problem.what;
    }
    void tell(const GraphRun& run) {
        ++found_.measured;
        if (search_.told)
            search_.told(found_.measured, std::max(found_.planned, found_.measured), run);
    }

    /// Each group at its cut of that number.
    void tryCuts(size_t number) {
        driver::Decisions decisions = base_;
        for (const FusedGroup& group : groups_)
            if (number < group.cuts.size())
                decisions.apart.push_back(group.cuts[number]);
        const auto run = bench_.measure(decisions);
        if (!run) {
            note(run.error());
            return;
        }
        tell(*run);
        for (size_t i = 0; i < groups_.size(); ++i) {
            const auto [start, taken] = takenBy(groups_[i].members, start_, *run);
            if (number < groups_[i].cuts.size() && isFaster(taken, start, search_.caution) &&
                (!best_[i].cut || start.ms - taken.ms > best_[i].start.ms - best_[i].taken.ms))
                best_[i] = {number, start, taken};
        }
    }

    /// All that were faster, together; those that are not any more go back.
    void hold() {
        while (!isCancelled()) {
            driver::Decisions decisions = base_;
            double gain = 0;
            size_t cut = 0;
            for (size_t i = 0; i < groups_.size(); ++i)
                if (best_[i].cut) {
                    decisions.apart.push_back(groups_[i].cuts[*best_[i].cut]);
                    gain += best_[i].start.ms - best_[i].taken.ms;
                    ++cut;
                }
            if (cut == 0)
                return;
            const auto run = bench_.measure(decisions);
            if (!run) {
                note(run.error());
                return;
            }
            tell(*run);
            bool all = true;
            for (size_t i = 0; i < groups_.size(); ++i) {
                const auto [start, taken] = takenBy(groups_[i].members, start_, *run);
                if (best_[i].cut && !isFaster(taken, start, search_.caution)) {
                    best_[i] = {};
                    all = false;
                }
            }
            if (!all)
                continue;
            if (run->ms < start_.ms) {
                found_.decisions = std::move(decisions);
                found_.cut = cut;
                found_.predictedMs = start_.ms - gain;
                found_.measuredMs = run->ms;
            }
            return;
        }
    }

    GraphBench& bench_;
    const driver::Decisions& base_;
    const CostSearch& search_;
    GraphRun start_;
    std::vector<FusedGroup> groups_;
    std::vector<Best> best_; // of each group
    CutGroups found_;
};

} // namespace

std::vector<FusedGroup> groupsOf(const GraphRun& run, size_t most, size_t mostCuts) {
    std::vector<FusedGroup> groups;
    std::vector<size_t> users(run.fusion.operators.size(), 0);
    for (const FusionEdge& edge : run.fusion.edges)
        ++users[edge.producer];
    for (const driver::FusedFunction& function : driver::functionsOf(run.fusion)) {
        const auto taken = run.functions.find(function.name);
        if (taken == run.functions.end() || function.members.size() < 2)
            continue;
        FusedGroup group;
        group.ms = taken->second.ms;
        int anchors = 0;
        bool shared = false;
        for (const size_t member : function.members) {
            group.members.push_back(run.fusion.operators[member].name);
            anchors += isAnchor(run.fusion.operators[member]);
        }
        for (const bool several : {true, false})
            for (const size_t at : function.edges) {
                const FusionEdge& edge = run.fusion.edges[at];
                if (edge.outcome != FusionOutcome::Joined || (users[edge.producer] > 1) != several)
                    continue;
                shared |= several;
                if (group.cuts.size() < mostCuts)
                    group.cuts.push_back(
                        {run.fusion.operators[edge.producer].name, run.fusion.operators[edge.consumer].name});
            }
        if (!group.cuts.empty() && (anchors > 1 || shared))
            groups.push_back(std::move(group));
    }
    std::ranges::sort(groups, [](const FusedGroup& a, const FusedGroup& b) { return a.ms > b.ms; });
    groups.resize(std::min(groups.size(), most));
    return groups;
}

std::pair<Taken, Taken> takenBy(const std::vector<driver::ChoiceName>& members, const GraphRun& one,
                                const GraphRun& other) {
    const auto holds = [](const std::vector<driver::ChoiceName>& names, const driver::ChoiceName& name) {
        return std::ranges::find(names, name) != names.end();
    };
    std::vector<driver::ChoiceName> all = members;
    std::set<std::string> functions[2];
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t side = 0; side < 2; ++side) {
            const driver::FusionRecord& record = (side == 0 ? one : other).fusion;
            for (const driver::FusionRecord::Operator& each : record.operators)
                if (holds(all, each.name))
                    grown |= functions[side].insert(each.function).second;
            for (const driver::FusionRecord::Operator& each : record.operators)
                if (functions[side].contains(each.function) && !holds(all, each.name)) {
                    all.push_back(each.name);
                    grown = true;
                }
        }
    }
    const auto sum = [](const GraphRun& run, const std::set<std::string>& names) {
        Taken taken;
        for (const std::string& name : names)
            if (const auto found = run.functions.find(name); found != run.functions.end())
                taken += found->second;
        return taken;
    };
    return {sum(one, functions[0]), sum(other, functions[1])};
}

Result<CutGroups> cutGroups(GraphBench& bench, const driver::Decisions& base, const CostSearch& search) {
    return Cutting(bench, base, search).run();
}

} // namespace lathe::tuning
