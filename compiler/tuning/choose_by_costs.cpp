// SPDX-License-Identifier: Apache-2.0
#include "tuning/choose_by_costs.h"

#include "tuning/disturbance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lathe::tuning {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const SiteRun* find(const GraphRun& run, const std::string& site) {
    const auto found = run.sites.find(site);
    return found == run.sites.end() ? nullptr : &found->second;
}

bool isTimed(const Taken& taken) {
    return isTime(taken.ms) && std::isfinite(taken.spread);
}

/// Builds the problem. Sites and options are named by their places in it.
class Costs {
public:
    Costs(std::span<const GraphRun> runs, double gbs, const Caution& caution)
        : runs_(runs), gbs_(gbs), caution_(caution) {}

    GraphProblem make() {
        problem_.restMs = runs_.front().ms;
        for (const auto& [name, start] : runs_.front().sites)
            if (isTimed(start.taken))
                addSite(name, start);
        for (size_t reader = 0; reader < problem_.sites.size(); ++reader)
            for (const std::string& read : find(runs_.front(), problem_.sites[reader])->reads) {
                const auto source = std::ranges::lower_bound(problem_.sites, read); // by name, as a run's sites are
                if (source != problem_.sites.end() && *source == read && read != problem_.sites[reader])
                    addEdge(static_cast<size_t>(source - problem_.sites.begin()), reader);
            }
        return std::move(problem_);
    }

private:
    void addSite(const std::string& name, const SiteRun& start) {
        std::vector<SiteOption>& options = problem_.options.emplace_back();
        std::vector<const GraphRun*>& firsts = firsts_.emplace_back();
        std::vector<double>& costs = problem_.costs.nodes.emplace_back();
        problem_.sites.push_back(name);
        problem_.restMs -= start.taken.ms;
        for (const GraphRun& run : runs_) {
            const SiteRun* at = find(run, name);
            if (!at || std::ranges::find(options, at->option) != options.end())
                continue;
            options.push_back(at->option);
            firsts.push_back(&run);
            costs.push_back(firsts.size() == 1 ? at->taken.ms : costOf(start.taken, at->taken));
        }
    }

    double costOf(const Taken& start, const Taken& other) const {
        if (!isTimed(other))
            return infinity;
        return other.ms * (1 + caution_.leastGain) + caution_.noises * noiseOf(start, other);
    }

    void addEdge(size_t source, size_t reader) {
        tune::Pbqp::Edge edge{source, reader, {}};
        for (size_t of = 0; of < problem_.options[source].size(); ++of)
            for (size_t at = 0; at < problem_.options[reader].size(); ++at)
                edge.costs.push_back(pairCost(source, of, reader, at));
        problem_.costs.edges.push_back(std::move(edge));
    }

    const SiteRun& in(const GraphRun& run, size_t site) const { return *find(run, problem_.sites[site]); }

    /// Beyond what the reader took when it was measured under its option, beside another of the source.
    double pairCost(size_t source, size_t of, size_t reader, size_t at) const {
        const GraphRun& first = *firsts_[reader][at];
        const SiteRun* beside = find(first, problem_.sites[source]);
        const SiteRun& stored = in(*firsts_[source][of], source);
        if (!beside || beside->option == problem_.options[source][of] || beside->stored == stored.stored)
            return 0;
        for (auto run = runs_.rbegin(); run != runs_.rend(); ++run)
            if (const SiteRun* other = find(*run, problem_.sites[source]);
                other && other->stored == stored.stored && hasOption(*run, reader, at))
                return shown(first, *run, reader);
        if (!caution_.estimates)
            return infinity;
        return gbs_ > 0 ? 2 * stored.bytes / gbs_ / 1e6 : 0;
    }

    bool hasOption(const GraphRun& run, size_t site, size_t option) const {
        const SiteRun* at = find(run, problem_.sites[site]);
        return at && at->option == problem_.options[site][option] && isTimed(at->taken);
    }

    /// How much more the reader took in `run` than in `first`, for each of its sources that is stored otherwise.
    double shown(const GraphRun& first, const GraphRun& run, size_t reader) const {
        const SiteRun &before = in(first, reader), &after = in(run, reader);
        const double more = after.taken.ms - before.taken.ms;
        if (!isTimed(before.taken) || std::abs(more) <= noiseOf(before.taken, after.taken))
            return 0;
        const auto others = std::ranges::count_if(after.reads, [&](const std::string& source) {
            const SiteRun *was = find(first, source), *is = find(run, source);
            return was && is && was->stored != is->stored;
        });
        return more / static_cast<double>(std::max<std::ptrdiff_t>(others, 1));
    }

