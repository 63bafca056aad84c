// SPDX-License-Identifier: Apache-2.0
#include "inspect/profile.h"

#include "arith/analysis.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace lathe::inspect {
namespace {

using SymbolValues = std::unordered_map<const arith::ExprNode*, int64_t>;

/// A node that is defined by a body stands once for each origin in that body; constants have no name.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const std::string& name : names)
        if (!name.empty() && std::ranges::find(result, name) == result.end())
            result.push_back(name);
    return result;
}

} // namespace

std::vector<ProfileRow> profileRows(const device::RunnerModel& loaded, const device::RunnerProfile& measured, int runs,
                                    const driver::Trace& trace, const driver::Shapes& shapes) {
    SymbolValues symbols;
    if (!trace.passes.empty() && trace.passes.front().after)
        symbols = symbolValues(trace.passes.front().after->main(), shapes);
    std::vector<ProfileRow> rows;
    double total = 0;
    for (size_t i = 0; i < loaded.calls.size() && i < measured.calls.size(); ++i) {
        const device::RunnerCall& call = loaded.calls[i];
        const device::RunnerProfile::Entry& times = measured.calls[i];
        if (times.count == 0)
            continue;
        ProfileRow row;
        row.call = static_cast<int>(i);
        row.function = call.function;
        row.kernel = call.kernel;
        row.origins = distinct(call.nodes);
        row.ms = static_cast<double>(times.totalNs) / 1e6 / std::max(1, runs);
        // A call in a loop runs several times in a run, one in a branch perhaps in some runs only.
        const double callsPerRun = static_cast<double>(times.count) / std::max(1, runs);
        const driver::CallRecord* record = i < trace.calls.size() ? &trace.calls[i] : nullptr;
        const auto estimate = [&](const arith::Expr driver::CallRecord::* field, double constant) {
            const auto value = record ? arith::evaluate(record->*field, symbols) : std::nullopt;
            return (value ? static_cast<double>(*value) : constant) * callsPerRun;
        };
        row.flops = estimate(&driver::CallRecord::flops, call.flops);
        row.bytes = estimate(&driver::CallRecord::bytes, call.bytes);
        if (record && trace.graph) {
            row.nodes = trace.graph->spans->ids(record->span);
            row.home = driver::homeOf(*record, *trace.graph->spans);
        }
        total += row.ms;
        rows.push_back(std::move(row));
    }
    for (ProfileRow& row : rows)
        row.share = total > 0 ? row.ms / total : 0;
    std::ranges::stable_sort(rows, std::ranges::greater(), &ProfileRow::ms);
    return rows;
}

namespace {

device::RunnerProfile sumOf(std::span<const device::RunnerProfile> runs) {
    device::RunnerProfile sum;
    for (const device::RunnerProfile& run : runs) {
        sum.calls.resize(run.calls.size());
        for (size_t i = 0; i < run.calls.size(); ++i) {
            sum.calls[i].count += run.calls[i].count;
            sum.calls[i].totalNs += run.calls[i].totalNs;
        }
    }
    return sum;
}

/// What was measured of one model so far.
struct Tally {
    std::vector<int64_t> ns; // a time a run
    std::chrono::steady_clock::duration spent{};
    std::vector<device::RunnerProfile> runs; // likewise
    std::vector<std::vector<double>> means;  // by round, by call: ms of one run

    void endRound(size_t firstRun) {
        const std::span round = std::span(runs).subspan(firstRun);
        std::vector<double>& ofRound = means.emplace_back();
        for (const device::RunnerProfile::Entry& call : sumOf(round).calls)
            ofRound.push_back(static_cast<double>(call.totalNs) / 1e6 / static_cast<double>(round.size()));
    }

    /// Runs by how long they took.
    std::vector<size_t> order() const {
        std::vector<size_t> order(runs.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, {}, [&](size_t run) { return ns[run]; });
        return order;
    }

