// SPDX-License-Identifier: Apache-2.0
#include "records/row_lines.h"

#include "base/json.h"
#include "codegen/target.h"
#include "driver/options.h"
#include "records/study_graph.h"
#include "schedule/trace.h"
#include "tir/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace lathe::records {
namespace {

using nlohmann::json;

constexpr size_t longestText = size_t{8} << 20, longestName = 4096;
constexpr double longestUs = 1e12, largestRatio = 1e9, largestWork = 1e30, largestScore = 1e30;
constexpr int mostThreads = 4096, mostRounds = 1'000'000; // a list has a place for each

/// What is wrong with a line; caught in parseRow.
struct BadLine {
    std::string why;
};

void require(bool condition, std::string_view what) {
    if (!condition)
        throw BadLine{fmt::format("'{}' is missing or cannot be", what)};
}

const json& at(const json& line, const char* name) {
    const auto found = line.find(name);
    require(found != line.end(), name);
    return *found;
}

std::string text(const json& line, const char* name, size_t longest = longestName) {
    const json& value = at(line, name);
    require(value.is_string() && value.get_ref<const std::string&>().size() <= longest, name);
    return value.get<std::string>();
}

std::string hash(const json& line, const char* name) {
    std::string found = text(line, name);
    require(parseHash(found).has_value(), name);
    return found;
}

template <std::signed_integral T>
T whole(const json& line, const char* name, T least, T most) {
    const auto value = integer<T>(at(line, name));
    require(value && *value >= least && *value <= most, name);
    return *value;
}

double number(const json& value, const char* name, double least, double most) {
    require(value.is_number(), name);
    const auto found = value.get<double>();
    require(std::isfinite(found) && found >= least && found <= most, name);
    return found;
}

std::pair<std::string, std::string> taskName(const json& line, const char* name) {
    const json& value = at(line, name);
    require(value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string(), name);
    return {value[0].get<std::string>(), value[1].get<std::string>()};
}

Workload workloadIn(const json& line) {
    const auto target = codegen::parseTarget(text(line, "target"));
    require(target.has_value(), "target");
    const auto computation = tir::parsePrimFunc(text(line, "text", longestText));
    require(computation.has_value(), "text");
    Workload row = workloadOf(**computation, *target);
    require(row.key == text(line, "workload"), "workload");
    row.kernel = text(line, "kernel");
    row.flops = number(at(line, "flops"), "flops", 0, largestWork);
    row.bytes = number(at(line, "bytes"), "bytes", 0, largestWork);
    return row;
}

Study studyIn(const json& line) {
    Study row;
    row.id = hash(line, "study");
    row.name = text(line, "name");
    row.model = text(line, "model");
    row.modelHash = text(line, "model_hash");
    row.setting = {text(line, "machine"), whole<int>(line, "threads", 1, mostThreads), text(line, "numerics")};
    const auto numerics = driver::keptNumerics(row.setting.numerics);
    require(numerics.has_value(), "numerics");
    row.setting.numerics = driver::toString(*numerics);
    row.search = text(line, "search");
    row.program = text(line, "program");
    row.started = whole<int64_t>(line, "started", 0, int64_t{1} << 40);
    const auto state = named(text(line, "state"), StudyState::Failed);
    require(state.has_value(), "state");
    row.state = *state;
    return row;
}

InPlace inPlaceIn(const json& line) {
    if (!line.contains("in_place"))
        return InPlace::Unknown;
    const auto inPlace = named(text(line, "in_place"), InPlace::TakenBack);
    require(inPlace.has_value(), "in_place");
    return *inPlace;
}

TaskLine taskIn(const json& line) {
    Task row;
    std::tie(row.study, row.workload) = taskName(line, "task");
    row.calls = number(at(line, "calls"), "calls", 0, largestWork);
    row.seconds = number(at(line, "seconds"), "seconds", 0, largestWork);
    return {std::move(row), inPlaceIn(line)};
}

Trial trialIn(const json& line) {
    Trial row;
    std::tie(row.study, row.workload) = taskName(line, "trial");
    row.number = whole<int64_t>(line, "number", 0, int64_t{1} << 40);
    row.program = hash(line, "program");
    row.answers = dump(at(line, "answers"));
    require(parseAnswers(row.answers).has_value(), "answers");
    row.trace = text(line, "trace", longestText);
    require(schedule::parseTrace(row.trace).has_value(), "trace");
    const auto made = tune::madeOf(text(line, "made"));
    require(made.has_value(), "made");
    row.made = *made;
    row.parent = text(line, "parent");
    require(row.parent.empty() || parseHash(row.parent), "parent");
    row.round = whole<int>(line, "round", 0, mostRounds);
    const auto verdict = tune::verdictOf(text(line, "verdict"));
    require(verdict.has_value(), "verdict");
    row.verdict = *verdict;
    row.message = text(line, "message", longestText);
    row.us = number(at(line, "us"), "us", 0, longestUs);
    const json& ratio = at(line, "ratio");
    require(ratio.is_array() && ratio.size() == 3, "ratio");
    row.ratio = {number(ratio[0], "ratio", 0, largestRatio), number(ratio[1], "ratio", 0, largestRatio),
                 number(ratio[2], "ratio", 0, largestRatio)};
    const json& accepted = at(line, "accepted");
    require(accepted.is_boolean(), "accepted");
    row.accepted = accepted.get<bool>();
    // Records of before do not have these.
    if (line.contains("seconds"))
        row.seconds = number(at(line, "seconds"), "seconds", 0, largestWork);
    if (line.contains("prior_us"))
        row.prior = number(at(line, "prior_us"), "prior_us", 0, longestUs);
    if (line.contains("predicted") && !at(line, "predicted").is_null())
        row.predicted = number(at(line, "predicted"), "predicted", -largestScore, largestScore);
    row.inPlace = inPlaceIn(line);
    require(isPossible(row), "us, ratio, accepted or in_place");
    return row;
}

Round roundIn(const json& line) {
    Round row;
    std::tie(row.study, row.workload) = taskName(line, "round");
    row.number = whole<int>(line, "number", 1, mostRounds);
    row.of = text(line, "of");
    require(row.of == "prior" || row.of == "model" || row.of == "random", "of");
    const json& asked = at(line, "asked");
    require(asked.is_boolean(), "asked");
    row.asked = asked.get<bool>();
    const auto count = [&](const char* name) {
        return static_cast<size_t>(whole<int64_t>(line, name, 0, int64_t{1} << 40));
    };
    const auto share = [&](const char* name, double least = 0) { return number(at(line, name), name, least, 1); };
    row.quality = {.count = count("count"),
                   .spearman = share("spearman", -1),
                   .pairs = {count("pairs_told"), share("pairs")},
                   .recall1 = share("recall1"),
                   .recall5 = share("recall5"),
                   .recall16 = share("recall16"),
                   .peak5 = share("peak5")};
    return row;
}

StudyGraph graphIn(const json& line) {
    StudyGraph row;
    row.study = hash(line, "graph");
    for (const auto& [name, into] :
         {std::pair("given", &row.given), std::pair("found", &row.found),
          std::pair("workloads_before", &row.workloadsBefore), std::pair("workloads", &row.workloads)}) {
        *into = dump(at(line, name));
        require(into->size() <= longestText, name);
    }
    const json& ms = at(line, "ms");
    require(ms.is_array() && ms.size() == 2, "ms");
    row.schedulesMs = number(ms[0], "ms", 0, longestUs);
    row.wholeMs = number(ms[1], "ms", 0, longestUs);
    const auto found = foundIn(row);
    if (!found)
        throw BadLine{found.error().what};
    return row;
}

} // namespace

