// SPDX-License-Identifier: Apache-2.0
//
// What is decided otherwise than by default, as a value with a JSON form:
//   {"skip": ["fuse"], "optional_limit": 12, "skip_in": {"WORKLOAD": ["unroll"]},
//    "variants": [{"node": "Conv_3", "variant": "winograd2"}], "layouts": [{"node": "Conv_3", "blocks": 16}],
//    "apart": [{"producer": {"node": "Conv_3"}, "consumer": {"node": "Relu_4"}}],
//    "answers": {"WORKLOAD": {"b0.rows": [6]}}, "schedules": {"WORKLOAD": "split loops(0) …"},
//    "recorded": {"WORKLOAD": "split loops(0) …", "OTHER": {"schedule": "…", "from": "records of other sizes"}}}
// Variants, layouts and what is not fused are choices by the model's nodes (driver/graph_decisions.h). A workload is a key of lower/workload.h, as the
// Trace has it for each kernel. Bisecting, comparing, reproducing a bug and tuning are all compile() with other Decisions.
//
// Nothing is ignored in silence: unknown keys and wrong types are errors when the text is read; workloads that the model
// does not have, nodes without that choice, questions that no schedule asks and answers that are illegal are errors of
// compile(). What is recorded alone may be for other models too: it is an offer, for kernels of which nothing is decided.
#pragma once

#include "driver/graph_decisions.h"
#include "lower/schedule_kernel.h"

#include <map>
#include <set>

namespace lathe::driver {

struct Decisions {
    std::set<std::string> skipPasses;                    // optional passes that are off
    int optionalLimit = -1;                              // only the first N optional passes run; -1: all
    std::map<std::string, std::set<std::string>> skipIn; // by workload: optional passes over kernels that are off there
    std::vector<VariantDecision> variants;               // how some operators are computed
    std::vector<LayoutDecision> layouts;                 // how some values and weights are stored
    std::vector<ApartDecision> apart;                    // which operators are not fused
    std::map<std::string, lower::ScheduleDecisions> kernels; // by workload
    std::map<std::string, lower::RecordedSchedule> recorded; // by workload, also of other models

    bool operator==(const Decisions&) const = default;
};

Result<Decisions> parseDecisions(std::string_view json);
std::string toJson(const Decisions& decisions);

/// Names of the optional passes in their order: what optionalLimit counts.
const std::vector<std::string>& optionalPasses();

/// Without the schedules of workloads on other targets, for a compilation of several that are decided together.
Decisions forTarget(Decisions decisions, const Target& target);

/// Fails if schedules, or passes, are decided for a workload that is none of these.
Result<void> requireSchedules(const Decisions& decisions, const std::set<std::string>& workloads);
Result<void> requireSkips(const Decisions& decisions, const std::set<std::string>& workloads);

} // namespace lathe::driver