    std::span<const GraphRun> runs_;
    double gbs_;
    Caution caution_;
    GraphProblem problem_;
    std::vector<std::vector<const GraphRun*>> firsts_; // by site and option: where it was measured first
};

// ---- sweeps -----------------------------------------------------------------------------------------------------

bool isDecided(const driver::Decisions& base, const std::string& node) {
    const auto is = [&](const auto& decision) { return decision.of.node == node; };
    return std::ranges::any_of(base.variants, is) || std::ranges::any_of(base.layouts, is);
}

/// The variant wherever it is offered; empty: the operator as it stands.
driver::Decisions everywhere(const driver::Decisions& base, const GraphChoices& choices, std::string_view variant) {
    driver::Decisions made = base;
    for (const driver::VariantRecord& record : choices.variants) {
        const std::string_view name = variant.empty() ? record.offered.front().name : variant;
        if (!isDecided(base, record.chosen.of.node) &&
            std::ranges::find(record.offered, name, &relay::choose::VariantCost::name) != record.offered.end())
            made.variants.push_back({record.chosen.of, std::string(name)});
    }
    return made;
}

/// What `base` decides beyond `undecided` stays.
driver::Decisions everywhere(const driver::Decisions& base, const driver::Decisions& undecided,
                             const GraphChoices& choices, relay::choose::StoredPart part, int64_t width) {
    driver::Decisions made = base;
    for (const driver::LayoutRecord& record : choices.layouts)
        if (record.chosen.part == part && !isDecided(undecided, record.chosen.of.node) &&
            std::ranges::find(record.offered, width) != record.offered.end())
            made.layouts.push_back({record.chosen.of, part, width});
    return made;
}

std::set<int64_t> widthsOf(const GraphChoices& choices, relay::choose::StoredPart part) {
    std::set<int64_t> widths;
    for (const driver::LayoutRecord& record : choices.layouts)
        if (record.chosen.part == part)
            widths.insert(record.offered.begin(), record.offered.end());
    return widths;
}

// ---- the search -------------------------------------------------------------------------------------------------

class CostChooser {
public:
    CostChooser(GraphBench& bench, const driver::Decisions& base, const CostSearch& search)
        : bench_(bench), base_(base), search_(search) {
        found_.decisions = base;
    }

    Result<ChosenByCosts> run() {
        LATHE_TRY(const std::vector<driver::Decisions> sweeps, sweepsOf(bench_, base_));
        if (sweeps.empty())
            return found_;
        found_.planned = 1 + sweeps.size();
        LATHE_TRY(GraphRun start, bench_.measure(base_));
        found_.startMs = start.ms;
        add(std::move(start));
        for (const driver::Decisions& sweep : sweeps) {
            if (isOver() || isCancelled())
                break;
            if (auto run = bench_.measure(sweep))
                add(*std::move(run));
            else
                note(run.error());
        }
        solve();
        return found_;
    }

private:
    bool isOver() const { return search_.isOver && search_.isOver(); }
    bool isCancelled() const { return search_.cancelled && search_.cancelled(); }

    void note(const Diagnostic& problem) {
        if (problem.kind != ErrorKind::Cancelled)
            found_.message = problem.what;
    }

    void add(GraphRun run) {
        runs_.push_back(std::move(run));
        found_.measured = runs_.size();
        if (search_.told)
            search_.told(runs_.size(), std::max(found_.planned, runs_.size()), runs_.back());
    }