std::string lineOf(const Workload& row) {
    return dump({{"workload", row.key},
                 {"kernel", row.kernel},
                 {"target", row.target},
                 {"text", row.text},
                 {"flops", row.flops},
                 {"bytes", row.bytes}});
}

std::string lineOf(const Study& row) {
    return dump({{"study", row.id},
                 {"name", row.name},
                 {"model", row.model},
                 {"model_hash", row.modelHash},
                 {"machine", row.setting.machine},
                 {"threads", row.setting.threads},
                 {"numerics", row.setting.numerics},
                 {"search", row.search},
                 {"program", row.program},
                 {"started", row.started},
                 {"state", toString(row.state)}});
}

std::string lineOf(const Task& row) {
    return dump({{"task", {row.study, row.workload}}, {"calls", row.calls}, {"seconds", row.seconds}});
}

std::string lineOf(const Trial& row) {
    return dump({{"trial", {row.study, row.workload}},
                 {"number", row.number},
                 {"program", row.program},
                 {"answers", parseJson(row.answers).value_or(json::object())},
                 {"trace", row.trace},
                 {"made", tune::toString(row.made)},
                 {"parent", row.parent},
                 {"round", row.round},
                 {"verdict", tune::toString(row.verdict)},
                 {"message", row.message},
                 {"us", row.us},
                 {"ratio", {row.ratio.low, row.ratio.middle, row.ratio.high}},
                 {"accepted", row.accepted},
                 {"seconds", row.seconds},
                 {"prior_us", row.prior},
                 {"predicted", row.predicted ? json(*row.predicted) : json()},
                 {"in_place", toString(row.inPlace)}});
}

std::string lineOf(const Round& row) {
    const tune::Quality& quality = row.quality;
    return dump({{"round", {row.study, row.workload}},
                 {"number", row.number},
                 {"of", row.of},
                 {"asked", row.asked},
                 {"count", quality.count},
                 {"spearman", std::clamp(quality.spearman, -1.0, 1.0)}, // rounding may go past
                 {"pairs", quality.pairs.right},
                 {"pairs_told", quality.pairs.count},
                 {"recall1", quality.recall1},
                 {"recall5", quality.recall5},
                 {"recall16", quality.recall16},
                 {"peak5", quality.peak5}});
}

std::string lineOf(const StudyGraph& row) {
    const auto value = [](const std::string& text) { return parseJson(text).value_or(nullptr); };
    return dump({{"graph", row.study},
                 {"given", value(row.given)},
                 {"found", value(row.found)},
                 {"workloads_before", value(row.workloadsBefore)},
                 {"workloads", value(row.workloads)},
                 {"ms", {row.schedulesMs, row.wholeMs}}});
}

Result<Row> parseRow(std::string_view text) {
    const auto line = parseJson(text);
    try {
        require(line && line->is_object(), "an object");
        if (line->contains("trial"))
            return trialIn(*line);
        if (line->contains("round"))
            return roundIn(*line);
        if (line->contains("task"))
            return taskIn(*line);
        if (line->contains("graph"))
            return graphIn(*line);
        if (line->contains("workload"))
            return workloadIn(*line);
        return studyIn(*line);
    } catch (const BadLine& bad) {
        return failure(bad.why);
    }
}

} // namespace lathe::records