    double spreadOf(int call) const {
        double least = std::numeric_limits<double>::max(), most = 0;
        for (const std::vector<double>& round : means) {
            least = std::min(least, round[static_cast<size_t>(call)]);
            most = std::max(most, round[static_cast<size_t>(call)]);
        }
        return most - std::min(least, most);
    }
};

constexpr int mostRounds = 5, countedRuns = 1;

/// The runs of one round, which ends when its share of the runs or of the time is done.
Result<void> measureRound(const Measured& model, const Measuring& measuring, int round, int rounds, Tally& tally,
                          const std::function<Result<void>()>& keepGoing) {
    const auto share = [&](auto all) { return all * (round + 1) / rounds; };
    const size_t before = tally.ns.size();
    while (tally.ns.size() < static_cast<size_t>(share(measuring.mostRuns))) {
        const bool enough =
            static_cast<int>(tally.ns.size()) >= share(measuring.leastRuns) && tally.spent >= share(measuring.atLeast);
        if (enough && tally.ns.size() > before)
            break;
        LATHE_CHECKED(keepGoing());
        LATHE_CHECKED(model.runner->startProfile());
        const auto start = std::chrono::steady_clock::now();
        LATHE_TRY(const device::RunnerTimes times, model.runner->run(1));
        tally.spent += std::chrono::steady_clock::now() - start;
        tally.ns.push_back(times.ns.front());
        LATHE_TRY(device::RunnerProfile measured, model.runner->readProfile());
        tally.runs.push_back(std::move(measured));
    }
    LATHE_CHECKED(model.runner->stopProfile());
    tally.endRound(before);
    return {};
}

Profile profileOf(const Measured& model, const Tally& tally) {
    Profile result;
    result.runs = static_cast<int>(tally.ns.size());
    result.threads = model.runner->options().threads;
    // The middle half took neither long nor short: what some other program disturbed is not among them.
    const std::vector<size_t> order = tally.order();
    const std::span middle = std::span(order).subspan(order.size() / 4, order.size() - order.size() / 4 * 2);
    std::vector<device::RunnerProfile> usual;
    for (size_t run : middle)
        usual.push_back(tally.runs[run]);
    if (!order.empty()) {
        const auto ms = [&](size_t run) { return static_cast<double>(tally.ns[run]) / 1e6; };
        result.leastMs = ms(order.front());
        result.medianMs = ms(order[order.size() / 2]);
        result.lowMs = ms(middle.front());
        result.highMs = ms(middle.back());
    }
    result.shapes = model.shapes;
    result.given = model.given;
    result.rows = profileRows(*model.loaded, sumOf(usual), static_cast<int>(usual.size()), *model.trace, model.shapes);
    for (ProfileRow& row : result.rows)
        row.spread = tally.spreadOf(row.call);
    return result;
}

} // namespace

double Profile::callsMs() const {
    return std::accumulate(rows.begin(), rows.end(), 0.0,
                           [](double sum, const ProfileRow& row) { return sum + row.ms; });
}

double shareDone(const Measuring& measuring, size_t runs, std::chrono::duration<double> spent) {
    const auto of = [&](int all) { return all > 0 ? static_cast<double>(runs) / all : 1; };
    const double ofTime = measuring.atLeast.count() > 0 ? spent / measuring.atLeast : 1;
    return std::min(1.0, std::max(std::min(ofTime, of(measuring.leastRuns)), of(measuring.mostRuns)));
}

Result<std::vector<Profile>> profileByTurns(const std::vector<Measured>& models, const Measuring& measuring,
                                            const driver::Progress& progress) {
    for (const Measured& model : models)
        LATHE_CHECKED(model.runner->run(measuring.warmUp));
    std::vector<Tally> tallies(models.size());
    const int rounds = std::max(1, std::min(mostRounds, measuring.mostRuns));
    const auto keepGoing = [&]() -> Result<void> {
        if (progress.cancelled && progress.cancelled())
            return failure(ErrorKind::Cancelled, "cancelled");
        if (!progress.report)
            return {};
        double done = 0;
        for (const Tally& tally : tallies)
            done += shareDone(measuring, tally.ns.size(), tally.spent);
        progress.report("run", done / static_cast<double>(tallies.size()));
        return {};
    };
    for (int round = 0; round < rounds; ++round)
        for (size_t i = 0; i < models.size(); ++i)
            LATHE_CHECKED(measureRound(models[i], measuring, round, rounds, tallies[i], keepGoing));
    std::vector<Profile> profiles;
    for (size_t i = 0; i < models.size(); ++i)
        profiles.push_back(profileOf(models[i], tallies[i]));
    // What was measured stays where the runs after it fail: these are an extra.
    for (size_t i = 0; i < models.size(); ++i) {
        if (measuring.counters) {
            auto counters = models[i].runner->count(countedRuns);
            profiles[i].counters = counters ? *std::move(counters) : device::RunnerCounters{counters.error().what, {}};
        }
        if (measuring.timeline)
            if (auto timeline = recordUsualRun(*models[i].runner, *models[i].loaded, profiles[i].lowMs,
                                               profiles[i].medianMs, profiles[i].highMs, progress.cancelled))
                profiles[i].timeline = std::make_shared<const Timeline>(*std::move(timeline));
    }
    return profiles;
}

Result<Profile> profile(device::RunnerClient& runner, const device::RunnerModel& loaded, const driver::Trace& trace,
                        const driver::Shapes& shapes, const Measuring& measuring, const driver::Progress& progress) {
    LATHE_TRY(std::vector<Profile> profiles, profileByTurns({{&runner, &loaded, &trace, shapes}}, measuring, progress));
    return std::move(profiles.front());
}

} // namespace lathe::inspect