    /// Solution by solution, each measured, until one is known already; the last one of what is known alone. The fastest is taken,
    /// if it is faster than the start.
    void solve() {
        std::vector<driver::Decisions> known{base_};
        for (int i = 0; i < search_.mostSolutions; ++i) {
            Caution caution = search_.caution;
            caution.estimates = i + 1 < search_.mostSolutions;
            const GraphProblem problem = problemOf(runs_, search_.gbs, caution);
            found_.sites = static_cast<size_t>(
                std::ranges::count_if(problem.options, [](const auto& options) { return options.size() > 1; }));
            const tune::PbqpSolution solution = tune::solve(problem.costs);
            if (isCancelled() || (i > 0 && isOver()))
                return;
            const auto made = withOptions(bench_, base_, problem, solution.chosen);
            if (made && std::ranges::find(known, *made) != known.end())
                return;
            Result<GraphRun> run = made ? bench_.measure(*made) : Failure(made.error());
            if (!run) { // choices that exclude each other: nothing says which
                note(run.error());
                return;
            }
            const driver::Decisions& decisions = *made;
            known.push_back(decisions);
            const double ms = run->ms, before = found_.changed > 0 ? found_.measuredMs : found_.startMs;
            add(*std::move(run));
            if (!(ms < before))
                continue;
            found_.decisions = decisions;
            found_.changed = static_cast<size_t>(
                std::ranges::count_if(solution.chosen, [](const size_t option) { return option > 0; }));
            found_.optimal = solution.optimal;
            found_.measuredMs = ms;
            const GraphProblem plain =
                problemOf(std::span(runs_).first(runs_.size() - 1), search_.gbs, {.leastGain = 0, .noises = 0});
            found_.predictedMs = plain.restMs + plain.costs.cost(solution.chosen);
        }
    }

    GraphBench& bench_;
    const driver::Decisions& base_;
    const CostSearch& search_;
    std::vector<GraphRun> runs_;
    ChosenByCosts found_;
};

} // namespace

GraphProblem problemOf(std::span<const GraphRun> runs, double gbs, const Caution& caution) {
    return Costs(runs, gbs, caution).make();
}

Result<driver::Decisions> withOptions(GraphBench& bench, const driver::Decisions& base, const GraphProblem& problem,
                                      std::span<const size_t> chosen) {
    std::set<size_t> pinned;
    for (size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] > 0)
            pinned.insert(i);
    for (;;) {
        driver::Decisions made = base;
        for (const size_t i : pinned) {
            const SiteOption& option = problem.options[i][chosen[i]];
            made.variants.insert(made.variants.end(), option.variants.begin(), option.variants.end());
            made.layouts.insert(made.layouts.end(), option.layouts.begin(), option.layouts.end());
        }
        if (pinned.empty())
            return made;
        LATHE_TRY(const GraphChoices choices, bench.look(made));
        const std::map<std::string, SiteOption> options = optionsOf(choices);
        const size_t before = pinned.size();
        for (size_t i = 0; i < chosen.size(); ++i)
            if (const auto found = options.find(problem.sites[i]);
                found == options.end() || found->second != problem.options[i][chosen[i]])
                pinned.insert(i);
        if (pinned.size() == before)
            return made;
    }
}

Result<std::vector<driver::Decisions>> sweepsOf(GraphBench& bench, const driver::Decisions& base) {
    using enum relay::choose::StoredPart;
    std::vector<driver::Decisions> all;
    LATHE_TRY(const GraphChoices start, bench.look(base));
    std::set<std::string_view> variants;
    for (const driver::VariantRecord& record : start.variants)
        for (size_t i = 1; i < record.offered.size(); ++i)
            variants.insert(record.offered[i].name);
    for (const std::string_view variant : variants)
        all.push_back(everywhere(base, start, variant));
    const driver::Decisions direct = everywhere(base, start, "");
    LATHE_TRY(const GraphChoices plain, bench.look(direct));
    for (const int64_t width : widthsOf(plain, Blocks))
        if (width > 0)
            all.push_back(everywhere(direct, base, plain, Blocks, width));
    const driver::Decisions flat = everywhere(direct, base, plain, Blocks, 0);
    LATHE_TRY(const GraphChoices laid, bench.look(flat));
    for (const int64_t width : widthsOf(laid, Panels))
        all.push_back(everywhere(flat, base, laid, Panels, width));
    all.push_back(flat);
    std::vector<driver::Decisions> sweeps;
    std::vector seen{optionsOf(start)};
    for (driver::Decisions& each : all) {
        LATHE_TRY(const GraphChoices choices, bench.look(each));
        if (auto options = optionsOf(choices); std::ranges::find(seen, options) == seen.end()) {
            seen.push_back(std::move(options));
            sweeps.push_back(std::move(each));
        }
    }
    return sweeps;
}

Result<ChosenByCosts> chooseByCosts(GraphBench& bench, const driver::Decisions& base, const CostSearch& search) {
    return CostChooser(bench, base, search).run();
}

} // namespace lathe::tuning
