// SPDX-License-Identifier: Apache-2.0
#include "driver/decisions.h"

#include "base/json.h"
#include "base/named.h"
#include "driver/passes.h"
#include "lower/workload.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace lathe::driver {
namespace {

using nlohmann::json;

Failure malformed(const std::string& key, const json& value, std::string hint) {
    std::string text = dump(value);
    if (text.size() > 80)
        text = text.substr(0, 77) + "...";
    return failure(fmt::format("decision '{}' is malformed: {}", key, text), std::move(hint));
}

Result<void> readSkip(const json& value, Decisions& decisions) {
    if (!value.is_array())
        return malformed("skip", value, R"(a list of passes: ["fuse"])");
    const std::vector<std::string>& all = optionalPasses();
    for (const json& pass : value) {
        const bool isPlugins = pass.is_string() && !pluginOf(pass.get_ref<const std::string&>()).empty();
        if (!isPlugins && (!pass.is_string() || std::ranges::find(all, pass.get<std::string>()) == all.end()))
            return failure(fmt::format("{} is no optional pass", dump(pass)),
                           fmt::format("optional passes: {}", fmt::join(all, ", ")));
        decisions.skipPasses.insert(pass.get<std::string>());
    }
    return {};
}

/// Takes what a key of a choice says of whose it is; false if it is none of those keys, or its value is malformed.
bool readName(const std::string& key, const json& content, ChoiceName& name) {
    if (key == "node" && content.is_string()) {
        name.node = content.get<std::string>();
        return true;
    }
    if (key == "op" && content.is_string()) {
        name.op = content.get<std::string>();
        return true;
    }
    const auto number = integer<int>(content);
    if (key != "ordinal" || !number || *number < 0)
        return false;
    name.ordinal = *number;
    return true;
}

Result<void> readSkipIn(const json& value, Decisions& decisions) {
    const char* form = R"(by workload: {"WORKLOAD": ["unroll"]})";
    if (!value.is_object())
        return malformed("skip_in", value, form);
    for (const auto& [workload, passes] : value.items()) {
        if (!passes.is_array())
            return malformed("skip_in", passes, form);
        for (const json& pass : passes) {
            const auto known = [&](const Pass& one) {
                return !one.required && one.stage == Stage::Tir && pass.is_string() &&
                       one.name == pass.get_ref<const std::string&>();
            };
            const bool isPlugins = pass.is_string() && !pluginOf(pass.get_ref<const std::string&>()).empty();
            if (!isPlugins && std::ranges::none_of(pipeline(), known))
                return failure(fmt::format("{} is no optional pass over kernels", dump(pass)), form);
            decisions.skipIn[workload].insert(pass.get<std::string>());
        }
    }
    return {};
}

/// A list of choices: each has a node's name, perhaps operator and ordinal, and one thing that is chosen, which `choose`
/// takes if it knows the key and the value.
Result<void> readChoices(const std::string& list, const json& value, const char* form,
                         const std::function<bool(const ChoiceName&, const std::string&, const json&)>& choose) {
    if (!value.is_array())
        return malformed(list, value, form);
    for (const json& pin : value) {
        if (!pin.is_object())
            return malformed(list, pin, form);
        ChoiceName name;
        std::optional<std::string> chosen;
        for (const auto& [key, content] : pin.items()) {
            if (readName(key, content, name))
                continue;
            if (chosen)
                return malformed(list, pin, form);
            chosen = key;
        }
        if (!pin.contains("node") || !chosen || !choose(name, *chosen, pin.at(*chosen)))
            return malformed(list, pin, form);
    }
    return {};
}

Result<void> readVariants(const json& value, Decisions& decisions) {
    return readChoices(
        "variants", value,
        R"(a list of nodes' choices: [{"node": "Conv_3", "op": "conv", "ordinal": 0, "variant": "winograd4"}])",
        [&](const ChoiceName& name, const std::string& key, const json& content) {
            if (key != "variant" || !content.is_string())
                return false;
            decisions.variants.push_back({name, content.get<std::string>()});
            return true;
        });
}

Result<void> readLayouts(const json& value, Decisions& decisions) {
    return readChoices(
        "layouts", value, R"(a list of nodes' choices: [{"node": "Conv_3", "op": "conv", "ordinal": 0, "blocks": 16}])",
        [&](const ChoiceName& name, const std::string& key, const json& content) {
            const auto width = integer<int64_t>(content);
            if ((key != "blocks" && key != "panels") || !width)
                return false;
            decisions.layouts.push_back(
                {name, key == "blocks" ? relay::choose::StoredPart::Blocks : relay::choose::StoredPart::Panels,
                 *width});
            return true;
        });
}

Result<void> readApart(const json& value, Decisions& decisions) {
    const char* form =
        R"(a list of pairs: [{"producer": {"node": "Conv_3", "op": "conv", "ordinal": 0}, "consumer": …}])";
    if (!value.is_array())
        return malformed("apart", value, form);
    for (const json& pin : value) {
        ApartDecision& decision = decisions.apart.emplace_back();
        if (!pin.is_object() || pin.size() != 2)
            return malformed("apart", pin, form);
        for (const auto& [key, name] : {std::pair("producer", &decision.producer), {"consumer", &decision.consumer}}) {
            const auto found = pin.find(key);
            if (found == pin.end() || !found->is_object() || !found->contains("node"))
                return malformed("apart", pin, form);
            for (const auto& [part, content] : found->items())
                if (!readName(part, content, *name))
                    return malformed("apart", pin, form);
        }
    }
    return {};
}

Result<void> readAnswers(const json& value, Decisions& decisions) {
    const char* form = R"(by workload and question: {"WORKLOAD": {"b0.rows": [6]}})";
    if (!value.is_object())
        return malformed("answers", value, form);
    for (const auto& [workload, answers] : value.items()) {
        if (!answers.is_object())
            return malformed("answers", answers, form);
        for (const auto& [name, numbers] : answers.items()) {
            std::vector<int64_t> answer;
            if (!numbers.is_array())
                return malformed("answers", numbers, form);
            for (const json& number : numbers) {
                const auto integral = integer<int64_t>(number);
                if (!integral)
                    return malformed("answers", numbers, form);
                answer.push_back(*integral);
            }
            decisions.kernels[workload].answers[name] = std::move(answer);
        }
    }
    return {};
}

Result<schedule::ScheduleTrace> readTrace(const std::string& workload, const std::string& text) {
    auto trace = schedule::parseTrace(text);
    if (!trace)
        return failure(
            fmt::format("the schedule for '{}', line {}: {}", workload, trace.error().line, trace.error().what));
    return trace;
}

/// Under the key "schedules": gives each trace to `take`.
Result<void> readSchedules(const std::string& key, const json& value,
                           const std::function<void(const std::string&, schedule::ScheduleTrace)>& take) {
    const char* form = R"x(by workload, a step a line: {"WORKLOAD": "loops blocks(#0) gives(0)\nparallel loops(0)"})x";
    if (!value.is_object())
        return malformed(key, value, form);
    for (const auto& [workload, text] : value.items()) {
        if (!text.is_string())
            return malformed(key, text, form);
        LATHE_TRY(schedule::ScheduleTrace trace, readTrace(workload, text.get<std::string>()));
        take(workload, std::move(trace));
    }
    return {};
}

/// A trace, or where it is from a record of something alike an object that says of what.
Result<void> readRecorded(const json& value, Decisions& decisions) {
    const char* form = R"x(by workload, {"WORKLOAD": "parallel loops(0)", "OTHER": {"schedule": "…", "from": "…"}})x";
    if (!value.is_object())
        return malformed("recorded", value, form);
    for (const auto& [workload, entry] : value.items()) {
        lower::RecordedSchedule recorded;
        const json* text = &entry;
        if (entry.is_object()) {
            if (entry.size() != 2 || !entry.contains("schedule") || !entry.contains("from") ||
                !entry.at("from").is_string())
                return malformed("recorded", entry, form);
            const auto from = named(entry.at("from").get<std::string>(), lower::ScheduleFrom::OtherSizes);
            if (!from || !lower::isRecorded(*from))
                return malformed("recorded", entry, form);
            recorded.from = *from;
            text = &entry.at("schedule");
        }
        if (!text->is_string())
            return malformed("recorded", entry, form);
        LATHE_TRY(recorded.trace, readTrace(workload, text->get<std::string>()));
        decisions.recorded[workload] = std::move(recorded);
    }
    return {};
}

Result<void> requireWorkloads(const char* what, const auto& decided, const std::set<std::string>& workloads) {
    for (const auto& [workload, ignored] : decided)
        if (!workloads.contains(workload))
            return failure(
                fmt::format("{} are decided for the workload '{}', which this model does not have", what, workload),
                "the workloads of a model, for the target it is compiled for: lathe passes --kernels");
    return {};
}

} // namespace

Result<Decisions> parseDecisions(std::string_view text) {
    const auto parsed = parseJson(text);
    if (!parsed || !parsed->is_object())
        return failure("decisions are not a JSON object", R"(for example {"skip":["fuse"]})");
    Decisions decisions;
    for (const auto& [key, content] : parsed->items()) {
        if (key == "skip") {
            LATHE_CHECKED(readSkip(content, decisions));
        } else if (key == "optional_limit") {
            const auto limit = integer<int>(content);
            if (!limit || *limit < -1)
                return malformed(key, content, "how many of the optional passes run; -1: all");
            decisions.optionalLimit = *limit;
        } else if (key == "skip_in") {
            LATHE_CHECKED(readSkipIn(content, decisions));
        } else if (key == "variants") {
            LATHE_CHECKED(readVariants(content, decisions));
        } else if (key == "layouts") {
            LATHE_CHECKED(readLayouts(content, decisions));
        } else if (key == "apart") {
            LATHE_CHECKED(readApart(content, decisions));
        } else if (key == "answers") {
            LATHE_CHECKED(readAnswers(content, decisions));
        } else if (key == "schedules") {
            LATHE_CHECKED(readSchedules(key, content, [&](const std::string& workload, schedule::ScheduleTrace trace) {
                decisions.kernels[workload].trace = std::move(trace);
            }));
        } else if (key == "recorded") {
            LATHE_CHECKED(readRecorded(content, decisions));
        } else {
            return failure(
                fmt::format("unknown decision '{}'", key),
                "known: skip, optional_limit, skip_in, variants, layouts, apart, answers, schedules, recorded");
        }
    }
    return decisions;
}

std::string toJson(const Decisions& decisions) {
    json value = json::object();
    if (!decisions.skipPasses.empty())
        value["skip"] = decisions.skipPasses;
    if (decisions.optionalLimit >= 0)
        value["optional_limit"] = decisions.optionalLimit;
    if (!decisions.skipIn.empty())
        value["skip_in"] = decisions.skipIn;
    for (const VariantDecision& pin : decisions.variants)
        value["variants"].push_back(toJson(pin));
    for (const LayoutDecision& pin : decisions.layouts)
        value["layouts"].push_back(toJson(pin));
    for (const ApartDecision& pin : decisions.apart)
        value["apart"].push_back(toJson(pin));
    for (const auto& [workload, kernel] : decisions.kernels) {
        if (!kernel.answers.empty())
            value["answers"][workload] = kernel.answers;
        if (kernel.trace)
            value["schedules"][workload] = schedule::print(*kernel.trace);
    }
    for (const auto& [workload, recorded] : decisions.recorded) {
        json& entry = value["recorded"][workload];
        entry = schedule::print(recorded.trace);
        if (recorded.from != lower::ScheduleFrom::Records)
            entry = {{"schedule", std::move(entry)}, {"from", lower::toString(recorded.from)}};
    }
    return dump(value);
}

Decisions forTarget(Decisions decisions, const Target& target) {
    std::erase_if(decisions.kernels, [&](const auto& each) { return lower::isOnOther(each.first, target); });
    return decisions;
}

Result<void> requireSchedules(const Decisions& decisions, const std::set<std::string>& workloads) {
    return requireWorkloads("schedules", decisions.kernels, workloads);
}

Result<void> requireSkips(const Decisions& decisions, const std::set<std::string>& workloads) {
    return requireWorkloads("passes", decisions.skipIn, workloads);
}

} // namespace lathe::driver
