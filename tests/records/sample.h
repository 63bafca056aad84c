// SPDX-License-Identifier: Apache-2.0
//
// Records without a measurement: a small computation, and rows whose figures follow from a number.
#pragma once

#include "records/file.h"
#include "te/te.h"
#include "tir/text.h"

#include <fmt/format.h>

namespace lathe::testing {

/// Twice x; of so many columns.
inline tir::PrimFuncPtr doubled(int64_t columns, const std::string& name = "doubled") {
    auto x = te::placeholder("x", types::Float32, {4, columns});
    auto y = te::compute(
        "y", {4, columns}, [&](auto& i) { return (*x)({i[0], i[1]}) * arith::floatImm(2, types::Float32); }, 0);
    return te::toTir(name, {x}, {y}, {});
}

inline records::Workload sampleWorkload(int64_t columns = 8) {
    records::Workload workload = records::workloadOf(*doubled(columns), Target());
    workload.flops = static_cast<double>(4 * columns);
    workload.bytes = static_cast<double>(32 * columns);
    return workload;
}

inline records::Study sampleStudy(int number = 1) {
    records::Study study;
    study.id = fmt::format("{:032x}", number);
    study.name = fmt::format("study {}", number);
    study.model = "/models/net.onnx";
    study.modelHash = std::string(32, 'a');
    study.setting = {"a machine", 2, "default"};
    study.search = "random";
    study.program = "0.1.0";
    study.started = 1'700'000'000 + number;
    return study;
}

inline records::Task sampleTask(const records::Study& study, const records::Workload& workload) {
    return {.study = study.id, .workload = workload.key, .calls = 2, .seconds = 1.5};
}

/// Number 0 is the default. `ratio` to it: below 1 it was accepted, and that came of it in the model.
inline records::Trial sampleTrial(const records::Task& task, int number, double ratio = 1,
                                  records::InPlace inPlace = records::InPlace::Kept) {
    records::Trial trial;
    trial.study = task.study;
    trial.workload = task.workload;
    trial.number = number;
    trial.program = fmt::format("{:032x}", 100 + number);
    trial.answers = fmt::format("{{\"b0.rows\":[{}]}}", number);
    trial.trace = "loops blocks(#0) gives(0, 1)\nparallel loops(0)\n";
    trial.made = number == 0 ? tune::Made::Default : tune::Made::Random;
    trial.round = number == 0 ? 0 : 1;
    trial.us = 10 * ratio;
    trial.ratio = {ratio * 0.99, ratio, ratio * 1.01};
    trial.accepted = ratio < 1;
    trial.seconds = 0.5 * number;
    trial.prior = 12;
    if (number > 0)
        trial.predicted = 0.25 * number;
    if (trial.accepted)
        trial.inPlace = inPlace;
    return trial;
}

inline records::Round sampleRound(const records::Task& task, int number, const std::string& of, bool asked) {
    tune::Quality quality{.count = 16,
                          .spearman = -0.25,
                          .pairs = {90, 0.75},
                          .recall1 = 1,
                          .recall5 = 0.4,
                          .recall16 = 0.5,
                          .peak5 = 0.96875};
    return {
        .study = task.study, .workload = task.workload, .number = number, .of = of, .asked = asked, .quality = quality};
}

/// A variant, a layout and two operators apart, under which there is one kernel.
inline records::StudyGraph sampleGraph(const records::Study& study, const std::string& workload,
                                       const std::string& variant = "winograd4") {
    return {.study = study.id,
            .given = "{}",
            .found = fmt::format(R"({{"apart":[{{"consumer":{{"node":"r","op":"relu","ordinal":0}},)"
                                 R"("producer":{{"node":"c","op":"conv","ordinal":0}}}}],)"
                                 R"("layouts":[{{"blocks":16,"node":"c","op":"conv","ordinal":0}}],)"
                                 R"("variants":[{{"node":"c","op":"conv","ordinal":0,"variant":"{}"}}]}})",
                                 variant),
            .workloadsBefore = R"(["before"])",
            .workloads = fmt::format(R"(["{}"])", workload),
            .schedulesMs = 2.5,
            .wholeMs = 2};
}

/// A study of one task with trials of these ratios.
inline records::Batch sampleBatch(const std::vector<double>& ratios, int study = 1, int64_t columns = 8,
                                  records::InPlace inPlace = records::InPlace::Kept) {
    records::Batch batch;
    batch.workloads = {sampleWorkload(columns)};
    batch.studies = {sampleStudy(study)};
    batch.tasks = {sampleTask(batch.studies[0], batch.workloads[0])};
    for (size_t i = 0; i < ratios.size(); ++i)
        batch.trials.push_back(sampleTrial(batch.tasks[0], static_cast<int>(i), ratios[i], inPlace));
    return batch;
}

} // namespace lathe::testing
